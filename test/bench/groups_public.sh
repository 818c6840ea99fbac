#!/bin/bash
# groups_public.sh TO POLYBENCH [RODINIA] - builds public stencil programs for groups.bench, from checkouts of PolyBench/GPU and of
# Rodinia, and prints the lists that it takes: TO/end.list (they wait at the end: jacobi-1d, jacobi-2d, fdtd-2d, adi and convolution-3d
# in sequence, in_sequence.h, and hotspot without -DTIMING) and TO/step.list (the same of PolyBench as they are: they wait after each
# launch or step). CELLS (33554432): of each array, 4 bytes each.
set -eu
to=$1 polybench=$2 rodinia=${3:-} here=$(cd "$(dirname "$0")" && pwd) cells=${CELLS:-33554432}
mkdir -p "$to"; to=$(cd "$to" && pwd)
side=$(python3 -c "import sys; print(int(int(sys.argv[1]) ** .5) // 256 * 256)" "$cells")
deep=$((cells / 65536))

# polybench_one NAME SUFFIX COMPILER_OPTION... : builds it, and prints its row
polybench_one() {
    local name=$1 suffix=$2; shift 2
    local from=$polybench/OpenCL/stencils/$name
    mkdir -p "$to/$name$suffix"
    cp "$from"/*.cl "$to/$name$suffix/"
    gcc -O2 -w -DOPENCL_DEVICE_SELECTION=CL_DEVICE_TYPE_CPU -DRUN_ON_CPU=0 -DCL_TARGET_OPENCL_VERSION=120 "$@" \
        -I"$polybench/OpenCL/utilities" -I"$from" "$from"/*.c -o "$to/$name$suffix/program" -lOpenCL -lm
    printf 'polybench %s\tcd %s && exec ./program\n' "$name" "$to/$name$suffix"
}
all() { # SUFFIX COMPILER_OPTION... : 32 launches or so of each; adi has two for each row
    polybench_one jacobi-1d-imper "$1" -DTSTEPS=16 -DN="$cells" "${@:2}"
    polybench_one jacobi-2d-imper "$1" -DTSTEPS=16 -DN="$side" "${@:2}"
    polybench_one fdtd-2d "$1" -DTMAX=10 -DNX="$side" -DNY="$side" "${@:2}"
    polybench_one convolution-3d "$1" -DNI="$deep" -DNJ=256 -DNK=256 "${@:2}"
    polybench_one adi "$1" -DTSTEPS=1 -DN=$((side * 2 / 3 / 256 * 256)) "${@:2}"
}
all "" > "$to/step.list"
all -seq -include "$here/in_sequence.h" > "$to/end.list"
if [ -n "$rodinia" ]; then
    hot=$((side / 3 / 256 * 256)) # bound by computing, and its input is text
    mkdir -p "$to/hotspot"
    cp "$rodinia"/opencl/hotspot/hotspot_kernel.cl "$to/hotspot/"
    gcc -O2 -w -fcommon -DCL_TARGET_OPENCL_VERSION=120 -I"$rodinia/opencl/hotspot" -I"$rodinia/opencl/util" \
        "$rodinia"/opencl/hotspot/*.c "$rodinia/opencl/util/timing.c" -o "$to/hotspot/program" -lOpenCL -lm
    for file in temp power; do
        [ -s "$to/hotspot/$file" ] || awk -v n=$((hot * hot)) -v base=$([ $file = temp ] && echo 320 || echo 0) \
            'BEGIN { srand(7); for (i = 0; i < n; i++) printf "%.3f\n", base + rand() }' > "$to/hotspot/$file"
    done
    printf 'rodinia hotspot\tcd %s && exec ./program %s 1 16 temp power /dev/null -p 0 -d 0\n' "$to/hotspot" "$hot" >> "$to/end.list"
fi
