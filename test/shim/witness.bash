# witness.bash - sourced by tests that run a program with and without clweave and compare.
#
# Needs B (build folder). A run leaves a folder: stdout, stderr, status (exit status), counts/ (what reached the
# vendor, from libcountcl.so below the loader), traces/. The witness stands in front of the driver that
# WITNESS_DRIVER names (default: what pocl.icd names).
witness_driver=${WITNESS_DRIVER:-$(cat "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}/pocl.icd" 2> /dev/null)}
if [ -z "$witness_driver" ]; then
    echo "no OpenCL driver: package pocl-opencl-icd"
    exit 77
fi
# preloading a library in front of the sanitizer's runtime is what these tests do on purpose
export ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS:-}
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# witnessed FOLDER COMMAND... runs the command below the witness.
witnessed() {
    local folder=$1
    shift
    mkdir -p "$folder/counts" "$folder/traces"
    OCL_ICD_VENDORS=$B/test/libcountcl.so COUNTCL_DRIVER=$witness_driver COUNTCL_DIR=$folder/counts \
        timeout --kill-after=10 "${WITNESS_LIMIT:-120}" "$@" > "$folder/stdout" 2> "$folder/stderr" < /dev/null
    echo $? > "$folder/status"
}

# run_as MODE FOLDER COMMAND... runs the command in one of the ways that clweave is used:
#   bare             without it
#   tool             clweave trace; tool:--option and tool:--option=value add an option
#   preload          LD_PRELOAD alone, no tool; preload:off does nothing but stand in between
#   layer            OPENCL_LAYERS alone
#   run              clweave run
run_as() {
    local mode=$1 folder=$2 lib=$B/libclweave.so
    shift 2
    case $mode in
    bare) witnessed "$folder" "$@" ;;
    tool) witnessed "$folder" "$B/clweave" trace -o "$folder/traces/t.json" -- "$@" ;;
    tool:*) witnessed "$folder" "$B/clweave" trace "${mode#tool:}" -o "$folder/traces/t.json" -- "$@" ;;
    preload) witnessed "$folder" env LD_PRELOAD="$lib" CLWEAVE_MODE=trace CLWEAVE_OUT="$folder/traces/%e-%p.json" "$@" ;;
    preload:off) witnessed "$folder" env LD_PRELOAD="$lib" CLWEAVE_MODE=off CLWEAVE_OUT="$folder/traces/%e-%p.json" "$@" ;;
    layer) witnessed "$folder" env OPENCL_LAYERS="$lib" CLWEAVE_MODE=trace CLWEAVE_OUT="$folder/traces/%e-%p.json" "$@" ;;
    run) witnessed "$folder" "$B/clweave" run -o "$folder/traces/t.json" -- "$@" ;;
    *) fail "unknown mode $mode" ;;
    esac
}

# reached_vendor FOLDER prints "TYPE count" of what the witness saw, all processes together, then "total count".
reached_vendor() {
    cat "$1"/counts/*.count 2> /dev/null |
        awk '{ n[$1] += $2; total += $2 } END { for (t in n) if (n[t]) print t, n[t]; print "total", total + 0 }' |
        LC_ALL=C sort
}

# in_traces FOLDER prints the same of the traces.
in_traces() {
    local files=("$1"/traces/*.json)
    if [ -e "${files[0]}" ]; then
        "$B/test/shim/trace_counts" "${files[@]}" | LC_ALL=C sort
    else
        echo "no trace"
    fi
}

# The last line of a list of counts is its total.
total_of() {
    awk '$1 == "total" { print $2 }' <<< "$1"
}
