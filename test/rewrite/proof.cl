/* proof.cl - kernels whose forms for rows clang's reading has to refuse, though the rewriter would have them, or would if it
 * believed too much (credulous.c, proof.sh); but those called right_… */
typedef struct { float r, i; } pair;
typedef int number;
float times(float m, float s) { return m * s; }
float less(float z, float s) { return z - s; }
int counts(private int *n) { return ++*n; }
kernel void other(global float *a, float s) { a[0] = -s * a[1]; }

kernel void in_a_struct(global float *a, pair c, int n) { int x = get_global_id(0); if (x < n) a[x] = a[x] - c.r * a[x + 1]; }
kernel void in_a_copy(global float *a, pair c, int n) { int x = get_global_id(0); pair d = c; if (x < n) a[x] = a[x] - d.r * a[x + 1]; }
kernel void right_in_an_array(global float *a, global pair *c, int n) { int x = get_global_id(0); if (x < n) a[x] = a[x] - c[x].r * a[x + 1]; }
kernel void times_minus_one(global float *a, float s, int n) { int x = get_global_id(0); if (x < n) a[x] = a[x] + times(-1.0f, s) * a[x + 1]; }
kernel void nothing_less(global float *a, float s, int n) { int x = get_global_id(0); if (x < n) a[x] = a[x] + less(-0.0f, s) * a[x + 1]; }
kernel void right_nothing_less(global float *a, int n) { int x = get_global_id(0); if (x < n) a[x] = less(0.0f, a[x]) * a[x + 1]; }
kernel void within_a_test(global float *a, float s, int n) { int x = get_global_id(0); float t; if ((t = -s * a[x]) > 0) a[x] = 1; if (x < n) a[x] += t; }
kernel void right_within_a_test(global float *a, float s, int n) { int x = get_global_id(0); if (a[x] - s * a[x + 1] > 0) a[x] = 1; if (x < n) a[x] += 1; }
kernel void of_a_kernel(global float *a, float s, int n) { int x = get_global_id(0); if (x < n) { a[x] = 1; other(a + x, s); } }
kernel void whole_minus_one(global float *a, float s, int n) { int x = get_global_id(0); const int m = -1; if (x < n) a[x] = a[x] + s * m * a[x + 1]; }
kernel void one_minus_two(global float *a, float s, int n) { int x = get_global_id(0); float m = 2; if (x < n) a[x] = a[x] + s * (1.0f - m) * a[x + 1]; }
kernel void by_minus_one(global float *a, float s, int n) { int x = get_global_id(0); float m = -1; a[x] = s; if (x < n) a[x] = a[x] / m * a[x + 1]; }
kernel void right_weights(global float *a, float s, int n) { int x = get_global_id(0); const float m = -0.25f; if (x < n) a[x] = s * m * a[x] + s * -0.5f; }
kernel void given_to_a_function(global float *a, int n) { int x = get_global_id(0), k = x; counts(&k); if (k < n) a[x] = 1; }
kernel void by_a_pointer(global float *a, int n) { int x = get_global_id(0), k = x; int *p = &k; *p += 1; if (k < n) a[x] = 1; }
kernel void by_a_comma(global float *a, int n) { int x = get_global_id(0), k = x; a[x] = 0, k++; if (k < n) a[x] = 1; }
kernel void in_a_subscript(global float *a, int n) { int x = get_global_id(0), k = x; a[k++] = 0; if (k < n) a[x] = 1; }
kernel void in_a_statement(global float *a, int n) { int x = get_global_id(0), k = x; a[x] = ({ k += 2; k; }); if (k < n) a[x] = 1; }
kernel void of_itself(global float *a, int n) { int x = get_global_id(0), k = k; if (k < n) a[x] = 1; }
kernel void right_of_another_type(global float *a, int n) { number x = get_global_id(0); const number k = (number)x + 1; if (x < n) a[x] = k; }
kernel void hidden(global float *a, int n) { int x = get_global_id(0); { float n = a[x]; if (x < n) a[x] = 1; } if (x < n) a[x] = 2; }
