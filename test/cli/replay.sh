# clweave replay: tables, JSON, charts, and what it says about bad input.
. "$(dirname "$0")/common.sh"
trace=test/fuzz/blockmatmul.json graphs=test/golden/graphs

expect replay_compare 0 clweave replay $trace --platform hxdsp --policy heft --policy hdgeft --check
expect replay_own_devices 0 clweave replay $trace
expect replay_json 0 clweave replay $graphs/topcuoglu2002.json --policy heft --json
expect replay_shared_json 0 clweave replay $graphs/blockmatmul.json --policy hdgeft:share-idle --json
expect replay_options 0 clweave replay $graphs/blockmatmul.json -p hdgeft:share-idle,overhead=0.5,insertion=off -p heft:insertion=off
expect replay_platform 0 clweave replay --show-platform hxdsp
# priority groups: what they save, by both rules; the picture has every tile
clweave generate stencil --size 24 --steps 8 --ccr 1 -o "$T/rows.json" > /dev/null || fail "no stencil"
expect replay_groups 0 clweave replay "$T/rows.json" --policy groups:cache=2K --gantt "$T/groups.svg"
expect replay_groups_json 0 clweave replay "$T/rows.json" -p groups:cache=2K,height=3,width=2 --group-rule skew --json
[ "$(grep -c '<rect' "$T/groups.svg")" -gt 20 ] && grep -q 'group 3<' "$T/groups.svg" || fail "no groups in the picture"
if command -v xmllint > /dev/null; then xmllint --noout "$T/groups.svg" || fail "groups.svg is not well-formed"; fi
expect replay_groups_reuse 0 clweave replay "$T/rows.json" -p groups:cache=2K --group-reuse 2.5 --host-waits drop
expect replay_groups_graph_dims 1 clweave replay "$T/rows.json" -p groups:dims=2
expect replay_groups_dims 2 clweave replay "$T/rows.json" -p groups:dims=4
expect replay_groups_theta 2 clweave replay "$T/rows.json" -p groups --group-reuse 0
expect replay_groups_cache 2 clweave replay "$T/rows.json" --policy groups:cache=lots
expect replay_groups_alone 2 clweave replay "$T/rows.json" --policy heft --group-rule max
expect replay_groups_zero 2 clweave replay "$T/rows.json" --policy groups:height=3,width=0
expect replay_groups_unknown 2 clweave replay "$T/rows.json" --policy groups:height=3,breadth=2
rm -f "$T/groups.svg" "$T/rows.json"
# a traced stencil: its launches are cut by what their kernels touch
if [ -x "$B/clweave-footprint" ]; then
    clweave trace -o "$T/flat.json" -- "$B/test/apps/stencil/flat" five 32 128 12 0 0 > /dev/null 2>&1 || fail "flat is not traced"
    clweave replay "$T/flat.json" -p groups:cache=12K --json > "$T/flat.out" || fail "no groups of a trace"
    python3 - "$T/flat.out" << 'PY' || fail "groups of a trace: $(cat "$T/flat.out")"
import json, sys
r = json.load(open(sys.argv[1]))
plain, most, skew = r["orders"]
assert r["cut"] == 12 and r["tiles"] >= 12 * 32, r
assert skew["fetched_bytes"] * 3 < plain["fetched_bytes"] and most["fetched_bytes"] * 2 < plain["fetched_bytes"], r
assert skew["largest_group_bytes"] <= r["cache_bytes"], r
PY
    # rows wider than the cache: whole ones gain nothing; those that are cut, too, do
    clweave trace -o "$T/flat.json" -- "$B/test/apps/stencil/flat" five 4096 32 8 0 0 > /dev/null 2>&1 || fail "flat is not traced"
    clweave replay "$T/flat.json" -p groups:cache=96K,tiles=512 --group-rule skew --json > "$T/rows.out" &&
        clweave replay "$T/flat.json" -p groups:cache=96K,tiles=512,dims=2 --group-rule skew --json > "$T/boxes.out" || fail "no groups of wide rows"
    python3 - "$T/rows.out" "$T/boxes.out" << 'PY' || fail "groups of wide rows: $(cat "$T/rows.out" "$T/boxes.out")"
import json, sys
rows, boxes = (json.load(open(name))["orders"][1] for name in sys.argv[1:])
assert boxes["fetched_bytes"] * 1.2 < rows["fetched_bytes"] and boxes["height"] > 1, boxes
assert "width_1" in boxes and "width_1" not in rows, boxes
PY
fi
expect replay_help 0 clweave replay --help

# a built-in platform printed and read back is the same platform
clweave replay --show-platform hxdsp > "$T/board.json"
clweave replay $trace --platform "$T/board.json" -p hdgeft --json > "$T/a.json" || fail "the printed platform is not read"
clweave replay $trace --platform hxdsp -p hdgeft --json > "$T/b.json"
cmp -s "$T/a.json" "$T/b.json" || fail "the printed platform gives another plan"

