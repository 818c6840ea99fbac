#!/bin/bash
# hxdsp_figure5.sh [FOLDER] - figure 5 of Gu, Ning, Zheng (Computer Systems & Applications 31(11), 2022): speedup of HEFT and
# HDGEFT on random graphs by number of tasks, by out-degree and by CCR.
#
# 20 to 160 tasks, out-degrees 1 3 5 7 9, CCR 0.1 0.2 0.3, ten graphs a point on 1 CPU + 4 DSPs: 1,200 graphs of generator
# hxdsp, seeds from 5000 on. Nothing is tuned per point. The figure's points are not printed as numbers in the paper, so what
# is judged is its statement: HDGEFT is ahead of HEFT at every size, out-degree and CCR. GRAPHS=N: fewer graphs a point.
. "$(dirname "$0")/common.sh"
graphs=${GRAPHS:-10} seed=5000
policies=(-p heft -p hdgeft)

echo "HXDSP, figure 5: mean speedup, $graphs graphs a point (1 CPU + 4 DSPs, seeds from $seed)"
echo "tasks,out_degree,ccr,policy,makespan,lower_bound,lower_bound_by,slr,speedup,efficiency" > "$out/results.csv"
for tasks in 20 40 60 80 100 120 140 160; do
    for degree in 1 3 5 7 9; do
        for ccr in 0.1 0.2 0.3; do
            clweave generate hxdsp --tasks "$tasks" --dsps 4 --out-degree "$degree" --ccr "$ccr" --seed "$seed" \
                --count "$graphs" -o "$scratch/g.json" > /dev/null
            seed=$((seed + graphs))
            clweave compare "${policies[@]}" --check --lp off --csv "$scratch/results.csv" "$scratch/"g*.json > /dev/null
            sed "1d; s/^[^,]*,[^,]*/$tasks,$degree,$ccr/" "$scratch/results.csv" >> "$out/results.csv"
            rm -f "$scratch/"g*.json
        done
    done
done

awk -F, -v dat="$out/figures.dat" '
NR > 1 {
    for (k = 1; k <= 3; k++) { n[k, $k, $4]++; sum[k, $k, $4] += $9; seen[k, $k] = 1 }
}
function mean(k, v, p) { return n[k, v, p] ? sum[k, v, p] / n[k, v, p] : 0 }
function part(k, what, values,    v, i, m) {
    printf "\n%12s %8s %8s %9s\n", what, "HEFT", "HDGEFT", "gain"
    m = split(values, v, " ")
    for (i = 1; i <= m; i++) {
        printf "%12s %8.2f %8.2f %+8.1f%%\n", v[i], mean(k, v[i], "heft"), mean(k, v[i], "hdgeft"),
               100 * (mean(k, v[i], "hdgeft") / mean(k, v[i], "heft") - 1)
        if (mean(k, v[i], "hdgeft") <= mean(k, v[i], "heft")) failed = 1
        print k, v[i], mean(k, v[i], "heft"), mean(k, v[i], "hdgeft") > dat
    }
    print "\n" > dat
}
END {
    part(1, "tasks", "20 40 60 80 100 120 140 160")
    part(2, "out-degree", "1 3 5 7 9")
    part(3, "CCR", "0.1 0.2 0.3")
    print failed ? "\nNOT within the margins" : "\nwithin the margins: HDGEFT ahead of HEFT at every size, out-degree and CCR"
    exit failed
}' "$out/results.csv" || status=1

figure <<'EOF2'
set xlabel 'tasks'
set ylabel 'speedup'
set yrange [0:5]
set key outside right
set title '1 CPU + 4 DSPs: mean over out-degrees 1 to 9 and CCR .1 to .3' noenhanced
plot 'figures.dat' index 0 using 2:4 with linespoints pointtype 6 linecolor rgb '#2060b0' title 'HDGEFT', \
     '' index 0 using 2:3 with linespoints pointtype 4 linecolor rgb '#303030' title 'HEFT'
EOF2
exit ${status:-0}
