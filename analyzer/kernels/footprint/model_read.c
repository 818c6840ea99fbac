/* model_read.c - models from JSON. See model_file.h.
 *
 * One array at a time into growing memory, members in any order; references to other arrays are checked when
 * the whole model has been read. */
#include "model_file.h"

#include "builtin.h"
#include "expr.h"
#include "reason.h"

#include <stdlib.h>
#include <string.h>

/* A bound on anything counted in bytes, so that sums of a few of them fit. */
#define MAX_BYTES (INT64_MAX / 8)

static bool no_memory(struct cw_json_in *in)
{
    if (!in->err->status)
        cw_error_set(in->err, CW_ERR_NOMEM, "%s: out of memory", in->name);
    return false;
}

static bool model_same_text(const char *a, size_t n, const char *b)
{
    return strlen(b) == n && !memcmp(a, b, n);
}

/* Room for one more element, of at most `max`, in the array that the pointer at `v` points to. */
static bool model_read_space(struct cw_json_in *in, void *v, int n, int *capacity, size_t size, int max)
{
    if (n >= max)
        return cw_json_fail(in, in->p, "more than %d of them", max);
    if (n < *capacity)
        return true;
    int wider = *capacity ? 2 * *capacity : 64;
    void *old, *grown;
    memcpy(&old, v, sizeof old);
    grown = realloc(old, (size_t)wider * size);
    if (!grown)
        return no_memory(in);
    memcpy(v, &grown, sizeof grown);
    *capacity = wider;
    return true;
}

static bool number(struct cw_json_in *in, bool *first, int64_t min, int64_t max, int64_t *value)
{
    if (!cw_json_next(in, ']', first))
        return in->err->status ? false : cw_json_fail(in, in->p, "a row is too short");
    return cw_json_i64(in, min, max, value);
}

static bool integer(struct cw_json_in *in, bool *first, int min, int max, int *value)
{
    int64_t v = 0;
    bool ok = number(in, first, min, max, &v);
    *value = (int)v;
    return ok;
}

static bool row_ends(struct cw_json_in *in, bool *first)
{
    if (cw_json_next(in, ']', first))
        return cw_json_fail(in, in->p, "a row is too long");
    return !in->err->status;
}

/* A string into *out, malloc'd; the earlier one is freed. */
static bool model_read_text(struct cw_json_in *in, char **out)
{
    const char *s;
    size_t n;
    if (!cw_json_string(in, &s, &n))
        return false;
    free(*out);
    *out = strndup(s, n);
    return *out || no_memory(in);
}

/* A known reason, or null. */
static bool reason(struct cw_json_in *in, const char **out)
{
    const char *s, *at = in->p;
    size_t n;
    if (cw_json_peek(in) == 'n')
        return cw_json_null(in);
    if (!cw_json_string(in, &s, &n))
        return false;
    *out = cw_reason_find(s, n);
    return *out || cw_json_fail(in, at, "a reason that is not known");
}

/* ---- the arrays of a model */

static bool read_arg(struct cw_json_in *in, struct cw_arg *a)
{
    static const char *const keys[] = {"name",         "type",          "kind",   "bytes",       "changed",
                                       "unknown_read", "unknown_write", "placed", "placed_reads"};
    enum { KEYS = sizeof keys / sizeof *keys };
    static const char *const kinds[] = {"scalar", "global", "constant", "local", "image", "other"};
    unsigned seen = 0;
    const char *s;
    size_t n;
    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        const char *at = in->p;
        unsigned k = 0, kind = 0;
        if (!cw_json_key(in, &s, &n))
            return false;
        while (k < KEYS && !model_same_text(s, n, keys[k]))
            k++;
        if (k == KEYS || seen >> k & 1)
            return cw_json_fail(in, at, "unknown or repeated member of an argument");
        seen |= 1u << k;
        if ((k == 0 && !model_read_text(in, &a->name)) || (k == 1 && !model_read_text(in, &a->type)) ||
            (k == 2 && !cw_json_string(in, &s, &n)) ||
            (k == 3 && !cw_json_i64(in, 0, MAX_BYTES, &a->bytes)) ||
            (k == 4 && !cw_json_bool(in, &a->changed)) || (k == 5 && !reason(in, &a->unknown_read)) ||
            (k == 6 && !reason(in, &a->unknown_write)) || (k == 7 && !cw_json_bool(in, &a->placed)) ||
            (k == 8 && !cw_json_bool(in, &a->placed_reads)))
            return false;
        while (k == 2 && kind < 6 && !model_same_text(s, n, kinds[kind]))
            kind++;
        if (kind == 6)
            return cw_json_fail(in, at, "unknown kind of argument");
        if (k == 2)
            a->kind = (enum cw_arg_kind)kind;
    }
    return !in->err->status &&
           (seen == (1u << KEYS) - 1 || cw_json_fail(in, in->p, "an argument lacks a member"));
}

