#!/bin/bash
# Every own kernel cut many times, and random kernels against traces (another set: SEED=7 COUNT=1000).
set -u
. test/footprint/common.sh
bad=0
cutcheck() { python3 $here/cutcheck.py --footprint "$f" --runner "$T/runner" "$@"; }
cutcheck "${oracle[@]}" --pocl --orders 6 $here/own.json $here/kernels || bad=1
[ ${#oracle[@]} -gt 0 ] || exit $bad
python3 $here/fuzz.py "${SEED:-3}" "${COUNT:-200}" "$T" || exit 1
cutcheck "${oracle[@]}" "$T/table.json" "$T" || bad=1
exit $bad
