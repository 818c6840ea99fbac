#!/bin/bash
# harmed.sh - whatever is done to a log while its program runs, the program does not notice: it prints and ends as it does bare,
# and one message at most says that recording has stopped. Its own SIGBUS is as it was.
. test/shim/common.sh
program harmed -DCL_TARGET_OPENCL_VERSION=300 -lOpenCL
export CLWEAVE_MODE=trace log=$T/t/trace.json.log json=$T/t/trace.json
tried=0

# run SIGNALS COMMAND END: bare, then recorded; leaves $T/err
run() {
    local what="$*" bare status
    bare=0 status=0
    ulimit -c 0
    rm -rf "$T/t"; mkdir -p "$T/t"
    env -u CLWEAVE_MODE "$T/harmed" "$1" true "$3" > "$T/bare" 2> /dev/null || bare=$?
    CLWEAVE_OUT=$json LD_PRELOAD=$shim timeout 240 "$T/harmed" "$@" > "$T/out" 2> "$T/err" || status=$?
    [ $status = $bare ] || fail "$what: exit status $status, bare $bare: $(cat "$T/err")"
    cmp -s "$T/bare" "$T/out" || fail "$what: another output: $(cat "$T/out")"
    tried=$((tried + 1))
}
# stopped SIGNALS COMMAND END: run(), and recording has stopped with the one message
stopped() {
    run "$@"
    [ "$(grep -c 'recording stopped' "$T/err")" = 1 ] && [ "$(wc -l < "$T/err")" = 1 ] || fail "$*: $(cat "$T/err")"
}

cut="truncate -s 0 $log"
# the program's death by SIGBUS prints nothing: $status says it
for signals in plain blocked handler ignored late-blocked late-handler; do
    stopped $signals "$cut" return
    run $signals "$cut" own 2> /dev/null
    run $signals true own 2> /dev/null
done
for signals in plain handler late-handler blocked; do
    run $signals true raise 2> /dev/null
    run $signals true sent 2> /dev/null
done
# cut within a thread's chunk, as logrotate does it, and cut to be as long as before
stopped plain "truncate -s 100000 $log" return
stopped plain "cp $log $T/rotated && $cut" return
run plain "$cut && truncate -s 8M $log" return
[ "$(wc -l < "$T/err")" = 1 ] || fail "cut and long again: $(cat "$T/err")"
# another file in its place: what is there is left alone
run plain "mv $log $T/t/moved && echo precious > $log" return
[ "$(cat "$log")" = precious ] && [ "$(wc -l < "$T/err")" = 1 ] || fail "replaced: $(cat "$T/err")"
run plain "mv $log $T/t/moved && ln -s moved $log" return
[ -L "$log" ] && [ -s "$T/t/moved" ] && [ "$(wc -l < "$T/err")" = 1 ] || fail "linked: $(cat "$T/err")"
run plain "mv $log $T/t/moved && mkfifo $log" return
[ -p "$log" ] && [ "$(wc -l < "$T/err")" = 1 ] || fail "a pipe: $(cat "$T/err")"
run plain "rm $log" return
[ "$(wc -l < "$T/err")" = 1 ] || fail "removed: $(cat "$T/err")"
run plain "rm -r $T/t" return
[ "$(wc -l < "$T/err")" = 1 ] || fail "folder removed: $(cat "$T/err")"
# a second name is none of the recorder's business
run plain "ln $log $T/t/second" return
[ ! -s "$T/err" ] && [ -s "$json" ] && [ -s "$T/t/second" ] || fail "second name: $(cat "$T/err")"
# nor where the trace shall be: it is written there when the program ends
run plain "mkfifo $json" return
[ -p "$json" ] && [ "$(wc -l < "$T/err")" = 1 ] && [ -s "$log" ] || fail "a pipe for a trace: $(cat "$T/err")"
# LLVM's handler, which is there once PoCL has compiled, does not make stores slow
rm -rf "$T/t"; mkdir "$T/t"
env -u OCL_ICD_VENDORS POCL_CACHE_DIR="$T/cold" CLWEAVE_LOG=info CLWEAVE_OUT="$json" LD_PRELOAD="$shim" "$B/test/apps/gemm" > /dev/null 2> "$T/err" || fail "gemm: $(cat "$T/err")"
! grep -q 'by system calls' "$T/err" || fail "a compiler in the process: $(cat "$T/err")"
CLWEAVE_LOG=info run blocked true return
grep -q 'by system calls' "$T/err" || fail "SIGBUS is blocked: $(cat "$T/err")"
# what was captured
export CLWEAVE_CAPTURE_DATA=1
stopped plain "truncate -s 1 $json.data" return
stopped plain "mv $json.data $T/t/moved && ln -s moved $json.data" return
echo "$tried runs"
