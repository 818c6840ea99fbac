# What run mode says of itself: nothing of gains where nothing was looked at, and that there is no OpenCL platform.
. test/runmode/common.sh
program=$B/test/apps/blockmatmul
[ -x "$program" ] || { echo "blockmatmul is not built"; exit 77; }

# a first run of a short program: helpers do not begin, no window is planned
"$program" > "$T/bare" 2> "$T/bare.err" || { echo "no device"; exit 77; }
in_run "$program" CLWEAVE_HISTORY="$T/history.db"
grep -q 'gained' "$T/summary" && fail "a first run speaks of gains: $(cat "$T/summary")"
grep -q '^run: left: [0-9]* before helpers began.* -> run it again, or --learn all$' "$T/summary" || fail "why commands were left: $(cat "$T/summary")"
grep -q '^run: .* windows; 0 native, [1-9][0-9]* left by choice$' "$T/summary" || fail "commands left by choice are not told from others: $(cat "$T/summary")"
grep -q '^run: heft planned no window$' "$T/summary" || fail "no window was planned, but: $(cat "$T/summary")"
grep -q '0\.000 ms' "$T/summary" && fail "times of nothing: $(cat "$T/summary")"

grep -qE '^clweave: (watched|no gain expected)' "$T/run.err" || fail "the line at the end: $(cat "$T/run.err")"

# no platform: said once, whatever the program makes of it, by run and by trace
mkdir "$T/vendors"
for mode in run trace; do
    OCL_ICD_VENDORS=$T/vendors OPENCL_VENDOR_PATH=$T/vendors PATH=$B:$PATH clweave $mode -o "$T/none.json" -- "$program" > "$T/out" 2> "$T/err"
    [ "$(grep -c "OpenCL finds no platform, so there is nothing to $mode: install a driver" "$T/err")" = 1 ] ||
        fail "$mode says nothing of a missing platform: $(cat "$T/err")"
done
done_
