#!/bin/bash
# io_fail.sh - whichever call about files fails, the program does not notice: same output, same status; and either the trace
# is whole or a message says that it is not. A call that does half of what it is asked to do costs nothing.
# EVERY=N: every N-th call.
# SLOW: EVERY=1
# SECONDS: 10
. test/shim/common.sh
$CC $flags -fPIC -shared -o "$T/libfail.so" test/shim/fail_io.c -ldl
program killed -DCL_TARGET_OPENCL_VERSION=300 -lOpenCL
program killed_check "$B/libcwanalyzer.a" "$B/libcwsched.a" -ljansson -lm
program recorded -lOpenCL
counters=$T/counters
export CLWEAVE_OUT=$T/t/trace.json FAIL_IO_COUNT=$T/calls XDG_CACHE_HOME=$T/cache
tried=0 told=0

# once HOW N PROGRAM... runs it with call N failing; $status, $T/out, $T/err
once() {
    status=0
    rm -rf "$T/t" "$T/cache" "$counters"; mkdir -p "$T/t" "$T/cache"
    timeout 240 env FAIL_IO_HOW=$1 FAIL_IO=$2 LD_PRELOAD="$shim $T/libfail.so" "${@:3}" > "$T/out" 2> "$T/err" || status=$?
}

# whole PROGRAM...: the trace, or the log that was kept, has every call
whole() {
    local trace=$CLWEAVE_OUT
    [ -e "$trace" ] || trace=$trace.log
    if [ "$1" = "$T/killed" ]; then "$T/killed_check" "$counters" "$trace" > "$T/check" 2>&1; else [ -s "$trace" ]; fi
}

# every HOW LEAST PROGRAM...: all calls in turn, of which there must be LEAST
every() {
    local how=$1 least=$2 n total; shift 2
    once $how 0 "$@"
    [ $status = 0 ] && [ ! -s "$T/err" ] || fail "$*: status $status: $(cat "$T/err")"
    cp "$T/out" "$T/expected"
    total=$(cat "$T/calls")
    [ "$total" -ge "$least" ] || fail "$*: only $total calls seen: nothing is tested"
    for ((n = 1; n <= total; n += ${EVERY:-3})); do
        once $how $n "$@"
        tried=$((tried + 1))
        [ $status = 0 ] || fail "$how, call $n of $*: status $status: $(cat "$T/err")"
        cmp -s "$T/out" "$T/expected" || fail "$how, call $n of $*: output differs"
        if [ ! -s "$T/err" ]; then
            [ $CLWEAVE_MODE = run ] || whole "$@" || fail "$how, call $n of $*: no whole trace and no word: $(cat "$T/check")"
        elif [ $how = short ] || ! grep -q '^clweave\[' "$T/err" || [ "$(wc -l < "$T/err")" -gt 2 ]; then
            fail "$how, call $n of $*: $(cat "$T/err")"
        else
            told=$((told + 1))
        fi
        [ -z "$(find "$T/t" "$T/cache" -name '*.tmp' -o -name '????????????????.*')" ] || [ $how != short ] ||
            fail "$how, call $n of $*: left behind: $(ls "$T/t")"
    done
}

export CLWEAVE_MODE=trace
for how in EIO ENOSPC; do every $how 30 "$T/killed" return "$counters" 20; done
every short 3 "$T/killed" return "$counters" 20
export CLWEAVE_CAPTURE_DATA=1
every EIO 60 "$T/recorded" "$T/recorded_counts"
every short 10 "$T/recorded" "$T/recorded_counts"
unset CLWEAVE_CAPTURE_DATA CLWEAVE_OUT
export CLWEAVE_MODE=run
every EIO 5 "$T/recorded" "$T/recorded_counts"
echo "$tried calls failed, a message told of $told"
[ $told -gt 0 ] || fail "no failure ever mattered"
