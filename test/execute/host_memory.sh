# Host memory that several commands or memory objects share: what is compared is what a command got or sent, also where others
# have overwritten it since; what OpenCL leaves open is refused.
. test/execute/common.sh
cat > "$T/shared.c" <<'C'
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 16, BYTES = 4 * N, MANY = 4 };
static cl_context context;
static cl_command_queue queue;
static cl_kernel add;
static int memory[64][N] __attribute__((aligned(4096)));
static void check(cl_int err)
{
    if (err != CL_SUCCESS)
        exit(1);
}
static cl_mem buffer(cl_mem_flags flags, size_t bytes, void *host)
{
    cl_int err;
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE | flags, bytes, host, &err);
    check(err);
    return m;
}
static void launch(cl_mem to, cl_mem from, int by)
{
    size_t n = N;
    check(clSetKernelArg(add, 0, sizeof to, &to));
    check(clSetKernelArg(add, 1, sizeof from, &from));
    check(clSetKernelArg(add, 2, sizeof by, &by));
    check(clEnqueueNDRangeKernel(queue, add, 1, NULL, &n, NULL, 0, NULL, NULL));
}
/* MANY buffers of unlike contents. */
static void make(cl_mem *x)
{
    for (int i = 0; i < MANY; i++) {
        for (int k = 0; k < N; k++)
            memory[63][k] = 1000 * i + k;
        x[i] = buffer(CL_MEM_COPY_HOST_PTR, BYTES, memory[63]);
        launch(x[i], x[i], 7);
    }
}
static void reads(size_t step, cl_event *events) /* each begins `step` integers behind the one before it */
{
    cl_mem x[MANY];
    make(x);
    for (int i = 0; i < MANY; i++)
        check(clEnqueueReadBuffer(queue, x[i], CL_FALSE, 0, BYTES, memory[0] + i * step, events && i, events && i ? &events[i - 1] : NULL,
                                  events ? &events[i] : NULL));
    check(clFinish(queue));
    printf("%d\n", memory[0][1]);
}
static void rows(void)
{
    size_t from[3] = {0, 0, 0}, region[3] = {16, 4, 1};
    cl_mem x[MANY];
    make(x);
    for (int i = 0; i < MANY; i++) { /* two share their bytes, the rows of the others lie between them */
        size_t to[3] = {16 * (size_t)(i / 2), 0, 0};
        check(clEnqueueReadBufferRect(queue, x[i], CL_FALSE, from, to, region, 16, 0, 64, 0, memory[0], 0, NULL, NULL));
    }
    check(clFinish(queue));
    printf("%d\n", memory[0][1]);
}
static void again(void) /* the last one is waited for: only what it has brought is sure */
{
    cl_mem x[MANY];
    cl_event e;
    make(x);
    check(clEnqueueReadBuffer(queue, x[0], CL_FALSE, 0, BYTES, memory[0], 0, NULL, NULL));
    check(clEnqueueReadBuffer(queue, x[1], CL_FALSE, 0, BYTES, memory[0], 0, NULL, &e));
    check(clWaitForEvents(1, &e));
    memset(memory[0], 0, BYTES);
    check(clEnqueueReadBuffer(queue, x[2], CL_FALSE, 0, BYTES, memory[1], 0, NULL, NULL));
    check(clEnqueueReadBuffer(queue, x[3], CL_TRUE, 0, BYTES, memory[1], 0, NULL, NULL));
    printf("%d\n", memory[1][1]);
}
static void sent(cl_bool blocking) /* what a read brings is written at once */
{
    cl_mem x[MANY];
    make(x);
    check(clEnqueueReadBuffer(queue, x[0], CL_FALSE, 0, BYTES, memory[0], 0, NULL, NULL));
    check(clEnqueueWriteBuffer(queue, x[1], blocking, 0, BYTES, memory[0], 0, NULL, NULL));
    launch(x[2], x[1], 1);
    check(clEnqueueReadBuffer(queue, x[2], CL_TRUE, 0, BYTES, memory[1], 0, NULL, NULL));
    printf("%d\n", memory[1][1]);
}
static void gated(void) /* likewise, behind a user event */
{
    cl_mem x[MANY];
    cl_event gate = clCreateUserEvent(context, NULL);
    make(x);
    check(clEnqueueReadBuffer(queue, x[0], CL_FALSE, 0, BYTES, memory[0], 1, &gate, NULL));
    check(clEnqueueWriteBuffer(queue, x[1], CL_FALSE, 0, BYTES, memory[0], 0, NULL, NULL));
    launch(x[2], x[1], 1);
    check(clEnqueueReadBuffer(queue, x[2], CL_FALSE, 0, BYTES, memory[1], 0, NULL, NULL));
    check(clSetUserEventStatus(gate, CL_COMPLETE));
    check(clFinish(queue));
    printf("%d\n", memory[1][1]);
}
static void sent_twice(void) /* and overwritten before anybody looks */
{
    cl_mem x[MANY];
    make(x);
    check(clEnqueueReadBuffer(queue, x[0], CL_FALSE, 0, BYTES, memory[0], 0, NULL, NULL));
    check(clEnqueueWriteBuffer(queue, x[1], CL_FALSE, 0, BYTES, memory[0], 0, NULL, NULL));
    check(clEnqueueReadBuffer(queue, x[2], CL_FALSE, 0, BYTES, memory[0], 0, NULL, NULL));
    check(clFinish(queue));
}
static void over(int by) /* two objects over the same memory, or parts of it, at a time */
{
    cl_mem x = buffer(CL_MEM_USE_HOST_PTR, BYTES, memory[0]), y = buffer(CL_MEM_USE_HOST_PTR, BYTES, memory[0] + by), z[MANY];
    make(z);
    launch(x, z[0], 1);
    launch(z[1], y, 2);
    check(clEnqueueReadBuffer(queue, z[1], CL_TRUE, 0, BYTES, memory[1], 0, NULL, NULL));
    printf("%d\n", memory[1][1]);
}
static void inputs(void) /* which are only read */
{
    cl_mem x = buffer(CL_MEM_USE_HOST_PTR, BYTES, memory[0]), y = buffer(CL_MEM_USE_HOST_PTR, BYTES, memory[0]), z[MANY];
    make(z);
    for (int i = 0; i < MANY; i++)
        check(clEnqueueCopyBuffer(queue, i % 2 ? x : y, z[i], 0, 0, BYTES, 0, NULL, NULL));
    check(clEnqueueReadBuffer(queue, z[1], CL_TRUE, 0, BYTES, memory[1], 0, NULL, NULL));
    printf("%d\n", memory[1][1]);
}
static void in_turn(void) /* one object after the other */
{
    for (int i = 0; i < MANY; i++) {
        cl_mem x = buffer(CL_MEM_USE_HOST_PTR, BYTES, memory[0]);
        launch(x, x, 1);
        check(clEnqueueReadBuffer(queue, x, CL_TRUE, 0, BYTES, memory[1], 0, NULL, NULL));
        clReleaseMemObject(x);
    }
    printf("%d\n", memory[1][1]);
}
int main(int argc, char **argv)
{
    const char *source = "kernel void add(global int *to, global int *from, int by)"
                         "{ size_t i = get_global_id(0); to[i] = from[i] + by; }";
    const char *what = argc > 1 ? argv[1] : "";
    cl_queue_properties ooo[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_event events[MANY];
    cl_platform_id p;
    cl_device_id d;
    cl_program program;
    check(clGetPlatformIDs(1, &p, NULL));
    check(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL));
    context = clCreateContext(NULL, 1, &d, NULL, NULL, NULL);
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    add = clCreateKernel(program, "add", NULL);
    queue = clCreateCommandQueueWithProperties(context, d, strcmp(what, "events") ? NULL : ooo, NULL);
    if (!strcmp(what, "reads"))
        reads(0, NULL);
    else if (!strcmp(what, "overlapping"))
        reads(3, NULL);
    else if (!strcmp(what, "beside"))
        reads(N, NULL);
    else if (!strcmp(what, "events"))
        reads(0, events);
    else if (!strcmp(what, "rows"))
        rows();
    else if (!strcmp(what, "again"))
        again();
    else if (!strcmp(what, "sent"))
        sent(CL_FALSE);
    else if (!strcmp(what, "sent_now"))
        sent(CL_TRUE);
    else if (!strcmp(what, "gated"))
        gated();
    else if (!strcmp(what, "sent_twice"))
        sent_twice();
    else if (!strcmp(what, "over"))
        over(0);
    else if (!strcmp(what, "over_part"))
        over(3);
    else if (!strcmp(what, "inputs"))
        inputs();
    else if (!strcmp(what, "in_turn"))
        in_turn();
    return 0;
}
C
${CC:-cc} -DCL_TARGET_OPENCL_VERSION=300 -o "$T/shared" "$T/shared.c" -lOpenCL || fail "shared.c does not compile"

