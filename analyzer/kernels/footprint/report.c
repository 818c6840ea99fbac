/* report.c - see evaluate.h. */
#include "evaluate.h"

#include "cut.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const kind_names[] = {"scalar", "global", "constant", "local", "image", "other"};

static json_t *formula(const struct cw_model *m, int node, bool pixel)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    if (!f)
        return NULL;
    (pixel ? cw_eval_print_pixel : cw_eval_print)(m, node, f);
    fclose(f);
    json_t *j = json_string(text);
    free(text);
    return j;
}

json_t *cw_report_conditions(const struct cw_model *m, struct cw_guard_range r)
{
    json_t *list = json_array();
    for (int i = r.first; i < r.first + r.n; i++) {
        char *text = NULL;
        size_t n;
        FILE *f = open_memstream(&text, &n);
        if (!f)
            continue;
        cw_eval_print_guard(m, m->guard[i], f);
        fclose(f);
        json_array_append_new(list, json_string(text));
        free(text);
    }
    return list;
}

static const char *mode(const struct cw_model *m, int arg)
{
    bool reads = cw_judge_argument(m, arg, CW_ACCESS_READ).answer != CW_ANSWER_NONE;
    bool writes = cw_judge_argument(m, arg, CW_ACCESS_WRITE).answer != CW_ANSWER_NONE;
    return reads ? (writes ? "read-write" : "read") : writes ? "write" : "none";
}

static void set_judgement(json_t *to, const char *key, struct cw_judgement v)
{
    json_t *j = json_object();
    json_object_set_new(j, "answer", json_string(cw_eval_answer_name(v.answer)));
    if (v.why)
        json_object_set_new(j, "reason", json_string(v.why));
    if (v.answer != CW_ANSWER_NONE)
        json_object_set(to, key, j);
    json_decref(j);
}

static json_t *argument(const struct cw_model *m, int i)
{
    const struct cw_arg *a = &m->arg[i];
    json_t *j = json_object();
    json_object_set_new(j, "index", json_integer(i));
    json_object_set_new(j, "name", json_string(a->name));
    json_object_set_new(j, "type", json_string(a->type));
    json_object_set_new(j, "kind", json_string(kind_names[a->kind]));
    if (a->kind == CW_ARG_SCALAR)
        json_object_set_new(j, "bytes", json_integer(a->bytes));
    if (a->kind != CW_ARG_GLOBAL && a->kind != CW_ARG_CONSTANT && a->kind != CW_ARG_IMAGE)
        return j;
    json_object_set_new(j, "mode", json_string(mode(m, i)));
    struct cw_judgement reads = cw_judge_argument(m, i, CW_ACCESS_READ);
    if (reads.answer == CW_ANSWER_EXACT) /* of reads "at most" is promised, never more */
        reads.answer = CW_ANSWER_AT_MOST;
    set_judgement(j, "reads", reads);
    set_judgement(j, "writes", cw_judge_argument(m, i, CW_ACCESS_WRITE));
    return j;
}

/* The guards of `a` but for those that its pixel lies in the image, the last ones. */
static struct cw_guard_range of_program(const struct cw_model *m, const struct cw_access *a)
{
    struct cw_guard_range r = a->guards;
    while (m->arg[a->arg].kind == CW_ARG_IMAGE && r.n >= 2) {
        const struct cw_expr *x = &m->pool.node[m->guard[r.first + r.n - 1].node],
                             *limit = x->op == CW_EXPR_CMP ? &m->pool.node[x->b] : x;
        if (limit->op != CW_EXPR_ARG || limit->value >= 0)
            break;
        r.n -= 2;
    }
    return r;
}

json_t *cw_report_access(const struct cw_model *m, const struct cw_access *a)
{
    json_t *j = json_object();
    bool atomic = a->kind & CW_ACCESS_ATOMIC, image = m->arg[a->arg].kind == CW_ARG_IMAGE;
    struct cw_judgement v = cw_judge_access(m, a);
    json_object_set_new(j, "arg", json_integer(a->arg));
    json_object_set_new(j, "kind",
                        json_string(atomic                      ? "atomic"
                                    : a->kind & CW_ACCESS_WRITE ? "write"
                                                                : "read"));
    if (atomic) {
        json_object_set_new(j, "operation", json_string(a->atomic));
        json_object_set_new(j, "result_used", json_boolean(a->result_used));
    }
    json_object_set_new(j, image ? "pixel" : "offset",
                        a->offset < 0 ? json_string("?") : formula(m, a->offset, image));
    if (!image)
        json_object_set_new(j, "bytes", json_integer(a->bytes_may));
    if (a->count >= 0) {
        json_object_set_new(j, "count", formula(m, a->count, false));
        json_object_set_new(j, "stride", formula(m, a->stride, false));
    }
    json_object_set_new(j, "guards", cw_report_conditions(m, of_program(m, a)));
    json_object_set_new(j, "answer", json_string(cw_eval_answer_name(v.answer)));
    if (v.why)
        json_object_set_new(j, "reason", json_string(v.why));
    return j;
}

