#!/bin/bash
# Every own kernel cut many times, and many random kernels against traces.
set -u
. test/footprint/common.sh
bad=0
cutcheck() { python3 $here/cutcheck.py --footprint "$f" --runner "$B/test/footprint/runner" "$@"; }
cutcheck "${oracle[@]}" --pocl --orders 6 $here/own.json $here/kernels || bad=1
cutcheck "${oracle[@]}" --pocl --orders 6 $here/cut.json $here/kernels || bad=1
SEED=2 COUNT=400 bash $here/cut_fuzz.sh || bad=1
exit $bad
