# Programs whose faults show in some runs alone, RUNS times in every way of run mode, from empty caches and from those of the run
# before: as bare. PROGRAMS="addresses flags": these of the folder; WAYS="name ...": these ways.
# SLICES=4
. test/runmode/common.sh
runs=${RUNS:-3}

# settings WAY : the variables of a way
settings() {
    case $1 in
    plain) ;;
    chaos) echo CLWEAVE_POLICY=chaos CLWEAVE_LEARN=all CLWEAVE_MANAGE_ALL=1 ;;
    learn) echo CLWEAVE_LEARN=all ;;
    basic) echo CLWEAVE_DEVICES=basic:2 CLWEAVE_LEARN=all ;;
    far) echo CLWEAVE_DEVICES=far:2 CLWEAVE_LEARN=all ;;
    far-chaos) echo CLWEAVE_DEVICES=far:2 CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 ;;
    streams) echo CLWEAVE_STREAMS=force ;;
    gpu) echo CLWEAVE_STREAMS=force CLWEAVE_STAGING=force OPENCL_LAYERS="$(realpath "$B")/test/libgpucl.so" ;;
    *) fail "no way '$1'" ;;
    esac
}
for name in ${PROGRAMS:-addresses flags variables descriptors submitted leaves pointers}; do
    for way in ${WAYS:-plain chaos learn basic far far-chaos streams gpu}; do
        mine && bare "$B/test/runmode/$name" || continue
        for caches in empty warm; do
            for run in $(seq "$runs"); do
                [ $caches = warm ] || { rm -rf "$T/cache"; mkdir -p "$T/cache"; }
                in_run "$B/test/runmode/$name" XDG_CACHE_HOME="$T/cache" CLWEAVE_SEED="$run" $(settings "$way")
                [ $failures -lt 10 ] || { echo "more than nine differences: the rest is left out"; done_; exit 1; }
            done
        done
    done
done
done_
