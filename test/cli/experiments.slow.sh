# The experiments that reproduce published tables end within the margins that they state, where they state any. Not what hxdsp_apps.sh measures on the real
# clock, which is a bench (hxdsp.bench).
. "$(dirname "$0")/common.sh"
for experiment in scripts/experiments/*_*.sh; do
    name=$(basename "$experiment" .sh)
    case $name in hxdsp_apps) export CLOCK= ;; *) unset CLOCK ;; esac
    "$experiment" "$T/$name" > "$T/$name.txt" || { fail "$name"; cat "$T/$name.txt"; }
    grep -q -e '^within the margins' -e '^no margins: ' "$T/$name.txt" || fail "$name does not say how it went"
    [ -s "$T/$name/results.csv" ] || fail "$name leaves no results"
    ! command -v gnuplot > /dev/null || grep -q '<svg' "$T/$name/figure.svg" || fail "$name draws no figure"
done
finish
