#!/bin/bash
# A program that drops its events, kernels and buffers at once: that closes no window, so that whole rounds are planned.
# COMPILER: shared
. test/runmode/common.sh
program=$B/test/runmode/drops
export XDG_CACHE_HOME=$T/cache
bare "$program" || exit $((skipped ? 77 : 1))
# a window closes by age only when the program stands still for 100 ms there
in_run "$program" CLWEAVE_DSP=2 CLWEAVE_DEVICES=dsp CLWEAVE_DSP_CLOCK=virtual CLWEAVE_MANAGE_ALL=1
managed 250
[ "$(count windows)" -le 60 ] || fail "$(count windows) windows for 11 rounds: $(cat "$T/summary")"
for devices in none basic sub:2; do
    in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=7 CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=$devices
    managed 240
done
done_
