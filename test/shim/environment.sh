# What children inherit, wrong settings, messages.
. test/shim/common.sh
program platforms
$CC $flags -o "$T/platforms_linked" test/shim/platforms.c -Wl,--no-as-needed -lOpenCL -ldl -lpthread
build_count
export COUNT_LOG=$T/count.log
# two other layers, which refuse: the loader cuts the variable at each
for l in one two; do echo 'int nothing;' | $CC -shared -o "$T/$l.so" -x c -; done
value() { sed -n "s/^$1=//p" "$T/env"; }

for program in "$T/platforms_linked linked" "$T/platforms libOpenCL.so.1" "$T/platforms libOpenCL.so"; do
    for before in "" "$T/one.so" "$T/one.so:$T/two.so"; do
        env LD_PRELOAD="$count" OPENCL_LAYERS="$before" CLWEAVE_MODE=trace $program 1 child > "$T/env"
        [ "$(value OPENCL_LAYERS)" = "${before:+$before:}$count" ] || fail "$program: OPENCL_LAYERS became $(value OPENCL_LAYERS)"
        [ "$(value LD_PRELOAD)" = "$count" ] || fail "$program: LD_PRELOAD became $(value LD_PRELOAD)"
    done
    # already there, first or last: not twice
    env LD_PRELOAD="$count" OPENCL_LAYERS="$T/one.so:$count" CLWEAVE_MODE=trace $program 1 child > "$T/env"
    [ "$(value OPENCL_LAYERS)" = "$T/one.so:$count" ] || fail "$program: OPENCL_LAYERS became $(value OPENCL_LAYERS)"
    # the layer door alone
    env OPENCL_LAYERS="$T/one.so:$T/two.so:$count" CLWEAVE_MODE=trace $program 1 child > "$T/env"
    [ "$(value OPENCL_LAYERS)" = "$T/one.so:$T/two.so:$count" ] || fail "$program, layer: OPENCL_LAYERS became $(value OPENCL_LAYERS)"
    # nothing is touched when nothing is asked for
    for mode in "" off run; do
        env LD_PRELOAD="$count" CLWEAVE_MODE=$mode $program 1 child > "$T/env"
        ! grep -q '^OPENCL_LAYERS' "$T/env" || fail "$program: OPENCL_LAYERS set in mode '$mode'"
    done
done

# a preload path that is relative still serves a child that runs elsewhere
(cd "$T" && env LD_PRELOAD=./libcount.so CLWEAVE_MODE=trace ./platforms libOpenCL.so.1 1 child > "$T/env")
[ "$(value OPENCL_LAYERS)" = "$(realpath "$count")" ] || fail "relative preload: OPENCL_LAYERS is $(value OPENCL_LAYERS)"

# a child of a child is hooked too
rm -f "$COUNT_LOG"
env LD_PRELOAD="$count" CLWEAVE_MODE=trace sh -c "env $T/platforms libOpenCL.so.1" > /dev/null
grep -q '^clGetPlatformIDs 0 0' "$COUNT_LOG" || fail "a grandchild is not hooked"

# wrong settings: said once, passed through, exit status and output untouched
for bad in CLWEAVE_MODE=trcae "CLWEAVE_MODE=trace CLWEAVE_DSP=four" "CLWEAVE_MODE=trace CLWEAVE_NUMERICS=lax"; do
    rm -f "$COUNT_LOG"
    out=$(env LD_PRELOAD="$count" $bad "$T/platforms_linked" linked 16 2> "$T/stderr") || fail "$bad: the program failed"
    [ "$out" = "1 platforms" ] || fail "$bad: the program's output is '$out'"
    [ "$(wc -l < "$T/stderr")" = 1 ] && grep -q '^clweave\[[0-9]*\]: error: option' "$T/stderr" || { cat "$T/stderr"; fail "$bad: not said once"; }
    [ ! -s "$COUNT_LOG" ] || fail "$bad: still hooked"
done
# a process that never calls OpenCL says nothing
[ -z "$(env LD_PRELOAD="$count" CLWEAVE_MODE=trcae true 2>&1)" ] || fail "a process without OpenCL complains"
# the file instead of stderr, private; stderr closed or a broken pipe do no harm
env LD_PRELOAD="$count" CLWEAVE_MODE=trcae CLWEAVE_LOG="warning:$T/log-%e" "$T/platforms_linked" > /dev/null 2> "$T/stderr"
[ ! -s "$T/stderr" ] && grep -q 'error: option mode' "$T/log-platforms_linked" || fail "CLWEAVE_LOG=LEVEL:FILE is not used"
[ "$(stat -c %a "$T/log-platforms_linked")" = 600 ] || fail "the log is not private"
[ "$(env LD_PRELOAD="$count" CLWEAVE_MODE=trcae "$T/platforms_linked" 2>&-)" = "1 platforms" ] || fail "closed stderr"
out=$( { env LD_PRELOAD="$count" CLWEAVE_MODE=trcae bash -c 'sleep 0.2; exec "$0"' "$T/platforms_linked" 2>&1 >&3 | :; } 3>&1)
[ "$out" = "1 platforms" ] || fail "a broken stderr pipe stopped the program"
# what is not default is in the log at level info
env LD_PRELOAD="$count" CLWEAVE_MODE=trace CLWEAVE_DSP=4 CLWEAVE_LOG=info "$T/platforms_linked" 2>&1 > /dev/null | grep -q 'not default: mode=trace dsp=4' \
    || fail "the settings are not logged"
