/* evaluate.c - see evaluate.h. */
#include "evaluate.h"

#include "../../io/json_fields.h"
#include "cut.h"

#include <stdlib.h>
#include <time.h>

enum { MAX_TIMED_REPEATS = 64 };

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* May the launch be cut? */
static enum cw_status judge_cut(const struct cw_model *m, const struct cw_launch *l, bool time,
                                json_t *result, struct cw_error *err)
{
    struct cw_cut_verdict v;
    struct cw_cutter *c = cw_cutter_create(m);
    if (!c)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a verdict");
    double start = now_us(), cold;
    cw_cutter_verdict(c, l, &v);
    cold = now_us();
    for (int i = 0; i < MAX_TIMED_REPEATS && time; i++)
        cw_cutter_verdict(c, l, &v);
    json_t *j = cw_report_cut(m, &v);
    if (time) {
        json_object_set_new(j, "cold_us", json_real(cold - start));
        json_object_set_new(j, "warm_us", json_real((now_us() - cold) / MAX_TIMED_REPEATS));
    }
    json_object_set_new(result, "cut", j);
    cw_cutter_destroy(c);
    return CW_OK;
}

static enum cw_status count_work(const struct cw_model *m, const struct cw_launch *l, bool time,
                                 json_t *result, struct cw_error *err)
{
    struct cw_ops_counts counts;
    struct cw_ops_floats floats;
    struct cw_eval *e = cw_eval_create(m);
    if (!e)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for counts");
    double start = now_us(), took;
    cw_ops_count(m, e, l, &counts);
    took = now_us() - start;
    json_t *j = cw_report_work(&counts);
    if (time)
        json_object_set_new(j, "count_us", json_real(took));
    start = now_us();
    const char *why = cw_ops_floats(m, e, l, &(int64_t){CW_OPS_BOXES}, &floats);
    took = now_us() - start;
    json_object_set_new(j, "floating_point",
                        why ? json_pack("{s:s}", "unknown", why)
                            : json_pack("{s:f, s:f}", "single", floats.single, "double", floats.twice));
    if (time)
        json_object_set_new(j, "floating_point_us", json_real(took));
    json_object_set_new(result, "operations", j);
    cw_eval_destroy(e);
    return CW_OK;
}

/* All tiles of one launch. */
static enum cw_status evaluate_tiles(const json_t *j, const struct cw_model *m, const struct cw_launch *l,
                                     bool time, json_t *result, struct cw_error *err)
{
    json_t *tiles = json_array(), *description;
    struct cw_eval *e = cw_eval_create(m);
    struct cw_arg_footprint *f = calloc((size_t)m->args + 1, sizeof *f);
    enum cw_status status =
        e && f ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory for an evaluation");
    size_t i;
    json_object_set_new(result, "kernel", json_string(m->kernel));
    json_object_set_new(result, "tiles", tiles);
    json_array_foreach(json_object_get(j, "tiles"), i, description)
    {
        struct cw_tile t;
        if (status == CW_OK)
            status = cw_launch_read_tile(&t, description, l, err);
        if (status != CW_OK)
            break;
        double start = now_us();
        int repeats = 0;
        do
            if (!cw_eval_tile(e, l, &t, f))
                status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for an evaluation");
        while (time && status == CW_OK && ++repeats < MAX_TIMED_REPEATS);
        double took = now_us() - start;
        json_t *one = json_pack("{s:o}", "args", cw_report_footprint(m, f));
        if (time)
            json_object_set_new(one, "evaluation_us", json_real(took / MAX_TIMED_REPEATS));
        json_array_append_new(tiles, one);
    }
    if (status == CW_OK)
        status = judge_cut(m, l, time, result, err);
    if (status == CW_OK)
        status = count_work(m, l, time, result, err);
    if (f)
        cw_eval_result_finish(f, m->args);
    free(f);
    cw_eval_destroy(e);
    return status;
}

enum cw_status cw_evaluate_file(const char *path, cw_evaluate_find *find, void *context, bool time,
                                json_t *results, struct cw_error *err)
{
    json_t *file, *j;
    size_t i;
    enum cw_status status = cw_json_load_any(path, &file, err);
    if (status != CW_OK)
        return status;
    json_t *launches = json_object_get(file, "launches");
    if (!json_is_array(launches))
        status = cw_error_set(err, CW_ERR_FORMAT, "%s has no array \"launches\"", path);
    json_array_foreach(launches, i, j)
    {
        const char *name = json_string_value(json_object_get(j, "kernel"));
        const struct cw_model *m;
        struct cw_launch_file l;
        if (status == CW_OK && !name)
            status = cw_error_set(err, CW_ERR_FORMAT, "%s: a launch without \"kernel\"", path);
        if (status == CW_OK)
            status = find(context, name, &m, err);
        if (status == CW_OK)
            status = cw_launch_read(&l, j, m, err);
        if (status != CW_OK)
            break;
        json_t *one = json_object();
        status = evaluate_tiles(j, m, &l.launch, time, one, err);
        json_array_append_new(results, one);
        cw_launch_finish(&l);
    }
    json_decref(file);
    return status;
}
