#include "dispatch_master.h"

#include <stdlib.h>
#include <string.h>

enum { TAKEN = CW_DISPATCH_TRIES_MAX };

enum cw_status cw_dispatch_master_init_on(struct cw_dispatch_master *m, uint32_t *holder, uint32_t first,
                                          uint32_t tasks, uint32_t children, uint32_t tries,
                                          struct cw_error *err)
{
    *m = (struct cw_dispatch_master){
        .tasks = tasks, .children = children, .first = first, .tries = tries, .holder = holder};
    m->left = tries ? tasks : 0;
    m->failures = tries ? calloc((size_t)tasks + 1, sizeof *m->failures) : NULL;
    m->child = calloc(children, sizeof *m->child);
    if (!holder || (tries && !m->failures) || !m->child)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", tasks);
    return CW_OK;
}

enum cw_status cw_dispatch_master_init(struct cw_dispatch_master *m, uint32_t tasks, uint32_t children,
                                       uint32_t tries, struct cw_error *err)
{
    uint32_t *holder = malloc(((size_t)tasks + 1) * sizeof *holder);
    enum cw_status status = cw_dispatch_master_init_on(m, holder, 0, tasks, children, tries, err);

    m->own = holder;
    if (holder)
        memset(holder, 0xff, (size_t)tasks * sizeof *holder);
    return status;
}

bool cw_dispatch_master_reserve(struct cw_dispatch_master *m, uint32_t ranges)
{
    return cw_dispatch_queue_reserve(&m->queue, ranges);
}

void cw_dispatch_master_clear(struct cw_dispatch_master *m, uint32_t tasks)
{
    m->tasks = tasks;
    m->left = m->tries ? tasks : 0;
    m->queue.head = m->queue.used = 0;
    memset(m->holder, 0xff, (size_t)tasks * sizeof *m->holder);
    if (m->failures)
        memset(m->failures, 0, tasks);
    for (uint32_t c = 0; c < m->children; c++)
        m->child[c] = (struct cw_dispatch_child){.epoch = m->child[c].epoch + 1};
}

void cw_dispatch_master_finish(struct cw_dispatch_master *m)
{
    cw_dispatch_queue_finish(&m->queue);
    free(m->own);
    free(m->failures);
    free(m->child);
    *m = (struct cw_dispatch_master){0};
}

static void take(struct cw_dispatch_master *m, uint32_t task)
{
    if (m->failures)
        m->failures[task] = TAKEN;
    m->left--;
}

void cw_dispatch_master_restore(struct cw_dispatch_master *m, uint32_t task)
{
    m->holder[task] = CW_DISPATCH_NOBODY;
    if (m->failures[task] != TAKEN)
        take(m, task);
}

/* The child that holds `task`; m->children or more: none does. */
static uint32_t holder_of(const struct cw_dispatch_master *m, uint32_t task)
{
    return m->holder[task] - m->first;
}

enum cw_status cw_dispatch_master_begin(struct cw_dispatch_master *m, struct cw_error *err)
{
    for (uint32_t t = 0; t < m->tasks; t++) {
        uint32_t child = holder_of(m, t);

        if (child < m->children) {
            m->child[child].held++;
            m->left += !m->failures;
        } else if (m->failures && m->failures[t] != TAKEN && !cw_dispatch_queue_put_task(&m->queue, t)) {
            return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", m->tasks);
        }
    }
    return CW_OK;
}

bool cw_dispatch_master_add(struct cw_dispatch_master *m, struct cw_dispatch_range r)
{
    m->left += r.count;
    return cw_dispatch_queue_put(&m->queue, r);
}

bool cw_dispatch_master_holdings(const struct cw_dispatch_master *m, struct cw_dispatch_queue *q)
{
    bool ok = true;

    for (uint32_t k = 0; k < m->queue.used; k++)
        ok &= cw_dispatch_queue_put(q, m->queue.v[(m->queue.head + k) % m->queue.capacity]);
    for (uint32_t t = 0; t < m->tasks; t++)
        if (holder_of(m, t) < m->children)
            ok &= cw_dispatch_queue_put_task(q, t);
    return ok;
}

struct cw_dispatch_range cw_dispatch_master_request(struct cw_dispatch_master *m, uint32_t child,
                                                    uint32_t epoch, uint32_t n)
{
    struct cw_dispatch_child *c = &m->child[child];
    struct cw_dispatch_range r = {0, 0};

    if (epoch != c->epoch)
        return r;
    r = cw_dispatch_queue_grant(&m->queue, m->holder, m->first + child, n);
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
    if (!m->failures || ++m->failures[task] >= m->tries) {
        take(m, task);
        return CW_DISPATCH_TAKE;
    }
    return cw_dispatch_queue_put_task(&m->queue, task) ? CW_DISPATCH_AGAIN : CW_DISPATCH_NOMEM;
}

enum cw_dispatch_report cw_dispatch_master_report(struct cw_dispatch_master *m, uint32_t child,
                                                  uint32_t epoch, uint32_t task, bool failed)
{
    struct cw_dispatch_child *c = &m->child[child];

    if (epoch != c->epoch || task >= m->tasks || !cw_dispatch_queue_settle(m->holder, m->first + child, task))
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
    if (!cw_dispatch_master_join(m, child, NULL, 0))
        report = CW_DISPATCH_NOMEM;
    return report;
}

bool cw_dispatch_master_join(struct cw_dispatch_master *m, uint32_t child,
                             const struct cw_dispatch_range *held, size_t n)
{
    struct cw_dispatch_child *c = &m->child[child];
    bool ok = true;

    cw_dispatch_master_leave(m, child);
    if (c->held)
        ok = cw_dispatch_queue_keep(&m->queue, m->holder, m->first + child, m->tasks, held, n, &c->held);
    return ok;
}

void cw_dispatch_master_leave(struct cw_dispatch_master *m, uint32_t child)
{
    m->child[child].epoch++;
    m->child[child].owed = 0;
}
