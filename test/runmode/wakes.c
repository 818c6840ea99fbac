/* wakes.c [MOST] - a program that waits for each of its launches, which take some milliseconds: threads that
 * look after it take the processors that its kernels want. With MOST it says of launches of several lengths
 * whether a thread slept and woke more often than so for each; the delays of a busy machine do not add
 * to that number. */
#include "common.h"

#include <dirent.h>
#include <unistd.h>

#define THREADS  64
#define LAUNCHES 40
#define ITEMS    64 /* one work-group: where there are more, the threads that share them meet */

struct thread {
    int id;
    unsigned long slept;
};

/* How often each thread has gone to sleep. */
static int look(struct thread *t)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *d;
    int n = 0;

    while (tasks && n < THREADS && (d = readdir(tasks))) {
        char path[300], line[128];
        FILE *f;

        snprintf(path, sizeof path, "/proc/self/task/%s/status", d->d_name);
        t[n].id = atoi(d->d_name);
        f = t[n].id > 0 ? fopen(path, "r") : NULL;
        while (f && fgets(line, sizeof line, f))
            n += sscanf(line, "voluntary_ctxt_switches: %lu", &t[n].slept) == 1;
        if (f)
            fclose(f);
    }
    if (tasks)
        closedir(tasks);
    return n;
}

static double most_slept(const struct thread *before, int n, const struct thread *after, int m)
{
    unsigned long most = 0;

    for (int i = 0; i < m; i++)
        for (int k = 0; k < n; k++)
            if (after[i].id == before[k].id && after[i].slept - before[k].slept > most)
                most = after[i].slept - before[k].slept;
    return (double)most;
}

/* Steps for launches of so many milliseconds, about. */
static int steps_for(struct app *a, cl_kernel slow, cl_mem x, double ms)
{
    int steps = 1000;

    for (;; steps *= 2) {
        double begin = rm_ms();
        app_args(slow, "mi", x, steps);
        app_run(a->queue, slow, ITEMS, 64, 0, NULL, NULL);
        APP_CHECK(clFinish(a->queue));
        if (rm_ms() - begin > 4)
            return (int)(steps * ms / (rm_ms() - begin));
    }
}

/* How often the most restless thread wakes for each of some launches. */
static double wakes(struct app *a, cl_kernel slow, cl_mem x, double ms)
{
    struct thread before[THREADS], after[THREADS];
    int n;

    app_args(slow, "mi", x, steps_for(a, slow, x, ms));
    n = look(before);
    for (int i = 0; i < LAUNCHES; i++) {
        app_run(a->queue, slow, ITEMS, 64, 0, NULL, NULL);
        APP_CHECK(clFinish(a->queue));
    }
    return most_slept(before, n, after, look(after)) / LAUNCHES;
}

int main(int argc, char **argv)
{
    static const double lengths[] = {1, 2, 3, 5, 10};
    double most = argc > 1 ? atof(argv[1]) : 0;
    int host[ITEMS] = {0};
    struct app a;
    cl_kernel slow;
    cl_mem x;

    app_open(&a, "wakes", 0, RM_SOURCE);
    slow = app_kernel(&a, "slow");
    x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof host, host);
    for (size_t i = 0; i < (most > 0 ? sizeof lengths / sizeof *lengths : 1); i++) {
        double each = wakes(&a, slow, x, lengths[i]);
        if (most > 0)
            printf("launches of %.0f ms: %s\n", lengths[i], each <= most ? "quiet" : "restless");
        if (most > 0 && each > most)
            fprintf(stderr, "launches of %.0f ms: a thread woke %.1f times for each\n", lengths[i], each);
    }
    clReleaseMemObject(x), clReleaseKernel(slow);
    return app_close(&a);
}
