#!/bin/bash
# The own kernels, each classified as a person would, with the formula: kernels/NAME.expect was reviewed by hand.
# A first line "/* options: ... */" gives build options.
# After a deliberate change: UPDATE=1 B=build bash test/footprint/golden.sh, then read the diff.
# The texts are those of LLVM 14, Debian 12's. Other versions word conditions, and formulas that are no use, in other ways: those lines
# are not compared there.
# SECONDS: 10
set -u
f=$B/clweave-footprint
[ -x "$f" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
others='^$'; ldd "$f" | grep -q 'libLLVM-14' || others=' if |: unknown$'
lines() { grep -vE "$others" "$1"; }
bad=0
for cl in test/footprint/kernels/*.cl; do
    expect=${cl%.cl}.expect
    read -ra options <<< "$(sed -n '1s|^/\* options: \(.*\) \*/$|\1|p' "$cl")"
    "$f" "${options[@]}" "$cl" > "$T/json" && python3 test/footprint/summary.py < "$T/json" > "$T/got" || { cat "$T/json"; bad=1; continue; }
    [ -n "${UPDATE:-}" ] && cp "$T/got" "$expect"
    diff -u <(lines "$expect") <(lines "$T/got") || bad=1
done
exit $bad
