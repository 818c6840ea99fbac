#!/bin/bash
# PyOpenCL 2022.3.1 (Debian 12): sums of small integers wrap, and an integer array has no power.
#
# Guess: pyopencl.array follows NumPy, whose interface it has: a sum of int8 is made in a wider type, and `a ** 2` squares an array of int32.
# Seen: the sum of 1000 int8 of 100 is -96 (NumPy: 100000), as it is made in the array's type where no dtype is given. `a ** 2` ends with a build
# error, as the generated kernel calls pow() with two integers, which OpenCL C does not have.
# In the product: nothing computes by PyOpenCL; test/realapps compares what its programs print under run mode with their bare output.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=2022.3.1-2.1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends pocl-opencl-icd "python3-pyopencl=$version" > /dev/null 2>&1 ||
    { echo "no package python3-pyopencl=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
export XDG_CACHE_HOME=$T POCL_CACHE_DIR=$T PYOPENCL_CTX=0 OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
seen=$(/usr/bin/python3 -W ignore - 2> /dev/null << 'PY'
import numpy, pyopencl, pyopencl.array as array
queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
bytes_ = numpy.full(1000, 100, numpy.int8)
print(array.sum(array.to_device(queue, bytes_)).get(), bytes_.sum(), end=" ")
try:
    print((array.to_device(queue, numpy.array([2, 3], numpy.int32)) ** 2).get())
except pyopencl.RuntimeError as e:
    print("BUILD_PROGRAM_FAILURE" if "BUILD_PROGRAM_FAILURE" in str(e) else e)
PY
)
echo "PyOpenCL $version: sum here, sum of NumPy, power: $seen"
[ "$seen" = "-96 100000 BUILD_PROGRAM_FAILURE" ]