# charts: one per policy, well-formed, every command in it
clweave replay $trace --dsp 4 -p heft -p hdgeft:share-idle --gantt "$T/plan.svg" > /dev/null || fail "no charts"
for f in "$T/plan-heft.svg" "$T/plan-hdgeft-share-idle.svg"; do
    [ -s "$f" ] || { fail "no chart $f"; continue; }
    [ "$(grep -o '<g><title>' "$f" | wc -l)" -ge 12 ] || fail "commands are missing in $f"
    if command -v xmllint > /dev/null; then xmllint --noout "$f" || fail "$f is not well-formed"; fi
done
[ "$(grep -c 'url(#shared)' "$T/plan-heft.svg")" = 0 ] || fail "heft shares a task"
[ "$(grep -c 'url(#shared)' "$T/plan-hdgeft-share-idle.svg")" -ge 8 ] || fail "hdgeft shares nothing"
if command -v rsvg-convert > /dev/null; then
    clweave replay $trace --gantt "$T/plan.png" > /dev/null && head -c 4 "$T/plan.png" | grep -q PNG || fail "no PNG"
    rm -f "$T/plan.png"
fi
expect replay_no_rasteriser 1 env PATH="$T" "$B/clweave" replay $trace --gantt "$T/none.png"

# no linear program: switched off; a large graph; no library (the loader gives up at the first file of its name)
expect replay_lp_off 0 clweave replay $graphs/blockmatmul.json -p hdgeft --lp off
mkdir "$T/lib" && : > "$T/lib/libClp.so.1"
LD_LIBRARY_PATH=$T/lib clweave replay $graphs/blockmatmul.json > "$T/nolib.out" 2>&1 || fail "no plan without libClp"
grep -q 'LP was left out: the library libClp is not installed' "$T/nolib.out" || fail "does not say that libClp is missing"
LD_LIBRARY_PATH=$T/lib clweave replay $graphs/blockmatmul.json --json | grep -q '"lp":null,"lp_skipped":"the library' || fail "JSON does not say it"
rm -r "$T/lib"
clweave generate hxdsp --out-degree 20 -o "$T/large.json"
clweave replay -p heft "$T/large.json" > "$T/large.out" || fail "no plan of a large graph"
grep -q 'LP was left out: the graph is too large' "$T/large.out" || fail "does not say that the graph is too large"

expect replay_unknown_policy 2 clweave replay $trace --policy hefft
expect replay_unknown_policy_option 2 clweave replay $trace --policy hdgeft:share-idel
expect replay_option_of_others 2 clweave replay $trace --policy heft:guard
expect replay_bad_option_value 2 clweave replay $trace --policy hdgeft:overhead=-1
expect replay_no_file 2 clweave replay
expect replay_bad_dsp 2 clweave replay $trace --dsp -4
expect replay_unknown_platform 1 clweave replay $trace --platform hxdsq
expect replay_missing 1 clweave replay "$T/none.json"
expect replay_full_disk 1 clweave replay $trace --gantt /dev/full
expect replay_no_folder 1 clweave replay $trace --gantt "$T/no/such/folder/x.svg"
expect replay_extension 1 clweave replay $trace --gantt "$T/x.gif"
expect replay_execute_graph 1 clweave replay $graphs/hsu.json --execute
expect replay_other_classes 1 clweave replay $graphs/hsu.json --platform hxdsp
echo '{"format":"clweave-platform","version":1,"devices":[{"class":"gpu","kernels":[{"name":"merge","run":false}]}]}' > "$T/nomerge.json"
expect replay_no_device 1 clweave replay $trace --platform "$T/nomerge.json"
echo '{"format":"clweave-platform","version":1,"devices":[{"class":"gpu","transfers":false}]}' > "$T/nomove.json"
expect replay_no_transfer 1 clweave replay $trace --platform "$T/nomove.json"
printf '{"format":"clweave-platform","version":1,\n"devices":[{"class":"gpu"}' > "$T/cutboard.json"
expect replay_cut_platform 1 clweave replay $trace --platform "$T/cutboard.json"
head -c 900 $graphs/hsu.json > "$T/cut.json"; expect replay_cut_graph 1 clweave replay "$T/cut.json"
sed 's/"from": 0, "to": 1,/"from": 9, "to": 1,/; s/"from": 1, "to": 6,/"from": 1, "to": 9,/' $graphs/hsu.json > "$T/cycle.json"
expect replay_cycle 1 clweave replay "$T/cycle.json"
[ -z "$(ls "$T" | grep -vE '\.(json|svg|out|err)$')" ] || fail "left behind: $(ls "$T")"
# every policy is in the list and in sched/README.md
clweave replay --list-policies > "$T/policies" || fail "--list-policies fails"
for p in $(sed -n 's/^CW_POLICY(\(.*\))$/\1/p' sched/policy_list.inc | tr _ -); do
    grep -q "^$p " "$T/policies" || fail "--list-policies does not have $p"
    grep -q "^| .*\`$p\`.*|" sched/README.md || fail "sched/README.md does not name policy $p"
done
expect replay_needs_execute 2 clweave replay test/fuzz/blockmatmul.json --repeat 2
clweave replay test/fuzz/blockmatmul.json --order random 2> "$T/order.err"; [ $? = 2 ] && grep -q -- '--order.*--execute' "$T/order.err" ||
    fail "--order without --execute is not refused"
finish
