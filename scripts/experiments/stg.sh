#!/bin/bash
# stg.sh OUT FOLDER - the Standard Task Graph Set (Tobita, Kasahara, J. Scheduling 5(5), 2002) on 2, 4, 8 and 16
# alike processors: how far weave, HEFT and others are from the least possible length.
#
# FOLDER holds the set's .stg files, anywhere below it (kasahara.cs.waseda.ac.jp/schedule; not part of clweave). Where a
# file FOLDER/optimal.csv is there, lines "path below FOLDER,processors,length" name published optimal lengths. Besides
# an optimum is known where any policy here, weave with much effort among them, is as long as the lower bound. The gap to
# the bound over all graphs is printed too: it is the most by which the optimum can be missed.
# Margin: weave within 0.1 % of the known optima in the mean, never longer than HEFT.
# Costs for a graph are one time on every processor, there are no transfers; nothing is tuned per graph.
. "$(dirname "$0")/common.sh"
[ -d "${2:-}" ] || { echo "usage: $0 OUT FOLDER-with-stg-files" >&2; exit 2; }
folder=$(realpath "$2")
cd "$folder"
find . -name '*.stg' -printf '%P\n' | sort > "$scratch/files"
[ -s "$scratch/files" ] || { echo "$name: no .stg file in $folder" >&2; exit 1; }

echo "Standard Task Graph Set: $(wc -l < "$scratch/files") graphs on 2, 4, 8, 16 processors"
: > "$scratch/all.csv"
for processors in 2 4 8 16; do
    xargs -a "$scratch/files" -d '\n' -n 1000 "$B/clweave" compare -p weave -p weave:effort=30000000 -p heft -p hlfet -p peft -p cpop --processors $processors \
        --check --csv "$scratch/results.csv" --jobs "${JOBS:-2}" > /dev/null
    sed "1d; s/^/$processors,/" "$scratch/results.csv" >> "$scratch/all.csv"
done
{ echo processors,graph,tasks,policy,makespan,lower_bound,lower_bound_by,slr,speedup,efficiency,nsl,noted,platform,seed; cat "$scratch/all.csv"; } > "$out/results.csv"

[ -e optimal.csv ] && cp optimal.csv "$scratch/optimal.csv" || : > "$scratch/optimal.csv"
awk -F, -v dat="$out/figures.dat" '
FILENAME ~ /optimal.csv$/ { optimal[$1, $2] = $3; next }
FNR > 1 {
    key = $2 SUBSEP $1
    bound[key] = $6
    if (($2, $1) in optimal) { best[key] = optimal[key]; published += $4 == "weave" }
    else if ($5 <= $6 * (1 + 1e-9)) best[key] = $6
    if ((key in best) && $5 < best[key] * (1 - 1e-9)) { print "BELOW the optimum: " $2 " on " $1 ": " $5 " < " best[key]; failed = 1 }
    length_of[$2, $1, $4] = $5; seen[key] = 1
}
END {
    m = split("weave weave:effort=30000000 heft hlfet peft cpop", policy, " "); split("2 4 8 16", processors, " ")
    for (key in seen) {
        split(key, part, SUBSEP); q = part[2]; all++; known += key in best
        for (k = 1; k <= m; k++) {
            p = policy[k]; x = length_of[part[1], q, p]
            over[p] += 100 * (x / bound[key] - 1)
            if (!(key in best)) continue
            gap = 100 * (x / best[key] - 1)
            n[p, q]++; sum[p, q] += gap; at[p, q] += gap < 1e-7; total[p] += gap; count[p]++
            if (gap > worst[p, q]) worst[p, q] = gap
        }
    }
    printf "\n%d of %d optima are known, %d of them published\n", known, all, published
    for (key in seen) {
        split(key, part, SUBSEP)
        if (!((part[1], part[2]) in optimal)) continue
        for (k = 1; k <= m; k++) public[policy[k]] += 100 * (length_of[part[1], part[2], policy[k]] / optimal[part[1], part[2]] - 1) / published
        exactly += length_of[part[1], part[2], "weave"] == optimal[part[1], part[2]]
    }
    if (published) {
        printf "mean gap to the published:"
        for (k = 1; k <= m; k++) printf " %s %.3f %%", policy[k], public[policy[k]]
        printf "; weave has %d of %d exactly\n", exactly, published
        if (public["weave"] > 0.1) failed = 1
    }
    printf "\n%-21s %8s %10s | mean gap, share at the optimum, worst gap, %%, by processors\n", "policy", "gap %", "/ bound %"
    print "# policy 2 4 8 16" > dat
    for (k = 1; k <= m; k++) {
        p = policy[k]
        printf "%-21s %8.4f %10.4f |", p, total[p] / count[p], over[p] / all
        printf "%s", p > dat
        for (j = 1; j <= 4; j++) {
            q = processors[j]
            share = n[p, q] ? n[p, q] : 1
            printf "  %2d: %6.3f %5.1f %5.2f", q, sum[p, q] / share, 100 * at[p, q] / share, worst[p, q]
            printf " %s", sum[p, q] / share > dat
        }
        print ""; print "" > dat
    }
    for (key in seen) {
        split(key, part, SUBSEP)
        if (length_of[part[1], part[2], "weave"] > length_of[part[1], part[2], "heft"]) { failed = 1; print "longer than HEFT: " part[1] " on " part[2] }
    }
    if (total["weave"] / count["weave"] > 0.1) failed = 1
    print failed ? "\nNOT within the margins" : "\nwithin the margins: weave 0.1 % in the mean, never longer than HEFT"
    exit failed
}' "$scratch/optimal.csv" "$out/results.csv" || status=1

figure <<'EOF2'
set style data histograms
set style fill solid 0.8
set ylabel 'above the known optima, %'
set key top left
set xtics rotate by -20
set title 'Standard Task Graph Set' noenhanced
plot 'figures.dat' using 2:xtic(1) title '2 processors', '' using 3 title '4', '' using 4 title '8', '' using 5 title '16'
EOF2
exit ${status:-0}
