#!/bin/bash
# Many random kernels against Oclgrind, another set than fuzz.sh.
SEED=2 COUNT=400 exec bash test/footprint/fuzz.sh
