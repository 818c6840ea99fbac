# A call that waits for its command returns the command's error: that of a launch in its wait list which home refuses (fail:3). Then
# its event, a wait for that event and the end of the queue say what the standard says.
# SECONDS: 5
. test/runmode/common.sh
program=$B/test/runmode/blocking
bare "$program" || exit
calls=$(grep -c ': returned 0, event 0, launch 0, waited 0, finished 0$' "$T/bare")
[ "$calls" = "$(grep -c ': returned' "$T/bare")" ] || fail "bare: $(cat "$T/bare")"
for i in $(seq 0 $((calls - 1))); do
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_DEVICES=none CLWEAVE_POLICY=dm CLWEAVE_MANAGE_ALL=1 CLWEAVE_FAULT=fail:3 \
        timeout 240 "$program" "$i" > "$T/run" 2> "$T/run.err" || fail "call $i: status $?: $(tail -n 3 "$T/run.err")"
    grep -q '^run: fault fail:3 planted' "$T/run.err" || fail "call $i: no launch was refused: $(cat "$T/run.err")"
    grep -q ': returned -14, event -14, launch -5, waited -14, finished 0$' "$T/run" || fail "call $i: $(cat "$T/run")"
    compared=$((compared + 1))
done
done_
