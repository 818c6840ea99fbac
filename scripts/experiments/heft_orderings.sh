#!/bin/bash
# heft_orderings.sh [FOLDER] [GRAPHS] - HEFT against CPOP and DLS on random graphs, after Topcuoglu, Hariri, Wu (IEEE
# TPDS 13(3), 2002), section 5: 2,250 settings, GRAPHS graphs each (default 1; the paper has 25: 56,250 in all).
#
# Generator topcuoglu: tasks 20 40 60 80 100, CCR 0.1 0.5 1 5 10, shape 0.5 1 2, out-degree 1 to 5 and as many as there
# are tasks, heterogeneity 0.1 0.25 0.5 0.75 1; 4 devices (a choice of ours). Seeds: 1000 x number of the setting.
# Margins: mean SLR of HEFT lower than CPOP's by 7 % within 2 points, and lower than DLS's; of weave lower than all.
# What the paper says besides is held against ours and said in the output: DLS 8 % behind; by CCR the order HEFT, DLS,
# CPOP up to 1 and HEFT, CPOP, DLS above.
. "$(dirname "$0")/common.sh"
graphs=${2:-1} setting=0

echo "HEFT, CPOP, DLS and weave: $((2250 * graphs)) random graphs (2,250 settings x $graphs), 4 devices"
: > "$out/results.csv"
for ccr in 0.1 0.5 1 5 10; do
    for tasks in 20 40 60 80 100; do
        rm -rf "$scratch/g"; mkdir "$scratch/g"
        for shape in 0.5 1 2; do for degree in 1 2 3 4 5 "$tasks"; do for heterogeneity in 0.1 0.25 0.5 0.75 1; do
            setting=$((setting + 1))
            clweave generate topcuoglu --tasks "$tasks" --devices 4 --shape $shape --out-degree "$degree" --ccr $ccr \
                --heterogeneity $heterogeneity --seed $((1000 * setting)) --count "$graphs" -o "$scratch/g/$setting.json"
        done; done; done
        clweave compare -p heft -p cpop -p dls -p peft -p weave --lp off --csv "$scratch/results.csv" \
            "$scratch"/g/*.json > /dev/null
        sed "1d; s/^[^,]*/$ccr/" "$scratch/results.csv" >> "$out/results.csv"
    done
done
sed -i '1i ccr,tasks,policy,makespan,lower_bound,lower_bound_by,slr,speedup,efficiency' "$out/results.csv"

awk -F, -v dat="$out/figures.dat" '
NR > 1 { n[$1, $3]++; slr[$1, $3] += $7; all[$3] += $7; count[$3]++ }
function mean(c, p) { return slr[c, p] / n[c, p] }
function less(p,    x) { # by how many per cent HEFT is below p
    return 100 * (1 - all["heft"] / all[p])
}
END {
    split("0.1 0.5 1 5 10", ccr, " ")
    m = split("heft cpop dls peft weave", policy, " ")
    printf "\nmean SLR   %8s %8s %8s %8s %8s   order\n", "HEFT", "CPOP", "DLS", "PEFT", "weave"
    print "# ccr heft cpop dls peft weave" > dat
    for (k = 1; k <= 5; k++) {
        c = ccr[k]
        first = mean(c, "dls") < mean(c, "cpop") ? "HEFT, DLS, CPOP" : "HEFT, CPOP, DLS"
        if (mean(c, "heft") > mean(c, "dls") || mean(c, "heft") > mean(c, "cpop")) first = "HEFT is not first"
        if (first != (c <= 1 ? "HEFT, DLS, CPOP" : "HEFT, CPOP, DLS")) { other++; first = first "  (paper: otherwise)" }
        printf "CCR %-6s", c
        for (j = 1; j <= m; j++) printf " %8.3f", mean(c, policy[j])
        print "   " first
        print c, mean(c, "heft"), mean(c, "cpop"), mean(c, "dls"), mean(c, "peft"), mean(c, "weave") > dat
    }
    printf "\nHEFT is below CPOP by %.1f %% (paper: 7), below DLS by %.1f %% (paper: 8); weave is below HEFT by %.1f %%\n",
           less("cpop"), less("dls"), 100 * (1 - all["weave"] / all["heft"])
    print "Not reproduced: DLS is nearer to HEFT than in the paper with any number of devices that we tried (2 to 16),"
    printf "and the order differs at %d of 5 CCRs, there by less than 2 %%. How many devices the paper takes and how\n", other
    print "its DLS counts static levels is not known to us; ours is DL1 of Sih and Lee with median costs."
    if (less("cpop") < 5 || less("cpop") > 9 || less("dls") < 0 || other > 2) failed = 1
    for (j = 1; j < m; j++) if (all["weave"] > all[policy[j]]) failed = 1
    print failed ? "\nNOT within the margins" : "\nwithin the margins: 7 % below CPOP within 2 points, below DLS, weave lowest"
    exit failed
}' "$out/results.csv" || status=1

figure <<'EOF2'
set xlabel 'CCR'
set ylabel 'mean SLR'
set logscale x
set key top left
set title 'random graphs, 4 devices' noenhanced
plot 'figures.dat' using 1:2 with linespoints title 'HEFT', '' using 1:3 with linespoints title 'CPOP', \
     '' using 1:4 with linespoints title 'DLS', '' using 1:5 with linespoints title 'PEFT', \
     '' using 1:6 with linespoints title 'weave'
EOF2
exit ${status:-0}
