#include "dispatch_queue.h"

#include <stdlib.h>

void cw_dispatch_queue_finish(struct cw_dispatch_queue *q)
{
    free(q->v);
    *q = (struct cw_dispatch_queue){0};
}

bool cw_dispatch_queue_reserve(struct cw_dispatch_queue *q, uint32_t capacity)
{
    struct cw_dispatch_range *more;

    if (capacity <= q->capacity)
        return true;
    more = malloc(capacity * sizeof *more);
    if (!more)
        return false;
    for (uint32_t k = 0; k < q->used; k++)
        more[k] = q->v[(q->head + k) % q->capacity];
    free(q->v);
    *q = (struct cw_dispatch_queue){more, 0, q->used, capacity};
    return true;
}

bool cw_dispatch_queue_put(struct cw_dispatch_queue *q, struct cw_dispatch_range r)
{
    if (q->used == q->capacity && !cw_dispatch_queue_reserve(q, 2 * q->capacity + 8))
        return false;
    if (r.count)
        q->v[(q->head + q->used++) % q->capacity] = r;
    return true;
}

bool cw_dispatch_queue_put_task(struct cw_dispatch_queue *q, uint32_t task)
{
    struct cw_dispatch_range *last = q->used ? &q->v[(q->head + q->used - 1) % q->capacity] : NULL;

    if (!last || last->first + last->count != task)
        return cw_dispatch_queue_put(q, (struct cw_dispatch_range){task, 1});
    last->count++;
    return true;
}

struct cw_dispatch_range cw_dispatch_queue_take(struct cw_dispatch_queue *q, uint64_t most)
{
    struct cw_dispatch_range *head = q->used ? &q->v[q->head] : NULL, r = {0, 0};

    if (!head)
        return r;
    r = (struct cw_dispatch_range){head->first, head->count < most ? head->count : (uint32_t)most};
    head->first += r.count;
    head->count -= r.count;
    if (head->count == 0) {
        q->head = (q->head + 1) % q->capacity;
        q->used--;
    }
    return r;
}

struct cw_dispatch_range cw_dispatch_queue_grant(struct cw_dispatch_queue *q, uint32_t *holder,
                                                 uint32_t child, uint64_t most)
{
    struct cw_dispatch_range r = cw_dispatch_queue_take(q, most);

    for (uint32_t t = r.first; t < r.first + r.count; t++)
        holder[t] = child;
    return r;
}

bool cw_dispatch_queue_settle(uint32_t *holder, uint32_t child, uint32_t task)
{
    if (holder[task] != child)
        return false;
    holder[task] = CW_DISPATCH_NOBODY;
    return true;
}

bool cw_dispatch_queue_return(struct cw_dispatch_queue *q, uint32_t *holder, uint32_t child,
                              struct cw_dispatch_range r)
{
    bool ok = true;

    for (uint32_t t = r.first; t < r.first + r.count; t++)
        if (cw_dispatch_queue_settle(holder, child, t))
            ok &= cw_dispatch_queue_put_task(q, t);
    return ok;
}

#define STORED UINT32_C(0x80000000) /* marks a holder for the time of one call */

bool cw_dispatch_queue_keep(struct cw_dispatch_queue *q, uint32_t *holder, uint32_t child, uint32_t tasks,
                            const struct cw_dispatch_range *stored, size_t n, uint32_t *held)
{
    bool ok;

    *held = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t t = stored[i].first; t < tasks && t - stored[i].first < stored[i].count; t++)
            if (holder[t] == child) {
                holder[t] = child | STORED;
                ++*held;
            }
    ok = cw_dispatch_queue_return(q, holder, child, (struct cw_dispatch_range){0, tasks});
    for (size_t i = 0; i < n; i++)
        for (uint32_t t = stored[i].first; t < tasks && t - stored[i].first < stored[i].count; t++)
            if (holder[t] == (child | STORED))
                holder[t] = child;
    return ok;
}
