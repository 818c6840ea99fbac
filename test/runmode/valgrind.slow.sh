# Programs under memcheck in run mode: no wrong address, no undefined value and no lost memory of ours. What vendors do
# themselves is in vendors.supp. valgrind cannot start our helper, so kernels are analysed in runs before, without it. It
# runs one thread at a time, in turns as a kernel does: else one that computes may keep all others from ever running.
# PROGRAMS: others than these.
# SLICES=8
. test/runmode/common.sh
command -v valgrind > /dev/null || { echo "valgrind is not there"; exit 77; }
chosen='apps/jacobi apps/mapreduce apps/events_ooo apps/onebuffer apps/userevents_maps apps/manybufs apps/tiles runmode/waits
    runmode/callbacks runmode/natives runmode/objects runmode/errors runmode/overlaid runmode/subdevices runmode/hostile_memory
    runmode/hostile_queues'
mkdir -m 700 "$T/cache"
export XDG_CACHE_HOME=$T/cache

# memcheck PROGRAM VARIABLE=VALUE... : prints what bare printed, and valgrind finds nothing
memcheck() {
    local program=$1 status; shift
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 "$@" timeout 900 valgrind --fair-sched=try \
        --error-exitcode=99 --exit-on-first-error=no --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite --num-callers=30 \
        --suppressions=test/runmode/vendors.supp --log-file="$T/found" "$program" > "$T/run" 2> "$T/run.err"
    status=$?
    grep '^run: ' "$T/run.err" > "$T/summary" || true
    [ $status = 0 ] || fail "$(basename "$program") $*: status $status: $(grep -A14 -E 'Invalid|ninitialised|definitely lost in|Mismatched|overlap|Process terminating' "$T/found" | head -40)"
    cmp -s "$T/bare" "$T/run" || { fail "$(basename "$program") $*: other output"; diff "$T/bare" "$T/run" | head -5; }
    compared=$((compared + 1))
}

for name in ${PROGRAMS:-$chosen}; do
    program=$B/test/$name
    mine && bare "$program" || continue
    in_run "$program" CLWEAVE_MANAGE_ALL=1 # has models made, which the default mode wants later
    for setting in CLWEAVE_MANAGE_ALL=0 CLWEAVE_MANAGE_ALL=1 "CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=cpu,basic:2"; do
        in_run "$program" $setting # models, code
        memcheck "$program" $setting
        managed=$((${managed:-0} + $(count commands))) cut=$((${cut:-0} + $(count cut)))
        echo "$name $setting: $(head -n 1 "$T/summary")"
    done
done
# nothing is known of the kernels, and no helper can be started: valgrind would end the program
mine && bare "$B/test/apps/jacobi" && XDG_CACHE_HOME=$T/none memcheck "$B/test/apps/jacobi" CLWEAVE_MANAGE_ALL=1
echo "${managed:-0} commands managed, ${cut:-0} launches cut"
if sums "${managed:-0}" "${cut:-0}"; then
    [ "${sum[0]}" -gt 1000 ] || fail "too few were managed"
    [ ! -x "$B/clweave-footprint" ] || [ "${sum[1]}" -gt 20 ] || fail "too few were cut"
fi
done_
