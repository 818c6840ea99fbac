# Experiments of papers, as small as they can be: they end within their margins, and one that was killed goes on to the same
# results. experiments.slow.sh runs all of them.
. "$(dirname "$0")/common.sh"
export POLICIES='heft cpop dls dls:delta=off' GRAPHS=1 TMPDIR=$T
small() { # NAME FOLDER
    "scripts/experiments/$1.sh" "$T/$2" > "$T/$2.txt" 2> "$T/$2.err" || { fail "$1"; cat "$T/$2.txt" "$T/$2.err"; }
    grep -q '^within the margins' "$T/$2.txt" || fail "$1 does not say how it went"
    ! command -v gnuplot > /dev/null || grep -q '<svg' "$T/$2/figure.svg" || fail "$1 draws no figure: $(cat "$T/$2.err")"
}
small hxdsp_figure5 figure5
small heft_orderings quiet
[ "$(wc -l < "$T/quiet/results.csv")" = 9001 ] || fail "rows: $(wc -l < "$T/quiet/results.csv")"
for after in 1 3 5; do # by the clock: whatever is done by then is kept
    setsid scripts/experiments/heft_orderings.sh "$T/killed" > /dev/null 2>&1 & group=$!
    sleep 0.$after; kill -KILL -- -$group; wait $group 2> /dev/null
done
small heft_orderings killed
cmp "$T/killed/results.csv" "$T/quiet/results.csv" || fail "a killed experiment has other results"
[ -z "$(ls "$T/killed"/*.farm 2> /dev/null)" ] || fail "a checkpoint is left"
finish
