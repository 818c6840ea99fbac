#!/bin/bash
# alloc_fail.sh - whichever memory request of the library fails, the program does not notice: same output, same status;
# and either the trace is whole or a message says that it is not. EVERY=N: every N-th request.
# SLOW: EVERY=1
# SECONDS: 20
. test/shim/common.sh
$CC $flags -fPIC -shared -o "$T/libfail.so" test/shim/fail_alloc.c
program killed -DCL_TARGET_OPENCL_VERSION=300 -lOpenCL
program killed_check "$B/libcwanalyzer.a" "$B/libcwsched.a" -ljansson -lm
counters=$T/counters
export CLWEAVE_MODE=trace CLWEAVE_OUT=$T/t/trace.json FAIL_ALLOC_COUNT=$T/requests
tried=0 whole=0

# once N PROGRAM... runs it with request N failing; $status, $T/out, $T/err
once() {
    status=0
    rm -rf "$T/t" "$counters"; mkdir -p "$T/t"
    FAIL_ALLOC=$1 LD_PRELOAD="$shim $T/libfail.so" "${@:2}" > "$T/out" 2> "$T/err" || status=$?
}

# every PROGRAM...: all requests in turn
every() {
    local n total expected
    once 0 "$@"
    [ $status = 0 ] && [ ! -s "$T/err" ] || fail "$*: status $status: $(cat "$T/err")"
    cp "$T/out" "$T/expected"
    total=$(cat "$T/requests")
    [ "$total" -gt 40 ] || fail "$*: only $total requests seen: nothing is tested"
    for ((n = 1; n <= total; n += ${EVERY:-3})); do
        once $n "$@"
        tried=$((tried + 1))
        [ $status = 0 ] || fail "request $n of $*: status $status: $(cat "$T/err")"
        cmp -s "$T/out" "$T/expected" || fail "request $n of $*: output differs"
        if [ ! -s "$T/err" ] && [ "$1" = "$T/killed" ]; then
            "$T/killed_check" "$counters" "$T/t/trace.json" > "$T/check" || fail "request $n: $(cat "$T/check")"
            whole=$((whole + 1))
        elif [ ! -s "$T/err" ]; then
            [ -s "$T/t/trace.json" ] || fail "request $n of $*: no trace and no word"
            whole=$((whole + 1))
        elif ! grep -q '^clweave\[' "$T/err"; then
            fail "request $n of $*: $(cat "$T/err")"
        fi
        grep -q . "$T/err" && [ "$(wc -l < "$T/err")" -gt 3 ] && fail "request $n of $*: many messages: $(cat "$T/err")"
    done
    return 0
}

every "$T/killed" return "$counters" 20
program recorded -lOpenCL
export CLWEAVE_CAPTURE_DATA=1 CLWEAVE_DEVICE_TIMES=1
every "$T/recorded" "$T/recorded_counts"
every "$T/recorded" "$T/recorded_counts" alias
echo "$tried requests refused, the trace was whole in $whole runs"
[ $tried -gt $whole ] || fail "no refusal ever mattered"
