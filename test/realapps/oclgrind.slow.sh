#!/bin/bash
# Another vendor than PoCL: a client of clFFT on oclgrind, a simulator. Everything must pass through, and be recorded.
WITNESS_DRIVER=$(find /usr/lib -name 'liboclgrind-rt-icd.so' 2> /dev/null | head -n 1)
[ -n "$WITNESS_DRIVER" ] || { echo "oclgrind is missing: package oclgrind"; exit 77; }
. test/realapps/common.sh
needs clFFT-client clfft-client
mask() {
    sed '/Execution/d'
}
least_enqueues=2
transform=(clFFT-client -x 64 -y 8 -b 2 -p 1)
same_everywhere "${transform[@]}"
for way in run all chaos1 dsp; do
    one_run "$way" "${transform[@]}"
    for part in status masked files; do
        cmp -s "$T/bare/$part" "$T/$way/$part" || fail "$way: $part differs from the bare run"
    done
    grep -q 'run: 0 commands managed' "$T/$way/stderr" || fail "$way: managed commands of a vendor of whom nothing is known"
done
verdict