static bool read_args(struct cw_json_in *in, struct cw_model *m)
{
    int capacity = 0;
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        if (!model_read_space(in, &m->arg, m->args, &capacity, sizeof *m->arg, CW_MODEL_MAX_ARGS))
            return false;
        m->arg[m->args] = (struct cw_arg){0};
        if (!read_arg(in, &m->arg[m->args++]))
            return false;
    }
    return !in->err->status;
}

static bool read_node(struct cw_json_in *in, struct cw_expr_pool *p)
{
    const char *name, *at = in->p;
    size_t n;
    bool first = cw_json_begin(in, '[');
    if (!cw_json_next(in, ']', &first) || !cw_json_string(in, &name, &n))
        return in->err->status ? false : cw_json_fail(in, at, "a node is empty");
    int op = cw_expr_op_find(name, n);
    if (op < 0)
        return cw_json_fail(in, at, "an operation that is not known");
    const struct cw_expr_op_info *info = cw_expr_op_info((unsigned)op);
    struct cw_expr x = {.op = (uint8_t)op, .width = (uint8_t)info->width, .a = -1, .b = -1, .c = -1};
    int v = 0, *const in_node[] = {&x.a, &x.b, &x.c};
    if (info->members & CW_EXPR_HAS_WIDTH && !integer(in, &first, 1, 64, &v))
        return false;
    if (info->members & CW_EXPR_HAS_WIDTH)
        x.width = (uint8_t)v;
    if (info->members & CW_EXPR_HAS_DIM && !integer(in, &first, 0, info->dims - 1, &v))
        return false;
    if (info->members & CW_EXPR_HAS_DIM)
        x.dim = (uint8_t)v;
    for (unsigned i = 0; i < 3; i++) {
        bool is_node = info->operands & CW_EXPR_HAS_A << i;
        if (info->members & CW_EXPR_HAS_A << i &&
            !integer(in, &first, is_node ? 0 : -1, is_node ? p->n - 1 : CW_MODEL_MAX_NODES, in_node[i]))
            return false;
    }
    if (info->members & CW_EXPR_HAS_VALUE && !number(in, &first, INT64_MIN, INT64_MAX, &x.value))
        return false;
    if (op == CW_EXPR_CONST && cw_expr_wrap(x.value, x.width) != x.value)
        return cw_json_fail(in, at, "a constant does not fit its width");
    if (op == CW_EXPR_OPAQUE)
        x.a = p->opaques++;
    p->node[p->n++] = x;
    return row_ends(in, &first);
}

static bool read_nodes(struct cw_json_in *in, struct cw_model *m)
{
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);)
        if (!model_read_space(in, &m->pool.node, m->pool.n, &m->pool.capacity, sizeof *m->pool.node,
                              CW_MODEL_MAX_NODES) ||
            !read_node(in, &m->pool))
            return false;
    m->pool.capacity = m->pool.n; /* so that a new node makes the table that reading needs not */
    return !in->err->status;
}

static bool read_guards(struct cw_json_in *in, struct cw_model *m)
{
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        struct cw_guard g;
        int want;
        bool start = cw_json_begin(in, '[');
        if (!integer(in, &start, 0, CW_MODEL_MAX_NODES, &g.node) || !integer(in, &start, 0, 1, &want) ||
            !row_ends(in, &start) ||
            !model_read_space(in, &m->guard, m->guards, &m->guard_capacity, sizeof g, CW_MODEL_MAX_GUARDS))
            return false;
        g.want = want;
        m->guard[m->guards++] = g;
    }
    return !in->err->status;
}

