#!/bin/bash
# rows.sh at length: ROUNDS (12) times 40 kernels, 20 launches each, elsewhere with SEED.
set -u
first=${SEED:-1000}
SEEDS=$(seq "$first" $((first + ${ROUNDS:-12} - 1)) | tr '\n' ' ') KERNELS=40 LAUNCHES=20 exec test/rewrite/rows.sh
