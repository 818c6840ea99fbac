# Streams by lot (CLWEAVE_POLICY=chaos) over programs and seeds, one run after the other: on PoCL as it is, and in the clothes of
# NVIDIA's driver (libgpucl.so), with staged transfers, too. RUNS=n: so many runs (default 400), SEED=n: the first seed. The stacks
# of a program that hangs are shown where there is gdb. LIMIT_S=n: a run's time limit.
# SECONDS: 400
. test/runmode/common.sh
layer=$(realpath "$B")/test/libgpucl.so
programs=("$B"/test/apps/{blockmatmul,chains8,cholesky,disjoint,edges,featurefusion,gemm,jacobi,lu,manybufs,mapreduce,nbody,onebuffer,pi,reduction,threads,tiles,userevents_maps}
    "$B"/test/runmode/{medley,streams,natives,waits,many,objects,polls,wakes,overlaid,drops,crowd})
gpu=" medley streams manybufs threads chains8 disjoint natives cholesky " # also below the layer

# watched OUT COMMAND... : runs it; after LIMIT_S seconds shows its stacks and kills it (124)
watched() {
    local out=$1 pid i=0
    shift
    env "$@" > "$out" 2> "$out.err" &
    pid=$!
    while kill -0 $pid 2> /dev/null; do
        if [ $i -ge $((${LIMIT_S:-120} * 50)) ]; then
            ! command -v gdb > /dev/null || gdb -batch -p $pid -ex 'thread apply all bt' 2>&1 | grep -v '^\[New'
            kill -9 $pid
            wait $pid 2> /dev/null
            return 124
        fi
        i=$((i + 1))
        sleep .02
    done
    wait $pid
}

# chaos PROGRAM SEED VARIABLE=VALUE... : one run, the same as bare
chaos() {
    local program=$1 name seed=$2 status bare
    name=$(basename "$program")
    shift 2
    bare=$T/$name.${#1}
    [ -e "$bare" ] || env ${1:+"$1"} timeout 120 "$program" > "$bare" 2> /dev/null || { fail "$name bare"; return; }
    watched "$T/run" "$@" LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_STREAMS=force CLWEAVE_POLICY=chaos CLWEAVE_SEED="$seed" "$program"
    status=$?
    [ $status = 0 ] && cmp -s "$bare" "$T/run" || { fail "$name seed $seed $*: status $status"; diff "$bare" "$T/run" | head; tail -3 "$T/run.err"; }
    compared=$((compared + 1))
}

seed=${SEED:-1}
while [ $compared -lt "${RUNS:-400}" ]; do
    for program in "${programs[@]}"; do
        [ $compared -lt "${RUNS:-400}" ] || break
        chaos "$program" "$seed" CLWEAVE_STAGING=2
        [[ $gpu != *" $(basename "$program") "* ]] || chaos "$program" "$seed" OPENCL_LAYERS="$layer" CLWEAVE_STAGING=force
    done
    seed=$((seed + 1))
    [ -z "${SAY:-}" ] || echo "$compared runs, $failures differences, seed $seed" > "$SAY"
done
done_
