# Bytes that GPUs which share a stencil's launches move (libgpucl.so, as in gpus.sh): at --set exchange=1 the rows that the cut points
# need and no other, with margins as many rows more as launches follow without copies. By the copies in the recorded trace
# (halos.py), within 1 % of all.
# COMPILER: shared
. test/runmode/common.sh
export OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so GPUCL_ALONE=1
export POCL_DEVICES="pthread pthread pthread"
program=$B/test/bench/gpus_speed
"$program" jacobi 256 3 | grep hash > "$T/bare" || fail "gpus_speed jacobi"

# halos EXCHANGE [ROWS] : once more where the cut points changed at all launches, so that there is nothing to compare
halos() {
    for turn in 1 2 3 4; do
        CLWEAVE_MANAGE_ALL=1 "$B/clweave" run --quiet --devices gpu --set exchange="$1" -o "$T/trace.json" -- "$program" jacobi 256 3 > "$T/out" 2>&1
        grep hash "$T/out" | cmp -s - "$T/bare" || fail "--set exchange=$1: other output: $(cat "$T/out")"
        python3 test/runmode/halos.py "$T/trace.json" 256 1024 16 ${2:-} > "$T/halos" 2>&1 && break
        grep -q ' 0 foretold' "$T/halos" || { fail "--set exchange=$1: $(cat "$T/halos")"; break; }
    done
    grep -q ' 0 foretold' "$T/halos" && fail "--set exchange=$1: nothing to compare"
    compared=$((compared + 1))
}
halos 1
"$B/clweave" report "$T/trace.json" | grep -qE '^jacobi +1 .* of 16$' || fail "the report has no shares: $("$B/clweave" report "$T/trace.json")"
"$B/clweave" run --quiet --devices gpu -o "$T/trace.json" -- "$program" jacobi 256 2 > /dev/null 2>&1
# quick launches may all pass, and none is looked at
! grep -q '"whole":"it is short' "$T/trace.json" || "$B/clweave" report "$T/trace.json" | grep -qE '^jacobi +[0-9]+  it is short' ||
    fail "the report does not say why short launches are whole: $("$B/clweave" report "$T/trace.json")"
halos 8 8
halos auto 0
done_
