# clweave diff: traces with known differences (diff_traces.py), as tables, JSON and a page; a trace against itself; bad input.
. "$(dirname "$0")/common.sh"
for kind in before after untimed empty; do python3 test/cli/diff_traces.py $kind > "$T/$kind.json" || fail "no trace $kind"; done
cp "$T/before.json" "$T/again.json"

for run in 0 1 2 3 4 5 6; do
    for kind in before after; do python3 test/cli/diff_traces.py $kind $run > "$T/$kind-$run.json" || fail "no trace $kind $run"; done
done

expect diff 0 clweave diff "$T/before.json" "$T/after.json"
expect diff_by_size 0 clweave diff --by size "$T/before.json" "$T/after.json"
expect diff_itself 0 clweave diff "$T/before.json" "$T/again.json"
expect diff_untimed 0 clweave diff "$T/before.json" "$T/untimed.json"
expect diff_empty 0 clweave diff "$T/empty.json" "$T/before.json"
expect diff_runs 0 clweave diff "$T"/before-?.json "$T"/after-?.json
expect diff_two_runs 0 clweave diff "$T"/before-[01].json "$T"/after-[01].json
expect diff_odd_runs 2 clweave diff "$T"/before-[01].json "$T"/after-0.json
expect diff_help 0 clweave diff --help
expect diff_one_operand 2 clweave diff "$T/before.json"
expect diff_json_and_page 2 clweave diff --json -o "$T/x.html" "$T/before.json" "$T/after.json"
expect diff_missing 1 clweave diff "$T/before.json" "$T/none.json"
expect diff_no_folder 1 clweave diff -o "$T/none/x.html" "$T/before.json" "$T/after.json"

# what the generator has planted is what is found, and no more
clweave diff --json "$T/before.json" "$T/after.json" > "$T/diff" || fail "--json"
python3 - "$T/diff" << 'PY' || fail "--json says something else"
import json, sys
d = json.load(open(sys.argv[1]))
rows = {r["name"]: r for r in d["commands"]}
assert d["format"] == "clweave-diff" and d["version"] == 1
assert {n: r["verdict"] for n, r in rows.items()} == {
    "work": "slower", "paint": "faster", "steady": "same", "<b>new": "only in one", "READ_BUFFER": "same"}, rows
assert abs(rows["work"]["change"] - .5) < .02 and abs(rows["paint"]["change"] + .5) < .02
for n in "work", "paint":
    assert rows[n]["change_low"] <= rows[n]["change"] <= rows[n]["change_high"] and rows[n]["p"] < .05
assert rows["work"]["a"] == {"commands": 12, "failed": 0, "timed": 12, "total_ns": 1218000, "median_ns": 101500}
assert rows["READ_BUFFER"]["b"]["failed"] == 1 and rows["READ_BUFFER"]["b"]["commands"] == 5
odd = {(r["name"], r["size"]): (r["a"]["commands"], r["b"]["commands"]) for r in d["not_the_same_number"]}
assert odd == {("paint", "512/64"): (8, 6), ("<b>new", "1024/64"): (0, 3), ("READ_BUFFER", "8 KiB"): (0, 1)}, odd
assert d["alike"] == 18 and d["a"]["next"] == 18 and d["b"]["next"] == 18
assert d["a"]["phases"]["kernels"] == 1218000 + 407000 + 50000 and d["a"]["phases"]["transfers"] == 20000
PY
# A and B the other way round: the opposite
clweave diff --json "$T/after.json" "$T/before.json" | python3 -c '
import json, sys
rows = {r["name"]: r["verdict"] for r in json.load(sys.stdin)["commands"]}
assert rows["work"] == "faster" and rows["paint"] == "slower" and rows["steady"] == "same", rows' || fail "the other way round"

# several runs of each: phases are tested, too; a single command that takes long in all runs of B moves a phase, and no median
clweave diff --json "$T"/before-?.json "$T"/after-?.json > "$T/diff" || fail "--json of runs"
python3 - "$T/diff" << 'PY' || fail "--json of runs says something else"
import json, sys
d = json.load(open(sys.argv[1]))
rows = {r["name"]: r["verdict"] for r in d["commands"]}
phases = {n: p["verdict"] for n, p in d["phases"].items()}
assert d["runs"] == 7 and rows == {"work": "slower", "paint": "faster", "steady": "same", "<b>new": "only in one",
                                   "READ_BUFFER": "same"}, rows
assert phases["run"] == phases["kernels"] == phases["transfers"] == phases["enqueue calls"] == "slower", phases
assert abs(d["phases"]["kernels"]["change"] - (2623 / 1675 - 1)) < .1
PY
# four runs of each side cannot show four differences at once, whatever they are
clweave diff "$T"/before-[1-4].json "$T"/after-[1-4].json > "$T/diff" || fail "four runs"
grep -q '^B against A: of 5 kinds of command 2 were compared: 0 slower, 0 faster, too few runs to tell of 2 (largest change: paint, x 0.5)' "$T/diff" &&
    grep -qE '^paint .* x 0.5 .* - +too few$' "$T/diff" || fail "too few runs: $(cat "$T/diff")"
clweave diff -o "$T/runs.html" "$T"/before-?.json "$T"/after-?.json && grep -q 'and 6 more' "$T/runs.html" || fail "no page of runs"

# the page: complete, no script, names are text
clweave diff -o "$T/diff.html" "$T/before.json" "$T/after.json" || fail "no page"
python3 - "$T/diff.html" << 'PY' || fail "the page is wrong"
import html.parser, sys
class Page(html.parser.HTMLParser):
    open, seen, cells = [], set(), []
    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data
p = Page()
p.feed(open(sys.argv[1]).read())
assert not p.open, p.open
assert "script" not in p.seen and "<b>new" in p.cells, p.cells
for word in "work", "slower", "faster", "same; some longer in B", "2 missing", "3 extra", "waiting":
    assert word in p.cells, word
assert "has #18 paint 512/64" in open(sys.argv[1]).read()
PY
clweave diff -o "$T/empty.html" "$T/empty.json" "$T/empty.json" && grep -q '<p>There are none' "$T/empty.html" || fail "a page of no commands"

# what diff and report call a phase is the same
clweave report --no-graph -o "$T/report.html" "$T/before.json" && clweave diff --json "$T/before.json" "$T/before.json" > "$T/diff" &&
    python3 - "$T/report.html" "$T/diff" << 'PY' || fail "report and diff have other phases"
import json, re, sys
data = json.loads(re.search(r'id="data">(.*?)</script>', open(sys.argv[1]).read(), re.S).group(1))
phases = json.load(open(sys.argv[2]))["a"]["phases"]
known = {p["name"]: p["ns"] for p in data["phases"] if phases[p["name"]] is not None}
assert len(known) == 6 and known == {n: phases[n] for n in known} and phases["run"] == data["phases_ns"], (known, phases)
PY
finish
