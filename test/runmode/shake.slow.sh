# Run mode with threads that stop wherever its lock changes hands (-DCW_SHAKE): no wake-up is lost, no order that is rare
# otherwise gives other bytes. Programs with many short launches, random programs, threads, callbacks; four at a time, as
# a machine with too much to do has more orders.
. test/runmode/common.sh
make -s CC="${CC:-cc}" CFLAGS=-DCW_SHAKE B="$T/b" "$T/b/libclweave.so" > "$T/built" 2>&1 || { tail "$T/built"; exit 1; }
shim=$T/b/libclweave.so
chaos="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_FOOTPRINTS=off"

# shaken SEED PROGRAM [ARGUMENT...] : in a folder of its own, in turn at home, with everything managed, under chaos
shaken() {
    local seed=$1 program=$B/test/$2 T=$T/$1-$(basename "$2"); shift 2
    mkdir -p "$T"
    printf '#!/bin/sh\nexec "%s" %s\n' "$program" "$*" > "$T/program"
    chmod +x "$T/program"
    bare "$T/program" || { echo "$compared $failures" > "$T/result"; return; }
    in_run "$T/program"
    in_run "$T/program" CLWEAVE_MANAGE_ALL=1 CLWEAVE_FOOTPRINTS=off
    in_run "$T/program" $chaos CLWEAVE_SEED="$seed" CLWEAVE_DEVICES=cpu,basic:2
    in_run "$T/program" $chaos CLWEAVE_SEED="$seed" CLWEAVE_DEVICES=cpu,sub:2
    echo "$compared $failures" > "$T/result"
}

turn() { [ "$(jobs -rp | wc -l)" -lt 4 ] || wait -n; }
for seed in ${SEEDS:-1 2 3 4 5}; do
    for program in "runmode/anything $seed" "runmode/pointers 12 $seed" "runmode/pixels $seed" "runmode/crowd $seed" "runmode/waits" "runmode/natives" "runmode/callbacks" \
        "runmode/order 3 $seed" \
        "apps/jacobi" "apps/chains8" "apps/threads" "apps/events_ooo" "apps/userevents_maps" "runmode/exits"; do
        turn
        shaken "$seed" $program > "$T/$seed-$(basename ${program%% *}).log" 2>&1 &
    done
done
wait
cat "$T"/*.log
while read -r c f; do compared=$((compared + c)) failures=$((failures + f)); done < <(cat "$T"/*/result)
[ "$(ls "$T"/*/result | wc -l)" = "$(ls "$T"/*.log | wc -l)" ] || fail "a run has not ended"
done_
