#!/bin/bash
# clpeak on an emulated DSP, with no helpers that its launches could move to: launch latency is the board's set-up.
set -u
command -v clpeak > /dev/null || { echo "clpeak is missing: package clpeak"; exit 77; }
env LD_PRELOAD="$B/libclweave.so" CLWEAVE_MODE=run CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_DEVICES=none \
    clpeak -d 1 --use-event-timer --kernel-latency > "$T/out" 2> "$T/err" || { cat "$T/out" "$T/err"; exit 1; }
grep -q 'Device: HXDSP1042 (emulated)' "$T/out" && grep -q 'Kernel launch latency : 224.00 us' "$T/out" || { cat "$T/out" "$T/err"; exit 1; }
