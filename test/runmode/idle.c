/* idle.c - a program that has nothing to do: then no thread of it wakes up, with work finished, and with a
 * gate unset. */
#include "common.h"

#include <dirent.h>
#include <unistd.h>

/* How often the other threads have been switched to or from. */
static unsigned long switches(void)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned long n, sum = 0;
    struct dirent *d;

    while (tasks && (d = readdir(tasks))) {
        char path[300], line[128];
        FILE *f;

        snprintf(path, sizeof path, "/proc/self/task/%s/status", d->d_name);
        f = atoi(d->d_name) > 0 && atoi(d->d_name) != gettid() ? fopen(path, "r") : NULL;
        while (f && fgets(line, sizeof line, f))
            if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1 ||
                sscanf(line, "nonvoluntary_ctxt_switches: %lu", &n) == 1)
                sum += n;
        if (f)
            fclose(f);
    }
    if (tasks)
        closedir(tasks);
    return sum;
}

/* What is begun may end first; who wakes up by the clock does it in every round. */
static const char *sleeps(void)
{
    for (int round = 0; round < 50; round++) {
        unsigned long before = switches();
        rm_sleep_ms(200);
        if (switches() == before)
            return "quiet";
    }
    return "restless";
}

int main(void)
{
    struct app a;
    cl_kernel add;
    cl_event gate, e;
    cl_mem x;
    int host[64] = {0};
    cl_int err;

    app_open(&a, "idle", 0, RM_SOURCE);
    add = app_kernel(&a, "add");
    x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof host, host);
    rm_warm(&a, add, x);
    app_args(add, "mi", x, 3);
    for (int i = 0; i < 20; i++)
        app_run(a.queue, add, 64, 0, 0, NULL, NULL);
    APP_CHECK(clFinish(a.queue));
    printf("nothing to do: %s\n", sleeps());
    gate = clCreateUserEvent(a.context, &err);
    app_run(a.queue, add, 64, 0, 1, &gate, &e);
    APP_CHECK(clFlush(a.queue));
    printf("behind a gate: %s\n", sleeps());
    APP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    APP_CHECK(clFinish(a.queue));
    clReleaseEvent(gate), clReleaseEvent(e);
    app_read(&a, x, 0, sizeof host, host);
    clReleaseMemObject(x), clReleaseKernel(add);
    return app_close(&a);
}
