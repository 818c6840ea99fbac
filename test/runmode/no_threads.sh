# Run mode where the library gets no thread, or only the first few: the same output, and one word about it. (Callbacks are
# refused then: none of these programs has any.) FEW: numbers of threads.
# SLOW: FEW="1 2 3 4 5 6"
# SECONDS: 20
. test/runmode/common.sh
CC=${CC:-cc}
$CC -std=gnu11 -D_GNU_SOURCE -O1 -fPIC -shared -o "$T/libfail.so" test/shim/fail_alloc.c || exit 1
shim="$shim $T/libfail.so"
noise="$noise|cannot start a thread"
told=0
for program in runmode/anything runmode/natives apps/chains8 apps/mapreduce apps/threads; do
    program=$B/test/$program
    bare "$program" || continue
    for n in ${FEW:-1 3}; do
        in_run "$program" FAIL_THREADS=$n CLWEAVE_FOOTPRINTS=off
        in_run "$program" FAIL_THREADS=$n CLWEAVE_FOOTPRINTS=off CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1
        words=$(grep -c 'cannot start a thread' "$T/run.err")
        [ "$words" -le 1 ] || fail "$words messages"
        told=$((told + words))
    done
done
[ $told -gt 5 ] || fail "only $told runs lacked a thread"
done_
