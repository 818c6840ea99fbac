# Devices of two platforms in one program (--devices cpu, gpu, all): a GPU of NVIDIA's, as libgpucl.so shows it, and PoCL's CPU. Kernels
# of integers, which every device computes alike, are moved and cut between them, beside either; others stay with their vendor, and move
# under --set numerics=relaxed. Planted faults show. ALL=1: more programs and seeds.
# SLOW: ALL=1 SEEDS=6
# SECONDS: 15
# COMPILER: shared
. test/runmode/common.sh
export OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so GPUCL_ALONE=1 GPUCL_CPUS=1
export POCL_DEVICES="pthread pthread pthread" CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1

# helped : launches were moved, and others cut, and bytes went to other memories in the latest run
helped() {
    grep -qE ', [1-9][0-9]* moved, [1-9][0-9]* cut \(' "$T/summary" && grep -qE '^run: memories: .* in [1-9][0-9]* copies' "$T/summary" ||
        fail "no help: $(cat "$T/summary")"
}

for platform in 0 1; do
    export APP_PLATFORM=$platform
    [ $platform = 0 ] && other=cpu || other=gpu
    bare "$B/test/apps/integers"
    for seed in $(seq "${SEEDS:-1}"); do
        in_run "$B/test/apps/integers" CLWEAVE_DEVICES=$other CLWEAVE_SEED="$seed" && helped
        in_run "$B/test/apps/integers" CLWEAVE_DEVICES=all CLWEAVE_SEED="$seed" && helped
    done
    for fault in unfetched:1 unnoted:1; do
        env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_DEVICES=$other CLWEAVE_SEED=1 CLWEAVE_FAULT=$fault timeout 240 \
            "$B/test/apps/integers" > "$T/run" 2> "$T/run.err"
        grep -q "^run: fault $fault planted" "$T/run.err" || fail "$fault was not planted: $(grep fault "$T/run.err")"
        cmp -s "$T/bare" "$T/run" && fail "$fault was not noticed"
    done
    # sums of products: another vendor's compiler may fuse them
    bare "$B/test/apps/jacobi"
    in_run "$B/test/apps/jacobi" CLWEAVE_DEVICES=$other CLWEAVE_SEED=1
    grep -q ', 0 moved, ' "$T/summary" || fail "launches went to a device that may round otherwise: $(cat "$T/summary")"
    grep -q "^run: not on other vendors' devices: .* sums and products, which compilers may fuse" "$T/summary" || fail "nothing says why: $(cat "$T/summary")"
    for seed in 1 2; do
        in_run "$B/test/apps/jacobi" CLWEAVE_DEVICES=$other CLWEAVE_SEED=$seed CLWEAVE_NUMERICS=relaxed
    done
    grep -qE ', [1-9][0-9]* moved, ' "$T/summary" || fail "nothing moved: $(cat "$T/summary")"
    # memory that is the program's own, which a CPU's buffers may be, is in no list of who has which bytes
    bare "$B/test/apps/userevents_maps" && in_run "$B/test/apps/userevents_maps" CLWEAVE_DEVICES=all CLWEAVE_SEED=1
    for name in ${ALL:+tiles reduction onebuffer mapreduce edges pi}; do
        bare "$B/test/apps/$name" && in_run "$B/test/apps/$name" CLWEAVE_DEVICES=$other CLWEAVE_SEED=1 &&
            in_run "$B/test/apps/$name" CLWEAVE_DEVICES=all CLWEAVE_SEED=2
    done
    # as users run them; in the end without a profit test
    for name in search ${ALL:+histogram sort}; do
        "$B/test/bench/gpus_speed" $name | grep hash > "$T/bare" || fail "gpus_speed $name"
        for turn in 0 0 1; do
            env -u CLWEAVE_POLICY LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_DEVICES=all CLWEAVE_MANAGE_ALL=$turn \
                "$B/test/bench/gpus_speed" $name > "$T/out" 2> "$T/summary" || fail "gpus_speed $name: status $?"
            grep hash "$T/out" | cmp -s - "$T/bare" || fail "gpus_speed $name $turn: other output"
            compared=$((compared + 1))
        done
        grep -qE ', [1-9][0-9]* cut \(' "$T/summary" || fail "gpus_speed $name: nothing was cut: $(cat "$T/summary")"
    done
done
done_
