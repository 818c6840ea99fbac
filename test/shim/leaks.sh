#!/bin/bash
# leaks.sh - a trace says which objects the program had not released at its end, how many events it did not use, and
# which objects it used behind their release; reports name them on their first screen.
. test/shim/common.sh
pocl=$(cat "$vendors/pocl.icd" 2> /dev/null) || { echo "package pocl-opencl-icd"; exit 77; }
export OCL_ICD_VENDORS=$pocl
program leaks -lOpenCL
objcopy --remove-section=.debug_aranges "$T/leaks" # which clang leaves out
"$T/leaks" > "$T/own" || fail "bare: exit status $?"

cat > "$T/counted.py" << 'PY'
import json, sys
t = json.load(open(sys.argv[1]))
p, memory = t["process"], t["memory"]
rows = [(kind[:-1], t[kind]) for kind in ("contexts", "queues")] + [("buffer", memory)] + \
       [(kind[:-1], t[kind]) for kind in ("programs", "kernels")]
for name, list in rows:
    print(name, len(list), sum(o.get("kept", False) for o in list))
print("event", sum(c.get("has_event", False) for c in t["commands"]), sum(c.get("event_kept", False) for c in t["commands"]))
print("user event", p["user_events"], p["user_events_kept"])
print("unused", p["unused_events"])
assert p["events_kept"] == sum(c.get("event_kept", False) for c in t["commands"])
assert [c["id"] for c in t["commands"] if c.get("event_kept")] == [c["id"] for c in t["commands"] if c.get("has_event")][7:]
PY
for mode in trace run; do
    "$B/clweave" $mode -o "$T/$mode.json" -- "$T/leaks" > "$T/out" 2> "$T/err" || fail "$mode: $(cat "$T/err")"
    python3 "$T/counted.py" "$T/$mode.json" | diff "$T/own" - > "$T/diff" || fail "$mode: other counts (< the program's): $(cat "$T/diff")"
done
# without the tool the library converts at exit
CLWEAVE_MODE=trace CLWEAVE_OUT="$T/alone.json" LD_PRELOAD="$shim" "$T/leaks" > /dev/null || fail "without the tool"
python3 "$T/counted.py" "$T/alone.json" | diff "$T/own" - > "$T/diff" || fail "without the tool: $(cat "$T/diff")"
PATH=$PATH:/sbin ldconfig -p | grep -q libdw.so.1 && at=leaks.c: || at=launch+0x
"$B/clweave" report "$T/trace.json" | head -45 | tr '\n' ' ' | sed 's/  */ /g' > "$T/screen"
for word in 'kept 1 of 1 context, 3 of 5 buffers (2.9 KiB), 1 of 1 program, 2 of 3 kernels, 5 of 12 events, 2 of 3 user events' \
    'Objects are never released' 'The places that leak most: context [a-z]' 'kernel [^ ]*, event' \
    ", event $at" 'neither waited for 9 of them'; do
    grep -q -- "$word" "$T/screen" || fail "the report does not say: $word; $(cat "$T/screen")"
done
! grep -q 'used after' "$T/screen" || fail "nothing was used behind its release: $(cat "$T/screen")"

"$B/clweave" trace -o "$T/used.json" -- "$T/leaks" used > "$T/out" 2> "$T/err" || fail "used: $(cat "$T/err")"
python3 - "$T/used.json" << 'PY' || fail "uses of released objects"
import json, sys
t = json.load(open(sys.argv[1]))
kinds = {}
for s in t["stale"]:
    kind, = [k for k in ("memory", "kernel", "program", "event", "queue", "context", "sampler") if k in s]
    assert kind not in kinds, s
    kinds[kind] = s
assert sorted(kinds) == ["event", "kernel", "memory", "program"], kinds
type_of = lambda kind: t["commands"][kinds[kind]["command"]]["type"]
assert type_of("memory") == type_of("kernel") == "CL_COMMAND_NDRANGE_KERNEL" and type_of("event") == "CL_COMMAND_MARKER", kinds
assert t["memory"][kinds["memory"]["memory"]]["size"] == 4096 and kinds["program"]["call"] == "clCreateKernel", kinds
assert t["commands"][kinds["event"]["event"]]["type"] == "CL_COMMAND_NDRANGE_KERNEL", kinds
code = [(int(m["start"], 16), int(m["end"], 16)) for m in t["modules"] if m["path"].endswith("/leaks")]
places = [int(s["released"][0], 16) for s in kinds.values()] + [int(kinds["program"]["callsite"][0], 16)]
assert all(any(a <= p < b for a, b in code) for p in places), (kinds, code)
PY
"$B/clweave" report "$T/used.json" | head -40 | tr '\n' ' ' | sed 's/  */ /g' > "$T/screen"
grep -qE 'used after their release.*(program 0 by clCreateKernel at [a-z].*, released at [a-z].*|event of #).*' "$T/screen" || fail "the report does not name uses: $(cat "$T/screen")"
echo ok
