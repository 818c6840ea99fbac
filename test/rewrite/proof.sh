#!/bin/bash
# What forms for rows take for granted, held against clang's reading of the kernels (analyzer/kernels/llvm/rows_proof.h): the forms of all
# kernels of test_rewrite_rows hold; where the rewriter believes too much (credulous.c) none does that it would refuse else; and
# whatever else is changed in them is refused (claims.c). SEEDS times KERNELS random kernels.
# Of the cases of test_rewrite_rows every second one is read; ALL=1: all.
# SLOW: ALL=1 SEEDS=$(seq 2000 2009) KERNELS=40
# SECONDS: 15
set -u
bad=0
[ -x "$B/clweave-footprint" ] || { echo "built without LLVM"; exit 77; }
mkdir "$T/cases" && "$B/test/unit/test_rewrite_rows" "$T/cases" || exit 1
right='{"format":"clweave-footprint","version":1,"rows":[{"kernel":"k","wrong":null}]}'
cases=0
for source in "$T"/cases/*.cl; do
    case=${source%.cl}
    cases=$((cases + 1))
    [ -n "${ALL:-}" ] || [ $((cases % 2)) = 0 ] || continue
    why=$(cat "$case.why")
    helper=$B/clweave-footprint
    [[ $case = *no ]] && helper=$B/test/rewrite/credulous
    answer=$("$helper" --rows $(cat "$case.options") "$source")
    if [[ $case = *yes ]]; then
        case $why in # clang's reading is more careful: a store before, a copy, two negations, what goes round, a whole number in a sum
        "a loop behind else" | "that moves" | "what moves, negated" | "a helper without" | "whole numbers") rm "$source" ;;
        *) [ "$answer" = "$right" ] || { echo "$why: $answer"; bad=1; } ;;
        esac
        continue
    fi
    case $why in
    # another variable, which is just read; a build option that the rewriter refuses by itself
    # nothing is negated there, which the rewriter does not see
    "what is subtracted in a loop" | "minus one, which a call may multiply with") ;;
    "a macro that names it" | "another variable of that name" | "a parameter of that name" | "loose sums" | "loose zeros") ;;
    *) [ "$answer" != "$right" ] || { echo "believed: $why"; bad=1; } ;;
    esac
done
[ "$cases" -gt 150 ] || { echo "only $cases cases"; bad=1; }
"$B/test/rewrite/claims" test/rewrite/rows.cl "$T"/cases/*yes.cl > "$T/claims" 2>&1 || { cat "$T/claims"; bad=1; }
for source in test/rewrite/proof.cl test/rewrite/proof_floats.cl; do
    for helper in test/rewrite/credulous clweave-footprint; do "$B/$helper" --rows "$source"; done
done | grep -o '"kernel":"[^}]*' | sort -u > "$T/answers"
grep -v '"right_' "$T/answers" | grep '"wrong":null' && { echo "believed, above"; bad=1; }
grep '"right_' "$T/answers" | grep -v '"wrong":null' && { echo "refused, above"; bad=1; }
[ "$(wc -l < "$T/answers")" -ge 122 ] || { echo "only $(wc -l < "$T/answers") forms of proof.cl"; bad=1; }
read -r changes _ < "$T/claims"
[ "$changes" -gt 3000 ] || { echo "only $changes changes"; bad=1; }
for asked in "$T/missing.cl" -; do
    "$B/clweave-footprint" --rows "$asked" < /dev/null | grep -q '"error":' || { echo "--rows $asked: no error"; bad=1; }
done
for seed in ${SEEDS:-1}; do
    python3 test/rewrite/rows.py "$seed" "${KERNELS:-10}" > "$T/random.cl"
    "$B/test/rewrite/claims" "$T/random.cl" > "$T/claims" 2>&1 || { echo "seed $seed"; cat "$T/claims"; bad=1; }
    grep -q ' of [1-9][0-9]* forms' "$T/claims" || { echo "seed $seed: no forms"; bad=1; }
done
exit $bad
