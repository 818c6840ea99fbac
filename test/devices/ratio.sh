# Launches cut between emulated DSPs of known speeds, one of which becomes four times slower midway: against the best static
# split, and how soon its blocks are right again. The virtual clock makes that exact; this machine's speed is no part of it.
# SECONDS: 20
# COMPILER: shared
. test/devices/common.sh
export HOME=$T XDG_CACHE_HOME=$T/xdg; mkdir -p "$XDG_CACHE_HOME"
[ -x "$B/clweave-footprint" ] || { echo "kernels without models are not cut (clweave-footprint)"; exit 77; }
MACHINES="1:5 1:1:1 1:20:20:20:20" python3 scripts/experiments/ratio_board.py "$B" "$T"
