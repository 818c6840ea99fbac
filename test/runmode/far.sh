# Helpers with a memory of their own (--devices far:N, `basic` devices of PoCL whose buffers are their own): what a program prints
# bare, it prints where launches run on them by lot, where their memory is too small, where links and speeds are modelled, and where
# the memory of the program's own device is not the host's (far-home). Under chaos bytes that are not valid somewhere read as others
# there. Planted faults show: a copy that is left out, a write that is not noted, bytes that leave with the memory that alone had
# them, bytes that are not fetched although a command may leave them as they are, writes and copies ahead that do not wait for each
# other. ALL=1: more programs and seeds.
# SLOW: ALL=1 SEEDS=4
# SECONDS: 50
# COMPILER: shared
. test/runmode/common.sh

# moved : bytes went to devices' memories in the latest run, and came back
moved() { grep -qE '^run: memories: .* in [0-9]+ copies to devices, .* in [1-9][0-9]* back' "$T/summary" || fail "no bytes came back: $(cat "$T/summary")"; }
# ahead : copies were made before a command waited for them
ahead() { grep -qE '^run: memories: .*; [1-9][0-9]* copies ahead' "$T/summary" || fail "no copy was made ahead: $(cat "$T/summary")"; }
# cuts : launches were cut in the latest run
cuts() { grep -qE ', [1-9][0-9]* cut \(' "$T/summary"; }
# far PROGRAM DEVICES [SEEDS] : by lot
far() {
    local seed
    for seed in $(seq "${SEEDS:-${3:-1}}"); do
        in_run "$1" CLWEAVE_DEVICES="$2" CLWEAVE_POLICY=chaos CLWEAVE_SEED="$seed" CLWEAVE_MANAGE_ALL=1
    done
}
# caught PROGRAM DEVICES FAULT... : it prints something else with each; TRIES=n: with one of so many seeds
caught() {
    local program=$1 devices=$2 fault seed; shift 2
    for fault; do
        for seed in $(seq "${TRIES:-1}"); do
            env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_DEVICES="$devices" CLWEAVE_POLICY=chaos CLWEAVE_SEED="$seed" \
                CLWEAVE_MANAGE_ALL=1 CLWEAVE_FAULT=$fault timeout 240 "$program" > "$T/run" 2> "$T/run.err"
            compared=$((compared + 1))
            cmp -s "$T/bare" "$T/run" || break
        done
        grep -q "^run: fault $fault planted" "$T/run.err" || fail "$(basename "$program"): $fault was not planted: $(grep fault "$T/run.err")"
        cmp -s "$T/bare" "$T/run" && fail "$(basename "$program"): $fault was not noticed"
    done
}

for name in addresses chains8 edges mapreduce userevents_maps anything order natives waits ${ALL:+crowd filters idle}; do
    program=$B/test/runmode/$name
    [ -x "$program" ] || program=$B/test/apps/$name
    known "$program" || continue
    far "$program" far:2
    [ $name != chains8 ] || moved
    case $name in # the program's own device, too
    chains8) far "$program" far:1,far-home; moved ;;
    medley | natives | order) far "$program" far:1,far-home ;;
    *) [ -z "${ALL:-}" ] || far "$program" far:1,far-home ;;
    esac
done
# tiles of one launch in several memories
for name in jacobi tiles onebuffer; do
    known "$B/test/apps/$name" && far "$B/test/apps/$name" far:2 && cuts || fail "$name was not cut: $(cat "$T/summary")"
    far "$B/test/apps/$name" far:1,far-home
done
# launches that run at the same time and native commands; what devices refuse goes home with its bytes
known "$B/test/runmode/memories" && far "$B/test/runmode/memories" far:2 && far "$B/test/runmode/memories" far:2/us=20000 2 &&
    ahead && far "$B/test/runmode/memories" cpu/pace=2,far:2/speed=0.5/us=1000 &&
    far "$B/test/runmode/memories" far:1/us=20000,far-home &&
    for fault in refuse:18 refuse:20 refuse:22; do
        in_run "$B/test/runmode/memories" CLWEAVE_DEVICES=far:1 CLWEAVE_POLICY=chaos CLWEAVE_SEED=2 CLWEAVE_MANAGE_ALL=1 CLWEAVE_FAULT=$fault
        grep -q "fault $fault planted" "$T/summary" || fail "$fault was not planted"
    done
# buffers leave one device while a command on another writes bytes of theirs that it did not fetch
bare "$B/test/runmode/medley" &&
    in_run "$B/test/runmode/medley" CLWEAVE_DEVICES=far:2/us=2000/cap=40K CLWEAVE_POLICY=chaos CLWEAVE_SEED=10 CLWEAVE_MANAGE_ALL=1
bare "$B/test/apps/manybufs" && far "$B/test/apps/manybufs" far:2/cap=10K/gbps=5/us=20
if [ -n "${ALL:-}" ]; then
    for program in "$B"/test/apps/* "$B"/test/runmode/*; do
        [ -f "$program" ] && [ -x "$program" ] && [ "$(basename "$program")" != events_ooo ] && bare "$program" || continue
        far "$program" far:2
        far "$program" far:3/cap=100K,sub:2
        [ "$(basename "$program")" = overlaid ] || far "$program" far-home # it leans on a device that works in place
    done
fi
# until devices are measured they share by their theoretical peaks: this one's is six times that of one of the two units of home
known "$B/test/apps/tiles" && for turn in 1 2 3 4 5 6 7 8; do # a busy machine may cut nothing
    in_run "$B/test/apps/tiles" POCL_MAX_PTHREAD_COUNT=2 CLWEAVE_DEVICES=far:1/speed=1,far:1/speed=6 CLWEAVE_BLOCKS=static CLWEAVE_MANAGE_ALL=1 \
        CLWEAVE_OUT="$T/peaks.json"
    shares=$("$B/clweave" report "$T/peaks.json" | grep '^device')
    ! grep -qE '^device 2 .* to (6[67]|7[45]) %\)' <<< "$shares" || break
done
grep -qE '^device 2 .* to (6[67]|7[45]) %\)' <<< "$shares" || too_busy "shares: $shares"
known "$B/test/apps/chains8"
TRIES=5 caught "$B/test/apps/chains8" far:2 unfetched:1 unfetched:5 unnoted:1 unnoted:3
TRIES=5 caught "$B/test/apps/chains8" far:2/cap=20K unsaved:1
known "$B/test/apps/tiles" && TRIES=5 caught "$B/test/apps/tiles" far:2 unfetched:4 unnoted:2 hasty:1
if known "$B/test/runmode/memories"; then
    caught "$B/test/runmode/memories" far:2 hasty:1
    TRIES=10 caught "$B/test/runmode/memories" far:2/us=2000 heedless:1 rash:1
fi
done_
