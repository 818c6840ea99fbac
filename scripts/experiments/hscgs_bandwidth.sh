#!/bin/bash
# hscgs_bandwidth.sh [FOLDER] [GRAPHS] - the figures of Zhao, Li, Wang (Computer Engineering and Design 2014(9)) by how unlike
# the links are: normalised schedule length (NSL) and speedup of HSCGS, SCLS, H2GS, HEFT, DLS and CPOP over Bh 1 5 10 15.
#
# Generator hscgs (a reconstruction): bandwidths U(1, Bh); tasks 20 40 60 80 100, devices 2 4 8 16 32 and speed range 2 4 8 16
# in turn; GRAPHS graphs a size, Bh and reading (default 20; the paper has 300), the same settings and seeds for each.
#
# The CCR of the paper's graphs is unknown, and so is whether it holds at bandwidth 1 or at the mean bandwidth. All four
# readings are printed: CCR 1 and 5, plain (at bandwidth 1, as `clweave generate` has it: transfers count for less as Bh
# grows) and scaled by (1 + Bh) / 2 (at the mean bandwidth). The paper's points are not printed as numbers either. So the
# script judges nothing: under each reading it counts where the paper's statement holds, HSCGS before HEFT, DLS and CPOP
# in NSL and in speedup, and names the points where it does not. Exit 0: the experiment has run.
. "$(dirname "$0")/common.sh"
graphs=${2:-20}
policies="hscgs scls h2gs heft dls cpop"
args=(); for policy in $policies; do args+=(-p "$policy"); done

for reading in plain scaled; do for ccr in 1 5; do for rate in 1 5 10 15; do for tasks in 20 40 60 80 100; do
    [ $reading = plain ] && value=$ccr || value=$((5 * ccr * (1 + rate)))e-1
    for ((k = 0; k < graphs; k++)); do
        graph="hscgs:rate-range=$rate,ccr=$value,tasks=$tasks,devices=$((2 << k % 5)),speed-range=$((2 << k / 5 % 4)),seed=$((9000000 + 1000 * tasks + k))"
        echo "$graph"
        echo "$reading,$ccr" >> "$scratch/readings"
    done
done; done; done; done > "$out/graphs"
echo "HSCGS over bandwidths: $(wc -l < "$out/graphs") random graphs ($graphs a size, Bh and reading of CCR)"
compare "${args[@]}" --lp off --check --each "$out/graphs" --csv "$out/results.csv" > /dev/null

sed 's/^"hscgs:\([^"]*\)"/\1/; s/[a-z-]*=//g' "$out/results.csv" |
awk -F, -v policies="$policies" -v readings="$scratch/readings" -v dat="$out/figures.dat" '
BEGIN { m = split(policies, policy, " ") }
NR > 1 { # fields: Bh ccr tasks devices speed-range seed, tasks policy makespan bound by slr speedup efficiency nsl
    if ((NR - 2) % m == 0) { getline line < readings; split(line, part, ","); r = part[1] " CCR " part[2] }
    n[r, $1, $8]++; nsl[r, $1, $8] += $15; speedup[r, $1, $8] += $13
    length_of[$8] = $9
    if ((NR - 2) % m == m - 1) for (p in length_of) over[r, $1, p] += 100 * (length_of[p] / length_of["heft"] - 1)
}
function mean(values, r, b, p) { return values[r, b, p] / n[r, b, p] }
function table(what, values, r,    b, k) {
    printf "\n%-26s", what ", " r
    for (k = 1; k <= m; k++) printf " %8s", policy[k]
    print ""
    for (b = 1; b <= 4; b++) {
        printf "Bh %-23s", rate[b]
        for (k = 1; k <= m; k++) printf " %8.3f", mean(values, r, rate[b], policy[k])
        print ""
    }
}
function before(r, b, p) { # HSCGS before p
    return mean(nsl, r, b, "hscgs") <= mean(nsl, r, b, p) && mean(speedup, r, b, "hscgs") >= mean(speedup, r, b, p)
}
END {
    split("1 5 10 15", rate, " ")
    c = split("plain CCR 1;plain CCR 5;scaled CCR 1;scaled CCR 5", reading, ";")
    for (j = 1; j <= c; j++) {
        r = reading[j]
        table("NSL", nsl, r); table("speedup", speedup, r); table("over HEFT, %", over, r)
        counts = counts sprintf("\n%-26s", r)
        for (b = 1; b <= 4; b++) {
            printf "%s", rate[b] > dat
            for (k = 1; k <= m; k++) printf " %s %s", mean(nsl, r, rate[b], policy[k]), mean(speedup, r, rate[b], policy[k]) > dat
            print "" > dat
        }
        for (k = 4; k <= m; k++) {
            held = 0
            for (b = 1; b <= 4; b++)
                if (before(r, rate[b], policy[k])) held++
                else other = other sprintf("\nNot as in the paper: HSCGS behind %s at %s, Bh %s.", toupper(policy[k]), r, rate[b])
            counts = counts sprintf(" %8d", held)
        }
        print "\n" > dat
    }
    printf "\n%-26s %8s %8s %8s%s\n", "HSCGS not behind, of 4 Bh", "heft", "dls", "cpop", counts
    if (other) print other
    print "\nno margins: the CCR of the paper and its points are not known as numbers; nothing is judged"
}'

figure <<'EOF2'
set terminal svg size 960,1440 font 'sans-serif,12' background 'white'
set multiplot layout 4,2
set xlabel 'Bh'
set xrange [0:16]
set xtics (1, 5, 10, 15)
set offsets 0, 0, graph 0.05, graph 0.05
set key center right
array name[6] = ['HSCGS', 'SCLS', 'H2GS', 'HEFT', 'DLS', 'CPOP']
array reading[4] = ['plain CCR 1', 'plain CCR 5', 'scaled CCR 1', 'scaled CCR 5']
do for [c=0:3] {
    set title reading[c + 1]
    set ylabel 'mean NSL'
    plot for [k=1:6] 'figures.dat' index (c) using 1:2*k with linespoints linewidth 2 notitle
    set ylabel 'mean speedup'
    plot for [k=1:6] 'figures.dat' index (c) using 1:2*k+1 with linespoints linewidth 2 title c ? '' : name[k]
}
unset multiplot
EOF2
