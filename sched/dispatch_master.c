#include "dispatch_master.h"

#include <stdlib.h>
#include <string.h>

enum { TAKEN = CW_DISPATCH_TRIES_MAX };

enum cw_status cw_dispatch_master_init(struct cw_dispatch_master *m, uint32_t tasks, uint32_t children,
                                       uint32_t tries, struct cw_error *err)
{
    *m = (struct cw_dispatch_master){.tasks = tasks, .children = children, .tries = tries, .left = tasks};
    m->holder = malloc(((size_t)tasks + 1) * sizeof *m->holder);
    m->failures = calloc((size_t)tasks + 1, sizeof *m->failures);
    m->child = calloc(children, sizeof *m->child);
    if (!m->holder || !m->failures || !m->child)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", tasks);
    memset(m->holder, 0xff, (size_t)tasks * sizeof *m->holder);
    return CW_OK;
}

void cw_dispatch_master_finish(struct cw_dispatch_master *m)
{
    cw_dispatch_queue_finish(&m->queue);
    free(m->holder);
    free(m->failures);
    free(m->child);
    *m = (struct cw_dispatch_master){0};
}

static void take(struct cw_dispatch_master *m, uint32_t task)
{
    m->failures[task] = TAKEN;
    m->left--;
}

void cw_dispatch_master_restore(struct cw_dispatch_master *m, uint32_t task)
{
    if (m->failures[task] != TAKEN)
        take(m, task);
}

enum cw_status cw_dispatch_master_begin(struct cw_dispatch_master *m, struct cw_error *err)
{
    for (uint32_t t = 0; t < m->tasks; t++)
        if (m->failures[t] != TAKEN && !cw_dispatch_queue_put_task(&m->queue, t))
            return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", m->tasks);
    return CW_OK;
}

struct cw_dispatch_range cw_dispatch_master_request(struct cw_dispatch_master *m, uint32_t child,
                                                    uint32_t epoch, uint32_t n)
{
    struct cw_dispatch_child *c = &m->child[child];
    struct cw_dispatch_range r = {0, 0};

    if (epoch != c->epoch)
        return r;
    r = cw_dispatch_queue_grant(&m->queue, m->holder, child, n);
    c->held += r.count;
    c->owed = r.count ? 0 : n;
    return r;
}

uint32_t cw_dispatch_master_parked(const struct cw_dispatch_master *m)
{
    for (uint32_t c = 0; m->queue.used && c < m->children; c++)
        if (m->child[c].owed)
            return c;
    return CW_DISPATCH_NOBODY;
}

static enum cw_dispatch_report fail(struct cw_dispatch_master *m, uint32_t task)
{
    if (++m->failures[task] >= m->tries) {
        take(m, task);
        return CW_DISPATCH_TAKE;
    }
    return cw_dispatch_queue_put_task(&m->queue, task) ? CW_DISPATCH_AGAIN : CW_DISPATCH_NOMEM;
}

enum cw_dispatch_report cw_dispatch_master_report(struct cw_dispatch_master *m, uint32_t child,
                                                  uint32_t epoch, uint32_t task, bool failed)
{
    struct cw_dispatch_child *c = &m->child[child];

    if (epoch != c->epoch || task >= m->tasks || !cw_dispatch_queue_settle(m->holder, child, task))
        return CW_DISPATCH_STALE;
    c->held--;
    if (failed)
        return fail(m, task);
    take(m, task);
    return CW_DISPATCH_TAKE;
}

enum cw_dispatch_report cw_dispatch_master_death(struct cw_dispatch_master *m, uint32_t child,
                                                 uint32_t running)
{
    struct cw_dispatch_child *c = &m->child[child];
    enum cw_dispatch_report report = CW_DISPATCH_STALE;

    if (running < m->tasks)
        report = cw_dispatch_master_report(m, child, c->epoch, running, true);
    if (c->held &&
        !cw_dispatch_queue_return(&m->queue, m->holder, child, (struct cw_dispatch_range){0, m->tasks}))
        report = CW_DISPATCH_NOMEM;
    *c = (struct cw_dispatch_child){.epoch = c->epoch + 1};
    return report;
}
