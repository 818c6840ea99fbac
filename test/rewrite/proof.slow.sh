#!/bin/bash
# proof.sh with ROUNDS (10) times 40 random kernels, elsewhere with SEED.
set -u
first=${SEED:-2000}
SEEDS=$(seq "$first" $((first + ${ROUNDS:-10} - 1)) | tr '\n' ' ') KERNELS=40 exec test/rewrite/proof.sh
