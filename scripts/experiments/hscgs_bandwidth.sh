#!/bin/bash
# hscgs_bandwidth.sh [FOLDER] [GRAPHS] - the figures of Zhao, Li, Wang (Computer Engineering and Design 2014(9)) by how unlike
# the links are: normalised schedule length (NSL) and speedup of HSCGS, SCLS, H2GS, HEFT, DLS and CPOP over Bh 1 5 10 15.
#
# Generator hscgs (a reconstruction): bandwidths U(1, Bh); tasks 20 40 60 80 100, devices 2 4 8 16 32 and speed range 2 4 8 16
# in turn; GRAPHS graphs a size, Bh and CCR (default 20; the paper has 300), the same settings and seeds at each Bh. CCR is
# 1 and 5 at the mean bandwidth (1 + Bh) / 2: else transfers would count for less as Bh grows.
# The paper's points are not printed as numbers, so what is judged is its statement, HSCGS before HEFT, DLS and CPOP in NSL
# and speedup: before CPOP everywhere, within 0.5 % of HEFT at CCR 1, before HEFT and DLS at CCR 5 where bandwidths differ.
. "$(dirname "$0")/common.sh"
graphs=${2:-20}
policies="hscgs scls h2gs heft dls cpop"
args=(); for policy in $policies; do args+=(-p "$policy"); done

for ccr in 1 5; do for rate in 1 5 10 15; do for tasks in 20 40 60 80 100; do
    for ((k = 0; k < graphs; k++)); do
        echo "hscgs:rate-range=$rate,ccr=$((5 * ccr * (1 + rate)))e-1,tasks=$tasks,devices=$((2 << k % 5)),speed-range=$((2 << k / 5 % 4)),seed=$((1000 * tasks + k))"
    done
done; done; done > "$out/graphs"
echo "HSCGS over bandwidths: $(wc -l < "$out/graphs") random graphs ($graphs a size, Bh and CCR)"
compare "${args[@]}" --lp off --check --each "$out/graphs" --csv "$out/results.csv" > /dev/null

sed 's/^"hscgs:\([^"]*\)"/\1/; s/[a-z-]*=//g' "$out/results.csv" | awk -F, -v policies="$policies" -v dat="$out/figures.dat" '
NR > 1 { # fields: Bh ccr tasks devices speed-range seed, tasks policy makespan bound by slr speedup efficiency nsl
    ccr = $2 * 2 / (1 + $1)
    n[ccr, $1, $8]++; nsl[ccr, $1, $8] += $15; speedup[ccr, $1, $8] += $13
    length_of[$8] = $9
    if ($8 == "cpop") for (p in length_of) over[ccr, $1, p] += 100 * (length_of[p] / length_of["heft"] - 1) # it comes last of a graph
}
function mean(values, c, b, p) { return values[c, b, p] / n[c, b, p] }
function table(what, values, c,    b, k) {
    printf "\n%-26s", what ", CCR " c
    for (k = 1; k <= m; k++) printf " %8s", policy[k]
    print ""
    for (b = 1; b <= 4; b++) {
        printf "Bh %-23s", rate[b]
        for (k = 1; k <= m; k++) printf " %8.3f", mean(values, c, rate[b], policy[k])
        print ""
    }
}
function before(c, b, p, margin) { # HSCGS before p
    return mean(nsl, c, b, "hscgs") <= margin * mean(nsl, c, b, p) && mean(speedup, c, b, "hscgs") * margin >= mean(speedup, c, b, p)
}
END {
    m = split(policies, policy, " "); split("1 5 10 15", rate, " ")
    for (c = 1; c <= 5; c += 4) {
        table("NSL", nsl, c); table("speedup", speedup, c); table("over HEFT, %", over, c)
        for (b = 1; b <= 4; b++) {
            printf "%s", rate[b] > dat
            for (k = 1; k <= m; k++) printf " %s %s", mean(nsl, c, rate[b], policy[k]), mean(speedup, c, rate[b], policy[k]) > dat
            print "" > dat
            for (k = 4; k <= m; k++)
                if (!before(c, rate[b], policy[k], 1))
                    other = other sprintf("\nNot as in the paper: HSCGS behind %s at CCR %d, Bh %s.", toupper(policy[k]), c, rate[b])
            if (!before(c, rate[b], "cpop", 1) || !before(c, rate[b], "heft", 1.005) ||
                (c == 5 && b > 1 && (!before(c, rate[b], "heft", 1) || !before(c, rate[b], "dls", 1))))
                failed = 1
        }
        print "\n" > dat
    }
    if (other) print other
    print failed ? "\nNOT within the margins" : "\nwithin the margins: HSCGS before CPOP, beside HEFT at CCR 1, before HEFT and DLS at CCR 5 where bandwidths differ"
    exit failed
}' || status=1

figure <<'EOF2'
set terminal svg size 960,720 font 'sans-serif,12' background 'white'
set multiplot layout 2,2
set xlabel 'Bh'
set xrange [0:16]
set xtics (1, 5, 10, 15)
set offsets 0, 0, graph 0.05, graph 0.05
set key center right
array name[6] = ['HSCGS', 'SCLS', 'H2GS', 'HEFT', 'DLS', 'CPOP']
do for [c=0:1] {
    set title sprintf('CCR %d', 1 + 4 * c)
    set ylabel 'mean NSL'
    plot for [k=1:6] 'figures.dat' index (c) using 1:2*k with linespoints linewidth 2 notitle
    set ylabel 'mean speedup'
    plot for [k=1:6] 'figures.dat' index (c) using 1:2*k+1 with linespoints linewidth 2 title c ? '' : name[k]
}
unset multiplot
EOF2
exit ${status:-0}
