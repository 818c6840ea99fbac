#!/bin/bash
# pyopencl: links libOpenCL from a module that Python loads privately; scans, reductions, sorts from generated sources.
. test/realapps/common.sh
needs_module pyopencl python3-pyopencl
needs_module mako python3-mako
same_everywhere "$python" "$PWD/test/realapps/pyopencl_arrays.py"
grep -q '^done' "$T/bare/stdout" || fail "the script did not come to its end"

# Run mode: the script's second run takes its programs from binaries, which say nothing of their kernels; what was known of
# them in the first is known still. Without the store it is not: the check can fail.
footprints() { grep -c "kernel footprints: $1" "$T/run.err"; }
in_run() {
    HOME=$T/home.run run_in_run "$@" "$python" "$PWD/test/realapps/pyopencl_arrays.py" > "$T/run.out" 2> "$T/run.err" || fail "run mode: exit status $?: $(tail -n 3 "$T/run.err")"
    cmp -s "$T/bare/stdout" "$T/run.out" || fail "run mode: other output"
}
run_in_run() { env LD_PRELOAD="$B/libclweave.so" CLWEAVE_MODE=run CLWEAVE_MANAGE_ALL=1 CLWEAVE_LOG=debug "$@"; } # a short script may be left alone otherwise
mkdir -p "$T/home.run"
if [ -x "$B/clweave-footprint" ]; then
    in_run
    first=$(footprints analysed)
    in_run
    second=$(footprints 'kept from an earlier run')
    again=$(footprints analysed)
    in_run CLWEAVE_HISTORY=off
    echo "run mode: models of $first programs in the first run, of $second in the second ($again new), without a store $(grep -c 'kernel footprints' "$T/run.err")"
    [ "$first" -ge 5 ] && [ "$second" = "$first" ] && [ "$again" = 0 ] || fail "the second run does not know what the first knew"
    [ "$(footprints analysed)" -lt "$first" ] || fail "the second run did not use binaries: nothing was tested"
fi
verdict
