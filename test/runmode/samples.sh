# The samples of test/apps under run mode, in program order and in random orders: the same line, which holds a hash of
# all that was read back.
. test/runmode/common.sh
total=0 reordered=0
for source in test/apps/*.c; do
    program=$B/test/apps/$(basename "$source" .c)
    [ "$(basename "$source")" = common.c ] && continue
    bare "$program" || continue
    in_run "$program"
    for seed in 1 2; do
        in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_MANAGE_ALL=1
        total=$((total + $(count commands)))
        reordered=$((reordered + $(count reordered)))
    done
done
echo "chaos: $total managed, $reordered reordered"
[ $total -gt 500 ] && [ $reordered -gt 50 ] || fail "a run that manages nothing proves nothing"
done_
