# What a run has measured of chains is kept: a later process knows which ways to run them were tried, builds the rewritten kernels
# while its program prepares its data, of binaries that earlier ones have kept, and a program that enqueues all of its steps
# at once forms a chain in its first window. Nor is a plan made again that has gained nothing, or anything built for it.
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
printf '#!/bin/sh\nexec "%s"/test/apps/stencil/flat five 512 768 12\n' "$B" > "$T/program"
chmod +x "$T/program"
bare "$T/program" || exit 77
log=$T/log ways=0
run() { rm -f "$log"; in_run "$T/program" CLWEAVE_GROUPS=on CLWEAVE_DEVICES=cpu,basic:2 CLWEAVE_HISTORY="$T/kept/history.db" CLWEAVE_LOG=debug:"$log" "$@"; }
chains() { sed -n 's/^run: groups: \([0-9]*\) chains of .*/\1/p' "$T/summary"; }
measured() { sed -n 's/.*groups: earlier runs have measured \([0-9]*\) ways.*/\1/p' "$log" | head -n 1; }
mkdir -m 700 "$T/kept"

for n in $(seq 8); do # a busy machine closes windows early: other chains, of which other things are known, or none
    rm -f "$T/kept/"*
    run CLWEAVE_MANAGE_ALL=1 # waits for the models, which later ones find
    [ "$(chains)" -ge 1 ] && break
done
[ "$(chains)" -ge 1 ] || fail "no chain"
grep -q 'earlier runs' "$log" && fail "a first run knows what earlier ones had"
formed=0 early=0 binaries=0
for n in $(seq 16); do # likewise
    run
    [ "$(chains)" -ge 1 ] && formed=$((formed + 1))
    grep -q 'groups: rewritten kernels are built early' "$log" && early=$((early + 1))
    grep -q 'a rewritten program for .* is what an earlier run has kept' "$log" && binaries=$((binaries + 1))
    known=$(measured); [ "${known:-0}" -gt "$ways" ] && ways=$known
    [ "$ways" -ge 3 ] && [ $formed -ge 3 ] && [ $early -ge 1 ] && [ $binaries -ge 1 ] && break
done
echo "of $n runs $formed formed chains, $early built early, $binaries of kept binaries; $ways ways to run one are known"
[ "$ways" -ge 3 ] && [ $formed -ge 3 ] && [ $early -ge 1 ] || fail "what was measured is not kept"
[ $binaries -ge 1 ] || fail "rewritten programs are built of their source again and again"

# a plan that gains nothing is made once: later processes know it. Nobody has built anything for it
found=0 built=0
mkdir -m 700 "$T/other"
for n in $(seq 16); do # likewise
    run CLWEAVE_GROUP_TILE=4:4 CLWEAVE_SHARE=off CLWEAVE_HISTORY="$T/other/history.db"
    grep -q 'plain: .* every launch needs all' "$T/summary" && found=1
    built=$((built + $(grep -c 'a rewritten program' "$log")))
    grep -q 'plain: .* earlier runs have found that nothing is gained' "$T/summary" && break
done
[ $found = 1 ] && grep -q 'earlier runs have found that nothing is gained' "$T/summary" || fail "what gains nothing is not kept"
[ $built = 0 ] || fail "$built rewritten programs were built for what gains nothing"

# a plan of many tiles is made once for the ways that were measured; where their memory lies does not matter (ASLR)
printf '#!/bin/sh\nexec "%s"/test/apps/stencil/flat five 512 2048 12\n' "$B" > "$T/program"
bare "$T/program" || exit 77
kept=0
for n in $(seq 48); do # chains of any length, until one comes again
    run CLWEAVE_GROUP_TILE=8:64 CLWEAVE_HISTORY="$T/kept/history.db"
    kept=$(grep -c 'groups: a plan of [0-9]* tiles that an earlier run has kept' "$log")
    [ "$kept" = 0 ] || break
done
echo "of $n runs the last has had a plan that was kept"
[ "$kept" -ge 1 ] || fail "plans are made again and again"
printf '#!/bin/sh\nexec "%s"/test/apps/stencil/flat five 512 768 12\n' "$B" > "$T/program"
bare "$T/program" || exit 77

# another order of tiles, other devices: nothing of that is known
run CLWEAVE_GROUP_RULE=max; [ -z "$(measured)" ] || fail "what one rule takes is taken for the other's"
run CLWEAVE_HISTORY=off; grep -q 'earlier runs' "$log" && fail "without a history something is known"
done_
