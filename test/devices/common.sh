# Sourced by the tests of run mode's devices. Needs B and T.
set -eu
shim=${SHIM:-$B/libclweave.so}
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac

fail() { echo "$*" >&2; exit 1; }

# under VARIABLE... COMMAND... - runs in mode run
under() {
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run "$@"
}
