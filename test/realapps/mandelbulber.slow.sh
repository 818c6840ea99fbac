#!/bin/bash
# A fractal renderer with Qt: several threads, programs put together from dozens of includes, a job that grows with the time
# that the last one took. The picture is the result; what it prints are times.
. test/realapps/common.sh
needs mandelbulber2 mandelbulber2
export QT_QPA_PLATFORM=offscreen
fractal=/usr/share/mandelbulber2/examples/IFS_001.fract
[ -e "$fractal" ] || { echo "$fractal is missing: package mandelbulber2"; exit 77; }
least_enqueues=2
mask() {
    cat > /dev/null
}
render=(mandelbulber2 -n -f png -r 96x72 -O 'opencl_enabled=1#opencl_device_type=3#opencl_mode=3' -o @work@/picture.png "$fractal")
same_everywhere "${render[@]}"
[ -s "$T/bare/work/picture.png" ] || fail "no picture"
run_ways="all chaos1"
same_in_run_mode "${render[@]}"
verdict
