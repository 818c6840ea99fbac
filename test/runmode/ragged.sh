# Cut launches of ever new widths: all are cut, and what their smaller last work-groups need is compiled once for each device.
# COMPILER: shared
. test/runmode/common.sh
program=$B/test/runmode/ragged
bare "$program" || { done_; exit; }
for devices in basic:4 sub:2; do
    rm -rf "$T/cache"
    in_run "$program" CLWEAVE_DEVICES=$devices CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 POCL_CACHE_DIR="$T/cache"
    managed 20
    cut=$(count cut)
    [ "$cut" -ge 10 ] || fail "$devices: only $cut launches cut: $(cat "$T/summary")"
    # each device's program is in a folder of its own; local sizes 64 and 1, and PoCL's code of any size
    most=$(find "$T/cache" -name '*.so' -printf '%H/%P\n' | awk -F/ -v OFS=/ '{ NF -= 2; print }' | sort | uniq -c | sort -n | awk 'END { print $1 + 0 }')
    [ "$most" -ge 1 ] && [ "$most" -le 4 ] || fail "$devices: $most codes of one kernel on one device: $(find "$T/cache" -name '*.so')"
    echo "$devices: $cut of 20 launches cut, $most codes a device at most"
done
done_
