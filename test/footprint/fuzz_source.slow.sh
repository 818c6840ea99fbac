#!/bin/bash
# The helper against mutated sources: no crash, no hang, no wrong acceptance. FUZZ_SECONDS (60) and SEED say how long and which;
# CLWEAVE_CORPUS, colon-separated folders, adds other sources; a build with SAN=address,undefined looks closer (B=...).
set -u
. test/footprint/common.sh
[ -x "$B/test/footprint/models" ] || { echo "no $B/test/footprint/models"; exit 77; }
plugin=-; [ ${#oracle[@]} -gt 0 ] && plugin=$T/trace.so
IFS=: read -r -a folders <<< "${CLWEAVE_CORPUS:-}"
python3 $here/fuzz_source.py "${FUZZ_SECONDS:-60}" "${SEED:-1}" "$f" "$B/test/footprint/models" "$B/test/footprint/runner" "$plugin" $here/own.json $here/kernels "${folders[@]}"
