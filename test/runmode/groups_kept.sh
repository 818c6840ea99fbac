# What a run has measured of chains is kept: a later process knows which ways to run them were tried, builds the rewritten kernels
# while its program prepares its data, of binaries that earlier ones have kept, and a program that enqueues all of its steps
# at once forms a chain in its first window. Nor is a plan made again that has gained nothing, or anything built for it.
# SECONDS: 25
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
log=$T/log ways=0
run() { at_once CLWEAVE_GROUPS=on CLWEAVE_HISTORY="$T/kept/history.db" "$@"; }
chains() { sed -n 's/^run: groups: \([0-9]*\) chains of .*/\1/p' "$T/summary"; }
measured() { sed -n 's/.*groups: earlier runs have measured \([0-9]*\) ways.*/\1/p' "$log" | head -n 1; }
mkdir -m 700 "$T/kept"

# all PROGRAM ARGUMENT... : what `at_once` runs: it enqueues all it has at once and verifies nothing, so that its chains are long
# on a busy machine, too
all() {
    command=("$B/test/apps/stencil/$1" "${@:2}" 0 0)
    "${command[@]}" > "$T/bare" 2> "$T/bare.err" || fail "$*: $(cat "$T/bare.err")"
}
at_once() { # VARIABLE=VALUE...
    rm -f "$log"
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_DEVICES=cpu,basic:2 CLWEAVE_LOG=debug:"$log" CLWEAVE_BUILDER=wait "$@" \
        timeout 240 "${command[@]}" > "$T/run" 2> "$T/run.err" || fail "${command[*]}: $(tail -n 3 "$T/run.err")"
    grep '^run: ' "$T/run.err" > "$T/summary"
    cmp -s "$T/bare" "$T/run" || fail "${command[*]}: other output" # stderr says how long it took
    compared=$((compared + 1))
}

all flat five 512 768 12
for n in $(seq 8); do # a busy machine closes windows early: other chains, of which other things are known, or none
    rm -rf "$T/kept"; mkdir -m 700 "$T/kept"
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
    [ "$ways" -ge 2 ] && [ $formed -ge 3 ] && [ $early -ge 1 ] && [ $binaries -ge 1 ] && break
done
echo "of $n runs $formed formed chains, $early built early, $binaries of kept binaries; $ways ways to run one are known"
[ "$ways" -ge 2 ] && [ $formed -ge 3 ] && [ $early -ge 1 ] || fail "what was measured is not kept"
[ $binaries -ge 1 ] || fail "rewritten programs are built of their source again and again"

# a plan that gains nothing is made once: later processes know it. Nobody has built anything for it
found=0 built=0 again=0
mkdir -m 700 "$T/other"
all flat five 512 768 12
# waits for the models, as above: where another test runs beside it, the program may end sooner than they are there, each time
at_once CLWEAVE_GROUPS=off CLWEAVE_SHARE=off CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY="$T/other/history.db"
for n in $(seq 24); do # a busy machine may still cut the chain in two
    at_once CLWEAVE_GROUPS=on CLWEAVE_GROUP_TILE=4:4 CLWEAVE_SHARE=off CLWEAVE_HISTORY="$T/other/history.db"
    grep -q 'plain: .* every launch needs all' "$T/summary" && found=1
    built=$((built + $(grep -c 'a rewritten program' "$log")))
    grep -q 'plain: .* earlier runs have found that nothing is gained' "$T/summary" && again=1 && break
done
echo "of $n runs the last knew that nothing is gained"
[ $found = 1 ] && [ $again = 1 ] || fail "what gains nothing is not kept: $found, $(grep groups "$T/summary")"
[ $built = 0 ] || fail "$built rewritten programs were built for what gains nothing"

# a plan of many tiles is made once for the ways that were measured; where their memory lies does not matter (ASLR)
kept=0
all flat five 512 2048 12
for n in $(seq 24); do # likewise
    at_once CLWEAVE_GROUPS=on CLWEAVE_GROUP_TILE=8:64 CLWEAVE_HISTORY="$T/kept/history.db"
    kept=$(grep -c 'groups: a plan of [0-9]* tiles that an earlier run has kept' "$log")
    [ "$kept" = 0 ] || break
done
echo "of $n runs the last has had a plan that was kept"
[ "$kept" -ge 1 ] || fail "plans are made again and again"

# a full window of 64 and the rest of 63 are of one kind, of which things are measured together
together=
mkdir -m 700 "$T/lengths"
all flat five 512 768 127
at_once CLWEAVE_GROUPS=off CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY="$T/lengths/history.db" # likewise
for n in $(seq 24); do # a busy machine may close windows earlier
    at_once CLWEAVE_GROUPS=on CLWEAVE_GROUP_TILE=64:512 CLWEAVE_HISTORY="$T/lengths/history.db"
    [ "$n" -gt 1 ] && grep -q '^run: groups: 2 chains of 127 ' "$T/summary" &&
        together=$(grep -c 'groups: earlier runs have measured' "$log") && break
