#!/bin/bash
# recorded.sh - what a program can ask for is the same with and without recording, whatever the options; what was asked
# for is in the trace (device times, contents that run again bit for bit). The vendor is not asked for binaries.
. test/shim/common.sh
program recorded -lOpenCL
export NULLCL_NO_BINARIES=1 # the null driver ends the process when it is asked for them
pocl=$(cat "$vendors/pocl.icd" 2> /dev/null) || pocl=
# with OPTION... on DRIVER: sets the trace's path in $json
with() {
    json=$T/trace.json
    rm -f "$json"*
    env "${@:2}" CLWEAVE_OUT="$json" CLWEAVE_MODE=trace LD_PRELOAD="$shim" "$T/recorded" "$T/counts" ${1:+"$1"} > "$T/out" 2> "$T/err" ||
        fail "${*:2}: exit status $?: $(cat "$T/err")"
    diff "$T/bare" "$T/out" > "$T/diff" || fail "${*:2}: $(cat "$T/diff")"
    [ ! -s "$T/err" ] || fail "${*:2}: $(cat "$T/err")"
    [ -s "$json" ] || fail "${*:2}: no trace"
}
times() { grep -c '"start_ns":[1-9]' "$json" || true; }
for alias in alias ''; do
    if [ -z "$alias" ]; then
        [ -n "$pocl" ] || { echo "PoCL not tried: package pocl-opencl-icd"; continue; }
        export OCL_ICD_VENDORS=$pocl
    fi
    rm -f "$T/counts"
    "$T/recorded" "$T/counts" ${alias:+"$alias"} > "$T/bare" || fail "bare: exit status $?"
    with "$alias" A=
    few=$(times)
    with "$alias" CLWEAVE_CALLSITES=8
    grep -q '"callsite":\["0x[0-9a-f]*","0x' "$json" || fail "CLWEAVE_CALLSITES=8: no stacks"
    with "$alias" CLWEAVE_CALLSITES=off
    ! grep -q '"callsite"' "$json" || fail "CLWEAVE_CALLSITES=off: there are some"
    with "$alias" CLWEAVE_NO_SOURCES=1
    ! grep -q get_global_id "$json" || fail "CLWEAVE_NO_SOURCES: source text in the trace"
    with "$alias" CLWEAVE_DEVICE_TIMES=1
    [ "$(times)" -gt $((few + 10)) ] || fail "CLWEAVE_DEVICE_TIMES: $(times) commands with times, $few without"
    with "$alias" CLWEAVE_DEVICE_TIMES=1 CLWEAVE_CAPTURE_DATA=1
    [ "$(times)" -gt $((few + 10)) ] || fail "with data: $(times) commands with times"
    [ "$(stat -c %a "$json.data")" = 600 ] || fail "others may read the data"
    grep -q '"host write"' "$json" || fail "a write behind OpenCL's back was missed"
done
[ -z "$pocl" ] || "$B/clweave" replay --execute --order random --repeat 3 "$json" > "$T/execute" 2>&1 || fail "$(cat "$T/execute")"
echo ok
