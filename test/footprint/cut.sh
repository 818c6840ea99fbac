#!/bin/bash
# Verdicts on cutting: cut.expect was reviewed by hand (the formulas are in kernels/*.expect), and held against traces and
# cut runs; falsified verdicts must be noticed. After a deliberate change: UPDATE=1 B=build T=FOLDER bash test/footprint/cut.sh,
# then read the diff.
# ALL=1: every sixth launch is run, else every twelfth.
# SLOW: ALL=1
# SECONDS: 20
set -u
. test/footprint/common.sh
bad=0
cutcheck() { python3 $here/cutcheck.py --footprint "$f" --runner "$B/test/footprint/runner" "$@"; }
python3 - $here/cut.json $here/own.json > "$T/all.json" <<'E2'
import json
import sys
json.dump([l for name in sys.argv[1:] for l in json.load(open(name))], sys.stdout)
E2
[ -n "${UPDATE:-}" ] && { touch $here/cut.expect; cutcheck --expect $here/cut.expect "$T/all.json" $here/kernels > /dev/null; cp "$T/cut.got" $here/cut.expect; }
cutcheck --expect $here/cut.expect "$T/all.json" $here/kernels > "$T/out" || { cat "$T/out"; bad=1; }
cutcheck "${oracle[@]}" --pocl --orders 2 --every $((${ALL:-0} ? 6 : 12)) $here/cut.json $here/kernels || bad=1
for rule in lie:columns lie:shifted merge:highest; do
    cutcheck "${oracle[@]}" --pocl --break ${rule%:*} --only ${rule#*:} $here/cut.json $here/kernels > "$T/broken"
    [ $? = 1 ] && grep -q "VIOLATION" "$T/broken" || { echo "verdicts broken by '$rule' passed"; cat "$T/broken"; bad=1; }
done
exit $bad
