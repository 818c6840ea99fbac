#!/bin/bash
# Kernels with random tests for borders, in their form for rows against the kernels as they are (rows.c): those that clang's reading
# bears out (proof.sh). Faults planted into what finds the work-items inside must be noticed. SEEDS times
# KERNELS random kernels, LAUNCHES launches each; ALL=1: every fault, else every fifth.
# SLOW: ALL=1 SEEDS=$(seq 1000 1011) KERNELS=40 LAUNCHES=20
# SECONDS: 20
set -u
bad=0
[ -x "$B/clweave-footprint" ] || { echo "built without LLVM"; exit 77; }
borne_out() { echo " $("$B/clweave-footprint" --rows "$1" | grep -o '"kernel":"[^"]*","wrong":null' | cut -d'"' -f4 | tr '\n' ' ')"; }
rows() {
    python3 test/rewrite/rows.py "$1" "$2" > "$T/$1.cl" || return 1
    ROWS_ONLY=$(borne_out "$T/$1.cl") "$B/test/rewrite/rows" "$T/$1.cl" "$1" "$3" > "$T/out"
}
for seed in ${SEEDS:-1}; do
    rows "$seed" "${KERNELS:-6}" "${LAUNCHES:-8}"
    status=$?
    [ $status = 77 ] && { cat "$T/out"; exit 77; }
    [ $status = 0 ] || { echo "seed $seed"; cat "$T/out"; bad=1; }
done
ROWS_ONLY=$(borne_out test/rewrite/rows.cl) "$B/test/rewrite/rows" test/rewrite/rows.cl 1 12 > "$T/out" || { cat "$T/out"; bad=1; }
nth=0
while read -r kernel fault; do
    nth=$((nth + 1))
    [ -n "${ALL:-}" ] || [ $((nth % 5)) = 1 ] || continue
    ROWS_BREAK=$fault "$B/test/rewrite/rows" test/rewrite/rows.cl 1 40 "$kernel" > "$T/out" && { echo "not noticed: $fault"; bad=1; }
    grep -q DIFFERS "$T/out" || { cat "$T/out"; bad=1; }
done << 'END'
early __cw_b = __cw_under=>__cw_b = __cw_until
both __cw_a = __cw_until=>__cw_a = __cw_under
both (__cw_op == 1) __cw_b = __cw_until=>(__cw_op == 1) __cw_b = __cw_until + 1
early (__cw_op == 3) __cw_a = __cw_under=>(__cw_op == 3) __cw_a = __cw_under - (__cw_under > 0)
wraps != __cw_n - 1 =>!= __cw_n - 1 && 0
crosses (__cw_down ? __cw_less(__cw_l0, __cw_l1, __cw_s) : __cw_less(__cw_l1, __cw_l0, __cw_s))=>0
equal __cw_a = __cw_until; else __cw_b=>__cw_a = __cw_under; else __cw_b
early __cw_x < __cw_hi;=>__cw_x < __cw_hi - 1;
early int x = __cw_x ,=>int x = __cw_x + 1,
falls &__cw_first, &__cw_end)=>&__cw_first, &__cw_n)
nested  || __cw_l[=> || 0 && __cw_l[
clamps const int d = -1;=>const int d = 0;
clamps const int d = 1;=>const int d = 0;
clamps const int e = 1;=>const int e = 0;
clamps ) >= (=>) >= -5 + (
clamps_named const int d = 4;=>const int d = 3;
clamps_named const int d = 2;=>const int d = 3;
END
exit $bad
