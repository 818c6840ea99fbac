# clweave run -o on helpers with memories of their own: the trace has every copy between memories that the summary counts, with its
# bytes, both ends, and its reason (a managed command, a native one, room); a command begins when its copies are over, on the device
# that they went to, but for tiles, whose copies lie within their launch. Report, page and timeline show them. A trace that is read and written again keeps them.
# SECONDS: 10
. test/runmode/common.sh
PATH=$B:$PATH
export CLWEAVE_POLICY=chaos CLWEAVE_SEED=1 CLWEAVE_MANAGE_ALL=1
cat > "$T/check.py" <<'P'
import json, sys
t = json.load(open(sys.argv[1]))
moves, last, bytes_of = t.get("moves", []), {}, {"needed": 0, "native": 0, "room": 0, "read": 0}
for m in moves:
    assert ("from" in m) != ("to" in m), m
    assert 0 < m["start_ns"] <= m["end_ns"] and m["bytes"] > 0, m
    bytes_of[m["why"]] += m["bytes"]
    if "memory" in m:
        assert m.get("offset", 0) + m["bytes"] <= t["memory"][m["memory"]]["size"], m
    c = t["commands"][m["command"]] if "command" in m else None
    if c and m["why"] == "needed":
        cut = any(p["command"] == m["command"] for p in t.get("parts", []))
        assert (c["end_ns"] if cut else c["start_ns"]) >= m["end_ns"], (m, c)
        assert cut or m.get("to", c["device"]) == c["device"], (m, c)
    assert m["why"] == "needed" or "from" in m, m
assert any("command" in m and "memory" in m for m in moves), moves
unit = lambda b: f"{b} B" if b < 1024 else f"{b / 1024:.1f} KiB".replace(".0 KiB", " KiB")
print(sum("to" in m for m in moves), sum("from" in m for m in moves), *(unit(bytes_of[k]).replace(" ", "_") for k in ("needed", "native", "room")))
P
# recorded DEVICES PROGRAM REASON : as above, and some bytes were copied for REASON
recorded() {
    local name counts to from needed native room
    name=$(basename "$2")
    bare "$2" || return
    clweave run --summary --devices "$1" -o "$T/ran.json" -- "$2" > "$T/run" 2> "$T/err" || fail "$name: $(cat "$T/err")"
    cmp -s "$T/bare" "$T/run" || fail "$name: other output"
    counts=$(python3 "$T/check.py" "$T/ran.json" 2>&1) || { fail "$name: $(echo "$counts" | tail -n 1)"; return; }
    read -r to from needed native room <<< "$counts"
    [ "${!3}" != 0_B ] || fail "$name: nothing copied: $3"
    sed -e 's/\.0 KiB/ KiB/g' "$T/err" |
        grep -qE "^run: memories: .* in $to copies to devices, .* in $from back: ${needed/_/ } for managed commands, ${native/_/ } for native ones, ${room/_/ } to make room" ||
        fail "$name: the summary says other numbers than the trace, $counts: $(grep memories "$T/err")"
    clweave report "$T/ran.json" > "$T/report" && grep -q '^copies    to device .*; commands waited for them for ' "$T/report" || fail "$name: report: $(cat "$T/report")"
    clweave timeline "$T/ran.json" -o "$T/timeline.json" && [ "$(grep -c '"cat":"copy"' "$T/timeline.json")" = $((to + from)) ] ||
        fail "$name: timeline: $(grep -c '"cat":"copy"' "$T/timeline.json") copies"
    grep -q '"host -> device [0-9]*"' "$T/timeline.json" && grep -q '"device [0-9]* -> host"' "$T/timeline.json" || fail "$name: no track for copies"
    clweave report "$T/ran.json" --no-graph -o "$T/page.html" && grep -q '"moves":\[.*[0-9]' <<< "$(tr -d '\n' < "$T/page.html")" || fail "$name: page"
    clweave graph "$T/ran.json" -o "$T/again.json" &&
        python3 -c 'import json, sys; a, b = (json.load(open(f))["moves"] for f in sys.argv[1:]); assert a == b' "$T/ran.json" "$T/again.json" || fail "$name: written again"
    compared=$((compared + 1))
}
recorded far:2 "$B/test/apps/chains8" needed
recorded far:2/cap=20K "$B/test/apps/chains8" room
recorded far:2 "$B/test/runmode/commandbuffers" native
done_
