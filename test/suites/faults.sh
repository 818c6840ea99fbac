#!/bin/bash
# faults.sh - the harness is proven: run mode plants one fault in a sample (a launch dropped, two that depend on each
# other swapped, one that sees other data, an event complete too early), and the comparison catches each.
set -u
[ -e /etc/OpenCL/vendors/pocl.icd ] || { echo "no OpenCL driver: package pocl-opencl-icd"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
failures=0 caught=0
chaos=run/policy=chaos/manage_all=1/seed=1

# plant NAME COMMAND FAULT... : the harness finds COMMAND the same without a fault and different with each
plant() {
    local name=$1 command=$2 fault configurations=
    shift 2
    echo "$name compare=reads allows=managed -- $command" > "$T/$name" # its exit status would be too easy
    for fault in "$@"; do
        configurations="$configurations -c $chaos/fault=$fault"
    done
    # shellcheck disable=SC2086
    python3 test/suites/suite.py --build "$B" --bare 2 --repeat 1 --jobs 2 -c $chaos $configurations "$T/$name" > "$T/table"
    grep -qE "^$name +$chaos +same " "$T/table" || { echo "FAIL: $name differs without a fault"; failures=$((failures + 1)); }
    for fault in "$@"; do
        if grep -qE "^$name +$chaos/fault=$fault +different +reads: at " "$T/table"; then
            caught=$((caught + 1))
        else
            echo "FAIL: $name: $fault was not caught"
            failures=$((failures + 1))
        fi
    done
    [ $failures = 0 ] || cat "$T/table"
}

apps=$(realpath "$B")/test/apps
plant jacobi "'$apps/jacobi'" drop:1 drop:3 swap:1 swap:2 swap:3 stale:1 stale:2
plant chains8 "'$apps/chains8'" drop:2 swap:1 stale:1
# no swap here: swap:1 once changed no byte on a busy machine (1 of 9 runs); whether it found no two launches to swap is not known
plant mapreduce "'$apps/mapreduce'" drop:1 stale:2
plant slow "'$(realpath "$B")/test/liar' slow" drop:1 stale:2 early:1
echo "$caught planted faults caught"
[ $failures = 0 ] && [ $caught = 15 ]
