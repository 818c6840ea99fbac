#!/bin/bash
# A program that keeps binaries in a cache of its own: what it built from source under run mode, or while it was recorded, is known
# again by the bytes, for all of its devices or the first, whatever options the binary is built with; the same bytes always, and a trace
# has the source and the options of that build. A build whose binary a callback fetches, other bytes, and those that were built without
# clweave, are not known, and the summary says so.
# SECONDS: 40
# COMPILER: shared
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
program=$(realpath "$B")/test/runmode/cached
eager='CLWEAVE_MANAGE_ALL=1'
export POCL_DEVICES='pthread basic'

# fresh NAME : an empty folder for the program, and one for clweave
fresh() { export CW_FOLDER=$T/own.$1 XDG_CACHE_HOME=$T/cache.$1; mkdir -p "$CW_FOLDER" "$XDG_CACHE_HOME"; }
# kernels of binaries that are not known, in the latest run
unknown() { sed -nE 's/^run: native: ([0-9]+) kernel of a binary.*/\1/p' "$T/summary"; }
known_all() { [ -z "$(unknown)" ] || fail "$1: $(unknown) launches of binaries that are not known: $(cat "$T/summary")"; managed 90; }
record() { "$B/clweave" trace -o "$T/trace.json" -- "$program" > "$T/run" 2> "$T/run.err" || fail "$1: $(cat "$T/run.err")"; cmp -s "$T/bare" "$T/run" || fail "$1: other output"; compared=$((compared + 1)); }
# shown : of each program of the latest trace the end of the options, where it has a source; then launches that write ranges
shown() {
    python3 - "$T/trace.json" << 'PY'
import json, sys
t = json.load(open(sys.argv[1]))
size = {m["id"]: m["size"] for m in t["memory"]}
parts = [c for c in t["commands"] if "kernel" in c and all(a["bytes"] < size[a["memory"]] for a in c.get("writes", []))]
print(*[p["options"][-7:] if "source" in p else "none" for p in t["programs"] if p["kind"] == "binary"], len(parts))
PY
}
is() { [ "$2" = "$3" ] || fail "$1: '$2', expected '$3'"; }

fresh off
bare "$program" || exit
in_run "$program" $eager CLWEAVE_FOOTPRINT=/nowhere # made without clweave, and not read
is "made without clweave" "$(unknown)" 112
cp "$program" "$T/darktable-cli"
mkdir -p "$XDG_CACHE_HOME/darktable/cached_v1_kernels_for_x"
in_run "$T/darktable-cli" $eager CLWEAVE_FOOTPRINT=/nowhere
grep -q "^run: native: .* -> delete $XDG_CACHE_HOME/darktable/cached_v1_kernels_for_x, the program's own cache" "$T/summary" || fail "no cache is named: $(cat "$T/summary")"
grep -q "^clweave: nothing to do: .*binaries.*: delete $XDG_CACHE_HOME/darktable" "$T/run.err" || fail "the last line: $(cat "$T/run.err")"

fresh run
in_run "$program" $eager
for way in '' CW_BARE_OPTIONS=1 'CLWEAVE_POLICY=chaos CLWEAVE_SEED=1' 'CLWEAVE_POLICY=chaos CLWEAVE_SEED=2'; do
    in_run "$program" $eager $way
    known_all "again $way"
done
record "recorded then"
# FAR=3 of the callback is the second build of the program before it, byte by byte
is "recorded then" "$(shown)" "-DFAR=1 include -DFAR=1 -DFAR=1 -DFAR=3 -DFAR=3 -DFAR=1 112"
(export CW_FIRST=1; bare "$program" && in_run "$program" $eager && [ -z "$(unknown)" ]) || fail "binaries of the first device alone: $(cat "$T/summary")"
# with a byte behind them they are no known program's
bare "$program" || exit
for device in 0 1; do printf x >> "$CW_FOLDER/built twice.$device"; done
in_run "$program" $eager CLWEAVE_FOOTPRINT=/nowhere # of which all others are known: nothing else is read
is "a byte more" "$(unknown)" 16

fresh trace
bare "$program" || exit
rm -r "$CW_FOLDER"; mkdir "$CW_FOLDER"
record "recorded first"
record "recorded again" # what reads a header, or was linked, run mode alone can know
is "recorded again" "$(shown)" "-DFAR=1 none none none -DFAR=3 -DFAR=3 -DFAR=1 64"
in_run "$program" $eager
is "recorded before" "$(unknown)" 48
# the program's sources stay private
rm -r "$CW_FOLDER" "$XDG_CACHE_HOME"; mkdir "$CW_FOLDER" "$XDG_CACHE_HOME"
"$B/clweave" trace --set no_sources=1 -o "$T/trace.json" -- "$program" > "$T/run" 2> "$T/run.err" || fail "no_sources: $(cat "$T/run.err")"
grep -rq FAR "$XDG_CACHE_HOME" && fail "--set no_sources=1 leaves sources in the cache"
# on one device, with streams
export POCL_DEVICES=pthread
fresh one
bare "$program" || exit
fresh streams
in_run "$program" CLWEAVE_STREAMS=force
in_run "$program" CLWEAVE_STREAMS=force
grep -q 'looked at do not show' "$T/run.err" && fail "streams know no binary: $(cat "$T/run.err")"
in_run "$program" CLWEAVE_STREAMS=force XDG_CACHE_HOME="$T/cache.one"
grep -q '^clweave: nothing to gain: 100 % of 56 launches looked at do not show' "$T/run.err" || fail "streams, not known: $(cat "$T/run.err")"
done_
