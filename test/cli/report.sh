# report: what it says on the terminal, and a page that holds its data, draws nothing from elsewhere, and cannot be
# broken by the names that a program gives.
. "$(dirname "$0")/common.sh"
trace=test/fuzz/blockmatmul.json
export XDG_CACHE_HOME=$T/cache # no models, no roofs
mkdir "$T/cache"

expect report 0 clweave report "$trace"
expect report_help 0 clweave report --help
expect report_missing 1 clweave report "$T/nothing.json"
touch "$T/killed.json.log"
expect report_killed 1 clweave report "$T/killed.json" # of a killed program the log is there
expect report_negative 2 clweave report --limit -1 "$trace"
clweave report "$trace" > /dev/full 2> /dev/null && fail "a full disk is not noticed"
clweave report "$trace" -o "$T/no/such/folder.html" 2> /dev/null && fail "a missing folder is not noticed"

# the page's data, its size, and what it may not have
page() { # TRACE OPTIONS...: writes $T/page.html and prints its data
    clweave report -o "$T/page.html" "$@" || return 1
    python3 - "$T/page.html" << 'PY'
import json, re, sys
page = open(sys.argv[1], encoding="utf-8", errors="surrogateescape").read()
data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1)
assert page.count("<script") == 2 and page.count("</script") == 2, "something ends a script"
assert page.rstrip().endswith("</html>")
assert not re.search(r'(src|href)\s*=\s*"?(https?:|//|file:)', page.split("<svg")[0]), "the page loads something"
assert "@DATA@" not in page and "@GRAPH@" not in page
json.dump(json.loads(data), sys.stdout)
PY
}
page "$trace" > "$T/data.json" || fail "the page of blockmatmul"
python3 - "$T/data.json" "$trace" << 'PY' || fail "the page's data are not the trace's"
import json, statistics, sys
d, t = (json.load(open(f)) for f in sys.argv[1:])
assert d["enqueues"] == 12 and d["total"] == len(d["commands"]) == 12, d["total"]
assert sum(c[7] - c[6] for c in d["commands"]) == d["device_ns"] == d["work"]
assert sum(d["commands"][c][7] - d["commands"][c][6] for c in d["chain"]) == d["path_length"]
assert all(d["commands"][c][8] == 0 for c in d["chain"]), "the critical path has time to spare"
assert all(d["edges"][i] < d["edges"][i + 1] for i in range(0, len(d["edges"]), 6))
assert [r["name"] for r in d["rows"]][:2] == ["multiply", "split"]
for r in d["kernels"]: # counted again from the trace
    runs = [c for c in t["commands"] if "kernel" in c and t["kernels"][c["kernel"]]["name"] == r["name"]]
    times = sorted(c["end_ns"] - c["start_ns"] for c in runs)
    touched = sum(a["bytes"] for c in runs for a in c.get("reads", []) + c.get("writes", []))
    assert r["launches"] == len(runs) == sum(r["bins"]) == sum(v["launches"] for v in r["ranges"]), r
    assert r["sum"] == sum(times) and abs(r["median"] - statistics.median(times)) <= 1, r
    assert [r["min"], r["max"]] == [times[0], times[-1]] and r["p95"] == times[-(-len(times) * 95 // 100) - 1], r
    assert abs(r["mbps"] - 1000 * touched / sum(times)) <= 1, r
assert sum(r["launches"] for r in d["kernels"]) == sum("kernel" in c for c in t["commands"])
assert sum(p["ns"] for p in d["phases"]) == d["phases_ns"]
functions = {f["name"]: f for f in d["functions"]}
assert functions["clEnqueueNDRangeKernel"]["calls"] == sum("kernel" in c for c in t["commands"]), functions
PY
command -v dot > /dev/null && { grep -q '<svg' "$T/page.html" || fail "no graph"; }
page "$trace" --no-graph --limit 3 > "$T/data.json" || fail "a short page"
python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert len(d["commands"])==3 and d["total"]==12' "$T/data.json" || fail "--limit"
grep -q '<svg' "$T/page.html" && fail "--no-graph draws one"

# the work of launches: the models that were made for it are there from then on; the page has the same
if [ -x "$B/clweave-footprint" ]; then
    expect report_operations 0 clweave report --operations "$trace"
    clweave report "$trace" | cmp -s - "$T/report_operations.out" || fail "kept models say something else"
    page "$trace" --no-graph > /dev/null || fail "a page with work"
    grep -q '<section id="roofsection">' "$T/page.html" || fail "the page has no work of kernels"
    sed 's|"name":"multiply"|"name":"<b>&multiply"|' "$trace" | sed 's|void multiply|void  multiply|' > "$T/named.json"
    clweave report --operations "$T/named.json" -o "$T/named.html" 2> /dev/null
    grep -q '<b><b>' "$T/named.html" && fail "a kernel's name is markup"
    rm -rf "$T/cache/clweave"
fi

# hostile names
sed 's|"name":"multiply"|"name":"</script><script>alert(1)</script><!--\\u0007"|' "$trace" > "$T/hostile.json"
cmp -s "$trace" "$T/hostile.json" && fail "the hostile name is not in the trace"
page "$T/hostile.json" > /dev/null || fail "a hostile name breaks the page"

# every recorded trace has a page; without dot it says so
for f in test/fuzz/*.json; do page "$f" > /dev/null || fail "$f"; done
mkdir -p "$T/bin" && ln -sf "$(command -v clweave)" "$T/bin/clweave"
PATH=$T/bin "$T/bin/clweave" report "$trace" -o "$T/nodot.html" || fail "without dot"
grep -q 'graphviz' "$T/nodot.html" || fail "without dot the page does not say so"
finish
