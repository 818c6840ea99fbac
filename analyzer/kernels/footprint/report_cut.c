/* report_cut.c - verdicts on cutting and operation counts as JSON. See evaluate.h. */

#include "cut.h"
#include "evaluate.h"

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
        cw_cut_example(m, &v);
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
