#!/bin/bash
# GEGL, the image graph of GIMP, with OpenCL on the CPU: tiles through buffers, operations chained.
. test/realapps/common.sh
needs gegl gegl
export GEGL_USE_OPENCL=cpu GEGL_SWAP=RAM GEGL_THREADS=1
awk 'BEGIN { print "P3\n320 240\n255"; for (y = 0; y < 240; y++) for (x = 0; x < 320; x++)
    print int(127 + 120 * sin(x / 17)), int(y * 255 / 240), (x * 7 + y * 13) % 256 }' > "$T/input/in.ppm"
chain=(brightness-contrast contrast=1.3 gaussian-blur std-dev-x=3 std-dev-y=3 pixelize size-x=4 size-y=4 snn-mean radius=2 edge-laplace)
same_everywhere gegl "$T/input/in.ppm" -o @work@/out.ppm -- "${chain[@]}"
same_in_run_mode gegl "$T/input/in.ppm" -o @work@/out.ppm -- "${chain[@]}"
[ -s "$T/bare/work/out.ppm" ] || fail "no picture came out"
verdict
