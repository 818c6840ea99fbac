/* kernel_times.c - see kernel_times.h. */
#include "kernel_times.h"
#include "../record/command_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collect {
    const struct cw_trace *t;
    const struct cw_launch_work *work;
    uint32_t *launch; /* command ids, by kernel's name and NDRange */
    size_t n;
    uint64_t *ns; /* room for the times of all launches */
};

static const char *name_of(const struct cw_trace *t, uint32_t command)
{
    const char *name = t->kernels.v[t->commands.v[command].kernel].name;

    return name ? name : "?";
}

/* As strcmp: NDRanges without a local size before those with one. */
static int compare_ranges(const struct cw_command *x, const struct cw_command *y)
{
    int c = memcmp(x->global_size, y->global_size, sizeof x->global_size);

    if (x->work_dim != y->work_dim)
        return x->work_dim < y->work_dim ? -1 : 1;
    if (c || x->local_null != y->local_null)
        return c ? c : x->local_null ? -1 : 1;
    return x->local_null ? 0 : memcmp(x->local_size, y->local_size, sizeof x->local_size);
}

static int by_name_and_range(const void *a, const void *b, void *trace)
{
    const struct cw_trace *t = trace;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int c = strcmp(name_of(t, x), name_of(t, y));

    if (!c)
        c = compare_ranges(&t->commands.v[x], &t->commands.v[y]);
    return c ? c : (x > y) - (x < y);
}

static uint64_t bytes_of(const struct cw_trace *t, const struct cw_command *k)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < k->accesses.count; i++) {
        const struct cw_t_access *a = &t->accesses.v[k->accesses.first + i];
        bytes += (a->mode & CW_ACCESS_READ ? a->bytes : 0) + (a->mode & CW_ACCESS_WRITE ? a->bytes : 0);
    }
    return bytes;
}

/* Adds what a launch that took `ns` did. */
static void add_work(struct cw_kernel_row *row, const struct cw_launch_work *w, uint64_t ns)
{
    if (!w->no_flops) {
        row->single += w->single;
        row->twice += w->twice;
        row->flops_ns += ns;
        row->flops_launches++;
    } else if (!row->no_flops) {
        row->no_flops = w->no_flops;
    }
    if (!w->no_bytes) {
        row->work_bytes += w->bytes;
        row->bytes_ns += ns;
        row->bytes_launches++;
    } else if (!row->no_bytes) {
        row->no_bytes = w->no_bytes;
    }
}

/* Sorts the launches that have a time into bins; ns[0 .. n-1] ascend. */
static void fill_bins(struct cw_kernel_row *row, const uint64_t *ns, size_t n)
{
    double width = row->spread.max > row->spread.min
                       ? log((double)row->spread.max / (double)row->spread.min) / CW_KERNEL_BINS
                       : 0;

    for (size_t i = 0; i < n; i++) {
        size_t bin = width > 0 ? (size_t)(log((double)ns[i] / (double)row->spread.min) / width) : 0;
        row->bins[bin < CW_KERNEL_BINS ? bin : CW_KERNEL_BINS - 1]++;
    }
}

/* The row of launch[first .. first+n-1]. */
static struct cw_kernel_row make_row(struct collect *c, size_t first, size_t n)
{
    const uint32_t id = c->launch[first];
    struct cw_kernel_row row = {.kernel = c->t->commands.v[id].kernel, .launch = id, .launches = n};
    size_t timed = 0;

    for (size_t i = first; i < first + n; i++) {
        const struct cw_command *k = &c->t->commands.v[c->launch[i]];
        uint64_t ns = cw_command_device_ns(k);
        row.failed += !cw_command_works(k);
        if (!ns)
            continue;
        c->ns[timed++] = ns;
        row.bytes += bytes_of(c->t, k);
        if (c->work)
            add_work(&row, &c->work[c->launch[i]], ns);
    }
    row.spread = cw_spread_of(c->ns, timed);
    fill_bins(&row, c->ns, timed);
    return row;
}

static int by_weight(const void *a, const void *b)
{
    const struct cw_kernel_row *x = a, *y = b;

    if (x->spread.sum != y->spread.sum)
        return x->spread.sum > y->spread.sum ? -1 : 1;
    if (x->launches != y->launches)
        return x->launches > y->launches ? -1 : 1;
    return x->launch < y->launch ? -1 : x->launch > y->launch;
}

