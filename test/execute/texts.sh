# Programs whose text is in several parts, captured, run again: headers that are other files by then, or gone; programs that were
# compiled with headers and linked.
. test/execute/common.sh
for which in one two odd; do
    capture linked-$which "$B/test/runmode/linked" $which
    equal linked-$which 3
done

mkdir "$T/headers"
echo '#define FACTOR 3' > "$T/headers/factor.h"
cat > "$T/include.c" <<'END'
#include <CL/cl.h>
int main(int argc, char **argv)
{
    const char *source = "#include \"factor.h\"\nkernel void f(global int *x) { x[get_global_id(0)] = FACTOR * get_global_id(0); }";
    cl_platform_id platform;
    cl_device_id device;
    cl_int out[64];
    size_t n = 64;
    int failed = clGetPlatformIDs(1, &platform, 0) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0);
    cl_context context = failed ? 0 : clCreateContext(0, 1, &device, 0, 0, 0);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, 0);
    cl_program program = clCreateProgramWithSource(context, 1, &source, 0, 0);
    cl_mem x = clCreateBuffer(context, 0, sizeof out, 0, 0);
    cl_kernel f;
    if (failed || argc < 2 || clBuildProgram(program, 0, 0, argv[1], 0, 0) || !(f = clCreateKernel(program, "f", 0)))
        return 1;
    return clSetKernelArg(f, 0, sizeof x, &x) || clEnqueueNDRangeKernel(queue, f, 1, 0, &n, 0, 0, 0, 0) ||
           clEnqueueReadBuffer(queue, x, 1, 0, sizeof out, out, 0, 0, 0);
}
END
${CC:-cc} -w -DCL_TARGET_OPENCL_VERSION=120 -o "$T/include" "$T/include.c" -lOpenCL || fail "include.c does not compile"
capture include "$T/include" "-I$T/headers"
equal include 2
echo '#define FACTOR 4' > "$T/headers/factor.h"
equal include 2
rm "$T/headers/factor.h"
equal include 2
"$cli" trace --capture-data --set no_sources=1 -o "$T/without.json" -- "$B/test/apps/reduction" > /dev/null || fail "without sources"
! "$cli" replay "$T/without.json" --execute 2> "$T/said" && grep -q 'without no_sources=1' "$T/said" || fail "no sources: $(cat "$T/said")"
