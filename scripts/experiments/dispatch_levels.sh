#!/bin/bash
# dispatch_levels.sh [FOLDER] - multi-level dispatch (algorithm A9) simulated: a single master against trees of two
# and three levels, 100 to 1,000,000 workers; failures; the best fan-out.
#
# A task takes 1 s +- 50 %, a message 0.1 ms of a master's time, blocks of one task, 12 tasks a worker, seed 0. Margins: a
# single master saturates at 10,000 tasks/s; the better tree keeps workers less than 25 % idle up to 1,000,000, in which
# start and end of 12 rounds of tasks are; simulation and formula within 10 %; each result once.
. "$(dirname "$0")/common.sh"

field() { sed "s/.*\"$1\"://; s/[,}].*//" <<< "$2"; }
row() { # NAME options...
    local label=$1 line; shift
    line=$(clweave dispatch --json "$@")
    printf '%s' "$label"
    for f in workers levels fan_out throughput formula idle busiest_master worker_failures master_failures global_failures \
        lost_seconds_per_failure stale_messages tasks results_once; do printf ',%s' "$(field $f "$line")"; done
    echo
}
{
    echo row,workers,levels,fan_out,throughput,formula,idle,busiest,worker_failures,master_failures,global_failures,lost_s,stale,tasks,once
    for n in 100 1000 10000 100000 1000000; do
        row plain --workers $n --tasks $((12 * n))
        row plain --workers $n --tasks $((12 * n)) --levels 2 --fan-out "$(awk "BEGIN { print int(sqrt($n)) }")"
        row plain --workers $n --tasks $((12 * n)) --levels 3 --fan-out "$(awk "BEGIN { print int($n ^ (1 / 3) + 0.5) }")"
    done
    for f in 10 30 100 300 1000 3000 10000 30000; do
        row fan-out --workers 100000 --tasks 1200000 --levels 2 --fan-out $f
    done
    for mtbf in 3000 1000 300 100; do
        row failures --workers 10000 --tasks 120000 --levels 2 --fan-out 100 --worker-mtbf $mtbf --master-mtbf $mtbf --detect 1
    done
} > "$out/results.csv"

awk -F, -v dat="$out/figures.dat" '
NR == 1 { next }
$15 != $14 { print "results of " $15 " of " $14 " tasks"; failed = 1 }
$1 == "plain" {
    if (!head++) printf "%9s | %12s %12s %7s | %12s %12s %7s | %12s %12s %7s\n%9s | %-33s | %-33s | %s\n", "workers", "tasks/s", "formula", "idle %", "tasks/s", "formula", "idle %", "tasks/s", "formula", "idle %", "", "single master", "two levels", "three levels"
    if ($3 == 1) { printf "%9d", $2; printf "%d", $2 > dat; best = 1 }
    printf " | %12.1f %12.1f %7.1f", $5, $6, 100 * $7; printf " %s", $5 > dat
    if ($5 / $6 > 1.1 || $5 / $6 < 0.9) { off = 1 }
    if ($3 > 1 && $7 < best) best = $7
    if ($3 == 1 && $2 == 1000000 && $5 > 10200) failed = 1
    if ($3 == 3) { printf "\n"; printf "\n" > dat; if (best > 0.25) failed = 1 }
}
$1 == "fan-out" {
    if (!fan++) printf "\n100,000 workers, two levels\n%9s %12s %12s %7s %14s\n", "fan-out", "tasks/s", "formula", "idle %", "busiest master"
    printf "%9d %12.1f %12.1f %7.1f %14.2f\n", $4, $5, $6, 100 * $7, $8
    if (least == "" || $7 < least) { least = $7; which = $4 }
}
$1 == "failures" {
    if (!fails++) printf "\nbest fan-out: %d\n\n10,000 workers under 100 masters, failures noticed after 1 s\n%9s %9s %9s %9s %12s %14s %9s\n", which, "workers", "masters", "global", "idle %", "tasks/s", "lost s each", "stale"
    printf "%9d %9d %9d %12.1f %12.1f %14.3f %9d\n", $9, $10, $11, 100 * $7, $5, $12, $13
}
END {
    if (off) { print "simulation and formula differ by more than 10 %"; failed = 1 }
    print failed ? "\nNOT within the margins" : "\nwithin the margins: one master saturates at 10,000 tasks/s, trees do not; each result once"
    exit failed
}' "$out/results.csv" || status=1

figure <<'EOF2'
set logscale xy
set xlabel 'workers'
set ylabel 'tasks per second'
set key top left
set title 'tasks of 1 s, messages of 0.1 ms' noenhanced
plot 'figures.dat' using 1:2 with linespoints pointtype 7 title 'single master', '' using 1:3 with linespoints pointtype 5 title 'two levels', \
     '' using 1:4 with linespoints pointtype 9 title 'three levels', x with lines dashtype 2 linecolor rgb '#888888' title 'no cost at all'
EOF2
exit ${status:-0}
