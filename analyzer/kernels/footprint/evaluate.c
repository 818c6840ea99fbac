/* evaluate.c - see evaluate.h. */
#include "evaluate.h"
#include "../../io/json_fields.h"
#include "cut.h"
#include "reach.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    VALUE_BYTES = 4352
}; /* per argument: the largest parameters known; of larger structs the tail is unknown */

/* Up to three integers >= least into out; missing ones are `fill`. */
static enum cw_status triple(const json_t *j, const char *key, int64_t least, int64_t fill, int64_t out[3],
                             size_t *n, struct cw_error *err)
{
    const json_t *list = json_object_get(j, key);
    *n = json_array_size(list);
    for (int i = 0; i < 3; i++)
        out[i] = fill;
    if ((list && !json_is_array(list)) || *n > 3)
        return cw_error_set(err, CW_ERR_FORMAT, "\"%s\" must be an array of one to three integers", key);
    for (size_t i = 0; i < *n; i++) {
        const json_t *v = json_array_get(list, i);
        if (!json_is_integer(v) || json_integer_value(v) < least || json_integer_value(v) > INT64_MAX / 4)
            return cw_error_set(err, CW_ERR_FORMAT, "\"%s\"[%zu] must be an integer from %lld on", key, i,
                                (long long)least);
        out[i] = json_integer_value(v);
    }
    return CW_OK;
}

static int digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 32) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* The sizes of an image, whose rows and slices lie close together. */
static enum cw_status image(struct cw_launch_arg *a, const json_t *j, unsigned char *bytes,
                            struct cw_error *err)
{
    struct cw_image_shape shape = {.pitch = {1}};
    size_t n;
    enum cw_status s = triple(j, "image", 1, 1, shape.size, &n, err);
    for (int d = 0; d < 3 && s == CW_OK; d++)
        if (__builtin_mul_overflow(d ? a->buffer_bytes : 1, shape.size[d], &a->buffer_bytes))
            s = cw_error_set(err, CW_ERR_FORMAT, "\"image\": it is too large");
        else if (d < 2)
            shape.pitch[d + 1] = a->buffer_bytes;
    memcpy(bytes, &shape, sizeof shape);
    a->value = bytes;
    a->value_bytes = sizeof shape;
    return s;
}

static enum cw_status argument(struct cw_launch_arg *a, const json_t *j, unsigned char *bytes, int index,
                               int64_t size, struct cw_error *err)
{
    const json_t *buffer = json_object_get(j, "buffer"), *scalar = json_object_get(j, "scalar");
    const char *hex = json_string_value(json_object_get(j, "bytes"));
    if (json_object_get(j, "image"))
        return image(a, j, bytes, err);
    if (json_is_integer(buffer) && json_integer_value(buffer) >= 0) {
        a->buffer_bytes = json_integer_value(buffer);
        a->allocation = (uint64_t)json_integer_value(json_object_get(j, "allocation"));
        a->base = json_integer_value(json_object_get(j, "base"));
    } else if (json_is_integer(scalar)) {
        json_int_t v = json_integer_value(scalar);
        for (int i = 0; i < 8; i++)
            bytes[i] = (unsigned char)((uint64_t)v >> (8 * i));
        a->value = bytes;
        a->value_bytes = size < 8 ? (size_t)size : 8;
    } else if (hex) {
        size_t n = strlen(hex) / 2;
        n = n > VALUE_BYTES ? VALUE_BYTES : n;
        for (size_t i = 0; i < n; i++) {
            int hi = digit(hex[2 * i]), lo = digit(hex[2 * i + 1]);
            if (hi < 0 || lo < 0)
                return cw_error_set(err, CW_ERR_FORMAT,
                                    "\"args\"[%d]: \"bytes\" holds something else than hexadecimal digits",
                                    index);
            bytes[i] = (unsigned char)(16 * hi + lo);
        }
        a->value = bytes;
        a->value_bytes = n;
    } else if (!json_is_null(j) && !json_is_real(scalar) && !json_object_get(j, "local")) {
        return cw_error_set(
            err, CW_ERR_FORMAT,
            "\"args\"[%d] must be null or an object with \"buffer\", \"image\", \"scalar\", \"bytes\" or "
            "\"local\"",
            index);
    }
    return CW_OK;
}

enum cw_status cw_evaluate_read_launch(struct cw_launch_file *l, const json_t *j, const struct cw_model *m,
                                       struct cw_error *err)
{
    struct cw_launch *x = &l->launch;
    size_t n, local, offset;
    memset(l, 0, sizeof *l);
    enum cw_status s = triple(j, "global", 1, 1, x->global, &n, err);
    if (s == CW_OK)
        s = triple(j, "local", 1, 1, x->local, &local, err);
    if (s == CW_OK)
        s = triple(j, "offset", 0, 0, x->offset, &offset, err);
    const json_t *args = json_object_get(j, "args");
    if (s == CW_OK && (n == 0 || local != n || json_array_size(args) != (size_t)m->args))
        s = cw_error_set(err, CW_ERR_FORMAT,
                         "kernel %s: \"global\" and \"local\" need the same number of dimensions, "
                         "\"args\" %d entries",
                         m->kernel, m->args);
    if (s != CW_OK)
        return s;
    x->work_dim = (unsigned)n;
    x->arg = calloc((size_t)m->args + 1, sizeof *x->arg);
    l->bytes = calloc((size_t)m->args + 1, VALUE_BYTES);
    if (!x->arg || !l->bytes)
        s = cw_error_set(err, CW_ERR_NOMEM, "out of memory for a launch");
    for (int i = 0; i < m->args && s == CW_OK; i++)
        s = argument(&x->arg[i], json_array_get(args, (size_t)i), l->bytes + (size_t)i * VALUE_BYTES, i,
                     m->arg[i].kind == CW_ARG_SCALAR ? m->arg[i].bytes : 8, err);
    if (s != CW_OK)
        cw_evaluate_finish_launch(l);
    return s;
}

void cw_evaluate_finish_launch(struct cw_launch_file *l)
{
    free(l->launch.arg);
    free(l->bytes);
    memset(l, 0, sizeof *l);
}

/* Reads {"first":[..],"count":[..]}; it must lie inside the launch. */
static enum cw_status launch_read_tile(struct cw_tile *t, const json_t *j, const struct cw_launch *l,
                                       struct cw_error *err)
{
    size_t n;
    enum cw_status s = triple(j, "first", 0, 0, t->first, &n, err);
    if (s == CW_OK)
        s = triple(j, "count", 1, 1, t->count, &n, err);
    for (int d = 0; d < 3 && s == CW_OK; d++) {
        int64_t groups = l->global[d] / l->local[d] + (l->global[d] % l->local[d] != 0);
        if (t->first[d] >= groups || t->count[d] > groups - t->first[d])
            s = cw_error_set(err, CW_ERR_FORMAT, "a tile ends beyond the %lld work-groups of dimension %d",
                             (long long)groups, d);
    }
    return s;
}

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
            status = launch_read_tile(&t, description, l, err);
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
            status = cw_evaluate_read_launch(&l, j, m, err);
        if (status != CW_OK)
            break;
        json_t *one = json_object();
        status = evaluate_tiles(j, m, &l.launch, time, one, err);
        json_array_append_new(results, one);
        cw_evaluate_finish_launch(&l);
    }
    json_decref(file);
    return status;
}
