# `clweave run --dsp 4 --set dsp_clock=virtual --policy NAME`, also from empty caches: each command runs where `clweave replay` of a bare
# trace puts it, parts of launches too, with the bytes of a bare run; --summary says the makespan of the plan and the modelled one.
# The plan depends on real time in one way only: a host that stands still for long has a window closed early. Then the program runs
# again, four times at most.
# SECONDS: 20
# COMPILER: shared
. test/devices/common.sh
[ -x "$B/clweave-footprint" ] || { echo "kernels without models are not shared (clweave-footprint)"; exit 77; }
cat > "$T/same.py" <<'END_OF_PYTHON'
import json, sys
replayed, ran = (json.load(open(f)) for f in sys.argv[1:3])
def places(rows):
    return sorted((at["device"], at.get("first_group", 0)) for at in rows)
planned, parts = {}, {}
for row in ran["plans"]:
    planned.setdefault(row["command"], []).append(row)
for row in ran.get("parts", []):
    parts.setdefault(row["command"], []).append(row)
for command in ran["commands"]: # a launch in parts has rows of its own
    parts.setdefault(command["id"], [command])
for task in replayed["placements"]:
    want, i = places(task["parts"]), task["task"]
    assert places(planned[i]) == want, f"command {i}: planned for {places(planned[i])}, replay: {want}"
    assert places(parts[i]) == want, f"command {i} ran on {places(parts[i])}, replay: {want}"
first = min(row["start_ns"] for row in ran["plans"])
print(max(row["end_ns"] for row in ran["plans"]) - first, max(c["end_ns"] for c in ran["commands"] if "end_ns" in c) - first, replayed["makespan"])
END_OF_PYTHON
for app in "blockmatmul" "mapreduce 4096 6" "featurefusion 96"; do
    want=$("$B/test/apps/"$app) || fail "$app: bare run failed"
    "$B/clweave" trace -o "$T/bare.json" -- "$B/test/apps/"$app > "$T/log" 2>&1 || fail "$app: not recorded"
    for policy in hdgeft heft; do
        "$B/clweave" replay "$T/bare.json" --platform hxdsp --kernels models --lp off --json -p $policy > "$T/replayed.json"
        for attempt in 1 2 3 4 5; do
            [ $policy = heft ] || { rm -rf "$T/xdg"; mkdir "$T/xdg"; }
            got=$(XDG_CACHE_HOME=$T/xdg "$B/clweave" run --dsp 4 --set dsp_clock=virtual --policy $policy --summary -o "$T/ran.json" -- \
                "$B/test/apps/"$app 2> "$T/err") || { cat "$T/err"; fail "$app under $policy failed"; }
            [ "$got" = "$want" ] || fail "$app under $policy: $got instead of $want"
            grep -q 'run: .* moved, .* 1 windows; 0 native' "$T/err" && break
            [ $attempt -lt 5 ] || too_busy "$app under $policy: the enqueues of one window were held up in each of $attempt runs"
        done
        read -r planned reached replayed < <(python3 "$T/same.py" "$T/replayed.json" "$T/ran.json") || { cat "$T/err"; fail "$app under $policy: not where replay puts it"; }
        # DSPs meet at the DDR in the order in which the host's threads come, so the end is the same but for some per cent
        awk -v p="$planned" -v m="$reached" -v r="$replayed" 'BEGIN { exit !(p <= m && m < 1.1 * r && r < 1.1 * m) }' ||
            fail "$app under $policy: planned $planned ns, reached $reached ns, replay: $replayed ns"
        line=$(awk -v p="$planned" -v m="$reached" 'BEGIN { printf "run: planned makespan %.3f ms, reached %.3f ms", p / 1e6, m / 1e6 }')
        grep -q "^$line on the virtual clock (policy $policy, 1 windows)$" "$T/err" || { cat "$T/err"; fail "$app under $policy: the summary does not say '$line'"; }
        echo "$app $policy: $line"
    done
done
