# Launches that are cut into tiles give the same bytes when helpers refuse tiles or cannot build their kernels, when a tile fails in
# the middle, and when blocks are handed out while the launch runs, by either way, also to helpers that leave.
# ALL=1: every fault on every kind of device, both ways on each.
# SLOW: ALL=1
# SECONDS: 20
# COMPILER: shared
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
chaos="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1"
basic=CLWEAVE_DEVICES=cpu,basic:2 sub=CLWEAVE_DEVICES=cpu,sub:2 dsp=CLWEAVE_DSP=3
on() { [ -n "${ALL:-}" ] && echo $basic $sub $dsp || echo "$@"; } # KIND... : those of the fast test

# tiles that a helper does not take, from the first or in the middle, and rewritten programs that nobody can build
bare "$B/test/apps/tiles"
planted() { # FAULT KIND...
    local fault=$1 devices; shift
    for devices in $(on "$@"); do
        in_run "$B/test/apps/tiles" $chaos $devices CLWEAVE_FAULT=$fault
        grep -q "fault $fault planted" "$T/summary" || fail "$fault on $devices was not planted"
    done
}
planted refuse:1 $basic
planted refuse:7 $sub $dsp
planted unbuilt:1 $sub
planted unbuilt:2 $basic $dsp
[ "$(count cut)" -ge 1 ] || fail "one device that builds nothing keeps all others from it"
# a block that fails when it has begun is not run again: the kernels that work in place would show it
for n in 1 4; do
    in_run "$B/test/apps/tiles" CLWEAVE_MANAGE_ALL=1 CLWEAVE_FAULT=late:$n $basic
    grep -q "fault late:$n planted" "$T/summary" || fail "late:$n was not planted"
done
# shared as blocks are asked for, by whoever is early, all together, or of one size; helpers that leave in the middle
cut=0 runs=0
for blocks in async sync dispatch; do
    kinds=$(on $basic $dsp)
    [ $blocks = async ] || kinds=$(on $sub)
    for devices in $kinds; do
        in_run "$B/test/apps/tiles" CLWEAVE_MANAGE_ALL=1 CLWEAVE_BLOCKS=$blocks $devices
        cut=$((cut + $(count cut))) runs=$((runs + 1))
    done
    in_run "$B/test/apps/tiles" CLWEAVE_MANAGE_ALL=1 CLWEAVE_BLOCKS=$blocks CLWEAVE_FAULT=refuse:2 $basic
    grep -q "fault refuse:2 planted" "$T/summary" || fail "refuse:2 was not planted"
done
echo "$cut launches shared"
[ $cut -ge $((runs * 10)) ] || fail "few launches were shared"
done_
