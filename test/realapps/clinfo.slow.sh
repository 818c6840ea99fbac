#!/bin/bash
# clinfo: asks everything and enqueues nothing; its trace still has to name the platform and the device.
. test/realapps/common.sh
needs clinfo clinfo
least_enqueues=0
same_everywhere clinfo
for mode in $recorded; do
    grep -q '"platforms": *\[ *{' <(cat "$T/$mode"/traces/*.json | tr -d '\n') || fail "$mode: the trace names no platform"
done
verdict
