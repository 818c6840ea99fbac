# The samples of test/apps under run mode, in random orders: the same line, which holds a hash of all that was read back.
# ALL=1: also those that record.sh and tiles.sh run so, and in program order, as shim/same_bytes.sh does.
# SLOW: ALL=1 SEEDS=2
# SECONDS: 25
# COMPILER: shared
. test/runmode/common.sh
total=0 reordered=0
for source in test/apps/*.c; do
    program=$B/test/apps/$(basename "$source" .c)
    [ "$(basename "$source")" = common.c ] && continue
    case $program in
    */blockmatmul | */chains8 | */edges | */events_ooo | */featurefusion | */jacobi | */manybufs | */mapreduce | */pictures | */reduction | */threads | */tiles)
        [ -n "${ALL:-}" ] || continue ;;
    esac
    bare "$program" || continue
    [ -z "${ALL:-}" ] || in_run "$program"
    for seed in $(seq "${SEEDS:-1}"); do
        in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_MANAGE_ALL=1
        total=$((total + $(count commands)))
        reordered=$((reordered + $(count reordered)))
    done
done
echo "chaos: $total managed, $reordered reordered"
[ $total -gt 500 ] && [ $reordered -gt 50 ] || fail "a run that manages nothing proves nothing"
done_
