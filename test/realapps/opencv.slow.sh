#!/bin/bash
# OpenCV's transparent API from Python: finds libOpenCL by dlopen, a callback on every kernel's event, maps, no finish.
. test/realapps/common.sh
needs_module cv2 python3-opencv
export OPENCV_OPENCL_DEVICE=:CPU:0
same_everywhere "$python" "$PWD/test/realapps/opencv_umat.py"
run_ways="all far far_home"
same_in_run_mode "$python" "$PWD/test/realapps/opencv_umat.py"
grep -q '^done' "$T/bare/stdout" || fail "the script did not come to its end"
verdict
