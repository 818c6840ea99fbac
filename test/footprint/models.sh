#!/bin/bash
# Models written, read back and evaluated without LLVM: own kernels and random ones.
set -u
f=$B/clweave-footprint
[ -x "$f" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
python3 test/footprint/fuzz.py "${SEED:-3}" "${COUNT:-15}" "$T" || exit 1
python3 test/footprint/models.py "$f" "$B/test/footprint/models" test/footprint/own.json test/footprint/kernels &&
    python3 test/footprint/models.py "$f" "$B/test/footprint/models" "$T/table.json" "$T"
