# clweave compare --farm: the same bytes as without it, in every form, also after a kill; graphs that are generated when they are
# needed; errors.
. "$(dirname "$0")/common.sh"
root=$PWD B=$(realpath "$B"); PATH=$B:$PATH
cd "$T" || exit
same() { cmp "$1" "$2" || fail "$1 is not $2"; }

clweave generate topcuoglu --tasks 12 --count 2 -o "it's \"g\".json" > /dev/null
clweave generate fft --size 8 --seed 5 -o fft.json
{ ls it*.json; printf '\n%s\r\n' fft.json; for k in $(seq 60); do echo "topcuoglu:tasks=$((k % 3 * 10 + 10)),ccr=0.$k,seed=$k"; done; } > list
dsps=hxdsp:tasks=20,seed=1; clweave replay --show-platform hxdsp > "it's a platform.json"
policies=(-p heft -p 'hdgeft:share-idle,overhead=1' -p hscgs)
for way in plain farm; do
    option=(); [ $way = plain ] || option=(--farm --workers 3)
    clweave compare "${option[@]}" "${policies[@]}" --seed 3 --seed 4 --check --each list fft:size=8,seed=5 -o $way.sqlite --csv $way.csv --json $way.json \
        > $way.txt 2> $way.err || fail "$way: $(cat $way.err)"
    clweave compare "${option[@]}" -p heft -P hxdsp -P "it's a platform.json" --dsp 2 -s 1 -s 2 "$dsps" -o $way.platforms.csv > $way.platforms.txt ||
        fail "$way: platforms"
    clweave compare "${option[@]}" -p heft --each - -o $way.jsonl < list > /dev/null || fail "$way: lines"
done
for form in sqlite csv json txt err jsonl platforms.csv platforms.txt; do same farm.$form plain.$form; done
[ -z "$(ls ./*.farm 2> /dev/null)" ] || fail "left: $(ls)"
grep '^fft.json,' plain.csv | cut -d, -f2- > file; grep '^"fft:' plain.csv | sed 's/^"[^"]*",//' > made; same made file
python3 - << 'P' || fail "the forms differ"
import csv, json, sqlite3
db = sqlite3.connect("plain.sqlite")
db.row_factory = sqlite3.Row
rows = [dict(r) for r in db.execute("SELECT * FROM compare")]
assert len(rows) == 64 * 2 * 3 and rows == json.load(open("plain.json"))["results"]
names = ("graph", "policy", "lower_bound_by")
assert rows == [{k: v if k in names else float(v) if v else None for k, v in r.items()} for r in csv.DictReader(open("plain.csv", newline=""))]
assert [r["slr"] for r in rows if r["policy"] == "heft" and r["seed"] == 3][1:] == [json.loads(line)["slr"] for line in open("plain.jsonl")]
assert all(r["nsl"] > 0 and r["efficiency"] == r["speedup"] / 4 and r["noted"] == 0 for r in rows)
two = [(r["platform"], r["seed"], r["efficiency"] != "") for r in csv.DictReader(open("plain.platforms.csv"))]
assert two == [(p, s, True) for p in ("hxdsp", "it's a platform.json") for s in "12"]
P
grep -q '^1 graph, 2 platforms, 2 seeds, 1 policy' plain.platforms.txt || fail "$(cat plain.platforms.txt)"

# its master is killed again and again: --resume goes on
more=(clweave compare --farm --workers 2 --resume -p heft --each list -o killed.csv)
for k in 1 2 3 4; do
    "${more[@]}" > killed.txt 2> err & master=$!
    sleep 0.0$k; kill -KILL $master 2> /dev/null; wait $master 2> /dev/null
done
"${more[@]}" > killed.txt || fail "resumed: $?"
clweave compare -p heft --each list -o quiet.csv > quiet.txt; same killed.csv quiet.csv; same killed.txt quiet.txt

# a checkpoint has its name only when its plan is in it
if command -v strace > /dev/null; then
    strace -f -o calls -e trace=link,pwrite64 clweave compare --farm -p heft fft.json --csv named.csv > named.txt 2> err || fail "named: $(cat err)"
    awk '/ link\(.*named.csv.farm"/ { named = NR } /pwrite64.*"CWf1/ && !plan { plan = NR } END { exit !(named && plan && plan < named) }' calls ||
        fail "the checkpoint has its name before its plan: $(cat calls)"
fi

# a checkpoint of compare's is none of farm's; a graph that cannot be read is the same error as without a farm
echo '{' > bad.json
expect compare_farm_bad 1 clweave compare --farm -p heft fft.json bad.json none.json --csv bad.csv
expect compare_farm_bad 1 clweave compare -p heft fft.json bad.json none.json --csv bad.csv
expect compare_farm_there 1 clweave compare --farm -p heft fft.json --csv bad.csv
expect compare_farm_resume 1 clweave farm resume bad.csv.farm
expect compare_farm_other 1 clweave compare --farm --resume -p cpop fft.json --csv bad.csv
expect compare_farm_usage 2 clweave compare --workers 3 fft.json
expect compare_no_graphs 2 clweave compare --each /dev/null
expect compare_made_option 1 clweave compare -p heft fft:size=8,speed=3
expect compare_made_value 1 clweave compare -p heft fft:size=1e99
expect compare_made_range 1 clweave compare -p heft fft:size=3
expect compare_farm_jobs 2 clweave compare --farm --jobs 2 fft.json
expect compare_format_alone 2 clweave compare --format sqlite fft.json
expect compare_bad_seed 2 clweave compare -s 1 -s -1 fft.json
expect compare_no_form 2 clweave compare -o x.txt fft.json
cd "$root" && finish
