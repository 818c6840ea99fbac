#!/bin/bash
# habits.sh - a report names each bad habit of a program on its first screen, and none of a program without them.
. test/shim/common.sh
pocl=$(cat "$vendors/pocl.icd" 2> /dev/null) || { echo "package pocl-opencl-icd"; exit 77; }
export OCL_ICD_VENDORS=$pocl
program habits -lOpenCL
"$B/clweave" trace --device-times -o "$T/habits.json" -- "$T/habits" > "$T/out" 2> "$T/err" || fail "$(cat "$T/err")"
[ "$(cat "$T/out")" = 10 ] || fail "the program's own result: $(cat "$T/out")"
"$B/clweave" report "$T/habits.json" | head -72 | tr '\n' ' ' | sed 's/  */ /g' > "$T/screen"
for word in 'Waits for a queue that was not flushed 1 command waits' 'Work-groups of one item 5 launches are' \
    'clFinish between launches 9 calls of clFinish stand' 'clFinish that is not needed 1 call of clFinish waits' \
    'Events are polled before their queue is flushed .* 1 time without a clFlush'; do
    grep -q -- "$word" "$T/screen" || fail "the report does not say: $word; $(cat "$T/screen")"
done
"$B/clweave" trace -o "$T/none.json" -- "$B/test/apps/chains8" > /dev/null 2> "$T/err" || fail "$(cat "$T/err")"
"$B/clweave" report "$T/none.json" > "$T/screen"
! grep -E 'not flushed|queue is flushed|no order|ended without|one item|between launches|used after|Calls failed' "$T/screen" || fail "a program without bad habits"
echo ok
