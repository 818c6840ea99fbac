#include "dispatch_state.h"

#include <stdlib.h>

/* ---- events */

static bool before(const struct cw_dispatch_event *a, const struct cw_dispatch_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void cw_dispatch_post(struct cw_dispatch *s, enum cw_dispatch_kind kind, double at, uint32_t node,
                      uint32_t to_epoch)
{
    struct cw_dispatch_event e = {at, s->order++, node, s->node[node].epoch, to_epoch, kind};
    size_t k = s->events;

    if (s->events == s->room) {
        size_t room = 2 * s->room + 1024;
        struct cw_dispatch_event *more = realloc(s->heap, room * sizeof *more);
        if (!more) {
            s->no_memory = true;
            return;
        }
        s->heap = more;
        s->room = room;
    }
    for (s->events++; k > 0 && before(&e, &s->heap[(k - 1) / 2]); k = (k - 1) / 2)
        s->heap[k] = s->heap[(k - 1) / 2];
    s->heap[k] = e;
}

struct cw_dispatch_event cw_dispatch_next(struct cw_dispatch *s)
{
    struct cw_dispatch_event top = s->heap[0], last = s->heap[--s->events];
    size_t k = 0, c;

    while ((c = 2 * k + 1) < s->events) {
        c += c + 1 < s->events && before(&s->heap[c + 1], &s->heap[c]);
        if (!before(&s->heap[c], &last))
            break;
        s->heap[k] = s->heap[c];
        k = c;
    }
    s->heap[k] = last;
    return top;
}

/* ---- queues */

void cw_dispatch_put(struct cw_dispatch *s, struct cw_dispatch_ring *q, struct cw_dispatch_range r)
{
    if (q->used == q->room) {
        uint32_t room = 2 * q->room + 8;
        struct cw_dispatch_range *more = malloc(room * sizeof *more);
        if (!more) {
            s->no_memory = true;
            return;
        }
        for (uint32_t k = 0; k < q->used; k++)
            more[k] = q->v[(q->head + k) % q->room];
        free(q->v);
        *q = (struct cw_dispatch_ring){more, 0, q->used, room};
    }
    if (r.count)
        q->v[(q->head + q->used++) % q->room] = r;
}

/* At most `most` tasks in a row from the head. */
struct cw_dispatch_range cw_dispatch_take(struct cw_dispatch_ring *q, uint64_t most)
{
    struct cw_dispatch_range *head = q->used ? &q->v[q->head] : NULL, r = {0, 0};

    if (!head)
        return r;
    r = (struct cw_dispatch_range){head->first, head->count < most ? head->count : (uint32_t)most};
    head->first += r.count;
    head->count -= r.count;
    if (head->count == 0) {
        q->head = (q->head + 1) % q->room;
        q->used--;
    }
    return r;
}

/* Puts a task at the end, into the last range where it belongs there. */
void cw_dispatch_put_task(struct cw_dispatch *s, struct cw_dispatch_ring *q, uint32_t task)
{
    struct cw_dispatch_range *last = q->used ? &q->v[(q->head + q->used - 1) % q->room] : NULL;

    if (last && last->first + last->count == task)
        last->count++;
    else
        cw_dispatch_put(s, q, (struct cw_dispatch_range){task, 1});
}
