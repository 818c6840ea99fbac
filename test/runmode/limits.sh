# Limits of the process under which a program runs bare. Run mode takes none of a limited amount (address
# space, data, processor time): nothing is managed there. A source that needs more stack than usual threads
# have is built on enough of it.
. test/runmode/common.sh
program=$B/test/runmode/limited
slack=10240 # KiB: the library's own
export MALLOC_ARENA_MAX=1 POCL_MAX_PTHREAD_COUNT=1 # else bare runs differ by what threads meet
export POCL_CACHE_DIR=$T/pocl XDG_CACHE_HOME=$T/cache PEAK=$T/peak
mkdir "$T/pocl"; mkdir -m 700 "$T/cache"
anew() { rm -rf "$T/cache"; mkdir -m 700 "$T/cache"; } # nothing that helpers need is there
# from here on PoCL has its code for the program
timeout 240 "$program" > "$T/out" || { tail -n 1 "$T/out"; exit 77; }

# under LIMIT COMMAND... : nothing is written where the limit ends it
under() { (ulimit $1 && shift && exec timeout 240 "$@") > "$T/run" 2> "$T/run.err"; }
run() { under "$1" env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 "${@:2}" "$program"; }

# what the process has had: no more than bare
under '-v 64000000' "$program" && bare_peak=$(cat "$PEAK")
for how in CLWEAVE_LEARN=auto CLWEAVE_LEARN=all CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos; do
    for limit in '-v 64000000' '-d 64000000' '-t 6000'; do
        anew
        run "$limit" $how || fail "ulimit $limit, $how: status $?: $(tail -n 2 "$T/run.err")"
        cmp -s "$T/out" "$T/run" || fail "ulimit $limit, $how: other output"
        compared=$((compared + 1))
        grep -q '^run: 0 commands managed' "$T/run.err" || fail "ulimit $limit, $how: $(cat "$T/run.err")"
        [ "$(cat "$PEAK")" -le $((bare_peak + slack)) ] ||
            fail "ulimit $limit, $how: $(cat "$PEAK") KiB of address space, bare $bare_peak"
    done
done

# from the least that the bare program needs upwards, as bare
low=0 high=$bare_peak
while [ $((high - low)) -gt 2048 ]; do
    middle=$(((low + high) / 2))
    if under "-v $middle" "$program" && cmp -s "$T/out" "$T/run"; then high=$middle; else low=$middle; fi
done
for more in 0 16384 32768 49152 98304; do
    limit=$((high + slack + more))
    under "-v $limit" "$program" || { echo "ulimit -v $limit: not even bare"; continue; }
    anew
    run "-v $limit" CLWEAVE_MANAGE_ALL=1 ||
        fail "ulimit -v $limit, of which bare needs $high: status $?: $(tail -n 2 "$T/run.err")"
    cmp -s "$T/out" "$T/run" || fail "ulimit -v $limit: other output"
    compared=$((compared + 1))
done

# a source nested deeper than clang's parser can go on the stack of a usual thread (2 MiB where stacks are not
# limited), but not on the first thread's
printf '#!/bin/sh\nulimit -s unlimited && exec "%s" 6000\n' "$program" > "$T/deep"; chmod +x "$T/deep"
if (ulimit -s unlimited) 2> /dev/null && bare "$T/deep"; then
    anew
    in_run "$T/deep" CLWEAVE_MANAGE_ALL=1
fi
done_
