#!/bin/bash
# heft_orderings.sh [FOLDER] [GRAPHS] - HEFT against CPOP and DLS on random graphs, after Topcuoglu, Hariri, Wu (IEEE
# TPDS 13(3), 2002), section 5: 2,250 settings, GRAPHS graphs each (default 1; the paper has 25: 56,250 in all).
#
# Generator topcuoglu: tasks 20 40 60 80 100, CCR 0.1 0.5 1 5 10, shape 0.5 1 2, out-degree 1 to 5 and as many as there
# are tasks, heterogeneity 0.1 0.25 0.5 0.75 1; 4 devices (a choice of ours). Seeds: 1000 x number of the setting.
# POLICIES (default below; HEFT first) says which to run: without peft and weave 56,250 graphs take some minutes.
# Margins: HEFT's SLR lower than CPOP's by 7 % and than DLS's by 8 %, within 2 points, DLS in the form for alike
# processors (see below); lower than DLS's in its other form; of weave lower than all.
# What the paper says besides is held against ours and said in the output: by CCR the order HEFT, DLS, CPOP up to 1 and
# HEFT, CPOP, DLS above.
. "$(dirname "$0")/common.sh"
graphs=${2:-1} setting=0
policies=${POLICIES:-heft cpop dls dls:delta=off peft weave}
args=(); for policy in $policies; do args+=(-p "$policy"); done

echo "$policies: $((2250 * graphs)) random graphs (2,250 settings x $graphs), 4 devices"
: > "$out/results.csv"
for ccr in 0.1 0.5 1 5 10; do
    for tasks in 20 40 60 80 100; do
        rm -rf "$scratch/g"; mkdir "$scratch/g"
        for shape in 0.5 1 2; do for degree in 1 2 3 4 5 "$tasks"; do for heterogeneity in 0.1 0.25 0.5 0.75 1; do
            setting=$((setting + 1))
            clweave generate topcuoglu --tasks "$tasks" --devices 4 --shape $shape --out-degree "$degree" --ccr $ccr \
                --heterogeneity $heterogeneity --seed $((1000 * setting)) --count "$graphs" -o "$scratch/g/$setting.json"
        done; done; done
        find "$scratch/g" -name '*.json' | sort > "$scratch/files"
        : > "$scratch/part.csv"
        while mapfile -t -n 2000 some && [ ${#some[@]} -gt 0 ]; do
            clweave compare "${args[@]}" --lp off --csv "$scratch/results.csv" "${some[@]}" > /dev/null
            sed 1d "$scratch/results.csv" >> "$scratch/part.csv"
        done < "$scratch/files"
        sed "s/^[^,]*/$ccr/" "$scratch/part.csv" >> "$out/results.csv"
    done
done
sed -i '1i ccr,tasks,policy,makespan,lower_bound,lower_bound_by,slr,speedup,efficiency' "$out/results.csv"

awk -F, -v dat="$out/figures.dat" -v policies="$policies" '
NR > 1 {
    n[$1, $3]++; slr[$1, $3] += $7; all[$3] += $7; count[$3]++
    if ($3 == "heft") heft = $7
    ratio[$3] += $7 / heft - 1 # HEFT comes first of each graph
}
function mean(c, p) { return slr[c, p] / n[c, p] }
function less(p) { return 100 * (1 - all["heft"] / all[p]) } # by how many per cent HEFT is below p
function of_each(p) { return 100 * ratio[p] / count[p] }     # the same graph by graph, then the mean
function near(p, paper) { return (less(p) > paper - 2 && less(p) < paper + 2) || (of_each(p) > paper - 2 && of_each(p) < paper + 2) }
function order(c, dls) {
    if (mean(c, "heft") > mean(c, dls) || mean(c, "heft") > mean(c, "cpop")) return "HEFT is not first"
    return mean(c, dls) < mean(c, "cpop") ? "HEFT, DLS, CPOP" : "HEFT, CPOP, DLS"
}
END {
    split("0.1 0.5 1 5 10", ccr, " ")
    m = split(policies, policy, " ")
    printf "\n%-10s", "mean SLR"
    printf "ccr" > dat
    for (j = 1; j <= m; j++) { printf " %13s", policy[j]; printf " %s", policy[j] > dat }
    printf "   %-17s %-17s paper\n", "order, dls", "delta=off"
    print "" > dat
    for (k = 1; k <= 5; k++) {
        c = ccr[k]
        printf "CCR %-6s", c
        printf "%s", c > dat
        for (j = 1; j <= m; j++) { printf " %13.3f", mean(c, policy[j]); printf " %s", mean(c, policy[j]) > dat }
        print "" > dat
        paper = c <= 1 ? "HEFT, DLS, CPOP" : "HEFT, CPOP, DLS"
        one = order(c, "dls"); two = order(c, "dls:delta=off")
        printf "   %-17s %-17s %s\n", one, two, paper
        other += one != paper && two != paper; first += one != paper; second += two != paper
    }
    printf "\nHEFT is below           of mean SLRs   mean of each graph   paper\n"
    printf "  CPOP by              %10.1f %% %16.1f %%        7\n", less("cpop"), of_each("cpop")
    printf "  DLS by               %10.1f %% %16.1f %%        8\n", less("dls"), of_each("dls")
    printf "  DLS, delta=off, by   %10.1f %% %16.1f %%        8\n", less("dls:delta=off"), of_each("dls:delta=off")
    if ("weave" in all) printf "weave is below HEFT by %10.1f %%\n", 100 * (1 - all["weave"] / all["heft"])
    print "\nThe 8 % to DLS are reproduced with the dynamic level for alike processors (delta=off), not with the one for unlike ones,"
    print "which adds what a device gains over the median; the makespan 91 of the paper'\''s example has that term, though. Other"
    print "readings of DLS (mean instead of median, ties of the median, insertion, levels with transfers), 2 and 8 devices, and two"
    print "other ways of drawing edges do not bring the second form beyond 3.5 %."
    printf "The order by CCR is as in the paper at %d of 5 with the term, at %d without it, at %d with one of them; where not, the\n", 5 - first, 5 - second, 5 - other
    print "two differ by less than 3 %. How many devices the paper takes is not known to us."
    if (!near("cpop", 7) || !near("dls:delta=off", 8) || less("dls") < 0) failed = 1
    for (j = 1; j < m; j++) if (("weave" in all) && all["weave"] > all[policy[j]]) failed = 1
    print failed ? "\nNOT within the margins" : "\nwithin the margins: HEFT 7 % below CPOP and 8 % below DLS within 2 points" (("weave" in all) ? ", weave lowest" : "")
    exit failed
}' "$out/results.csv" || status=1

columns=$(($(wc -w <<< "$policies") + 1))
figure <<EOF2
set xlabel 'CCR'
set ylabel 'mean SLR'
set logscale x
set key top left
set title 'random graphs, 4 devices' noenhanced
plot for [k=2:$columns] 'figures.dat' using 1:k with linespoints title columnheader(k)
EOF2
exit ${status:-0}
