# A function that the vendor lacks ends the process, or answers, as it does bare: before there are helpers and
# after, recorded or not. ALL=1: every function of shim/door/api.inc, in more ways.
# SLOW: ALL=1
. test/runmode/common.sh
program=$B/test/runmode/lacking
# of PoCL 3.1: no function at all, and functions that end the process
names="clEnqueueWaitForEvents clSetCommandQueueProperty clCreateSubDevicesEXT"
names+=" clGetKernelSubGroupInfoKHR"
names+=" clCreateFromGLBuffer clGetGLObjectInfo"
names+=" clSetProgramSpecializationConstant" # not built: an earlier run's build is taken
ways=(CLWEAVE_MODE=run "CLWEAVE_MODE=run CLWEAVE_MANAGE_ALL=1" "CLWEAVE_MODE=trace CLWEAVE_OUT=$T/trace.json")
if [ -n "${ALL:-}" ]; then
    names=$("$program" list)
    ways+=("CLWEAVE_MODE=run CLWEAVE_POLICY=chaos" "CLWEAVE_MODE=run CLWEAVE_DSP=1"
           "CLWEAVE_MODE=run CLWEAVE_MANAGE_ALL=1 CLWEAVE_OUT=$T/ran.json")
fi
# answer COMMAND... : what it says, and how it ended; "timeout" says nothing of a signal. A recorder says that the function ended the
# process
answer() {
    timeout 240 "$@" > "$T/said" 2>&1
    local status=$?
    grep -v '^clweave\[[0-9]*\]: warning: the program ends inside an OpenCL call' "$T/said"
    echo "status $status"
}
"$program" clGetPlatformIDs > /dev/null || { echo "no device"; exit 77; } # PoCL keeps the kernel's code
export XDG_CACHE_HOME=$T/cache; mkdir -m 700 "$T/cache"
for i in 1 2 3 4; do # later runs take the build that these keep
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_LEARN=all "$program" clGetPlatformIDs > /dev/null
done
for name in $names; do
    answer "$program" $name > "$T/bare" 2> /dev/null
    for how in "${ways[@]}"; do
        answer env LD_PRELOAD="$shim" $how "$program" $name > "$T/run" 2> /dev/null
        compared=$((compared + 1))
        cmp -s "$T/bare" "$T/run" ||
            fail "$how, $name: $(tail -n 2 "$T/run" | xargs -0) instead of $(tail -n 2 "$T/bare" | xargs -0)"
    done
done
done_
