#!/bin/bash
# Pixels that random kernels touch, against an instrumented copy on the first OpenCL device; false claims are noticed.
# More of them: SEED=7 COUNT=1000 B=build T=FOLDER bash test/footprint/images.sh
# SECONDS: 30
# SLOW: SEED=2 COUNT=200
set -u
. test/footprint/common.sh
python3 $here/images.py "$f" "$B/test/footprint/runner" "${SEED:-1}" "${COUNT:-12}" "$T"
