/* polls.c - programs that flush and ask until it is over: the calls do not wait for a kernel, however brief
 * it was before. */
#include "common.h"

static const char source[] = "__kernel void until(volatile __global uint *flag, __global uint *out) {\n"
                             "    while (!flag[0])\n"
                             "        ;\n"
                             "    out[get_global_id(0)] = out[get_global_id(0)] * 3 + flag[0];\n"
                             "}\n"
                             "__kernel void times(__global const uint *count, __global uint *out) {\n"
                             "    uint v = out[get_global_id(0)];\n"
                             "    for (uint i = 0; i < count[0]; i++)\n"
                             "        v = v * 5 + i;\n"
                             "    out[get_global_id(0)] = v;\n"
                             "}\n"
                             "__kernel void once(__global uint *out, uint n) {\n"
                             "    for (uint i = 0; i < n; i++)\n"
                             "        out[get_global_id(0)] += i + 7;\n"
                             "}\n";

static struct app a;
static uint32_t flag[1024] __attribute__((aligned(4096)));

static cl_int status_of(cl_event e)
{
    cl_int status;

    APP_CHECK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static cl_event enqueue(cl_kernel k)
{
    cl_event e;

    app_run(a.queue, k, 64, 0, 0, NULL, &e);
    APP_CHECK(clFlush(a.queue));
    return e;
}

static void many(cl_kernel k, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        cl_event e = enqueue(k);
        rm_poll(e);
        APP_CHECK(clReleaseEvent(e));
    }
}

/* Brief while the flag is set; then it waits for the program, which must get back from its calls to set it.
 */
static void waits_for_us(cl_kernel until)
{
    cl_event e;
    int early = 0;

    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    many(until, 40);
    for (int i = 0; i < 5; i++) {
        __atomic_store_n(flag, 0, __ATOMIC_RELEASE);
        e = enqueue(until);
        for (int k = 0; k < 100; k++)
            early += status_of(e) <= CL_COMPLETE;
        __atomic_store_n(flag, 2, __ATOMIC_RELEASE);
        rm_poll(e);
        printf("over: %d, early %d\n", status_of(e), early);
        APP_CHECK(clReleaseEvent(e));
    }
}

int main(void)
{
    uint32_t host[64] = {0}, count = 2;
    cl_mem m[3];
    cl_kernel until, times, once;

    app_open(&a, "polls", 0, source);
    until = app_kernel(&a, "until"), times = app_kernel(&a, "times"), once = app_kernel(&a, "once");
    m[0] = app_buffer(&a, CL_MEM_USE_HOST_PTR, sizeof flag, flag);
    m[1] = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof host, host);
    m[2] = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof count, &count);
    app_args(until, "mm", m[0], m[1]);
    waits_for_us(until);
    app_args(times, "mm", m[2], m[1]);
    many(times, 40);
    count = 100000;
    APP_CHECK(clEnqueueWriteBuffer(a.queue, m[2], CL_TRUE, 0, sizeof count, &count, 0, NULL, NULL));
    many(times, 2);
    app_args(once, "mu", m[1], 3);
    many(once, 40);
    app_args(once, "mu", m[1], 100000);
    many(once, 2);
    app_read(&a, m[1], 0, sizeof host, host);
    app_release_mems(m, 3);
    clReleaseKernel(until), clReleaseKernel(times), clReleaseKernel(once);
    return app_close(&a);
}
