# common.sh - sourced by the tests of replay --execute: capture a program, run its trace again, expect it to be equal.
# Needs B (build folder) and T (scratch folder).
cli=$B/clweave
fail() { echo "FAIL: $*"; exit 1; }

# capture NAME COMMAND... - $T/NAME.json of a run with its data; the program must succeed.
capture() {
    local name=$1; shift
    "$cli" trace --capture-data -o "$T/$name.json" -- "$@" > "$T/$name.out" 2> "$T/$name.err" ||
        { tail -n 5 "$T/$name.out" "$T/$name.err"; fail "$name: the traced program failed"; }
    [ -s "$T/$name.json" ] || fail "$name: no trace"
}

# equal NAME ORDERS - trace order and ORDERS random orders give the captured bytes.
equal() {
    local out
    out=$("$cli" replay "$T/$1.json" --execute --order random --seed 1 --repeat "$2" 2> "$T/$1.err") ||
        { echo "$out"; tail -n 5 "$T/$1.err"; fail "$1: not bit-identical"; }
    echo "$1: $out"
    [[ $out == bit-identical:*"$2 random order"* ]] || fail "$1: no such summary"
}

# planned NAME - so does the order of a plan for the HXDSP board.
planned() {
    local out
    out=$("$cli" replay "$T/$1.json" --execute --order plan --policy hdgeft --dsp 4 2> "$T/$1.err") &&
        [[ $out == bit-identical:*"the plan's order"* ]] || { echo "$out"; tail -n 5 "$T/$1.err"; fail "$1: the plan"; }
}

# wrong NAME - with one data edge left out, the comparison fails, as it must.
wrong() {
    local out status
    out=$("$cli" replay "$T/$1.json" --execute --order drop:auto 2> "$T/$1.err"); status=$?
    echo "$1: ${out%%$'\n'*}"
    [ $status = 1 ] && [[ $out == *"left out: the edge from command"* ]] ||
        { tail -n 5 "$T/$1.err"; fail "$1: status $status: no edge was found that matters"; }
}
