/* model.c - see model.h. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOK_BACK = 256, /* how far back a repeated access is looked for */
    MAX_DEPTH = 4000 /* of an expression; deeper ones count as varying */
};

void cw_model_init(struct cw_model *m)
{
    memset(m, 0, sizeof *m);
    cw_expr_pool_init(&m->pool);
}

void cw_model_finish(struct cw_model *m)
{
    for (int i = 0; i < m->args; i++) {
        free(m->arg[i].name);
        free(m->arg[i].type);
    }
    free(m->arg);
    free(m->access);
    free(m->guard);
    free(m->exit);
    free(m->loop);
    free(m->work);
    free(m->kernel);
    cw_expr_pool_finish(&m->pool);
    memset(m, 0, sizeof *m);
}

bool cw_model_fits(const struct cw_model *m)
{
    bool fits = !m->pool.failed && m->pool.n <= CW_MODEL_MAX_NODES && m->args <= CW_MODEL_MAX_ARGS &&
                m->guards <= CW_MODEL_MAX_GUARDS && m->loops <= CW_MODEL_MAX_LOOPS &&
                m->exits <= CW_MODEL_MAX_EXITS && m->accesses <= CW_MODEL_MAX_ACCESSES;
    for (int i = 0; i < m->accesses && fits; i++)
        fits = m->access[i].guards.n <= CW_MODEL_MAX_CONDITIONS;
    for (int i = 0; i < m->exits && fits; i++)
        fits = m->exit[i].stay.n <= CW_MODEL_MAX_CONDITIONS;
    return fits;
}

void cw_model_clear(struct cw_model *m)
{
    cw_expr_pool_finish(&m->pool);
    cw_expr_pool_init(&m->pool);
    m->accesses = m->guards = m->exits = m->loops = m->works = 0;
}

/* Room for one more element in *v; false without memory. */
static bool reserve(void *v, int n, int *capacity, size_t size)
{
    if (n < *capacity)
        return true;
    int wider = *capacity ? 2 * *capacity : 16;
    void *old, *grown;
    memcpy(&old, v, sizeof old);
    grown = realloc(old, (size_t)wider * size);
    if (!grown)
        return false;
    memcpy(v, &grown, sizeof grown);
    *capacity = wider;
    return true;
}

static bool same_access(const struct cw_access *a, const struct cw_access *b)
{
    return a->arg == b->arg && a->kind == b->kind && a->offset == b->offset && a->bytes_may == b->bytes_may &&
           a->bytes_must == b->bytes_must && a->count == b->count && a->stride == b->stride &&
           a->loop == b->loop && a->guards.first == b->guards.first && a->guards.n == b->guards.n &&
           a->doubt == b->doubt && a->atomic == b->atomic && a->result_used == b->result_used &&
           a->merge == b->merge && a->value == b->value;
}

bool cw_model_add_access(struct cw_model *m, const struct cw_access *a)
{
    for (int i = m->accesses - 1; i >= 0 && i > m->accesses - LOOK_BACK; i--)
        if (same_access(&m->access[i], a))
            return true;
    if (!reserve(&m->access, m->accesses, &m->access_capacity, sizeof *a))
        return false;
    m->access[m->accesses++] = *a;
    return true;
}

bool cw_model_add_guard(struct cw_model *m, int node, bool want)
{
    if (!reserve(&m->guard, m->guards, &m->guard_capacity, sizeof *m->guard))
        return false;
    m->guard[m->guards++] = (struct cw_guard){node, want};
    return true;
}

bool cw_model_add_exit(struct cw_model *m, const struct cw_exit *x)
{
    if (!reserve(&m->exit, m->exits, &m->exit_capacity, sizeof *x))
        return false;
    m->exit[m->exits++] = *x;
    return true;
}

bool cw_model_add_ops(struct cw_model *m, const struct cw_ops *w)
{
    struct cw_ops *same = NULL;
    for (int i = m->works - 1; i >= 0 && !same; i--) {
        struct cw_ops *x = &m->work[i];
        if (x->guards.first == w->guards.first && x->guards.n == w->guards.n && x->loop == w->loop &&
            x->doubt == w->doubt)
            same = x;
    }
    if (!same && m->works == CW_MODEL_MAX_WORKS)
        return true;
    if (!same) {
        if (!reserve(&m->work, m->works, &m->work_capacity, sizeof *w))
            return false;
        m->work[m->works++] = *w;
        return true;
    }
    for (int i = 0; i < CW_OPS; i++)
        same->count[i] += w->count[i];
    return true;
}

