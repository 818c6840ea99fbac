#!/bin/bash
# heft_orderings.sh [FOLDER] [GRAPHS] - HEFT against CPOP and DLS on random graphs, after Topcuoglu, Hariri, Wu (IEEE
# TPDS 13(3), 2002), section 5: 2,250 settings, GRAPHS graphs each (default 1; 25 are the paper's 56,250). A farm plans
# them: the same command goes on after a stop.
#
# Generator topcuoglu: tasks 20 40 60 80 100, CCR 0.1 0.5 1 5 10, shape 0.5 1 2, out-degree 1 to 5 and as many as there
# are tasks, heterogeneity 0.1 0.25 0.5 0.75 1; 4 devices (a choice of ours). Seeds: 1000 x number of the setting.
# POLICIES (HEFT first) says which to run; default: heft cpop dls dls:delta=off peft, and weave where GRAPHS is 1.
# Margins: HEFT's SLR lower than CPOP's by 7 % and than DLS's by 8 %, within 2 points by one of the two means, DLS in the form
# for alike processors (see below); lower than DLS's in its other form; of weave lower than all.
#
# Reproduced of the paper, with the 56,250 graphs: HEFT below CPOP by 7 % (7.0 % in the mean over graphs, 5.5 % of mean SLRs),
# and below DLS by 8 % with the dynamic level for alike processors (7.7 and 6.0 %).
# Not reproduced: the 8 % with DLS's level for unlike processors (2.2 and 2.9 %), though only that has the makespan of the
# paper's example; and the order by CCR, HEFT, DLS, CPOP up to 1 and HEFT, CPOP, DLS above: it is the paper's at 2 of 5
# CCRs with the one form, at 1 with the other. The output tells both again, as they are in its graphs.
# Its figures by tasks and by shape, and its table of pairs of policies, are not at hand as numbers: of these ours stand
# alone. How many devices the paper takes is not known either.
. "$(dirname "$0")/common.sh"
graphs=${2:-1}
policies=${POLICIES:-heft cpop dls dls:delta=off peft$([ "$graphs" -gt 1 ] || echo ' weave')}
args=(); for policy in $policies; do args+=(-p "$policy"); done

setting=0
for ccr in 0.1 0.5 1 5 10; do for tasks in 20 40 60 80 100; do for shape in 0.5 1 2; do
    for degree in 1 2 3 4 5 "$tasks"; do for heterogeneity in 0.1 0.25 0.5 0.75 1; do
        setting=$((setting + 1))
        for ((k = 0; k < graphs; k++)); do
            echo "topcuoglu:ccr=$ccr,tasks=$tasks,shape=$shape,out-degree=$degree,heterogeneity=$heterogeneity,devices=4,seed=$((1000 * setting + k))"
        done
    done; done
done; done; done > "$out/graphs"
echo "$policies: $(wc -l < "$out/graphs") random graphs (2,250 settings x $graphs), 4 devices"
compare "${args[@]}" --lp off --each "$out/graphs" --csv "$out/results.csv" > /dev/null

