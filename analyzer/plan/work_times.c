#include "plan_graph.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

/* When nothing at all was measured: a launch of a small kernel, and a bus of 8 GB/s. */
#define GUESS_LAUNCH_NS   5000.0
#define GUESS_NS_PER_ITEM 1.0
#define GUESS_NS_PER_BYTE 0.125

bool cw_work_is_kernel(const struct cw_command *c)
{
    return c->kernel != CW_NONE && (c->type == CL_COMMAND_NDRANGE_KERNEL || c->type == CL_COMMAND_TASK);
}

bool cw_work_is_transfer(const struct cw_command *c)
{
    return cw_trace_command_is_enqueue(c) && !cw_work_is_kernel(c) && c->type != CL_COMMAND_MARKER &&
           c->type != CL_COMMAND_BARRIER;
}

/* The device that command `c` was enqueued to; 0 when its queue is not known. */
static uint32_t work_times_device(const struct cw_work_times *w, const struct cw_command *c)
{
    const struct cw_trace *t = w->trace;
    uint32_t device = c->queue < t->queues.count ? t->queues.v[c->queue].device : CW_NONE;

    return device < t->devices.count ? device : 0;
}

static const char *kernel_name(const struct cw_trace *t, uint32_t kernel)
{
    const char *name = kernel < t->kernels.count ? t->kernels.v[kernel].name : NULL;

    return name ? name : "kernel";
}

static double items(const struct cw_command *c)
{
    return (double)c->global_size[0] * (double)c->global_size[1] * (double)c->global_size[2];
}

static double bytes(const struct cw_trace *t, const struct cw_command *c)
{
    double sum = 0;

    if (c->transfer < t->transfers.count && t->transfers.v[c->transfer].bytes)
        return (double)t->transfers.v[c->transfer].bytes;
    for (uint32_t a = 0; a < c->accesses.count; a++)
        sum += (double)t->accesses.v[c->accesses.first + a].bytes;
    return sum;
}

static bool measured(const struct cw_command *c)
{
    return c->start_ns && c->end_ns > c->start_ns;
}

/* ---- collecting */

struct named {
    const char *name;
    uint32_t kernel;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* Programs make the same kernel again and again; its times belong together. */
static bool number_names(struct cw_work_times *w)
{
    uint32_t n = (uint32_t)w->trace->kernels.count;
    struct named *sorted = malloc((n + 1) * sizeof *sorted);

    w->name_of = malloc((n + 1) * sizeof *w->name_of);
    if (!sorted || !w->name_of) {
        free(sorted);
        return false;
    }
    for (uint32_t k = 0; k < n; k++)
        sorted[k] = (struct named){kernel_name(w->trace, k), k};
    qsort(sorted, n, sizeof *sorted, by_name);
    for (uint32_t k = 0; k < n; k++) {
        w->names += k == 0 || strcmp(sorted[k].name, sorted[k - 1].name) != 0;
        w->name_of[sorted[k].kernel] = w->names - 1;
    }
    free(sorted);
    return true;
}

static void add(struct cw_rate *r, double ns, double amount)
{
    r->ns += ns;
    r->amount += amount;
}

static void collect(struct cw_work_times *w, const struct cw_command *c)
{
    double ns = (double)(c->end_ns - c->start_ns);

    if (c->status != 0 || !measured(c))
        return;
    if (cw_work_is_kernel(c) && c->kernel < w->trace->kernels.count) {
        uint32_t name = w->name_of[c->kernel];
        add(&w->kernel[(size_t)name * w->trace->devices.count + work_times_device(w, c)], ns, items(c));
        add(&w->any_device[name], ns, items(c));
        add(&w->any_kernel, ns, items(c));
    } else if (cw_work_is_transfer(c)) {
        add(&w->transfer, ns, bytes(w->trace, c));
    }
}

enum cw_status cw_work_times_init(struct cw_work_times *w, const struct cw_trace *t, struct cw_error *err)
{
    *w = (struct cw_work_times){.trace = t};
    if (number_names(w)) {
        w->kernel = calloc((size_t)w->names * t->devices.count + 1, sizeof *w->kernel);
        w->any_device = calloc(w->names + 1, sizeof *w->any_device);
    }
    if (!w->kernel || !w->any_device) {
        cw_work_times_finish(w);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the times of %zu commands",
                            t->commands.count);
    }
    for (size_t i = 0; t->devices.count && i < t->commands.count; i++)
        collect(w, &t->commands.v[i]);
    return CW_OK;
}

void cw_work_times_finish(struct cw_work_times *w)
{
    free(w->name_of);
    free(w->kernel);
    free(w->any_device);
    *w = (struct cw_work_times){0};
}

/* ---- asking */

static bool known(const struct cw_rate *r)
{
    return r->amount > 0;
}

static double estimate(const struct cw_rate *r, double amount, double guess_per_unit)
{
    return known(r) ? amount * r->ns / r->amount : GUESS_LAUNCH_NS + amount * guess_per_unit;
}

bool cw_work_times_get(const struct cw_work_times *w, const struct cw_command *c, struct cw_work *work)
{
    const struct cw_rate *rate = &w->transfer;

    *work = (struct cw_work){0};
    if (cw_work_is_kernel(c)) {
        work->kernel = kernel_name(w->trace, c->kernel);
        work->items = items(c);
        rate = c->kernel < w->trace->kernels.count ? &w->any_device[w->name_of[c->kernel]] : &w->any_kernel;
        if (!known(rate))
            rate = &w->any_kernel;
    } else {
        work->bytes = bytes(w->trace, c);
    }
    if (measured(c)) {
        work->traced_ns = (double)(c->end_ns - c->start_ns);
        return true;
    }
    work->traced_ns = work->kernel ? estimate(rate, work->items, GUESS_NS_PER_ITEM)
                                   : estimate(rate, work->bytes, GUESS_NS_PER_BYTE);
    return false;
}

static double peak(const struct cw_t_device *d)
{
    return (double)(d->compute_units ? d->compute_units : 1) * (d->max_clock_mhz ? d->max_clock_mhz : 1);
}

double cw_work_times_elsewhere(const struct cw_work_times *w, const struct cw_command *c,
                               const struct cw_work *work, uint32_t d, bool *is_measured)
{
    const struct cw_trace *t = w->trace;
    uint32_t own = work_times_device(w, c);
    const struct cw_rate *rate;

    *is_measured = true;
    if (d == own || !work->kernel || c->kernel >= t->kernels.count)
        return work->traced_ns;
    rate = &w->kernel[(size_t)w->name_of[c->kernel] * t->devices.count + d];
    if (known(rate))
        return work->items * rate->ns / rate->amount;
    *is_measured = false;
    return work->traced_ns * peak(&t->devices.v[own]) / peak(&t->devices.v[d]);
}
