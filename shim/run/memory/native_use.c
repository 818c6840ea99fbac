/* native_use.c - see memory/native_use.h. */
#include "native_use.h"

#include <stdlib.h>

#include "../../door/door.h"
#include "../core/global_lock.h"

struct use {
    const struct cw_run_region *region; /* NULL: any of the context */
    const struct cw_run_context *context;
    struct cw_run_queue *queue;
    cl_event event;        /* retained; NULL: it is unmarked */
    uint64_t given, after; /* cw_run_native_use_add() */
};

static struct {
    struct use *of;
    uint32_t n, capacity;
} uses;

static bool is_over(const struct use *u)
{
    if (!u->event)
        return u->queue && u->queue->native_known >= u->given;
    return cw_query_status(u->event) <= CL_COMPLETE;
}

static void drop(uint32_t i)
{
    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, uses.of[i].event);
    uses.of[i] = uses.of[--uses.n];
}

void cw_run_native_use_settle(void)
{
    for (uint32_t i = uses.n; i-- > 0;)
        if (is_over(&uses.of[i]))
            drop(i);
}

static bool is_unmarked(const struct use *u)
{
    return !u->event && u->queue && !is_over(u);
}

bool cw_run_native_use_is_unmarked(const struct cw_run_queue *q)
{
    bool found = false;

    for (uint32_t i = 0; !found && i < uses.n; i++)
        found = uses.of[i].queue == q && is_unmarked(&uses.of[i]);
    return found;
}

struct cw_run_queue *cw_run_native_use_unmarked(const struct cw_run_context *c,
                                                const struct cw_run_queue *but)
{
    for (uint32_t i = 0; i < uses.n; i++)
        if (uses.of[i].context == c && uses.of[i].queue != but && is_unmarked(&uses.of[i]) &&
            !uses.of[i].queue->native_calls)
            return uses.of[i].queue;
    return NULL;
}

void cw_run_native_use_marked(const struct cw_run_queue *q, uint64_t given, cl_event marker)
{
    for (uint32_t i = 0; i < uses.n; i++) {
        if (uses.of[i].queue != q || !is_unmarked(&uses.of[i]) || uses.of[i].given > given)
            continue;
        if (cw_next.clRetainEvent(marker) == CL_SUCCESS)
            uses.of[i].event = marker;
        else
            uses.of[i].queue = NULL; /* nothing tells when it is over: its bytes stay at home */
    }
}

void cw_run_native_use_forget(const void *gone)
{
    for (uint32_t i = uses.n; i-- > 0;)
        if (uses.of[i].queue == gone && is_over(&uses.of[i]))
            drop(i);
        else if (uses.of[i].queue == gone)
            uses.of[i].queue = NULL; /* another one may have its address */
        else if (uses.of[i].region == gone || uses.of[i].context == gone)
            drop(i);
}

/* A native command of `q`, or of several queues where that is NULL, is behind `t`. One that waits for native
 * work may have no order with commands of other queues (memory/byte_range.c). */
static bool is_behind(const struct cw_run_task *t, uint64_t after, const struct cw_run_queue *q)
{
    return t && t->order.sequence <= after && (!t->behind_native || (q == t->queue && q->in_order));
}

bool cw_run_native_use_begins(const struct cw_run_task *t)
{
    const struct cw_run_queue *q = t->queue;
    const struct cw_run_context *c = q->context;

    return c->native_calls && !is_behind(t, c->called_after, q->native_calls == c->native_calls ? q : NULL);
}

bool cw_run_native_use_lets(const struct cw_run_region *r, const struct cw_run_task *t)
{
    for (uint32_t i = uses.n; i-- > 0;) {
        if (uses.of[i].region ? uses.of[i].region != r : uses.of[i].context != r->root->context)
            continue;
        if (is_behind(t, uses.of[i].after, uses.of[i].queue))
            continue;
        if (!is_over(&uses.of[i]))
            return false;
        drop(i);
    }
    return true;
}

bool cw_run_native_use_is_over(const struct cw_run_region *r)
{
    return cw_run_native_use_lets(r, NULL);
}

uint32_t cw_run_native_use_references(cl_event event)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < uses.n; i++)
        n += uses.of[i].event == event;
    return n;
}

/* The commands of an in-order queue end in their order: the last one tells of all. */
static struct use *earlier(const struct cw_run_region *r, const struct cw_run_queue *q, uint64_t after)
{
    for (uint32_t i = 0; q->in_order && i < uses.n; i++)
        if (uses.of[i].region == r && uses.of[i].queue == q && uses.of[i].after == after)
            return &uses.of[i];
    return NULL;
}

static bool has_space(void)
{
    struct use *grown;

    if (uses.n == uses.capacity)
        cw_run_native_use_settle();
    if (2 * uses.n < uses.capacity)
        return true;
    grown = realloc(uses.of, (2 * uses.n + 8) * sizeof *grown);
    if (!grown)
        return uses.n < uses.capacity;
    uses.of = grown;
    uses.capacity = 2 * uses.n + 8;
    return true;
}

bool cw_run_native_use_add(const struct cw_run_region *r, struct cw_run_queue *q, cl_event event,
                           uint64_t given, uint64_t after)
{
    struct use *u = earlier(r, q, after);

    if ((!u && !has_space()) || (event && cw_next.clRetainEvent(event) != CL_SUCCESS))
        return false;
    if (u)
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, u->event);
    else
        u = &uses.of[uses.n++];
    *u = (struct use){r, q->context, q, event, given, after};
    return true;
}
