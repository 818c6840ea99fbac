/* native_use.c - see memory/native_use.h. */
#include "native_use.h"

#include <stdlib.h>

#include "../../door/door.h"
#include "../core/global_lock.h"

struct cw_run_native_use {
    const struct cw_run_queue *queue;
    cl_event event; /* retained */
};

static bool is_over(cl_event event)
{
    cl_int status = CL_COMPLETE;

    cw_next.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status <= CL_COMPLETE;
}

bool cw_run_native_use_is_over(struct cw_run_native_uses *u)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < u->n; i++) {
        if (is_over(u->of[i].event))
            cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, u->of[i].event);
        else
            u->of[left++] = u->of[i];
    }
    u->n = left;
    return !left;
}

/* The commands of an in-order queue end in their order. */
static struct cw_run_native_use *of_queue(struct cw_run_native_uses *u, const struct cw_run_queue *q)
{
    for (uint32_t i = 0; q->in_order && i < u->n; i++)
        if (u->of[i].queue == q)
            return &u->of[i];
    return NULL;
}

static bool has_room(struct cw_run_native_uses *u)
{
    struct cw_run_native_use *grown;
    uint32_t room = u->capacity ? 2 * u->capacity : 4;

    if (u->n < u->capacity)
        return true;
    cw_run_native_use_is_over(u);
    if (2 * u->n < u->capacity)
        return true;
    grown = realloc(u->of, room * sizeof *grown);
    if (!grown)
        return u->n < u->capacity;
    u->of = grown;
    u->capacity = room;
    return true;
}

bool cw_run_native_use_add(struct cw_run_native_uses *u, const struct cw_run_queue *q, cl_event event)
{
    struct cw_run_native_use *old = of_queue(u, q);

    if ((!old && !has_room(u)) || cw_next.clRetainEvent(event) != CL_SUCCESS)
        return false;
    if (old)
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, old->event);
    else
        old = &u->of[u->n++];
    *old = (struct cw_run_native_use){q, event};
    return true;
}

void cw_run_native_use_free(struct cw_run_native_uses *u)
{
    for (uint32_t i = 0; i < u->n; i++)
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, u->of[i].event);
    free(u->of);
    *u = (struct cw_run_native_uses){0};
}
