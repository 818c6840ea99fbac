# Other GPUs help the program's (--devices gpu): PoCL's devices look like GPUs of NVIDIA below libgpucl.so, each with memory of its own,
# bytes go from one to another through pinned memory, and tiles are launches of the kernel itself at an offset. What a program prints
# bare, it prints where everything is managed, by lot, and as users run it; bytes that are not valid somewhere read as others there.
# Planted faults show. ALL=1: more programs and seeds.
# SLOW: ALL=1 SEEDS=6 READS=30
# SECONDS: 50
# COMPILER: shared
. test/runmode/common.sh
export OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so GPUCL_ALONE=1
export POCL_DEVICES="pthread pthread pthread"

# copied : bytes went to other GPUs in the latest run
copied() { grep -qE '^run: memories: .* in [1-9][0-9]* copies to devices' "$T/summary" || fail "no bytes were copied: $(cat "$T/summary")"; }
cuts() { grep -qE ', [1-9][0-9]* cut \(' "$T/summary" || fail "nothing was cut: $(cat "$T/summary")"; }
chaos="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1"
# gpus PROGRAM : all ways
gpus() {
    local seed
    if [ -n "${ALL:-}" ]; then
        in_run "$1" CLWEAVE_DEVICES=gpu CLWEAVE_MANAGE_ALL=1
        in_run "$1" CLWEAVE_DEVICES=gpu
    fi
    for seed in $(seq "${SEEDS:-1}"); do
        in_run "$1" CLWEAVE_DEVICES=gpu CLWEAVE_POLICY=chaos CLWEAVE_SEED="$seed"
        in_run "$1" CLWEAVE_DEVICES=gpu $chaos CLWEAVE_SEED="$seed"
    done
}

for name in jacobi ${ALL:+tiles} onebuffer; do
    known "$B/test/apps/$name" && gpus "$B/test/apps/$name" && copied
done
known "$B/test/apps/jacobi" && in_run "$B/test/apps/jacobi" CLWEAVE_DEVICES=gpu:1 $chaos CLWEAVE_SEED=2 && cuts
bare "$B/test/runmode/beside" && in_run "$B/test/runmode/beside" CLWEAVE_DEVICES=gpu:1 $chaos CLWEAVE_SEED=2 && cuts
for name in ${ALL:+chains8 edges mapreduce natives} memories errors builds_anew; do
    program=$B/test/runmode/$name
    [ -x "$program" ] || program=$B/test/apps/$name
    bare "$program" && gpus "$program"
    # the program itself asks for the order that it needs: of a write that is late, too
    GPUCL_WRITE_MS=3 timeout 240 "$program" 2> /dev/null | cmp -s - "$T/bare" || fail "$name without run mode: other output where writes are late"
    compared=$((compared + 1))
done
# borders: parts compute for some launches what they would have to copy at each; other kernels in between, in three dimensions; by lot
for args in "flat inner 24 90 24 2" ${ALL:+"flat nine 24 90 24 2" "flat star 30 70 30 5" "flat torus 30 70 12 1" "solid seven 9 11 40 20 0" "solid all 9 11 30 12 3" "planes 9 11 40 9 1" "paced 30 70 20 1" fields sweep redblack}; do
    printf '#!/bin/sh\nexec "%s"/test/apps/stencil/%s\n' "$B" "$args" > "$T/program"
    chmod +x "$T/program"
    bare "$T/program" || continue
    for n in ${ALL:+1 2 3 5 7 9} 4; do in_run "$T/program" CLWEAVE_DEVICES=gpu CLWEAVE_MANAGE_ALL=1 CLWEAVE_EXCHANGE=$n; done
    gpus "$T/program"
done
printf '#!/bin/sh\n"%s"/test/bench/gpus_speed jacobi 256 4 | grep hash\n' "$B" > "$T/program"
bare "$T/program" && for turn in 1 2 3 4; do # where the parts' sizes change, all is copied, too
    in_run "$T/program" CLWEAVE_DEVICES=gpu CLWEAVE_MANAGE_ALL=1 CLWEAVE_EXCHANGE=12
    sed -nE 's/^run: borders: ([0-9]+) .*, ([0-9]+) of them.*/\1 \2/p' "$T/summary" > "$T/borders"
    read -r all copied < "$T/borders" && [ "$all" -ge 128 ] && [ $((4 * copied)) -le $((3 * all)) ] && break