/* Makes the rows of one kernel, whose launches are launch[first .. end-1], at the end of both arrays. */
static void add_kernel(struct cw_kernel_times *k, struct collect *c, size_t first, size_t end)
{
    struct cw_kernel_row *row = &k->kernels[k->kernel_count++];

    *row = make_row(c, first, end - first);
    row->first_range = k->range_count;
    for (size_t i = first, next; i < end; i = next) {
        for (next = i + 1; next < end && !compare_ranges(&c->t->commands.v[c->launch[i]],
                                                         &c->t->commands.v[c->launch[next]]);)
            next++;
        k->ranges[k->range_count++] = make_row(c, i, next - i);
    }
    row->range_count = k->range_count - row->first_range;
    qsort(k->ranges + row->first_range, row->range_count, sizeof *k->ranges, by_weight);
    k->ns += row->spread.sum;
}

/* Counts kernels and NDRanges among the sorted launches. */
static void count_rows(const struct collect *c, size_t *kernels, size_t *ranges)
{
    *kernels = *ranges = 0;
    for (size_t i = 0; i < c->n; i++) {
        bool other = !i || strcmp(name_of(c->t, c->launch[i - 1]), name_of(c->t, c->launch[i]));
        *kernels += other;
        *ranges += other ||
                   compare_ranges(&c->t->commands.v[c->launch[i - 1]], &c->t->commands.v[c->launch[i]]) != 0;
    }
}

static bool make_rows(struct cw_kernel_times *k, struct collect *c)
{
    size_t kernels, ranges;

    qsort_r(c->launch, c->n, sizeof *c->launch, by_name_and_range, (void *)(uintptr_t)c->t);
    count_rows(c, &kernels, &ranges);
    c->ns = malloc((c->n + 1) * sizeof *c->ns);
    k->kernels = malloc((kernels + 1) * sizeof *k->kernels);
    k->ranges = malloc((ranges + 1) * sizeof *k->ranges);
    if (!c->ns || !k->kernels || !k->ranges)
        return false;
    for (size_t i = 0, next; i < c->n; i = next) {
        for (next = i + 1;
             next < c->n && !strcmp(name_of(c->t, c->launch[i]), name_of(c->t, c->launch[next]));)
            next++;
        add_kernel(k, c, i, next);
    }
    qsort(k->kernels, k->kernel_count, sizeof *k->kernels, by_weight);
    return true;
}

enum cw_status cw_kernel_times_init(struct cw_kernel_times *k, const struct cw_trace *t,
                                    const struct cw_launch_work *work, struct cw_error *err)
{
    struct collect c = {.t = t, .work = work};
    bool ok;

    *k = (struct cw_kernel_times){0};
    c.launch = malloc((t->commands.count + 1) * sizeof *c.launch);
    for (uint32_t i = 0; c.launch && i < t->commands.count; i++)
        if (t->commands.v[i].kernel < t->kernels.count)
            c.launch[c.n++] = i;
    ok = c.launch && make_rows(k, &c);
    free(c.launch);
    free(c.ns);
    return ok ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
}

void cw_kernel_times_finish(struct cw_kernel_times *k)
{
    free(k->kernels);
    free(k->ranges);
    *k = (struct cw_kernel_times){0};
}

double cw_kernel_times_gbps(const struct cw_kernel_row *row)
{
    if (row->spread.sum && row->bytes_ns == row->spread.sum) /* all by their models */
        return (double)row->work_bytes / (double)row->bytes_ns;
    return row->spread.sum ? (double)row->bytes / (double)row->spread.sum : 0;
}

double cw_kernel_times_gflops(const struct cw_kernel_row *row)
{
    return row->flops_ns ? (row->single + row->twice) / (double)row->flops_ns : 0;
}

void cw_kernel_times_range(const struct cw_command *k, const char *by, char text[160])
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned d = 0; d < k->work_dim && d < 3; d++)
        used += (size_t)snprintf(text + used, 160 - used, "%s%" PRIu64, d ? by : "", k->global_size[d]);
    for (unsigned d = 0; d < k->work_dim && d < 3 && !k->local_null; d++)
        used += (size_t)snprintf(text + used, 160 - used, "%s%" PRIu64, d ? by : " / ", k->local_size[d]);
}
