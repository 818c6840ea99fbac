/* report_cut.c - verdicts on cutting and operation counts as JSON. See evaluate.h. */
#include "cut.h"
#include "evaluate.h"
#include "cut_internal.h"

#include <stdlib.h>
#include <string.h>

/* An expected verdict on cutting before a launch is known. See cut.h.
 *
 * The test for a launch is run on made-up launches: eight work-groups of eight in each dimension that the
 * kernel asks about, integer arguments of a few sizes, buffers without end. */

enum { GROUPS = 8, LOCAL = 8, VALUE_BYTES = 16 };

static unsigned dimensions(const struct cw_model *m)
{
    unsigned n = 1;
    for (int i = 0; i < m->pool.n; i++) {
        const struct cw_expr *x = &m->pool.node[i];
        if (x->op >= CW_EXPR_GLOBAL_ID && x->op <= CW_EXPR_GLOBAL_OFFSET && x->dim + 1u > n)
            n = x->dim + 1u;
    }
    return n;
}

static void make_launch(const struct cw_model *m, int64_t value, int64_t step, struct cw_launch *l,
                        unsigned char *bytes)
{
    l->work_dim = dimensions(m);
    for (unsigned d = 0; d < 3; d++) {
        l->local[d] = d < l->work_dim ? LOCAL : 1;
        l->global[d] = d < l->work_dim ? GROUPS * LOCAL : 1;
        l->offset[d] = 0;
    }
    for (int i = 0; i < m->args; i++) {
        struct cw_launch_arg *a = &l->arg[i];
        *a = (struct cw_launch_arg){.buffer_bytes = INT64_C(1) << 50};
        bool real = !strncmp(m->arg[i].type, "float", 5) || !strncmp(m->arg[i].type, "double", 6) ||
                    !strncmp(m->arg[i].type, "half", 4);
        bool ints = !strncmp(m->arg[i].type, "int", 3) || !strncmp(m->arg[i].type, "uint", 4);
        if (m->arg[i].kind != CW_ARG_SCALAR || real || m->arg[i].bytes > VALUE_BYTES)
            continue;
        int64_t v = value + step * i;
        for (int k = 0; k < VALUE_BYTES; k++) /* int2: both */
            bytes[i * VALUE_BYTES + k] = (unsigned char)((uint64_t)v >> 8 * (k % (ints ? 4 : 8)));
        a->value = bytes + (size_t)i * VALUE_BYTES;
        a->value_bytes = (size_t)m->arg[i].bytes;
    }
}

/* How much of the kernel an example shows: accesses that happen in several slabs of some dimension. */
static int shown(struct cw_cutter *c, const struct cw_launch *l)
{
    struct cut_form *f = &c->form[0];
    int n = 0;
    c->eval->launch = l;
    c->eval->tile = &c->tile;
    for (int d = 0; d < 3; d++) {
        c->tile.first[d] = 0;
        c->tile.count[d] = l->global[d] / l->local[d];
    }
    for (int i = 0; i < c->m->accesses; i++)
        for (unsigned d = 0; d < l->work_dim; d++) {
            cw_cut_form_read(c->eval, i, (int)d, f);
            n += !f->never && f->slabs.lo < f->slabs.hi;
        }
    return n;
}

/* The best verdict over a few made-up launches. Nothing may rest on it: each real launch is judged by itself.
 */
static void cut_example(const struct cw_model *m, struct cw_cut_verdict *best)
{
    static const int64_t values[][2] = {{64, 0}, {1000, 0}, {256, 64}, {64, 16}, {4, 0}, {1, 0}};
    struct cw_cutter *c = cw_cutter_create(m);
    struct cw_launch l = {.arg = calloc((size_t)m->args + 1, sizeof *l.arg)};
    unsigned char *bytes = calloc((size_t)m->args + 1, VALUE_BYTES);
    int most = -1;
    *best = (struct cw_cut_verdict){
        .cut = CW_CUT_WHOLE, .dim = -1, .why = "out of memory", .arg = -1, .other = -1, .access = {-1, -1}};
    for (size_t i = 0; c && l.arg && bytes && i < sizeof values / sizeof *values; i++) {
        struct cw_cut_verdict v;
        make_launch(m, values[i][0], values[i][1], &l, bytes);
        cw_cutter_verdict(c, &l, &v);
        int n = shown(c, &l);
        bool better = v.cut > best->cut || (v.cut == best->cut && v.contiguous && !best->contiguous);
        if (n > most || (n == most && better))
            *best = v;
        most = n > most ? n : most;
    }
    free(l.arg);
    free(bytes);
    cw_cutter_destroy(c);
}

