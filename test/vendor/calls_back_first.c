/* calls_back_first.c - PoCL ends waits for a command when its callbacks have returned: what a callback has
 * done is there behind clFinish, and one that waits for the waiting thread hangs. Streams
 * (shim/run/streams) wait so, too. */
#include "common.h"

#include <stdatomic.h>
#include <time.h>

static const char source[] = "__kernel void k(__global uint *x) { x[get_global_id(0)] = 1; }\n";
static atomic_int called;

static void CL_CALLBACK late(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    atomic_fetch_add(&called, 1);
}

static void CL_CALLBACK never(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    while (!atomic_load(&called))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static int finish(void *callback)
{
    struct vendor v;
    cl_command_queue q;
    cl_event e;
    cl_kernel k;

    vendor_open(&v, "pthread", source, "");
    q = vendor_queue(&v, 0);
    k = vendor_kernel(&v, "k");
    app_args(k, "m", vendor_buffer(&v, 1024, NULL));
    app_run(q, k, 256, 0, 0, NULL, &e);
    APP_CHECK(clSetEventCallback(e, CL_COMPLETE, callback ? late : never, NULL));
    APP_CHECK(clFinish(q));
    return !atomic_load(&called);
}

int main(void)
{
    int status = vendor_in_child(finish, &called, 300);

    vendor_expect(!status, "clFinish returns behind the callbacks: status %d", status);
    status = vendor_in_child(finish, NULL, 3);
    vendor_expect(status == VENDOR_HUNG, "a callback that waits for clFinish's thread hangs: status %d",
                  status);
    return vendor_status();
}
