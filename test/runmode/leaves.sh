# Queues that streams cannot make quicker leave them for good, below PoCL in the clothes of NVIDIA's driver: all reads the same.
# On the null driver the calls that reach it are counted: few more than bare, however long the program runs.
# SECONDS: 10
. test/runmode/common.sh
program=$B/test/runmode/leaves
layer=$(realpath "$B")/test/libgpucl.so

# left LEAST : at least so many queues have left in the latest run
left() {
    local n
    n=$(sed -n 's/^run: streams: \([0-9]*\) of [0-9]* queues left streams for good.*/\1/p' "$T/summary")
    [ "${n:-0}" -ge "$1" ] || fail "${n:-no} queues have left: $(cat "$T/summary")"
}
export OPENCL_LAYERS=$layer
bare "$program"
for staging in off force; do
    in_run "$program" CLWEAVE_STAGING=$staging
    left 1
done
in_run "$program" CLWEAVE_STREAMS=force
! grep -q 'left streams' "$T/summary" || fail "--set streams=force leaves"
in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=1

unset OPENCL_LAYERS
export OCL_ICD_VENDORS=$B/test/libnullcl.so NULLCL_GPU="NVIDIA CUDA"
# calls ROUNDS VARIABLE=VALUE... : how many reach the null driver
calls() {
    local rounds=$1
    shift
    rm -f "$T/log"
    env NULLCL_LOG="$T/log" "$@" "$program" "$rounds" > "$T/out" 2> "$T/err" || fail "$rounds rounds: $(cat "$T/out" "$T/err")"
    wc -l < "$T/log"
}
for rounds in 300 1500; do
    plain=$(calls $rounds)
    more=$(($(calls $rounds LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1) - plain))
    grep '^run: ' "$T/err" > "$T/summary"
    left 2
    [ $more -lt 800 ] || fail "$rounds rounds: $more calls more than the $plain of the program"
    compared=$((compared + 1))
done
done_
