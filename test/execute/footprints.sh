# The graph of launches that share one buffer, with footprints and without: which bytes an edge is about, what is side by
# side, and that every order which the finer graph allows gives the same bytes.
. test/execute/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
chain() { "$cli" graph "$1" | sed -n 's/^longest chain of binding edges: \([0-9]*\) of.*/\1/p'; }

"$cli" trace --footprints off --capture-data -o "$T/whole.json" -- "$B/test/apps/onebuffer" 10 > /dev/null 2>&1 || fail "trace without footprints"
"$cli" trace --capture-data -o "$T/bytes.json" -- "$B/test/apps/onebuffer" 10 > /dev/null 2>&1 || fail "trace with footprints"
[ "$(chain "$T/whole.json")" = 134 ] || fail "whole buffers: the longest chain has $(chain "$T/whole.json") commands, not all 134"
[ "$(chain "$T/bytes.json")" -le 60 ] || fail "footprints: the longest chain has $(chain "$T/bytes.json") commands"
equal bytes 100
wrong bytes

# a band of the stencil (commands 21 to 100, eight per step) gets 2048 bytes of its own band of the step before, and one word
# from either neighbour
edges() { "$cli" graph "$T/bytes.json" --command "$1" | sed -n "s/^after \([0-9]*\): data $2 of memory 0, \([0-9]*\) bytes.*/\1:\2/p" | tr '\n' ' '; }
middle=$(edges 40 RAW)
[ "$middle" = "31:4 32:2048 33:4 " ] || fail "a band in the middle waits for: $middle"
first=$(edges 37 RAW)
[ "$first" = "29:2048 30:4 " ] || fail "the first band waits for: $first"

# a JSON trace's graph can be built either way
"$cli" graph --footprints on "$T/whole.json" --json > "$T/a" && "$cli" graph "$T/bytes.json" --json | diff - "$T/a" > /dev/null || fail "graph --footprints on gives another graph"
"$cli" graph --footprints off "$T/bytes.json" --json > "$T/a" && "$cli" graph "$T/whole.json" --json | diff - "$T/a" > /dev/null || fail "graph --footprints off gives another graph"
# without the helper (and its store) it is whole buffers
XDG_CACHE_HOME=$T/empty CLWEAVE_FOOTPRINT=/nowhere "$cli" graph --footprints on "$T/whole.json" --json | diff - "$T/a" > /dev/null || fail "no helper: another graph than with whole buffers"
echo "longest chain: $(chain "$T/whole.json") with whole buffers, $(chain "$T/bytes.json") with footprints"
# launches that meet in counts by atomics alone commute: no edge joins two of them (memory 3), and each binds the read at the end
"$cli" trace --capture-data -o "$T/counts.json" -- "$B/test/apps/patches" 6 > /dev/null 2>&1 || fail "trace of patches"
counts() { "$cli" graph "$T/counts.json" --command "$1" | grep -c "^after .*: data [A-Z]* of memory 3"; }
[ "$(counts 4) $(counts 16) $(counts 19)" = "0 0 6" ] || fail "counts: $(counts 4), $(counts 16) and $(counts 19) edges"
grep -q '"commutes"' "$T/counts.json" && grep -q '"sure":true' "$T/counts.json" || fail "the trace does not say what commutes, or is sure"
equal counts 50
wrong counts
# images: bands and stripes are apart by their pixels, and the scratch image is surely overwritten by each frame, so it may have versions
"$cli" trace --capture-data -o "$T/frames.json" -- "$B/test/apps/frames" 6 > "$T/a" 2>&1; status=$?
[ $status = 77 ] && { tail -n 1 "$T/a"; exit 0; }
[ $status = 0 ] || fail "trace of frames"
"$cli" graph "$T/frames.json" > "$T/a"
used=$(sed -n 's/^memory that is used again makes \([0-9]* of its [0-9]* steps\).* by memory 1: \(.*\) times as short.*/\1: \2/p' "$T/a")
[ "$(chain "$T/frames.json") $used" = "14 5 of its 13 steps: 1.8, 2.3, 3.5, 3.5" ] || fail "frames: $(cat "$T/a")"
stripes() { "$cli" graph "$T/frames.json" --command "$1" | grep -c "^\(after\|before\) [0-9]*: data"; }
[ "$(stripes 17) $(stripes 18)" = "1 1" ] || fail "a stripe has $(stripes 17) and $(stripes 18) data edges, not that to its read alone"
equal frames 50
wrong frames
