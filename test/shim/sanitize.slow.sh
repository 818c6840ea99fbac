# The doors under the thread, address and undefined-behaviour sanitizers: racing first calls, every row of the table,
# nested calls, functions by name.
. test/shim/common.sh
export COUNT_LOG=/dev/null CLWEAVE_MODE=trace NULLCL_PLATFORMS=6 NULLCL_INTERNAL=1 ASAN_OPTIONS=detect_leaks=0
sources="test/shim/count_mode.c analyzer/settings/options.c sched/status.c sched/error.c $(printf 'shim/door/%s.c ' $doors)"

for s in thread address,undefined; do
    [ $s = thread ] && runtime=tsan || runtime=asan
    runtime=$($CC -print-file-name=lib$runtime.so)
    [ -e "$runtime" ] || { echo "$CC has no shared runtime for -fsanitize=$s"; exit 77; }
    san="-fsanitize=$s -fno-sanitize-recover=undefined"
    $CC $flags $san -fPIC -fvisibility=hidden -shared -Wl,--version-script=shim/door/libclweave.map -Wl,-z,nodelete \
        -o "$T/lib-$s.so" $sources "$B/libcwanalyzer.a" "$B/libcwsched.a" -ldl -lpthread
    for p in platforms nested every_call; do
        $CC $flags $san -DLINKED -o "$T/$p-$s" test/shim/$p.c -Wl,--no-as-needed -lOpenCL -ldl -lpthread
    done
    for door in "LD_PRELOAD=$runtime:$T/lib-$s.so" "LD_PRELOAD=$runtime OPENCL_LAYERS=$T/lib-$s.so"; do
        for program in "platforms-$s linked 16" "platforms-$s libOpenCL.so.1 16" "nested-$s callbacks" "nested-$s internal" \
            "nested-$s names" "every_call-$s $T/sent $T/results"; do
            env $door "$T"/$program > "$T/out" 2>&1 || { cat "$T/out"; fail "$s: $door $program"; }
            ! grep -E 'Sanitizer|runtime error' "$T/out" || { cat "$T/out"; fail "$s: $door $program"; }
        done
    done
done
