/* proof.cl - kernels whose forms for rows clang's reading has to refuse, though the rewriter would have them, or would if it
 * believed too much (credulous.c, proof.sh); but those called right_… */
typedef struct { float re, im; } pair;
typedef int number;
float times(float m, float s) { return m * s; }
float less(float z, float s) { return z - s; }
int counts(private int *n) { return ++*n; }
kernel void other(global float *a, float s) { a[0] = -s * a[1]; }

kernel void in_a_struct(global float *a, pair c, int n) { int x = get_global_id(0); if (x < n) a[x] = a[x] - c.re * a[x + 1]; }
kernel void in_a_copy(global float *a, pair c, int n) { int x = get_global_id(0); pair d = c; if (x < n) a[x] = a[x] - d.re * a[x + 1]; }
kernel void in_an_array(global float *a, global pair *c, int n) { int x = get_global_id(0); if (x < n) a[x] = a[x] - c[x].re * a[x + 1]; }
kernel void times_minus_one(global float *a, float s, int n) { int x = get_global_id(0); if (x < n) a[x] = a[x] + times(-1.0f, s) * a[x + 1]; }
kernel void nothing_less(global float *a, float s, int n) { int x = get_global_id(0); if (x < n) a[x] = a[x] + less(-0.0f, s) * a[x + 1]; }
kernel void right_nothing_less(global float *a, int n) { int x = get_global_id(0); if (x < n) a[x] = less(0.0f, a[x]) * a[x + 1]; }
kernel void within_a_test(global float *a, float s, int n) { int x = get_global_id(0); float t; if ((t = -s * a[x]) > 0) a[x] = 1; if (x < n) a[x] += t; }
kernel void difference_in_a_test(global float *a, float s, int n) { int x = get_global_id(0); if (a[x] - s * a[x + 1] > 0) a[x] = 1; if (x < n) a[x] += 1; }
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
/* turns that are not run, and what is a constant in some copies alone */
kernel void left_by_break(global float *a, int n) { int x = get_global_id(0); for (int i = 0; i < 9; i++) { if (i > 1) break; a[x] = clamp(x + n * i, 0, 50); } }
kernel void in_some_turns(global float *a, int n) { int x = get_global_id(0); for (int i = 0; i < 9; i++) if (a[x] > i) a[x] = clamp(x + n * i, 0, 50); }
kernel void in_one_branch(global float *a, int n) { int x = get_global_id(0); for (int i = 0; i < 9; i++) a[x] += i > n ? clamp(x + n * i, 0, 50) : 1; }
kernel void right_in_all_turns(global float *a, global float *b, int n) { int x = get_global_id(0); float t = 0; for (int i = 0; i < 3; i++) t += b[clamp(x + i, 0, n)]; a[x] = t; }
kernel void by_turns(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < n) { float t = b[x]; for (int i = 0; i < 9; i++) t += i * 0.1f; a[x] = t; } }
kernel void of_turns(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < n) { float t = 0; for (int i = 0; i < 4; i++) { float p = i * 0.1f + b[x]; t += sin(p) * cos(p); } a[x] = t; } }
kernel void by_a_test(global float *a, global float *b, int n) { int x = get_global_id(0); float m = 2.0f; if (x < n) m = 3.0f; a[x] = m * 0.1f + b[x]; }
kernel void whole_by_a_test(global float *a, global float *b, int n) { int x = get_global_id(0), m = 2; if (x < n) m = 3; a[x] = m * 0.7f + b[x]; }
kernel void by_a_clamp(global float *a, global float *b, int n) { int x = get_global_id(0); a[x] = clamp(3, 0, n) * 0.1f + b[x]; }
kernel void as_it_was_stored(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = 0.3f; b[x] = a[x] * 0.7f + b[x + 1]; }
kernel void of_equal(global float *a, global float *b, int n) { int x = get_global_id(0), y = get_global_id(1); if (y == 3) a[x] = y * 0.7f + b[x]; }
kernel void of_an_equal_argument(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < 5 && n == 3) a[x] = n * 0.7f + b[x]; }
kernel void negated_product(global float *a, global float *b, int n) { int x = get_global_id(0); float t = b[x] * 2.0f; if (x < n) a[x] = -t; else a[x] = t; }
kernel void product_negated_as_it_is_stored(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = -(b[x] * b[x + 1]); }
kernel void negated_twice(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = -b[x] * b[x + 1] + b[x + 2]; else a[x] = -b[x]; }
kernel void minus_one_by_a_test(global float *a, global float *b, int n) { int x = get_global_id(0); float m = 2.0f; if (x < n) m = m - 3.0f; a[x] = m * b[x]; }
kernel void narrow_minus_one(global float *a, float s, int n) { int x = get_global_id(0); short m = 65535; if (x < n) a[x] = a[x] + s * m * a[x + 1]; }
kernel void nearly_minus_one(global float *a, float s, int n) { int x = get_global_id(0); float m = -10.0f; if (x < n) a[x] = a[x] + s * (m * 0.1f) * a[x + 1]; }
kernel void called_minus_one(global float *a, float s, int n) { int x = get_global_id(0); if (x < n) a[x] = a[x] + s * min(~0, 5) * a[x + 1]; }
kernel void some_minus_one(global float *a, float s, int n) { int x = get_global_id(0); float2 m = (float2)(~0); if (x < n) a[x] = a[x] + s * m.x * a[x + 1]; }
kernel void late_minus_one(global float *a, float s, int n) { int x = get_global_id(0); float m; m = ~0; if (x < n) a[x] = a[x] + s * m * a[x + 1]; }
kernel void a_moved_pointer(global float *a, global float *b, int n) { int x = get_global_id(0); float t = b[x], u = b[x + 1]; b -= x; float v = b[x]; if (x < n) a[x] = t - v * u; }
kernel void not_a_number(global float *a, int n) { int x = get_global_id(0); float t = (float)n * 3e38f * 3e38f - (float)n * 3e38f * 3e38f; if (x < n) a[x] = a[x] + t; }
kernel void of_infinity(global float *a, int n, int m) { int x = get_global_id(0); float t = 1.0f; t = m ? t : 1e39f; t -= 1e39f; if (x < n) a[x] = a[x] + t; }
kernel void bits_by_hand(global float *a, float s, int n) { int x = get_global_id(0); float t = s; int b = *(int *)&t; b ^= 1 << 31; float q = *(float *)&b; if (x < n) a[x] = a[x] + q * a[x + 1]; }
kernel void left_equal(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < n && b[x] > 3.0f) return; a[x] = fmax(b[x], 3.0f) * 0.1f + b[x + 1]; }
kernel void selected(global float *a, global float *b, int n) { int x = get_global_id(0); if (x >= n) return; float m = select(b[x], 3.0f, (int)(x < n)); a[x] = m * 0.1f + b[x + 1]; }
kernel void equal_element(global float *a, global float *b, int n) { int x = get_global_id(0); float v = b[x]; if (x < n || v == 3.0f) a[x] = v * 0.1f + b[x + 1]; else a[x] = 1; }
kernel void equal_whole_element(global float *a, global int *b, int n) { int x = get_global_id(0); if (x < n || b[x] == 3) a[x] = (float)b[x] * 0.1f + a[x + 1]; else a[x] = 1; }
kernel void equal_by_a_copy(global float *a, global float *b, int n) { int x = get_global_id(0), k = n; float m = b[x] + (float)n * 0.1f; if (x >= 5) return; if (k == 3) a[x] = m; else a[x] = b[x]; }
kernel void equal_as_a_float(global float *a, global float *b, int n) { int x = get_global_id(0); float t = n; if (x >= 5) return; if (t == 3.0f) a[x] = t * 0.1f + b[x]; }
kernel void negated_as_it_was_stored(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = -2.0f * b[x]; a[x] = -a[x]; }
kernel __attribute__((noinline)) __attribute__((optnone)) void with_attributes(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = b[x]; }
kernel void narrowed(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = (float)(short)b[x]; }
kernel void stored_by_an_assigned_pointer(global float *a, global float *b, int n) { int x = get_global_id(0); global float *q; if (x >= n) return; *(q = a + x) = b[x]; if (n > 3) *q = 3.0f; a[x] = a[x] * 0.1f + b[x + 1]; }
kernel void equal_by_two(global float *a, global float *b, int n) { int x = get_global_id(0); float v = b[x]; if (x < n || (v >= 3.0f && 3.0f >= v)) a[x] = v * 0.1f + b[x + 1]; else a[x] = 1; }
kernel void equal_in_one_copy(global float *a, global float *b, int n) { int x = get_global_id(0); float v = b[x], q = b[x + 1]; if (x >= n) q = v; if (!(q >= 3.0f && v <= 3.0f)) return; a[x] = v * 0.1f + b[x]; }
kernel void equal_by_functions(global float *a, global float *b, int n) { int x = get_global_id(0); float v = b[x]; if (x < n || (isgreaterequal(v, 3.0f) && islessequal(v, 3.0f))) a[x] = v * 0.1f + b[x + 1]; else a[x] = 1; }
kernel void equal_whole_converted(global float *a, global int *b, int n) { int x = get_global_id(0); if (x < n || b[x] == 3) a[x] = convert_float(b[x]) * 0.1f + a[x + 1]; else a[x] = 1; }
kernel void whole_between(global float *a, global float *b, int n) { int x = get_global_id(0); float t = n; if (x < 5 || (t > 2.0f && t < 4.0f)) a[x] = t * 0.1f + b[x]; else a[x] = 1; }
kernel void whole_and_back(global float *a, global float *b, int n) { int x = get_global_id(0), k = (int)(double)n; if (x < 5 || k == 3) a[x] = n * 0.1f + b[x]; else a[x] = 1; }
kernel void switched(global float *a, global float *b, int n) { int x = get_global_id(0), ok = 1; if (x >= 5) ok = 0; switch (n) { case 3: ok = 1; break; default: break; } if (!ok) return; a[x] = n * 0.1f + b[x]; }
kernel void infinite(global float *a, global float *b, int n) { int x = get_global_id(0), ok = 1; float v = b[x]; if (x >= n) ok = 0; if (isinf(v)) ok = 1; if (!ok) return; a[x] = v - v; }
kernel void decided_by_a_value(global float *a, global float *b, int n) { int x = get_global_id(0); float v = b[x]; if (x < n || !(v - 3.0f)) a[x] = v * 0.1f + b[x + 1]; else a[x] = 1; }
typedef enum { E0, E1, E2, E3 } mode;
float large(void) { return 1e39f; }
kernel void enumerated(global float *a, global float *b, int n, mode m) { int x = get_global_id(0); if (x < n || m == E3) a[x] = (float)m * 0.1f + b[x]; }
kernel void enumerated_element(global float *a, global mode *m, int n) { int x = get_global_id(0), ok = 1; if (x >= n) ok = 0; if (m[x] == 3) ok = 1; if (!ok) return; a[x] = (float)m[x] * 0.1f + a[x + 1]; }
kernel void large_by_a_call(global float *a, global float *b, int n) { int x = get_global_id(0), ok = 1; float v = b[x]; if (x >= n) ok = 0; if (v == large()) ok = 1; if (!ok) return; a[x] = v - v; }
kernel void nothing_times_minus_one(global float *a, global float *b, int n) { int x = get_global_id(0); float t = 0; if (x < 5) t = b[x] * 2.0f; if (x < n) a[x] = t * -1.0f; else a[x] = t; }
kernel void nearly_a_number(global float *a, global float *b, int n) { int x = get_global_id(0); float m = 2.0f; if (x < n) m = 3.3f; a[x] = (m + pow(b[x], 0.0f)) * 0.1f + b[x + 1]; }
kernel void a_sign_copied(global float *a, global float *b, int n) { int x = get_global_id(0); float q = fabs(copysign(1.0f, b[x])); float r = b[x] * 2.0f, z = q - 2.0f; if (x < n) a[x] = r * z; else a[x] = r; }
kernel void right_threshold(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = b[x] > 0.5f ? b[x] + b[x + 1] : 0.0f; }
kernel void bytes(global uchar *a, global const float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = (uchar)(0.25f * (b[x] + b[x + 1])); }
kernel void right_rectified(global float *a, global float *b, float s, int n) { int x = get_global_id(0); float l = 0, r = 0; if (x > 0) l = b[x - 1]; if (x < n) r = b[x + 1]; a[x] = fmax(b[x], 0.0f) * s + 0.5f * (l + r); }
kernel void right_converted(global float *a, global float *b, int n, int m) { int x = get_global_id(0); if (x < n) a[x] = b[x] / (float)m; }
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void right_with_a_size(global float *a, global float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = b[x]; }
kernel void right_sums(global float *a, global const float *b, float s, int n) { int x = get_global_id(0); float t = 0; if (x > 0) t += b[x - 1]; if (x < n) t += b[x + 1]; a[x] = s * t + 0.25f * b[x]; }
kernel void right_parts(global float4 *a, global const float4 *b, float s, int n) { int x = get_global_id(0); float4 t = b[x]; if (x < n) a[x] = (t + b[x + 1]) * s + 0.5f * t.wzyx; }
kernel void right_pointers(global float *a, global const pair *b, float s, int n) { int x = get_global_id(0); global const pair *p = b + x; if (x < n) a[x] = sqrt((p->re - s) * (p->re - s) + p->im); }
kernel void right_one_negation(global float *a, global const float *b, global const float *c, int n) { int x = get_global_id(0); if (x < n) a[x] = a[x] - b[x] * c[x]; }
kernel void right_steps(global float *a, global const float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = a[x] - 0.5f * (b[x + 1] - b[x]); else a[x] = 0; }
kernel void right_numbers(global float *a, global const float *b, int n) { int x = get_global_id(0); float w1, w2 = +0.5f; w1 = -0.3f; if (x < n) a[x] = w1 * b[x] + w2 * b[x + 1]; }
kernel void hidden(global float *a, int n) { int x = get_global_id(0); { float n = a[x]; if (x < n) a[x] = 1; } if (x < n) a[x] = 2; }
/* what wraps twice, or wraps and is clamped: a row's ends do not tell */
kernel void wraps_twice(global float *a, int n) { uchar v = get_global_id(0); ushort q = v + 65400; if (q < 1000) a[get_global_id(0)] = 1; }
kernel void wraps_twice_in_a_test(global float *a, int n) { uchar v = get_global_id(0); if ((ushort)(v + 65400) < 1000) a[get_global_id(0)] = 1; }
kernel void wraps_and_is_clamped(global float *a, int n) { uint x = get_global_id(0), q = clamp(x - 5u, 0u, 0xfffffffdu) + 100u; if (q > 97) a[x] = 1; }
kernel void clamped_and_wraps(global float *a, int n) { uint x = get_global_id(0); uchar q = clamp(x - 5u, 0u, 253u) + 100; if (q > 97) a[x] = 1; }
kernel void right_wraps_once(global float *a, int n) { uchar v = get_global_id(0); if (v > 100) a[get_global_id(0)] = 1; }
/* PoCL has one such struct for all work-items of a group */
kernel void into_a_struct(global float *a, pair c, int n) { int x = get_global_id(0); if (x < n) c.re += 1; a[x] = c.re; }
kernel void whole_struct(global float *a, pair c, pair d, int n) { int x = get_global_id(0); if (x < n) c = d; a[x] = c.re; }
kernel void struct_by_a_pointer(global float *a, pair c, int n) { int x = get_global_id(0); pair *p = &c; if (x < n) p->re = 1; a[x] = c.re; }
kernel void right_own_struct(global float *a, pair c, int n) { int x = get_global_id(0); pair d = c; if (x < n) d.re = a[x]; a[x] = d.re; }
