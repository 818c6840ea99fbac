#!/bin/bash
# faults.sh - the harness is proven: run mode plants one fault in a sample (a launch dropped, two that depend on each
# other swapped, one that sees other data, accesses of images that order nothing, an event complete too early; tiles of cut launches
# with the ids that an offset alone would give, left out, run twice, with another local size, without their global offset), and the
# comparison catches each. A busy machine may
# take commands so early that there is nothing to swap: run mode says so, and the fault is tried again. ALL=1: in more
# places and programs.
# SLOW: ALL=1
# SECONDS: 30
# COMPILER: shared
set -u
[ -e /etc/OpenCL/vendors/pocl.icd ] || { echo "no OpenCL driver: package pocl-opencl-icd"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
failures=0 caught=0 tries=0 planted=0
chaos=run/policy=chaos/manage_all=1/seed=1

# compare NAME CONFIGURATION... : the table of these configurations
compare() {
    local name=$1 configuration options=()
    shift
    for configuration in "$@"; do
        options+=(-c "$configuration")
    done
    tries=$((tries + 1))
    python3 test/suites/suite.py --build "$B" --bare 2 --again 0 --repeat 1 --jobs 1 "${options[@]}" "$T/$name" > "$T/table"
}

# plant NAME COMMAND FAULT... : the harness finds COMMAND the same without a fault and different with each
plant() {
    local name=$1 command=$2 fault round left without=$chaos # the first comparison has a run without a fault
    shift 2
    planted=$((planted + $#))
    echo "$name compare=reads allows=managed -- $command" > "$T/$name" # its exit status would be too easy
    for round in 1 2 3 4 5 6; do
        left=()
        compare "$name" $without "${@/#/$chaos/fault=}"
        [ -z "$without" ] || grep -qE "^$name +$chaos +same " "$T/table" ||
            { echo "FAIL: $name differs without a fault"; cat "$T/table"; failures=$((failures + 1)); }
        without=
        for fault in "$@"; do
            if grep -qE "^$name +$chaos/fault=$fault +fault $fault not planted" "$T/table"; then
                left+=("$fault")
            elif grep -qE "^$name +$chaos/fault=$fault +fault $fault planted$" "$T/table" &&
                grep -qE "^$name +$chaos/fault=$fault +different +reads: at " "$T/table"; then
                caught=$((caught + 1))
            else
                echo "FAIL: $name: $fault was not caught"
                cat "$T/table"
                failures=$((failures + 1))
            fi
        done
        [ ${#left[@]} -gt 0 ] || return
        set -- "${left[@]}"
    done
    echo "FAIL: $name: never planted: $*"
    failures=$((failures + $#))
}

apps=$(realpath "$B")/test/apps
plant jacobi "'$apps/jacobi'" drop:1 swap:1 stale:1 ${ALL:+drop:3 swap:2 swap:3 stale:2}
if [ -n "${ALL:-}" ]; then
    plant chains8 "'$apps/chains8'" drop:2 swap:1 stale:1
    plant mapreduce "'$apps/mapreduce'" drop:1 swap:1 stale:2
fi
plant slow "'$(realpath "$B")/test/suites/liar' slow" drop:1 stale:2 early:1
plant tiles "'$apps/tiles'" naive:1 half:4 twice:7 local:1 ${ALL:+half:1 twice:10}
plant edges "'$apps/edges'" offset:1 half:3 ${ALL:+offset:5 naive:2}
plant pictures "'$apps/pictures'" naive:1 ${ALL:+half:1}
plant filters "'$(realpath "$B")/test/runmode/filters'" drop:2 unseen:1 ${ALL:+stale:3 drop:7 stale:1 naive:1}
if [ -n "${ALL:-}" ]; then
    plant pixels "'$(realpath "$B")/test/runmode/pixels' 2" unseen:1 stale:5 stale:20
    plant tasks "'$(realpath "$B")/test/runmode/sources' task" drop:5 stale:3
    plant loud "'$(realpath "$B")/test/runmode/sources' loud" drop:5 stale:3
    plant mad "'$(realpath "$B")/test/runmode/sources' mad" drop:5 stale:3 half:1
    plant binaries "'$(realpath "$B")/test/runmode/binaries'" drop:5 stale:3
fi
# one that has no place is not silently fine
env LD_PRELOAD="$B/libclweave.so" CLWEAVE_MODE=run CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_FAULT=drop:1000000 \
    "$apps/reduction" > "$T/out" 2> "$T/err"
grep -qE '^run: fault drop:1000000 not planted, only [1-9][0-9]* places for it$' "$T/err" ||
    { echo "FAIL: not planted, but said: $(cat "$T/err")"; failures=$((failures + 1)); }
echo "$caught planted faults caught in $tries comparisons"
[ $failures = 0 ] && [ $caught = $planted ]
