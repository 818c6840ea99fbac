#!/bin/bash
# hxdsp_figure5.sh [FOLDER] - figure 5 of Gu, Ning, Zheng (Computer Systems & Applications 31(11), 2022): speedup of HEFT and
# HDGEFT on random graphs by number of tasks, by out-degree and by CCR. Ours besides: CPOP, and the schedule length ratio.
#
# 20 to 160 tasks, out-degrees 1 3 5 7 9, CCR 0.1 0.2 0.3, ten graphs a point on 1 CPU + 4 DSPs: 1,200 graphs of generator
# hxdsp, seeds from 5000 on. Nothing is tuned per point. The figure's points are not printed as numbers in the paper, so what
# is judged is its statement: HDGEFT is ahead of HEFT at every size, out-degree and CCR. GRAPHS=N: fewer graphs a point.
. "$(dirname "$0")/common.sh"
graphs=${GRAPHS:-10} seed=5000

echo "HXDSP, figure 5: means of $graphs graphs a point (1 CPU + 4 DSPs, seeds from $seed)"
for tasks in 20 40 60 80 100 120 140 160; do for degree in 1 3 5 7 9; do for ccr in 0.1 0.2 0.3; do
    for ((k = 0; k < graphs; k++)); do
        echo "hxdsp:tasks=$tasks,out-degree=$degree,ccr=$ccr,dsps=4,seed=$((seed++))"
    done
done; done; done > "$out/graphs"
compare -p heft -p hdgeft -p cpop --check --lp off --each "$out/graphs" --csv "$out/results.csv" > /dev/null

sed 's/^"hxdsp:\([^"]*\)"/\1/; s/[a-z-]*=//g' "$out/results.csv" | awk -F, -v dat="$out/figures.dat" '
NR > 1 { # fields: tasks degree ccr dsps seed, tasks policy makespan bound by slr speedup
    for (k = 1; k <= 3; k++) { n[k, $k, $7]++; slr[k, $k, $7] += $11; speedup[k, $k, $7] += $12 }
}
function mean(k, v, p) { return speedup[k, v, p] / n[k, v, p] }
function ratio(k, v, p) { return slr[k, v, p] / n[k, v, p] }
function part(k, what, values,    v, i, m) {
    printf "\n%12s | %8s %8s %8s %8s | %8s %8s %8s\n", what, "HEFT", "HDGEFT", "CPOP", "gain", "HEFT", "HDGEFT", "CPOP"
    m = split(values, v, " ")
    for (i = 1; i <= m; i++) {
        printf "%12s | %8.2f %8.2f %8.2f %+7.1f%% | %8.3f %8.3f %8.3f\n", v[i], mean(k, v[i], "heft"), mean(k, v[i], "hdgeft"),
               mean(k, v[i], "cpop"), 100 * (mean(k, v[i], "hdgeft") / mean(k, v[i], "heft") - 1), ratio(k, v[i], "heft"),
               ratio(k, v[i], "hdgeft"), ratio(k, v[i], "cpop")
        if (mean(k, v[i], "hdgeft") <= mean(k, v[i], "heft")) failed = 1
        print v[i], mean(k, v[i], "heft"), mean(k, v[i], "hdgeft"), mean(k, v[i], "cpop"), ratio(k, v[i], "heft"),
              ratio(k, v[i], "hdgeft"), ratio(k, v[i], "cpop") > dat
    }
    print "\n" > dat
}
END {
    printf "\n%12s | %-35s | %s\n", "", "speedup (gain: HDGEFT over HEFT)", "schedule length ratio"
    part(1, "tasks", "20 40 60 80 100 120 140 160")
    part(2, "out-degree", "1 3 5 7 9")
    part(3, "CCR", "0.1 0.2 0.3")
    print failed ? "\nNOT within the margins" : "\nwithin the margins: HDGEFT ahead of HEFT at every size, out-degree and CCR"
    exit failed
}' || status=1

figure <<'EOF2'
set terminal svg size 960,600 font 'sans-serif,12' background 'white'
set multiplot layout 2,3 title '1 CPU + 4 DSPs: means over the other settings'
set key bottom right noenhanced
set yrange [0:*]
set offsets graph 0.05, graph 0.05, graph 0.05, 0
array what[3] = ['tasks', 'out-degree', 'CCR']
array step[3] = [40, 2, 0.1]
do for [row=0:1] {
    set ylabel row ? 'schedule length ratio' : 'speedup'
    do for [k=1:3] {
        set xlabel what[k]
        set xtics step[k]
        plot 'figures.dat' index k - 1 using 1:3 + 3 * row with linespoints pointtype 6 linewidth 2 linecolor rgb '#2060b0' title 'HDGEFT', \
             '' index k - 1 using 1:2 + 3 * row with linespoints pointtype 4 linewidth 2 linecolor rgb '#303030' title 'HEFT', \
             '' index k - 1 using 1:4 + 3 * row with linespoints pointtype 8 linewidth 2 linecolor rgb '#b03060' title 'CPOP'
    }
}
unset multiplot
EOF2
exit ${status:-0}
