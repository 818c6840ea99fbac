# Sourced by sanitize_*.slow.sh: programs under run mode with the whole library instrumented for $sanitizer. Programs and
# PoCL are not, and the sanitizer's runtime is preloaded first.
#
# build_shim : $T/libclweave.so, and settings under which a report ends the program with status 66; proves that they do
# tell KIND... : the planted errors that this sanitizer must tell
# every PROGRAM... : under run mode at home, and under chaos with everything managed on every set of devices
# apart PROGRAM SEED : under chaos on devices with memories of their own, and with the program's own as one
# helped PROGRAM SEED : under chaos, with PoCL's devices as GPUs that help each other
# streamed PROGRAM SEED : its queues on several streams, its buffers in versions: where that gains, and by lot
# enough : fails unless launches were moved, cut and grouped; all parts together; of one that is run alone it only says how many were
#
# SLICE=K/N : only a part of the programs (mine() of common.sh). SAN_BUILD: a folder where the libraries stay for the next part.
. test/runmode/common.sh
CC=${CC:-cc} turn=0
built=${SAN_BUILD:-$T/b}/${sanitizer%%,*}
# Only reports whose stacks lie in PoCL and the compiler within it: they show with bare programs too. PoCL 3.1 takes the
# locks of two events in either order when a command's wait list fails, and keeps what it has compiled until the end. It starts
# a linker, which inherits the runtime. trouble's handler of SIGALRM spoils errno on purpose.
printf '%s\n' deadlock:libpocl.so signal:alarmed > "$T/thread.suppressed"
printf 'leak:%s\n' libpocl.so libLLVM libOpenCL.so libbfd ld.bfd > "$T/leak.suppressed"
# a buffer that no memory could hold is refused, as without a sanitizer, though not silently; and that stacks are switched (by the
# program, and by us where its own are short) is told once
noise="^(run|clweave): |WARNING: [A-Za-z]*Sanitizer failed to allocate|WARNING: ASan doesn't fully support makecontext"
options=exitcode=66:allocator_may_return_null=1
# PoCL's compiler has a signal stack of its own on threads, which the sanitizer would unmap as its own when they end
export ASAN_OPTIONS=$options:detect_leaks=1:use_sigaltstack=0 LSAN_OPTIONS=suppressions=$T/leak.suppressed:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=$options:report_signal_unsafe=0:atexit_sleep_ms=50:history_size=5:suppressions=$T/thread.suppressed

export CLWEAVE_FOOTPRINT=$B/clweave-footprint # uninstrumented: a program of its own

build_shim() {
    local kind=asan
    [ $sanitizer = thread ] && kind=tsan
    runtime=$($CC -print-file-name=lib$kind.so)
    [ -e "$runtime" ] || { echo "$CC has no shared runtime for -fsanitize=$sanitizer"; exit 77; }
    make -s CC="$CC" SAN=$sanitizer OPT="-O1 -g -Wno-error" B="$built" "$built/libclweave.so" > "$T/built" 2>&1 ||
        { tail "$T/built"; echo "the library does not build"; exit 1; }
    ln -sf "$(realpath "$B/clweave-compile")" "$built/" # uninstrumented, as the vendor in it is
    shim=$runtime:$built/libclweave.so
    $CC -g -fsanitize=$sanitizer -fno-sanitize-recover=all -o "$T/planted" test/runmode/sanitize/planted.c -lpthread
    # when a thread ends libunwind locks a mutex, which the thread sanitizer has left by then: the C library's unwinder instead
    [ $sanitizer = thread ] || return 0
    $CC -shared -o "$built/libunwind.so.8" -x c /dev/null
    export LD_LIBRARY_PATH=$built
}

tell() {
    local kind
    "$T/planted" || fail "the planted program fails with nothing planted"
    for kind in "$@"; do
        ! "$T/planted" "$kind" 2> "$T/told" || fail "the planted $kind error was not told"
        grep -qE 'Sanitizer|runtime error' "$T/told" || fail "no report of the planted $kind error: $(cat "$T/told")"
    done
}

# LeakSanitizer stops all threads to look at their memory, and its own tracer crashes about once in 250 runs.
again() {
    grep -q 'LeakSanitizer has encountered a fatal error' "$T/run.err" && [ $((crashes = ${crashes:-0} + 1)) -le 5 ] &&
        echo "LeakSanitizer's tracer crashed, once more: $(grep 'Tracer caught' "$T/run.err")"
}

