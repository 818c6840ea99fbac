# graph and timeline on recorded traces: summary, dot, pictures, conversion, one command, large graphs.
. "$(dirname "$0")/common.sh"
trace=test/fuzz/blockmatmul.json

expect summary 0 clweave graph "$trace"
expect summary_json 0 clweave graph --json "$trace"
expect command 0 clweave graph "$trace" --command 10
expect dot 0 clweave graph "$trace" -f dot
expect dot_collapsed 0 clweave graph test/fuzz/events_ooo.json -f dot --collapse
expect dot_limited 0 clweave graph test/fuzz/events_ooo.json -f dot -n 8

# the paper's figure: two splits that nothing comes before, eight multiply-adds, one merge behind all of them
clweave graph "$trace" -o "$T/m.dot"
grep -c '<B>split</B>.*#[01]\b' "$T/m.dot" | grep -qx 2 || fail "not two splits"
grep -c '<B>multiply</B>.*32×32' "$T/m.dot" | grep -qx 8 || fail "not eight multiply-adds"
grep -qE -- '-> n[01] \[.*' <(grep -v 'style=dotted' "$T/m.dot") && fail "something binds a split"
[ "$(grep -cE -- '^  n[2-9] -> n10 ' "$T/m.dot")" = 8 ] || fail "the merge does not wait for all multiply-adds"
[ "$(grep -cE -- '^  n[01] -> n[2-9] ' "$T/m.dot")" = 16 ] || fail "the multiply-adds do not wait for both splits"

# writing what was read changes nothing
for f in test/fuzz/*.json; do
    clweave graph "$f" -o "$T/a.json" && clweave graph "$T/a.json" -o "$T/b.json" || fail "$f"
    cmp "$T/a.json" "$T/b.json" || fail "$f: a second copy differs from the first"
done
clweave graph "$trace" -f json | cmp - <(clweave graph "$trace" -o - -f json) || fail "-o - is not standard output"
cat "$trace" | clweave graph /dev/stdin | cmp - test/cli/expected/summary.out || fail "a pipe is read differently"

if command -v dot > /dev/null; then
    clweave graph "$trace" -o "$T/m.svg" || fail "svg"
    grep -q '</svg>' "$T/m.svg" && grep -q '>multiply<' "$T/m.svg" || fail "the picture has no multiply"
    clweave graph "$trace" -o "$T/m.png" || fail "png"
    [ "$(head -c 4 "$T/m.png" | tail -c 3)" = PNG ] || fail "not a PNG file"
fi
# a large graph is drawn by kinds
awk 'BEGIN { printf "{\"format\":\"clweave-trace\",\"version\":1,\"commands\":["
    for (i = 0; i < 2000; i++) printf "%s\n{\"id\":%d,\"type\":\"CL_COMMAND_MARKER\"}", i ? "," : "", i
    print "]}" }' > "$T/large.json"
if command -v dot > /dev/null; then
    expect large 0 clweave graph "$T/large.json" -o "$T/large.svg"
    [ "$(grep -c 'class="node"' "$T/large.svg")" = 1 ] || fail "markers are not one node"
    rm -f "$T/large.svg"
    clweave graph "$T/large.json" --limit 10 -o "$T/large.svg" 2> "$T/said" && [ "$(grep -c 'class="node"' "$T/large.svg")" = 10 ] ||
        fail "ten of many"
    [ ! -s "$T/said" ] || fail "asked for, and talked about: $(cat "$T/said")"
fi
clweave graph "$T/large.json" -o "$T/large.dot" || fail "dot of a large graph"
command -v dot > /dev/null && { clweave graph "$T/large.json" --collapse -o "$T/large.svg" || fail "collapsed picture"; }

expect timeline 0 clweave timeline "$trace"
clweave timeline "$trace" -o "$T/t.json" && cmp "$T/t.json" test/cli/expected/timeline.out || fail "timeline to a file"
ls "$T" | grep '\.tmp$' && fail "temporary files are left"
finish