static bool read_loops(struct cw_json_in *in, struct cw_model *m)
{
    int capacity = 0;
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        struct cw_loop l;
        bool start = cw_json_begin(in, '[');
        if (!integer(in, &start, -1, m->loops - 1, &l.parent) ||
            !integer(in, &start, 0, INT32_MAX, &l.exits) || !row_ends(in, &start) ||
            !model_read_space(in, &m->loop, m->loops, &capacity, sizeof l, CW_MODEL_MAX_LOOPS))
            return false;
        m->loop[m->loops++] = l;
    }
    return !in->err->status;
}

static bool read_exits(struct cw_json_in *in, struct cw_model *m)
{
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        struct cw_exit x;
        bool start = cw_json_begin(in, '[');
        if (!integer(in, &start, 0, CW_MODEL_MAX_LOOPS, &x.loop) ||
            !integer(in, &start, 0, CW_MODEL_MAX_GUARDS, &x.stay.first) ||
            !integer(in, &start, 0, CW_MODEL_MAX_GUARDS, &x.stay.n) || !row_ends(in, &start) ||
            !model_read_space(in, &m->exit, m->exits, &m->exit_capacity, sizeof x, CW_MODEL_MAX_EXITS))
            return false;
        m->exit[m->exits++] = x;
    }
    return !in->err->status;
}

static bool read_work(struct cw_json_in *in, struct cw_model *m)
{
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        struct cw_ops w;
        int doubt;
        bool start = cw_json_begin(in, '['), ok;
        ok = integer(in, &start, 0, CW_MODEL_MAX_GUARDS, &w.guards.first) &&
             integer(in, &start, 0, CW_MODEL_MAX_GUARDS, &w.guards.n) &&
             integer(in, &start, -1, CW_MODEL_MAX_LOOPS, &w.loop) && integer(in, &start, 0, 1, &doubt);
        for (int k = 0; k < CW_OPS && ok; k++) {
            int64_t count = 0;
            ok = number(in, &start, 0, UINT32_MAX, &count);
            w.count[k] = (uint32_t)count;
        }
        if (!ok || !row_ends(in, &start) ||
            !model_read_space(in, &m->work, m->works, &m->work_capacity, sizeof w, CW_MODEL_MAX_WORKS))
            return false;
        w.doubt = doubt;
        m->work[m->works++] = w;
    }
    return !in->err->status;
}

static bool read_access(struct cw_json_in *in, struct cw_access *a)
{
    const int node = CW_MODEL_MAX_NODES, guard = CW_MODEL_MAX_GUARDS;
    int kind = 0, used = 0, merge = 0;
    const char *s, *at = in->p;
    size_t n;
    bool first = cw_json_begin(in, '[');
    *a = (struct cw_access){0};
    if (!integer(in, &first, 0, CW_MODEL_MAX_ARGS, &a->arg) || !integer(in, &first, 1, 7, &kind) ||
        !integer(in, &first, -1, node, &a->offset) || !number(in, &first, 0, MAX_BYTES, &a->bytes_may) ||
        !number(in, &first, 0, a->bytes_may, &a->bytes_must) || !integer(in, &first, -1, node, &a->count) ||
        !integer(in, &first, -1, node, &a->stride) || !integer(in, &first, 0, guard, &a->guards.first) ||
        !integer(in, &first, 0, guard, &a->guards.n) ||
        !integer(in, &first, -1, CW_MODEL_MAX_LOOPS, &a->loop) || !integer(in, &first, 0, 1, &used) ||
        !integer(in, &first, 0, CW_MERGE_DIFF, &merge) || !integer(in, &first, -1, node, &a->value))
        return false;
    a->kind = (unsigned)kind;
    a->result_used = used;
    a->merge = (enum cw_merge)merge;
    if (!cw_json_next(in, ']', &first) || !reason(in, &a->doubt) || !cw_json_next(in, ']', &first) ||
        !cw_json_string(in, &s, &n))
        return in->err->status ? false : cw_json_fail(in, at, "a row is too short");
    a->atomic = cw_builtin_atomic(s, n);
    if (!a->atomic)
        return cw_json_fail(in, at, "an atomic operation that is not known");
    return row_ends(in, &first);
}

