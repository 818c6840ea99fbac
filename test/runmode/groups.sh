# Launches that run as priority groups give the same bytes: chains taken wherever they can be, by both rules, and under chaos,
# which cuts them anywhere and runs their tiles in any order that is allowed; a tile that runs before one that it depends on
# is noticed; lanes that refuse tiles change nothing.
# SLOW: SEEDS=$(seq 30)
# COMPILER: shared
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
jacobi=$B/test/apps/jacobi
chaos="CLWEAVE_GROUPS=on CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1"
chains=0 launches=0 tiles=0
add_up() { # of the latest run
    local line; line=$(grep -E '^run: groups: [0-9]+ chains of' "$T/summary" | tr -dc '0-9 ')
    set -- $line
    chains=$((chains + $1)) launches=$((launches + $2)) tiles=$((tiles + $3))
}

bare "$jacobi" || exit 77
for rule in skew max; do
    for devices in none cpu,basic:2; do
        in_run "$jacobi" CLWEAVE_GROUPS=on CLWEAVE_MANAGE_ALL=1 CLWEAVE_GROUP_RULE=$rule CLWEAVE_DEVICES=$devices
        add_up
    done
done
[ $launches -ge 60 ] || fail "only $launches launches ran in groups"
for seed in ${SEEDS:-1 2}; do
    for devices in none cpu,basic:2; do
        in_run "$jacobi" $chaos CLWEAVE_SEED=$seed CLWEAVE_DEVICES=$devices
        add_up
    done
done
echo "$chains chains of $launches launches, $tiles tiles"
[ $tiles -ge $((launches * 3)) ] || fail "few tiles prove nothing"

# helpers that take no tiles, from the first or in the middle; kernels that nobody can build
for fault in refuse:1 refuse:7 unbuilt:1 unbuilt:2; do
    in_run "$jacobi" $chaos CLWEAVE_SEED=${fault#*:} CLWEAVE_DEVICES=cpu,basic:2 CLWEAVE_FAULT=$fault
    grep -q "fault $fault planted" "$T/summary" || fail "$fault was not planted"
done

# wrong orders, and tiles that are left out, are seen
caught=0
for fault in order:1 order:2 order:5 half:3; do
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run $chaos CLWEAVE_SEED=3 CLWEAVE_DEVICES=cpu,basic:2 CLWEAVE_FAULT=$fault timeout 240 "$jacobi" > "$T/run" 2> "$T/run.err"
    grep -q "fault $fault planted" "$T/run.err" || fail "$fault was not planted"
    cmp -s "$T/bare" "$T/run" && fail "$fault was not noticed" || caught=$((caught + 1))
done
echo "$caught faults noticed"

# nothing of it where it is off; it is not by default, but for launches that find their data in cache
in_run "$jacobi" CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=none CLWEAVE_GROUPS=off
grep -q groups "$T/summary" && fail "groups, though they are off"
in_run "$jacobi" CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=none
grep -q '^run: groups: 0 chains of 0 launches' "$T/summary" || fail "by default: $(grep groups "$T/summary")"
grep -q '^run: groups: plain' "$T/summary" && fail "a chain in cache was looked at: $(grep groups "$T/summary")"

# a launch that has no other one to be in a chain with goes where chaos wants it
printf '#!/bin/sh\nexec "%s"/test/apps/stencil/flat five 64 64 1 2\n' "$B" > "$T/one"
chmod +x "$T/one"
bare "$T/one" || exit
away=0
for seed in $(seq 8); do
    in_run "$T/one" $chaos CLWEAVE_SEED=$seed CLWEAVE_DEVICES=cpu,basic:2
    away=$((away + $(count moved) + $(count cut)))
done
[ $away -ge 4 ] || fail "of 8 launches that were alone $away were moved or cut"
done_