# compared NAME LEAST : equal, and so many read-backs at least were compared
compared() {
    capture "$1" "$T/shared" "$1"
    out=$("$cli" replay "$T/$1.json" --execute --order random --seed 1 --repeat 20 2>&1)
    [[ $out == bit-identical:* ]] || fail "$1: $out"
    n=$(sed -n 's/.* buffers* and \([0-9]*\) read-back.*/\1/p' <<< "$out")
    [ "${n:-0}" -ge "$2" ] || fail "$1: $n read-backs were compared: $out"
}
refused() {
    capture "$1" "$T/shared" "$1"
    out=$("$cli" replay "$T/$1.json" --execute 2>&1) && fail "$1: not refused: $out"
    [[ $out == *"$2"* ]] || fail "$1: $out"
}
# whether an earlier read was seen before the next one overwrote it is luck; the last one is compared
compared reads 1
compared overlapping 1
compared beside 4
compared events 0 # what orders them there is not looked at
compared rows 1
compared again 2
compared sent 1
compared sent_now 1
compared gated 2
compared inputs 1
compared in_turn 4
refused over "lie over the same host memory"
refused over_part "lie over the same host memory"
capture sent_twice "$T/shared" sent_twice
out=$("$cli" replay "$T/sent_twice.json" --execute 2>&1)
[[ $out == bit-identical:* || $out == *"were not captured"* ]] || fail "sent_twice: $out"
echo "14 programs"
