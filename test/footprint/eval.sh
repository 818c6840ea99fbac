#!/bin/bash
# Launches too large to run: where 32-bit arithmetic overflows, clipping, ranges far out. One line per tile:
# kernel, then argument and side, answer, intervals.
set -u
f=$B/clweave-footprint
[ -x "$f" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
cat > "$T/k.cl" <<'E2'
kernel void rows(global float *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = 1;
}
kernel void wide_rows(global float *out, int width)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = 1;
}
kernel void bytes(global uchar *out, uint n)
{
    uint i = get_global_id(0) * 16;
    if (i < n)
        out[i] = 1;
}
kernel void narrow(global int *out)
{
    uchar i = get_global_id(0);
    out[i] = 1;
}
kernel void endless(global int *out, uint n)
{
    for (uint k = get_global_id(0); k <= n; k += 16)
        out[k] = 1;
}
E2
cat > "$T/l.json" <<'E2'
{"launches": [
 {"kernel": "rows", "global": [65536, 16384], "local": [64, 1], "args": [{"buffer": 4294967296}, {"scalar": 65536}],
  "tiles": [{"first": [0, 0], "count": [1024, 16]}, {"first": [0, 16380], "count": [1024, 4]}]},
 {"kernel": "rows", "global": [65536, 40000], "local": [64, 1], "args": [{"buffer": 10485760000}, {"scalar": 65536}],
  "tiles": [{"first": [0, 0], "count": [1024, 32768]}, {"first": [0, 32768], "count": [1024, 1]}, {"first": [0, 0], "count": [1024, 40000]}]},
 {"kernel": "wide_rows", "global": [65536, 40000], "local": [64, 1], "args": [{"buffer": 10485760000}, {"scalar": 65536}],
  "tiles": [{"first": [0, 32768], "count": [1024, 1]}, {"first": [0, 39999], "count": [1, 1]}]},
 {"kernel": "bytes", "global": [1073741824], "local": [64], "args": [{"buffer": 4294967296}, {"scalar": 4294967295}],
  "tiles": [{"first": [0], "count": [2]}, {"first": [4194303], "count": [2]}, {"first": [4194304], "count": [1]}]},
 {"kernel": "narrow", "global": [512], "local": [64], "args": [{"buffer": 2048}],
  "tiles": [{"first": [0], "count": [4]}, {"first": [4], "count": [4]}, {"first": [3], "count": [2]}]},
 {"kernel": "endless", "global": [64], "local": [64], "args": [{"buffer": 256}, {"scalar": 31}],
  "tiles": [{"first": [0], "count": [1]}]},
 {"kernel": "endless", "global": [64], "local": [64], "args": [{"buffer": 4294967296}, {"scalar": 4294967295}],
  "tiles": [{"first": [0], "count": [1]}]}
]}
E2
cat > "$T/expect" <<'E2'
rows 0w exact [[0, 4194304]]
rows 0w exact [[4293918720, 4294967296]]
rows 0w exact [[0, 8589934592]]
rows 0w unknown [[0, 10485760000]]
rows 0w unknown [[0, 10485760000]]
wide_rows 0w exact [[8589934592, 8590196736]]
wide_rows 0w exact [[10485497856, 10485498112]]
bytes 0w exact 128 intervals
bytes 0w unknown [[0, 4294967296]]
bytes 0w unknown [[0, 4294967296]]
narrow 0w exact [[0, 1024]]
narrow 0w exact [[0, 1024]]
narrow 0w at-most [[0, 1024]]
endless 0w at-most [[0, 128]]
endless 0w unknown [[0, 4294967296]]
E2
"$f" --eval "$T/l.json" "$T/k.cl" > "$T/out" || { cat "$T/out"; exit 1; }
python3 - "$T/out" > "$T/got" <<'E2'
import json
import sys
for r in json.load(open(sys.argv[1]))["results"]:
    for tile in r["tiles"]:
        w = next((a["writes"] for a in tile["args"] if "writes" in a), {"answer": "none", "at_most": []})
        v = w["at_most"]
        print(r["kernel"], "0w", w["answer"], v if len(v) < 4 else f"{len(v)} intervals")
E2
diff -u "$T/expect" "$T/got"
