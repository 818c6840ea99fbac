#!/bin/bash
# Plain macros in place: the same program to a preprocessor (macros.py).
# SECONDS: 5
set -u
python3 test/rewrite/macros.py "$B/test/rewrite/expander" "$T" "${SEEDS:-300}" > "$T/out" || { tail -40 "$T/out"; exit 1; }
tail -1 "$T/out"
