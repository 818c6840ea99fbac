#include "plan_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../io/json_out.h"
#include "work_times.h"

static double processor_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum cw_status cw_plan_result_init(struct cw_plan_result *r, const struct cw_plan_input *input,
                                   const char *label, const struct cw_policy_config *config, bool check,
                                   struct cw_error *err)
{
    enum cw_sharing sharing = cw_policy_sharing(config);
    double begin = processor_time();
    enum cw_status status;

    *r = (struct cw_plan_result){.config = *config};
    snprintf(r->label, sizeof r->label, "%s", label);
    status = cw_policy_run(config, input->graph, input->platform, &r->schedule, err);
    r->seconds = processor_time() - begin;
    if (status == CW_OK && input->work)
        status = cw_plan_contend(r->schedule, input->graph, input->platform, input->work, err);
    if (status == CW_OK)
        status = cw_metrics_init(&r->metrics, input->graph, input->platform, r->schedule, sharing, err);
    if (status == CW_OK)
        status = cw_plan_bound_find(&r->bound, input->bounds, &r->metrics.bounds, input->graph,
                                    input->platform, sharing, err);
    if (status == CW_OK && check)
        status = cw_schedule_check(r->schedule, input->graph, input->platform, sharing, r->bound.best, err);
    if (status != CW_OK)
        cw_plan_result_finish(r);
    return status;
}

void cw_plan_result_finish(struct cw_plan_result *r)
{
    cw_schedule_destroy(r->schedule);
    cw_metrics_finish(&r->metrics);
    *r = (struct cw_plan_result){0};
}

bool cw_plan_is_work(const struct cw_plan_input *input, uint32_t i)
{
    const struct cw_command *c = input->trace ? &input->trace->commands.v[i] : NULL;

    return !c || (c->status == 0 && (cw_work_is_kernel(c) || cw_work_is_transfer(c)));
}

uint32_t cw_plan_work_tasks(const struct cw_plan_input *input)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < input->graph->tasks; i++)
        n += cw_plan_is_work(input, i);
    return n;
}

struct started {
    double start;
    uint32_t place, task;
};

