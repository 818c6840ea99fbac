# A program as OpenMM is gains nothing by streams: its queues leave them, whether it waits in each step, after every tenth or hardly ever. From
# then on the driver gets the calls that it gets bare, with no event or marker more; before, few of either. Times are played: a call takes
# the null driver 5 us, an event 3.5 us more, and all is over at once. Below PoCL in the clothes of NVIDIA's driver all reads the same.
# SECONDS: 10
. test/runmode/common.sh
program=$B/test/runmode/steps layer=$(realpath "$B")/test/libgpucl.so
printf '#!/bin/sh\nexec "%s" 60 3\n' "$program" > "$T/short"
chmod +x "$T/short"
export OPENCL_LAYERS=$layer
bare "$T/short" && in_run "$T/short" && in_run "$T/short" CLWEAVE_STREAMS=force
unset OPENCL_LAYERS
export OCL_ICD_VENDORS=$B/test/libnullcl.so NULLCL_GPU="NVIDIA CUDA" NULLCL_CALL_NS=5000 NULLCL_EVENT_NS=3500

# shape : calls with which arguments are 0, but for values
shape() { awk '{ line = $1; for (i = 2; $1 !~ /SetKernelArg/ && i <= NF; i++) line = line ($i == "0" ? " 0" : " x"); print line }'; }
# count FILE EXPRESSION
count_in() { grep -cE "$2" "$1"; }
marks='^clEnqueue(Marker|Barrier)'
steps=1200
# fanned EACH : a run whose cache is $T/ways; prints how many of its spans fanned out
fanned() {
    env XDG_CACHE_HOME="$T/ways" LD_PRELOAD="$shim $B/test/libplayed.so" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 timeout 120 "$program" $steps "$1" 2>&1 |
        sed -n 's/^run: streams: \([0-9]*\) of [0-9]* spans.*/\1/p'
}
mkdir -m 700 "$T/ways"
first=$(fanned 1) second=$(fanned 1)
[ "${second:-99}" -lt "${first:-0}" ] || fail "the second run fans out ${second:-no} spans, the first one ${first:-none}"
for each in 1 10 1000; do
    rm -f "$T/bare.log" "$T/run.log"
    NULLCL_LOG=$T/bare.log "$program" $steps $each > "$T/bare.out" || fail "bare, each $each"
    env NULLCL_LOG="$T/run.log" LD_PRELOAD="$shim $B/test/libplayed.so" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 \
        timeout 120 "$program" $steps $each > "$T/run.out" 2> "$T/run.err" || fail "each $each: exit status $?"
    cmp -s "$T/bare.out" "$T/run.out" || fail "each $each: other output"
    compared=$((compared + 1))
    grep -q '^run: streams: 2 of 2 queues left streams' "$T/run.err" || fail "each $each: not all queues have left: $(cat "$T/run.err")"
    more=$(($(count_in "$T/run.log" "$marks") - $(count_in "$T/bare.log" "$marks")))
    echo "each $each: $more markers more in $steps steps"
    [ $more -le 400 ] || fail "each $each: $more markers more"
    # the last 300 steps
    for of in bare run; do
        shape < "$T/$of.log" | awk '/^clEnqueueReadBuffer x x 0 / { n++ } n >= 900 && n < 1200' > "$T/$of.tail"
    done
    [ "$(wc -l < "$T/bare.tail")" -gt 20000 ] || fail "each $each: no calls"
    cmp -s "$T/bare.tail" "$T/run.tail" || { fail "each $each: other calls in the last steps"; diff "$T/bare.tail" "$T/run.tail" | head -10; }
done
done_
