# A program that is built for devices that its context lacks is answered, where PoCL would crash.
. test/devices/common.sh
under CLWEAVE_DSP=4 "$B/test/devices/strangers" || fail "strangers: exit status $?"
