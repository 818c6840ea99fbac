# Devices with a memory of their own (--devices far) that fail at their first, third, seventh launch or block of a cut one: they die, one
# fails when it has written garbage, there is no memory for it, a copy back fails, one takes seconds or never ends, copies never end once
# one has failed. The program prints what it prints bare, unless bytes were lost: then it is told of an error. It always ends. ALL=1: all
# of it with one and two such devices, more seeds.
# SLOW: ALL=1
# SECONDS: 50
# COMPILER: shared
. test/runmode/common.sh
planted=0 lost=0 left=0 relieved=0 hung=0 parts=0 blocks=0

# fails PROGRAM DEVICES SEED FAULT : run so, the program prints the same, or bytes were lost and it says that it was told
fails() {
    local name=$(basename "$1") status
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_DEVICES="$2" CLWEAVE_POLICY=chaos CLWEAVE_SEED="$3" CLWEAVE_MANAGE_ALL=1 \
        CLWEAVE_FAULT="$4" timeout 240 "$1" > "$T/run" 2> "$T/run.err"
    status=$?
    compared=$((compared + 1))
    grep -q "^run: fault $4 planted" "$T/run.err" && planted=$((planted + 1))
    grep -q '^run: far[0-9]* gets no more launches' "$T/run.err" && left=$((left + 1))
    grep -qE '^run: far[0-9]* gets no more launches: (a part of )?one there did not end' "$T/run.err" && hung=$((hung + 1))
    grep -qE '^run: [1-9][0-9]* launches went home from behind late ones' "$T/run.err" && relieved=$((relieved + 1))
    grep -q '^run: far[0-9]* gets no more launches: a part of one there did not end' "$T/run.err" && blocks=$((blocks + 1))
    grep -qE '^run: .*; [1-9][0-9]* parts of others left them' "$T/run.err" && parts=$((parts + 1))
    if grep -qE '^run: .* [1-9][0-9]* commands needed lost bytes' "$T/run.err"; then
        lost=$((lost + 1))
        case $4 in dead:* | garbage:* | hung:* | mute:*) ;; *) fail "$name $2 seed $3: $4 lost bytes" ;; esac
        [ $status = 0 ] && ! cmp -s "$T/bare" "$T/run" && fail "$name $2 seed $3: $4: other output, and no error"
        [ $status -ge 124 ] && fail "$name $2 seed $3: $4: exit status $status"
        return
    fi
    [ $status = 0 ] || fail "$name $2 seed $3: $4: exit status $status: $(grep -vE "$noise" "$T/run.err" | tail -n 3)"
    cmp -s "$T/bare" "$T/run" || fail "$name $2 seed $3: $4: other output"
}

turn=0
for app in chains8 jacobi mapreduce ${ALL:+gemm lu}; do
    known "$B/test/apps/$app" || continue
    for fault in dead garbage full unbrought tight slow hung mute; do
        for at in 1 3 7; do
            turn=$((turn + 1))
            case ${ALL:-}$fault in hung | mute) [ $at != 7 ] || continue ;; esac # they take seconds
            if [ -n "${ALL:-}" ]; then
                for seed in $(seq "${SEEDS:-2}"); do
                    fails "$B/test/apps/$app" far:1 "$seed" "$fault:$at"
                    fails "$B/test/apps/$app" far:2 "$seed" "$fault:$at"
                done
            elif [ $((turn % 2)) = 1 ] || [ $fault = dead ]; then
                fails "$B/test/apps/$app" far:$((1 + turn / 2 % 2)) 1 "$fault:$at"
            fi
        done
    done
done
# parts of cut launches that wait at a device where a launch is late, or never ends, leave their blocks to other parts
before=$parts
for program in chains8 onebuffer; do
    for fault in slow:1 hung:1; do
        known "$B/test/apps/$program" && fails "$B/test/apps/$program" far:1 1 $fault
    done
done
[ $((parts - before)) = 4 ] || fail "parts left late launches in $((parts - before)) of 4 runs"
echo "$planted faults planted, $left devices left alone, $lost runs lost bytes, in $relieved launches did not wait for late ones, \
in $hung one never ended, in $blocks of them a block, in $parts parts left late ones"
[ $planted -ge 15 ] && [ $left -ge 8 ] && [ $lost -ge 1 ] && [ $relieved -ge 1 ] && [ $hung -ge 2 ] && [ $blocks -ge 1 ] || fail "too few faults had an effect"
done_
