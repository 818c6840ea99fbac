# Sourced by the tests of run mode's devices. Needs B and T.
set -eu
shim=${SHIM:-$B/libclweave.so}
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac

fail() { echo "$*" >&2; exit 1; }

# too_busy WHY... : this machine had no time for what the test wants to see (see test/README.md)
too_busy() { echo "$*" >&2; exit 75; }

# under VARIABLE... COMMAND... - runs in mode run
under() {
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run "$@"
}
