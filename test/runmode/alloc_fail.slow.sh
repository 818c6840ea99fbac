# Run mode, whichever memory request of the library fails: the program gets the right bytes, or an error where OpenCL has
# one for it; it is never killed, never hangs, and never gets other bytes without an error. TRIES (200) requests, evenly
# over all, for each way of running. Then all requests of our own threads at once, which no program can be told of.
. test/runmode/common.sh
CC=${CC:-cc} tried=0 refused=0
$CC -std=gnu11 -D_GNU_SOURCE -O1 -fPIC -shared -o "$T/libfail.so" test/shim/fail_alloc.c || exit 1

# try REQUEST VARIABLE=VALUE... : $status, $T/run, $T/run.err
try() {
    local n=$1; shift
    status=0
    timeout 60 env LD_PRELOAD="$shim $T/libfail.so" CLWEAVE_MODE=run FAIL_ALLOC=$n FAIL_ALLOC_COUNT="$T/requests" "$@" \
        "$program" > "$T/run" 2> "$T/run.err" || status=$?
}

# every VARIABLE=VALUE...
every() {
    local n total step
    try 0 "$@"
    [ $status = 0 ] && cmp -s "$T/bare" "$T/run" || { fail "$*: without a failure: status $status"; return; }
    total=$(cat "$T/requests")
    [ "$total" -gt 100 ] || fail "$*: only $total requests seen: nothing is tested"
    step=$((total / ${TRIES:-200} + 1))
    for ((n = 1; n <= total; n += step)); do
        try $n "$@"
        tried=$((tried + 1)) compared=$((compared + 1))
        if [ $status = 0 ]; then
            cmp -s "$T/bare" "$T/run" || fail "$*: request $n: other output: $(head -n 3 "$T/run.err")"
        elif [ $status = 1 ] && grep -qE 'OpenCL error -(5|6|14)\b|-(5|6|14)\b' "$T/run.err"; then
            refused=$((refused + 1))
        else
            fail "$*: request $n: status $status: $(tail -n 3 "$T/run.err")"
        fi
    done
    try workers "$@"
    compared=$((compared + 1))
    [ $status = 0 ] && cmp -s "$T/bare" "$T/run" || fail "$*: requests of our threads: status $status: $(tail -n 3 "$T/run.err")"
}

program="$B/test/runmode/anything 3 25"
printf '#!/bin/sh\nexec %s\n' "$program" > "$T/program"; chmod +x "$T/program"; program=$T/program
bare "$program" || { done_; exit; }
export CLWEAVE_FOOTPRINTS=off
every A=
every CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos
every CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos CLWEAVE_HISTORY=off CLWEAVE_DEVICES=cpu,sub:2
echo "$tried requests refused, the program was told of $refused"
done_
