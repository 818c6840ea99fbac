#!/bin/bash
# StarPU's examples on an OpenCL worker alone: a runtime that polls events, several queues, non-blocking transfers. How
# often it polls differs from run to run, and so may its transfers; what it computes does not.
. test/realapps/common.sh
examples=$(ls -d /usr/lib/*/starpu/examples 2> /dev/null | head -n 1)
if [ -z "$examples" ]; then
    echo "StarPU's examples are missing: package starpu-examples"
    exit 77
fi
export STARPU_NCPU=0 STARPU_NOPENCL=1 STARPU_OPENCL_ON_CPUS=1 STARPU_OPENCL_ONLY_ON_CPUS=1
mask() {
    grep -iE 'correct|passed|^[0-9.,* -]+$'
}
all=$T
for example in vector_scal matvecmult block incrementer; do
    [ -x "$examples/$example" ] || continue
    T=$all/$example
    mkdir -p "$T"
    echo "$example:"
    same_everywhere "$examples/$example"
done
verdict
