# PoCL in the clothes of NVIDIA's driver (libgpucl.so, gpucl.c): streams and staged transfers together, as on a GPU. `stuck`: what a
# program's callbacks and threads may wait for bare, they may wait for with both; the others read the same. ALL=1: more of them.
# SLOW: ALL=1
# SECONDS: 30
. test/runmode/common.sh
layer=$(realpath "$B")/test/libgpucl.so
export OPENCL_LAYERS=$layer

# both PROGRAM VARIABLE=VALUE... : the same with streams and staged transfers
both() {
    local program=$1
    shift
    bare "$program" && in_run "$program" CLWEAVE_STREAMS=force CLWEAVE_STAGING=force "$@"
}
both "$B/test/runmode/stuck"
in_run "$B/test/runmode/stuck" CLWEAVE_STREAMS=force CLWEAVE_STAGING=off
! grep -q 'still waits' "$T/run.err" || fail "$(grep 'still waits' "$T/run.err")"
both "$B/test/runmode/medley" CLWEAVE_POLICY=chaos CLWEAVE_SEED=3
both "$B/test/runmode/addresses"
export GPUCL_HOLD=0 # `streams` fills behind a user event that the same thread sets later
bare "$B/test/runmode/streams"
in_run "$B/test/runmode/streams" CLWEAVE_STREAMS=force CLWEAVE_STAGING=off # writes that block are the vendor's, which returns early
both "$B/test/runmode/streams"
grep -q '^run: streams: ' "$T/summary" && grep -q 'through pinned memory' "$T/summary" || fail "not streamed and staged: $(cat "$T/summary")"
unset GPUCL_HOLD
both "$B/test/runmode/staged" CLWEAVE_POLICY=chaos CLWEAVE_SEED=2
both "$B/test/runmode/staged_images" CLWEAVE_POLICY=chaos CLWEAVE_SEED=2
for program in "$B"/test/apps/{chains8,manybufs,threads,userevents_maps} ${ALL:+"$B"/test/apps/*}; do
    [ -f "$program" ] && [ "$(basename "$program")" != events_ooo ] && both "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=1
done
done_
