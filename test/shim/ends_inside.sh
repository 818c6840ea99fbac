# A handler of a signal ends the program inside a call: the process ends with the program's status, the vendor is not called any
# more by that thread (below insidecl.c, where each such call is told), and a trace is there that holds the commands so far.
# SECONDS: 20
. test/shim/common.sh
export OCL_ICD_VENDORS=$vendors CLWEAVE_BUILDER=off
program ends_inside -DCL_TARGET_OPENCL_VERSION=120 -lOpenCL
$CC $flags -shared -fPIC -fvisibility=hidden -o "$T/libinsidecl.so" test/shim/insidecl.c
export OPENCL_LAYERS=$T/libinsidecl.so
ended=0

# ends CALL VARIABLE=VALUE... : the status in $status: 3, or 0 where the vendor has got no such call of the program's thread
ends() {
    local call=$1; shift
    status=0
    env LD_PRELOAD="$shim" INSIDECL="$call" "$@" timeout -k 1 60 "$T/ends_inside" > "$T/out" 2> "$T/err" || status=$?
    [ $status = 3 ] || [ $status = 0 ] || fail "$call $*: exit status $status: $(cat "$T/err")"
    ended=$((ended + (status == 3)))
}

calls="clBuildProgram:1 clCreateBuffer:2 clEnqueueNDRangeKernel:3 clSetKernelArg:4 clEnqueueReadBuffer:4 clGetEventInfo:3 clReleaseEvent:3
clFinish:2 clGetSupportedImageFormats:1 clWaitForEvents:1 clReleaseMemObject:1 clReleaseKernel:1"
for call in $calls; do
    for data in 0 1; do
        rm -f "$T"/trace*
        ends "$call" CLWEAVE_MODE=trace CLWEAVE_CAPTURE_DATA=$data CLWEAVE_OUT="$T/trace.json"
        [ $status = 3 ] || fail "$call: the program has not ended inside it"
        grep -q 'ends inside an OpenCL call' "$T/err" || fail "$call: nothing said: $(cat "$T/err")"
        "$B/clweave" graph "$T/trace.json" > "$T/graph" 2> "$T/err" || fail "$call: no trace: $(cat "$T/err")"
    done
    for way in "CLWEAVE_STREAMS=off" "CLWEAVE_MANAGE_ALL=1" "CLWEAVE_STREAMS=force"; do
        ends "$call" CLWEAVE_MODE=run $way
        rm -f "$T"/trace*
        ends "$call" CLWEAVE_MODE=run $way CLWEAVE_OUT="$T/trace.json"
        [ -e "$T/trace.json" ] || fail "$call $way: no trace"
    done
done
[ $ended -ge 40 ] || fail "only $ended runs have ended inside a call"
echo "$ended runs ended inside a call"
