#include "dispatch_state.h"

#include <stdlib.h>

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
