# First launches of kernels are managed where the limits that the vendor states leave no room for an error; those that the
# vendor refuses are its own, and the program reads its codes.
# CACHE: empty
. test/runmode/common.sh
program=$B/test/runmode/firsts
bare "$program" || { done_; exit; }
for how in CLWEAVE_LEARN=all CLWEAVE_MANAGE_ALL=1 "CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos"; do
    in_run "$program" CLWEAVE_LEARN=all CLWEAVE_DEVICES=cpu,basic:1 $how
    managed 15
    grep -q '^run: native: 5 first launch of its kind' "$T/summary" || fail "$how: $(cat "$T/summary")" # those that fail
    [ "$(count native)" = 6 ] || fail "$how: $(cat "$T/summary")"
done
done_
