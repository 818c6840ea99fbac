# Launches that a policy shares run as it has planned: parts on the DSPs that the plan names, the bytes of a bare run, and on
# the virtual clock, where the CPU is modelled too, in the time that `clweave replay` predicts from a bare trace.
# Real time matters in one way only: a host that stands still for long has a window closed early, and so another plan. Such a run
# is repeated, four times at most, and all of this by the runner (75); bytes and parts are checked in each.
# SECONDS: 20
# COMPILER: shared
. test/devices/common.sh
export XDG_CACHE_HOME=$T/xdg; mkdir -p "$XDG_CACHE_HOME"
[ -x "$B/clweave-footprint" ] || { echo "kernels without models are not shared (clweave-footprint)"; exit 77; }
board="CLWEAVE_DSP=4 CLWEAVE_DEVICES=dsp CLWEAVE_DSP_CLOCK=virtual CLWEAVE_MANAGE_ALL=1 CLWEAVE_SUMMARY=1"
# reads a record: the groups of parts cover each cut launch once; prints how many launches were cut,
# and what all took
cat > "$T/parts.py" <<'END'
import json, sys
trace = json.load(open(sys.argv[1]))
shared = {}
for p in trace.get("parts", []):
    shared.setdefault(p["command"], []).append((p.get("first_group", 0), p["groups"], p["device"]))
for command, parts in shared.items():
    at = 0
    for first, groups, device in sorted(parts):
        assert first == at and groups > 0, (command, parts)
        at = first + groups
    assert len({p[2] for p in parts}) == len(parts) > 1, (command, parts)
    where = lambda list_: {(p.get("dim", 0), p.get("first_group", 0), p["groups"], p["device"]) for p in list_ if p["command"] == command}
    assert where(trace["plans"]) == where(trace["parts"]), (command, where(trace["plans"]), parts)
ran = [c for c in trace["commands"] if c.get("end_ns")]
print(len(shared), max(c["end_ns"] for c in ran) - min(c["queued_ns"] for c in ran))
END
for app in "blockmatmul 64" "mapreduce 4096 6" "featurefusion 96"; do
    want=$("$B/test/apps/"$app) || fail "$app: bare run failed"
    "$B/clweave" trace -o "$T/bare.json" -- "$B/test/apps/"$app > /dev/null 2>&1
    for policy in hdgeft hdgeft:cross-class,share-idle,water-filling; do
        planned=$("$B/clweave" replay "$T/bare.json" --platform hxdsp --kernels models --lp off --json -p $policy |
            sed -n 's/.*"makespan": *\([0-9.e+]*\).*/\1/p' | head -n 1)
        for attempt in 1 2 3 4 5; do
            got=$(under $board CLWEAVE_POLICY=$policy CLWEAVE_OUT="$T/ran.json" "$B/test/apps/"$app 2> "$T/err") || { cat "$T/err"; fail "$app under $policy failed"; }
            [ "$got" = "$want" ] || fail "$app under $policy: $got instead of $want"
            read -r cut ns < <(python3 "$T/parts.py" "$T/ran.json") || fail "$app under $policy: parts do not cover a launch"
            awk -v p="$planned" -v m="$ns" 'BEGIN { exit !(p > .9 * m && p < 1.1 * m) }' && break
            [ $attempt -lt 5 ] || too_busy "$app under $policy: took $ns ns, $planned were predicted, in each of $attempt runs"
        done
        grep -q "; $cut launches shared by the plan" "$T/err" || { [ "$cut" = 0 ] && ! grep -q 'shared by the plan' "$T/err"; } || { cat "$T/err"; fail "$app under $policy: $cut launches were cut, which is not what was planned"; }
        echo "$app $policy: $cut shared"
    done
done > "$T/out" || { cat "$T/out"; exit 1; }
for app in blockmatmul mapreduce featurefusion; do
    grep -q "^$app.* [1-9][0-9]* shared" "$T/out" || { cat "$T/out"; fail "no launch of $app was shared"; }
done
# heft shares nothing by itself, and nobody does where that is asked for
under $board CLWEAVE_POLICY=heft CLWEAVE_SHARE=off "$B/test/apps/blockmatmul" 2>&1 > /dev/null | grep -q ' 0 cut ' || fail "CLWEAVE_SHARE=off: something was shared"
