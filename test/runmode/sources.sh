# A detail of a program's text keeps out the kernels that reach it, no others: sources.c, case by case. The number is that of
# launches of `k`.
# SECONDS: 30
. test/runmode/common.sh

# sees CASE KERNELS CUT : so many launches are managed, and under chaos so many cut at least
sees() {
    printf '#!/bin/sh\nexec %s/test/runmode/sources %s\n' "$B" "$1" > "$T/case_$1"
    chmod +x "$T/case_$1"
    bare "$T/case_$1" || return
    in_run "$T/case_$1" CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos
    kernels=$(sed -n 's/.*managed (\([0-9]*\) kernels).*/\1/p' "$T/summary") cut=$(count cut)
    [ "$kernels" = "$2" ] && [ "$cut" -ge "$3" ] || fail "$1: $kernels launches managed and $cut cut, $2 and $3 expected: $(grep -v moved "$T/summary")"
}
for case in nul nuls never_printf undated headless builtin feature splice pragma cl_option mad plain_options; do sees $case 16 1; done
for case in loud dated variable; do sees $case 16 1; done
sees parts 17 1
sees task 16 0
for case in dead_asm uncalled assembly; do sees $case 15 1; done # whose kernels may demand a local size: one more goes to the vendor
done_
