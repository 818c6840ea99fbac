#!/bin/bash
# stress.slow.sh - 10,008 reads of disjointly written parts, none stale: bare, traced, in program order and in random
# orders, on every set of devices.
set -u
name=disjoint
echo "$name -- '$(realpath "$B")/test/apps/disjoint' 1112" > "$T/list"
chaos=run/policy=chaos/manage_all=1
python3 test/suites/suite.py --build "$B" --bare 2 --seeds 5 --repeat 1 --jobs 2 -c trace -c run \
    -c $chaos/devices=none -c $chaos/devices=basic:2 -c $chaos/devices=sub:2 -c $chaos/dsp=4/dsp_clock=virtual "$T/list"