# with PROGRAM VARIABLE=VALUE... : in_run, and the whole of any report
with() {
    in_run "$@"
    ! grep -vE "$noise" "$T/run.err" | grep -qE 'Sanitizer|runtime error' || head -n 60 "$T/run.err"
}

chaos="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1"
every() {
    local program chains
    for program in "$@"; do
        mine || continue
        [[ $program == /* ]] || program=$B/test/$program
        bare "$program" || continue
        with "$program"
        with "$program" CLWEAVE_MANAGE_ALL=1
        with "$program" $chaos CLWEAVE_SEED=$((++turn)) CLWEAVE_DEVICES=cpu,basic:2
        cut=$((${cut:-0} + $(count cut)))
        with "$program" $chaos CLWEAVE_GROUPS=on CLWEAVE_SEED=$turn CLWEAVE_DEVICES=cpu,basic:2
        chains=$(sed -nE 's/^run: groups: [0-9]+ chains of ([0-9]+).*/\1/p' "$T/summary" | head -n 1)
        grouped=$((${grouped:-0} + ${chains:-0}))
        with "$program" $chaos CLWEAVE_SEED=$turn CLWEAVE_DEVICES=cpu,sub:2
        # beside the virtual clock native commands keep the vendor's own, whose times that program compares
        [[ $program == */order ]] ||
            with "$program" $chaos CLWEAVE_SEED=$turn CLWEAVE_DEVICES=cpu,dsp:4 CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=virtual
        moved=$((${moved:-0} + $(count moved)))
    done
}

apart() {
    local program=$1 devices
    mine || return
    [[ $program == /* ]] || program=$B/test/$program
    bare "$program" || return
    for devices in far:2 far:1,far-home far:2/cap=40K; do
        with "$program" $chaos CLWEAVE_SEED="$2" CLWEAVE_DEVICES=$devices
        moved=$((${moved:-0} + $(count moved))) cut=$((${cut:-0} + $(count cut)))
    done
}

helped() {
    local program=$1 all
    mine || return
    [[ $program == /* ]] || program=$B/test/$program
    bare "$program" || return
    for all in 0 1; do
        with "$program" OPENCL_LAYERS="$(realpath "$B")/test/libgpucl.so" GPUCL_ALONE=1 POCL_DEVICES="pthread pthread pthread" \
            CLWEAVE_DEVICES=gpu CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=$all CLWEAVE_SEED="$2"
        moved=$((${moved:-0} + $(count moved))) cut=$((${cut:-0} + $(count cut)))
    done
}

streamed() {
    local program=$1 policy
    mine || return
    [[ $program == /* ]] || program=$B/test/$program
    bare "$program" || return
    for policy in heft chaos; do
        with "$program" CLWEAVE_STREAMS=force CLWEAVE_RENAME=auto CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=$policy CLWEAVE_SEED="$2"
    done
}

# Launches were moved to DSPs, cut, and run in groups: what was looked at is worth it.
enough() {
    echo "${moved:-0} launches moved to DSPs, ${cut:-0} cut, ${grouped:-0} in groups"
    sums "${moved:-0}" "${cut:-0}" "${grouped:-0}" || return 0
    [ "${sum[0]}" -gt 20 ] && { [ ! -x "$B/clweave-footprint" ] || { [ "${sum[1]}" -gt 20 ] && [ "${sum[2]}" -gt 10 ]; }; } || fail "too few"
}

# programs FOLDER : the names of its programs, for every
programs() { grep -l '^int main\b' test/"$1"/*.c | sed 's,^test/,,; s,\.c$,,'; }

# as NAME PROGRAM ARGUMENT... : $T/NAME, a program that is another one with these arguments
as() {
    local file=$T/$1; shift
    printf '#!/bin/sh\nexec "%s"' "$B/test/$1" > "$file"; shift
    [ $# = 0 ] || printf ' "%s"' "$@" >> "$file"
    chmod +x "$file"
}

# random programs PROGRAM SEED... : other programs of one text
seeds() {
    local seed name=$1; shift
    for seed in "$@"; do
        mine || continue
        as "$name-$seed" "runmode/$name" "$seed"
        bare "$T/$name-$seed" || continue
        with "$T/$name-$seed" $chaos CLWEAVE_SEED=$seed CLWEAVE_DEVICES=cpu,basic:2,sub:2
    done
}
