#!/bin/bash
# Which kernels of a file may see their work-groups, and which another local size gives the same results.
set -u
[ -x "$B/clweave-footprint" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
cat > "$T/groups.cl" <<'END'
__constant int table[4] = {1, 2, 3, 4};
__kernel void plain(__global int *a) { size_t i = get_global_id(0); a[i] = table[i & 3] + popcount(a[i]) + rotate(a[i], 3) + (int)get_global_size(0); }
__kernel void math(__global float *a) { size_t i = get_global_id(0); float w; a[i] = sin(a[i]) + fract(a[i], &w) + w; }
__kernel void id(__global int *a) { a[get_global_id(0)] = get_local_id(0); }
__kernel void group(__global int *a) { a[get_global_id(0)] = get_group_id(0); }
__kernel void size(__global int *a) { a[get_global_id(0)] = get_local_size(0); }
__kernel void number(__global int *a) { a[get_global_id(0)] = get_num_groups(0); }
__kernel void shared(__global int *a) { __local int n; atomic_inc(&n); a[get_global_id(0)] = n; }
__kernel void given(__global int *a, __local int *n) { a[get_global_id(0)] = n[0]; }
__kernel void meets(__global int *a) { a[get_global_id(0)] = 1; barrier(CLK_GLOBAL_MEM_FENCE); }
__kernel void copies(__global int *a, __global int *b) { __local int n[64]; event_t e = async_work_group_copy(n, b, 64, 0); wait_group_events(1, &e); a[get_global_id(0)] = n[3]; }
int inner(void) { return get_local_id(0); }
int outer(int x) { return x ? inner() : 0; }
__kernel void by_function(__global int *a) { a[get_global_id(0)] = outer(a[1]); }
__kernel void dead(__global int *a) { if (0) a[0] = outer(1); a[get_global_id(0)] = 2; }
__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void demands(__global int *a) { a[get_global_id(0)] = 3; }
__kernel void places(__global int *a) { __local int n, m; vstore2(convert_int2((ulong2)((ulong)&n, (ulong)&m)), 0, a); }
__kernel void jumps(__global int *a, int n) {
    int i = get_global_id(0), s = 0;
    if (n & 1) goto middle;
top: s += get_local_id(0);
    if (s > 100) goto end;
middle: s += 3 + a[i];
    if (s < n) goto top;
end: a[i] = s;
}
size_t __attribute__((overloadable, const)) __spirv_BuiltInLocalInvocationId(int);
__kernel void spirv(__global int *a) { a[get_global_id(0)] = __spirv_BuiltInLocalInvocationId(0); }
END
"$B/clweave" kernel --json "$T/groups.cl" > "$T/groups.json" || exit 1
python3 - "$T/groups.json" <<'END'
import json, sys

free = {"plain", "math", "dead"}
kernels = {k["name"]: k["groups"] for k in json.load(open(sys.argv[1]))["kernels"]}
wrong = [name for name, sees in kernels.items() if sees == (name in free)]
if wrong or len(kernels) != 16:
    sys.exit(f"{len(kernels)} kernels; wrong: {wrong}")
END
