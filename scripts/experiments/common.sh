# common.sh - what the experiments share: clweave of this build in PATH, a scratch folder, figures.
#
# An experiment prints its settings, a table of ours beside the paper's numbers and what differs; it writes
# results.csv, figures.dat and, where gnuplot is installed, figure.svg into its folder (second argument; default
# build/experiments/NAME). Exit 0: within the margins that it states, 1: not, or it could not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
name=$(basename "$0" .sh)
B=$(realpath "${B:-$root/build}")
out=$(realpath -m "${1:-$B/experiments/$name}")
mkdir -p "$out"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/clweave-experiment.XXXXXX"); trap 'rm -rf "$scratch"' EXIT
[ -x "$B/clweave" ] || { echo "$name: $B/clweave is missing; run make first" >&2; exit 1; }
PATH=$B:$PATH
unset ${!CLWEAVE_*}

compare() { # options of `clweave compare`: by a farm, which goes on when the experiment is started again
    (cd "$out" && clweave compare --farm --resume "$@")
}

figure() { # gnuplot commands on standard input, which draw "figures.dat"
    if ! command -v gnuplot > /dev/null; then
        echo "(no figure: gnuplot is not installed)"
        return
    fi
    { echo "set terminal svg size 720,420 font 'sans-serif,12' background 'white'"
      echo "set output 'figure.svg'"
      cat
    } > "$out/figure.gp"
    (cd "$out" && gnuplot figure.gp)
    echo "figure: $out/figure.svg"
}
