# Wait lists between the CPU and a DSP: the vendor's own deadlock (test/vendor/user_event_hangs.c), clweave's must not.
# COMPILER: shared
. test/devices/common.sh
for how in CLWEAVE_POLICY=heft CLWEAVE_MANAGE_ALL=1 "CLWEAVE_POLICY=chaos CLWEAVE_SEED=1"; do
    for i in 1 2; do
        under CLWEAVE_DSP=1 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_SUMMARY=1 $how timeout 240 "$B/test/devices/across" > "$T/out" 2>&1 ||
            { s=$?; cat "$T/out"; fail "$how: status $s (124: it hangs)"; }
        grep -q "across: OK" "$T/out"
    done
done
