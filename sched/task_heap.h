/* task_heap.h - tasks by key: the binary heap under every list of ready tasks.
 *
 * Highest key first, lowest task id on ties. Keys live outside: one int64_t per task, which must not change
 * while the task is in a heap. Thread-safety: none. */
#ifndef CW_TASK_HEAP_H
#define CW_TASK_HEAP_H

#include "graph.h"

struct cw_task_heap {
    const int64_t *key; /* one per task */
    uint32_t *task;     /* a binary heap: task[0] is the next one */
    uint32_t count, capacity;
};

/* Adds `task`. Returns false, changing nothing, when memory is out; never while count < capacity. */
bool cw_task_heap_push(struct cw_task_heap *h, uint32_t task);

/* Takes task[at] out, at < count, in O(log count). Returns it. */
uint32_t cw_task_heap_take(struct cw_task_heap *h, uint32_t at);

/* Frees the array; safe on a zeroed struct. */
void cw_task_heap_finish(struct cw_task_heap *h);

/* True when `a` comes before `b`. */
static inline bool cw_task_heap_before(const struct cw_task_heap *h, uint32_t a, uint32_t b)
{
    return h->key[a] != h->key[b] ? h->key[a] > h->key[b] : a < b;
}

#endif
