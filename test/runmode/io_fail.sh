# Whichever call about files of run mode's fails, or does half of what it is asked to do, the program prints what it prints bare, and
# later runs with the same caches do too. A few calls of a run that builds nothing; with ALL=1 more, also of runs that build.
# SLOW: ALL=1
# CACHE: empty
# SECONDS: 20
. test/runmode/common.sh
program=$B/test/runmode/kept cache=$T/cache
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -fPIC -shared -o "$T/libfail.so" test/shim/fail_io.c -ldl || exit 1
noise='^(run|clweave): |^clweave\[[0-9]*\]: ' # messages say what is not remembered
shim="$shim $T/libfail.so"
export CLWEAVE_LEARN=all CLWEAVE_MANAGE_ALL=1 FAIL_IO_COUNT=$T/calls CLWEAVE_HISTORY=$cache/history.db
mkdir -m 700 "$cache"
bare "$program" || done_
# caches as they are before each of the first runs: what is built, compared and kept
for run in 1 2 3 4; do
    cp -a "$cache" "$T/before$run"
    in_run "$program"
    calls[run]=$(cat "$T/calls")
done
[ "${calls[4]}" -gt 30 ] || fail "only ${calls[4]} calls seen: nothing is tested"
step=150
[ -z "${ALL:-}" ] || step=7
again_with() { rm -rf "$cache"; cp -a "$T/before$1" "$cache"; shift; in_run "$program" "$@"; }
for how in EIO ENOSPC short; do
    for run in ${ALL:+1 3} 4; do
        for ((n = 1; n <= calls[run]; n++)); do
            [ $((n % step)) = $((${#how} % step)) ] || continue
            again_with $run FAIL_IO_HOW=$how FAIL_IO=$n
            [ -n "${ALL:-}" ] && in_run "$program" # with what that has left
        done
    done
    again_with 4 FAIL_IO_HOW=$how FAIL_IO_FROM=1
    again_with 3 FAIL_IO_HOW=$how FAIL_IO_FROM=40
    in_run "$program"
done
done_
