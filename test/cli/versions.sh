# Memory that is used again: graph, report and replay say which chain is about memory alone, and what versions of buffers would make of
# it. The sample's shape is that of a filter of real programs; times of its kernels are put into the trace, so that figures are the same
# everywhere. Counts by atomics commute; where the trace does not say so, they chain all rounds.
. "$(dirname "$0")/common.sh"
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }

clweave trace -o "$T/bare.json" -- "$B/test/apps/patches" 160 > /dev/null 2>&1 || fail "trace"
python3 - "$T" << 'END'
import copy, json, sys
trace, t = json.load(open(f"{sys.argv[1]}/bare.json")), 1000000
for q in trace["queues"]:
    q["profiling"] = True
for c in trace["commands"]:
    if c.get("kernel") is not None or c["type"] == "CL_COMMAND_READ_BUFFER":
        name = trace["kernels"][c["kernel"]]["name"] if c.get("kernel") is not None else ""
        c["queued_ns"] = c["submit_ns"] = c["start_ns"] = t
        t += {"rows": 600000, "columns": 600000, "weigh": 50000}.get(name, 20000)
        c["end_ns"] = t
json.dump(trace, open(f"{sys.argv[1]}/timed.json", "w"))
chained = copy.deepcopy(trace)
for c in chained["commands"]:
    for w in c.get("writes", []):
        w.pop("commutes", None)
json.dump(chained, open(f"{sys.argv[1]}/chained.json", "w"))
for c in trace["commands"]:
    for w in c.get("writes", []):
        w.pop("sure", None)
json.dump(trace, open(f"{sys.argv[1]}/unsure.json", "w"))
END

figures() { clweave graph "$T/$1.json" | sed -n 's/^memory that is used again makes 159 of its 481 steps (WAR, WAW alone), 159 by memory 1: //p'; }
of="times as short with 2, 4, 8, 16 versions of buffers (RAW alone:"
[ "$(figures timed)" = "2.0, 4.0, 7.9, 15.1 $of 21.6)" ] || fail "graph: $(figures timed)"
[ "$(figures chained)" = "2.0, 2.1, 2.1, 2.1 $of 21.6)" ] || fail "without what commutes: $(figures chained)"
[ "$(figures unsure)" = "1.0, 1.0, 1.0, 1.0 $of 21.6)" ] || fail "without sure writes: $(figures unsure)"
clweave graph "$T/timed.json" --json | python3 -c 'import json, sys; v = json.load(sys.stdin)["versions"]; assert v["timed"] and v["reuse"] == 159 and v["length"][0] > 14 * v["length"][4], v' ||
    fail "graph --json"
clweave report "$T/timed.json" -o "$T/report.html" 2> /dev/null && grep -q "Memory that is used again makes the longest chain longer" "$T/report.html" || fail "report"
clweave replay "$T/timed.json" -p heft --dsp 4 2> /dev/null | grep -q "^memory that is used again .* 2.0, 4.0, 7.9, 15.1 times" || fail "replay says nothing"

# plans with versions are no longer, and shorter at first
makespan() { clweave replay "$T/timed.json" --versions "$1" -p heft --dsp 4 --json 2> /dev/null | python3 -c 'import json, sys; print(int(json.load(sys.stdin)["makespan"]))'; }
one=$(makespan 1) two=$(makespan 2) many=$(makespan 16)
[ "$two" -lt "$one" ] && [ "$many" -le "$two" ] || fail "plans with 1, 2, 16 versions take $one, $two, $many"
expect versions-none 2 clweave replay --versions 0 "$T/timed.json"
expect versions-run 2 clweave replay --versions 2 --execute "$T/timed.json"
expect versions-graph 1 clweave replay --versions 2 topcuoglu:tasks=5
finish
