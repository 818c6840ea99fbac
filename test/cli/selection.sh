# selection.sh - parts of traces: --from, --to, --commands, --windows, --kernel of graph, report, timeline,
# diff, replay and trace.
. "$(dirname "$0")/common.sh"
export XDG_CACHE_HOME=$T/cache # no models, no roofs
mkdir "$T/cache"
trace=test/fuzz/blockmatmul.json events=test/fuzz/events_ooo.json

expect select_commands 0 clweave graph "$trace" --commands 1..5
expect select_kernel 0 clweave graph "$trace" --kernel 'split|merge'
expect select_report 0 clweave report "$trace" --kernel multiply
expect select_dot 0 clweave graph "$trace" --kernel 'split|merge' -f dot
expect select_plan 0 clweave replay "$trace" --commands 2..5 --policy heft
expect select_diff 0 clweave diff "$trace" "$trace" --kernel 'split|merge'
expect select_diff_nothing 1 clweave diff "$trace" "$events" --kernel multiply
expect select_bad_expression 2 clweave graph "$trace" --kernel 'a('
expect select_bad_range 2 clweave report "$trace" --commands 1-5
expect select_empty_range 2 clweave timeline "$trace" --commands 9..3
expect select_bad_time 2 clweave graph "$trace" --from 1h
expect select_no_such_command 1 clweave graph "$trace" --commands 90..
expect select_no_such_kernel 1 clweave report "$trace" --kernel nothing
expect select_no_such_window 1 clweave replay "$trace" --windows 7
expect select_nothing 1 clweave timeline "$trace" --from 1000s -o "$T/none.json"
[ ! -e "$T/none.json" ] || fail "a part with nothing in it left a file"
expect select_task_graph 2 clweave graph test/golden/graphs/blockmatmul.json --kernel x
expect select_replay_task_graph 1 clweave replay test/golden/graphs/blockmatmul.json --commands 1

# numbers are those of the whole trace, also of a part of a part, in every output
clweave graph "$trace" --commands 3..9 -o "$T/part.json" && clweave graph "$T/part.json" --commands 5..6 -o "$T/smaller.json" || fail "parts"
python3 - "$T" <<'P' || fail "numbers of parts"
import json, sys
part, smaller = (json.load(open(f"{sys.argv[1]}/{n}.json")) for n in ("part", "smaller"))
assert [c.get("origin", c["id"]) for c in part["commands"]] == [3, 4, 5, 6, 7, 8, 9], part["commands"]
assert [c.get("origin", c["id"]) for c in smaller["commands"]] == [5, 6]
assert [c["id"] for c in smaller["commands"]] == [0, 1]
assert smaller["process"]["whole_commands"] == 12 and smaller["process"]["selection"] == "--commands 3..9 --commands 5..6"
P
clweave timeline "$T/smaller.json" | grep -q '"command":5' || fail "a timeline numbers anew"
clweave graph "$T/smaller.json" -f dot | grep -q '#6' || fail "a picture numbers anew"
clweave report "$T/smaller.json" -o "$T/page.html" && grep -q '"numbers":\[5,6\]' "$T/page.html" || fail "a page numbers anew"
clweave graph "$T/smaller.json" --footprints off 2> "$T/said" && fail "a part's graph was built anew"
grep -q "is a part of a trace (--commands 3..9 --commands 5..6)" "$T/said" || fail "why not: $(cat "$T/said")"

# all commands are the whole trace
clweave graph "$events" --commands 0.. -f json | sed 's/,"selection.*_ns":[0-9]*}/}/' > "$T/all"
clweave graph "$events" -f json | cmp - "$T/all" || fail "a part of everything differs"

# trace keeps the part; what says nothing is refused before the program runs
clweave trace --kernel 'a(' -o "$T/t.json" -- touch "$T/ran" 2> /dev/null; [ $? = 2 ] && [ ! -e "$T/ran" ] || fail "a bad expression ran the program"
clweave trace --capture-data --commands 1..2 -o "$T/t.json" -- touch "$T/ran" 2> "$T/said"; [ $? = 2 ] && [ ! -e "$T/ran" ] || fail "contents of a part"
grep -q "replay FILE --execute --commands" "$T/said" || fail "no way named: $(cat "$T/said")"
clweave run --commands 1..2 -- touch "$T/ran" 2> /dev/null; [ $? = 2 ] && [ ! -e "$T/ran" ] || fail "a part of no trace"
if [ -x "$B/test/apps/blockmatmul" ]; then
    clweave trace --commands 2..5 -o "$T/t.json" -- "$B/test/apps/blockmatmul" > /dev/null 2> "$T/said" || fail "trace --commands: $(cat "$T/said")"
    [ "$(grep -c '^{"id":.,"type":"CL_COMMAND' "$T/t.json")" = 4 ] || fail "trace --commands 2..5 has not four commands"
    clweave trace --commands 900..999 -o "$T/u.json" -- "$B/test/apps/blockmatmul" > /dev/null 2> "$T/said"
    grep -q "the trace has commands 0 to" "$T/said" && grep -q "u.json.log is kept" "$T/said" && [ -s "$T/u.json.log" ] ||
        fail "a part with nothing in it: $(cat "$T/said")"
fi
for c in graph report timeline replay trace run; do
    for o in from to commands windows kernel; do clweave $c --help | grep -q -- "--$o " || fail "$c has no --$o"; done
done
finish
