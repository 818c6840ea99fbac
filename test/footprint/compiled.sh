#!/bin/bash
# Compiled launches against the evaluator: own kernels and random ones, random sizes, scalars and tiles.
set -u
f=$B/clweave-footprint
[ -x "$f" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
python3 test/footprint/fuzz.py "${SEED:-4}" "${COUNT:-30}" "$T" || exit 1
python3 test/footprint/compiled.py "$f" "$B/test/footprint/compiled" test/footprint/own.json test/footprint/kernels &&
    python3 test/footprint/compiled.py "$f" "$B/test/footprint/compiled" "$T/table.json" "$T"
