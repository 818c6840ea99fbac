/* share_idle.c - see tiles/share.h. */
#include "share.h"

#include <stdlib.h>

#include "../core/clock.h"
#include "../core/state.h"
#include "../../../sched/whole.h"

enum { TAKEN = 16 }; /* parts of one window that a worker is remembered to have */

struct span {
    double from, to;
};

/* A launch that the plan has on a worker. */
struct planned {
    struct span span;
    uint32_t worker;
    double latest; /* the end of all up to this one */
};

struct cw_run_share_idle {
    const struct cw_run_plan *plan;
    struct span taken[CW_RUN_WORKERS][TAKEN]; /* rings */
    uint32_t takes[CW_RUN_WORKERS];           /* so far */
    uint32_t first[CW_RUN_WORKERS + 1];       /* of each worker, in `planned` */
    struct planned planned[];                 /* by worker and begin */
};

static int by_begin(const void *a, const void *b)
{
    const struct planned *x = a, *y = b;

    if (x->worker != y->worker)
        return x->worker < y->worker ? -1 : 1;
    return x->span.from < y->span.from ? -1 : x->span.from > y->span.from;
}

static struct span span_of(const struct cw_run_plan *plan, uint32_t i)
{
    return (struct span){plan->start_ns[i], plan->finish_ns[i]};
}

struct cw_run_share_idle *cw_run_share_idle_open(const struct cw_run_shared *s)
{
    struct cw_run_share_idle *idle = calloc(1, sizeof *idle + s->tasks * sizeof *idle->planned);
    uint32_t n = 0, worker = 0;

    if (!idle)
        return NULL;
    idle->plan = s->plan;
    for (uint32_t i = 0; i < s->tasks; i++)
        if (s->task[i]->work == CW_RUN_LAUNCH)
            idle->planned[n++] = (struct planned){.span = span_of(s->plan, i), .worker = s->plan->device[i]};
    qsort(idle->planned, n, sizeof *idle->planned, by_begin);
    for (uint32_t i = 0; i < n; i++) {
        struct planned *p = &idle->planned[i];

        while (worker < p->worker)
            idle->first[++worker] = i;
        p->latest = i > idle->first[worker] && p[-1].latest > p->span.to ? p[-1].latest : p->span.to;
    }
    while (worker < CW_RUN_WORKERS)
        idle->first[++worker] = n;
    return idle;
}

void cw_run_share_idle_close(struct cw_run_share_idle *idle)
{
    free(idle);
}

static bool overlap(const struct span *a, const struct span *b)
{
    return a->from < b->to && a->to > b->from;
}

/* The plan has a launch on `worker` within `span`. */
static bool is_planned(const struct cw_run_share_idle *idle, uint32_t worker, const struct span *span)
{
    uint32_t low = idle->first[worker], high = idle->first[worker + 1], middle;

    while (low < high) { /* the first that begins behind the span */
        middle = low + (high - low) / 2;
        if (idle->planned[middle].span.from < span->to)
            low = middle + 1;
        else
            high = middle;
    }
    return low > idle->first[worker] && idle->planned[low - 1].latest > span->from;
}

bool cw_run_share_idle_is(const struct cw_run_share_idle *idle, uint32_t i, uint32_t worker)
{
    const struct cw_run_worker *l = &cw_run.workers[worker];
    struct span span = span_of(idle->plan, i);

    if (idle->plan->device[i] == worker)
        return true;
    if (l->building || l->quit ||
        (l->busy && l->busy_until_ns > cw_run_clock_devices_ns() + cw_whole_from(span.from, INT64_MAX)))
        return false;
    for (uint32_t k = 0; k < TAKEN && k < idle->takes[worker]; k++)
        if (overlap(&idle->taken[worker][k], &span))
            return false;
    return !is_planned(idle, worker, &span);
}

void cw_run_share_idle_take(struct cw_run_share_idle *idle, uint32_t i, uint32_t worker)
{
    idle->taken[worker][idle->takes[worker]++ % TAKEN] = span_of(idle->plan, i);
}
