/* native_use.c - see memory/native_use.h. */
#include "native_use.h"

#include <stdlib.h>

#include "../../door/door.h"
#include "../core/global_lock.h"

struct use {
    const struct cw_run_region *region; /* NULL: any of the context */
    const struct cw_run_context *context;
    const struct cw_run_queue *queue;
    cl_event event; /* retained */
};

static struct {
    struct use *of;
    uint32_t n, capacity;
} uses;

static bool is_over(cl_event event)
{
    cl_int status = CL_COMPLETE;

    cw_next.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status <= CL_COMPLETE;
}

static void drop(uint32_t i)
{
    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, uses.of[i].event);
    uses.of[i] = uses.of[--uses.n];
}

void cw_run_native_use_settle(void)
{
    for (uint32_t i = uses.n; i-- > 0;)
        if (is_over(uses.of[i].event))
            drop(i);
}

void cw_run_native_use_forget(const void *gone)
{
    for (uint32_t i = uses.n; i-- > 0;)
        if (uses.of[i].queue == gone)
            uses.of[i].queue = NULL; /* another one may have its address */
        else if (uses.of[i].region == gone || uses.of[i].context == gone)
            drop(i);
}

bool cw_run_native_use_is_over(const struct cw_run_region *r)
{
    for (uint32_t i = uses.n; i-- > 0;) {
        if (uses.of[i].region ? uses.of[i].region != r : uses.of[i].context != r->root->context)
            continue;
        if (!is_over(uses.of[i].event))
            return false;
        drop(i);
    }
    return true;
}

uint32_t cw_run_native_use_references(cl_event event)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < uses.n; i++)
        n += uses.of[i].event == event;
    return n;
}

/* The commands of an in-order queue end in their order: the last one tells of all. */
static struct use *earlier(const struct cw_run_region *r, const struct cw_run_queue *q)
{
    for (uint32_t i = 0; q->in_order && i < uses.n; i++)
        if (uses.of[i].region == r && uses.of[i].queue == q)
            return &uses.of[i];
    return NULL;
}

static bool has_room(void)
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

bool cw_run_native_use_add(const struct cw_run_region *r, const struct cw_run_queue *q, cl_event event)
{
    struct use *u = earlier(r, q);

    if ((!u && !has_room()) || cw_next.clRetainEvent(event) != CL_SUCCESS)
        return false;
    if (u)
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, u->event);
    else
        u = &uses.of[uses.n++];
    *u = (struct use){r, q->context, q, event};
    return true;
}
