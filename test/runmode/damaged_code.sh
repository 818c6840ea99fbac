# The file that holds the vendor's code for a helper's launches is there and cannot be loaded: made again it would be the same. It is
# tried by the launches of one batch at most, nothing is asked of a compiler or the builder, and the launches run at home.
# SECONDS: 10
. test/runmode/common.sh
noise="^(run|clweave)" # what it says at CLWEAVE_LOG=debug, too
program=$T/nbody cache=$T/cache
printf '#!/bin/sh\nexec "%s" 8 64 60\n' "$B/test/apps/nbody" > "$program"; chmod +x "$program"
export POCL_CACHE_DIR=$T/pocl CLWEAVE_HISTORY=$cache/history.db CLWEAVE_DEVICES=basic CLWEAVE_LEARN=all
mkdir -m 700 "$cache"
bare "$program" || done_
code() { cat "$cache"/compiled/* 2> /dev/null | grep -aoE '/[[:print:]]+\.so'; }
for i in {1..20}; do [ -n "$(code)" ] || in_run "$program" CLWEAVE_BUILDER=wait; done # until helpers have had launches
files=$(code)
[ -n "$files" ] || too_busy "no launch of $i runs was a helper's"
for f in $files; do echo garbage > "$f"; done
for how in CLWEAVE_LEARN=all CLWEAVE_LEARN=auto; do
    in_run "$program" CLWEAVE_LOG=debug $how
    tries=$(grep -c 'was not compiled beside the program' "$T/run.err")
    [ "$tries" -le 256 ] || fail "$how: tried $tries times"
    [ -z "$(find "$cache/requests" -name '????????????????????????????????')" ] || fail "$how: the builder is asked for it"
done
done_