static void set_accesses(json_t *j, const struct cw_model *m, const struct cw_cut_verdict *v)
{
    json_t *list = json_array();
    for (int i = 0; i < 2; i++)
        if (v->access[i] >= 0 && (i == 0 || v->access[1] != v->access[0]))
            json_array_append_new(list, cw_report_access(m, &m->access[v->access[i]]));
    if (json_array_size(list))
        json_object_set(j, "accesses", list);
    json_decref(list);
}

json_t *cw_report_cut(const struct cw_model *m, const struct cw_cut_verdict *v)
{
    json_t *j = json_object(), *merge = json_array();
    json_object_set_new(j, "verdict", json_string(cw_cut_name(v->cut)));
    if (v->dim >= 0) {
        json_object_set_new(j, "dimension", json_integer(v->dim));
        json_object_set_new(j, "contiguous", json_boolean(v->contiguous));
    }
    if (v->why)
        json_object_set_new(j, "reason", json_string(v->why));
    if (v->arg >= 0)
        json_object_set_new(j, "arg", json_integer(v->arg));
    if (v->other >= 0)
        json_object_set_new(j, "other_arg", json_integer(v->other));
    set_accesses(j, m, v);
    for (int i = 0; i < v->merges; i++)
        json_array_append_new(merge,
                              json_pack("{s:i, s:s, s:i}", "arg", v->merge[i].arg, "how",
                                        cw_cut_merge_name(v->merge[i].how), "bytes", v->merge[i].bytes));
    if (v->merges)
        json_object_set(j, "merge", merge);
    json_decref(merge);
    return j;
}

json_t *cw_report_cut_hope(const struct cw_model *m)
{
    struct cw_cut_verdict v;
    bool never = cw_cut_never(m, &v);
    if (!never)
        cut_example(m, &v);
    json_t *j = cw_report_cut(m, &v);
    json_object_set_new(j, "certain", json_boolean(never));
    return j;
}

json_t *cw_report_parts(const struct cw_model *m)
{
    json_t *list = json_array();
    for (int i = 0; i < m->works; i++) {
        const struct cw_ops *w = &m->work[i];
        json_t *j = json_object(), *counts = json_object();
        char loop[16];
        snprintf(loop, sizeof loop, "k%d", w->loop);
        json_object_set_new(j, "guards", cw_report_conditions(m, w->guards));
        if (w->loop >= 0)
            json_object_set_new(j, "loop", json_string(loop));
        json_object_set_new(j, "doubt", json_boolean(w->doubt));
        for (int k = 0; k < CW_OPS; k++)
            if (w->count[k])
                json_object_set_new(counts, cw_ops_name((enum cw_op)k), json_integer(w->count[k]));
        json_object_set_new(j, "counts", counts);
        json_array_append_new(list, j);
    }
    return list;
}

json_t *cw_report_work(const struct cw_ops_counts *counts)
{
    json_t *j = json_object(), *items = json_object();
    for (int k = 0; k < CW_OPS; k++)
        if (counts->per_item[k] > 0)
            json_object_set_new(items, cw_ops_name((enum cw_op)k), json_real(counts->per_item[k]));
    json_object_set_new(j, "per_item", items);
    json_object_set_new(j, "sure", json_boolean(counts->sure));
    json_object_set_new(j, "unknown_loops", json_integer(counts->unknown_loops));
    return j;
}
