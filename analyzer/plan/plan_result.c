#include "plan_result.h"
#include "../io/json_out.h"
#include "plan_graph.h"
#include "ddr.h"
#include "../../sched/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One part of a task, or all of it. */
struct piece {
    uint32_t task, device;
    uint32_t part;  /* into s->part; CW_SCHED_NONE: the task is whole */
    uint32_t place; /* in which the policy placed its task */
    double start, share;
};

struct board {
    struct cw_schedule *s;
    const struct cw_graph *g;
    const struct cw_work_cost *cost;
    struct cw_ddr ddr;
    struct piece *piece; /* by device, then by planned start */
    uint32_t pieces;
    uint32_t *next, *end; /* per device: into `piece` */
    double *free;         /* per device: from when on */
    bool *slows;          /* per device */
    uint32_t *left;       /* per task: pieces that have not run */
};

static int by_device(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void list(struct board *b)
{
    for (uint32_t k = 0; k < b->s->placed; k++) {
        uint32_t i = b->s->order[k];
        const struct cw_placement *t = &b->s->task[i];

        b->left[i] = t->parts;
        for (uint32_t n = 0; n < t->parts; n++) {
            struct cw_part part = cw_schedule_part(b->s, b->g, i, n);
            b->piece[b->pieces++] = (struct piece){.task = i,
                                                   .device = part.device,
                                                   .part = t->parts > 1 ? t->first_part + n : CW_SCHED_NONE,
                                                   .place = k,
                                                   .start = part.start,
                                                   .share = part.share};
        }
    }
    qsort(b->piece, b->pieces, sizeof *b->piece, by_device);
    for (uint32_t k = b->pieces; k-- > 0;)
        b->next[b->piece[k].device] = k;
    for (uint32_t k = 0; k < b->pieces; k++)
        b->end[b->piece[k].device] = k + 1;
}

/* When the next piece of a device can start; INFINITY: not yet known, or it has none. */
static double starts(const struct board *b, uint32_t d)
{
    const struct piece *q = &b->piece[b->next[d]];
    double at = b->free[d];

    if (b->next[d] == b->end[d])
        return INFINITY;
    for (uint32_t e = b->g->pred.start[q->task]; e < b->g->pred.start[q->task + 1]; e++) {
        uint32_t before = b->g->pred.task[e];

        if (b->left[before])
            return INFINITY;
        at = fmax(at, b->s->task[before].finish);
    }
    return at;
}

/* When a piece ends that starts at `at` and takes `alone` without other pieces. */
static double ends(struct board *b, const struct piece *q, double at, double alone)
{
    const struct cw_work_cost *c = &b->cost[(size_t)q->task * b->s->devices + q->device];
    double memory = c->memory_ns * q->share, fill = fmin(c->fill_ns, memory);
    uint64_t now;

    if (!b->slows[q->device] || !(memory > 0) || !isfinite(memory) || at > 9e18)
        return at + alone;
    now = cw_whole_from(at + c->set_up_ns, UINT64_MAX);
    now = fill > 0 ? cw_ddr_take(&b->ddr, now, cw_whole_later(0, fill)) : now;
    now = cw_ddr_run(&b->ddr, now,
                     &(struct cw_ddr_work){c->compute_ns * q->share, memory - fill, c->overlapped});
    return fmax(at + alone, (double)now); /* the memory counts whole nanoseconds */
}

static void run(struct board *b, uint32_t d, double at)
{
    const struct piece *q = &b->piece[b->next[d]++];
    struct cw_placement *t = &b->s->task[q->task];
    struct cw_part *part = q->part == CW_SCHED_NONE ? NULL : &b->s->part[q->part];
    double alone = part ? part->finish - part->start : t->finish - t->start;
    double end = ends(b, q, at, alone);

    if (part) {
        bool first = b->left[q->task] == t->parts;
        part->start = at;
        part->finish = end;
        t->start = first ? at : fmin(t->start, at);
        t->finish = first ? end : fmax(t->finish, end);
    } else {
        t->start = at;
        t->finish = end;
    }
    b->left[q->task]--;
    b->free[d] = end;
}

static void run_all(struct board *b)
{
    for (uint32_t k = 0; k < b->pieces; k++) {
        double least = INFINITY;
        uint32_t best = 0;

        for (uint32_t d = 0; d < b->s->devices; d++) {
            double at = starts(b, d);
            best = at < least ? d : best;
            least = fmin(at, least);
        }
        if (!(least < INFINITY))
            return; /* no schedule of this graph: the validator says more */
        run(b, best, least);
    }
}

enum cw_status cw_plan_contend(struct cw_schedule *s, const struct cw_graph *g, const struct cw_platform *p,
                               const struct cw_work_cost *cost, struct cw_error *err)
{
    struct board b = {.s = s, .g = g, .cost = cost};
    enum cw_status status = CW_OK;

    if (!p->one_memory)
        return CW_OK;
    b.piece = calloc((size_t)s->tasks + s->parts + 1, sizeof *b.piece);
    b.next = calloc(s->devices + 1, sizeof *b.next);
    b.end = calloc(s->devices + 1, sizeof *b.end);
    b.free = calloc(s->devices + 1, sizeof *b.free);
    b.slows = calloc(s->devices + 1, sizeof *b.slows);
    b.left = calloc((size_t)s->tasks + 1, sizeof *b.left);
    if (b.piece && b.next && b.end && b.free && b.slows && b.left) {
        for (uint32_t d = 0; d < s->devices; d++)
            b.slows[d] = !strcmp(p->device[d].class_name, "dsp");
        list(&b);
        run_all(&b);
    } else {
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", s->tasks);
    }
    free(b.piece);
    free(b.next);
    free(b.end);
    free(b.free);
    free(b.slows);
    free(b.left);
    return status;
}

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

/* True when task `i` stands for work: not for a host action, a marker or a failed command of a trace. */
static bool plan_is_work(const struct cw_plan_input *input, uint32_t i)
{
    const struct cw_command *c = input->trace ? &input->trace->commands.v[i] : NULL;

    return !c || (c->status == 0 && (cw_work_is_kernel(c) || cw_work_is_transfer(c)));
}

uint32_t cw_plan_work_tasks(const struct cw_plan_input *input)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < input->graph->tasks; i++)
        n += plan_is_work(input, i);
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
        if (plan_is_work(input, s->order[k]))
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
        if (!plan_is_work(input, i))
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
