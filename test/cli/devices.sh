# devices: what is measured is kept, listed, and stands in reports; less than is kept replaces nothing.
. "$(dirname "$0")/common.sh"
export XDG_CACHE_HOME=$T/cache
mkdir "$T/cache"
expect devices_help 0 clweave devices --help
expect devices_seconds 2 clweave devices --measure --seconds -1
clweave devices > "$T/before" || fail "devices"
grep -q measured "$T/before" && fail "figures before any was measured"

clweave devices --measure --seconds 6 --json > "$T/measured" || fail "devices --measure"
clweave devices --json > "$T/listed" || fail "devices --json"
python3 - "$T/measured" "$T/listed" << 'PY' || fail "what was measured is not what is listed"
import json, sys
measured, listed = (json.load(open(f))["devices"] for f in sys.argv[1:])
assert measured and [d["roofs"] for d in measured] == [d["roofs"] for d in listed]
for d in measured:
    r = dict(d["roofs"])
    assert r.pop("when") > 1600000000
    assert {"up", "down", "launch"} <= set(r) <= {"read", "copy", "triad", "single", "double", "up", "down", "launch"}, r
    assert all(0 < low <= median <= high and n >= 3 for median, low, high, n in r.values()), r
PY
clweave devices | grep -q 'launch and wait .* us .* and .* (' || fail "no line of a figure"

clweave devices --measure --seconds 0.001 > /dev/null || fail "devices --seconds 0.001"
for words in '--measure --seconds 0' '--seconds 3'; do
    clweave devices $words 2> "$T/err"; [ $? = 2 ] || fail "devices $words: $(cat "$T/err")"
done
quantities() { python3 -c 'import json, sys; print(sum(len(d["roofs"]) for d in json.load(sys.stdin)["devices"]))'; }
[ "$(clweave devices --json | quantities)" -ge "$(quantities < "$T/listed")" ] || fail "less than is kept has replaced it"
[ -z "$(ls -A "$T/cache/clweave/roofs")" ] && fail "nothing is kept"
clweave cache clear > /dev/null
clweave devices | grep -q measured && fail "figures that were cleared"
finish
