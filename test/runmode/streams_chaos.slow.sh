# Streams by lot (CLWEAVE_POLICY=chaos) over programs and seeds, one run after the other: on PoCL as it is, and in the clothes of
# NVIDIA's driver (libgpucl.so), with staged transfers, too. RUNS=n: so many runs (default 400), SEED=n: the first seed. LIMIT_S=n: a
# run's time limit. SAY=FILE: the counts so far.
# SECONDS: 400
. test/runmode/common.sh
layer=$(realpath "$B")/test/libgpucl.so
programs=("$B"/test/apps/{blockmatmul,chains8,cholesky,disjoint,edges,featurefusion,gemm,jacobi,lu,manybufs,mapreduce,nbody,onebuffer,pi,reduction,threads,tiles,userevents_maps}
    "$B"/test/runmode/{medley,streams,natives,waits,many,objects,polls,wakes,overlaid,drops,crowd})
gpu=" medley streams manybufs threads chains8 disjoint natives cholesky " # also below the layer

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
