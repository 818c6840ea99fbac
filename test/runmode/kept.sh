# Builds that are answered from what an earlier run has kept (code/build_cache.h): from the third run on, nothing can be told from a
# vendor's build; other options, another source, damaged files: built by the vendor. With ALL=1 more settings, more ways to name a
# file, and more programs that are over soon.
# SLOW: ALL=1
# SECONDS: 30
. test/runmode/common.sh
program=$B/test/runmode/kept cache=$T/cache
export CLWEAVE_LEARN=all CLWEAVE_BUILDER=wait
alone=
all() { [ -n "${ALL:-}" ]; }
mkdir -m 700 "$cache"
bare "$program" || done_
mkdir "$T/first" && cp "$T/bare" "$T/bare.err" "$T/first"
all || alone=CLWEAVE_DEVICES=none # nothing is compiled for helpers where they do not matter
kept() { in_run "$program" CLWEAVE_HISTORY="$cache/history.db" "$@"; }
answered() { sed -n 's/^run: \([0-9]*\) builds answered.*/\1/p' "$T/summary"; }

for i in 1 2; do
    kept
    [ -z "$(answered)" ] || fail "run $i: $(answered) builds answered, nothing can be known yet"
done
for how in CLWEAVE_POLICY=chaos $(all && echo CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=none); do
    kept $how
    [ "$(answered)" = 2 ] || fail "$how: '$(answered)' builds answered, 2 expected"
done
! all || kept CLWEAVE_DSP=2
[ "$(stat -c %a "$cache/builds")" = 700 ] || fail "mode of the folder: $(stat -c %a "$cache/builds")"

# other options are another question; and so is another environment of PoCL's
in_run "$program" CLWEAVE_HISTORY="$cache/history.db" POCL_WORK_GROUP_METHOD=workitemloops
[ -z "$(answered)" ] || fail "POCL_WORK_GROUP_METHOD changed, and the build was answered"

# PoCL's binaries forget the attributes of kernels: such a build is never answered, and not tried again and again
wrapped() { printf '#!/bin/sh\nexec "%s" "%s"\n' "$program" "$1" > "$T/$2"; chmod +x "$T/$2"; }
wrapped '-DFACTOR=3 -DATTRIBUTES=__attribute__((reqd_work_group_size(8,1,1)))' attributes
bare "$T/attributes" && for i in 1 2 3; do
    in_run "$T/attributes" CLWEAVE_HISTORY="$cache/history.db" $alone
    [ "$(answered)0" -le 10 ] || fail "run $i with attributes: $(answered) builds answered"
done
if all; then
    wrapped '-DFACTOR=3 -cl-kernel-arg-info -cl-fast-relaxed-math' info
    bare "$T/info" && for i in 1 2 3; do in_run "$T/info" CLWEAVE_HISTORY="$cache/history.db"; done
    [ "$(answered)0" -ge 10 ] || fail "with information on arguments nothing is answered"
fi
# a kernel that says when it was built is another one in another build, for a later run and for a helper. (10 launches are of the
# program that gets no options, 5 of the kernel without the time.)
wrapped '-DFACTOR=(3+0*__TIME__[0])' dated
bare "$T/dated" && for i in 1 2 3; do in_run "$T/dated" CLWEAVE_HISTORY="$cache/history.db" CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1; done
[ "$(answered)0" -le 10 ] || fail "a build that says when it was made: $(answered) builds answered"
grep -q '(15 kernels)' "$T/summary" || fail "launches of what says when it was built: $(head -n 1 "$T/summary")"
${CC:-cc} -DCL_TARGET_OPENCL_VERSION=120 -o "$T/build_time" test/bench/build_time.c -lOpenCL || fail "build_time.c does not compile"
# what is read from files is no part of the question: such builds are never answered
mkdir "$T/headers"; echo '#define FACTOR 3' > "$T/headers/factor.h"
asks='("factor.h")\n#define FACTOR 5\n#else\n#define FACTOR 6\n#endif'
heads=('#define FACTOR 4' '#include "factor.h"' "#if Q$asks" "#define C(a, b) a##b\n#if C(__has_inc, lude)$asks")
! all || heads+=("#if __has_include$asks")
! all || heads+=('#import "factor.h"' '#inc\\\nlude "factor.h"' '#inc\\ \nlude "factor.h"')
for head in "${heads[@]}"; do
    rm -rf "$T/files"; mkdir -m 700 "$T/files"
    case $head in *'#if Q'*) q=-DQ=__has_include ;; *) q= ;; esac
    printf "$head\n__kernel void w(__global int *x) { x[get_global_id(0)] = FACTOR; }\n" > "$T/files/w.cl"
    for i in 1 2 3; do
        env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 $alone CLWEAVE_HISTORY="$T/files/history.db" "$T/build_time" "$T/files/w.cl" \
            "-I$T/headers -w $q" > /dev/null 2> "$T/summary" || fail "$head: $(cat "$T/summary")"
    done
    case $head in *define\ FACTOR\ 4) [ "$(answered)" = 1 ] ;; *) [ -z "$(answered)" ] ;; esac || fail "$head: '$(answered)' builds answered"
done
# no options are others than empty ones: PoCL tells of arguments then
wrapped none none
bare "$T/none" && for i in 1 2 3; do in_run "$T/none" CLWEAVE_HISTORY="$cache/history.db" $alone; done
[ "$(answered)0" -ge 10 ] || fail "without options nothing is answered"

