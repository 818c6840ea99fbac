"""Runs OpenCV functions on UMat (OpenCL) and prints a hash of each result, checked against the CPU's."""
import hashlib
import sys

import cv2
import numpy as np

assert cv2.ocl.haveOpenCL(), "OpenCV sees no OpenCL"
cv2.ocl.setUseOpenCL(True)
assert cv2.ocl.useOpenCL() and cv2.ocl.Device.getDefault().name(), "OpenCV uses no OpenCL device"

random = np.random.default_rng(5)
colour = random.integers(0, 256, (192, 256, 3), dtype=np.uint8)
grey = np.ascontiguousarray(colour[:, :, 0])
a, b = random.random((64, 64), dtype=np.float32), random.random((64, 64), dtype=np.float32)
bad = 0


def check(name, function, room, *inputs):
    global bad
    cv2.ocl.setUseOpenCL(False)
    want = function(*inputs)
    cv2.ocl.setUseOpenCL(True)
    got = function(*[cv2.UMat(x) for x in inputs])
    got = got.get() if isinstance(got, cv2.UMat) else np.float64(got)
    worst = np.abs(np.asarray(want, np.float64) - np.asarray(got, np.float64)).max()
    bad += not worst <= room
    print(name, hashlib.sha256(np.ascontiguousarray(got).tobytes()).hexdigest()[:16], "ok" if worst <= room else worst)


check("blur", lambda x: cv2.GaussianBlur(x, (5, 5), 1.2), 1, colour)
check("resize", lambda x: cv2.resize(x, (100, 150)), 1, colour)
check("grey", lambda x: cv2.cvtColor(x, cv2.COLOR_BGR2GRAY), 1, colour)
check("product", lambda x, y: cv2.gemm(x, y, 1.0, None, 0.0), 1e-3, a, b)
check("mixture", lambda x, y: cv2.addWeighted(x, 0.3, y, 0.7, 1.0), 1e-5, a, b)
check("threshold", lambda x: cv2.threshold(x, 100, 255, cv2.THRESH_BINARY)[1], 0, grey)
check("median", lambda x: cv2.medianBlur(x, 5), 0, grey)
check("histogram", cv2.equalizeHist, 0, grey)
check("opening", lambda x: cv2.morphologyEx(x, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), 0, grey)
check("half", cv2.pyrDown, 1, colour)
check("edges", lambda x: cv2.Laplacian(x, cv2.CV_16S, ksize=3), 0, grey)
print("done, wrong:", bad)
sys.exit(bad != 0)
