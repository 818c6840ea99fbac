# Devices with memories of their own (--devices far): policies that look at transfers send launches there when bytes come
# quickly, and none when a copy takes a second, or when the memory is too small; the program prints the same.
. "$(dirname "$0")/common.sh"
app=$B/test/apps/chains8 quick=0

moved() { sed -n 's/^run: .* reordered, \([0-9]*\) moved.*/\1/p' "$T/summary"; }

bare "$app"
for policy in heft dmda hdgeft; do
    for devices in far:2 far:2/us=1000000 far:2/cap=4K; do
        in_run "$app" CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY=off CLWEAVE_POLICY=$policy CLWEAVE_DEVICES=$devices
        n=$(moved)
        case $devices in
        far:2) quick=$((quick + ${n:-0})) ;;
        *) [ "${n:-1}" -eq 0 ] || fail "$policy, $devices: ${n:-no} launches moved" ;;
        esac
    done
done
[ "$quick" -gt 0 ] || fail "quick memories are left alone"
done_
