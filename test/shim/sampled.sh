#!/bin/bash
# sampled.sh - device times of some commands: which ones, what the vendor is asked for them, what a report makes of them.
# The null driver says what it was asked, and lets kernels take unequal times by its own clock.
. test/shim/common.sh
program sampled -lOpenCL
export NULLCL_UNEVEN=1 NULLCL_KERNEL_NS=100000

# traced NAME OPTION...: $T/NAME.json, and the driver's log of the calls in $T/NAME.calls
traced() {
    local name=$1; shift
    NULLCL_LOG=$T/$name.calls "$B/clweave" trace "$@" -o "$T/$name.json" -- "$T/sampled" 400 ${profiled:-} > "$T/out" 2> "$T/err" || fail "$name: $(cat "$T/err")"
    [ "$(cat "$T/out")" = 0 ] || fail "$name: the program's own result: $(cat "$T/out")"
}
# of NAME: questions for a time, commands that were enqueued with an event, commands with a time in the trace
questions() { grep -c '^clGetEventProfilingInfo ' "$T/$1.calls" || true; }
events() { grep '^clEnqueue' "$T/$1.calls" | grep -vc ' 0$' || true; }
timed() { grep -c '"end_ns":[1-9][0-9]*.*"queue"\|"queue".*"end_ns":[1-9]' "$T/$1.json" || true; }
all=$((400 * 16))

traced none
[ "$(questions none) $(events none)" = "0 0" ] || fail "without --device-times: $(questions none) questions, $(events none) events"
traced full --device-times
[ "$(events full)" = $all ] || fail "--device-times: $(events full) events for $all commands"
# START and END; QUEUED and SUBMIT of the first 64 and of one in 64
most=$((2 * all + 2 * (64 + all / 64 + 12)))
[ "$(questions full)" -ge $((2 * all)) ] && [ "$(questions full)" -le $most ] || fail "--device-times: $(questions full) questions for $all commands, not $most"
[ "$(grep -c '^clGetEventInfo ' "$T/full.calls" || true)" = 0 ] || fail "--device-times: asks for states of commands that are complete"
traced whole --device-times=all
[ "$(questions whole)" = $((4 * all)) ] || fail "--device-times=all: $(questions whole) questions for $all commands"
for n in 16 256; do
    traced every$n --device-times=every:$n
    expected=$((all / n))
    [ "$(events every$n)" -gt $((expected * 2 / 3)) ] && [ "$(events every$n)" -lt $((expected * 3 / 2)) ] || fail "every:$n: $(events every$n) events for $all commands"
    [ "$(questions every$n)" -le $((4 * $(events every$n))) ] || fail "every:$n: $(questions every$n) questions"
    grep -q "\"times_every\":$n" "$T/every$n.json" || fail "every:$n: the trace does not say so"
done
# an event of the program's own is asked for its time only if its command is drawn
profiled=profiled traced own --device-times=every:16
[ "$(questions own)" -le $((4 * all / 10)) ] || fail "a program's events: $(questions own) questions"

# the report's estimates against the times of all commands, which the driver gives again
"$B/clweave" graph --json "$T/full.json" > "$T/full.sums" || fail "no sums"
"$B/clweave" report "$T/every16.json" > "$T/report" || fail "no report"
"$B/clweave" report "$T/every16.json" -o "$T/report.html" && grep -q '95 % interval' "$T/report.html" || fail "the page has no estimates"
python3 - "$T/full.sums" "$T/report" <<'PY' || fail "$(cat "$T/report")"
import json, re, sys
unit = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
full = {}
for row in json.load(open(sys.argv[1]))["commands"]:
    name = row.get("kernel") or row["type"].replace("CL_COMMAND_", "")
    full[name] = full.get(name, 0) + row["device_ns"]
rows = re.findall(r"^(\w+(?: of these)?)(?:, blocking)? +(\d+) +(\d+)  ([\d.]+) (\w+) \+- ([\d.]+) (\w+)", open(sys.argv[2]).read(), re.M)
outside, total = [], None
for name, commands, timed, ns, u, half, v in rows:
    ns, half = float(ns) * unit[u], float(half) * unit[v]
    truth = sum(full.values()) if name == "all of these" else full[name]
    rounding = .006 * ns
    if name == "all of these":
        total = abs(ns - truth) <= 2 * half + rounding
    elif abs(ns - truth) > half + rounding:
        outside.append((name, ns, half, truth))
kernels = [r for r in rows if r[0].startswith("k")]
print(len(kernels), outside, total)
if len(kernels) != 12 or len(outside) > 3 or not total or min(int(r[2]) for r in kernels) < 5:
    sys.exit("estimates: %d kernels; outside: %s; the sum: %s" % (len(kernels), outside, total))
PY
# all other readers take a command without a time for what it is
"$B/clweave" report "$T/every16.json" | grep -q 'is idle' && fail "a device is idle because few of its commands have times"
grep -q 'Few commands have device times, drawn by lot' "$T/report" || fail "the report does not say which commands have times"
grep -q 'device times of few commands' "$T/report" || fail "the report's phases are of the few commands with times"
"$B/clweave" graph "$T/every16.json" | grep -q 'of one command in 16' || fail "the graph does not say that times are of few commands"
"$B/clweave" diff "$T/full.json" "$T/every16.json" --json > "$T/diff" || fail "no diff"
python3 - "$T/diff" <<'PY' || fail "diff: sums of few commands beside those of all"
import json, sys
for row in json.load(open(sys.argv[1]))["commands"]:
    a, b = row["a"], row["b"]
    if row["name"].startswith("k") and not .5 < b["total_ns"] / a["total_ns"] < 2:
        sys.exit(str(row))
PY
"$B/clweave" timeline "$T/every16.json" -o "$T/timeline.json" 2> "$T/err" && grep -q 'one command in 16' "$T/err" || fail "timeline: $(cat "$T/err")"
grep -q '"ph":"C"' "$T/timeline.json" && fail "timeline: counters of the few commands with times"
"$B/clweave" replay "$T/every16.json" -p heft --check > "$T/plan" || fail "replay: $(cat "$T/plan")"

# processor time is beside wall time
grep -q '^processor .* of all threads' "$T/report" || fail "report: no processor time"
"$B/clweave" diff "$T/full.json" "$T/every16.json" | grep -q '^processor ' || fail "diff: no processor time"

# what it cannot be is said before the program runs
for bad in every:0 every:x every: every:-1 every:1.5 every:1000001 every maybe ""; do
    "$B/clweave" trace --device-times="$bad" -o "$T/bad.json" -- touch "$T/ran" 2> "$T/err" && fail "--device-times=$bad is taken"
    grep -q -- "--device-times: '$bad' is not on, off, all or every:N with N from 1 to 1000000" "$T/err" && [ ! -e "$T/ran" ] || fail "--device-times=$bad: $(cat "$T/err")"
done
LD_PRELOAD=$shim CLWEAVE_MODE=trace CLWEAVE_DEVICE_TIMES=every:0 CLWEAVE_OUT=$T/bad.json "$T/sampled" 1 > "$T/out" 2> "$T/err"
grep -q 'CLWEAVE_DEVICE_TIMES is "every:0"' "$T/err" && [ "$(cat "$T/out")" = 0 ] || fail "without the tool: $(cat "$T/err")"
echo ok
