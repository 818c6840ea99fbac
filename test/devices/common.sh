# Sourced by the tests of run mode's devices. Needs B and T.
set -eu
shim=$B/libclweave.so
CC=${CC:-cc}
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac

fail() { echo "$*" >&2; exit 1; }

# build NAME - builds test/devices/NAME.c as $T/NAME
build() {
    $CC -std=gnu11 -O1 -g -Wall -Wextra -Werror -DCL_TARGET_OPENCL_VERSION=300 -o "$T/$1" "test/devices/$1.c" -lOpenCL -lpthread -lm
}

# under VARIABLE... COMMAND... - runs in mode run
under() {
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run "$@"
}
