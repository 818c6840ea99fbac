# report: the page's own script: what its cards claim, and how busy its timeline shows a device.
. "$(dirname "$0")/common.sh"
command -v node > /dev/null || { echo "no node to run the page's script"; exit 77; }
page() { # TRACE: prints what its page shows
    clweave report --no-graph -o "$T/page.html" "$1" && node test/cli/report_page.js "$T/page.html"
}
for name in untimed partial first_launch large sparse of_run moved; do
    python3 test/cli/report_traces.py $name > "$T/$name.json" && page "$T/$name.json" > "$T/$name.shown" || fail "the page of $name"
done
for f in test/fuzz/*.json; do page "$f" > "$T/shown" || fail "the page of $f"; done
python3 - "$T" << 'PY' || fail "a page claims or shows what is not so"
import json, sys
shown = lambda name: json.load(open("%s/%s.shown" % (sys.argv[1], name)))
for name in "untimed", "partial":
    assert not any("×" in c for c in shown(name)["cards"]), shown(name)["cards"]
assert any(c.startswith("≥ 10.0 µs critical") for c in shown("partial")["cards"]), shown("partial")["cards"]
assert any("6.00 ms critical" in c for c in shown("first_launch")["cards"])
lanes = shown("sparse")["lanes"] # host thread, queue
assert len(lanes) == 2 and abs(lanes[1] - .04) < .03, lanes
assert any(c.startswith("13.0 KiB copied between memories") for c in shown("moved")["cards"]), shown("moved")["cards"]
lanes = shown("moved")["lanes"] # host thread, queue, two devices, copies: to the device, back
assert len(lanes) == 6 and abs(lanes[4] - 3 / 80) < .01 and abs(lanes[5] - 7.5 / 80) < .01, lanes
PY
finish
