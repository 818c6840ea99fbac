# Sourced by the tests of the doors. Needs B (build folder) and T (scratch folder); sets
#   shim     libclweave.so as built
#   count    the same doors with test/shim/count_mode.c behind them, which hooks everything (built by build_count)
#   driver   the null driver, selected for the loader by OCL_ICD_VENDORS
#   vendors  the folder that lists the vendors of this machine
set -eu
shim=$B/libclweave.so driver=$B/test/libnullcl.so count=$T/libcount.so
vendors=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}
export OCL_ICD_VENDORS=$driver NULLCL=$driver
CC=${CC:-cc}
flags="-std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Wno-deprecated-declarations -Wno-unused-function"
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac

fail() { echo "$*" >&2; exit 1; }

# program NAME [FLAG...] - builds test/shim/NAME.c (without its suffix in NAME) as $T/NAME
program() { local name=$1; shift; $CC $flags -o "$T/$name" "test/shim/$name.c" "$@" -ldl -lpthread; }

doors="door exports layer_env loader log missing roomy unwind"
build_count() {
    $CC $flags -fPIC -fvisibility=hidden -shared -Wl,--version-script=shim/door/libclweave.map -Wl,-z,nodelete -o "$count" \
        test/shim/count_mode.c $(printf "$B/obj/shim/door/%s.o " $doors) "$B/libcwanalyzer.a" "$B/libcwsched.a" -ldl -lpthread
}
