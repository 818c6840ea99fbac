# Launches whose tiles write the same bytes in several memories (far devices, GPUs and a CPU of two platforms): histograms, searches and
# interleaved writes are put together again. What a program prints bare, it prints; a part that is left out shows; devices that refuse
# or run out of memory change nothing.
# SLOW: SEEDS=10
# SECONDS: 20
# COMPILER: shared
. test/runmode/common.sh
export CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1
program=$B/test/apps/integers merged=0

# run VARIABLE=VALUE... : like bare; counts merged launches
run() {
    in_run "$program" "$@"
    n=$(sed -n 's/^run: memories: .*; \([0-9]*\) launches merged$/\1/p' "$T/summary")
    merged=$((merged + ${n:-0}))
}
bare "$program"
for devices in far:2 far:1,far-home far:2/cap=40K; do
    for seed in $(seq 2 $((1 + ${SEEDS:-2}))); do
        run CLWEAVE_DEVICES=$devices CLWEAVE_SEED="$seed"
    done
done
[ $merged -ge 4 ] || fail "only $merged launches were merged"
for fault in refuse:60 refuse:70 garbage:8 garbage:12 full:20; do
    run CLWEAVE_DEVICES=far:2 CLWEAVE_SEED=2 CLWEAVE_FAULT=$fault
    grep -q "fault $fault planted" "$T/summary" || fail "$fault was not planted"
done
env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_DEVICES=far:2 CLWEAVE_SEED=2 CLWEAVE_FAULT=unmerged:1 timeout 240 "$program" \
    > "$T/run" 2> "$T/run.err"
grep -q "^run: fault unmerged:1 planted" "$T/run.err" || fail "unmerged:1 was not planted"
cmp -s "$T/bare" "$T/run" && fail "unmerged:1 was not noticed"
export OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so GPUCL_ALONE=1 GPUCL_CPUS=1 POCL_DEVICES="pthread pthread pthread"
for platform in 0 1; do
    merged=0
    export APP_PLATFORM=$platform
    for seed in $(seq 2 $((1 + ${SEEDS:-2}))); do
        run CLWEAVE_DEVICES=all CLWEAVE_SEED="$seed"
    done
    [ $merged -ge 2 ] || fail "only $merged launches were merged on two platforms"
done
done_
