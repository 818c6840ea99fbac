# First launches of kernels are managed where the limits that the vendor states leave no room for an error; those that the
# vendor refuses are its own, and the program reads its codes. So are all of a program on a device for which it was not built.
# CACHE: empty
. test/runmode/common.sh
program=$B/test/runmode/firsts
bare "$program" || { done_; exit; }
for how in CLWEAVE_LEARN=all CLWEAVE_MANAGE_ALL=1 "CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos"; do
    in_run "$program" CLWEAVE_LEARN=all CLWEAVE_DEVICES=cpu,basic:1 $how
    case $how in
    CLWEAVE_LEARN=all) managed 15 ;; # some of the later ones are left by choice
    *)
        managed 27
        grep -q '^run: native: 17 first launch of its kind' "$T/summary" || fail "$how: $(cat "$T/summary")" # those that fail
        [ "$(count native)" = 18 ] || fail "$how: $(cat "$T/summary")"
        ;;
    esac
done
printf '#!/bin/sh\nexec "%s" partly\n' "$program" > "$T/partly"
chmod +x "$T/partly"
export POCL_DEVICES="pthread basic"
bare "$T/partly" && in_run "$T/partly" CLWEAVE_MANAGE_ALL=1
grep -q Aborted "$T/bare" || fail "PoCL runs a program on a device for which it was not built: $(cat "$T/bare")"
done_
