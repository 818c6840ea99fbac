#include "task_heap.h"

#include <stdlib.h>

static void sift_up(struct cw_task_heap *h, uint32_t at)
{
    uint32_t task = h->task[at];

    for (; at > 0 && cw_task_heap_before(h, task, h->task[(at - 1) / 2]); at = (at - 1) / 2)
        h->task[at] = h->task[(at - 1) / 2];
    h->task[at] = task;
}

static void sift_down(struct cw_task_heap *h, uint32_t at)
{
    uint32_t task = h->task[at], child;

    while ((child = 2 * at + 1) < h->count) {
        if (child + 1 < h->count && cw_task_heap_before(h, h->task[child + 1], h->task[child]))
            child++;
        if (!cw_task_heap_before(h, h->task[child], task))
            break;
        h->task[at] = h->task[child];
        at = child;
    }
    h->task[at] = task;
}

bool cw_task_heap_push(struct cw_task_heap *h, uint32_t task)
{
    if (h->count == h->capacity) {
        uint32_t capacity = h->capacity ? 2 * h->capacity : 16, *more;
        more = realloc(h->task, capacity * sizeof *more);
        if (!more)
            return false;
        h->task = more;
        h->capacity = capacity;
    }
    h->task[h->count++] = task;
    sift_up(h, h->count - 1);
    return true;
}

uint32_t cw_task_heap_take(struct cw_task_heap *h, uint32_t at)
{
    uint32_t task = h->task[at];

    h->count--;
    if (at < h->count) {
        h->task[at] = h->task[h->count];
        sift_down(h, at);
        sift_up(h, at);
    }
    return task;
}

void cw_task_heap_finish(struct cw_task_heap *h)
{
    free(h->task);
    *h = (struct cw_task_heap){0};
}
