# A launch whose build options let results vary by the local size runs with home's choice of it, or at home.
# COMPILER: shared
. test/runmode/common.sh
program=$B/test/runmode/varies
bare "$program" || { done_; exit; }
for seed in 1 2; do
    in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=cpu,basic:1
    managed 24
done
done_
