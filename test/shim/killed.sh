#!/bin/bash
# killed.sh - however a process ends, its trace holds every call that had returned, and there is one trace per process.
# The null driver makes the calls cheap; killed.c counts them in memory of its own.
. test/shim/common.sh
program killed -DCL_TARGET_OPENCL_VERSION=300 -lOpenCL
program killed_check "$B/libcwanalyzer.a" "$B/libcwsched.a" -ljansson -lm
export CLWEAVE_MODE=trace
counters=$T/counters

# trace NAME HOW COUNT [LIMIT]: runs killed below the library; files go to $T/NAME/; the exit status is in $status.
trace() {
    local name=$1
    mkdir -p "$T/$name"
    rm -f "$counters"
    status=0
    CLWEAVE_OUT=${out:-$T/$name/trace.json} LD_PRELOAD=$shim "$T/killed" "$2" "$counters" "${@:3}" 2> "$T/$name/stderr" || status=$?
}
# expect STATUS
expect() { [ $status = "$1" ] || fail "$name: exit status $status, expected $1: $(cat "$T/$name/stderr")"; }
check() { "$T/killed_check" "$@" || fail "$name: calls were lost"; }

# the library alone converts at an orderly end, and takes the log away
for name in return exit quick_exit; do
    trace "$name" "$name" 3000; expect 0
    check "$counters" "$T/$name/trace.json"
    [ ! -e "$T/$name/trace.json.log" ] || fail "$name: the log was left behind"
    [ "$(stat -c %a "$T/$name/trace.json")" = 600 ] || fail "$name: others may read the trace"
    [ ! -s "$T/$name/stderr" ] || fail "$name: $(cat "$T/$name/stderr")"
done
# else the log stays, and is as good
for how in _exit:0 abort:134 sigterm:143; do
    name=${how%:*}
    trace "$name" "$name" 3000; expect "${how#*:}"
    check "$counters" "$T/$name/trace.json.log"
    [ "$(stat -c %a "$T/$name/trace.json.log")" = 600 ] || fail "$name: others may read the log"
    [ ! -e "$T/$name/trace.json" ] || fail "$name: somebody converted"
done
# a moment nobody chose; in the last four runs the kernel makes the stores (shim/trace/log_guard.h)
for name in kill{1..12}; do
    mkdir -p "$T/$name"; rm -f "$counters"
    (
        [ "${name#kill}" -le 8 ] || trap '' BUS
        CLWEAVE_OUT=$T/$name/trace.json LD_PRELOAD=$shim exec "$T/killed" forever "$counters" 0 2> "$T/$name/stderr"
    ) &
    pid=$!
    while [ -z "$(tr -d '\0' < "$counters" 2> /dev/null | head -c 1 | od -A n)" ]; do sleep 0.005; done # until a call has returned
    sleep "0.0$((RANDOM % 80 + 10))"
    kill -KILL $pid; wait $pid 2> /dev/null || true
    check "$counters" "$T/$name/trace.json.log"
    rm -r "${T:?}/$name"
done
# a file-size limit stops the recording, not the program
# (300 KiB are four chunks: the header's, the main thread's and one for each of the two that enqueue. With 200 the second of
# these finds no room at its first command, which may come before the first one's.)
for name in limit2048 limit300 limit4096; do
    trace "$name" return 400000 "${name#limit}"; expect 0
    [ "$(grep -c 'recording stopped' "$T/$name/stderr")" = 1 ] || fail "$name: $(cat "$T/$name/stderr")"
    [ -e "$T/$name/trace.json" ] && check --stopped "$counters" "$T/$name/trace.json" || check --stopped "$counters" "$T/$name/trace.json.log"
done
# so does a full disk
name=disk_full
mkdir -p "$T/disk"
if mount -t tmpfs -o size=3m none "$T/disk" 2> /dev/null; then
    trap 'umount -l "$T/disk"' EXIT
    out=$T/disk/trace.json trace disk_full return 400000; expect 0
    grep -q 'disk is full' "$T/$name/stderr" || fail "$name: $(cat "$T/$name/stderr")"
    [ -e "$T/disk/trace.json" ] || check --stopped "$counters" "$T/disk/trace.json.log"
    [ "$(ls "$T/disk" | wc -l)" = 1 ] || fail "$name: $(ls "$T/disk")"
else
    echo "disk_full not tried: mounting a small tmpfs needs root"
fi
# forks: every process has a trace of its own, under its own name
for out in '' "$T/fork_p/%p.json"; do
    name=fork${out:+_p}
    out=$out trace "$name" fork 1000; expect 0
    shopt -s nullglob
    traces=("$T/$name"/*.json "$T/$name"/*.log)
    [ ${#traces[@]} = 4 ] || fail "$name: not 4 traces: ${traces[*]}"
    check "$counters" "${traces[@]}"
done
unset out
# threads that end give back what they had: a thousand of them fill no disk
name=threads
CLWEAVE_TOOL=1 trace threads threads 334; expect 0
check "$counters" "$T/threads/trace.json.log"
size=$(stat -c %s "$T/threads/trace.json.log")
[ "$size" -lt 3000000 ] || fail "$name: 1002 threads wrote $size bytes"
# exec: one process id, two programs, two traces
name=exec
trace exec exec 500 "$T/second"; expect 0
check "$counters" "$T/exec/trace.json.log"
check "$T/second" "$T"/exec/trace-*.json
# nowhere to write: one message, and the program runs
name=nowhere
out=/nonexistent/x.json trace nowhere return 100; expect 0
[ "$(wc -l < "$T/nowhere/stderr")" = 1 ] && grep -q 'cannot create /nonexistent/x.json.log' "$T/nowhere/stderr" || fail "$name: $(cat "$T/nowhere/stderr")"
# leftovers: an earlier run's files are replaced; another process of this run keeps its own
name=again
trace again _exit 100; expect 0
trace again _exit 200; expect 0
[ "$(ls "$T/again" | tr '\n' ' ')" = "stderr trace.json.log " ] || fail "$name: $(ls "$T/again")"
check "$counters" "$T/again/trace.json.log"
name=shared
export CLWEAVE_RUN=$(date +%s%N)
trace shared _exit 100; expect 0
mv "$counters" "$T/first"
trace shared return 100; expect 0
unset CLWEAVE_RUN
check "$T/first" "$T/shared/trace.json.log"
check "$counters" "$T"/shared/trace-*.json
# a link is not followed
name=link
mkdir -p "$T/link"; echo precious > "$T/link/target"; ln -s target "$T/link/trace.json.log"
trace link _exit 100; expect 0
[ "$(cat "$T/link/target")" = precious ] || fail "$name: a link was followed"
check "$counters" "$T/link/trace.json.log"
echo ok
