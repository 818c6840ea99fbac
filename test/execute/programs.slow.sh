# Real programs, captured, run again in trace order and in 100 random orders, bit-identical; with an edge left out, not.
# Those that are not installed are left out; fewer than three is a skip.
. test/execute/common.sh
orders=${ORDERS:-100} done_count=0
export HOME=$T/home XDG_CACHE_HOME=$T/home/.cache XDG_DATA_HOME=$T/home/.local/share LC_ALL=C.UTF-8
export OPENCV_OPENCL_CACHE_DIR=$T/opencv-cache OPENCV_OPENCL_DEVICE=:CPU:0 PYOPENCL_NO_CACHE=1 PYOPENCL_CTX=0
mkdir -p "$XDG_CACHE_HOME" "$XDG_DATA_HOME" "$OPENCV_OPENCL_CACHE_DIR"
have() { command -v "$1" > /dev/null || { echo "no $1"; return 1; }; }
module() { # sets python to an interpreter that has it; another one may come first in PATH
    for python in python3 /usr/bin/python3; do
        "$python" -c "import $1" 2> /dev/null && return 0
    done
    echo "no python3 with $1"; return 1
}

program() {
    local name=$1
    capture "$@"
    equal "$name" "$orders"
    wrong "$name"
    done_count=$((done_count + 1))
}

if have hashcat; then
    printf acl9 | md5sum | cut -d' ' -f1 > "$T/hash"
    for name in hashcat hashcat-warm; do # the second time it makes its programs from the binaries that it kept
        rm -f "$T/cracked"
        program $name hashcat -m 0 -a 3 "$T/hash" '?l?l?l?d' --force -D 1 -d 1 --potfile-disable --quiet \
            --session "clweave$$" -o "$T/cracked" --outfile-format 2 -w 1
        [ "$(cat "$T/cracked")" = acl9 ] || fail "$name did not crack the hash"
    done
    done_count=$((done_count - 1))
fi

if have ffmpeg; then
    program ffmpeg ffmpeg -v error -nostdin -y -init_hw_device opencl=ocl:0.0 -filter_hw_device ocl \
        -f lavfi -i testsrc2=s=160x120:d=0.3:r=10 -vf \
        format=yuv420p,hwupload,avgblur_opencl=sizeX=3:sizeY=3,erosion_opencl,transpose_opencl=dir=clock,hwdownload,format=yuv420p \
        -f rawvideo "$T/video.raw"
fi

if module pyopencl; then
    cat > "$T/arrays.py" <<'PYTHON'
import numpy as np, pyopencl as cl, pyopencl.array as arrays
from pyopencl.scan import InclusiveScanKernel
from pyopencl.reduction import ReductionKernel
context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
a = np.arange(5000, dtype=np.float32) / 7
x, y = arrays.to_device(queue, a), arrays.to_device(queue, a[::-1].copy())
z = 2 * x + y ** 2 - x / (y + 1)
dot = ReductionKernel(context, np.float32, neutral="0", reduce_expr="a+b", map_expr="p[i]*q[i]",
                      arguments="__global float *p, __global float *q")
i = arrays.to_device(queue, (np.arange(5000) % 10).astype(np.int32))
s = i.copy()
InclusiveScanKernel(context, np.int32, "a+b", neutral="0")(s)
assert (s.get() == np.cumsum(np.arange(5000) % 10)).all()
print(float(dot(x, z).get()), float(arrays.sum(z).get()))
PYTHON
    program pyopencl "$python" "$T/arrays.py"
fi

if module cv2; then
    cat > "$T/pictures.py" <<'PYTHON'
import numpy as np, cv2
assert cv2.ocl.haveOpenCL()
cv2.ocl.setUseOpenCL(True)
picture = cv2.UMat((np.arange(120 * 160 * 3) % 251).astype(np.uint8).reshape(120, 160, 3))
grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
blurred = cv2.GaussianBlur(grey, (5, 5), 1.5)
small = cv2.resize(blurred, (80, 60))
edges = cv2.Canny(small, 30, 90)
print(int(np.sum(edges.get())), int(np.sum(cv2.add(blurred, grey).get())))
PYTHON
    program opencv "$python" "$T/pictures.py"
fi

echo "$done_count real programs"
[ "$done_count" -ge 3 ] || { echo "fewer than three of hashcat, ffmpeg, pyopencl, OpenCV are installed"; exit 77; }
