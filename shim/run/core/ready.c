/* ready.c - see core/ready.h. */
#include "ready.h"

#include <stdlib.h>

/* ---- the heap: ready commands by rank */

static void heap_up(struct cw_run_task **v, uint32_t i)
{
    while (i && v[i]->order.rank < v[(i - 1) / 2]->order.rank) {
        struct cw_run_task *t = v[i];
        v[i] = v[(i - 1) / 2];
        v[(i - 1) / 2] = t;
        i = (i - 1) / 2;
    }
}

static void heap_down(struct cw_run_task **v, uint32_t n, uint32_t i)
{
    for (;;) {
        uint32_t least = i, child = 2 * i + 1;
        struct cw_run_task *t = v[i];

        if (child < n && v[child]->order.rank < v[least]->order.rank)
            least = child;
        if (child + 1 < n && v[child + 1]->order.rank < v[least]->order.rank)
            least = child + 1;
        if (least == i)
            return;
        v[i] = v[least];
        v[least] = t;
        i = least;
    }
}

bool cw_run_ready_reserve_at(struct cw_run_worker *l, uint32_t tasks)
{
    struct cw_run_task **grown = realloc(l->heap, tasks * sizeof *grown);

    if (grown)
        l->heap = grown;
    return grown;
}

bool cw_run_ready_reserve(uint32_t tasks)
{
    uint32_t capacity = cw_run.reserved ? cw_run.reserved : 64;

    if (CW_LIKELY(tasks <= cw_run.reserved))
        return true;
    while (capacity < tasks)
        capacity *= 2;
    for (uint32_t i = 0; i < cw_run.num_workers; i++)
        if (!cw_run_ready_reserve_at(&cw_run.workers[i], capacity))
            return false;
    cw_run.reserved = capacity;
    return true;
}

void cw_run_ready_push(struct cw_run_task *t)
{
    struct cw_run_worker *l = &cw_run.workers[t->at.worker];

    t->state = CW_RUN_READY;
    l->blocked = false;
    atomic_fetch_add_explicit(&l->watch.pushed, 1, memory_order_relaxed);
    cw_run.ready_count++;
    l->heap[l->num_ready++] = t; /* there is room since it was linked */
    heap_up(l->heap, l->num_ready - 1);
}

struct cw_run_task *cw_run_ready_take(struct cw_run_worker *l, uint32_t i)
{
    struct cw_run_task *t = l->heap[i];

    cw_run.ready_count--;
    l->heap[i] = l->heap[--l->num_ready];
    if (i < l->num_ready) {
        heap_down(l->heap, l->num_ready, i);
        heap_up(l->heap, i);
    }
    return t;
}

void cw_run_ready_remove(struct cw_run_task *t)
{
    struct cw_run_worker *l = &cw_run.workers[t->at.worker];
    uint32_t i = 0;

    while (l->heap[i] != t)
        i++;
    cw_run_ready_take(l, i);
}
