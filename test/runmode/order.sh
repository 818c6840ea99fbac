# What events say of the order of commands (order.c), in ways that promises.sh lacks: sub-devices as helpers and as home, kernels of
# an in-order queue on several devices by a policy, devices whose times are modelled.
# COMPILER: shared
. test/runmode/common.sh
program=$B/test/runmode/order
bare "$program" || exit 77
in_run "$program" CLWEAVE_DEVICES=sub:2 CLWEAVE_MANAGE_ALL=1
managed 300
in_run "$program" CLWEAVE_POLICY=heft CLWEAVE_LEARN=all CLWEAVE_MANAGE_ALL=1
managed 300
in_run "$program" CLWEAVE_DSP=2 CLWEAVE_DEVICES=dsp CLWEAVE_MANAGE_ALL=1
managed 300
export APP_SUBDEVICE=1
bare "$program" && in_run "$program" CLWEAVE_MANAGE_ALL=1 && managed 300
done_
