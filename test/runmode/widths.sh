# Launches of one kernel with other widths and offsets, managed and native, on devices that run kernels inside the enqueue:
# PoCL's `basic`, as the program's own device and as a DSP with helpers.
# COMPILER: shared
. test/runmode/common.sh
program=$B/test/runmode/widths
export POCL_DEVICES=basic
bare "$program" || { done_; exit; }
for turn in 1 2 3; do
    in_run "$program"
    managed 3
done
unset POCL_DEVICES
bare "$program" || { done_; exit; }
for devices in basic:2 sub:2; do
    in_run "$program" CLWEAVE_DEVICES=cpu,$devices CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1
    in_run "$program" CLWEAVE_DEVICES=cpu,$devices
done
done_
