# A program that is built for devices that its context lacks is answered, where PoCL would crash.
. test/devices/common.sh
export POCL_CACHE_DIR=$T/cache; mkdir -p "$POCL_CACHE_DIR"
build strangers
under CLWEAVE_DSP=4 "$T/strangers" || fail "strangers: exit status $?"
