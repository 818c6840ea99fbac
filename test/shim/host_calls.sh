#!/bin/bash
# host_calls.sh - calls in traces: with --calls as many of each function as the program made, and as reached a second
# library that hooks everything; without it the slow ones and those that failed. Reports name each planted fault.
. test/shim/common.sh
pocl=$(cat "$vendors/pocl.icd" 2> /dev/null) || { echo "package pocl-opencl-icd"; exit 77; }
export OCL_ICD_VENDORS=$pocl
program host_calls -lOpenCL # with debug information
build_count
"$T/host_calls" > "$T/own" 2> /dev/null || fail "bare: exit status $?"

# counted JSON: "function calls failed" for all functions, from the trace alone
cat > "$T/counted.py" << 'PY'
import collections, json, sys
t = json.load(open(sys.argv[1]))
calls, failed = collections.Counter(), collections.Counter()
words = {"NDRANGE": "NDRange", "SVM": "SVM", "MEMFILL": "MemFill", "MEMCPY": "Memcpy"}
def function(kind):
    if kind.startswith("CL_COMMAND_"):
        return "clEnqueue" + "".join(words.get(w, w.capitalize()) for w in kind[11:].split("_"))
    return kind
for c in t["commands"]:
    if c["type"] in ("clGetEventInfo", "host write") or not c.get("call_begin_ns"):
        continue
    calls[function(c["type"])] += 1
    failed[function(c["type"])] += c.get("status", 0) != 0
for c in t.get("calls", []):
    calls[c["name"]] += 1
    failed[c["name"]] += c.get("status", 0) != 0
    assert c["end_ns"] >= c["begin_ns"] > 0 and c.get("thread", 0) >= 0
for name in sorted(calls):
    print(name, calls[name], failed[name])
PY
for mode in trace run; do
    "$B/clweave" $mode --calls -o "$T/$mode.json" -- "$T/host_calls" > "$T/out" 2> "$T/err" || fail "$mode: $(cat "$T/err")"
    diff "$T/own" "$T/out" > "$T/diff" || fail "$mode: other results: $(cat "$T/diff")"
    python3 "$T/counted.py" "$T/$mode.json" > "$T/counted" || fail "$mode: the trace's calls make no sense"
    diff <(sort "$T/own") <(sort "$T/counted") > "$T/diff" || fail "$mode --calls: other counts (< the program's): $(cat "$T/diff")"
    grep -q '"all_calls":true' "$T/$mode.json" || fail "$mode: all_calls"
done

# without --calls: the same for functions that may take long, of the others what failed
"$B/clweave" trace -o "$T/few.json" -- "$T/host_calls" > /dev/null 2> "$T/err" || fail "$(cat "$T/err")"
python3 "$T/counted.py" "$T/few.json" > "$T/counted"
grep -E '^cl(Create|Build|GetPlatformIDs|GetDeviceIDs|Enqueue|Finish|WaitFor)' "$T/own" | sort > "$T/slow"
diff "$T/slow" <(grep -Ff <(cut -d' ' -f1 "$T/slow" | sed 's/$/ /') "$T/counted" | sort) || fail "without --calls: slow functions"
grep -qx 'clSetKernelArg 1 1' "$T/counted" || fail "without --calls: $(grep clSetKernelArg "$T/counted")"
! grep -E 'clGetDeviceInfo|clRetainEvent|clReleaseEvent' "$T/counted" || fail "without --calls: hot calls are recorded"
python3 - "$T/few.json" << 'PY' || fail "what is known of a call that failed"
import json, sys
t = json.load(open(sys.argv[1]))
arg, = [c for c in t["calls"] if c["name"] == "clSetKernelArg"]
assert arg["status"] == -51 and arg["argument"] == 1 and t["kernels"][arg["kernel"]]["name"] == "k7", arg
builds = [c for c in t["calls"] if c["name"] == "clBuildProgram"]
assert [c.get("status", 0) for c in builds] == [0, -11], builds
assert "no_such_name" in t["programs"][builds[1]["program"]]["build_log"]
assert "build_log" not in t["programs"][builds[0]["program"]]
PY

# the first screen. Without libdw the function is named, so only that it is there
line=$(grep -n 'clSetKernelArg, kernel, 1, 2' test/shim/host_calls.c | cut -d: -f1)
PATH=$PATH:/sbin ldconfig -p | grep -q libdw.so.1 && at="host_calls.c:$line" || at=' at [A-Za-z0-9_]*+0x'
"$B/clweave" report "$T/few.json" | head -50 > "$T/screen"
for word in 'clSetKernelArg 1 x' 'CL_INVALID_ARG_SIZE' 'argument 1 of kernel k7' "$at" 'CL_INVALID_KERNEL_NAME' 'CL_INVALID_BUFFER_SIZE' \
    'A program was not built' 'no_such_name' 'Building programs takes' 'build [1-9][0-9] %' '^clBuildProgram  *2  *1 '; do
    tr '\n' ' ' < "$T/screen" | sed 's/  */ /g' > "$T/line"
    grep -qE -- "$word" "$T/screen" || grep -qE -- "$word" "$T/line" || fail "the report does not say: $word; $(cat "$T/screen")"
done
"$B/clweave" timeline "$T/few.json" -o "$T/timeline.json" 2> /dev/null || fail "timeline"
python3 - "$T/timeline.json" << 'PY' || fail "the timeline's calls"
import json, sys
e = json.load(open(sys.argv[1]))["traceEvents"]
build = [x for x in e if x["name"] == "clBuildProgram"]
assert len(build) == 2 and all(x["ph"] == "X" and x["cat"] == "call" and x["pid"] == 1 for x in build), build
assert [x["args"].get("error") for x in build] == [None, "CL_BUILD_PROGRAM_FAILURE"], build
bad, = [x for x in e if x["name"] == "clSetKernelArg"]
assert bad["ph"] == "i" and bad["args"]["kernel"] == "k7" and bad["args"]["argument"] == 1, bad
PY

# a library that hooks everything counts the calls of other programs; markers and barriers have several functions
for app in userevents_maps images threads; do
    rm -f "$T/count"
    CLWEAVE_MODE=trace COUNT_LOG="$T/count" LD_PRELOAD="$count" "$B/test/apps/$app" > /dev/null || fail "$app, counted"
    "$B/clweave" trace --calls -o "$T/app.json" -- "$B/test/apps/$app" > /dev/null 2> "$T/err" || fail "$app: $(cat "$T/err")"
    # not the questions for extensions; a wait may be polled more often in one run than in the other
    same() { sed -E 's/^clEnqueue(Marker|Barrier)[A-Za-z]*/clEnqueue\1/' | grep -vE '^(clGetExtension|clGetEventInfo)' | sort | uniq -c; }
    python3 "$T/counted.py" "$T/app.json" | awk '{ for (i = 0; i < $2; i++) print $1 }' | same > "$T/traced"
    cut -d' ' -f1 "$T/count" | same | diff - "$T/traced" > "$T/diff" || fail "$app: other counts (> in the trace): $(cat "$T/diff")"
done

# in a child that was forked within a call, that call's record is nobody's
program fork_in_callback -lOpenCL
"$B/clweave" trace --calls -o "$T/forked.json" -- "$T/fork_in_callback" > /dev/null 2> "$T/err" || fail "a fork within a call: $(cat "$T/err")"
echo ok
