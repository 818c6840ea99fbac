# The helper that analyses kernels does not show to the program, whatever that looks for, and ends with it.
# SECONDS: 15
. test/runmode/common.sh
program=$B/test/runmode/quiet
helper() { printf '#!/bin/sh\n%s\n' "$1" > "$T/helper"; chmod 755 "$T/helper"; }
# Busy at first, so that its processor time would show; then it lingers for longer than any program may take here. The program
# waits until the helper is there (QUIET_HELPER).
helper 'echo $$ >> '"$T/pids"'; i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; exec sleep 1000'
slow="QUIET_HELPER=$T/pids CLWEAVE_FOOTPRINT=$T/helper CLWEAVE_HISTORY=off CLWEAVE_DEVICES=basic" # what is asked for begins at once
bare "$program" || exit
: > "$T/pids"
in_run "$program" $slow
[ "$(wc -l < "$T/pids")" -ge 1 ] || fail "the helper did not run: nothing was tested"
: > "$T/pids"
in_run "$program" $slow CLWEAVE_DEVICES=basic:2

alive() { for pid in $(cat "$T/pids"); do [ -d /proc/$pid ] && ! grep -q '^State:.*Z' /proc/$pid/status 2> /dev/null && return 0; done; return 1; }
gone() { for i in $(seq 6000); do alive || return 0; sleep 0.05; done; return 1; }
gone || fail "a helper outlives the program"
for how in exit _exit abort kill exec; do
    : > "$T/pids"
    timeout 240 "$program" $how > "$T/bare" 2> "$T/bare.err"; expected=$?
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run $slow timeout 240 "$program" $how > "$T/run" 2> "$T/run.err"; got=$?
    [ $got = $expected ] || fail "$how: status $got instead of $expected"
    cmp -s "$T/bare" "$T/run" || { fail "$how: other output"; diff "$T/bare" "$T/run" | head; }
    gone || fail "$how: a helper outlives the program"
    compared=$((compared + 1))
done

# limits that keep the helper from working do not keep the program
for limit in '-u 0' '-n 40' '-f 0' '-v 4000000'; do
    (ulimit $limit 2> /dev/null; "$B/test/apps/onebuffer" 5 > "$T/bare" 2> "$T/bare.err") || { echo "ulimit $limit: the program does not run bare"; continue; }
    (ulimit $limit 2> /dev/null; LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_DEVICES=basic CLWEAVE_HISTORY=off "$B/test/apps/onebuffer" 5 > "$T/run" 2> "$T/run.err") || fail "ulimit $limit: status $?: $(tail -n 2 "$T/run.err")"
    cmp -s "$T/bare" "$T/run" || fail "ulimit $limit: other output"
    compared=$((compared + 1))
done
done_