done
[ "${all:-0}" -ge 128 ] && [ $((4 * copied)) -le $((3 * all)) ] || fail "borders were copied too often: $(grep borders "$T/summary")"
# reads (--set staging=force: of any size) take each piece straight from the GPU that has it; by lot. Below: a piece that does not come is
# asked for by way of the host, and one that counts as read too early shows
straight() {
    printf '#!/bin/sh\nexec "%s" %s\n' "$B/test/runmode/reads" "$1" > "$T/program"
    chmod +x "$T/program"
    shift
    bare "$T/program" && in_run "$T/program" CLWEAVE_DEVICES=gpu CLWEAVE_POLICY=chaos CLWEAVE_STAGING=force "$@"
}
for all in 1 0; do # with 0 the others are native
    pieces=0
    for seed in $(seq ${READS:-2}); do
        straight "$seed" CLWEAVE_SEED="$seed" CLWEAVE_MANAGE_ALL=$all
        grep -qE '^run: memories: .* [1-9][0-9.]* [KM]?i?B read by the program' "$T/summary" && pieces=$((pieces + 1))
    done
    [ $pieces -gt 0 ] || fail "nothing was read straight: $(cat "$T/summary")"
done
# fills behind a command that a user event holds, on bytes that are away: a fill holds its caller until the events in its list are set
printf '#!/bin/sh\nexec "%s" 2019 120\n' "$(realpath "$B")/test/runmode/anything" > "$T/fills"
chmod +x "$T/fills"
bare "$T/fills" && in_run "$T/fills" CLWEAVE_DEVICES=gpu CLWEAVE_POLICY=chaos CLWEAVE_SEED=2019 CLWEAVE_MANAGE_ALL=1
# what several GPUs read of the same memory is read there once; a copy that is left out shows. On a busy machine the models of kernels
# may come too late for the launches of a run: then there are more runs
shared=0
for seed in $(seq 12); do
    [ "$seed" -le "${SEEDS:-2}" ] || [ $shared = 0 ] || break
    known "$B/test/runmode/table" && in_run "$B/test/runmode/table" CLWEAVE_DEVICES=gpu CLWEAVE_POLICY=chaos CLWEAVE_SEED="$seed"
    grep -qE '^run: memories: .* [1-9][0-9.]* [KM]iB written with what another copy read' "$T/summary" && shared=$((shared + 1))
done
[ $shared -gt 0 ] || too_busy "nothing was written to several GPUs: $(cat "$T/summary")"
for fault in unfetched:1 unnoted:1 beyond:1; do
    known "$B/test/apps/jacobi"
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_DEVICES=gpu $chaos CLWEAVE_SEED=1 CLWEAVE_FAULT=$fault timeout 240 "$B/test/apps/jacobi" \
        > "$T/run" 2> "$T/run.err"
    grep -q "^run: fault $fault planted" "$T/run.err" || fail "$fault was not planted: $(grep fault "$T/run.err")"
    cmp -s "$T/bare" "$T/run" && fail "$fault was not noticed"
done
for at in ${ALL:+1 2 4 5} 3; do straight 1 CLWEAVE_SEED=1 CLWEAVE_MANAGE_ALL=1 CLWEAVE_FAULT=unbrought:$at; done
env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_DEVICES=gpu $chaos CLWEAVE_SEED=1 CLWEAVE_STAGING=force CLWEAVE_FAULT=uncopied:5 timeout 240 "$T/program" \
    > "$T/run" 2> "$T/run.err" && fail "uncopied was not noticed: $(tail -n 3 "$T/run.err")"
