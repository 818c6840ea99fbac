/* finishes_unflushed.c - PoCL finishes work that nobody flushes, so a program may poll for it. Design,
 * section 6: the window closes by itself when devices are idle. */
#include "common.h"

#include <time.h>

static const char source[] = "__kernel void k(__global uint *x) { x[get_global_id(0)] = 1; }\n";

static int poll_unflushed(void *devices)
{
    struct vendor v;
    vendor_open(&v, devices, source, "");
    cl_event done;
    cl_command_queue q = vendor_queue(&v, 0);
    cl_kernel k = vendor_kernel(&v, "k");
    app_args(k, "m", vendor_buffer(&v, 1024, NULL));
    app_run(q, k, 256, 0, 0, NULL, &done);
    while (vendor_event_status(done) != CL_COMPLETE)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return 0;
}

int main(void)
{
    static char *const drivers[] = {"pthread", "basic"};
    for (int i = 0; i < 2; i++) {
        int status = vendor_in_child(poll_unflushed, drivers[i], 300);
        vendor_expect(status == 0, "%s: polling sees an unflushed kernel complete: status %d (1000: never)",
                      drivers[i], status);
    }
    return vendor_status();
}
