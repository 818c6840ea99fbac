#!/bin/bash
# The tree built by clang with its address and undefined-behaviour sanitizers, which see what gcc's do not (NULL + 0): it builds
# without a warning; unit tests, the kept inputs of the fuzz harnesses and tests of the tool run clean.
# SLICES=3
# SAN_BUILD: a folder where the build stays for the next part.
set -u
clang=$(command -v clang-14 clang | head -n 1)
[ -n "$clang" ] || { echo "no clang"; exit 77; }
[ -e "$("$clang" -print-file-name=libclang_rt.asan-x86_64.a)" ] || [ -e "$("$clang" -print-resource-dir)/lib/linux/libclang_rt.asan-$(uname -m).a" ] ||
    { echo "$clang has no sanitizers (libclang-rt-14-dev)"; exit 77; }
# the name says to other tests that the library is instrumented
built=${SAN_BUILD:-$T}/address-undefined-clang
make -s -j"$(nproc)" CC="$(basename "$clang")" SAN=address,undefined OPT="-O1 -g" B="$built" tests > "$T/built" 2>&1 ||
    { tail -n 40 "$T/built"; echo "the tree does not build"; exit 1; }
[ ! -s "$T/built" ] || { cat "$T/built"; echo "the build prints warnings"; exit 1; }
tool='^test/cli/(bad_input|generate|graph|kernel|report|usage)|^test/footprint/(cut_fuzz|errors|eval|fuzz|models|ops)\.sh' # no preloading
case ${SLICE:-all} in
1/3) tests='^test/unit/.*[a-m]$|^test/fuzz/' ;;
2/3) tests='^test/unit/.*[n-z]$' ;;
3/3) tests=$tool ;;
*)   tests="^test/(unit|fuzz)/|$tool" ;;
esac
export TEST_TIMEOUT=600 UBSAN_OPTIONS=print_stacktrace=1
B=$built env -u SLICE -u PARTS test/run fast "$tests"
