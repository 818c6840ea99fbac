#!/bin/bash
# limit.sh - --limit: the log stays below its limit, holds the newest commands with all that they need, and says how many
# are gone; also of several threads, of a killed program, and of one that is still running.
# SECONDS: 15
. test/shim/common.sh
million=$B/test/bench/trace_million
record() { # record NAME PROGRAM...: $T/NAME.json.log, as the library writes it
    local name=$1; shift
    LD_PRELOAD="$shim" CLWEAVE_MODE=trace CLWEAVE_TOOL=1 CLWEAVE_OUT="$T/$name.json" "$@" > /dev/null 2> "$T/$name.err"
}
record whole "$million" 120000 || fail "recording"
CLWEAVE_LIMIT=4M record cut "$million" 120000 || fail "recording with a limit"
[ "$(stat -c %s "$T/whole.json.log")" -gt 4800000 ] || fail "the whole log is too small to show anything"
[ "$(stat -c %s "$T/cut.json.log")" -le 4194304 ] || fail "the log has $(stat -c %s "$T/cut.json.log") bytes"
for name in whole cut; do "$B/clweave" graph --footprints off "$T/$name.json.log" -o "$T/$name.json" || fail "$name"; done
cat > "$T/compared.py" << 'PY'
import json, sys
whole, cut = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("whole", "cut"))
left, dropped = len(cut["commands"]), cut["process"]["dropped_commands"]
assert left + dropped == len(whole["commands"]), (left, dropped, len(whole["commands"]))
assert left > 20000 and "dropped_commands" not in whole["process"]
for section in ("platforms", "devices", "contexts", "queues", "memory", "programs", "kernels"):
    assert len(whole[section]) == len(cut[section]), section
fields = ("type", "queue", "kernel", "global_size", "local_size", "args", "transfer", "reads", "writes", "blocking")
for a, b in zip(whole["commands"][dropped:], cut["commands"]):
    for c in (a, b):
        c.get("transfer", {}).pop("host_ptr", None) # a process has its memory elsewhere than another
    assert [a.get(f) for f in fields] == [b.get(f) for f in fields], (a, b)
# the graph of what is left is that part of the whole one, but for the order behind waits that are gone
edges = {(e["from"] - dropped, e["to"] - dropped, e["kind"], e.get("hazard")) for e in whole["edges"] if e["from"] >= dropped}
assert edges == {(e["from"], e["to"], e["kind"], e.get("hazard")) for e in cut["edges"]}
PY
python3 "$T/compared.py" "$T" || fail "what is left differs from the whole"
"$B/clweave" graph "$T/cut.json" > "$T/said" && grep -q "were dropped (--limit)" "$T/said" || fail "not said"
"$B/clweave" report "$T/cut.json" > "$T/said" && grep -q "dropped" "$T/said" || fail "not reported"

# killed, and read while it is written
$CC $flags -o "$T/forever" -x c - -lOpenCL << 'C'
#include <CL/cl.h>
int main(void)
{
    cl_platform_id p;
    cl_device_id d;
    clGetPlatformIDs(1, &p, NULL);
    clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL);
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueue(c, d, 0, NULL);
    for (int i = 0;; i++) {
        cl_mem m = i % 16 ? NULL : clCreateBuffer(c, CL_MEM_READ_WRITE, 64, NULL, NULL);
        clEnqueueMarker(q, NULL);
        if (m)
            clReleaseMemObject(m);
    }
}
C
CLWEAVE_LIMIT=8M record forever timeout -s KILL 3 "$T/forever" || true
[ "$(stat -c %s "$T/forever.json.log")" -le 8388608 ] || fail "killed: the log has $(stat -c %s "$T/forever.json.log") bytes"
"$B/clweave" graph "$T/forever.json.log" > "$T/said" || fail "killed: $(cat "$T/said")"
grep -q "descriptions of the program's objects alone take half" "$T/forever.err" || grep -q "were dropped" "$T/said" || fail "killed: $(cat "$T/said")"

# several threads, and a thread's definitions after a fork
pocl=$(cat "$vendors/pocl.icd" 2> /dev/null) || { echo "package pocl-opencl-icd"; exit 77; }
for app in threads fork_before; do
    OCL_ICD_VENDORS=$pocl CLWEAVE_LIMIT=4M record "$app-%p" "$B/test/apps/$app" || fail "$app: $(cat "$T/$app-%p.err")"
    for log in "$T/$app"-*.log; do "$B/clweave" graph "$log" -o "$T/x.json" || fail "$app: $log"; done
done
refused() { local status=0; "$B/clweave" "$@" -- touch "$T/touched" 2> "$T/err" || status=$?; [ $status = 2 ] && [ ! -e "$T/touched" ] || fail "$*: $(cat "$T/err")"; }
for size in 1M 0 x 5MB 1e99 -1 nan; do refused trace --limit $size -o "$T/t.json"; done
refused trace --limit 1G --capture-data -o "$T/t.json"
CLWEAVE_LIMIT=many record bad "$million" 10 || fail "a bad limit ended the program"
grep -q "CLWEAVE_LIMIT is .many.* there is no limit" "$T/bad.err" || fail "a bad limit: $(cat "$T/bad.err")"
