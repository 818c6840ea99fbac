# Shared virtual memory (pointers.c) in ways that promises.sh lacks: sub-devices and `basic` devices as helpers, groups, all learnt,
# devices with memories of their own, streams; lost edges are noticed. Eight chains of pointers are managed as those of buffers are.
# COMPILER: shared
. test/runmode/common.sh
program=$B/test/runmode/pointers
bare "$program" || exit 77
for devices in sub:2 basic:2 far:2; do
    in_run "$program" CLWEAVE_DEVICES=$devices CLWEAVE_MANAGE_ALL=1
    managed 1500
done
in_run "$program" CLWEAVE_DEVICES=basic:2 CLWEAVE_LEARN=all CLWEAVE_GROUPS=on CLWEAVE_MANAGE_ALL=1
in_run "$program" CLWEAVE_STREAMS=force
in_run "$program" CLWEAVE_DEVICES=far:1,far-home CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 # a home that is no CPU: native
in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_CLANG=/nonexistent # nothing is known of kernels
in_run "$program" CLWEAVE_MANAGE_ALL=1
managed 1500

# what host and kernel watch at once, and all behind it until the program waits
grep -q 'native: 40 atomic or volatile accesses' "$T/summary" || fail "other native commands: $(cat "$T/summary")"

# caught FAULT : the program says something else
caught() {
    local seed
    for seed in 1 2 3 4 5 6; do
        env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_SEED=$seed \
            CLWEAVE_FAULT="$1" timeout 240 "$program" > "$T/run" 2> "$T/run.err"
        grep -q "^run: fault $1 planted" "$T/run.err" || fail "$1 was not planted: $(grep fault "$T/run.err")"
        compared=$((compared + 1))
        cmp -s "$T/bare" "$T/run" || return
    done
    fail "$1 was not noticed"
}
caught unseen:1

for memory in 0 1 2; do
    chains() { "$B/test/apps/chains8" 2048 100 $memory; }
    chains > "$T/chains" || continue
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_MANAGE_ALL=1 timeout 240 "$B/test/apps/chains8" 2048 100 $memory \
        > "$T/run" 2> "$T/run.err" || fail "chains8 $memory: status $?"
    grep '^run: ' "$T/run.err" > "$T/summary"
    cmp -s "$T/chains" "$T/run" || fail "chains8 $memory: other output"
    compared=$((compared + 1))
    managed 800
done
done_
