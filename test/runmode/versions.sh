# Versions of buffers (--set rename, on PoCL with --set streams=force): what programs print bare, they print where commands that
# overwrite a buffer get other memory, always or by lot, with and without models of their kernels, and where there is no memory for
# versions. Planted faults show: a version for a command that does not surely overwrite, a read of a version that is out of date, a
# copy between versions that is left out. ALL=1: more seeds and programs.
# SLOW: ALL=1 SEEDS=12
# SECONDS: 40
# COMPILER: shared
. test/runmode/common.sh
models="CLWEAVE_STREAMS=force CLWEAVE_MANAGE_ALL=1" # launches wait for models

# given LEAST : so many commands got another version in the latest run; 0: none
given() {
    local n
    n=$(sed -n 's/^run: streams: \([0-9]*\) commands got another version.*/\1/p' "$T/summary")
    if [ "$1" = 0 ]; then [ -z "$n" ] || fail "$n versions"; else [ "${n:-0}" -ge "$1" ] || fail "only ${n:-no} versions: $(cat "$T/summary")"; fi
}
# program NAME ARGUMENT... : $T/program runs it
program() {
    printf '#!/bin/sh\nexec "%s" %s\n' "$(realpath "$B")/test/runmode/$1" "${*:2}" > "$T/program"
    chmod +x "$T/program"
}

for seed in $(seq "${SEEDS:-1}"); do
    program versions 12 "$seed"
    bare "$T/program" || continue
    in_run "$T/program" $models
    given 60
    for lots in 1 ${ALL:+2 3}; do
        in_run "$T/program" $models CLWEAVE_POLICY=chaos CLWEAVE_SEED="$lots$seed"
        given 5
    done
    in_run "$T/program" $models CLWEAVE_POLICY=chaos CLWEAVE_SEED="$seed" CLWEAVE_STAGING=force CLWEAVE_DEVICES=none
done
program versions 12 1
bare "$T/program"
in_run "$T/program" CLWEAVE_STREAMS=force CLWEAVE_FOOTPRINTS=off # writes and fills of the host alone
given 20
in_run "$T/program" $models CLWEAVE_RENAME=off
given 0
in_run "$T/program" $models CLWEAVE_FAULT=tight:1
given 0
in_run "$T/program" $models CLWEAVE_FAULT=tight:12
given 5
for fault in hasty:1 unnoted:1 unfetched:1; do
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 $models CLWEAVE_FAULT=$fault timeout 240 "$T/program" > "$T/run" 2> "$T/run.err"
    grep -q "^run: fault $fault planted" "$T/run.err" || fail "$fault was not planted: $(grep fault "$T/run.err")"
    cmp -s "$T/bare" "$T/run" && fail "$fault was not noticed"
    compared=$((compared + 1))
done
# clones of kernels during their launches, which are alone; a build that is refused
program versions 0 1 0
bare "$T/program"
for layer in "OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so GPUCL_ALONE=1" OPENCL_LAYERS=; do
    in_run "$T/program" $models CLWEAVE_POLICY=chaos CLWEAVE_SEED=1 $layer
done
# two queues with buffers of their own: each keeps its versions
program versions 0 1 0 queues
bare "$T/program"
in_run "$T/program" $models CLWEAVE_POLICY=chaos CLWEAVE_SEED=1
given 20
# a GPU by its name, on which the ways of a span are tried; and one whose memory is full when a version is first used
export OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so GPUCL_HOLD=0 # the program sets its user events behind reads that wait for them
program versions 4 1 12
bare "$T/program"
in_run "$T/program" CLWEAVE_MANAGE_ALL=1
given 10
in_run "$T/program" CLWEAVE_MANAGE_ALL=1 GPUCL_BUFFERS=8 CLWEAVE_STREAMS=force
given 5
grep -q 'at most [2-9] of one' "$T/summary" || fail "the limit of buffers was not met: $(cat "$T/summary")"
unset OPENCL_LAYERS
for name in medley streams ${ALL:+staged order waits natives mapped addresses content objects drops pixels}; do
    bare "$B/test/runmode/$name" || continue
    in_run "$B/test/runmode/$name" $models
    in_run "$B/test/runmode/$name" $models CLWEAVE_POLICY=chaos CLWEAVE_SEED=3
done
done_
