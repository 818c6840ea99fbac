# Queues whose commands pass (core/passing.h): threads that share an in-order queue and go from it to their own and back, by lot, print
# with helpers, with memories of their own, and with GPUs that have not begun what they print bare; commands do pass. Tracking that
# resumes too early shows. A GPU that waits for others gets the calls of the bare program, and no more.
# SECONDS: 40
# COMPILER: shared
. test/runmode/common.sh

# threads SEED STEPS THREADS : the program of the next runs
threads() {
    printf '#!/bin/sh\nexec "%s" %s\n' "$B/test/runmode/passes" "$*" > "$T/program"
    chmod +x "$T/program"
    bare "$T/program"
}
passed() { grep -qE '^run: left: [1-9][0-9]* nothing gained of late' "$T/summary" || fail "no command passed: $(cat "$T/summary")"; }

for seed in $(seq "${SEEDS:-1}"); do
    threads "$seed" 300 3 && in_run "$T/program" CLWEAVE_DEVICES=sub:2
    in_run "$T/program" CLWEAVE_DEVICES=none CLWEAVE_LEARN=all
    in_run "$T/program" CLWEAVE_DEVICES=far:1,far-home
done
# on a busy machine kernels count as long, which are left to the vendor one by one, and none waits for the wrong bytes: then it is done again
planted=0 noticed=0
for seed in 1 2 3 4 5 6; do
    threads "$seed" 200 1
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_DEVICES=none CLWEAVE_FAULT=resumed:1 timeout 240 "$T/program" > "$T/run" 2> "$T/run.err"
    grep -q '^run: fault resumed:1 planted' "$T/run.err" && planted=1 || continue
    cmp -s "$T/bare" "$T/run" || { noticed=1; break; }
done
[ $planted = 0 ] || [ $noticed = 1 ] || fail "resumed was not noticed: $(cat "$T/run")"
[ $planted = 1 ] || too_busy "resumed was not planted: $(cat "$T/run.err")"
# GPUs
for seed in $(seq "${SEEDS:-1}"); do
    export OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so GPUCL_ALONE=1 POCL_DEVICES="pthread pthread pthread"
    threads "$seed" 300 3 && in_run "$T/program" CLWEAVE_DEVICES=gpu && passed
    in_run "$T/program" CLWEAVE_DEVICES=gpu CLWEAVE_LEARN=all
    unset OPENCL_LAYERS GPUCL_ALONE POCL_DEVICES
done
# calls of the vendor that commands make; a span that another process has made long is looked at: then it is done again
calls='^cl(Enqueue|Finish|Flush|WaitForEvents|CreateUserEvent|SetUserEventStatus|SetEventCallback|RetainEvent|ReleaseEvent|GetEvent)'
vendor() {
    rm -f "$T/log"
    env OCL_ICD_VENDORS="$B/test/libnullcl.so" NULLCL_GPU="NVIDIA CUDA" NULLCL_DEVICES=2 NULLCL_LOG="$T/log" GPU_SPEED_MIB=1 "$@" \
        "$B/test/bench/gpu_speed" "" small8 chain read4 pipeline events > "$T/out" || fail "gpu_speed $*"
    grep -E "$calls" "$T/log" | cut -d ' ' -f 1 | sort | uniq -c
}
vendor > "$T/calls"
for turn in 1 2 3 4 5 6; do
    vendor LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_DEVICES=gpu > "$T/more"
    cmp -s "$T/calls" "$T/more" && break
done
diff "$T/calls" "$T/more" || fail "other calls of the vendor than bare"
compared=$((compared + 1))
done_