# what is made for later runs, with a linker of the vendor's, shows in no child, signal or descriptor
bare "$B/test/runmode/quiet" && for i in 1 2 3; do in_run "$B/test/runmode/quiet" CLWEAVE_HISTORY="$cache/history.db" $alone; done
[ "$(answered)0" -ge 10 ] || fail "nothing was made beside a program that would see it"

# memory is as a compiler leaves it: what the program allocates then does not meet its pages one by one in its first commands
bare "$B/test/runmode/first_touch" && for i in 1 2 3; do
    LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_HISTORY="$cache/history.db" "$B/test/runmode/first_touch" pages > "$T/run" 2> "$T/summary"
done
[ "$(answered)0" -ge 10 ] && grep -q 'pages: ready' "$T/run" || fail "first touches after a build that was answered: $(cat "$T/run" "$T/summary")"
cp "$T"/first/* "$T" # what $program prints

# damaged: the vendor builds
for f in "$cache"/builds/*; do printf 'garbage' | dd of="$f" bs=1 seek=300 conv=notrunc 2> /dev/null; done
kept
[ -z "$(answered)" ] || fail "damaged files are believed"
rm -rf "$cache/builds"
kept CLWEAVE_HISTORY=off
[ ! -e "$cache/builds" ] || fail "CLWEAVE_HISTORY=off left files"

# one run that builds the same again and again is one: a first run makes nothing at its end, which would take as long as all of it
cat > "$T/again.c" <<'END'
#include <CL/cl.h>
int main(void)
{
    const char *source = "kernel void f(global int *x) { x[get_global_id(0)] = 7; }";
    cl_platform_id platform;
    cl_device_id device;
    int failed = clGetPlatformIDs(1, &platform, 0) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0);
    cl_context context = failed ? 0 : clCreateContext(0, 1, &device, 0, 0, 0);
    for (int i = 0; i < 6 && !failed; i++) {
        cl_program program = clCreateProgramWithSource(context, 1, &source, 0, 0);
        failed = clBuildProgram(program, 0, 0, "", 0, 0) || clReleaseProgram(program);
    }
    return failed;
}
END
${CC:-cc} -DCL_TARGET_OPENCL_VERSION=120 -o "$T/again" "$T/again.c" -lOpenCL || fail "again.c does not compile"
mkdir -m 700 "$T/once"
bare "$T/again" && in_run "$T/again" CLWEAVE_HISTORY="$T/once/history.db" $alone
largest() { find "$T/once/builds" -type f -printf '%s\n' | sort -n | tail -n 1; }
[ "$(largest)" -lt 4096 ] || fail "the first run has kept a binary: $(ls -l "$T/once/builds")"
for i in 1 2 3; do in_run "$T/again" CLWEAVE_HISTORY="$T/once/history.db" $alone; done
[ "$(largest)" -ge 4096 ] && [ "$(answered)0" -ge 10 ] || fail "the fourth run is not answered"

# nothing is asked for where it is not wanted, and what was asked for once is there for a run with default settings
rm -rf "$T/once"; mkdir -m 700 "$T/once"
for i in 1 2 $(all && echo 3); do in_run "$T/again" CLWEAVE_LEARN=off CLWEAVE_HISTORY="$T/once/history.db"; done
[ "$(largest)" -lt 4096 ] && [ ! -e "$T/once/requests" ] || fail "CLWEAVE_LEARN=off has asked for binaries"
for i in 1 2; do in_run "$T/again" CLWEAVE_LEARN=auto CLWEAVE_HISTORY="$T/once/history.db"; done
[ "$(largest)" -ge 4096 ] && [ "$(answered)0" -ge 10 ] || fail "what was asked for was not made"

# a program that the compiler warns of says so in every run
printf '__kernel void w(__global int *x) { int unused = 1; x[0] = 2; return; x[1] = &x[0] == 5; }\n' > "$T/w.cl"
env XDG_CACHE_HOME="$T/w" POCL_CACHE_DIR="$T/wp" "$T/build_time" "$T/w.cl" -Wall > /dev/null 2> "$T/w0" || true
for i in $(all && echo 1 2) 3; do
    env XDG_CACHE_HOME="$T/w" POCL_CACHE_DIR="$T/wp$i" LD_PRELOAD="$shim" CLWEAVE_MODE=run "$T/build_time" "$T/w.cl" -Wall > /dev/null 2> "$T/w1" || true
    cmp -s "$T/w0" "$T/w1" || fail "run $i: the compiler is heard otherwise: $(cat "$T/w1"), bare: $(cat "$T/w0")"
done

# a program that is over before its kernels are analysed leaves that to the builder: later runs find it
awaited() {
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_LOG=debug CLWEAVE_DEVICES=basic CLWEAVE_HISTORY="$T/awaited/history.db" "$@" \
        "$T/build_time" "$T/awaited.cl" > /dev/null 2> "$T/awaited.err" || fail "build_time $*: $(tail -n 3 "$T/awaited.err")"
    sed -n 's/.*kernel footprints: \([a-z]*\).*/\1/p' "$T/awaited.err"
}
for i in 1 ${ALL:+2 3}; do
    rm -rf "$T/awaited"; mkdir -m 700 "$T/awaited"
    echo "__kernel void f$i(__global int *x, int n) { int i = get_global_id(0); for (int k = 0; k < n; k++) x[i * 4 + k % 4] += k; }" > "$T/awaited.cl"
    awaited > /dev/null
    how=$(awaited)
    [ "$how" = kept ] || fail "the next run: '$how'"
done
done_
