# report: says what was measured, marks bounds as bounds, and promises nothing that the trace does not show. One small trace for
# each (report_traces.py).
. "$(dirname "$0")/common.sh"
traces="untimed refused failed partial unmanaged of_run moved cut streamed in_turn waited_for at_once on_nvidia to_and_fro to_and_fro_mixed to_and_fro_at_home first_launch long_waits"
for name in $traces large sparse sparse_graph; do
    python3 test/cli/report_traces.py $name > "$T/$name.json" || fail "the trace $name cannot be made"
done
for name in $traces; do expect report_$name 0 clweave report "$T/$name.json"; done
for name in untimed refused partial large; do expect summary_$name 0 clweave graph "$T/$name.json"; done
clweave graph "$T/large.json" -o "$T/large.dot" && [ "$(grep -c '"[^"]*≤ 8 GiB"' "$T/large.dot")" = 1 ] ||
    fail "the picture of the graph does not say that 8 GiB are a bound: $(cat "$T/large.dot")"

clweave timeline "$T/streamed.json" -o "$T/streamed.timeline" && grep -q '"queue 0 (in order), stream 2"' "$T/streamed.timeline" ||
    fail "the timeline has no track for a stream: $(cat "$T/streamed.timeline")"

clweave timeline "$T/moved.json" -o "$T/moved.timeline" && [ "$(grep -c '"cat":"copy"' "$T/moved.timeline")" = 5 ] &&
    [ "$(grep -oE '"(host -> device 1|device 1 -> host)"' "$T/moved.timeline" | sort | uniq -c | tr -s ' \n' ' ')" = ' 1 "device 1 -> host" 1 "host -> device 1" ' ] ||
    fail "the timeline has other tracks for copies: $(grep -e '->' "$T/moved.timeline")"

# the same in the page's data
data() { # NAME: prints the data of its page
    clweave report --no-graph -o "$T/page.html" "$T/$1.json" &&
        sed -n '/<script type="application\/json" id="data">/,/<\/script>/p' "$T/page.html" | sed -e 's/.*id="data">//' -e 's/<\/script>.*//'
}
data partial > "$T/d.json"
python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert d["without_times"]==2 and d["works"]==6' "$T/d.json" || fail "partial"
data large > "$T/d.json"
python3 - "$T/d.json" << 'PY' || fail "the page does not tell bounds from what was moved"
import json, sys
rows = {r["name"]: r for r in json.load(open(sys.argv[1]))["rows"]}
assert rows["work"]["at_most"] == 1 and rows["READ_BUFFER"]["at_most"] == 0, rows
PY

clweave report --no-graph -o "$T/page.html" "$T/cut.json" && [ "$(grep -c '<td>work</td><td class="n">1 to 2</td><td class="n">25 %' "$T/page.html")" = 1 ] &&
    grep -q '<td>paint</td><td class="n">1</td><td>a &lt;b&gt; &amp; c</td>' "$T/page.html" || fail "the page has other shares, or reasons: $(grep -A20 sharesection "$T/page.html")"

# a plan's chart: a device that works for 4 % of its time covers 4 % of its lane (within what rounding to pixels may do)
clweave replay "$T/sparse_graph.json" -p heft --gantt "$T/plan.svg" > "$T/out" 2>&1 || fail "no chart: $(cat "$T/out")"
python3 - "$T/plan.svg" << 'PY' || fail "the chart of a plan does not show how busy devices are"
import re, sys
rects = [dict(re.findall(r'(\w+)="([^"]*)"', r)) for r in re.findall(r"<rect [^>]*>", open(sys.argv[1]).read())]
lanes = [r for r in rects if r.get("fill") == "#eef1f4" and float(r["width"]) > 100]
for lane, want in zip(lanes, (.04, .96)):
    top, high = float(lane["y"]), float(lane["height"])
    on_it = [r for r in rects if r is not lane and "y" in r and top <= float(r["y"]) < top + high]
    area = sum(float(r["width"]) * float(r["height"]) for r in on_it) / (float(lane["width"]) * high)
    assert abs(area - want) < .03, (area, want)
PY
# last: it keeps models
if [ -x "$B/clweave-footprint" ]; then
    python3 test/cli/report_traces.py outside > "$T/outside.json" && expect report_outside 0 clweave report --operations "$T/outside.json"
    python3 test/cli/report_traces.py before > "$T/before.json" && expect report_before 0 clweave report --operations "$T/before.json"
fi
finish
