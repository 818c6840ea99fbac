#!/bin/bash
# same_bytes.sh - every sample, bare and in every way that clweave is used: the same output (it holds a hash of all that
# the program read back), the same exit status, and as many commands of each type in the trace as reached the vendor. Each sample
# has two ways, and one of the other seven in turn; ALL=1: all of them.
# SLOW: ALL=1
# SECONDS: 20
set -u
. test/shim/witness.bash
others=(preload preload:off layer tool:--device-times tool:--capture-data tool:--set=callsites=8 tool:--set=no_sources=1)
compared=0 turn=0

# compare NAME MODE: the run in $T/NAME/MODE against the one in $T/NAME/bare.
compare() {
    local name=$1 mode=$2 bare=$T/$1/bare this=$T/$1/$2 seen expected
    cmp -s "$bare/stdout" "$this/stdout" || fail "$name $mode: stdout differs: $(head -c 300 "$this/stdout")"
    cmp -s "$bare/status" "$this/status" ||
        fail "$name $mode: exit status $(cat "$this/status"), bare $(cat "$bare/status"): $(tail -n 3 "$this/stderr")"
    case $mode in
    preload* | layer) cmp -s "$bare/stderr" "$this/stderr" || fail "$name $mode: stderr: $(head -c 300 "$this/stderr")" ;;
    esac
    seen=$(in_traces "$this")
    expected=$(reached_vendor "$this")
    case $mode in
    preload:off) [ "$seen" = "no trace" ] || fail "$name $mode: left a trace" ;;
    run) ;;
    tool:--capture-data) # reading contents costs enqueues of its own: what the program enqueues is what it did bare
        [ "$seen" = "$(reached_vendor "$bare")" ] || fail "$name $mode: the trace has" $seen "; bare" $(reached_vendor "$bare") ;;
    *) [ "$seen" = "$expected" ] || fail "$name $mode: the trace has" $seen "; the vendor saw" $expected ;;
    esac
    compared=$((compared + 1))
}

for source in test/apps/*.c; do
    name=$(basename "$source" .c)
    [ "$name" = common ] && continue
    run_as bare "$T/$name/bare" "$B/test/apps/$name"
    status=$(cat "$T/$name/bare/status")
    if [ "$status" = 77 ]; then
        echo "$name: $(cat "$T/$name/bare/stdout")"
        continue
    fi
    [ "$status" = 0 ] || fail "$name alone: exit status $status: $(cat "$T/$name/bare/stderr")"
    [ "$(total_of "$(reached_vendor "$T/$name/bare")")" -gt 0 ] || fail "$name alone: nothing was enqueued"
    modes=("${others[@]}")
    [ -n "${ALL:-}" ] || modes=("${others[turn % 7]}")
    turn=$((turn + 1))
    for mode in tool run "${modes[@]}"; do
        run_as "$mode" "$T/$name/$mode" "$B/test/apps/$name"
        compare "$name" "$mode"
    done
done
echo "$compared runs compared, $failures differences"
[ $compared -gt 0 ] && [ $failures = 0 ]
