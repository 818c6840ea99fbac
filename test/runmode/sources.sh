# A detail of a program's text keeps out the kernels that reach it, no others: sources.c, case by case. The number is that of
# launches of `k`.
# SECONDS: 30
. test/runmode/common.sh

# sees CASE KERNELS CUT VARIABLE=VALUE... : so many launches are managed, and under chaos so many cut at least
sees() {
    local case=$1 least=$2 least_cut=$3
    shift 3
    printf '#!/bin/sh\nexec %s/test/runmode/sources %s\n' "$B" "$case" > "$T/case_$case"
    chmod +x "$T/case_$case"
    bare "$T/case_$case" || return
    in_run "$T/case_$case" CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos "$@"
    kernels=$(sed -n 's/.*managed (\([0-9]*\) kernels).*/\1/p' "$T/summary") cut=$(count cut)
    [ "$kernels" = "$least" ] && [ "$cut" -ge "$least_cut" ] || fail "$case: $kernels launches managed and $cut cut, $least and $least_cut expected: $(grep -v moved "$T/summary")"
}
for case in nul nuls never_printf undated headless builtin feature splice pragma cl_option mad plain_options; do sees $case 16 1; done
for case in loud dated variable; do sees $case 16 1; done
for case in counted stamped; do sees $case 0 0; done # all kernels count; or nothing is known of any
sees says 1 0
sees inlined 1 0
sees handed 16 1
sees expands 16 0
[ "$cut" = 0 ] || fail "expands: cut, although it is not known which text is meant"
sees parts 17 1
sees task 16 0
sees relaxed 16 0
grep -q '^run: whole: [0-9]* the build options allow results to vary.* -> --numerics relaxed$' "$T/summary" || fail "options that let results vary: $(cat "$T/summary")"
sees relaxed 16 1 CLWEAVE_NUMERICS=relaxed
for case in dead_asm uncalled assembly; do sees $case 16 1; done
done_
