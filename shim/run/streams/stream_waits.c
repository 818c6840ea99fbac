/* stream_waits.c - see streams/stream_waits.h. */
#include "stream_waits.h"

#include <stdlib.h>
#include <string.h>

/* Room for the list and all that may be added. */
static bool make_space(struct cw_stream_waits *w, cl_uint n, const cl_event *list)
{
    size_t capacity = (size_t)n * (CW_STREAM_MAX + 1) + CW_STREAM_MAX;
    cl_event *to = w->few;

    if (capacity > sizeof w->few / sizeof *w->few)
        to = w->heap = malloc(capacity * sizeof *to);
    if (!to)
        return false;
    if (n)
        memcpy(to, list, n * sizeof *to);
    w->list = to;
    return true;
}

void cw_stream_waits_open(struct cw_stream_waits *w, const struct cw_stream_queue *q, cl_uint n,
                          const cl_event *list)
{
    bool given = n && list;
    cl_event *to;

    w->n = w->own = w->own_end = n;
    w->added = 0;
    w->list = list;
    w->outside = false;
    w->heap = NULL;
    w->bad = !n != !list || !make_space(w, given ? n : 0, list);
    if (w->bad)
        return; /* the vendor knows the error */
    to = (cl_event *)(uintptr_t)w->list;
    for (cl_uint i = 0; i < n; i++) {
        struct cw_stream_event *e = cw_stream_object_pin(list[i], CW_STREAM_EVENT);

        if (!e || e->queue != q)
            w->outside |= cw_query_status(list[i]) > CL_COMPLETE;
        if (e && e->queue != q)
            cw_stream_event_before(e, to, &w->n);
        if (e)
            cw_stream_object_unpin(e);
    }
    w->own_end = w->n;
    w->outside |= w->own_end > w->own;
    if (!w->n)
        w->list = NULL;
}

void cw_stream_waits_add(struct cw_stream_waits *w, cl_event event)
{
    cl_event *to = w->heap ? w->heap : w->few;

    cw_next.clRetainEvent(event);
    if (w->bad) {
        w->few[w->added++] = event;
        return;
    }
    w->list = to;
    to[w->n++] = event;
}

void cw_stream_waits_before(const struct cw_stream_waits *w, cl_command_queue queue, bool no_list)
{
    const cl_event *list = w->bad ? w->few : w->list;
    cl_uint n = w->bad ? w->added : no_list ? w->n : 0;

    if (n && cw_next.clEnqueueBarrierWithWaitList(queue, n, list, NULL) != CL_SUCCESS)
        cw_next.clWaitForEvents(n, list);
}

void cw_stream_waits_close(struct cw_stream_waits *w)
{
    for (cl_uint i = 0; i < w->added; i++)
        cw_next.clReleaseEvent(w->few[i]);
    for (cl_uint i = w->own; i < w->n; i++)
        if (!w->bad)
            cw_next.clReleaseEvent(w->list[i]);
    free(w->heap);
}
