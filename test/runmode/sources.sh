# A detail of a program's text keeps out the kernels that reach it, no others: sources.c, cases together in one process, as PoCL reads its
# library for each. The number is that of launches of `k`. ALL=1: each case by itself, too,
# and with helpers, for which all would be compiled again.
# SLOW: ALL=1
# SECONDS: 20
# COMPILER: shared
. test/runmode/common.sh

# sees "CASE..." KERNELS CUT VARIABLE=VALUE... : so many launches are managed, and under chaos so many cut at least
sees() {
    local cases=$1 least=$2 least_cut=$3
    shift 3
    printf '#!/bin/sh\nexec %s/test/runmode/sources %s\n' "$B" "$cases" > "$T/cases"
    chmod +x "$T/cases"
    "$T/cases" > /dev/null 2>&1 || { echo "left out, as bare PoCL fails (6.0): $cases"; cut=0; return; }
    bare "$T/cases" || return
    in_run "$T/cases" CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos ${devices:-} "$@"
    kernels=$(sed -n 's/.*managed (\([0-9]*\) kernels).*/\1/p' "$T/summary") cut=$(count cut)
    [ "$kernels" = "$least" ] && [ "$cut" -ge "$least_cut" ] || fail "$cases: $kernels launches managed and $cut cut, $least and $least_cut expected: $(grep -v moved "$T/summary")"
}
# cuts KERNELS CASE... : each has so many launches, which may be cut, and some are
cuts() {
    local each=$1 case; shift
    sees "$*" $((each * $#)) $#
    ! grep -E '^run: whole: [0-9]+ (nothing is known|the build options)' "$T/summary" || fail "$*: launches that cannot be cut"
    [ -n "${ALL:-}" ] || return
    for case; do sees "$case" "$each" 1; done
}
[ -n "${ALL:-}" ] || devices=CLWEAVE_DEVICES=none
cuts 16 nul nuls never_printf undated headless builtin
cuts 16 feature splice pragma cl_option mad plain_options
cuts 16 loud dated variable handed dead_asm uncalled assembly
cuts 17 parts
sees "counted stamped" 0 0 # all kernels count; or nothing is known of any
sees "says inlined" 2 0
sees "expands task rounds" 48 0
[ "${cut:-0}" = 0 ] || fail "expands: cut, although it is not known which text is meant; or what others forbid"
grep -q '^run: whole: 16 the build options allow results to vary.* -> --set numerics=relaxed$' "$T/summary" || fail "options that let results vary: $(cat "$T/summary")"
sees rounds 16 1 CLWEAVE_NUMERICS=relaxed
sees relaxed 16 1 # whole numbers
done_
