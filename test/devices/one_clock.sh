# Times of one in-order queue are on one clock, whatever kind its commands are of: launches without work-items, markers,
# migrations, maps, commands behind user events, functions that run mode does not know.
. test/devices/common.sh
for how in CLWEAVE_MANAGE_ALL=0 CLWEAVE_MANAGE_ALL=1; do
    under CLWEAVE_DSP=2 CLWEAVE_DSP_CLOCK=virtual $how timeout 240 "$B/test/devices/one_clock" > "$T/out" 2>&1 || { cat "$T/out"; fail "$how"; }
    grep -q "one_clock: OK" "$T/out" || fail "$how: $(cat "$T/out")"
done
# the program sees its references alone
under CLWEAVE_DSP=2 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_MANAGE_ALL=1 "$B/test/runmode/counts" > "$T/out" 2>&1 || { cat "$T/out"; fail "counts"; }
"$B/test/runmode/counts" > "$T/bare" && diff "$T/bare" "$T/out" || fail "other reference counts"
