# clweave doctor: its last line, its status and its problems, on this machine and on broken ones.
. "$(dirname "$0")/common.sh"
export XDG_CACHE_HOME=$T/cache
mkdir "$T/cache"
unset CLWEAVE_HISTORY CLWEAVE_DEVICES POCL_DEVICES OPENCL_LAYERS CLWEAVE_LEARN
real=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}
doctor() { # STATUS, then words before the command
    local wanted=$1 got; shift
    "$@" clweave doctor > "$T/doctor" 2>&1 < /dev/null; got=$?
    [ $got = "$wanted" ] || fail "status $got, expected $wanted: $* $(cat "$T/doctor")"
    [ "$(grep -c '^problem: ' "$T/doctor")" = "$(grep -c '^   mend: [a-z]' "$T/doctor")" ] || fail "a problem without a mend: $(cat "$T/doctor")"
}
says() { grep -q -- "$1" "$T/doctor" || fail "it does not say '$1': $(cat "$T/doctor")"; }
says_not() { grep -q -- "$1" "$T/doctor" && fail "it says '$1': $(cat "$T/doctor")"; }
last() { tail -n 1 "$T/doctor" | grep -q -- "$1" || fail "the last line is not '$1': $(cat "$T/doctor")"; }

expect doctor_help 0 clweave doctor --help
expect doctor_operand 2 clweave doctor now

# a machine that is well, but for its load and its limits of processors
doctor 0 env
last '^clweave run can gain here: [1-9][0-9]* devices* of the machine and [1-9][0-9]* helpers* on [1-9]'
says "library  *$B/libclweave.so"; says 'device .*: run manages it'; says "clweave  *$T/cache/clweave (of .*, mode 700, writable, .* free)"
says_not '^problem: \(OpenCL\|no device\|clweave-\|no ld\|CLWEAVE\|POCL\|.* is limited\)'
clweave doctor --json | python3 -c 'import json, sys; d = json.load(sys.stdin)
assert d["can_gain"] and {"machine", "OpenCL", "tools", "caches"} <= {f["section"] for f in d["facts"]}
assert all(p["mend"] for p in d["problems"])' || fail "doctor --json"
doctor 0 taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')"; says '^problem: one processor'; last 'on 1 processor$'

# caches of known programs
mkdir -p "$T/cache/hashcat/kernels"
doctor 0 env; says "hashcat  *$T/cache/hashcat/kernels (binaries of its own"
rm -r "$T/cache/hashcat"

# drivers: one that crashes, one that is not there, one whose devices run leaves alone, none at all
echo '__attribute__((constructor)) static void crash(void) { *(volatile int *)0 = 0; }' > "$T/crash.c"
cc -shared -fPIC "$T/crash.c" -o "$T/crash.so" || fail "no compiler"
mkdir "$T/vendors" "$T/none"
cp "$real"/pocl*.icd "$T/vendors/" || fail "no vendors' file of PoCL"
echo libthere_is_none.so > "$T/vendors/missing.icd"
doctor 0 env OCL_ICD_VENDORS="$T/vendors"
says "^problem: the driver of $T/vendors/missing.icd cannot be loaded"; says "mend: sudo mv $T/vendors/missing.icd"
echo "$T/crash.so" > "$T/vendors/crash.icd"
doctor 1 env OCL_ICD_VENDORS="$T/vendors"
says "^problem: the driver of $T/vendors/crash.icd breaks OpenCL: .* signal 11"; says "mend: export OCL_ICD_VENDORS=$T/vendors/pocl"
last '^clweave run cannot gain here: OpenCL does not work: .*signal 11'
doctor 1 env OCL_ICD_VENDORS="$B/test/libnullcl.so"; says 'device .*: run leaves it to its vendor'; last 'cannot gain here: no device is one that run manages'
doctor 0 env NULLCL_GPU='NVIDIA CUDA' OCL_ICD_VENDORS="$B/test/libnullcl.so"; says 'device .*: run has streams and staged transfers for it; GPUs like it help with --devices gpu'
last '^clweave run can gain here: 1 GPU with streams and staged transfers'; says_not '^problem: no device'
NULLCL_GPU='NVIDIA CUDA' OCL_ICD_VENDORS=$B/test/libnullcl.so clweave devices | grep -q '^   run has streams and staged transfers' || fail "devices: no streams"
doctor 0 env CLWEAVE_DEVICES=far:2/cap=64M/us=20; says 'far helpers *2 with memories of their own, 64 MiB each, 20 us a copy'
CLWEAVE_DEVICES=far:2 clweave devices | grep -q '^helpers of run, as CLWEAVE_DEVICES asks: 2 with memories of their own$' || fail "devices: no far helpers"
clweave devices | grep -q '^helpers' && fail "devices: helpers that are not asked for"
clweave devices | grep -q '^   run manages it' || fail "devices: nothing is managed"
doctor 1 env OCL_ICD_VENDORS="$T/none"; last 'cannot gain here: OpenCL finds no device'

