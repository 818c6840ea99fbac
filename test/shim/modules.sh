#!/bin/bash
# Programs made of SPIR-V modules in traces: the module is kept, with the values of its specialisation constants; the graph knows which
# bytes its kernels touch; it is made of the module again. Without the module, or without llvm-spirv, such a launch may touch all.
set -u
[ -x "$B/clweave-footprint" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
version=$(ldd "$B/clweave-footprint" | sed -n 's/.*libLLVM[^0-9]*\([0-9]*\).*/\1/p' | head -n 1)
export OCL_ICD_VENDORS=$B/test/libnullcl.so NULLCL_NO_EXTENSIONS=1 XDG_CACHE_HOME=$T/cache
program=$B/test/runmode/modules bad=0
fail() { echo "FAIL: $*"; bad=1; }
"$program" > "$T/bare" || { fail "bare: $?"; exit 1; }
"$B/clweave" trace --capture-data -o "$T/all.json" -- "$program" > "$T/out" 2> "$T/err" || fail "trace: $(cat "$T/err")"
cmp -s "$T/bare" "$T/out" || fail "other output under trace"
"$B/clweave" graph "$T/all.json" -o "$T/graph.json" 2> "$T/err" || fail "graph: $(cat "$T/err")"

if command -v "llvm-spirv-$version" > /dev/null; then
    python3 - "$T/graph.json" <<'END' || fail "the graph does not know the kernels' bytes"
import json, sys
t = json.load(open(sys.argv[1]))
kernels = [k for k in t["commands"] if k["type"].endswith("NDRANGE_KERNEL")]
assert len(kernels) == 4 * 61, len(kernels)
assert not any(k.get("unknown_access") for k in kernels)
blend = [k for k in kernels if len(k["args"]) == 3 and k["global_size"] == [4096]]
assert all(k["writes"] == [{"memory": k["args"][0]["memory"], "offset": 0, "bytes": 16384, "sure": True}] for k in blend), blend[0]
fill = [k["writes"] for k in kernels if len(k["args"]) == 1]
hull = [(w[0]["offset"], w[-1]["offset"] + w[-1]["bytes"]) for w in fill]
assert hull == [(0, 16384), (0, 16384), (4, 32768), (0, 16384)], fill
one = [k["id"] for k in blend[:36]]
data = {(e["from"], e["to"]) for e in t["edges"] if e["kind"] == "data"}
assert (one[2], one[8]) in data and (one[2], one[5]) not in data, "chains depend on each other"
END
else
    echo "no llvm-spirv-$version: the graph's knowledge is not compared"
fi

# made of the module again, by the vendor's function for modules, with the constants in it
NULLCL_LOG=$T/log "$B/clweave" replay "$T/all.json" --execute > "$T/out" 2>&1 || fail "replay --execute: $(tail -n 3 "$T/out")"
[ "$(grep -c '^clCreateProgramWithIL ' "$T/log")" = 4 ] || fail "made of modules: $(grep -c '^clCreateProgramWithIL ' "$T/log") of 4"

# as a file, which may be changed and given in its place
"$B/clweave" trace --set dump_programs="$T/dump" -o "$T/dump.json" -- "$program" > /dev/null 2>&1 || fail "dump_programs"
spv=$(ls "$T/dump"/*.spv 2> /dev/null)
[ "$(wc -w <<< "$spv")" = 1 ] && cmp -s "$spv" <(python3 -c '
import re, struct, sys
sys.stdout.buffer.write(b"".join(struct.pack("<I", int(w, 16)) for w in re.findall("0x[0-9a-f]{8}", open(sys.argv[1]).read())))' \
    test/runmode/module.inc) || fail "the dump has not the module: $spv"
mkdir "$T/inject"
python3 - "$spv" "$T/inject/${spv##*/}" <<'END' # another default of VALUE
import struct, sys
m = open(sys.argv[1], "rb").read()
w = list(struct.unpack(f"<{len(m) // 4}I", m))
at = 5
while not (w[at] & 0xffff == 50 and w[at + 3] == 5):
    at += w[at] >> 16
w[at + 3] = 6
open(sys.argv[2], "wb").write(struct.pack(f"<{len(w)}I", *w))
END
"$B/clweave" trace --set inject="$T/inject" -o "$T/injected.json" -- "$program" > /dev/null 2>&1 || fail "inject"
[ "$(grep -c '"injected_for":"0x'"$(basename "$spv" .spv)" "$T/injected.json")" = 4 ] || fail "not injected: $(grep -o '"injected_for[^,]*' "$T/injected.json")"

# nothing of the module is kept on request, and nothing is known where llvm-spirv is missing
record() { PATH=/nonexistent XDG_CACHE_HOME=$T/empty "$B/clweave" trace "$@" -- "$program" > /dev/null 2> "$T/err" || fail "trace: $(cat "$T/err")"; }
record -o "$T/unknown.json"
record --set no_sources=1 -o "$T/none.json"
grep -q '//bytes' "$T/none.json" && fail "a module is kept with no_sources"
for without in unknown none; do
    python3 - "$T/$without.json" <<'END' || fail "what is known of kernels whose module is not: $without"
import json, sys
t = json.load(open(sys.argv[1]))
kernels = [k for k in t["commands"] if k["type"].endswith("NDRANGE_KERNEL")]
assert all({w["memory"] for w in k["writes"]} >= {a["memory"] for a in k["args"] if "memory" in a} for k in kernels)
END
done
exit $bad
