# report, diff: the pages in a headless Chromium: what cards claim, how busy the timeline shows a device, what mouse, keys and
# fingers do, a phone's width, dark mode.
# SECONDS: 20
. "$(dirname "$0")/common.sh"
command -v node > /dev/null || { echo "no node to run the script that opens pages"; exit 77; }
command -v "${CHROMIUM:-chromium}" > /dev/null || { echo "no chromium to open pages in"; exit 77; }
node test/cli/report_page.js shown > "$T/started" 2>&1 || { cat "$T/started"; echo "chromium does not start here"; exit 77; }
traces="untimed partial first_launch large sparse of_run moved"
for name in $traces page; do python3 test/cli/report_traces.py $name > "$T/$name.json" || fail "the trace $name"; done
for f in "$T"/*.json test/fuzz/*.json; do
    clweave report --no-graph -o "$T/$(basename "$f" .json).html" "$f" || fail "the page of $f"
done
clweave report -o "$T/page.html" "$T/page.json" || fail "the page with its graph"
clweave report -o "$T/graph.html" test/fuzz/blockmatmul.json || fail "a page with a graph"
clweave diff -o "$T/diff.html" "$T/page.json" "$T/moved.json" || fail "the page of a difference"
node test/cli/report_page.js shown "$T"/*.html > "$T/shown" || fail "a page does not open: $(tail -5 "$T/shown")"
node test/cli/report_page.js used "$T/page.html" "$T/diff.html" "$T/graph.html" || fail "the page is not what it should be"
python3 - "$T/shown" << 'PY' || fail "a page claims or shows what is not so"
import json, sys
shown = {page["name"]: page for page in map(json.loads, open(sys.argv[1]))}
cards = lambda name: shown[name]["cards"]
for name in "untimed", "partial":
    assert not any("×" in c for c in cards(name)), cards(name)
assert any(c.startswith("≥ 10.0 us critical") for c in cards("partial")), cards("partial")
assert any("6.00 ms critical" in c for c in cards("first_launch"))
lanes = shown["sparse"]["lanes"] # host thread, queue
assert len(lanes) == 2 and abs(lanes[1] - .04) < .03, lanes
assert any(c.startswith("13.0 KiB copied between memories") for c in cards("moved")), cards("moved")
lanes = shown["moved"]["lanes"] # host thread, queue, two devices, copies: to the device, back
assert len(lanes) == 6 and abs(lanes[4] - 3 / 80) < .015 and abs(lanes[5] - 7.5 / 80) < .02, lanes
PY
finish
