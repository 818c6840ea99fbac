/* basic_synchronous.c - the `basic` device runs a kernel inside clEnqueueNDRangeKernel, on the calling
 * thread; two of them run at once only because two threads call. Design, sections 6 and 7: one driving thread
 * per such device.
 *
 * Shown by rendezvous, not by time: two kernels on two devices wait for each other through memory. */
#include "common.h"

#include <pthread.h>

static const char source[] =
    "__kernel void mark(__global uint *restrict x) { x[get_global_id(0)] = 7; }\n"
    /* leaves 1 in met[role] if the other role was seen to begin */
    "__kernel void meet(volatile __global uint *restrict begun, __global uint *restrict met, uint role) {\n"
    "    begun[role] = 1;\n"
    "    for (uint i = 0; begun[1 - role] == 0 && i < 4000000000u; i++) { }\n"
    "    met[role] = begun[1 - role];\n"
    "}\n";

static volatile cl_uint memory[1024] __attribute__((aligned(4096)));

struct caller {
    struct vendor *v;
    cl_mem begun, met;
    cl_uint role;
};

static void *call(void *data)
{
    struct caller *c = data;
    cl_command_queue q = vendor_queue(c->v, c->role);
    cl_kernel k = vendor_kernel(c->v, "meet");
    app_args(k, "mmu", c->begun, c->met, c->role);
    app_run(q, k, 1, 1, 0, NULL, NULL);
    APP_CHECK(clFinish(q));
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseCommandQueue(q));
    return NULL;
}

static void finished_on_return(struct vendor *v)
{
    cl_event done;
    cl_command_queue q = vendor_queue(v, 0);
    cl_kernel k = vendor_kernel(v, "mark");
    cl_mem m = vendor_buffer(v, sizeof memory, (void *)memory);
    app_args(k, "m", m);
    app_run(q, k, 64, 0, 0, NULL, &done);
    cl_uint seen = memory[63];
    cl_int status = vendor_event_status(done);
    vendor_expect(status == CL_COMPLETE && seen == 7,
                  "when clEnqueueNDRangeKernel returns, nothing flushed, the event's status is %d and the "
                  "memory holds %u",
                  status, seen);
    APP_CHECK(clReleaseEvent(done));
    app_release_mems(&m, 1);
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseCommandQueue(q));
}

static void two_threads_meet(struct vendor *v)
{
    cl_uint met[2] = {0, 0};
    pthread_t thread;
    struct caller c[2] = {{v, vendor_buffer(v, 8, NULL), vendor_buffer(v, 8, NULL), 0}};
    const cl_uint zero = 0;
    cl_command_queue q = vendor_queue(v, 0);
    APP_CHECK(clEnqueueFillBuffer(q, c[0].begun, &zero, sizeof zero, 0, 8, 0, NULL, NULL));
    APP_CHECK(clFinish(q));
    c[1] = c[0];
    c[1].role = 1;
    if (pthread_create(&thread, NULL, call, &c[0]))
        vendor_skip("cannot start a thread");
    call(&c[1]);
    pthread_join(thread, NULL);
    APP_CHECK(clEnqueueReadBuffer(q, c[0].met, CL_TRUE, 0, sizeof met, met, 0, NULL, NULL));
    vendor_expect(met[0] && met[1],
                  "kernels on two basic devices, called from two threads, see each other run: %u %u", met[0],
                  met[1]);
    app_release_mems((cl_mem[]){c[0].begun, c[0].met}, 2);
    APP_CHECK(clReleaseCommandQueue(q));
}

int main(void)
{
    struct vendor v;
    vendor_open(&v, "basic basic", source, "");
    finished_on_return(&v);
    two_threads_meet(&v);
    vendor_close(&v);
    return vendor_status();
}
