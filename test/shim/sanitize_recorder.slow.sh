# The recorder under the thread, address and undefined-behaviour sanitizers: the whole library is instrumented, programs and drivers
# are not; their runtime is preloaded before it. Samples on PoCL; many threads, forks, every record and a kill on the null driver.
. test/shim/common.sh
program recorded -lOpenCL
program fork_threads -lOpenCL
program killed -DCL_TARGET_OPENCL_VERSION=300 -lOpenCL
program asked -lOpenCL
$CC $flags -shared -fPIC -fvisibility=hidden -o "$T/libaskedcl.so" test/shim/askedcl.c -lpthread
program killed_check "$B/libcwanalyzer.a" "$B/libcwsched.a" -ljansson -lm
pocl=$(cat /etc/OpenCL/vendors/pocl.icd 2> /dev/null) || pocl=
# the program's threads fill one buffer, which the null driver does at once; the linker's own lock over a library's name is not seen
printf 'race:%s\n' libnullcl.so pocl_check_kernel_dlhandle_cache > "$T/suppressed"
export TSAN_OPTIONS=exitcode=66:report_signal_unsafe=0:suppressions=$T/suppressed ASAN_OPTIONS=detect_leaks=0:exitcode=66 UBSAN_OPTIONS=print_stacktrace=1
export CLWEAVE_MODE=trace
"$T/recorded" "$T/counts" alias > "$T/bare"

# run SANITIZER STATUS COMMAND... - no report, that exit status, a trace
run() {
    local s=$1 status=0
    rm -f "$T"/trace* "$T/counters"
    LD_PRELOAD=$runtime:$T/$s/libclweave.so CLWEAVE_OUT=$T/trace.json CLWEAVE_RUN=$(date +%s%N) timeout 200 "${@:3}" > "$T/out" 2> "$T/err" ||
        status=$?
    ! grep -E 'Sanitizer|runtime error' "$T/err" || { head -60 "$T/err"; fail "$s: ${*:3}"; }
    [ $status = "$2" ] || { tail -n 5 "$T/out" "$T/err"; fail "$s: ${*:3}: exit status $status, expected $2"; }
    [ -n "$(ls "$T"/trace.json* 2> /dev/null)" ] || fail "$s: ${*:3}: no trace: $(cat "$T/err")"
}

for s in ${SANITIZERS:-thread address,undefined}; do
    [ $s = thread ] && runtime=tsan || runtime=asan
    runtime=$($CC -print-file-name=lib$runtime.so)
    [ -e "$runtime" ] || { echo "$CC has no shared runtime for -fsanitize=$s"; exit 77; }
    # libunwind locks a mutex when a thread ends, after the thread sanitizer has left it: not our crash
    [ $s = thread ] && export CLWEAVE_CALLSITES=leaf || export CLWEAVE_CALLSITES=8
    make -s CC="$CC" SAN=$s OPT="-O1 -g" B="$T/$s" "$T/$s/libclweave.so" || fail "$s: the library does not build"
    for options in A= CLWEAVE_DEVICE_TIMES=1 "CLWEAVE_DEVICE_TIMES=1 CLWEAVE_CAPTURE_DATA=1"; do
        run $s 0 env $options "$T/recorded" "$T/counts" alias
        [ $s = thread ] || diff "$T/bare" "$T/out" || fail "$s: $options: other answers"
        run $s 0 env $options "$T/fork_threads" 5 8 5
    done
    OPENCL_LAYERS=$T/libaskedcl.so run $s 0 env CLWEAVE_DEVICE_TIMES=1 "$T/asked" "$T/libaskedcl.so" waits
    OPENCL_LAYERS=$T/libaskedcl.so run $s 0 env CLWEAVE_DEVICE_TIMES=1 "$T/asked" "$T/libaskedcl.so" many 70000
    run $s 0 "$T/killed" return "$T/counters" 3000
    run $s 134 "$T/killed" abort "$T/counters" 3000
    "$T/killed_check" "$T/counters" "$T/trace.json.log" || fail "$s: calls were lost"
    [ -n "$pocl" ] || { echo "PoCL not tried: package pocl-opencl-icd"; continue; }
    for sample in threads events_ooo userevents_maps images svm manybufs fork_before commandbuffer; do
        [ $sample = threads ] || [ $sample = userevents_maps ] && options="CLWEAVE_DEVICE_TIMES=1 CLWEAVE_CAPTURE_DATA=1" || options=A=
        OCL_ICD_VENDORS=$pocl run $s 0 env $options "$B/test/apps/$sample"
    done
done
echo ok
