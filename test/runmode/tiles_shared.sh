# Launches that are cut into tiles give the same bytes when helpers refuse tiles or cannot build their kernels, when a tile fails in
# the middle, and when blocks are handed out while the launch runs, by either way, also to helpers that leave.
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
chaos="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1"
all() { # PROGRAM VARIABLE=VALUE... : on each kind of device
    local program=$1 devices; shift
    for devices in CLWEAVE_DEVICES=cpu,basic:2 CLWEAVE_DEVICES=cpu,sub:2 CLWEAVE_DSP=3; do
        in_run "$program" $chaos "$devices" "$@"
    done
}

# tiles that a helper does not take, from the first or in the middle, and rewritten programs that nobody can build
bare "$B/test/apps/tiles"
for fault in refuse:1 refuse:7 unbuilt:1 unbuilt:2; do
    all "$B/test/apps/tiles" CLWEAVE_FAULT=$fault
    grep -q "fault $fault planted" "$T/summary" || fail "$fault was not planted"
done
[ "$(count cut)" -ge 1 ] || fail "one device that builds nothing keeps all others from it"
# a block that fails when it has begun is not run again: the kernels that work in place would show it
for n in 1 4; do
    in_run "$B/test/apps/tiles" CLWEAVE_MANAGE_ALL=1 CLWEAVE_FAULT=late:$n CLWEAVE_DEVICES=cpu,basic:2
    grep -q "fault late:$n planted" "$T/summary" || fail "late:$n was not planted"
done
# shared as blocks are asked for, by whoever is early or all together; helpers that leave in the middle
cut=0
for blocks in async sync; do
    for devices in CLWEAVE_DEVICES=cpu,basic:2 CLWEAVE_DEVICES=cpu,sub:2 CLWEAVE_DSP=3; do
        in_run "$B/test/apps/tiles" CLWEAVE_MANAGE_ALL=1 CLWEAVE_BLOCKS=$blocks $devices
        cut=$((cut + $(count cut)))
    done
    in_run "$B/test/apps/tiles" CLWEAVE_MANAGE_ALL=1 CLWEAVE_BLOCKS=$blocks CLWEAVE_FAULT=refuse:2 CLWEAVE_DEVICES=cpu,basic:2
    grep -q "fault refuse:2 planted" "$T/summary" || fail "refuse:2 was not planted"
done
echo "$cut launches shared"
[ $cut -ge 60 ] || fail "few launches were shared"
done_