# parts of clweave that are missing
doctor 1 env CLWEAVE_LIB="$T/none.so"; last 'cannot gain here: CLWEAVE_LIB: cannot find'
mkdir "$T/alone"; cp "$B/libclweave.so" "$T/alone/"
doctor 0 env CLWEAVE_LIB="$T/alone/libclweave.so"; says '^problem: clweave-compile is missing'; says '^problem: clweave-footprint is missing'
says 'mend: sudo apt-get install clang llvm-dev &&'
doctor 0 env CLWEAVE_CLANG=/none/clang; says '^problem: no clang'
llvm=$(ldd "$B/clweave-footprint" 2> /dev/null | sed -nE 's/.*libLLVM[-.]?(so\.)?([0-9]+).*=>.*/\2/p' | head -n 1)
[ -z "$llvm" ] || says "mend: sudo apt-get install clang-$llvm libclang-common-$llvm-dev"

# limits; a sanitizer's memory does not fit into one
case $B in *address* | *thread*) ;; *)
    doctor 1 sh -c 'ulimit -Sv 8000000; exec "$@"' x; says '^problem: address space is limited'; says 'mend: ulimit -Sv unlimited'
    last 'cannot gain here: address space is limited' ;;
esac
doctor 0 sh -c 'ulimit -Sn 64; exec "$@"' x; says '^problem: open files are limited to 64'

# caches; PoCL without one has no device
pocl=$T/pocl; mkdir "$pocl"
doctor 1 env -u POCL_CACHE_DIR XDG_CACHE_HOME=/proc/none; last 'cannot gain here: no platform has a device'; says 'mend: export POCL_CACHE_DIR='
doctor 0 env POCL_CACHE_DIR="$pocl" XDG_CACHE_HOME=/proc/none; says '^problem: cannot make /proc/none'; says 'mend: export XDG_CACHE_HOME='
doctor 0 env -u XDG_CACHE_HOME -u HOME POCL_CACHE_DIR="$pocl"; says '^problem: neither XDG_CACHE_HOME nor HOME'
doctor 0 env CLWEAVE_HISTORY=off; says '^problem: CLWEAVE_HISTORY is off'; says 'mend: unset CLWEAVE_HISTORY'
doctor 0 env POCL_KERNEL_CACHE=0; says '^problem: POCL_KERNEL_CACHE is 0'

XDG_CACHE_HOME=$T/open clweave cache > "$T/out" # makes the folder
mkdir -p "$T/open/clweave/programs"; chmod 700 "$T/open/clweave"; chmod 755 "$T/open/clweave/programs"
doctor 0 env XDG_CACHE_HOME="$T/open"; says "^problem: $T/open/clweave/programs has mode 755, so run keeps nothing in it"
says "mend: chmod 700 $T/open/clweave/programs"

# the environment
doctor 0 env CLWEAVE_LERN=off POCL_DEVICES=pthread CLWEAVE_DEVICES=none LD_PRELOAD=/none/x.so OPENCL_LAYERS=/none/y.so
says 'CLWEAVE_LERN is no setting; did you mean CLWEAVE_LEARN?'; says '^problem: POCL_DEVICES is set'
says '^problem: CLWEAVE_DEVICES is none'; says '^problem: LD_PRELOAD names /none/x.so'; says '^problem: OPENCL_LAYERS names /none/y.so'
last 'and 0 helpers'
doctor 1 env CLWEAVE_LEARN=sometimes; last "cannot gain here: CLWEAVE_LEARN: .*'sometimes' is not one of"
finish
