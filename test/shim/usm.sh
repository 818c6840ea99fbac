#!/bin/bash
# usm.sh - allocations of cl_intel_unified_shared_memory in traces: sizes, lifetimes, and which of them kernels touch.
. test/shim/common.sh
program usm -lOpenCL
OCL_ICD_VENDORS=$driver "$B/clweave" trace -o "$T/usm.json" -- "$T/usm" > "$T/out" 2> "$T/err" || fail "exit status $?: $(cat "$T/err")"
grep -qx ok "$T/out" || fail "$(cat "$T/out")"
python3 - "$T/usm.json" << 'PY' || fail "the trace"
import json, sys
t = json.load(open(sys.argv[1]))
assert [(m["kind"], m["size"], m.get("kept", False)) for m in t["memory"]] == \
    [("svm", 256, False), ("svm", 512, False), ("svm", 1024, True)], t["memory"]
host, own, shared = (m["id"] for m in t["memory"])
launches = [c for c in t["commands"] if c["type"] == "CL_COMMAND_NDRANGE_KERNEL"]
touched = [({a["memory"] for a in c["reads"]}, {a["memory"] for a in c["writes"]}) for c in launches]
assert [(host in r, own in w) for r, w in touched[:1]] == [(True, True)] and shared not in touched[0][0] | touched[0][1], touched
assert own in touched[1][0] and shared in touched[1][1] and host not in touched[1][0] | touched[1][1], touched
assert not any(c.get("unknown_access") for c in launches), launches
PY
echo ok
