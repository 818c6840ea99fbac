# --wait quiet: calls that wait return when their commands are over, say what they say bare, and leave the vendor nothing to wait
# for. On a driver whose waits spin, which says how often they did; on PoCL all waits, however short, and hostile programs. A
# planted fault, a wait that returns at once, is noticed.
# SECONDS: 40
. test/runmode/common.sh
program=$B/test/runmode/sleeps
pocl=$(cat /etc/OpenCL/vendors/pocl.icd 2> /dev/null) null=$B/test/libnullcl.so
export CLWEAVE_HISTORY=off

# spun WAIT : sets spins to how often waits of the null driver, whose kernels take 3 ms, have spun in a run
spun() {
    rm -f "$T/calls"
    in_run "$program" CLWEAVE_WAIT=$1 NULLCL_LOG="$T/calls"
    spins=$(grep -c '^spins' "$T/calls")
}
export OCL_ICD_VENDORS=$null NULLCL_TAKES_US=3000 SLEEPS_ROUNDS=10
bare "$program" || exit
grep -q early "$T/bare" && fail "the null driver returns early: $(cat "$T/bare")"
spun vendor
[ "$spins" -ge 60 ] || fail "$spins waits of the driver spin: nothing was tested"
# a thread knows nothing of its first waits of a kind
spun quiet
[ "$spins" -le 20 ] || fail "$spins waits still spin"
spun force
[ "$spins" = 0 ] || fail "$spins waits spin where all are quiet"
# short waits go to the driver at once: it is asked for nothing, and gets no marker
: > "$T/calls"
NULLCL_TAKES_US=1 in_run "$program" CLWEAVE_WAIT=quiet NULLCL_LOG="$T/calls"
grep -q '^clEnqueueMarkerWithWaitList' "$T/calls" && fail "markers for waits that take no time"
for n in 1 2 3 4 6; do # finish, wait, read, read with an event, map
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_MANAGE_ALL=1 CLWEAVE_WAIT=force CLWEAVE_FAULT=brisk:$n timeout 240 "$program" > "$T/run" 2> "$T/run.err"
    grep -q "^run: fault brisk:$n planted" "$T/run.err" || fail "brisk:$n was not planted: $(grep fault "$T/run.err")"
    cmp -s "$T/bare" "$T/run" && fail "brisk:$n is not noticed"
done

unset NULLCL_TAKES_US SLEEPS_ROUNDS
[ -n "$pocl" ] || { echo "without PoCL: package pocl-opencl-icd"; done_; }
export OCL_ICD_VENDORS=$pocl
for name in sleeps waits natives callbacks hostile_threads hostile_queues counts order ${ALL:+answers events exits crowd streams}; do
    [ -e "$B/test/runmode/$name" ] && bare "$B/test/runmode/$name" || continue
    in_run "$B/test/runmode/$name" CLWEAVE_WAIT=force
    in_run "$B/test/runmode/$name" CLWEAVE_WAIT=force CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos
done
done_
