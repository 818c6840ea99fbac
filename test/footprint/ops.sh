#!/bin/bash
# Operations per work-item for a launch, against counts by hand: a person's count of loads, stores, local accesses, atomics,
# barriers and floating-point work; integer work is the reader's business. Triangles are
# estimated: two digits.
set -u
f=$B/clweave-footprint
[ -x "$f" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
cat > "$T/k.cl" <<'E2'
kernel void product(global const float *a, global const float *b, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
kernel void half_guarded(global double *a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        a[i] = sqrt(a[i]) + 1.0;
}
kernel void triangle(global float4 *a, int n)
{
    int row = get_global_id(0);
    for (int k = 0; k <= row; k++)
        a[row * n + k] *= 2.0f;
}
kernel void nested(global float *a, int n)
{
    float x = get_global_id(0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            x = fma(x, x, 1.0f);
    a[get_global_id(0)] = x;
}
kernel void reduction(global const float *in, global float *out, local float *s)
{
    uint l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    for (uint d = get_local_size(0) / 2; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            s[l] += s[l + d];
    }
    if (l == 0)
        out[get_group_id(0)] = s[0];
}
kernel void axpy(global const float *x, global float *y, float a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] += a * x[i];
}
kernel void axpy_double(global const double *x, global double *y, double a)
{
    int i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
kernel void jacobi(global const float *in, global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        out[y * w + x] = 0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}
kernel void tiled(global const float *a, global const float *b, global float *c, int n)
{
    local float s[64], t[64];
    int x = get_global_id(0), y = get_global_id(1), i = get_local_id(0), j = get_local_id(1);
    float sum = 0;
    for (int k = 0; k < n / 8; k++) {
        s[j * 8 + i] = a[y * n + k * 8 + i];
        t[j * 8 + i] = b[(k * 8 + j) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int m = 0; m < 8; m++)
            sum += s[j * 8 + m] * t[m * 8 + i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}
kernel void first_of_group(global float *a)
{
    if (get_local_id(0) == 0)
        a[get_group_id(0)] += 1.0f;
}
kernel void second_group(global float *a)
{
    if (get_group_id(0) == 1)
        a[get_global_id(0)] = a[get_global_id(0)] * 2.0f + 1.0f;
}
kernel void by_value(global const float *in, global float *out)
{
    int i = get_global_id(0);
    if (in[i] > 3)
        out[i] = in[i] * 2.0f;
}
kernel void histogram(global const uchar *in, global uint *bins)
{
    atomic_inc(&bins[in[get_global_id(0)]]);
}
kernel void by_data(global const int *in, global int *out)
{
    int i = get_global_id(0);
    if (in[i] > 3)
        out[i] = 1;
}
E2
cat > "$T/l.json" <<'E2'
{"launches": [
 {"kernel": "product", "global": [256, 256], "local": [16, 16], "args": [{"buffer": 262144}, {"buffer": 262144}, {"buffer": 262144}, {"scalar": 256}], "tiles": []},
 {"kernel": "half_guarded", "global": [512], "local": [512], "args": [{"buffer": 4096}, {"scalar": 256}], "tiles": []},
 {"kernel": "triangle", "global": [1000], "local": [10], "args": [{"buffer": 16000000}, {"scalar": 1000}], "tiles": []},
 {"kernel": "nested", "global": [64], "local": [8], "args": [{"buffer": 256}, {"scalar": 101}], "tiles": []},
 {"kernel": "reduction", "global": [64], "local": [8], "args": [{"buffer": 256}, {"buffer": 32}, {"local": 32}], "tiles": []},
 {"kernel": "histogram", "global": [64], "local": [8], "args": [{"buffer": 64}, {"buffer": 1024}], "tiles": []},
 {"kernel": "axpy", "global": [1024], "local": [64], "args": [{"buffer": 4000}, {"buffer": 4000}, {"bytes": "0000803f"}, {"scalar": 1000}], "tiles": []},
 {"kernel": "axpy_double", "global": [512], "local": [64], "args": [{"buffer": 4096}, {"buffer": 4096}, {"bytes": "000000000000f03f"}], "tiles": []},
 {"kernel": "jacobi", "global": [64, 32], "local": [8, 8], "args": [{"buffer": 8192}, {"buffer": 8192}, {"scalar": 60}, {"scalar": 30}], "tiles": []},
 {"kernel": "tiled", "global": [64, 64], "local": [8, 8], "args": [{"buffer": 16384}, {"buffer": 16384}, {"buffer": 16384}, {"scalar": 64}], "tiles": []},
 {"kernel": "first_of_group", "global": [640], "local": [10], "args": [{"buffer": 256}], "tiles": []},
 {"kernel": "second_group", "global": [640], "local": [10], "args": [{"buffer": 2560}], "tiles": []},
 {"kernel": "by_value", "global": [64], "local": [8], "args": [{"buffer": 256}, {"buffer": 256}], "tiles": []},
 {"kernel": "by_data", "global": [64], "local": [8], "args": [{"buffer": 256}, {"buffer": 256}], "tiles": []}
]}
E2
cat > "$T/expect" <<'E2'
product: single fma 256, load 512, bytes loaded 2048, store 1, bytes stored 4
half_guarded: double 0.5, special function 0.5, load 0.5, bytes loaded 4, store 0.5, bytes stored 4
triangle: single 2000, load 500, bytes loaded 8000, store 500, bytes stored 8000
nested: single fma 5000, store 1, bytes stored 4
reduction: single 1, load 1, bytes loaded 4, store 0.125, bytes stored 0.5, local access 4.125, barrier 1, about, 1 loop of unknown length
histogram: load 1, bytes loaded 1, atomic 1
by_data: load 1, bytes loaded 4, store 1, bytes stored 4, at most
E2
"$f" --eval "$T/l.json" "$T/k.cl" > "$T/out" || { cat "$T/out"; exit 1; }
python3 - "$T/out" > "$T/got" <<'E2'
import json
import sys
for r in json.load(open(sys.argv[1]))["results"]:
    o = r["operations"]
    near = lambda v: f"{v:.3g}" if v < 4 else str(int(float(f"{v:.2g}"))) if r["kernel"] in ("triangle", "nested") else f"{v:.4g}"
    words = [f"{k} {near(v)}" for k, v in o["per_item"].items() if not k.startswith("integer") and k != "branch"]
    if o["unknown_loops"]:
        words += ["about", f"{o['unknown_loops']} loop of unknown length"]
    elif not o["sure"]:
        words.append("at most")
    print(f"{r['kernel']}: {', '.join(words)}")
E2
diff -u "$T/expect" <(grep -E "^($(sed 's/:.*//' "$T/expect" | paste -sd'|')):" "$T/got") || exit 1

# Of whole launches, exactly, or not at all: 2 n^3 of a product, 2 n of axpy, 4 of each inner point, n (n + 1) / 2 vectors of four.
cat > "$T/expect" <<'E2'
product: single 33554432, double 0
half_guarded: single 0, double 512
triangle: single 2002000, double 0
nested: unknown
reduction: unknown
histogram: single 0, double 0
axpy: single 2000, double 0
axpy_double: single 0, double 1024
jacobi: single 6496, double 0
tiled: single 524288, double 0
first_of_group: single 64, double 0
second_group: single 20, double 0
by_value: unknown
by_data: single 0, double 0
E2
python3 - "$T/out" > "$T/got" <<'E2'
import json
import sys
for r in json.load(open(sys.argv[1]))["results"]:
    f = r["operations"]["floating_point"]
    print(f"{r['kernel']}: " + ("unknown" if "unknown" in f else f"single {f['single']:.0f}, double {f['double']:.0f}"))
E2
diff -u "$T/expect" "$T/got"
