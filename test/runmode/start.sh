# When helpers begin: never in a program that is soon over, at once where it is asked for or earlier runs gained; what is kept
# of earlier runs is small, private, and believed only when it makes sense.
# SLOW: START_GAINS=1 ALL=1
# SECONDS: 30
. test/runmode/common.sh
program=$B/test/bench/run_speed records=$T/kept/programs
export RUN_SPEED_REST=1
[ -x "$program" ] || { echo "run_speed is not built"; exit 77; }
mkdir -m 700 "$T/kept"

declare -A hash
# go ROUNDS VARIABLE=VALUE... : chatty with so many launches; the summary is left in $T/summary
go() {
    local rounds=$1; shift
    [ -n "${hash[$rounds]:-}" ] || hash[$rounds]=$("$program" chatty "$rounds" | grep -o 'hash=.*')
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_HISTORY="$T/kept/history.db" "$@" timeout 240 "$program" chatty "$rounds" \
        > "$T/run" 2> "$T/run.err" || fail "chatty $rounds $*: exit status $?: $(tail -n 3 "$T/run.err")"
    grep '^run: ' "$T/run.err" > "$T/summary"
    [ "$(grep -o 'hash=.*' "$T/run")" = "${hash[$rounds]}" ] || fail "chatty $rounds $*: other bytes"
    compared=$((compared + 1))
}
state() { grep -q "^run: helpers $1" "$T/summary" || fail "helpers should be '$1': $(grep '^run: helpers' "$T/summary")"; }

# PoCL starts a device the longer the more processors there are, so that many of them leave no time for one.
# soon over: nothing begins, nothing but the record is left behind, which is not written again and again. What is short is said in
# time (half of CW_RUNS_BEGIN_NS; ten launches take .4 ms), so a series in which the machine was held up counts for nothing.
was_short() { awk '/ms of work in all/ { sub(/ ms of work in all.*/, ""); sub(/.* /, ""); exit !($0 + 0 < 2) }' "$T/summary"; }
soon_over() {
    rm -rf "$T/kept"; mkdir -m 700 "$T/kept"
    for i in 1 2 3; do
        go 10 CLWEAVE_LOG=debug
        was_short || return
        state 'not needed'
        grep -q "PoCL: .* 0 hidden" "$T/run.err" && hidden=no || hidden=yes
        [ "$hidden" = "$([ $i = 3 ] && echo no || echo yes)" ] || [ "$hidden$(($(nproc) > 4))" = no1 ] || fail "run $i of a short program: hidden devices: $hidden; a third one needs none"
        [ "$(count moved)" = 0 ] || fail "a short program's launches were moved"
    done
}
for attempt in $(seq 20); do soon_over && break; done
was_short || too_busy "ten launches take 2 ms and more in each of $attempt series"
[ "$(ls "$T/kept" | tr '\n' ' ')" = 'builds programs requests ' ] || fail "a short program leaves behind: $(ls "$T/kept")"
[ "$(ls "$records" | wc -l)" = 1 ] || fail "records: $(ls "$records")"
record=$records/$(ls "$records")
[ "$(stat -c %a "$record" "$records" | tr '\n' ' ')" = '600 700 ' ] || fail "modes of the record: $(stat -c '%a %n' "$record" "$records")"
for attempt in $(seq 20); do # a time that is half as long again is news
    before=$(stat -c %z "$record")
    go 10
    [ "$(stat -c %z "$record")" != "$before" ] || break
done
[ "$(stat -c %z "$record")" = "$before" ] || too_busy "the record was written again in each of $attempt runs"

# asked for
for how in CLWEAVE_DEVICES=basic CLWEAVE_POLICY=dm CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos CLWEAVE_DSP=1; do
    go 10 $how
    state 'at once: asked for'
done

# long, and it gains: begun later, then at once. What is gained depends on the machine and on what else runs there: only by
# START_GAINS=1
[ -z "${START_GAINS:-}" ] || export CLWEAVE_LEARN=all # nobody waits until the runs have lived for long enough
if [ -n "${START_GAINS:-}" ]; then
    go 20000
    state 'begun later'
    [ "$(count moved)" -gt 0 ] || fail "a long chatty program's launches stay at home: $(cat "$T/summary")"
    go 20000
    state 'held back'
    [ "$(count moved)" = 0 ] || fail "a run that is to show what it takes without helpers has moved $(count moved) launches"
    for i in 1 2 3 4 5 6; do # those in which something is built do not count
        go 20000
        state 'at once: earlier runs'
        grep -q '^run: helpers at once: earlier runs gained' "$T/summary" && break
    done
    state 'at once: earlier runs gained'
    # the helpers' copies come while the first windows are planned: what was decided without them must not last
    for i in 1 2 3 4 5 6 7 8; do
        go 20000
        [ "$(count moved)" -gt 10000 ] || fail "only $(count moved) of 20000 launches went to helpers, in run $i"
    done
fi

