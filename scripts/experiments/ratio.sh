#!/bin/bash
# ratio.sh [FOLDER] - adaptive block and ratio (patent RATIO) in exact virtual time: sync, the patent, beside async, ours, on
# machines of two to five devices, and the ratio and the parts over time on one of them; then by the executor on emulated DSPs,
# on their virtual clock (CLOCK=real: the real one, which needs a machine with nothing else to do).
. "$(dirname "$0")/common.sh"
[ -x "$B/test/bench/bench_ratio" ] || { echo "ratio: $B/test/bench/bench_ratio is missing; run make tests first" >&2; exit 1; }
"$B/test/bench/bench_ratio"
"$B/test/bench/bench_ratio" series > "$out/figures.dat"
sed 's/ /,/g; 1i mode,ms,device,share,part' "$out/figures.dat" > "$out/results.csv"
figure <<'EOF2'
set multiplot layout 2,2 title 'three devices 1 : 2 : 4, three launches; in the middle of the third the fastest becomes as slow as the slowest' noenhanced
set key outside right
set xlabel 'ms'
do for [mode in "async sync"] {
    set title mode.': ratio'
    set yrange [0:0.7]
    plot for [d=0:2] '< grep "^'.mode.' [0-9.]* '.d.' " figures.dat' using 2:4 with steps linewidth 2 title sprintf("device %d", d)
}
set autoscale y
set logscale y
do for [mode in "async sync"] {
    set title mode.(mode eq "sync" ? ': block' : ': part')
    plot '< grep "^'.mode.' [0-9.]* 0 " figures.dat' using 2:5 with points pointtype 7 pointsize 0.4 title 'groups'
}
unset multiplot
EOF2

[ -x "$B/test/bench/tile_speed" ] && [ -x "$B/clweave-footprint" ] || { echo "(not on emulated DSPs: tile_speed or LLVM is missing)"; exit 0; }
HOME=$scratch POCL_CACHE_DIR=$scratch/pocl XDG_CACHE_HOME=$scratch/cache python3 "$root/scripts/experiments/ratio_board.py" "$B" "$out"
