# clweave run -o: the program's bytes stay, the trace has the commands and edges that `clweave trace` finds, and says where and
# when each really ran: never before what it depends on was over; the other commands read it. ALL=1: every program under
# heft and chaos.
# SLOW: ALL=1
# SECONDS: 30
# COMPILER: shared
. test/runmode/common.sh
PATH=$B:$PATH
cat > "$T/check.py" <<'P'
import json, sys
traced, ran = (json.load(open(f)) for f in sys.argv[1:3])
names = lambda t: [(c["type"], c.get("queue"), t["kernels"][c["kernel"]]["name"] if c.get("kernel") is not None else None,
                    c.get("global_size")) for c in t["commands"] if c["type"].startswith("CL_COMMAND")]
edges = lambda t: sorted((e["from"], e["to"], e["kind"], e.get("hazard"), e.get("bytes")) for e in t["edges"])
if "threads" not in sys.argv[3:]:  # whose order differs from run to run
    assert names(traced) == names(ran), "other commands"
    # polls are among the commands of events_ooo, and their number is chance
    assert "events_ooo" in sys.argv[3:] or edges(traced) == edges(ran), "other edges"
assert len(names(traced)) == len(names(ran))
c, placed, elsewhere, asked = ran["commands"], 0, 0, 0
for k in c:
    if k.get("device") is None:
        continue
    placed += 1
    assert k["device"] < len(ran["devices"]) and k["queued_ns"] <= k["start_ns"] <= k["end_ns"], k
    elsewhere += k["device"] != ran["queues"][k["queue"]]["device"]
for e in ran["edges"]:
    a, b = c[e["from"]], c[e["to"]]
    # which of two threads' calls took effect first, while both were under way, the trace cannot know
    together = a.get("thread") != b.get("thread") and a["call_end_ns"] > b["call_begin_ns"]
    if e["kind"] in ("data", "event") and a.get("device") is not None and b.get("device") is not None and not together:
        asked += 1
        # times are taken after the one has ended and before the other begins; one nanosecond keeps END after START
        assert a["end_ns"] <= b["start_ns"] + 1 or a["type"] in ("CL_COMMAND_MARKER", "CL_COMMAND_BARRIER"), (e, a, b)
parts = {}
for p in ran.get("parts", []):
    k = c[p["command"]]
    assert k["start_ns"] <= p["start_ns"] <= p["end_ns"] <= k["end_ns"], (k, p)
    parts.setdefault(p["command"], []).append((p.get("first_group", 0), p["groups"], p["device"], p.get("dim", 0)))
shared = 0
for command, list_ in parts.items():
    at, (dim,) = 0, {p[3] for p in list_}
    for first, groups, device, _ in sorted(list_):
        assert first == at and groups > 0 and device < len(ran["devices"]), (command, list_)
        at += groups
    size, local = (c[command][key][dim] if c[command].get(key) else None for key in ("global_size", "local_size"))
    assert not local or at == (size + local - 1) // local, (command, at)
    shared += len({p[2] for p in list_}) > 1
for p in ran.get("plans", []):
    k = c[p["command"]]
    assert k.get("device") is not None and p["device"] < len(ran["devices"]) and p["start_ns"] <= p["end_ns"], (k, p)
if "heft" in sys.argv[3:] and elsewhere:
    assert ran.get("plans"), "commands ran elsewhere, and nobody had planned it"
print(placed, elsewhere, asked, len(parts), shared)
P
cat > "$T/groups.py" <<'P'
import json, sys
ran = json.load(open(sys.argv[1]))
launches, groups, last = {}, {}, 0
for p in ran.get("parts", []):
    launches.setdefault(p["command"], []).append((p.get("first_group", 0), p["groups"]))
    groups.setdefault(p["priority_group"], set()).add(p["command"])
for tiles in launches.values():
    at = 0
    for first, n in sorted(tiles):
        assert first == at and n > 0, tiles
        at += n
assert sorted(groups) == list(range(1, len(groups) + 1)), "numbers are missing"
print(len(launches), sum(map(len, launches.values())), max(map(len, groups.values()), default=0))
P
cat > "$T/bands.py" <<'P'
import json, sys  # each device has bands of its own: along a launch they change as often as there are borders between devices
ran, devices = json.load(open(sys.argv[1])), int(sys.argv[2].split(":")[1])
launches = {}
for p in ran.get("parts", []):
    launches.setdefault(p["command"], []).append((p.get("first_group", 0), p["device"]))
for command, tiles in launches.items():
    tiles = [d for _, d in sorted(tiles)]
    changes = sum(a != b for a, b in zip(tiles, tiles[1:]))
    assert len(set(tiles)) == devices and changes == devices - 1, (command, tiles)