static json_t *loop(const struct cw_model *m, int i)
{
    json_t *j = json_object(), *stay = json_array();
    char name[16];
    snprintf(name, sizeof name, "k%d", i);
    for (int x = 0; x < m->exits; x++)
        if (m->exit[x].loop == i) {
            json_t *list = cw_report_conditions(m, m->exit[x].stay);
            json_array_extend(stay, list);
            json_decref(list);
        }
    json_object_set_new(j, "counter", json_string(name));
    json_object_set_new(j, "goes_on_while", stay);
    json_object_set_new(j, "exits", json_integer(m->loop[i].exits));
    return j;
}

/* Whether its results are the same bits on devices of another vendor. */
static json_t *exact(const struct cw_model *m)
{
    json_t *j = json_pack("{s:b}", "same_bits", !m->inexact);
    if (m->inexact)
        json_object_set_new(j, "reason", json_string(m->inexact));
    json_object_set_new(j, "single", json_boolean(m->floats & CW_MODEL_SINGLE));
    json_object_set_new(j, "double", json_boolean(m->floats & CW_MODEL_DOUBLE));
    return j;
}

json_t *cw_report_kernel(const struct cw_model *m)
{
    json_t *j = json_object(), *args = json_array(), *accesses = json_array(), *loops = json_array();
    for (int i = 0; i < m->args; i++)
        json_array_append_new(args, argument(m, i));
    for (int i = 0; i < m->accesses; i++) {
        json_t *a = cw_report_access(m, &m->access[i]);
        bool known = false; /* the same access in the source often comes many times after inlining */
        for (size_t k = 0; k < json_array_size(accesses) && k < 64 && !known; k++)
            known = json_equal(json_array_get(accesses, k), a);
        if (!known)
            json_array_append(accesses, a);
        json_decref(a);
    }
    for (int i = 0; i < m->loops; i++)
        json_array_append_new(loops, loop(m, i));
    json_object_set_new(j, "name", json_string(m->kernel));
    json_object_set_new(j, "args", args);
    json_object_set_new(j, "accesses", accesses);
    json_object_set_new(j, "loops", loops);
    json_object_set_new(j, "cut", cw_report_cut_hope(m));
    json_object_set_new(j, "operations", cw_report_parts(m));
    json_object_set_new(j, "barriers", json_boolean(m->barriers));
    json_object_set_new(j, "groups", json_boolean(m->groups));
    json_object_set_new(j, "other_memory", json_boolean(m->anywhere));
    json_object_set_new(j, "addresses", json_boolean(m->addresses));
    json_object_set_new(j, "prints", json_boolean(m->prints));
    json_object_set_new(j, "exact", exact(m));
    return j;
}

static json_t *spans(const struct cw_spans *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n; i++)
        json_array_append_new(list, json_pack("[II]", (json_int_t)s->v[i].begin, (json_int_t)s->v[i].end));
    return list;
}

static void set_footprint(json_t *to, const char *key, const struct cw_footprint *f, bool writes)
{
    if (f->answer == CW_ANSWER_NONE)
        return;
    json_t *j = json_object();
    json_object_set_new(j, "answer", json_string(cw_eval_answer_name(f->answer)));
    if (f->why && f->answer != CW_ANSWER_EXACT)
        json_object_set_new(j, "reason", json_string(f->why));
    json_object_set_new(j, "at_most", spans(&f->may));
    if (writes)
        json_object_set_new(j, "exact", spans(&f->must));
    json_object_set_new(to, key, j);
}

json_t *cw_report_footprint(const struct cw_model *m, const struct cw_arg_footprint *f)
{
    json_t *list = json_array();
    for (int i = 0; i < m->args; i++) {
        json_t *j = json_object();
        json_object_set_new(j, "index", json_integer(i));
        json_object_set_new(j, "name", json_string(m->arg[i].name));
        set_footprint(j, "reads", &f[i].reads, false);
        set_footprint(j, "writes", &f[i].writes, true);
        if (json_object_size(j) > 2)
            json_array_append(list, j);
        json_decref(j);
    }
    return list;
}
