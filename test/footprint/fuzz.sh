#!/bin/bash
# Random kernels against Oclgrind. More of them: SEED=7 COUNT=1000 B=build T=FOLDER bash test/footprint/fuzz.sh
# SLOW: SEED=2 COUNT=400
set -u
. test/footprint/common.sh
[ ${#oracle[@]} -gt 0 ] || exit 77
python3 $here/fuzz.py "${SEED:-1}" "${COUNT:-40}" "$T" || exit 1
check "${oracle[@]}" --tiles 4 "$T/table.json" "$T"
