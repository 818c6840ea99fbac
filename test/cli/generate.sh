# clweave generate and clweave compare.
. "$(dirname "$0")/common.sh"
graphs=test/golden/graphs

expect generate_list 0 clweave generate --list
expect generate_help 0 clweave generate --help
expect generate_small 0 clweave generate gauss --size 3 --devices 2 --seed 5
expect generate_none 2 clweave generate
expect generate_unknown 2 clweave generate cholseky
expect generate_option_of_others 2 clweave generate lu --tasks 9
expect generate_out_of_range 2 clweave generate lu --size -1
expect generate_count_to_stdout 2 clweave generate lu --count 3
expect generate_full_disk 1 clweave generate lu -o /dev/full

# the known answer, made anew: HEFT 87, HDGEFT 75.75, with fair shares 60.75
clweave generate blockmatmul --size 2 --ccr 0.05 --mean-cost 20 -o "$T/product.json" || fail "blockmatmul"
clweave compare -p heft -p hdgeft -p hdgeft:share-idle --csv - "$T/product.json" | cut -d, -f3,4 | tail -n +2 > "$T/product.csv"
printf 'heft,87\nhdgeft,75.75\nhdgeft:share-idle,60.75\n' | cmp - "$T/product.csv" || fail "blockmatmul is not the known answer"

# several files, one per seed, the same as one by one; every kind is read back under every policy, every rule checked
clweave generate hxdsp --count 3 --seed 41 -o "$T/many.json" || fail "--count"
clweave generate hxdsp --seed 42 -o "$T/one.json"
cmp "$T/one.json" "$T/many-42.json" || fail "--count gives other graphs"
[ -e "$T/many-41.json" ] && [ -e "$T/many-43.json" ] && [ ! -e "$T/many-44.json" ] || fail "wrong files: $(ls "$T")"
for kind in $(clweave generate --list | awk '/^[a-z]/ {print $1}'); do
    size=$(clweave generate --list | grep -A2 "^$kind " | grep -q -- --tasks && echo --tasks 30 || echo --size 4)
    clweave generate $kind $size -o "$T/kind-$kind.json" || fail "generate $kind"
