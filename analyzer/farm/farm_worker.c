#include "farm_worker.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../sched/dispatch_queue.h"
#include "farm_link.h"

enum { REPORT_NS = 100000000, REPORT_BYTES = 1 << 20 };

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool report(const struct cw_farm_worker *w, uint32_t wanted, struct cw_farm_bytes *results)
{
    uint64_t head = wanted;
    bool sent =
        cw_farm_link_send(w->fd, CW_FARM_REPORT, w->epoch, &head, sizeof head, results->v, results->used);

    results->used = 0;
    return sent;
}

/* Runs the tasks of a range. False: the worker is to end. */
static bool run_range(const struct cw_farm_worker *w, struct cw_dispatch_range range,
                      struct cw_farm_bytes *results, struct cw_farm_bytes *output)
{
    uint64_t first_ns = 0;

    for (uint32_t t = range.first; t < range.first + range.count; t++) {
        struct cw_farm_result r;
        bool ok;

        atomic_store(&w->now->task, t);
        ok = !cw_farm_task_stop && cw_farm_task_run(w->plan, t, w->jobs, w->stream, w->now, output, &r) &&
             cw_farm_result_add(results, &r);
        atomic_store(&w->now->task, CW_DISPATCH_NOBODY);
        if (!ok)
            return false;
        if (first_ns == 0)
            first_ns = now_ns();
        if (t + 1 < range.first + range.count &&
            (results->used > REPORT_BYTES || now_ns() - first_ns > REPORT_NS)) {
            if (!report(w, 0, results))
                return false;
            first_ns = 0;
        }
    }
    return true;
}

/* Waits for work. Count 0: END, or the worker is to end. */
static struct cw_dispatch_range receive(const struct cw_farm_worker *w, struct cw_farm_inbox *in)
{
    struct cw_dispatch_range range = {0, 0};
    struct cw_farm_frame f;
    const char *payload;

    while (!cw_farm_task_stop) {
        enum cw_farm_received got = cw_farm_link_next(in, &f, &payload);

        if (got == CW_FARM_EMPTY)
            got = cw_farm_link_read(w->fd, in);
        else if (got == CW_FARM_FULL && f.kind == CW_FARM_WORK && f.bytes == sizeof range)
            return memcpy(&range, payload, sizeof range), range;
        else
            return range;
        if (got == CW_FARM_CLOSED || got == CW_FARM_NOMEM)
            return range;
    }
    return range;
}

int cw_farm_worker_serve(const struct cw_farm_worker *w)
{
    struct cw_farm_bytes results = {0}, output = {0};
    struct cw_farm_inbox in = {0};
    bool ok = true;

    while (ok && report(w, w->block, &results)) {
        struct cw_dispatch_range range = receive(w, &in);

        if (!range.count)
            break;
        ok = run_range(w, range, &results, &output);
    }
    if (!ok)
        report(w, 0, &results); /* those that it has */
    free(results.v);
    free(output.v);
    free(in.bytes.v);
    return ok ? 0 : 1;
}
