/* model_write.c - models to JSON. See model_file.h.
 *
 * Only nodes that something needs are written, FORWARD is followed on the way, and operands come before their
 * users. */
#include "model_file.h"

#include "../../io/json_out.h"
#include "expr.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {"scalar", "global", "constant", "local", "image", "other"};

/* number[node]: 0 not met, -1 being written, else its number in the file + 1. */
struct numbering {
    const struct cw_expr_pool *pool;
    int *number, *stack;
    int next;
};

static void put_list(struct cw_json_out *o, const int64_t *v, int n)
{
    for (int i = 0; i < n; i++) {
        if (i)
            cw_json_put_char(o, ',');
        cw_json_put_i64(o, v[i]);
    }
}

/* Operand `which` (0 a, 1 b, 2 c) of a node, with FORWARD followed; -1 when it has none. */
static int operand(const struct cw_expr_pool *pool, int node, int which)
{
    const struct cw_expr *x = &pool->node[node];
    static const unsigned bit[] = {CW_EXPR_HAS_A, CW_EXPR_HAS_B, CW_EXPR_HAS_C};
    const int at[] = {x->a, x->b, x->c};
    return cw_expr_op_info(x->op)->operands & bit[which] ? cw_expr_resolve(pool, at[which]) : -1;
}

static void put_node(struct cw_json_out *o, const struct numbering *n, int node)
{
    const struct cw_expr *x = &n->pool->node[node];
    const struct cw_expr_op_info *info = cw_expr_op_info(x->op);
    int in[3];
    for (int i = 0; i < 3; i++) {
        int child = operand(n->pool, node, i);
        in[i] = child >= 0 ? n->number[child] - 1 : i == 0 ? x->a : i == 1 ? x->b : x->c;
    }
    const int64_t member[] = {x->width, x->dim, in[0], in[1], in[2], x->value};
    int64_t used[6];
    int count = 0;
    for (int i = 0; i < 6; i++)
        if (info->members >> i & 1)
            used[count++] = member[i];
    cw_json_put_text(o, n->next ? ",[" : "[");
    cw_json_put_string(o, info->name);
    if (count)
        cw_json_put_char(o, ',');
    put_list(o, used, count);
    cw_json_put_char(o, ']');
}

/* Writes `root` after everything below it. The stack holds nodes whose operands are not all written. */
static enum cw_status put_below(struct cw_json_out *o, struct numbering *n, int root, struct cw_error *err)
{
    int depth = 0;
    root = cw_expr_resolve(n->pool, root);
    if (n->number[root] == 0) {
        n->number[root] = -1;
        n->stack[depth++] = root;
    }
    while (depth) {
        int node = n->stack[depth - 1], missing = -1;
        for (int i = 0; i < 3 && missing < 0; i++) {
            int child = operand(n->pool, node, i);
            if (child >= 0 && n->number[child] <= 0)
                missing = child;
        }
        if (missing < 0) {
            put_node(o, n, node);
            n->number[node] = ++n->next;
            depth--;
        } else if (n->number[missing] < 0) {
            return cw_error_set(err, CW_ERR_CYCLE, "an expression of a kernel contains itself");
        } else {
            n->number[missing] = -1;
            n->stack[depth++] = missing;
        }
    }
    return CW_OK;
}

static enum cw_status put_nodes(struct cw_json_out *o, struct numbering *n, const struct cw_model *m,
                                struct cw_error *err)
{
    enum cw_status s = CW_OK;
    cw_json_put_key(o, "nodes");
    cw_json_put_char(o, '[');
    for (int i = 0; i < m->guards && s == CW_OK; i++)
        s = put_below(o, n, m->guard[i].node, err);
    for (int i = 0; i < m->accesses && s == CW_OK; i++) {
        const int root[] = {m->access[i].offset, m->access[i].count, m->access[i].stride, m->access[i].value};
        for (int k = 0; k < 4 && s == CW_OK; k++)
            if (root[k] >= 0)
                s = put_below(o, n, root[k], err);
    }
    cw_json_put_char(o, ']');
    return s;
}

static int64_t number_of(const struct numbering *n, int node)
{
    return node < 0 ? -1 : n->number[cw_expr_resolve(n->pool, node)] - 1;
}

