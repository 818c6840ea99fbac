#!/bin/bash
# OpenMM, molecular dynamics: sorts, neighbour lists whose length is read back without blocking, some 20 kernels a step.
. test/realapps/common.sh
needs_module openmm python3-simtk
program=$PWD/test/realapps/openmm_liquid.py
same_everywhere "$python" "$program"
same_in_run_mode "$python" "$program"
grep -q 'kJ/mol' "$T/bare/stdout" || fail "the program did not come to its end"
verdict