print(len(launches))
P
total=0 moved=0 cut=0 shared=0
for name in tiles blockmatmul chains8 mapreduce events_ooo featurefusion manybufs threads; do
    program=$B/test/apps/$name
    bare "$program" || continue
    clweave trace -o "$T/traced.json" -- "$program" > "$T/run" 2> "$T/err" || fail "$name: trace: $(cat "$T/err")"
    policies=chaos
    case $name in tiles | mapreduce | threads) policies="heft chaos" ;; esac
    [ -z "${ALL:-}" ] || policies="heft chaos"
    for policy in $policies; do
        rm -f "$T/ran.json"
        CLWEAVE_MANAGE_ALL=1 timeout 240 clweave run -o "$T/ran.json" --policy $policy --devices basic:2 -- "$program" > "$T/run" 2> "$T/err" ||
            fail "$name $policy: $(cat "$T/err")"
        cmp -s "$T/bare" "$T/run" || fail "$name $policy: other output"
        counts=$(python3 "$T/check.py" "$T/traced.json" "$T/ran.json" $name $policy 2>&1) || { fail "$name $policy: $(echo "$counts" | tail -n 1)"; continue; }
        set -- $counts
        cut=$((cut + $4)) shared=$((shared + $5))
        total=$((total + $1)) moved=$((moved + $2)) compared=$((compared + 1))
    done
    clweave timeline "$T/ran.json" -o "$T/timeline.json" && grep -q '"ph":"X"' "$T/timeline.json" || fail "$name: no timeline"
    clweave replay "$T/ran.json" > "$T/out" || fail "$name: replay"
    clweave graph "$T/ran.json" -o "$T/graph.dot" || fail "$name: graph"
done
[ $cut -ge 20 ] && [ $shared -ge 10 ] || fail "only $cut cut launches, $shared of them on several devices"
[ $total -ge 100 ] && [ $moved -ge 20 ] || fail "only $total commands with a device, $moved of them elsewhere"
# in_groups WHAT DEVICES CHECK LEAST PROGRAM [ARGUMENT]... : what CHECK says of the trace's groups; at least LEAST launches ran in them.
# How many of its launches are in one window is up to the clock: a program that is slow between two enqueues has each launch run before the
# next is there. Such a run says nothing of groups and is repeated; what CHECK asks holds for every run.
in_groups() {
    local what=$1 devices=$2 check=$3 least=$4 try; shift 4
    for try in 1 2 3 4 5 6 7 8 9 10; do
        clweave run --out "$T/groups.json" --groups on --devices "$devices" -- env CLWEAVE_MANAGE_ALL=1 CLWEAVE_SUMMARY=1 "$@" > "$T/run" 2> "$T/err" ||
            fail "$what: $(cat "$T/err")"
        counts=$(python3 "$T/$check.py" "$T/groups.json" "$devices" 2>&1) || { fail "$what: $(echo "$counts" | tail -n 1)"; return; }
        [ "${counts%% *}" -lt "$least" ] || return 0
    done
    fail "$what: only $counts launches, at least $least expected, ten times; at last: $(grep '^run: ' "$T/err")"
}
# launches in priority groups: each tile, and the group that it ran in, on one device in turn and on several
if [ -x "$B/clweave-footprint" ]; then
    for devices in none cpu,basic:2; do
        in_groups "groups on $devices" $devices groups 16 "$B/test/apps/jacobi"
        set -- $counts
        [ "${2:-0}" -gt "${1:-0}" ] && [ "${3:-0}" -gt 1 ] || fail "groups on $devices: $counts (launches, tiles, launches in a group)"
        clweave report "$T/groups.json" -o "$T/groups.html" || fail "groups: report"
    done
fi
# several devices: halos at the borders of their bands only
if [ -x "$B/clweave-footprint" ]; then
    for devices in 2 3; do
        in_groups "bands of $devices devices" basic:$devices bands 8 env CLWEAVE_GROUP_TILE=16:128 "$B/test/apps/stencil/wave" 512 768 12
    done
fi
# without the tool; and no trace unless it is asked for
(cd "$T" && LD_PRELOAD=$shim CLWEAVE_MODE=run CLWEAVE_OUT=alone.json "$B/test/apps/jacobi" > out 2> err && [ -s alone.json ]) || fail "no trace without the tool"
mkdir "$T/empty"
(cd "$T/empty" && clweave run -- "$B/test/apps/jacobi" > ../out 2> ../err; [ -z "$(ls -A)" ]) || fail "a trace that nobody asked for"
echo "$total commands placed, $moved elsewhere"
done_
