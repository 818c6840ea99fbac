/* execute_overlap.c - refuses traces in which memory objects share host memory that commands write. */
#include "execute_state.h"

#include <stdlib.h>


enum { USED = 1, WRITTEN = 2 };

static int by_address(const void *a, const void *b)
{
    const struct cw_t_memory *x = *(const struct cw_t_memory *const *)a,
                             *y = *(const struct cw_t_memory *const *)b;

    return x->host_ptr != y->host_ptr ? (x->host_ptr > y->host_ptr) - (x->host_ptr < y->host_ptr)
                                      : (x > y) - (x < y);
}

/* Notes how commands that run use each root. The program's own writes were recorded for each object. */
static void note_uses(const struct cw_exec *x, uint8_t *uses)
{
    const struct cw_trace *t = x->t;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];

        for (uint32_t n = 0; x->runs[i] && n < k->accesses.count; n++) {
            const struct cw_t_access *a = &t->accesses.v[k->accesses.first + n];
            uint64_t offset;
            uint32_t root = cw_trace_memory_root(t, a->memory, &offset);

            if (root < t->memory.count)
                uses[root] |=
                    a->declared & CW_ACCESS_WRITE && k->type != CW_HOST_WRITE ? USED | WRITTEN : USED;
        }
    }
}

static bool live_together(const struct cw_t_memory *a, const struct cw_t_memory *b)
{
    return (!a->released || b->made < a->released) && (!b->released || a->made < b->released);
}

/* sorted[0 .. n): the used ones, by address. */
static enum cw_status compare(const struct cw_trace *t, const struct cw_t_memory **sorted, size_t n,
                              const uint8_t *uses, struct cw_error *err)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n && sorted[j]->host_ptr - sorted[i]->host_ptr < sorted[i]->size; j++) {
            size_t a = (size_t)(sorted[i] - t->memory.v), b = (size_t)(sorted[j] - t->memory.v);

            if (live_together(sorted[i], sorted[j]) && (uses[a] | uses[b]) & WRITTEN)
                return cw_error_set(
                    err, CW_ERR_UNSUPPORTED,
                    "memory objects %zu and %zu lie over the same host memory, and commands write there "
                    "while both live: OpenCL leaves open what comes of that",
                    a, b);
        }
    return CW_OK;
}

enum cw_status cw_execute_overlap_check(const struct cw_exec *x, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    uint8_t *uses = calloc(t->memory.count + 1, 1);
    const struct cw_t_memory **sorted = malloc((t->memory.count + 1) * sizeof *sorted);
    enum cw_status status = CW_OK;
    size_t n = 0;

    if (uses && sorted) {
        note_uses(x, uses);
        for (size_t i = 0; i < t->memory.count; i++)
            if (uses[i] && t->memory.v[i].host_ptr && t->memory.v[i].kind != CW_MEM_SVM)
                sorted[n++] = &t->memory.v[i];
        qsort(sorted, n, sizeof *sorted, by_address);
        status = compare(t, sorted, n, uses, err);
    } else {
        status = cw_error_set(err, CW_ERR_NOMEM, "no memory for %zu memory objects", t->memory.count);
    }
    free(uses);
    free(sorted);
    return status;
}
