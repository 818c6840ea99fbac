# Calls from application callbacks inside a vendor's call are hooked, calls that a vendor makes through exported symbols are
# not; extension functions by name, for as many platforms as there are.
. test/shim/common.sh
program nested -Wl,--no-as-needed -lOpenCL
build_count
export COUNT_LOG=$T/count.log CLWEAVE_MODE=trace
calls() { grep -c "^$1 " "$COUNT_LOG" || true; }
doors() { echo "LD_PRELOAD=$count"; echo "OPENCL_LAYERS=$count"; }

for door in $(doors); do
    rm -f "$COUNT_LOG"
    env "$door" "$T/nested" callbacks
    [ "$(calls clFinish)" = 6 ] || fail "$door: $(calls clFinish) of 6 calls from callbacks were hooked"
    [ "$(calls clSetEventCallback)" = 4 ] || fail "$door: $(calls clSetEventCallback) of 4 clSetEventCallback were hooked"

    rm -f "$COUNT_LOG"
    env "$door" NULLCL_INTERNAL=1 NULLCL_LOG="$T/driver.log" "$T/nested" internal
    [ "$(grep -c '^clRetainCommandQueue' "$T/driver.log")" = 5 ] || fail "$door: the driver made no call of its own"
    rm "$T/driver.log"
    [ "$(calls clFlush)" = 5 ] || fail "$door: $(calls clFlush) of 5 clFlush were hooked"
    [ "$(calls clRetainCommandQueue)" = 0 ] || fail "$door: calls inside the vendor were hooked"

    # 6 platforms, 4 slots: all calls arrive at their platform, 4 are hooked, and that is said
    rm -f "$COUNT_LOG"
    env "$door" NULLCL_PLATFORMS=6 NULLCL_LOG="$T/driver.log" "$T/nested" names 2> "$T/stderr"
    for i in "" @1 @2 @3 @4 @5; do
        [ "$(grep -c "^clTerminateContextKHR$i " "$T/driver.log")" = 1 ] || fail "$door: platform $i did not get its call"
    done
    rm "$T/driver.log"
    [ "$(calls clTerminateContextKHR)" = 4 ] || fail "$door: $(calls clTerminateContextKHR) extension calls were hooked"
    [ "$(calls clFlush)" = 1 ] || fail "$door: a core function got by name is hooked $(calls clFlush) times"
    [ "$(grep -c "clTerminateContextKHR: more than 4 platforms" "$T/stderr")" = 1 ] && [ "$(wc -l < "$T/stderr")" = 1 ] ||
        { cat "$T/stderr"; fail "$door: not said once"; }

    # a vendor without extensions: NULL stays NULL
    [ "$(env "$door" NULLCL_NO_EXTENSIONS=1 "$T/nested" names)" = "no extension" ] || fail "$door: a function out of nothing"
done
