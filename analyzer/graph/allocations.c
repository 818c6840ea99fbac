/* allocations.c - see graph_parts.h. */
#include "graph_parts.h"

#include <stdlib.h>

static int by_made(const void *a, const void *b, void *context)
{
    const struct cw_trace *t = context;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b, x = t->memory.v[i].made,
             y = t->memory.v[k].made;

    return x != y ? (x < y ? -1 : 1) : i < k ? -1 : i > k;
}

static int by_released(const void *a, const void *b, void *context)
{
    const struct cw_trace *t = context;
    uint32_t x = t->memory.v[*(const uint32_t *)a].released, y = t->memory.v[*(const uint32_t *)b].released;

    return x < y ? -1 : x > y;
}

bool cw_allocations_init(struct cw_allocations *a, const struct cw_trace *t)
{
    a->made = malloc((t->memory.count + 1) * sizeof *a->made);
    a->released = malloc((t->memory.count + 1) * sizeof *a->released);
    a->doubtful = calloc(t->memory.count + 1, sizeof *a->doubtful);
    if (!a->made || !a->released || !a->doubtful)
        return false;
    for (uint32_t m = 0; m < t->memory.count; m++) {
        if (t->memory.v[m].kind != CW_MEM_SVM ||
            (t->memory.v[m].released && t->memory.v[m].released == t->memory.v[m].made))
            continue; /* no command saw the latter */
        a->made[a->count++] = m;
        if (t->memory.v[m].released)
            a->released[a->ended++] = m;
    }
    qsort_r(a->made, a->count, sizeof *a->made, by_made, (void *)t);
    qsort_r(a->released, a->ended, sizeof *a->released, by_released, (void *)t);
    return true;
}

void cw_allocations_finish(struct cw_allocations *a)
{
    cw_address_map_finish(&a->live);
    free(a->made);
    free(a->released);
    free(a->doubtful);
    *a = (struct cw_allocations){0};
}

static void ends(struct cw_allocations *a, const struct cw_trace *t, uint32_t memory)
{
    uint64_t start;

    if ((uintptr_t)cw_address_map_find(&a->live, t->memory.v[memory].host_ptr, 1, &start) ==
        (uintptr_t)memory + 1)
        cw_address_map_remove(&a->live, start);
}

/* One whose bytes a new one has is gone, though the trace does not say when. */
static bool begins(struct cw_allocations *a, const struct cw_trace *t, uint32_t memory)
{
    const struct cw_t_memory *m = &t->memory.v[memory];
    uint64_t bytes = m->size > UINT64_MAX - m->host_ptr ? UINT64_MAX - m->host_ptr : m->size, start;
    uint32_t old;

    while ((old = (uint32_t)(uintptr_t)cw_address_map_find(&a->live, m->host_ptr, bytes, &start))) {
        const struct cw_t_memory *x = &t->memory.v[old - 1];
        if (!m->made && !x->made && (x->unreleased || !(m->released || m->unreleased))) {
            a->doubtful[old - 1] = true;
            return true;
        }
        cw_address_map_remove(&a->live, start);
    }
    return !bytes || cw_address_map_add(&a->live, m->host_ptr, bytes, (void *)((uintptr_t)memory + 1));
}

bool cw_allocations_find(struct cw_allocations *a, const struct cw_trace *t, uint32_t command,
                         uint64_t address, uint32_t *memory)
{
    const uint32_t *made = a->made + a->next_made, *released = a->released + a->next_released;
    uint32_t found;
    bool ok = true;

    while (ok && a->next_made < a->count && t->memory.v[*made].made <= command) {
        for (; a->next_released < a->ended && t->memory.v[*released].released <= t->memory.v[*made].made;
             a->next_released++)
            ends(a, t, *released++);
        ok = begins(a, t, *made++);
        a->next_made++;
    }
    for (; a->next_released < a->ended && t->memory.v[*released].released <= command; a->next_released++)
        ends(a, t, *released++);
    found = (uint32_t)(uintptr_t)cw_address_map_find(&a->live, address, 1, NULL);
    *memory = found && !a->doubtful[found - 1] ? found - 1 : CW_NONE;
    return ok;
}
