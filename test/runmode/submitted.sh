# Callbacks that the vendor makes with a lock held (heldcl.c; PoCL holds such a lock for CL_SUBMITTED): no lock of clweave is waited for
# in them, nor by what they call.
# COMPILER: shared
. test/runmode/common.sh
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -shared -fPIC -fvisibility=hidden -o "$T/libheldcl.so" test/shim/heldcl.c -lpthread || exit 1
program=$B/test/runmode/submitted
for layers in "$T/libheldcl.so" ""; do
    export OPENCL_LAYERS=$layers
    bare "$program" || exit
    in_run "$program" CLWEAVE_STREAMS=force
    in_run "$program" CLWEAVE_STREAMS=force CLWEAVE_POLICY=chaos CLWEAVE_SEED=1
    in_run "$program" CLWEAVE_MANAGE_ALL=1
    in_run "$program" CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos CLWEAVE_SEED=2
    in_run "$program"
    in_run "$program" CLWEAVE_MODE=trace CLWEAVE_CAPTURE_DATA=1 CLWEAVE_OUT="$T/trace.json"
    in_run "$program" CLWEAVE_STREAMS=force CLWEAVE_OUT="$T/trace.json"
done
export POCL_DEVICES=basic OPENCL_LAYERS= # commands run, and callbacks are called, inside the program's calls
bare "$program" || exit
in_run "$program" CLWEAVE_STREAMS=force
in_run "$program"
done_
