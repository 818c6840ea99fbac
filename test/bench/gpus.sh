#!/bin/bash
# gpus.sh - launches that GPUs of one machine share: gpus_speed bare and under `clweave run --devices gpu` in turn, what they read
# compared; prints for each run the median of the rounds behind the first, and the first.
#
#   B=build test/bench/gpus.sh [CASE:SIZE:ROUNDS...]      cases of gpus_speed.c; those of the table in shim/RESULTS.md unless some are named; - is none
#
#   ICD=LIBRARY     the vendor's library: programs see no other vendor. Else the libnvidia-opencl.so.1 of ldconfig or LD_LIBRARY_PATH
#   RUNS=2          of each case; the models of kernels are known from the second run on
#   DEVICES=gpu     as `run` is asked
#   NUMERICS=strict
#   LEARN=all       other GPUs begin with the first launch to cut; auto: when they are earned, as users run them
#   CPU=LIBRARY     PoCL's library: its CPU is a second platform, for DEVICES=cpu and all; APP_PLATFORM=1 makes it the program's
#                   device, and the GPU the helper
#   LIMIT=60        seconds of one run
#   PROGRAMS=LIST   built public programs (test/suites/manifest.py), too: what they print and read, then public.bench's table of RUNS rounds
#   ONLY=REGEX      which of them
#
# Exit status 1: bytes differ, or a program failed or took too long. 77: there is no such library.
set -u
[ $# -gt 0 ] || [ -z "${T:-}" ] || { echo "minutes on several GPUs: by hand"; exit 77; } # test/run has set T
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}") limit=${LIMIT:-60} failed=0
T=$(mktemp -d "${TMPDIR:-/tmp}/clweave-gpus.XXXXXX"); export T XDG_CACHE_HOME=$T/cache
trap 'rm -rf "$T"' EXIT
unset ${!CLWEAVE_*} LD_PRELOAD
found() {
    ldconfig -p 2> /dev/null | sed -n 's/.*libnvidia-opencl\.so\.1 .*x86-64.* => //p'
    tr : '\n' <<< "${LD_LIBRARY_PATH:-}" | sed -n 's,.,&,; s,$,/libnvidia-opencl.so.1,p' | while read -r file; do [ ! -e "$file" ] || echo "$file"; done
}
icd=${ICD:-$(found | head -n 1)}
[ -n "$icd" ] || { echo "no library of 'NVIDIA' is found: name it (ICD)"; exit 77; }
mkdir "$T/vendors"
echo "$icd" > "$T/vendors/gpu.icd"
[ -z "${CPU:-}" ] || echo "$CPU" > "$T/vendors/pocl.icd"
export OCL_ICD_VENDORS=$T/vendors
[ $# -gt 0 ] || set -- jacobi:32768:5 jacobi:16384:8 jacobi:4096:8 matmul:16384:3 resident:16384:3 resident:8192:8 bodies:524288:6 \
    pi:33554432:6 options:67108864:6 fractal:16384:3 blur:16384:3 sparse:2097152:8 lu:24576:3 cholesky:24576:3

# one NAME CASE COMMAND... : runs COMMAND; its output in $T/NAME
one() {
    local name=$1 case=$2; shift 2
    timeout -k 5 "$limit" "$@" > "$T/$name" 2> "$T/err" && return
    echo "$case, $name: exit status $? (124: not over after $limit s): $(tail -n 2 "$T/err" | tr '\n' ' ')"
    failed=1
    return 1
}
ms() { awk -v n="$1" '$1 == n { print $2 / 1e6 }' "$T/$2"; }

timeout 20 nvidia-smi -L 2> /dev/null
printf '%-12s %10s  %10s %10s %6s  %10s %10s %6s\n' case size 'bare ms' 'run ms' ratio 'first bare' run ratio
[ "$1" != - ] || shift
for run in $(seq "${RUNS:-2}"); do
    for case; do
        IFS=: read -r name size rounds <<< "$case"
        one bare "$case" "$B/test/bench/gpus_speed" "$name" "$size" "$rounds" &&
            one run "$case" "$B/clweave" run --devices "${DEVICES:-gpu}" --set numerics="${NUMERICS:-strict}" --learn "${LEARN:-all}" -- "$B/test/bench/gpus_speed" "$name" "$size" "$rounds" || continue
        [ "$(grep hash= "$T/bare")" = "$(grep hash= "$T/run")" ] || { echo "$case: other bytes in run $run"; failed=1; }
        awk -v n="$name" -v s="$size" -v b="$(ms span_ns bare)" -v r="$(ms span_ns run)" -v fb="$(ms first_ns bare)" -v fr="$(ms first_ns run)" \
            'BEGIN { printf "%-12s %10s  %10.2f %10.2f %6.2f  %10.2f %10.2f %6.2f\n", n, s, b, r, b / r, fb, fr, fb / fr }'
    done
done
if [ -n "${PROGRAMS:-}" ]; then
    python3 test/suites/suite.py "$PROGRAMS" --build "$B" --only "${ONLY:-.}" --bare 2 --repeat 1 --seeds 1 --jobs 1 --quiet \
        -c "run/devices=${DEVICES:-gpu}/learn=${LEARN:-all}/numerics=${NUMERICS:-strict}" || failed=1
    CLWEAVE_DEVICES=${DEVICES:-gpu} CLWEAVE_LEARN=${LEARN:-all} CLWEAVE_NUMERICS=${NUMERICS:-strict} MANIFEST=$PROGRAMS \
        ROUNDS=${RUNS:-2} WARM=1 bash test/bench/public.bench
fi
exit $failed