static bool read_accesses(struct cw_json_in *in, struct cw_model *m)
{
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        struct cw_access a;
        if (!read_access(in, &a) || !model_read_space(in, &m->access, m->accesses, &m->access_capacity,
                                                      sizeof a, CW_MODEL_MAX_ACCESSES))
            return false;
        m->access[m->accesses++] = a;
    }
    return !in->err->status;
}

/* ---- references between arrays */

static bool range_fits(const struct cw_model *m, struct cw_guard_range r)
{
    return r.first <= m->guards && r.n <= m->guards - r.first && r.n <= CW_MODEL_MAX_CONDITIONS;
}

static bool nodes_fit(const struct cw_model *m)
{
    for (int i = 0; i < m->pool.n; i++) {
        const struct cw_expr *x = &m->pool.node[i];
        if ((x->op == CW_EXPR_ARG && (x->a < 0 || x->a >= m->args)) ||
            (x->op == CW_EXPR_LOOP && (x->a < 0 || x->a >= m->loops)) ||
            (x->op == CW_EXPR_OPAQUE && x->b >= m->loops))
            return false;
    }
    return true;
}

static bool model_fits(const struct cw_model *m)
{
    bool fits = nodes_fit(m);
    for (int i = 0; i < m->guards && fits; i++)
        fits = m->guard[i].node < m->pool.n;
    for (int i = 0; i < m->exits && fits; i++)
        fits = m->exit[i].loop < m->loops && range_fits(m, m->exit[i].stay);
    for (int i = 0; i < m->accesses && fits; i++) {
        const struct cw_access *a = &m->access[i];
        fits = a->arg < m->args && a->offset < m->pool.n && a->count < m->pool.n && a->stride < m->pool.n &&
               a->value < m->pool.n && (a->count < 0) == (a->stride < 0) && range_fits(m, a->guards) &&
               a->loop < m->loops && a->kind & (CW_ACCESS_READ | CW_ACCESS_WRITE);
    }
    for (int i = 0; i < m->works && fits; i++)
        fits = range_fits(m, m->work[i].guards) && m->work[i].loop < m->loops;
    return fits;
}

/* One model into `m`, which is initialised; the caller finishes it in any case. */
static bool model_read_one(struct cw_json_in *in, struct cw_model *m)
{
    static const char *const keys[] = {
        "kernel", "barriers", "groups", "prints",   "anywhere", "addresses",    "polls",   "args", "nodes",
        "guards", "loops",    "exits",  "accesses", "work",     "why_anywhere", "inexact", "rows", "floats"};
    enum { KEYS = sizeof keys / sizeof *keys };
    static bool (*const list[KEYS])(struct cw_json_in *, struct cw_model *) = {
        [7] = read_args, read_nodes, read_guards, read_loops, read_exits, read_accesses, read_work};
    bool *const flag[KEYS] = {[1] = &m->barriers, &m->groups,    &m->prints,
                              &m->anywhere,       &m->addresses, &m->polls};
    const char **const why[KEYS] = {[14] = &m->why_anywhere, &m->inexact};
    int64_t floats = 0;
    unsigned seen = 0;
    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        const char *s, *at = in->p;
        size_t n;
        unsigned k = 0;
        if (!cw_json_key(in, &s, &n))
            return false;
        while (k < KEYS && !model_same_text(s, n, keys[k]))
            k++;
        if (k == KEYS || seen >> k & 1)
            return cw_json_fail(in, at, "unknown or repeated member of a model");
        seen |= 1u << k;
        if (!(k == 0          ? model_read_text(in, &m->kernel)
              : list[k]       ? list[k](in, m)
              : flag[k]       ? cw_json_bool(in, flag[k])
              : why[k]        ? reason(in, why[k])
              : k == KEYS - 1 ? cw_json_i64(in, 0, CW_MODEL_SINGLE | CW_MODEL_DOUBLE, &floats)
                              : cw_json_i64(in, 0, INT64_MAX, &m->rows)))
            return false;
    }
    m->floats = (unsigned)floats;
    if (in->err->status)
        return false;
    if (seen != (1u << KEYS) - 1)
        return cw_json_fail(in, in->p, "a model lacks a member");
    return model_fits(m) ||
           cw_json_fail(in, in->p, "kernel %.60s: something refers to what is not there", m->kernel);
}

