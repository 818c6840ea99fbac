# A program that cannot be built for a helper the first time, as the dynamic loader or files were not there: it is built later.
# COMPILER: shared
. test/runmode/common.sh
bare "$B/test/apps/disjoint" || exit
for seed in 1 2; do
    in_run "$B/test/apps/disjoint" CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=basic:1 CLWEAVE_FAULT=unmade:1
    grep -q 'fault unmade:1 planted' "$T/summary" || fail "nothing was refused: $(cat "$T/summary")"
    moved=$(sed -n 's/.* \([0-9]*\) moved.*/\1/p' "$T/summary")
    [ "${moved:-0}" -ge 100 ] || fail "the helper has got nothing later: $(cat "$T/summary")"
done
done_
