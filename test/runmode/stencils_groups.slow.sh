# The stencil programs as priority groups: wherever it can be done, by both rules, and in random orders, for sizes about the
# borders of tiles and all numbers of steps, with waits in between.
. test/runmode/stencils.bash
chains=0 launches=0 pieces=0
grouped() {
    local n
    read -r -a n <<< "$(grep -hE '^run: groups: [0-9]+ chains of' "$T/summary" | tr -dc '0-9 ')"
    chains=$((chains + ${n[0]:-0})) launches=$((launches + ${n[1]:-0})) pieces=$((pieces + ${n[2]:-0}))
}
turn=0
for program in "${programs[@]}"; do
    for height in ${HEIGHTS:-15 16 17 31 32 33}; do
        for steps in ${STEPS:-1 2 3 7 16}; do
            turn=$((turn + 1))
            stencil "$program" 24 $height $steps $((turn % 3 * 2)) || continue
            for devices in none cpu,basic:2; do
                rule=skew; [ $((turn % 2)) = 0 ] || rule=max
                one CLWEAVE_GROUPS=on CLWEAVE_GROUP_RULE=$rule CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=$devices; grouped
                chaos $turn CLWEAVE_GROUPS=on CLWEAVE_DEVICES=$devices; grouped
            done
        done
    done
    echo "$program: up to here $chains chains of $launches launches, $pieces tiles"
done
[ $((chains * 2)) -ge $runs ] && [ $pieces -ge $((launches * 2)) ] || fail "few chains prove nothing"
done_