# one program, one long window, a fresh history: a launch is tried on a helper, whose first launch of a kind shows nothing, so
# another one is; what the window still holds is decided when they have shown what they take
chains() {
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_BUILDER=wait CLWEAVE_HISTORY="$T/kept/chains.db" "$@" timeout 240 "$program" chains8 > "$T/run" 2> "$T/run.err" ||
        fail "chains8 $*: exit status $?: $(tail -n 3 "$T/run.err")"
    grep '^run: ' "$T/run.err" > "$T/summary"
    [ "$(grep -o 'hash=.*' "$T/run")" = "$("$program" chains8 | grep -o 'hash=.*')" ] || fail "chains8 $*: other bytes"
    compared=$((compared + 1))
}
tried() { local n; n=$(grep -o '[0-9]* launches tried' "$T/summary"); echo $((${n%% *} + 0)); }
for i in $(seq 30); do # a host that stands still shows nothing either: from time to time a fresh history again
    [ $((i % 6)) != 1 ] || rm -f "$T"/kept/chains.db*
    chains CLWEAVE_DEVICES=basic:2
    [ "$(tried)" -lt 2 ] || break
done
[ "$(tried)" -ge 2 ] || too_busy "no run tried a launch twice: $(cat "$T/summary")"
if [ -n "${START_GAINS:-}" ]; then
    rm -f "$T"/kept/chains.db*
    for i in 1 2 3 4 5 6 7 8; do
        chains
        [ "$(count moved)" -lt 100 ] || break
    done
    [ "$(count moved)" -ge 100 ] || fail "chains8 has not learnt in $i runs: $(cat "$T/summary")"
fi

# helpers for which PoCL's start takes longer than they gain (as on hosts of many processors, where it looks at the topology
# for each) are no gain
cat > "$T/slow.c" <<'END'
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int hwloc_topology_load(void *topology)
{
    void *library = dlopen("libhwloc.so.15", RTLD_LAZY | RTLD_NOLOAD); /* PoCL's own, which no search from here finds */
    int (*load)(void *) = (int (*)(void *))dlsym(library, "hwloc_topology_load");
    close(open(getenv("SLOWED"), O_CREAT | O_WRONLY, 0600));
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    return load(topology);
}
END
${CC:-cc} -std=gnu11 -shared -fPIC -o "$T/slow.so" "$T/slow.c" || fail "slow.c does not compile"
export CLWEAVE_LEARN=all # the builds of the first trial
usual=$shim shim=$T/slow.so:$shim tries=0 longest=0
for i in $(seq $((${ALL:+4} + 5))); do
    go 2000 SLOWED="$T/slowed"
    tries=$((tries + $(grep -c 'earlier runs were long enough to try' "$T/summary")))
    grep -q 'earlier runs gained' "$T/summary" && [ "$longest" -ge 400 ] && too_busy "2000 launches take $longest ms, in which helpers for .4 s may gain"
    work=$(sed -n 's/.* \([0-9]*\)\.[0-9]* ms of work in all.*/\1/p' "$T/summary")
    [ "${work:-0}" -le "$longest" ] || longest=$work
    ! grep -q 'earlier runs gained' "$T/summary" ||
        fail "run $i, of .1 s, begins with helpers for which PoCL takes .4 s: $(cat "$T/summary")"
done
shim=$usual
[ -e "$T/slowed" ] || fail "PoCL's start was not slowed down"
[ $tries -ge 1 ] || fail "helpers were tried in none of these runs"
unset CLWEAVE_LEARN

# learning is off: nothing is built, and nothing asked for
rm -rf "$T/kept"; mkdir -m 700 "$T/kept"
for i in $(seq 6); do
    go 4000 CLWEAVE_LEARN=off
    ! grep -q 'builds took [1-9]' "$T/summary" || fail "CLWEAVE_LEARN=off has built: $(cat "$T/summary")"
done
[ ! -e "$T/kept/requests" ] || fail "CLWEAVE_LEARN=off has asked for builds: $(ls "$T/kept/requests")"

# the first run asks the builder for what the third one loads; then helpers have run launches
rm -rf "$T/kept"; mkdir -m 700 "$T/kept"
for i in $(seq 24); do
    go 4000 CLWEAVE_BUILDER=wait
    [ "$(count moved)" = 0 ] || break
done
grep -q ': made, ' "$T/kept/requests/log" || fail "the builder has made nothing: $(cat "$T/kept/requests/log")"
[ "$(count moved)" -gt 0 ] || too_busy "in $i runs no launch went to a helper: $(cat "$T/summary")"
echo "launches were moved in run $i"

# the line at the end
grep -q '^clweave: ' "$T/run.err" || fail "no verdict: $(cat "$T/run.err")"
go 10 CLWEAVE_QUIET=1
! grep -q '^clweave: ' "$T/run.err" || fail "a verdict, despite --quiet"

# without a place for records
go 10 CLWEAVE_HISTORY=off
! was_short || state 'not needed'

# one record, bounded, whatever the arguments
for i in $(seq 40); do LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_HISTORY="$T/kept/history.db" "$program" chatty $((i + 20)) > /dev/null; done
[ "$(ls "$records" | wc -l)" = 1 ] || fail "records: $(ls "$records")"
[ "$(stat -c %s "$record")" -lt 16384 ] || fail "the record has $(stat -c %s "$record") bytes"

# damaged in any place: as if there were none, and mended
for at in 0 ${ALL:+8 20} 40 500; do
    record=$records/$(ls "$records")
    head -c 16 /dev/urandom | dd of="$record" bs=1 seek=$at conv=notrunc 2> /dev/null
    go 10
    ! was_short || state 'not needed'
done
: > "$record"
go 10
! was_short || state 'not needed'
done_
