# Launches whose local size is left to a device that they can see it of run elsewhere and in tiles, with the size that home
# chooses: nulls.c prints what they see. A busy machine may answer late: then once more, with what the vendor keeps.
# COMPILER: shared
# SECONDS: 15
. test/runmode/common.sh
printf '#!/bin/sh\nexec "%s" 100\n' "$B/test/runmode/nulls" > "$T/nulls"
chmod +x "$T/nulls"
bare "$T/nulls" || { done_; exit; }
for devices in basic:2 sub:2; do
    for turn in 1 2 3 4 5 6; do
        in_run "$T/nulls" CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=cpu,$devices
        [ "$(count moved)" -le 20 ] || break
    done
    [ "$(count moved)" -gt 20 ] || too_busy "$devices: only $(count moved) launches ran elsewhere"
    cut=$((${cut:-0} + $(count cut)))
done
[ ! -x "$B/clweave-footprint" ] || [ "$cut" -gt 0 ] || fail "none was cut"
done_
