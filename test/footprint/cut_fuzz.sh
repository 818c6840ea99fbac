#!/bin/bash
# Random kernels that may just or just not be cut, against traces. More of them: SEED=7 COUNT=1000 B=build T=FOLDER bash
# test/footprint/cut_fuzz.sh
set -u
. test/footprint/common.sh
[ ${#oracle[@]} -gt 0 ] || exit 77
python3 $here/cut_fuzz.py "${SEED:-1}" "${COUNT:-20}" "$T" || exit 1
python3 $here/cutcheck.py --footprint "$f" --runner "$B/test/footprint/runner" "${oracle[@]}" "$T/table.json" "$T"
