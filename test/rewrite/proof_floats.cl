/* proof_floats.cl - more kernels as in proof.cl: constants that are made whole numbers, functions that have constants of their own,
 * and what is not known at all */
kernel void does_not_fit(global int *a, global const float *b, int n) { int x = get_global_id(0); float t = 5.0f; if (x < n) t = 1e20f; a[x] = (int)t; }
kernel void does_not_fit_by_a_fact(global int *a, global const float *b, int n) { int x = get_global_id(0); int ok = 1; if (x >= n) ok = 0; float v = b[x]; if (v == 1e10f) ok = 1; if (!ok) return; a[x] = (int)v; }
kernel void converted_by_a_function(global uint *a, global const float *b, int n) { int x = get_global_id(0); float t = b[x]; if (x < n) t = -300.0f; a[x] = convert_uint(t); }
kernel void a_logarithm_converted(global int *a, global const float *b, int n) { int x = get_global_id(0); float t = b[x + 1]; if (x < n) t = log2(b[x]); a[x] = (int)t; }
kernel void converted_unseen(global int *a, global const float *b, int n) { int x = get_global_id(0); if (x < n) a[x] += b[x]; }
kernel void widened(global int *a, global const float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = (uchar)b[x]; }
kernel void rounded_by_a_fact(global float *a, global const float *b, int n) { int x = get_global_id(0); int ok = 1; if (x >= n) ok = 0; float v = b[x]; if (v == 1e10f) ok = 1; if (!ok) return; a[x] = rint(v) + b[x + 1]; }
kernel void infinity_times_nothing(global float *a, global const float *b, int n) { int x = get_global_id(0); float l = 0; if (x < n) l = b[x + 1]; a[x] = exp(b[x]) * l; }
kernel void infinite(global float *a, global const float *b, int n) { int x = get_global_id(0); float t = b[x + 1]; if (x < n) t = sqrt(b[x]); a[x] = t + 1e39f; }
kernel void minus_one_for_a_function(global float *a, global const float *b, int n) { int x = get_global_id(0); const float k = -2.0f; float r = b[x]; if (x < n) r = native_divide(b[x + 1], k * 0.5f); a[x] = r + b[x + 2]; }
kernel void negated_and_read(global float *a, global const float *b, global float *c, int n) { int x = get_global_id(0); if (x < n) a[x] = -b[x]; c[x] = a[x] + b[x + 1]; }
kernel void negated_and_stored(global float *a, global const float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = -b[x]; }
kernel void an_id_in_a_sum(global float *a, global const float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = b[x] + x; }
kernel void bits(global float *a, global const float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = as_float(as_int(b[x]) & 0x7fffffff); }
kernel void vectors_converted(global int4 *a, global const float4 *b, int n) { int x = get_global_id(0); if (x < n) a[x] = convert_int4(b[x]); }
kernel void right_whole_numbers(global int *a, global const float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = (int)(b[x] + b[x + 1]) + 1; }
kernel void right_functions(global float *a, global const float *b, float s, int n) { int x = get_global_id(0); if (x < n) a[x] = clamp(fma(b[x], s, fmax(b[x + 1], 0.0f)) + sqrt(fabs(b[x + 1])) * floor(b[x]), 0.0f, 1.0f); }
/* sums and differences of which a test picks one */
kernel void sums_or_differences(global float *a, global const float *b, int n) { int x = get_global_id(0); float u = b[x], v = b[x + 1]; if (x < n) u = u - v; else u = u + v; a[x] = u; }
kernel void sums_before_differences(global float *a, global const float *b, int n) { int x = get_global_id(0); float u = b[x], v = b[x + 1], t = u + v; if (x < n) t = u - v; a[x] = t; }
kernel void picked_by_an_operator(global float *a, global const float *b, int n) { int x = get_global_id(0); float u = b[x], v = b[x + 1]; a[x] = x < n ? u - v : u + v; }
kernel void picked_by_a_return(global float *a, global const float *b, int n) { int x = get_global_id(0); float u = b[x], v = b[x + 1]; if (x >= n) { a[x] = u + v; return; } a[x] = u - v; }
kernel void picked_behind_a_return(global float *a, global const float *b, int n) { int x = get_global_id(0); float u = b[x], v = b[x + 1], t = u + v; if (x >= n) { a[x] = t; return; } a[x] = u - v; }
kernel void picked_factors(global float *a, global const float *b, int n) { int x = get_global_id(0); float t; if (x < n) { float w = b[x] * -0.3f; t = w + b[x + 1]; } else { float w = b[x] * 0.3f; t = b[x + 1] + w; } a[x] = t; }
kernel void picked_products(global float *a, global const float *b, float s, int n) { int x = get_global_id(0); float t; if (x < n) t = b[x] * s - b[x + 1]; else t = b[x] * s + s; a[x] = t; }
kernel void picked_by_select(global float *a, global const float *b, int n) { int x = get_global_id(0); float u = b[x], v = b[x + 1]; a[x] = select(u - v, u + v, x < n); }
kernel void picked_by_mad(global float *a, global const float *b, float s, int n) { int x = get_global_id(0); float u = b[x]; if (x < n) u -= b[x + 1]; else u = mad(s, s, u); a[x] = u; }
kernel void less_once(global float *a, global const float *b, float s, int n) { int x = get_global_id(0); if (x < n) a[x] = b[x + 1] - 1.0f * b[x]; }
kernel void right_picked_sums(global float *a, global const float *b, float s, int n) { int x = get_global_id(0); float t; if (x < n) t = b[x] + b[x + 1]; else t = b[x] * s + s; a[x] = t; }
kernel void right_sums_and_differences(global float *a, global const float *b, float s, int n) { int x = get_global_id(0); if (x < n) { float t = b[x + 1] - b[x]; a[x] = t * s + b[x]; } else a[x] = 0; }
typedef struct { int re, im; } pairfloat;
kernel void struct_named_like_a_float(global float *a, pairfloat c, int n) { int x = get_global_id(0); if (x < n) c.re += 1; a[x] = c.re; }
__attribute__((overloadable)) float pow(double v, int n) { return 1.0f; }
kernel void overloaded(global float *a, global const float *b, int n) { int x = get_global_id(0); if (x < n) a[x] = pow(b[x], b[x + 1]); }
