# Host memory that several commands or memory objects share: what is compared is what a command got or sent, also where others
# have overwritten it since; what OpenCL leaves open is refused.
. test/execute/common.sh
cat > "$T/shared.c" <<'C'
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { N = 16, BYTES = 4 * N, MANY = 4 };
static cl_context context;
static cl_device_id device;
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
static cl_event user_event(void)
{
    cl_int err;
    cl_event e = clCreateUserEvent(context, &err);
    check(err);
    return e;
}
static int *mapped(cl_mem m)
{
    cl_int err;
    int *p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &err);
    check(err);
    return p;
}
static void *set_late(void *gate)
{
    check(clSetUserEventStatus(gate, CL_COMPLETE));
    return NULL;
}
static void unmapped(int other) /* the host writes behind the enqueue of the unmap, and before it runs */
{
    cl_event gate = user_event(), behind;
    cl_command_queue second = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    pthread_t thread;
    cl_mem x[MANY];
    int *p;
    make(x);
    p = mapped(x[1]);
    if (other) { /* held back by a command that is */
        check(clEnqueueMarkerWithWaitList(second, 1, &gate, &behind));
        check(clFlush(second));
    }
    check(clEnqueueUnmapMemObject(queue, x[1], p, 1, other ? &behind : &gate, NULL));
    launch(x[1], x[1], 1); /* may write the same bytes */
    p[1] = 77;
    pthread_create(&thread, NULL, set_late, gate);
    check(clEnqueueReadBuffer(queue, x[1], CL_TRUE, 0, BYTES, memory[1], 0, NULL, NULL));
    pthread_join(thread, NULL);
    printf("%d\n", memory[1][1]);
}
static void brought(void) /* what is unmapped comes by a read that has not ended */
{
    cl_event gate = user_event();
    cl_mem x[MANY];
    int *p;
    make(x);
    p = mapped(x[1]);
    check(clEnqueueReadBuffer(queue, x[2], CL_FALSE, 0, BYTES, p, 1, &gate, NULL));
    check(clEnqueueUnmapMemObject(queue, x[1], p, 0, NULL, NULL));
    check(clSetUserEventStatus(gate, CL_COMPLETE));
    check(clEnqueueReadBuffer(queue, x[1], CL_TRUE, 0, BYTES, memory[1], 0, NULL, NULL));
    printf("%d\n", memory[1][1]);
}
static void held(int own) /* buffers go while a command of another queue, or on one of them, is held back */
{
    cl_command_queue second = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_event gate = user_event();
    int one = 1;
    cl_mem x[MANY];
    make(x);
    check(clFinish(queue));
    check(clEnqueueFillBuffer(second, x[own ? 0 : 3], &one, sizeof one, 0, BYTES, 1, &gate, NULL));
    for (int i = 0; i < MANY; i++)
        if (own || i != 3)
            check(clReleaseMemObject(x[i]));
    check(clSetUserEventStatus(gate, CL_COMPLETE));
    check(clFinish(second));
}
static void CL_CALLBACK leave(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    exit(0);
}
static void left(void) /* the program ends in a callback */
{
    cl_event gate = user_event(), behind;
    cl_mem x = buffer(0, BYTES, NULL);
    check(clEnqueueFillBuffer(queue, x, memory[0], sizeof(int), 0, BYTES, 1, &gate, &behind));
    check(clSetEventCallback(behind, CL_COMPLETE, leave, NULL));
    check(clSetUserEventStatus(gate, CL_COMPLETE));
    check(clFinish(queue));
    for (;;)
        pause();
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
    cl_program program;
    check(clGetPlatformIDs(1, &p, NULL));
    check(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    add = clCreateKernel(program, "add", NULL);
    queue = clCreateCommandQueueWithProperties(context, device, strcmp(what, "events") ? NULL : ooo, NULL);
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
    else if (!strcmp(what, "unmapped"))
        unmapped(0);
    else if (!strcmp(what, "unmapped_behind"))
        unmapped(1);
    else if (!strcmp(what, "brought"))
        brought();
    else if (!strcmp(what, "held_beside"))
        held(0);
    else if (!strcmp(what, "held"))
        held(1);
    else if (!strcmp(what, "left"))
        left();
    else if (!strcmp(what, "killed"))
        abort();
    return 0;
}
C
${CC:-cc} -DCL_TARGET_OPENCL_VERSION=300 -o "$T/shared" "$T/shared.c" -lOpenCL -lpthread || fail "shared.c does not compile"

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
compared unmapped 2
compared unmapped_behind 2
refused brought "a read that had not ended brought them"
# a user event of another queue holds no contents back; of one that may use them it does, and only that is left out
compared held_beside 0
[[ $out == "bit-identical: "*"4 buffers and"* ]] || fail "held_beside: $out"
capture held "$T/shared" held
out=$("$cli" replay "$T/held.json" --execute 2>&1)
[[ $out == "bit-identical where captured: "*"3 buffers and"*"its end was not captured: 1 buffer"* ]] || fail "held: $out"
grep -q "commands on it may wait for a user event that is not set" "$T/held.err" || fail "held: $(cat "$T/held.err")"
# what a captured trace lacks is not got by --capture-data
refused left "nothing can be compared"
[[ $out != *capture-data* ]] || fail "left: $out"
grep -q "the program ends in a callback" "$T/left.err" || fail "left: $(cat "$T/left.err")"
out=$("$cli" trace --capture-data -o "$T/killed.json" -- "$T/shared" killed 2>&1)
[[ $out == *"no enqueue of "*" had returned when it was killed"*"killed by signal 6"* && $out != *"enqueued nothing"* ]] || fail "killed: $out"
echo "21 programs"
