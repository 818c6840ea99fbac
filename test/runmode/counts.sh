# Reference counts as bare, in ways of running that promises.sh does not try: helpers that are named, DSPs, memories, staged transfers,
# recording, and three runs that learn.
# COMPILER: shared
. test/runmode/common.sh
export XDG_CACHE_HOME=$T/cache; mkdir -p "$XDG_CACHE_HOME"
program=$B/test/runmode/counts
bare "$program" || exit $((skipped ? 77 : 1))
in_run "$program" CLWEAVE_DSP=2 CLWEAVE_DEVICES=dsp CLWEAVE_DSP_CLOCK=virtual CLWEAVE_MANAGE_ALL=1
managed 100
in_run "$program" CLWEAVE_DEVICES=sub:2 CLWEAVE_POLICY=chaos CLWEAVE_SEED=2 CLWEAVE_MANAGE_ALL=1
managed 100
in_run "$program" CLWEAVE_DEVICES=far:1,far-home CLWEAVE_POLICY=chaos CLWEAVE_SEED=2 CLWEAVE_MANAGE_ALL=1
managed 100
for streams in off force off; do
    in_run "$program" CLWEAVE_STAGING=force CLWEAVE_DEVICES=none CLWEAVE_STREAMS=$streams
done
in_run "$program" CLWEAVE_OUT="$T/trace.json" CLWEAVE_MANAGE_ALL=1
managed 100
for i in 1 2 3; do
    in_run "$program" CLWEAVE_LEARN=all
done
done_