done
[ "$(ls "$T"/kind-*.json | wc -l)" = 11 ] || fail "not every kind"
policies=$(clweave replay --policy '?' "$T/one.json" 2>&1 | sed 's/.*the policies are: //; s/,//g')
args=(); for p in $policies; do args+=(-p "$p$([ "$p" = exact ] && echo :nodes=2000)"); done
[ ${#args[@]} -ge 50 ] || fail "only ${#args[@]} policies"
clweave compare --check "${args[@]}" --csv "$T/all.csv" --json "$T/all.json" "$T"/kind-*.json > "$T/all.table" || fail "compare"
[ "$(wc -l < "$T/all.csv")" = $((1 + 11 * ${#args[@]} / 2)) ] || fail "lines of CSV: $(wc -l < "$T/all.csv")"
python3 - "$T/all.csv" "$T/all.json" <<'PY' || fail "CSV and JSON differ"
import csv, json, sys
rows, results = list(csv.DictReader(open(sys.argv[1]))), json.load(open(sys.argv[2]))["results"]
assert len(rows) == len(results)
for a, b in zip(rows, results):
    assert a["policy"] == b["policy"] and a["graph"] == b["graph"] and float(a["makespan"]) == b["makespan"] >= b["lower_bound"] * (1 - 1e-9)
PY

expect compare_golden 0 clweave compare -p heft -p cpop -p dls -p peft -p lookahead -p exact --check $graphs/topcuoglu2002.json $graphs/hsu.json $graphs/daoud.json $graphs/heteropar.json $graphs/arabnejad2014.json
expect compare_csv 0 clweave compare -p heft -p hdgeft:share-idle,overhead=1 --csv - $graphs/blockmatmul.json
expect compare_json 0 clweave compare -p heft --json - $graphs/blockmatmul.json
expect compare_trace 0 clweave compare -p heft -p hdgeft --dsp 4 test/fuzz/blockmatmul.json
expect compare_none 2 clweave compare
expect compare_missing 1 clweave compare -p heft $graphs/hsu.json "$T/none.json"
expect compare_unknown_policy 2 clweave compare -p hetf $graphs/hsu.json
expect compare_other_classes 1 clweave compare -p heft --dsp 2 $graphs/hsu.json
expect compare_full_disk 1 clweave compare -p heft --csv /dev/full $graphs/hsu.json
expect compare_bad_option 1 clweave compare -p heft:critical-child=7 $graphs/hsu.json

# the same output whatever the number of threads, errors too; and a picture
for jobs in 1 2 7; do
    clweave compare --jobs $jobs -p heft -p weave:effort=20000 -p hscgs -p random --csv - "$T"/kind-*.json > "$T/jobs-$jobs.csv" || fail "--jobs $jobs"
    clweave compare --jobs $jobs -p heft -p heft:critical-child=7 $graphs/hsu.json "$T/none.json" $graphs/daoud.json 2> "$T/jobs-$jobs.err" && fail "no error"
    cmp "$T/jobs-1.csv" "$T/jobs-$jobs.csv" && cmp "$T/jobs-1.err" "$T/jobs-$jobs.err" || fail "--jobs $jobs gives other output"
done
expect compare_bad_share 2 clweave compare -p hscgs:mutation=1.5 $graphs/hsu.json
# --times: the mean over the graphs, as that of every other figure
clweave compare --times -p peft --json "$T/times.json" topcuoglu:tasks={300,400,500,600} > "$T/times.table" || fail "--times"
python3 - "$T/times.json" "$(tail -n 1 "$T/times.table")" << 'END' || fail "--times is no mean: $(cat "$T/times.table")"
import json, sys
seconds = [r['seconds'] for r in json.load(open(sys.argv[1]))['results']]
sys.exit(abs(float(sys.argv[2].split()[-1]) - sum(seconds) / len(seconds)) > 1e-4)
END
expect compare_bad_jobs 2 clweave compare --jobs -1 $graphs/hsu.json
expect compare_bad_plot 2 clweave compare -p heft --plot "$T/x.gif" $graphs/hsu.json
expect compare_no_gnuplot 1 env PATH="$T" "$B/clweave" compare -p heft -p cpop --plot "$T/x.svg" $graphs/hsu.json
[ ! -e "$T/x.svg" ] || fail "no gnuplot, and a picture"
# one result that cannot be written loses none of the others
expect compare_bad_csv 1 clweave compare -p heft --csv "$T/none/x.csv" --json "$T/kept.json" $graphs/hsu.json
[ -s "$T/kept.json" ] || fail "the JSON is lost as the CSV cannot be written"
rm -f "$T/kept.json"
clweave compare $(printf -- '-p heft %.0s' $(seq 40)) $graphs/hsu.json > "$T/forty.table" || fail "forty policies"
clweave replay $(printf -- '-p heft %.0s' $(seq 40)) $graphs/hsu.json > "$T/forty.table" || fail "forty policies to replay"
if command -v gnuplot > /dev/null; then
    clweave compare -p heft -p cpop --plot "$T/plot.svg" "$T"/kind-*.json > "$T/plot.table" || fail "--plot"
    grep -q '</svg>' "$T/plot.svg" && grep -q '>cpop<' "$T/plot.svg" || fail "the picture has no cpop"
    rm "$T/plot.svg"
fi

# other formats: written, found by content, read, planned, and written again the same
for format in stg dot wfformat; do
    clweave generate fft --size 8 --devices 2 --heterogeneity 0 -f $format -o "$T/fft-$format.json" || fail "generate -f $format"
    clweave graph "$T/fft-$format.json" -f $format -o "$T/again.json" && clweave graph "$T/again.json" -f $format -o "$T/again2.json" || fail "$format"
    cmp <(grep -v '^digraph\|"name": ' "$T/again.json") <(grep -v '^digraph\|"name": ' "$T/again2.json") || fail "$format: written again it differs"
    clweave compare -p heft --processors 2 --csv - "$T/fft-$format.json" | awk -F, 'NR == 2 { printf "%s %.6g\n", $2, $4 }' >> "$T/formats.csv"
done
[ "$(sort -u "$T/formats.csv" | wc -l)" = 1 ] && [ "$(wc -l < "$T/formats.csv")" = 3 ] || fail "formats differ: $(cat "$T/formats.csv")"
printf '2\n0 0 0\n1 4 1 0\n2 3 1 9\n3 0 1 2\n' > "$T/bad.stg"
expect format_bad_stg 1 clweave replay "$T/bad.stg"
expect format_bad_processors 2 clweave replay --processors 0 "$T/fft-stg.json"
expect format_summary 0 clweave graph "$T/fft-stg.json"
expect format_summary_json 0 clweave graph --json "$T/fft-stg.json"
expect format_unlike_stg 1 clweave generate fft --size 8 --devices 2 -f stg
expect format_trace_wfformat 0 clweave graph test/fuzz/blockmatmul.json -f wfformat
expect format_unknown 2 clweave graph "$T/fft-stg.json" -o "$T/x.gif"

# simulate
expect simulate 0 clweave simulate -p heft -p hdgeft:share-idle -p dmda -p eager --noise 0.3 --contention --mtbf 400 --runs 30 $graphs/blockmatmul.json
expect simulate_orderly 0 clweave simulate $(sed -n '4,$s/ .*//; 4,$s/^/-p /p' test/cli/expected/simulate_orderly.out) --noise 0 --runs 1 $graphs/topcuoglu2002.json
# where nothing varies all that there are do as planned
clweave simulate -p all --noise 0 --runs 1 $graphs/topcuoglu2002.json > "$T/orderly.table" || fail "simulate -p all"
awk -v n="$(grep -c '^CW_POLICY(' sched/policy_list.inc)" 'NR > 3 { k++; if ($3 != $4 || $4 != $5) exit bad = 1 } END { exit bad || k != n }' "$T/orderly.table" ||
    { fail "an orderly world is not as planned"; cat "$T/orderly.table"; }
expect simulate_json 0 clweave simulate -p weave -p dm --mtbf 300 --seed 7 --json $graphs/topcuoglu2002.json
expect simulate_none_ends 0 clweave simulate -p ws --mtbf 0.001 --runs 3 $graphs/topcuoglu2002.json
expect simulate_bad_noise 2 clweave simulate --noise 1 $graphs/hsu.json
expect simulate_bad_runs 2 clweave simulate --runs 0 $graphs/hsu.json
expect simulate_bad_mtbf 2 clweave simulate --mtbf -3 $graphs/hsu.json
expect simulate_missing 1 clweave simulate "$T/none.json"
expect simulate_help 0 clweave simulate --help
expect simulate_trace 0 clweave simulate -p dscls --platform hxdsp --contention test/fuzz/blockmatmul.json

# dispatch
expect dispatch 0 clweave dispatch --workers 300 --levels 2 --fan-out 20 --tasks 5000 --worker-mtbf 100 --master-mtbf 100 --seed 3
expect dispatch_json 0 clweave dispatch --workers 50 --tasks 500 --json
expect dispatch_bad 2 clweave dispatch --levels 9
expect dispatch_help 0 clweave dispatch --help
[ -z "$(ls "$T" | grep -vE '\.(json|csv|table|out|err|stg)$')" ] || fail "left behind: $(ls "$T")"
finish
