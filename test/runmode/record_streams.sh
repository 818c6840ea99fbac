# clweave run -o with --set streams=force and --set staging=force: the program's bytes stay; the trace has the commands and edges that `clweave trace`
# finds, the stream of each command of an in-order queue, the bytes that were staged as the summary counts them, and times that keep the
# order of each stream and of each edge. Report and timeline show the streams.
# Where buffers have versions (--set rename), edges that only forbid to overwrite bytes too early have no order.
# SECONDS: 12
. test/runmode/common.sh
PATH=$B:$PATH
export CLWEAVE_DEVICES=none
cat > "$T/check.py" <<'P'
import json, sys
traced, ran = (json.load(open(f)) for f in sys.argv[1:3])
names = lambda t: [(c["type"], c.get("queue"), c.get("kernel"), c.get("global_size")) for c in t["commands"]]
edges = lambda t: sorted((e["from"], e["to"], e["kind"], e.get("hazard"), e.get("bytes")) for e in t["edges"])
polled = lambda t: [c for c in t["commands"] if c["type"] == "clGetEventInfo"]  # their number is chance
if not polled(traced) and not polled(ran):
    assert names(traced) == names(ran), "other commands"
    assert edges(traced) == edges(ran), "other edges"
c, last = ran["commands"], {}
streamed = [k for k in c if k["type"].startswith("CL_COMMAND") and not ran["queues"][k["queue"]].get("out_of_order")]
for k in streamed:
    assert 1 <= k["stream"] <= 8 and "device" not in k, k
    if not k.get("end_ns"):
        continue  # refused
    assert k["queued_ns"] <= k["submit_ns"] <= k["start_ns"] <= k["end_ns"], k
    before = last.get((k["queue"], k["stream"]))
    assert not before or before["end_ns"] <= k["start_ns"], (before, k)
    last[k["queue"], k["stream"]] = k
for e in ran["edges"]:
    if sys.argv[3] == "auto" and e.get("hazard") in ("WAR", "WAW"):
        continue
    a, b = c[e["from"]], c[e["to"]]
    if e["kind"] in ("data", "event") and a.get("end_ns") and b.get("end_ns") and a.get("stream") and b.get("stream"):
        assert a["end_ns"] <= b["start_ns"], (e, a, b)
staged = [k["transfer"]["staged_bytes"] for k in c if k.get("transfer", {}).get("staged_bytes")]
assert all(s <= k["transfer"]["bytes"] for k in c for s in [k.get("transfer", {}).get("staged_bytes", 0)] if "bytes" in k.get("transfer", {}))
print(len(streamed), sum(k["stream"] > 1 for k in streamed), len(staged), f"{sum(staged) / 1e6:.1f}")
P
for run in chains8:auto disjoint:auto manybufs:auto streams:auto streams:off; do
    name=${run%:*} rename=${run#*:}
    program=$B/test/apps/$name
    [ -x "$program" ] || program=$B/test/runmode/$name
    bare "$program" || continue
    clweave trace -o "$T/traced.json" -- "$program" > "$T/run" 2> "$T/err" || fail "$name: trace: $(cat "$T/err")"
    clweave run --summary --device-times --set streams=force --set staging=force --set rename=$rename -o "$T/ran.json" -- "$program" > "$T/run" 2> "$T/err" || fail "$name: $(cat "$T/err")"
    cmp -s "$T/bare" "$T/run" || fail "$name: other output"
    counts=$(python3 "$T/check.py" "$T/traced.json" "$T/ran.json" $rename 2>&1) || { fail "$name: $(echo "$counts" | tail -n 1)"; continue; }
    read -r commands beside transfers megabytes <<< "$counts"
    [ "$beside" -ge 8 ] || fail "$name: only $beside commands beside the first stream"
    grep -q "^run: streams: $commands commands of" "$T/err" || fail "$name: $commands commands on streams: $(cat "$T/err")"
    awk -v n="$transfers" -v mb="$megabytes" '/through pinned memory/ && /^run:/ { got = $2 + $10; all = substr($4, 2) + substr($12, 2) }
        END { exit got != n || all - mb > .11 || mb - all > .11 }' "$T/err" || fail "$name: $transfers transfers, $megabytes MB staged: $(cat "$T/err")"
    clweave report "$T/ran.json" > "$T/report" || fail "$name: report"
    grep -q "^streams   $commands commands on .* streams, $beside of them beside" "$T/report" || fail "$name: no streams: $(cat "$T/report")"
    [ "$transfers" = 0 ] || grep -q "^staged    .* in $transfers transfers*, " "$T/report" || fail "$name: nothing staged: $(cat "$T/report")"
    clweave timeline "$T/ran.json" -o "$T/timeline.json" && grep -q '(in order), stream 2' "$T/timeline.json" || fail "$name: timeline"
    clweave report "$T/ran.json" --no-graph -o "$T/page.html" && grep -q '"streams":' "$T/page.html" || fail "$name: page"
    compared=$((compared + 1))
done
done_