grep -q '^run: fault uncopied:5 planted' "$T/run.err" || fail "uncopied was not planted: $(grep fault "$T/run.err")"
# GPUs that fail, answer no more, and never end a launch: the program ends, and prints the same unless bytes are lost with them
for fault in refuse:2 ${ALL:+mute:1} mute:3; do
    known "$B/test/apps/jacobi"
    watched "$T/run" LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_DEVICES=gpu $chaos CLWEAVE_SEED=1 CLWEAVE_FAULT=$fault "$B/test/apps/jacobi"
    status=$?
    grep -q "^run: fault $fault planted" "$T/run.err" || fail "$fault was not planted: $(grep fault "$T/run.err")"
    [ $status = 0 ] && cmp -s "$T/bare" "$T/run" || grep -q ' bytes lost\| B lost\|lost with' "$T/run.err" || fail "$fault: status $status: $(tail -n 3 "$T/run.err")"
    compared=$((compared + 1))
done
# a buffer that finds no memory on a GPU when it is first written there: the launch runs without it, and the GPU goes on
for at in 1 ${ALL:+2} 4; do
    known "$B/test/apps/jacobi" && in_run "$B/test/apps/jacobi" CLWEAVE_DEVICES=gpu $chaos CLWEAVE_SEED=1 CLWEAVE_FAULT=tight:$at
    grep -q "^run: fault tight:$at planted" "$T/run.err" || fail "tight:$at was not planted: $(grep fault "$T/run.err")"
    grep 'gets no more launches' "$T/summary" && fail "tight:$at put a GPU aside"
done
# a release of the context may wait for ever for user events that were never set
env GPUCL_UNSET=1 LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_DEVICES=gpu $chaos CLWEAVE_SEED=1 timeout 240 "$B/test/runmode/errors" > "$T/out" 2> "$T/err"
grep -q '^gpucl: 0 user events have gone' "$T/err" || fail "user events were never set: $(grep '^gpucl' "$T/err")"
# large launches; as users run them, the models are there in the second run
speed="$B/test/bench/gpus_speed"
for name in pi ${ALL:+resident}; do
    "$speed" $name | grep hash > "$T/bare" || fail "gpus_speed $name"
    for turn in CLWEAVE_MANAGE_ALL=0 CLWEAVE_MANAGE_ALL=0 CLWEAVE_MANAGE_ALL=1; do
        env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_DEVICES=gpu $turn "$speed" $name > "$T/out" 2> "$T/summary"
        grep hash "$T/out" | cmp -s - "$T/bare" || fail "gpus_speed $name $turn: other output"
        compared=$((compared + 1))
    done
    cuts
done
# native commands of a queue with none that is managed: the vendor is asked for no event that the program does not want, and no marker
env -u OPENCL_LAYERS OCL_ICD_VENDORS="$B/test/libnullcl.so" NULLCL_GPU="NVIDIA CUDA" NULLCL_DEVICES=2 NULLCL_LOG="$T/log" GPU_SPEED_MIB=1 \
    LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_DEVICES=gpu CLWEAVE_FOOTPRINT=/none "$B/test/bench/gpu_speed" "" small8 read4 > "$T/out" || fail "gpu_speed"
grep -cE '^clEnqueue(Read|Write)Buffer |^clEnqueueNDRangeKernel ' "$T/log" > "$T/all" || fail "no commands: $(cat "$T/out")"
grep -E '^clEnqueue' "$T/log" | grep -v ' 0$' | head -n 3 > "$T/asked"
[ ! -s "$T/asked" ] || fail "events, or markers, of $(cat "$T/all") commands: $(cat "$T/asked")"
compared=$((compared + 1))
# one GPU alone is left to its queues and streams
export POCL_DEVICES=pthread
bare "$B/test/apps/jacobi" && in_run "$B/test/apps/jacobi" CLWEAVE_DEVICES=gpu CLWEAVE_LOG=error
CLWEAVE_DEVICES=gpu "$B/clweave" run -- "$B/test/apps/jacobi" 2>&1 > /dev/null | grep -q 'gpu: nothing helps' || fail "nothing is said of one GPU alone"
grep -q '^run: streams: ' "$T/summary" || fail "no streams with one GPU: $(cat "$T/summary")"
done_
