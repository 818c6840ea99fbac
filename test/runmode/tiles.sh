# Launches that are cut into tiles give the same bytes: the samples under chaos, which cuts whatever may be cut anywhere and
# gives the tiles to any devices. (Helpers that fail, and blocks as they are asked for: tiles_shared.sh) ALL=1: more samples.
# SLOW: ALL=1 SEEDS=$(seq 20)
# SECONDS: 30
# COMPILER: shared
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
chaos="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1"
cut=0 tiles=0
all() { # PROGRAM VARIABLE=VALUE... : on each kind of device
    local program=$1 devices; shift
    for devices in CLWEAVE_DEVICES=cpu,basic:2 CLWEAVE_DEVICES=cpu,sub:2 CLWEAVE_DSP=3; do
        in_run "$program" $chaos "$devices" "$@"
        cut=$((cut + $(count cut)))
        tiles=$((tiles + $(grep -oE '\([0-9]+ tiles' "$T/summary" | tr -dc 0-9)))
    done
}

more="blockmatmul mapreduce featurefusion chains8 onebuffer disjoint wrongflags threads events_ooo"
for name in tiles edges pictures jacobi reduction ${ALL:+$more}; do
    bare "$B/test/apps/$name" || continue
    for seed in ${SEEDS:-1}; do
        all "$B/test/apps/$name" CLWEAVE_SEED=$seed
    done
done
echo "$cut launches cut into $tiles tiles"
[ $cut -ge $((compared * 2)) ] && [ $tiles -ge $((compared * 5)) ] || fail "runs that cut nothing prove nothing"

# the program's device a sub-device, or one that runs kernels in the calling thread
export POCL_DEVICES=basic
bare "$B/test/apps/tiles" && in_run "$B/test/apps/tiles" $chaos
[ "$(count cut)" -ge 5 ] || fail "not cut on one device: $(cat "$T/summary")"
unset POCL_DEVICES

# two devices of the program's that share compiled kernels: launches with and without an offset keep apart
export POCL_DEVICES="basic basic"
bare "$B/test/apps/edges" && in_run "$B/test/apps/edges" $chaos CLWEAVE_DEVICES=basic:2
[ "$(count cut)" -ge 5 ] || fail "offsets are not cut: $(cat "$T/summary")"
unset POCL_DEVICES

# the program's own sub-devices: helpers for one of them where they are asked for; two share what either is given
export APP_SUBDEVICE=1
bare "$B/test/apps/tiles" && in_run "$B/test/apps/tiles" $chaos CLWEAVE_DEVICES=basic:2
[ "$(count cut)" -ge 8 ] || fail "not cut on a sub-device: $(cat "$T/summary")"
unset APP_SUBDEVICE
bare "$B/test/runmode/subdevices" && in_run "$B/test/runmode/subdevices" $chaos
[ "$(count cut)" -ge 5 ] || fail "not cut between two sub-devices: $(cat "$T/summary")"
in_run "$B/test/runmode/subdevices" CLWEAVE_MANAGE_ALL=1
[ "$(count cut)" -ge 5 ] || fail "two sub-devices do not share: $(cat "$T/summary")"

done_
