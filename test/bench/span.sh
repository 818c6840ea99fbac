# libspancl.so times a program whose OpenCL comes with a module that is loaded RTLD_LOCAL, as Python's modules are.
set -u
[ -e /etc/OpenCL/vendors/pocl.icd ] || { echo "no OpenCL driver: package pocl-opencl-icd"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
cat > "$T/module.c" << 'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

int fill_and_read(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_uint word = 7, back = 0;

    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return -1;
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, NULL);
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof word, NULL, NULL);
    clEnqueueWriteBuffer(q, m, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL);
    clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof back, &back, 0, NULL, NULL);
    return (int)back;
}
C
gcc -shared -fPIC -o "$T/module.so" "$T/module.c" -lOpenCL || exit 1
LD_PRELOAD=$B/test/libspancl.so python3 -c "import ctypes; print(ctypes.CDLL('$T/module.so').fill_and_read())" \
    > "$T/out" 2> "$T/err"
[ "$(cat "$T/out")" = 7 ] || { echo "FAIL: the module read '$(cat "$T/out")', not 7"; exit 1; }
grep -Eq '^span_ns [0-9]+$' "$T/err" || { echo "FAIL: no span"; exit 1; }
