#!/bin/bash
# wfcommons.sh OUT FOLDER - instances of real workflows (WfCommons WfInstances: github.com/wfcommons/WfInstances) on 8
# alike and on 8 unlike machines: weave against HEFT and others.
#
# FOLDER holds WfFormat .json files, anywhere below it (not part of clweave). 1 Gbit/s between machines; unlike ones have
# speeds 1, 1, 1.5, 1.5, 2, 2, 3, 4 times that of the recorded run. Nothing is tuned per instance.
# Margin: weave is never longer than HEFT.
. "$(dirname "$0")/common.sh"
[ -d "${2:-}" ] || { echo "usage: $0 OUT FOLDER-with-WfFormat-files" >&2; exit 2; }
cd "$(realpath "$2")"
cat > "$scratch/unlike.json" <<'JSON'
{"format": "clweave-platform", "version": 1, "name": "unlike machines", "bandwidth": 125e6,
 "devices": [{"class": "cpu", "count": 2, "speed": 1}, {"class": "cpu", "name": "b", "count": 2, "speed": 1.5},
  {"class": "cpu", "name": "c", "count": 2, "speed": 2}, {"class": "cpu", "name": "d", "speed": 3},
  {"class": "cpu", "name": "e", "speed": 4}]}
JSON
find . -name '*.json' -printf '%P\n' | sort | while IFS= read -r f; do
    head -c 4096 "$f" | grep -q '"schemaVersion"' && printf '%s\n' "$f" || true
done > "$scratch/files"
[ -s "$scratch/files" ] || { echo "$name: no WfFormat file in $2" >&2; exit 1; }

echo "WfCommons: $(wc -l < "$scratch/files") instances on 8 machines"
: > "$scratch/all.csv"
for kind in alike unlike; do
    args=(--processors 8); [ $kind = unlike ] && args+=(--platform "$scratch/unlike.json")
    xargs -a "$scratch/files" -d '\n' -n 1000 "$B/clweave" compare -p weave -p heft -p peft -p cpop "${args[@]}" --lp off \
        --check --csv "$scratch/results.csv" --jobs "${JOBS:-2}" > /dev/null
    sed "1d; s/^/$kind,/" "$scratch/results.csv" >> "$scratch/all.csv"
done
{ echo machines,graph,tasks,policy,makespan,lower_bound,lower_bound_by,slr,speedup,efficiency,nsl,noted,platform,seed; cat "$scratch/all.csv"; } > "$out/results.csv"

awk -F, -v dat="$out/figures.dat" '
NR > 1 { length_of[$1, $2, $4] = $5; seen[$1, $2] = 1; bound[$1, $2] = $6; tasks[$2] = $3 }
END {
    m = split("weave heft peft cpop", policy, " ")
    for (key in seen) {
        split(key, at, SUBSEP); kind = at[1]; n[kind]++
        h = length_of[at[1], at[2], "heft"]
        for (k = 1; k <= m; k++) {
            x = length_of[at[1], at[2], policy[k]]
            sum[kind, policy[k]] += h > 0 ? x / h : 1; over[kind, policy[k]] += bound[at[1], at[2]] > 0 ? x / bound[at[1], at[2]] : 1
            shorter[kind, policy[k]] += x < h * (1 - 1e-9); longer[kind, policy[k]] += x > h * (1 + 1e-9)
        }
    }
    for (t in tasks) { if (tasks[t] > largest) largest = tasks[t] }
    printf "largest: %d tasks\n\n%-8s | %-43s | %-43s\n", largest, "", "alike", "unlike"
    printf "%-8s | %9s %9s %11s %11s | %9s %9s %11s %11s\n", "policy", "/ HEFT", "/ bound", "shorter", "longer", "/ HEFT", "/ bound", "shorter", "longer"
    print "# policy alike unlike" > dat
    for (k = 1; k <= m; k++) {
        p = policy[k]; printf "%-8s", p; printf "%s", p > dat
        for (j = 1; j <= 2; j++) {
            kind = j == 1 ? "alike" : "unlike"
            printf " | %9.4f %9.4f %11d %11d", sum[kind, p] / n[kind], over[kind, p] / n[kind], shorter[kind, p], longer[kind, p]
            printf " %s", sum[kind, p] / n[kind] > dat
            if (p == "weave" && longer[kind, p]) failed = 1
        }
        print ""; print "" > dat
    }
    print failed ? "\nNOT within the margins" : "\nwithin the margins: weave never longer than HEFT"
    exit failed
}' "$out/results.csv" || status=1

figure <<'EOF2'
set style data histograms
set style fill solid 0.8
set ylabel 'mean makespan / HEFT'
set yrange [0:*]
set key outside right
set title 'WfCommons instances, 8 machines' noenhanced
plot 'figures.dat' using 2:xtic(1) title 'alike', '' using 3 title 'unlike'
EOF2
exit ${status:-0}
