# Every program of this folder prints under run mode what it prints bare: whatever is managed, in program order and
# in random orders.
. test/runmode/common.sh
for source in test/runmode/*.c; do
    program=$B/test/runmode/$(basename "$source" .c) seeds=${SEEDS:-2}
    bare "$program" || continue
    case $program in
    */hostile_* | */state) [ "$seeds" -gt 2 ] || seeds=1 ;; # what they do is the same in every order
    esac
    in_run "$program" CLWEAVE_DEVICES=basic
    in_run "$program"
    in_run "$program" CLWEAVE_MANAGE_ALL=1
    for seed in $(seq "$seeds"); do
        in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_MANAGE_ALL=1
        managed 1
    done
done
done_
