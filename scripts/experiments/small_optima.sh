#!/bin/bash
# small_optima.sh [FOLDER] - how far policies are from the proven optimum: 10 tasks on 3 unlike devices, 100 graphs
# for each CCR (generator topcuoglu, shape 1, out-degree 3, heterogeneity 1, seeds 0 to 99), whole tasks.
#
# Margins: weave within 2, 4 and 10 % of the optimum in the mean at CCR 0.1, 1 and 5, and never longer than HEFT.
. "$(dirname "$0")/common.sh"
policies="exact weave heft peft lookahead cpop dls ldcp scls hscgs h2gs"

echo "Mean distance to the proven optimum, %: 10 tasks, 3 devices, 100 graphs each (seeds 0-99)"
: > "$out/results.csv"
for ccr in 0.1 1 5; do
    clweave generate topcuoglu --tasks 10 --devices 3 --out-degree 3 --ccr $ccr --seed 0 --count 100 -o "$scratch/g.json"
    args=(); for policy in $policies; do args+=(-p "$policy"); done
    clweave compare "${args[@]}" --times --check --csv "$scratch/results.csv" "$scratch"/g-*.json > /dev/null
    sed "1d; s/^/$ccr,/" "$scratch/results.csv" >> "$out/results.csv"
done
sed -i '1i ccr,graph,tasks,policy,makespan,lower_bound,lower_bound_by,slr,speedup,efficiency,nsl,noted,platform,seed,seconds' "$out/results.csv"

awk -F, -v policies="$policies" -v dat="$out/figures.dat" '
NR > 1 { length_of[$1, $2, $4] = $5; bound[$1, $2] = $6; seen[$1, $2] = 1; seconds[$4] += $15 }
END {
    n = split(policies, policy, " ")
    split("0.1 1 5", ccr, " ")
    for (key in seen) {
        split(key, at, SUBSEP)
        best = length_of[at[1], at[2], "exact"]
        count[at[1]]++
        gap["bound", at[1]] += 100 * (1 - bound[at[1], at[2]] / best)
        for (k = 1; k <= n; k++)
            gap[policy[k], at[1]] += 100 * (length_of[at[1], at[2], policy[k]] / best - 1)
        if (length_of[at[1], at[2], "weave"] > length_of[at[1], at[2], "heft"]) failed = 1
    }
    printf "\n%-12s %8s %8s %8s %12s\n", "policy", "CCR 0.1", "CCR 1", "CCR 5", "ms a graph"
    print "# policy ccr0.1 ccr1 ccr5" > dat
    for (k = 2; k <= n; k++) {
        p = policy[k]
        for (c = 1; c <= 3; c++) g[c] = gap[p, ccr[c]] / count[ccr[c]]
        printf "%-12s %8.2f %8.2f %8.2f %12.3f\n", p, g[1], g[2], g[3], 1000 * seconds[p] / (3 * count["1"])
        print p, g[1], g[2], g[3] > dat
        if (p == "weave" && (g[1] > 2 || g[2] > 4 || g[3] > 10)) failed = 1
    }
    printf "%-12s %8.2f %8.2f %8.2f   (below the optimum)\n", "lower bound", gap["bound", ccr[1]] / count[ccr[1]],
           gap["bound", ccr[2]] / count[ccr[2]], gap["bound", ccr[3]] / count[ccr[3]]
    print failed ? "\nNOT within the margins" : "\nwithin the margins: weave 2, 4, 10 %, never longer than HEFT"
    exit failed
}' "$out/results.csv" || status=1

figure <<'EOF2'
set style data histograms
set style fill solid 0.8
set ylabel 'above the optimum, %'
set logscale y
set yrange [0.05:2000]
set xtics rotate by -35
set title '10 tasks on 3 devices, mean of 100 graphs' noenhanced
plot 'figures.dat' using 2:xtic(1) title 'CCR 0.1', '' using 3 title 'CCR 1', '' using 4 title 'CCR 5'
EOF2
exit ${status:-0}
