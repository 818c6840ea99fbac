# Images in every use (filters.c): commands on them and launches with samplers are managed, moved and cut, and print what they print
# bare. A call that is wrong goes to the vendor.
# COMPILER: shared
# SECONDS: 10
. test/runmode/common.sh
program=$B/test/runmode/filters
bare "$program" || { done_; exit; }
in_run "$program"
in_run "$program" CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=sub:2
managed 200
for how in "CLWEAVE_DEVICES=basic:2 CLWEAVE_SEED=1" "CLWEAVE_DEVICES=sub:2 CLWEAVE_SEED=2" "CLWEAVE_DSP=2 CLWEAVE_DSP_CLOCK=virtual"; do
    in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 $how
    managed 200
    [ "$(count moved)" -ge 1 ] || fail "$how: no launch ran elsewhere: $(cat "$T/summary")"
    [ "$(count cut)" -ge 1 ] || fail "$how: no launch was cut: $(cat "$T/summary")"
    grep '^run: whole: .* an image' "$T/summary" && fail "$how: a launch that writes pixels of its own stayed whole"
done
# of the natives one is a read of an image in a buffer, which the vendor takes for a read of the buffer
grep -q '^run: native: 1 image, sampler or buffer of a kind that is not managed$' "$T/summary" || fail "other reasons: $(cat "$T/summary")"
grep '^run: native: ' "$T/summary" | grep -vE ': (1 image, sampler|10 left to the vendor)' | grep . && fail "other reasons"
done_