static int by_start(const void *a, const void *b)
{
    const struct started *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

enum cw_status cw_plan_result_order(const struct cw_plan_result *r, const struct cw_plan_input *input,
                                    uint32_t *order, uint32_t *count, struct cw_error *err)
{
    const struct cw_schedule *s = r->schedule;
    struct started *list = malloc((s->placed + 1) * sizeof *list);
    uint32_t n = 0;

    if (!list)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the order of %u tasks", s->placed);
    for (uint32_t k = 0; k < s->placed; k++)
        if (cw_plan_is_work(input, s->order[k]))
            list[n++] = (struct started){s->task[s->order[k]].start, k, s->order[k]};
    qsort(list, n, sizeof *list, by_start);
    for (uint32_t k = 0; k < n; k++)
        order[k] = list[k].task;
    free(list);
    *count = n;
    return CW_OK;
}

/* ---- JSON */

static void json_number(struct cw_json_out *o, const char *key, double x)
{
    cw_json_put_key(o, key);
    cw_json_put_double(o, x);
}

/* A task without a group count is one group that divides without limit: its parts are fractions of it. */
static void json_part(struct cw_json_out *o, const struct cw_part *part, double *before)
{
    cw_json_put_open(o);
    cw_json_put_key(o, "device");
    cw_json_put_u64(o, part->device);
    json_number(o, "first_group", part->groups ? (double)part->first_group : *before);
    json_number(o, "groups", part->groups ? (double)part->groups : part->share);
    cw_json_put_close(o);
    *before += part->share;
}

static void json_placements(struct cw_json_out *o, const struct cw_plan_input *input,
                            const struct cw_schedule *s)
{
    bool first = true;

    cw_json_put_key(o, "placements");
    for (uint32_t i = 0; i < s->tasks; i++) {
        double before = 0;
        if (!cw_plan_is_work(input, i))
            continue;
        cw_json_put_text(o, first ? "[\n  " : ",\n  ");
        first = false;
        cw_json_put_open(o);
        cw_json_put_key(o, "task");
        cw_json_put_u64(o, i);
        json_number(o, "start", s->task[i].start);
        json_number(o, "finish", s->task[i].finish);
        cw_json_put_key(o, "parts");
        for (uint32_t k = 0; k < s->task[i].parts; k++) {
            struct cw_part part = cw_schedule_part(s, input->graph, i, k);
            cw_json_put_char(o, k ? ',' : '[');
            json_part(o, &part, &before);
        }
        cw_json_put_char(o, ']');
        cw_json_put_close(o);
    }
    cw_json_put_text(o, first ? "[]" : "]");
}

/* OCT holds for whole tasks only. */
static void json_bounds(struct cw_json_out *o, const struct cw_plan_result *r)
{
    bool whole = cw_policy_sharing(&r->config) == CW_SHARE_NEVER;

    json_number(o, "lower_bound", r->bound.best);
    cw_json_put_key(o, "lower_bound_by");
    cw_json_put_string(o, cw_plan_bound_kind_name(r->bound.kind));
    cw_json_put_key(o, "bounds");
    cw_json_put_open(o);
    json_number(o, "critical_path", r->metrics.bounds.critical_path);
    json_number(o, "oct", whole ? r->metrics.bounds.oct : NAN);
    json_number(o, "area", r->metrics.bounds.area);
    json_number(o, "energy", whole ? r->metrics.bounds.energy : NAN);
    json_number(o, "lp", r->bound.lp.solved ? r->bound.lp.bound : NAN);
    if (!r->bound.lp.solved) {
        cw_json_put_key(o, "lp_skipped");
        cw_json_put_string(o, r->bound.lp.reason);
    }
    cw_json_put_close(o);
}

static void json_result(struct cw_json_out *o, const struct cw_plan_input *input,
                        const struct cw_plan_result *r)
{
    cw_json_put_open(o);
    cw_json_put_key(o, "policy");
    cw_json_put_string(o, r->label);
    cw_json_put_key(o, "seed");
    cw_json_put_u64(o, r->config.seed);
    cw_json_put_key(o, "unit");
    cw_json_put_string(o, input->trace ? "ns" : NULL);
    json_number(o, "makespan", r->metrics.makespan);
    json_number(o, "slr", r->metrics.slr);
    json_number(o, "nsl", r->metrics.nsl);
    json_number(o, "speedup", r->metrics.speedup);
    json_number(o, "efficiency", r->metrics.efficiency);
    json_bounds(o, r);
    cw_json_put_key(o, "devices");
    for (uint32_t d = 0; d < input->platform->devices; d++) {
        cw_json_put_char(o, d ? ',' : '[');
        cw_json_put_string(o, input->platform->device[d].name);
    }
    cw_json_put_char(o, ']');
    cw_json_put_key(o, "utilisation");
    for (uint32_t d = 0; d < input->platform->devices; d++) {
        cw_json_put_char(o, d ? ',' : '[');
        cw_json_put_double(o, r->metrics.utilisation[d]);
    }
    cw_json_put_char(o, ']');
    if (*r->schedule->note) {
        cw_json_put_key(o, "note");
        cw_json_put_string(o, r->schedule->note);
    }
    json_placements(o, input, r->schedule);
    cw_json_put_close(o);
}

void cw_plan_result_json(FILE *f, const struct cw_plan_input *input, const struct cw_plan_result *r,
                         size_t count)
{
    struct cw_json_out o;

    cw_json_out_init(&o, f);
    for (size_t k = 0; k < count; k++) {
        cw_json_put_text(&o, count == 1 ? "" : k ? ",\n" : "[");
        json_result(&o, input, &r[k]);
    }
    cw_json_put_text(&o, count == 1 ? "\n" : "]\n");
    cw_json_out_flush(&o);
}

const char *cw_plan_time(const struct cw_plan_input *input, double time, double like, char *text, size_t size)
{
    static const struct {
        double from, ns;
        const char *unit;
    } units[] = {{1e9, 1e9, "s"}, {1e6, 1e6, "ms"}, {1e3, 1e3, "us"}, {0, 1, "ns"}};
    size_t k = 0;

    if (!input->trace) {
        snprintf(text, size, "%.6g", time);
        return text;
    }
    while (like < units[k].from)
        k++;
    snprintf(text, size, "%.5g %s", time / units[k].ns, units[k].unit);
    return text;
}
