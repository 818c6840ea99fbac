/* compiler_kinds.c - see code/code.h. */
#include "code.h"
#include "../../door/lock_order.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST_KINDS 256 /* of a kernel on a worker */

struct cw_run_loaded_kind { /* launches of one kind may share the vendor's code */
    size_t local[3];
    uint8_t width[3], form, has_offset;
};

struct cw_run_kinds {
    struct cw_run_loaded_kind *kind;
    uint32_t n, capacity, next; /* next: to be replaced when there are too many */
};

struct cw_run_kinds *cw_compiler_kinds_new(void)
{
    return calloc(CW_RUN_WORKERS, sizeof(struct cw_run_kinds));
}

void cw_compiler_kinds_free(struct cw_run_kinds *kinds)
{
    for (uint32_t i = 0; kinds && i < CW_RUN_WORKERS; i++)
        free(kinds[i].kind);
    free(kinds);
}

static struct cw_run_loaded_kind kind_of(const struct cw_run_launch *l, const size_t *global,
                                         const size_t *local, enum cw_run_form form)
{
    struct cw_run_loaded_kind kind;

    memset(&kind, 0, sizeof kind); /* kinds are compared as bytes */
    kind.form = (uint8_t)form;
    kind.has_offset = form == CW_RUN_WHOLE && l->has_offset; /* tiles have none */
    for (cl_uint d = 0; d < l->dims;
         d++) { /* widths by powers of two, one of which ends where PoCL's narrow ranges do */
        kind.local[d] = local ? local[d] : 0;
        kind.width[d] = (uint8_t)(64u - (unsigned)__builtin_clzll(global[d] + 1));
    }
    return kind;
}

bool cw_compiler_kinds_has(const struct cw_run_launch *l, const size_t *global, const size_t *local,
                           uint32_t worker, enum cw_run_form form)
{
    const struct cw_run_kinds *k = &l->kernel->known->loaded[worker];
    struct cw_run_loaded_kind kind;

    if (!k->n)
        return false;
    kind = kind_of(l, global, local, form);
    for (uint32_t i = 0; i < k->n; i++)
        if (!memcmp(&k->kind[i], &kind, sizeof kind))
            return true;
    return false;
}

/* Held while lists of kinds change, and while they are read without their worker's lock. */
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&changing, KINDS)

bool cw_compiler_kinds_has_there(const struct cw_run_launch *l, const size_t *global, const size_t *local,
                                 uint32_t worker, enum cw_run_form form)
{
    bool has;

    pthread_mutex_lock(&changing);
    has = cw_compiler_kinds_has(l, global, local, worker, form);
    pthread_mutex_unlock(&changing);
    return has;
}

static void add(struct cw_run_kinds *k, struct cw_run_loaded_kind kind)
{
    if (k->n == k->capacity && k->n < MOST_KINDS) {
        uint32_t capacity = k->n ? 2 * k->n : 4;
        struct cw_run_loaded_kind *more = realloc(k->kind, capacity * sizeof *more);

        if (!more)
            return;
        k->kind = more;
        k->capacity = capacity;
    }
    k->kind[k->n < k->capacity ? k->n++ : k->next++ % k->n] = kind;
}

void cw_compiler_kinds_loaded(const struct cw_run_launch *l, const size_t *global, const size_t *local,
                              uint32_t worker, enum cw_run_form form)
{
    pthread_mutex_lock(&changing);
    add(&l->kernel->known->loaded[worker], kind_of(l, global, local, form));
    pthread_mutex_unlock(&changing);
}