bool cw_model_loop_inside(const struct cw_model *m, int inner, int outer)
{
    while (inner >= 0 && inner != outer)
        inner = m->loop[inner].parent;
    return inner >= 0;
}

/* `seen` (one byte per node) keeps shared subexpressions from being walked again. */
static bool varies(const struct cw_model *m, int node, int loop, uint8_t *seen, int depth)
{
    if (depth > MAX_DEPTH)
        return true;
    node = cw_expr_resolve(&m->pool, node);
    const struct cw_expr *e = &m->pool.node[node];
    if (seen[node])
        return false;
    seen[node] = 1;
    if (e->op == CW_EXPR_LOOP)
        return cw_model_loop_inside(m, e->a, loop);
    if (e->op == CW_EXPR_OPAQUE)
        return cw_model_loop_inside(m, e->b, loop);
    if (e->op < CW_EXPR_FORWARD)
        return false;
    return (e->a >= 0 && varies(m, e->a, loop, seen, depth + 1)) ||
           (e->b >= 0 && varies(m, e->b, loop, seen, depth + 1)) ||
           (e->c >= 0 && varies(m, e->c, loop, seen, depth + 1));
}

bool cw_model_varies_in(const struct cw_model *m, int node, int loop)
{
    uint8_t *seen = calloc((size_t)m->pool.n, 1);
    bool result = !seen || m->pool.failed || varies(m, node, loop, seen, 0);
    free(seen);
    return result;
}

void cw_model_unknown(struct cw_model *m, unsigned kind, const char *why)
{
    m->anywhere = true;
    if (!m->why_anywhere)
        m->why_anywhere = why;
    for (int i = 0; i < m->args; i++) {
        struct cw_arg *a = &m->arg[i];
        if (a->kind != CW_ARG_GLOBAL && a->kind != CW_ARG_CONSTANT)
            continue;
        if (kind & CW_ACCESS_READ && !a->unknown_read)
            a->unknown_read = why;
        if (kind & CW_ACCESS_WRITE && !a->unknown_write && a->kind == CW_ARG_GLOBAL)
            a->unknown_write = why;
    }
}

/* OpenCL C 1.x's functions act on all work-items of a device. Atomic instructions of the source's own do not
 * say which work-items see them, nor do the names of OpenCL C 2.0, which forms with a scope have, too. */
static uint8_t commuting(const struct cw_access *a)
{
    if (!(a->kind & CW_ACCESS_ATOMIC) || a->result_used || a->merge == CW_MERGE_NONE || a->count >= 0 ||
        (a->bytes_may != 4 && a->bytes_may != 8) || strncmp(a->atomic, "atom", 4) ||
        !strcmp(a->atomic, "atomicrmw") || !strncmp(a->atomic, "atomic_fetch", 12))
        return 0;
    return (uint8_t)(a->merge * 16 + a->bytes_may);
}

uint8_t cw_model_commutes(const struct cw_model *m, int arg)
{
    uint8_t all = 0;
    if (m->arg[arg].unknown_read || m->arg[arg].unknown_write)
        return 0;
    for (int i = 0; i < m->accesses; i++) {
        uint8_t own = m->access[i].arg == arg ? commuting(&m->access[i]) : all;
        if (m->access[i].arg == arg && (!own || (all && own != all)))
            return 0;
        all = own;
    }
    return all;
}

bool cw_model_depends_on_groups(const struct cw_model *m)
{
    for (int i = 0; i < m->pool.n; i++)
        switch (m->pool.node[i].op) {
        case CW_EXPR_LOCAL_ID:
        case CW_EXPR_GROUP_ID:
        case CW_EXPR_LOCAL_SIZE:
        case CW_EXPR_ENQUEUED_LOCAL_SIZE:
        case CW_EXPR_NUM_GROUPS:
            return true;
        default:
            break;
        }
    return false;
}
