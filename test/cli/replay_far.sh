# clweave replay on a machine of several memories: every policy's plan is charged for the bytes that travel.
. "$(dirname "$0")/common.sh"
trace=test/fuzz/blockmatmul.json

# a host and two far devices of half its speed, as `run --devices far:2/gbps=$1/us=$2` has them; host reads stay at home.
# Between far devices bytes take two hops
far() {
    awk -v gbps="$1" -v ns="$2"e3 'BEGIN { print "{\"format\": \"clweave-platform\", \"version\": 1, \"devices\": ["
        print "{\"name\": \"home\", \"class\": \"cpu\", \"memory\": \"host\"},"
        print "{\"name\": \"far\", \"class\": \"far\", \"count\": 2, \"speed\": 0.5, \"transfers\": false}],"
        printf "\"bandwidth\": [[null, %g, %g], [%g, null, %g], [%g, %g, null]],\n", gbps, gbps, gbps, gbps / 2, gbps, gbps / 2
        printf "\"latency\": [[0, %g, %g], [%g, 0, %g], [%g, %g, 0]]}\n", ns, ns, ns, 2 * ns, ns, 2 * ns }'
}
far 5 20 > "$T/far.json"
far 0.001 1000 > "$T/slow.json"
for f in far slow; do # --check: no task starts before its bytes can have arrived
    clweave replay $trace --platform "$T/$f.json" --policy all --check --json > "$T/$f.out" || fail "no plan on $f"
done
python3 - "$T/far.out" "$T/slow.out" << 'PY' || fail "transfers are not charged"
import json, sys
far, slow = ({p["policy"]: p for p in json.load(open(f))} for f in sys.argv[1:])
home = far["cpu-only"]["makespan"]
aware = "heft cpop hdgeft dls peft lookahead dmda dscls weave min-min sufferage exact".split()
moved = lambda p: sum(part["device"] > 0 for t in p["placements"] for part in t["parts"])
assert slow["cpu-only"]["makespan"] == home
for name in aware:  # the far devices help where it pays
    assert moved(far[name]) and far[name]["makespan"] < home, name
for name in "peft lookahead weave exact".split():  # those that look at the tasks behind leave slow links alone
    assert not moved(slow[name]) and slow[name]["makespan"] == home, name
for name in far:  # all others pay for each move, whether they have looked or not
    assert not moved(slow[name]) or slow[name]["makespan"] > 1e6, name
assert moved(slow["random"]) and moved(slow["gpu-only"]) and moved(slow["dm"])
PY
finish
