#include "farm_serve.h"
#include "../io/quantity.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPORT_NS = 100000000, REPORT_BYTES = 1 << 20 };

/* The work of this process. */
static struct {
    struct cw_farm_worker *w;
    struct cw_dispatch_range range; /* tasks without a result: the first is run now */
    struct cw_farm_bytes results;   /* not reported yet */
    struct cw_farm_bytes output;
} work;

/* Joins the successor of the master. False: the worker is to end. */
static bool rejoin(void)
{
    struct cw_farm_up *up = &work.w->up;
    struct cw_dispatch_queue held = {0};
    bool ok = cw_farm_takeover_hold(&held, &work.results) && cw_dispatch_queue_put(&held, work.range);

    if (up->fd >= 0)
        close(up->fd);
    up->fd = -1;
    ok = ok && cw_farm_takeover_join(up, &held);
    cw_dispatch_queue_finish(&held);
    return ok;
}

/* While a program runs: the master's death is not to wait for its end, nor the end of the farm. */
static void watch(void)
{
    const struct cw_farm_up *up = &work.w->up;
    struct pollfd link = {up->fd, POLLRDHUP, 0};

    if (up->fd >= 0 && !cw_farm_task_stop && poll(&link, 1, 0) > 0 &&
        (cw_farm_tree_ended(up->tree) || !rejoin()))
        cw_farm_task_stop = 1;
}

static bool send_report(uint64_t wanted)
{
    const struct cw_farm_up *up = &work.w->up;

    return up->fd >= 0 && cw_farm_link_send(up->fd, CW_FARM_REPORT, up->epoch, &wanted, sizeof wanted,
                                            work.results.v, work.results.used);
}

/* Reports to the master, or to its successor. */
static bool report(uint64_t wanted)
{
    while (!send_report(wanted))
        if (!rejoin())
            return false;
    work.results.used = 0;
    return true;
}

/* Runs the tasks of the range. False: the worker is to end. */
static bool run_range(void)
{
    const struct cw_farm_worker *w = work.w;
    uint64_t first_ns = 0;

    while (work.range.count) {
        struct cw_farm_result r;
        bool ok;

        atomic_store(&w->now->task, work.range.first);
        ok = !cw_farm_task_stop &&
             cw_farm_task_run(w->plan, work.range.first, w->jobs, w->stream, w->now, &work.output, &r) &&
             cw_farm_result_add(&work.results, &r);
        atomic_store(&w->now->task, CW_DISPATCH_NOBODY);
        if (!ok)
            return false;
        work.range.first++;
        work.range.count--;
        if (first_ns == 0)
            first_ns = cw_monotonic_ns();
        if (work.range.count &&
            (work.results.used > REPORT_BYTES || cw_monotonic_ns() - first_ns > REPORT_NS)) {
            if (!report(0))
                return false;
            first_ns = 0;
        }
    }
    return true;
}

/* Waits for work. FULL: there is; CLOSED: the master is gone; EMPTY: END, or the worker is to end. */
static enum cw_farm_received receive(void)
{
    struct cw_farm_up *up = &work.w->up;
    struct cw_farm_frame f;
    const char *payload;

    while (!cw_farm_task_stop) {
        enum cw_farm_received got = cw_farm_link_next(&up->in, &f, &payload);

        if (got == CW_FARM_EMPTY)
            got = cw_farm_link_read(up->fd, &up->in);
        else if (got == CW_FARM_FULL && f.kind == CW_FARM_WORK && f.bytes == sizeof work.range)
            return memcpy(&work.range, payload, sizeof work.range), CW_FARM_FULL;
        else if (got == CW_FARM_FULL)
            return CW_FARM_EMPTY;
        if (got == CW_FARM_CLOSED || got == CW_FARM_NOMEM)
            return CW_FARM_CLOSED;
    }
    return CW_FARM_EMPTY;
}

int cw_farm_worker_serve(struct cw_farm_worker *w)
{
    enum cw_farm_received got = CW_FARM_FULL;
    bool ok = true;

    memset(&work, 0, sizeof work); /* a fork of another worker has the work of that */
    work.w = w;
    cw_farm_task_watch = watch;
    while (ok && got != CW_FARM_EMPTY && report(w->block)) {
        got = receive();
        if (got == CW_FARM_FULL)
            ok = run_range();
        else if (got == CW_FARM_CLOSED && !rejoin())
            break;
    }
    if (!ok)
        send_report(0); /* those that it has */
    free(work.results.v);
    free(work.output.v);
    free(w->up.in.bytes.v);
    return ok ? 0 : 1;
}