/* Files of models. See model_file.h. */

static bool read_models(struct cw_json_in *in, struct cw_model_set *set)
{
    int capacity = 0;
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first);) {
        in->context = NULL;
        if (!model_read_space(in, &set->model, set->n, &capacity, sizeof *set->model, CW_MODEL_MAX_KERNELS))
            return false;
        cw_model_init(&set->model[set->n]);
        in->context = "models";
        in->index = (size_t)set->n;
        if (!model_read_one(in, &set->model[set->n++]))
            return false;
    }
    in->context = NULL;
    return !in->err->status;
}

/* {"status": string, "message": string}, which becomes this reader's error. */
static bool read_refusal(struct cw_json_in *in)
{
    char *message = NULL;
    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        const char *s;
        size_t n;
        if (!cw_json_key(in, &s, &n) ||
            !(model_same_text(s, n, "message") ? model_read_text(in, &message) : cw_json_skip(in)))
            break;
    }
    if (!in->err->status)
        cw_error_set(in->err, CW_ERR_UNSUPPORTED, "%s: %s", in->name, message ? message : "not analysed");
    free(message);
    return false;
}

static bool read_file(struct cw_json_in *in, struct cw_model_set *set)
{
    static const char *const keys[] = {"format", "version", "model_version", "models", "error"};
    unsigned seen = 0;
    for (bool first = cw_json_begin(in, '{'); cw_json_next(in, '}', &first);) {
        const char *s, *at = in->p;
        size_t n;
        uint64_t version = 0;
        unsigned k = 0;
        if (!cw_json_key(in, &s, &n))
            return false;
        while (k < 5 && !model_same_text(s, n, keys[k]))
            k++;
        if (k == 5 || seen >> k & 1)
            return cw_json_fail(in, at, "unknown or repeated member");
        seen |= 1u << k;
        if (k == 0 && (!cw_json_string(in, &s, &n) || !model_same_text(s, n, "clweave-footprint")))
            return cw_json_fail(in, at, "this is no file of kernel footprints");
        if ((k == 1 || k == 2) && !cw_json_u64(in, UINT64_MAX, &version))
            return false;
        if ((k == 1 && version != 1) || (k == 2 && version != CW_MODEL_VERSION)) {
            cw_error_set(in->err, CW_ERR_VERSION, "%s: another version of kernel footprints", in->name);
            return false;
        }
        if ((k == 3 && !read_models(in, set)) || (k == 4 && !read_refusal(in)))
            return false;
    }
    if (!in->err->status && seen != 15)
        return cw_json_fail(in, in->p, "a member is missing");
    return !in->err->status && cw_json_done(in);
}

enum cw_status cw_model_set_read(struct cw_model_set *set, const char *name, const char *text, size_t n,
                                 struct cw_error *err)
{
    struct cw_json_in in;
    struct cw_error own = {0};
    *set = (struct cw_model_set){0};
    cw_json_in_init(&in, name, text, n, &own);
    (void)read_file(&in, set);
    cw_json_in_finish(&in);
    if (own.status != CW_OK) {
        cw_model_set_finish(set);
        cw_error_set(err, own.status, "%s", own.text);
    }
    return own.status;
}

void cw_model_set_finish(struct cw_model_set *set)
{
    for (int i = 0; i < set->n; i++)
        cw_model_finish(&set->model[i]);
    free(set->model);
    *set = (struct cw_model_set){0};
}

const struct cw_model *cw_model_set_find(const struct cw_model_set *set, const char *kernel)
{
    for (int i = 0; i < set->n; i++)
        if (!strcmp(set->model[i].kernel, kernel))
            return &set->model[i];
    return NULL;
}
