# All stencil programs: every number of steps from 1 to 20, heights around multiples of a work-group's rows, with and without
# waiting, in program order and in random orders, as priority groups, on each kind of devices. SEEDS, STEPS, HEIGHTS: less or more of it.
. test/runmode/stencils.bash
row=0
for program in "${programs[@]}"; do
    for steps in ${STEPS:-$(seq 1 20)}; do
        for height in ${HEIGHTS:-$((14 + row % 5)) $((31 + row % 3))}; do
            row=$((row + 1))
            stencil "$program" $((20 + row % 7)) "$height" "$steps" $((row % 4)) || continue
            devices=(CLWEAVE_DEVICES=cpu,basic:2 CLWEAVE_DEVICES=cpu,sub:2 CLWEAVE_DSP=2)
            chaos $row "${devices[row % 3]}"
            [ $((row % 3)) = 0 ] && one CLWEAVE_MANAGE_ALL=1 CLWEAVE_GROUPS=on CLWEAVE_DEVICES=cpu,basic:2
            [ $((row % 5)) = 0 ] && one CLWEAVE_MANAGE_ALL=1 "${devices[row / 5 % 3]}"
        done
    done
done
enough $((runs * 2)) $((runs * 6))
done_
