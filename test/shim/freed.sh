#!/bin/bash
# freed.sh - a trace says from when to when shared virtual memory was there and which bytes of it commands touch; reports say what
# was never freed, and what kernels got behind its end.
. test/shim/common.sh
pocl=$(cat "$vendors/pocl.icd" 2> /dev/null) || { echo "package pocl-opencl-icd"; exit 77; }
export OCL_ICD_VENDORS=$pocl
program freed -lOpenCL
"$B/clweave" trace -o "$T/freed.json" -- "$T/freed" > "$T/out" 2> "$T/err" || fail "exit status $?: $(cat "$T/err")"
"$B/clweave" graph --footprints on "$T/freed.json" -o "$T/graph.json" 2> "$T/err" || fail "graph: $(cat "$T/err")"
python3 - "$T/freed.json" "$T/graph.json" << 'PY' || fail "the trace"
import json, sys
t, g = (json.load(open(name)) for name in sys.argv[1:])
stays, goes, next = t["memory"]
launches = [c["id"] for c in t["commands"] if c["type"] == "CL_COMMAND_NDRANGE_KERNEL"]
assert [m["kind"] for m in t["memory"]] == ["svm"] * 3 and [m["size"] for m in t["memory"]] == [8192, 4096, 4096], t["memory"]
assert stays.get("kept") and not goes.get("kept") and not next.get("kept"), t["memory"]
assert launches[1] < goes["released"] <= launches[2] < next["made"] <= launches[3] < next["released"], (launches, t["memory"])
stale, = t["stale"]
assert stale["memory"] == goes["id"] and stale["command"] == launches[2] and stale["released"], stale
command = {c["id"]: c for c in g["commands"]}
touched = lambda i: [(a["memory"], a["offset"], a["bytes"]) for a in command[launches[i]]["writes"]]
assert touched(0) == [(stays["id"], 4096, 1024)] and touched(1) == [(goes["id"], 0, 1024)], (touched(0), touched(1))
assert touched(3) == [(next["id"], 0, 64)], touched(3)
unknown = lambda of: [bool(of[i].get("unknown_access")) for i in launches]
# the program has named memory that the kernel may reach through pointers; the kernel's model shows that it reaches none so
assert unknown(command) == [False, False, True, False], unknown(command)
PY
"$B/clweave" report "$T/freed.json" | head -45 | tr '\n' ' ' | sed 's/  */ /g' > "$T/screen"
for word in 'kept .*1 of 3 .*SVM allocation' 'used after their release'; do
    grep -qE -- "$word" "$T/screen" || fail "the report does not say: $word; $(cat "$T/screen")"
done
echo ok