# a graph's settings become fields of their own
sed 's/^"topcuoglu:\([^"]*\)"/\1/; s/[a-z-]*=//g; s/dls:off/dls:delta=off/' "$out/results.csv" > "$scratch/fields.csv"
awk -F, -v dat="$out/figures.dat" -v policies="$policies" '
BEGIN { m = split(policies, policy, " "); for (j = 1; j <= m; j++) number[policy[j]] = j }
NR > 1 { # fields: ccr tasks shape degree heterogeneity devices seed, tasks policy makespan bound by slr speedup efficiency
    j = number[$9]
    for (k = 1; k <= 5; k++) { n[k, $k, j]++; slr[k, $k, j] += $13; speedup[k, $k, j] += $14 }
    all[j] += $13; count[j]++; fast[j] += $14; efficient[j] += $15
    if (j == 1) heft = $13 # HEFT comes first of each graph
    ratio[j] += $13 / heft - 1
    length_of[j] = $10
    if (j < m) next
    for (a = 1; a <= m; a++)
        for (b = 1; b <= m; b++) {
            d = length_of[a] / length_of[b] - 1
            if (d < -1e-9) better[a, b]++; else if (d > 1e-9) worse[a, b]++; else equal[a, b]++
        }
}
function mean(k, v, j) { return slr[k, v, j] / n[k, v, j] }
function less(j) { return 100 * (1 - all[1] / all[j]) }   # by how many per cent HEFT is below
function of_each(j) { return 100 * ratio[j] / count[j] } # the same graph by graph, then the mean
function near(j, paper) { return (less(j) > paper - 2 && less(j) < paper + 2) || (of_each(j) > paper - 2 && of_each(j) < paper + 2) }
function order(c, dls) {
    if (mean(1, c, 1) > mean(1, c, dls) || mean(1, c, 1) > mean(1, c, number["cpop"])) return "HEFT is not first"
    return mean(1, c, dls) < mean(1, c, number["cpop"]) ? "HEFT, DLS, CPOP" : "HEFT, CPOP, DLS"
}
function heading(title,    j) {
    printf "\n%-18s", title; printf "%s", title ~ / / ? "value" : title > dat
    for (j = 1; j <= m; j++) { printf " %13s", policy[j]; printf " %s", policy[j] > dat }
}
function part(k, title, what, values,    v, i, c, j) {
    heading(title); print ""; print "" > dat
    c = split(values, v, " ")
    for (i = 1; i <= c; i++) {
        printf "%-18s", v[i]; printf "%s", v[i] > dat
        for (j = 1; j <= m; j++) {
            x = what == "slr" ? mean(k, v[i], j) : speedup[k, v[i], j] / n[k, v[i], j]
            printf " %13.3f", x; printf " %s", x > dat
        }
        print ""; print "" > dat
    }
    print "\n" > dat
}
END {
    cpop = number["cpop"]; dls = number["dls"]; off = number["dls:delta=off"]; weave = number["weave"]
    split("0.1 0.5 1 5 10", ccr, " ")
    heading("mean SLR, CCR"); print "   order, dls        delta=off         paper"; print "" > dat
    for (k = 1; k <= 5; k++) {
        c = ccr[k]
        printf "%-18s", c; printf "%s", c > dat
        for (j = 1; j <= m; j++) { printf " %13.3f", mean(1, c, j); printf " %s", mean(1, c, j) > dat }
        print "" > dat
        paper = c <= 1 ? "HEFT, DLS, CPOP" : "HEFT, CPOP, DLS"
        one = order(c, dls); two = order(c, off)
        printf "   %-17s %-17s %s\n", one, two, paper
        other += one != paper && two != paper; first += one != paper; second += two != paper
    }
    print "\n" > dat
    part(2, "mean SLR, tasks", "slr", "20 40 60 80 100")
    part(3, "mean SLR, shape", "slr", "0.5 1 2")
    part(2, "speedup, tasks", "speedup", "20 40 60 80 100")
    heading("over all graphs")
    printf "\n%-18s", "mean SLR"; for (j = 1; j <= m; j++) printf " %13.3f", all[j] / count[j]
    printf "\n%-18s", "mean speedup"; for (j = 1; j <= m; j++) printf " %13.3f", fast[j] / count[j]
    printf "\n%-18s", "mean efficiency"; for (j = 1; j <= m; j++) printf " %13.3f", efficient[j] / count[j]
    print "\n\nschedules that are shorter / as long / longer than those of ..., % of the graphs"
    printf "%-14s", ""; for (b = 1; b <= m; b++) printf " %20s", policy[b]; print ""
    for (a = 1; a <= m; a++) {
        printf "%-14s", policy[a]
        for (b = 1; b <= m; b++)
            printf " %20s", a == b ? "-" : sprintf("%.1f / %.1f / %.1f", 100 * better[a, b] / count[1], 100 * equal[a, b] / count[1], 100 * worse[a, b] / count[1])
        print ""
    }
    printf "\nHEFT is below           of mean SLRs   mean of each graph   paper\n"
    printf "  CPOP by              %10.1f %% %16.1f %%        7\n", less(cpop), of_each(cpop)
    printf "  DLS by               %10.1f %% %16.1f %%        8\n", less(dls), of_each(dls)
    printf "  DLS, delta=off, by   %10.1f %% %16.1f %%        8\n", less(off), of_each(off)
    print "The paper also has MH and LMT, which clweave does not have."
    if (weave) printf "weave is below HEFT by %10.1f %%\n", 100 * (1 - all[weave] / all[1])
    print "\nThe 8 % to DLS are reproduced with the dynamic level for alike processors (delta=off), not with the one for unlike ones,"
    print "which adds what a device gains over the median; the makespan 91 of the paper'\''s example has that term, though. Other"
    print "readings of DLS (mean instead of median, ties of the median, insertion, levels with transfers), 2 and 8 devices, and two"
    print "other ways of drawing edges do not bring the second form beyond 3.5 %."
    printf "The order by CCR is%s reproduced: it is as in the paper at %d of 5 CCRs with the term, at %d without it, at %d with one of\n", other ? " not" : "", 5 - first, 5 - second, 5 - other
    print "them. How many devices the paper takes is not known to us, nor its figures by tasks and shape and its table of pairs as"
    print "numbers."
    if (!near(cpop, 7) || !near(off, 8) || less(dls) < 0) failed = 1
    for (j = 1; weave && j <= m; j++) if (all[weave] > all[j]) failed = 1
    print failed ? "\nNOT within the margins" : "\nwithin the margins: HEFT 7 % below CPOP and 8 % below DLS (delta=off) within 2 points, by one of the two means" (weave ? ", weave lowest" : "")
    exit failed
}' "$scratch/fields.csv" || status=1

columns=$(($(wc -w <<< "$policies") + 1))
figure <<E2
set terminal svg size 960,720 font 'sans-serif,12' background 'white'
set multiplot layout 2,2 title '$(wc -l < "$out/graphs") random graphs, 4 devices'
set key bottom right noenhanced
set yrange [0:*]
set ylabel 'mean SLR'
set xlabel 'tasks'
set xrange [15:105]
set xtics 20
plot for [k=2:$columns] 'figures.dat' index 1 using 1:k with linespoints linewidth 2 title columnheader(k)
set xlabel 'shape'
set xrange [0.4:2.5]
set xtics (0.5, 1, 2)
set logscale x
plot for [k=2:$columns] 'figures.dat' index 2 using 1:k with linespoints linewidth 2 notitle
set xlabel 'CCR'
set xrange [0.08:12]
set xtics (0.1, 0.5, 1, 5, 10)
plot for [k=2:$columns] 'figures.dat' index 0 using 1:k with linespoints linewidth 2 notitle
unset logscale x
set xlabel 'tasks'
set xrange [15:105]
set xtics 20
set ylabel 'mean speedup'
plot for [k=2:$columns] 'figures.dat' index 3 using 1:k with linespoints linewidth 2 notitle
unset multiplot
E2
exit ${status:-0}
