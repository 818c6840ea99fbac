#!/bin/bash
# clFFT: plans with kernels of their own, transposes between them, events between transforms.
. test/realapps/common.sh
needs_header clFFT.h libclfft-dev
build_client fft.c -lclFFT -lm
same_everywhere "$T/fft"
same_in_run_mode "$T/fft"
grep -q '^done' "$T/bare/stdout" || fail "the program did not come to its end"
verdict
