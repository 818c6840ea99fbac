#!/bin/bash
# compiled.sh - a trace has what the vendor's compiler made of a kernel, and said about a build that succeeded; the page
# shows both.
. test/shim/common.sh
pocl=$(cat "$vendors/pocl.icd" 2> /dev/null) || { echo "package pocl-opencl-icd"; exit 77; }
export OCL_ICD_VENDORS=$pocl
program compiled -lOpenCL
bytes=$("$T/compiled") || fail "bare: $bytes" # that PoCL says; 6.0 says 0
"$B/clweave" trace --device-times -o "$T/compiled.json" -- "$T/compiled" > "$T/out" 2> "$T/err" || fail "$(cat "$T/err")"
python3 - "$T/compiled.json" "$bytes" << 'PY' || fail "not what was compiled"
import json, sys
t = json.load(open(sys.argv[1]))
kernel, program = t["kernels"][0], t["programs"][0]
assert kernel["num_args"] == 2 and kernel.get("local_bytes", 0) == int(sys.argv[2]), kernel
assert kernel["max_work_group_size"] >= 64 and kernel["preferred_multiple"] > 0, kernel
assert "said by the source" in program["warnings"] and "build_log" not in program, program
PY
"$B/clweave" report --no-graph "$T/compiled.json" -o "$T/page.html" || fail "no page"
for word in '<h2>Compiled kernels</h2>' '<td class="n">'"$bytes B</td>" 'said by the source' '<h2>From the call to the end</h2>'; do
    grep -q -- "$word" "$T/page.html" || fail "the page lacks $word"
done
echo ok
