#!/bin/bash
# A child that makes threads before its first call: they all find that they are in a child, one of them starts its log.
. test/shim/common.sh
program fork_threads -lOpenCL
CLWEAVE_RUN=$(date +%s%N) CLWEAVE_MODE=trace CLWEAVE_OUT="$T/x.json" LD_PRELOAD=$shim "$T/fork_threads" 40 8 5 2> "$T/err" ||
    fail "exit status $?: $(cat "$T/err")"
[ ! -s "$T/err" ] || fail "$(cat "$T/err")"
for json in "$T"/x*.json; do
    echo "$(basename "$json") $(grep -o '"type":"CL_COMMAND_FILL_BUFFER"' "$json" | wc -l)"
done | sort -k2 -n > "$T/counts"
[ "$(wc -l < "$T/counts")" = 41 ] || fail "$(wc -l < "$T/counts") traces of 41 processes"
[ "$(cut -d' ' -f2 "$T/counts" | sort -n | uniq -c | tr -s ' ' | tr '\n' ,)" = " 1 5, 40 45," ] || fail "commands: $(cat "$T/counts")"
echo ok
