#!/bin/bash
# device_faults.sh [FOLDER] - one of four emulated DSPs dies, hangs or becomes 20 times slower at a tile of a launch that all
# four share: the bytes, and the time of all launches against runs without the fault, on the real clock (DSPs are slow by their
# platform file, so a host of two cores keeps up). TILES, ROUNDS, KERNELS; exit 1: other bytes, or more than 1.5 times as long.
. "$(dirname "$0")/common.sh"
[ -x "$B/test/bench/tile_speed" ] && [ -x "$B/clweave-footprint" ] ||
    { echo "device_faults: tile_speed or LLVM is missing; run make tests first" >&2; exit 1; }
HOME=$scratch POCL_CACHE_DIR=$scratch/pocl XDG_CACHE_HOME=$scratch/cache \
    python3 "$root/scripts/experiments/device_faults.py" "$B" "$out"
