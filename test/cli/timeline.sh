# timeline: Perfetto's protobuf says the same as the JSON: tracks, slices, arrows, counters. protoc reads it.
. "$(dirname "$0")/common.sh"
command -v protoc > /dev/null || { echo "no protoc to read the protobuf"; exit 77; }
for name in moved streamed page; do python3 test/cli/report_traces.py $name > "$T/$name.json" || fail "the trace $name"; done
for f in "$T"/{moved,streamed,page}.json test/fuzz/{blockmatmul,events_ooo,userevents_maps}.json; do
    name=$(basename "$f" .json)
    clweave timeline "$f" -f json -o "$T/$name.timeline" && clweave timeline "$f" -o "$T/$name.pftrace" || fail "$name"
    clweave timeline "$f" --format perfetto | cmp - "$T/$name.pftrace" || fail "$name: --format differs from the file's ending"
    protoc -I test/cli --decode=Trace test/cli/timeline.proto < "$T/$name.pftrace" > "$T/$name.text" || fail "$name is no protobuf"
    python3 - "$T/$name.timeline" "$T/$name.text" "$f" << 'PY' || fail "$name: the formats differ"
import json, re, sys
from collections import Counter

def message(lines):  # the fields of one message of protoc's text, as {name: [values]}
    fields = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            fields.setdefault(line[:-2], []).append(message(lines))
        else:
            key, value = line.split(": ", 1)
            assert not key.isdigit(), "a field that Perfetto does not have: " + line
            fields.setdefault(key, []).append(json.loads(value) if value[0] == '"' else int(value))
    return fields

events = json.load(open(sys.argv[1]))["traceEvents"]
packets = message(iter(open(sys.argv[2], encoding="utf-8")))["packet"]
start = json.load(open(sys.argv[3]))["process"].get("start_ns", 0)
names, tracks, open_slices = {}, {}, {}
slices, ends, counts = Counter(), {}, Counter()
one = lambda m, key, default=None: m[key][0] if key in m else default
for p in packets:
    assert p["trusted_packet_sequence_id"] == [1]
    for kind, entries in one(p, "interned_data", {}).items():
        for e in entries:
            assert names.setdefault((kind, e["iid"][0]), e["name"][0]) == e["name"][0]
    if "track_descriptor" in p:
        d = p["track_descriptor"][0]
        assert d["uuid"][0] not in tracks, "a track is described twice"
        assert "parent_uuid" not in d or d["parent_uuid"][0] in tracks, "a track's parent comes later"
        tracks[d["uuid"][0]] = d
        continue
    e, at = p["track_event"][0], p["timestamp"][0] - start
    track = tracks[e["track_uuid"][0]]
    group = one(tracks[track["parent_uuid"][0]], "name")
    if e["type"] == [4]:
        unit = "bytes" if track["counter"][0]["unit"] == [3] else "commands"
        counts[(one(track, "name"), at, unit, e["counter_value"][0])] += 1
    elif e["type"] == [2]:
        begun, key = open_slices.pop(e["track_uuid"][0])
        slices[key + (at - begun,)] += 1
    else:
        args = tuple(sorted((names["debug_annotation_names", a["name_iid"][0]], one(a, "uint_value", one(a, "string_value")))
                            for a in e.get("debug_annotations", [])))
        key = (group, one(track, "name"), names["event_names", e["name_iid"][0]], names["event_categories", e["category_iids"][0]],
               at, args)
        for way in "flow_ids", "terminating_flow_ids":
            for n in e.get(way, []):
                assert ends.setdefault((way, n), key[:3]) == key[:3], "an arrow has two ends of a kind"
        if e["type"] == [3]:
            slices[key + ("instant",)] += 1
        else:
            open_slices[e["track_uuid"][0]] = (at, key)
assert not open_slices, "a slice has no end"

ns = lambda e, key: round(e[key] * 1000)
label = {(e["name"], e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M"}
place = lambda e: (label["process_name", e["pid"], 0], label["thread_name", e["pid"], e["tid"]])
assert slices == Counter(place(e) + (e["name"], e["cat"], ns(e, "ts"), tuple(sorted(e["args"].items())),
                                     ns(e, "dur") if e["ph"] == "X" else "instant") for e in events if e["ph"] in "Xi")
assert counts == Counter((e["name"], ns(e, "ts"), *list(e["args"].items())[0]) for e in events if e["ph"] == "C")
assert counts and len(ends) == sum(e["ph"] in "sf" for e in events), "arrows or counters are missing"
assert {n for way, n in ends if way == "flow_ids"} == {n for way, n in ends if way != "flow_ids"}
last = {}
for name, at, unit, value in sorted(counts, key=lambda c: c[1]):
    assert value >= 0, name
    last[name] = value
assert not any(last.values()), "a counter does not end at 0: %s" % last
PY
done
clweave timeline test/fuzz/blockmatmul.json -f perfetto > /dev/full 2> /dev/null && fail "a full disk is not noticed"
finish
