#!/bin/bash
# dot.sh - graphs in graphviz's language: clweave reads what graphviz reads in them, also after graphviz has written them again.
. test/cli/common.sh

# Two subgraph statements of one name are one subgraph: d waits for the chain a, b.
echo 'digraph { node [cost=1]; subgraph s { a -> b [data=100]; } subgraph s { c } -> d; }' > "$T/subgraph.dot"
expect dot_subgraph 0 clweave replay "$T/subgraph.dot" --processors 2 -p heft
printf 'digraph {\n node [cost=1]\n a -> b\n b -> b\n}\n' > "$T/self.dot"
expect dot_self 1 clweave replay "$T/self.dot"
echo 'digraph { node [cost=1]; 2a -> 3b }' > "$T/touch.dot"
expect dot_touch 1 clweave replay "$T/touch.dot"

# byte order marks, in each format
printf '3\n0 0 0\n1 4 1 0\n2 5 1 1\n3 6.5 2 1 2\n4 0 1 3\n' > "$T/g.stg"
mkdir "$T/plain" "$T/marked"
for format in json dot stg wfformat.json; do
    f=g.$format
    clweave graph "$T/g.stg" -o "$T/plain/$f" || fail "$format: not written"
    { printf '\xef\xbb\xbf'; cat "$T/plain/$f"; } > "$T/marked/$f"
    for kind in plain marked; do clweave graph "$T/$kind/$f" -o "$T/$kind/read.json" || fail "$format, $kind: not read"; done
    cmp "$T/plain/read.json" "$T/marked/read.json" || fail "$format: a byte order mark changes what is read"
done
{ printf '\xef\xbb\xbf'; cat test/fuzz/blockmatmul.json; } > "$T/trace.json"
clweave graph "$T/trace.json" > "$T/marked.out" && clweave graph test/fuzz/blockmatmul.json | diff - "$T/marked.out" ||
    fail "a byte order mark changes a trace"

if ! command -v gvpr > /dev/null || ! command -v dot > /dev/null; then echo "no graphviz: not compared with it"; finish; fi

# What clweave writes is the same graph behind one pass of dot, which names every node \N.
cat > "$T/labels.dot" << 'END'
digraph "a graph" { node [cost=1]; x -> y [data=3]; z [label="q \"z\" \\N\nsecond line"]; w [label="\N of \G"]; y -> z -> w }
END
mkdir "$T/again"
for f in labels subgraph; do
    clweave graph "$T/$f.dot" -o "$T/plain/$f.json"
    dot -Tdot "$T/$f.dot" > "$T/again/$f.dot"
    clweave graph "$T/again/$f.dot" -o "$T/again/$f.json"
    clweave graph "$T/$f.dot" -o "$T/plain/$f.dot"
    clweave graph "$T/plain/$f.dot" -o "$T/again/written.json"
    cmp "$T/plain/$f.json" "$T/again/$f.json" || fail "$f: dot made another graph of it"
    cmp "$T/plain/$f.json" "$T/again/written.json" || fail "$f: written and read it is another graph"
done
grep -q '"name":"w of a graph"' "$T/plain/labels.json" && grep -q '"name":"x"' "$T/again/labels.json" || fail "other names"

python3 test/cli/dot_random.py clweave "$T" "${DOT_SEEDS:-150}" || fail "a graph that graphviz reads otherwise"
finish
