/* one_thread_pool.c - two `pthread` devices share one pool of threads: the second adds none, and the two
 * together are no faster than one. Design, section 6: sub-devices or `basic` devices are used instead. */
#include "common.h"

#include <dirent.h>
#include <stdio.h>

static const char source[] = "__kernel void k(__global uint *x) { x[get_global_id(0)] = 1; }\n";

static int threads_now(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    if (!d)
        vendor_skip("/proc is not there");
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* Uses every device of POCL_DEVICES=`data` once and returns the number of threads of the process. */
static int count_threads(void *data)
{
    struct vendor v;
    vendor_open(&v, data, source, "");
    cl_kernel k = vendor_kernel(&v, "k");
    for (cl_uint i = 0; i < v.count; i++) {
        cl_uint got[256];
        cl_command_queue q = vendor_queue(&v, i);
        cl_mem m = vendor_buffer(&v, sizeof got, NULL);
        app_args(k, "m", m);
        app_run(q, k, 256, 16, 0, NULL, NULL);
        APP_CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        app_release_mems(&m, 1);
        APP_CHECK(clReleaseCommandQueue(q));
    }
    int n = threads_now();
    APP_CHECK(clReleaseKernel(k));
    vendor_close(&v);
    return n > 76 ? 76 : n;
}

int main(void)
{
    int one = vendor_in_child(count_threads, "pthread", 300),
        two = vendor_in_child(count_threads, "pthread pthread", 300);
    vendor_expect(one > 1 && one < VENDOR_HUNG && one == two,
                  "threads of a process with pthread: %d, with pthread pthread: %d", one, two);
    return vendor_status();
}
