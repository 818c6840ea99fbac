#!/bin/bash
# pyopencl: links libOpenCL from a module that Python loads privately; scans, reductions, sorts from generated sources.
. test/realapps/common.sh
needs_module pyopencl python3-pyopencl
needs_module mako python3-mako
same_everywhere "$python" "$PWD/test/realapps/pyopencl_arrays.py"
grep -q '^done' "$T/bare/stdout" || fail "the script did not come to its end"
run_ways="far far_home"
same_in_run_mode "$python" "$PWD/test/realapps/pyopencl_arrays.py"
[ -z "${WAYS:-}" ] || verdict

# Run mode: the script's second run takes its programs from binaries, which say nothing of their kernels; what was known of
# them in the first is known still. Without the store it is not: the check can fail. A short script is left alone unless
# management is asked for; one that works for a while is managed in default mode, too.
script=$PWD/test/realapps/pyopencl_arrays.py
footprints() { grep -c "kernel footprints: $1" "$T/run.err"; }
in_run() { # ROUNDS VARIABLE=VALUE...
    local rounds=$1; shift
    HOME=$T/home.run env LD_PRELOAD="$B/libclweave.so" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_LOG=debug "$@" \
        "$python" "$script" "$rounds" > "$T/run.out" 2> "$T/run.err" || fail "run mode, $rounds $*: exit status $?: $(tail -n 3 "$T/run.err")"
    cmp -s "$T/bare.$rounds" "$T/run.out" || fail "run mode, $rounds $*: other output"
}
twice() { # NAME LOST ROUNDS VARIABLE=VALUE... : the second run knows what the first has found; LOST: some, none
    local name=$1 lost=$2 first second again; shift 2
    rm -rf "$T/home.run"; mkdir -p "$T/home.run"
    in_run "$@"
    first=$(footprints analysed)
    in_run "$@"
    # after one in which helpers began later comes one that shows what it takes without: nothing is looked at there
    ! grep -q '^run: helpers held back' "$T/run.err" || in_run "$@"
    second=$(footprints 'kept from an earlier run')
    again=$(footprints analysed)
    echo "run mode, $name: models of $first programs in the first run, of $second in the second ($again new)"
    # by default some programs are gone before anything begins, in a first run later than in a second: what is new there is one of them
    [ "$lost" = some ] || [ "$second" = "$first" ] || fail "$name: models of $first programs, then of $second"
    [ "$first" -ge 5 ] && [ "$second" -ge 5 ] && [ "$second" -le "$first" ] &&
        { [ "$again" = 0 ] || [ "$lost$second" = "some$first" ]; } || fail "$name: the second run does not know what the first knew"
}
for rounds in 0 100; do
    HOME=$T/home.bare "$python" "$script" $rounds > "$T/bare.$rounds" 2> "$T/bare.err" || fail "bare, $rounds rounds: $(tail -n 1 "$T/bare.err")"
done
if [ -x "$B/clweave-footprint" ]; then
    twice "default" some 100
    grep -qE '^run: [1-9][0-9]* commands managed' "$T/run.err" || fail "default: nothing was managed in the second run: $(grep '^run: ' "$T/run.err")"
    grep -hE '^run: ([0-9]+ commands|helpers)' "$T/run.err" | sed 's/^/    /'
    twice "default, helpers named" some 0 CLWEAVE_DEVICES=basic
    twice "everything managed" none 0 CLWEAVE_MANAGE_ALL=1
    in_run 0 CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY=off
    echo "without a store: $(grep -c 'kernel footprints' "$T/run.err")"
    [ "$(footprints 'kept')" = 0 ] && [ "$(footprints analysed)" -lt 5 ] || fail "the second run did not use binaries: nothing was tested"
fi
verdict
