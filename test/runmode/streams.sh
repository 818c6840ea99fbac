# Commands of one queue on several streams (--set streams=force, on PoCL): what a program prints bare, it prints with streams that
# bytes choose, and with streams by lot (chaos). Planted faults show: a wait that is left out, an event that is complete too
# early, a read that does not wait. ALL=1: more programs and seeds.
# SLOW: ALL=1 SEEDS=20
# SECONDS: 60
. test/runmode/common.sh

# beside LEAST : at least so many commands went to other streams than the first in the latest run
beside() {
    local n
    n=$(sed -n 's/^run: streams: .* \([0-9]*\) beside the first stream.*/\1/p' "$T/summary" | tail -n 1)
    [ "${n:-0}" -ge "$1" ] || fail "only ${n:-no} commands beside the first stream: $(cat "$T/summary")"
}
# streamed PROGRAM LEAST : the same with streams, and with streams by lot
streamed() {
    bare "$1" || return
    in_run "$1" CLWEAVE_STREAMS=force
    beside "$2"
    for seed in $(seq "${SEEDS:-1}"); do
        in_run "$1" CLWEAVE_STREAMS=force CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed
        [ "$2" = 0 ] || beside 1
    done
}
# caught FAULT... : the program says something else with each; in random commands (medley) a lot may hide the fault
caught() {
    local fault seed
    for fault; do
        for seed in 3 ${with:+4 5 6 7 8}; do
            env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_STREAMS=force CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_FAULT=$fault \
                timeout 240 "$B/test/runmode/${with:-streams}" > "$T/run" 2> "$T/run.err"
            grep -q "^run: fault $fault planted" "$T/run.err" || fail "$fault was not planted: $(grep fault "$T/run.err")"
            compared=$((compared + 1))
            cmp -s "$T/bare" "$T/run" || continue 2
        done
        fail "$fault was not noticed"
    done
}

for name in addresses content medley order waits natives chains8 subdevices userevents_maps ${ALL:+anything disjoint pi threads mapped}; do
    program=$B/test/runmode/$name
    [ -x "$program" ] || program=$B/test/apps/$name
    streamed "$program" "$([ $name = chains8 ] && echo 8 || echo 0)"
done
if [ -n "${ALL:-}" ]; then
    for program in "$B"/test/apps/* "$B"/test/runmode/{again,alike,closes,crowd,drops,errors,exits,filters,hostile_memory,hostile_queues,hostile_threads,many,objects,overlaid,polls,state,trouble,wakes}; do
        [ -f "$program" ] && bare "$program" || continue
        [ "$(basename "$program")" = events_ooo ] || in_run "$program" CLWEAVE_STREAMS=force
        in_run "$program" CLWEAVE_STREAMS=force CLWEAVE_POLICY=chaos CLWEAVE_SEED=1
    done
fi
# both with transfers through pinned memory
for name in staged disjoint userevents_maps mapped order streams; do
    program=$B/test/runmode/$name
    [ -x "$program" ] || program=$B/test/apps/$name
    bare "$program" || continue
    for policy in ${ALL:+heft} chaos; do
        in_run "$program" CLWEAVE_STREAMS=force CLWEAVE_STAGING=force CLWEAVE_DEVICES=none CLWEAVE_POLICY=$policy CLWEAVE_SEED=2
        beside 5
        grep -q ' through pinned memory' "$T/summary" || fail "$name: nothing was staged: $(cat "$T/summary")"
    done
done
streamed "$B/test/runmode/streams" 10
bare "$B/test/runmode/streams"
caught early:1 loose:1 loose:2 soon:1
bare "$B/test/runmode/medley" && with=medley caught loose:1 soon:1

# a GPU of a vendor whose queues are streamed by default: what programs read, and whether they are
gpu() {
    env OCL_ICD_VENDORS="$B/test/libnullcl.so" NULLCL_GPU="NVIDIA CUDA" GPU_SPEED_MIB=1 "$@" "$B/test/bench/gpu_speed" "" small8 pipeline read4 events 2> "$T/summary" |
        sed 's/ .*hash=/ hash=/'
}
gpu > "$T/bare"
for how in auto off force; do
    gpu LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_STREAMS=$how > "$T/run"
    diff "$T/bare" "$T/run" || fail "another hash with --set streams=$how"
    [ "$(grep -c '^run: streams: .* commands of' "$T/summary")" = "$([ $how = off ] && echo 0 || echo 1)" ] || fail "--set streams=$how: $(cat "$T/summary")"
    case $how in
    auto) grep -qE '^run: streams: .* spans? of ' "$T/summary" || fail "no gain is named: $(cat "$T/summary")" ;;
    off) grep -q '^clweave: nothing done: .* --set streams=off and --set staging=off' "$T/summary" || fail "no advice: $(cat "$T/summary")" ;;
    esac
    compared=$((compared + 1))
done
beside 100
# a vendor that has none: said once, and only where streams are asked for
for how in auto force; do
    gpu NULLCL_GPU="Another Vendor" LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_STREAMS=$how > "$T/run"
    diff "$T/bare" "$T/run" || fail "another hash on another vendor with --set streams=$how"
    [ "$(grep -c '^clweave.*: --set streams=force: queues on gpu (Another Vendor) get no streams: ' "$T/summary")" = "$([ $how = auto ] && echo 0 || echo 1)" ] ||
        fail "another vendor, --set streams=$how: $(cat "$T/summary")"
    compared=$((compared + 1))
done
done_