done
echo "of $n runs the last has had chains of 64 and 63"
[ "$together" = 1 ] || fail "chains of 64 and 63 are measured apart: $(grep 'groups: earlier runs' "$log")"

# another order of tiles, other devices: nothing of that is known
all flat five 512 768 12
run CLWEAVE_GROUP_RULE=max; [ -z "$(measured)" ] || fail "what one rule takes is taken for the other's"
run CLWEAVE_HISTORY=off; grep -q 'earlier runs' "$log" && fail "without a history something is known"
for n in $(seq 8); do # a bound on reuse that no group keeps
    run CLWEAVE_GROUP_REUSE=1000
    [ "$(chains)" = 0 ] || { fail "--group-reuse 1000 is kept"; break; }
    grep -q 'plain: .* groups of it touch their data too seldom' "$T/summary" && break
done
grep -q 'plain: .* groups of it touch their data too seldom' "$T/summary" || fail "--group-reuse: $(grep groups "$T/summary")"
for n in $(seq 8); do # one that they keep: it is not mistaken for the other
    run CLWEAVE_GROUP_REUSE=1.2
    [ "$(chains)" -ge 1 ] && break
done
[ "$(chains)" -ge 1 ] || fail "--group-reuse 1.2: $(grep groups "$T/summary")"

# measured_in_vain : on a busy machine a run may find so, and later ones do not try again
measured_in_vain() { grep -qE 'plain: .* (earlier runs have found that nothing is gained|its launches wait for other things than memory)' "$T/summary"; }
# forgets : nothing is known but the models
forgets() {
    rm -rf "$T/learnt"; mkdir -m 700 "$T/learnt"
    at_once CLWEAVE_GROUPS=off CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY="$T/learnt/history.db" # likewise
}
# learns PATTERN PROGRAM ARGUMENT... : not asked for, launches become groups once enough is known; the summary of a run has a line
# like that. Their arrays are larger than the cache that they are told to use
learns() {
    local pattern=$1 vain=; shift
    all "$@"
    forgets
    for n in $(seq 32); do
        at_once CLWEAVE_GROUPS=auto CLWEAVE_GROUP_TILE=64:1024 CLWEAVE_HISTORY="$T/learnt/history.db"
        grep -qE "^run: groups: .*$pattern" "$T/summary" && break
        ! measured_in_vain || { vain=$(grep '^run: groups: plain' "$T/summary"); forgets; }
    done
    echo "$1: $n runs, the last with $(grep -oE '[0-9]+ chains of [0-9]+ launches' "$T/summary")"
    grep -qE "^run: groups: .*$pattern" "$T/summary" || { [ -n "$vain" ] && busy="$*: $vain"; } ||
        fail "$*: $(grep '^run: groups' "$T/summary")"
}

# a step number makes each launch one of its own, and of the first in a chain nothing was ever measured; all but the first one,
# which goes to the device at once, are in groups nevertheless; 16 of them as long as no group was measured
busy=
learns 'chains of (16|22|23|24) launches' paced 1024 1024 24

# launches that do not wait for memory: one plan, which later runs know, and nothing is built. Each alone: not even that
mkdir -m 700 "$T/slow"
all flat slow 768 256 12
at_once CLWEAVE_GROUPS=off CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY="$T/slow/history.db" # likewise
slow=0 again=0 built=0
for n in $(seq 24); do # likewise
    at_once CLWEAVE_GROUP_TILE=16:64 CLWEAVE_HISTORY="$T/slow/history.db"
    grep -q 'plain: .* its launches wait for other things than memory' "$T/summary" && slow=1
    built=$((built + $(grep -c 'a rewritten program' "$log")))
    grep -q 'plain: .* earlier runs have found that nothing is gained' "$T/summary" && again=1 && break
done
echo "of $n runs the last knew that memory is not what its launches wait for"
[ $slow = 1 ] && [ $again = 1 ] && [ $built = 0 ] || fail "slow: $slow, $again, $built built; $(grep groups "$T/summary")"
command=("$B/test/apps/stencil/flat" five 1024 1024 8 1 0)
"${command[@]}" > "$T/bare" 2> "$T/bare.err" || fail "$(cat "$T/bare.err")"
at_once CLWEAVE_GROUPS=off CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY="$T/slow/history.db"
at_once CLWEAVE_GROUP_TILE=16:64 CLWEAVE_HISTORY="$T/slow/history.db"
grep '^run: groups: plain' "$T/summary" && fail "a launch that is waited for was looked at as a chain"

[ -z "$busy" ] || [ $failures != 0 ] || { echo "$busy"; exit 75; }
done_