static void put_args(struct cw_json_out *o, const struct cw_model *m)
{
    cw_json_put_key(o, "args");
    cw_json_put_char(o, '[');
    for (int i = 0; i < m->args; i++) {
        const struct cw_arg *a = &m->arg[i];
        if (i)
            cw_json_put_char(o, ',');
        cw_json_put_open(o);
        cw_json_put_key(o, "name");
        cw_json_put_string(o, a->name);
        cw_json_put_key(o, "type");
        cw_json_put_string(o, a->type);
        cw_json_put_key(o, "kind");
        cw_json_put_string(o, kind_names[a->kind]);
        cw_json_put_key(o, "bytes");
        cw_json_put_i64(o, a->bytes);
        cw_json_put_key(o, "changed");
        cw_json_put_text(o, a->changed ? "true" : "false");
        cw_json_put_key(o, "placed");
        cw_json_put_text(o, a->placed ? "true" : "false");
        cw_json_put_key(o, "placed_reads");
        cw_json_put_text(o, a->placed_reads ? "true" : "false");
        cw_json_put_key(o, "unknown_read");
        cw_json_put_string(o, a->unknown_read);
        cw_json_put_key(o, "unknown_write");
        cw_json_put_string(o, a->unknown_write);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
}

static void put_row(struct cw_json_out *o, int index, const int64_t *v, int n)
{
    cw_json_put_text(o, index ? ",[" : "[");
    put_list(o, v, n);
    cw_json_put_char(o, ']');
}

static void put_control(struct cw_json_out *o, const struct numbering *n, const struct cw_model *m)
{
    cw_json_put_key(o, "guards");
    cw_json_put_char(o, '[');
    for (int i = 0; i < m->guards; i++)
        put_row(o, i, (const int64_t[]){number_of(n, m->guard[i].node), m->guard[i].want}, 2);
    cw_json_put_char(o, ']');
    cw_json_put_key(o, "loops");
    cw_json_put_char(o, '[');
    for (int i = 0; i < m->loops; i++)
        put_row(o, i, (const int64_t[]){m->loop[i].parent, m->loop[i].exits}, 2);
    cw_json_put_char(o, ']');
    cw_json_put_key(o, "exits");
    cw_json_put_char(o, '[');
    for (int i = 0; i < m->exits; i++)
        put_row(o, i, (const int64_t[]){m->exit[i].loop, m->exit[i].stay.first, m->exit[i].stay.n}, 3);
    cw_json_put_char(o, ']');
}

static void put_accesses(struct cw_json_out *o, const struct numbering *n, const struct cw_model *m)
{
    cw_json_put_key(o, "accesses");
    cw_json_put_char(o, '[');
    for (int i = 0; i < m->accesses; i++) {
        const struct cw_access *a = &m->access[i];
        const int64_t v[] = {a->arg,
                             a->kind,
                             number_of(n, a->offset),
                             a->bytes_may,
                             a->bytes_must,
                             number_of(n, a->count),
                             number_of(n, a->stride),
                             a->guards.first,
                             a->guards.n,
                             a->loop,
                             a->result_used,
                             a->merge,
                             number_of(n, a->value)};
        cw_json_put_text(o, i ? ",[" : "[");
        put_list(o, v, sizeof v / sizeof *v);
        cw_json_put_char(o, ',');
        cw_json_put_string(o, a->doubt);
        cw_json_put_char(o, ',');
        cw_json_put_string(o, a->atomic);
        cw_json_put_char(o, ']');
    }
    cw_json_put_char(o, ']');
}

static void put_work(struct cw_json_out *o, const struct cw_model *m)
{
    cw_json_put_key(o, "work");
    cw_json_put_char(o, '[');
    for (int i = 0; i < m->works; i++) {
        const struct cw_ops *w = &m->work[i];
        int64_t v[4 + CW_OPS] = {w->guards.first, w->guards.n, w->loop, w->doubt};
        for (int k = 0; k < CW_OPS; k++)
            v[4 + k] = w->count[k];
        put_row(o, i, v, 4 + CW_OPS);
    }
    cw_json_put_char(o, ']');
}

static enum cw_status put_model(struct cw_json_out *o, const struct cw_model *m, struct cw_error *err)
{
    struct numbering n = {.pool = &m->pool};
    enum cw_status s = CW_OK;
    n.number = calloc((size_t)m->pool.n + 1, sizeof *n.number);
    n.stack = calloc((size_t)m->pool.n + 1, sizeof *n.stack);
    if (!n.number || !n.stack)
        s = cw_error_set(err, CW_ERR_NOMEM, "out of memory for the model of a kernel");
    cw_json_put_open(o);
    cw_json_put_key(o, "kernel");
    cw_json_put_string(o, m->kernel);
    cw_json_put_key(o, "barriers");
    cw_json_put_text(o, m->barriers ? "true" : "false");
    cw_json_put_key(o, "groups");
    cw_json_put_text(o, m->groups ? "true" : "false");
    cw_json_put_key(o, "prints");
    cw_json_put_text(o, m->prints ? "true" : "false");
    cw_json_put_key(o, "polls");
    cw_json_put_text(o, m->polls ? "true" : "false");
    cw_json_put_key(o, "anywhere");
    cw_json_put_text(o, m->anywhere ? "true" : "false");
    cw_json_put_key(o, "addresses");
    cw_json_put_text(o, m->addresses ? "true" : "false");
    cw_json_put_key(o, "why_anywhere");
    cw_json_put_string(o, m->why_anywhere);
    cw_json_put_key(o, "rows");
    cw_json_put_i64(o, m->rows);
    cw_json_put_key(o, "inexact");
    cw_json_put_string(o, m->inexact);
    cw_json_put_key(o, "floats");
    cw_json_put_i64(o, m->floats);
    put_args(o, m);
    if (s == CW_OK)
        s = put_nodes(o, &n, m, err);
    if (s == CW_OK) {
        put_control(o, &n, m);
        put_accesses(o, &n, m);
        put_work(o, m);
    }
    cw_json_put_close(o);
    free(n.number);
    free(n.stack);
    return s;
}

enum cw_status cw_model_write(const struct cw_model *model, int n, FILE *out, struct cw_error *err)
{
    struct cw_json_out *o = malloc(sizeof *o);
    enum cw_status s = CW_OK;
    if (!o)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for models");
    cw_json_out_init(o, out);
    cw_json_put_open(o);
    cw_json_put_key(o, "format");
    cw_json_put_string(o, "clweave-footprint");
    cw_json_put_key(o, "version");
    cw_json_put_i64(o, 1);
    cw_json_put_key(o, "model_version");
    cw_json_put_i64(o, CW_MODEL_VERSION);
    cw_json_put_key(o, "models");
    cw_json_put_char(o, '[');
    for (int i = 0; i < n && s == CW_OK; i++) {
        if (i)
            cw_json_put_char(o, ',');
        s = put_model(o, &model[i], err);
    }
    cw_json_put_char(o, ']');
    cw_json_put_close(o);
    cw_json_put_char(o, '\n');
    cw_json_out_flush(o);
    free(o);
    return s;
}
