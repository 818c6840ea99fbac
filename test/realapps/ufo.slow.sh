#!/bin/bash
# UFO, the image pipelines of tomography: a thread for each task, so that several threads enqueue on one queue; FFTs, medians,
# and sums over a stack.
. test/realapps/common.sh
needs ufo-launch libufo-bin
[ -d /usr/share/ufo ] || { echo "the tasks of ufo-launch are missing: packages ufo-filters, ufo-filters-data"; exit 77; }
export UFO_DEVICE_TYPE=cpu
python3 - "$T/input/in.raw" << 'END'
import array, sys
level, state, pixels = 0.0, 1, array.array("f")
for _ in range(3 * 96 * 128):
    state = (1103515245 * state + 12345) % 2**31
    level = 0.9 * level + state / 2**31 - 0.5
    pixels.append(level)
pixels.tofile(open(sys.argv[1], "wb"))
END
read=(read "path=$T/input/in.raw" raw-width=128 raw-height=96 raw-bitdepth=32)
mask() {
    sed 's/Finished in.*//'
}
# (a median of what ifft leaves differs from run to run of the bare program)
pipeline=("${read[@]}" "!" fft dimensions=1 "!" filter "!" ifft dimensions=1 "!" blur size=7 "!" gradient
    "!" crop x=3 y=5 width=64 height=64 "!" transpose)
same_everywhere ufo-launch "${pipeline[@]}" ! write filename=@work@/o-%i.tif
same_in_run_mode ufo-launch "${pipeline[@]}" ! write filename=@work@/o-%i.tif
[ -s "$T/bare/work/o-2.tif" ] || fail "no picture came out"
verdict
