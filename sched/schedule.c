#include "schedule.h"

#include <math.h>
#include <stdlib.h>

struct cw_schedule *cw_schedule_create(uint32_t tasks, uint32_t devices)
{
    struct cw_schedule *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->tasks = tasks;
    s->devices = devices;
    s->task = calloc(tasks, sizeof *s->task);
    s->order = malloc(tasks * sizeof *s->order);
    if (!s->task || !s->order) {
        cw_schedule_destroy(s);
        return NULL;
    }
    return s;
}

void cw_schedule_destroy(struct cw_schedule *s)
{
    if (!s)
        return;
    free(s->task);
    free(s->order);
    free(s->part);
    free(s);
}

struct cw_part cw_schedule_part(const struct cw_schedule *s, const struct cw_graph *g, uint32_t i, uint32_t k)
{
    const struct cw_placement *t = &s->task[i];

    if (t->parts > 1)
        return s->part[t->first_part + k];
    return (struct cw_part){
        .device = t->device, .groups = g->groups[i], .share = 1, .start = t->start, .finish = t->finish};
}

double cw_schedule_makespan(const struct cw_schedule *s)
{
    double makespan = 0;

    for (uint32_t i = 0; i < s->tasks; i++)
        makespan = fmax(makespan, s->task[i].finish);
    return makespan;
}

/* The validator: whether a schedule is one. It shares no code with the planners. */

struct busy { /* one part on one device */
    uint32_t device, task;
    double start, finish;
};

struct check {
    const struct cw_schedule *s;
    const struct cw_graph *g;
    const struct cw_platform *p;
    enum cw_sharing sharing;
    double slack; /* how far two times may be apart by rounding */
    struct busy *busy;
    size_t busy_count;
    struct cw_error *err;
};

#define FAIL(c, i, fmt, ...)                                                                                 \
    (cw_graph_describe((c)->g, i, text, sizeof text),                                                        \
     cw_error_set((c)->err, CW_ERR_INVALID, "%s: " fmt, text, __VA_ARGS__))

static enum cw_status check_order(const struct check *c)
{
    char text[96];
    enum cw_status status = CW_OK;
    bool *seen = calloc(c->g->tasks, sizeof *seen);

    if (!seen)
        return cw_error_set(c->err, CW_ERR_NOMEM, "out of memory");
    if (c->s->tasks != c->g->tasks || c->s->placed != c->g->tasks || c->s->devices != c->p->devices)
        status = cw_error_set(c->err, CW_ERR_INVALID, "%u of %u tasks are placed, on %u of %u devices",
                              c->s->placed, c->g->tasks, c->s->devices, c->p->devices);
    for (uint32_t k = 0; status == CW_OK && k < c->s->placed; k++) {
        uint32_t i = c->s->order[k];
        if (i >= c->g->tasks)
            status = cw_error_set(c->err, CW_ERR_INVALID, "the order names task %u of %u", i, c->g->tasks);
        else if (seen[i])
            status = FAIL(c, i, "stands twice in the order (again at %u)", k);
        else
            seen[i] = true;
    }
    free(seen);
    return status;
}

/* The parts of one task: devices, shares, groups, durations. */
static enum cw_status check_parts(struct check *c, uint32_t i)
{
    const struct cw_placement *t = &c->s->task[i];
    char text[96];
    double share = 0, start = INFINITY, finish = 0;
    uint64_t group = 0;

    if (t->parts == 0)
        return FAIL(c, i, "is not placed%s", "");
    if (t->parts > 1 && (!c->g->splittable[i] || c->sharing == CW_SHARE_NEVER))
        return FAIL(c, i, "is shared by %u devices but may not be", t->parts);
    if (t->parts > c->p->devices || (t->parts > 1 && t->first_part + t->parts > c->s->parts))
        return FAIL(c, i, "has %u parts that do not exist", t->parts);
    for (uint32_t k = 0; k < t->parts; k++) {
        struct cw_part part = cw_schedule_part(c->s, c->g, i, k);
        double cost = part.device < c->p->devices ? cw_graph_cost(c->g, i, part.device) : INFINITY;
        if (isinf(cost))
            return FAIL(c, i, "is on device %u, which cannot run it", part.device);
        if (!(part.start >= 0) || !isfinite(part.finish) ||
            part.finish - part.start < part.share * cost - c->slack)
            return FAIL(c, i, "takes from %g to %g on device %u, but needs %g", part.start, part.finish,
                        part.device, part.share * cost);
        for (uint32_t b = 0; b < k; b++) {
            uint32_t other = cw_schedule_part(c->s, c->g, i, b).device;
            if (other == part.device)
                return FAIL(c, i, "has two parts on device %u", other);
            if (c->sharing == CW_SHARE_CLASS &&
                c->p->device[other].class_id != c->p->device[part.device].class_id)
                return FAIL(c, i, "is shared between unlike devices %u and %u", other, part.device);
        }
        if (part.first_group != group || !(part.share > 0) || (c->g->groups[i] && part.groups == 0))
            return FAIL(c, i, "part %u does not begin where the one before ended, or is empty", k);
        group += part.groups;
        share += part.share;
        start = fmin(start, part.start);
        finish = fmax(finish, part.finish);
        c->busy[c->busy_count++] = (struct busy){part.device, i, part.start, part.finish};
    }
    if (fabs(share - 1) > 1e-9 || group != c->g->groups[i])
        return FAIL(c, i, "its parts make up %g of it, %llu of %llu work-groups", share,
                    (unsigned long long)group, (unsigned long long)c->g->groups[i]);
    if (start != t->start || finish != t->finish)
        return FAIL(c, i, "lasts from %g to %g, its parts from %g to %g", t->start, t->finish, start, finish);
    return CW_OK;
}

static enum cw_status check_edges(const struct check *c, uint32_t j)
{
    char text[96];

    for (uint32_t e = c->g->pred.start[j]; e < c->g->pred.start[j + 1]; e++) {
        uint32_t i = c->g->pred.task[e];
        for (uint32_t b = 0; b < c->s->task[j].parts; b++) {
            struct cw_part to = cw_schedule_part(c->s, c->g, j, b);
            double nearest = INFINITY;
            for (uint32_t a = 0; a < c->s->task[i].parts; a++)
                nearest =
                    fmin(nearest, cw_platform_comm(c->p, c->g->pred.data[e],
                                                   cw_schedule_part(c->s, c->g, i, a).device, to.device));
            if (to.start < c->s->task[i].finish + nearest - c->slack)
                return FAIL(c, j, "starts at %g on device %u, but its data of task %u arrive at %g", to.start,
                            to.device, i, c->s->task[i].finish + nearest);
        }
    }
    return CW_OK;
}

static int by_device_and_start(const void *a, const void *b)
{
    const struct busy *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->finish > y->finish) - (x->finish < y->finish);
}

static enum cw_status check_devices(const struct check *c)
{
    char text[96];
    double until = 0; /* the device is busy until then */
    uint32_t device = CW_SCHED_NONE, last = 0;

    qsort(c->busy, c->busy_count, sizeof *c->busy, by_device_and_start);
    for (size_t k = 0; k < c->busy_count; k++) {
        const struct busy *b = &c->busy[k];
        if (b->device != device) {
            device = b->device;
            until = 0;
        }
        if (b->finish <= b->start) /* takes no time: nothing to collide with */
            continue;
        if (b->start < until - c->slack)
            return FAIL(c, b->task, "starts at %g on device %u, which task %u occupies until %g", b->start,
                        device, last, until);
        until = b->finish;
        last = b->task;
    }
    return CW_OK;
}

enum cw_status cw_schedule_check(const struct cw_schedule *s, const struct cw_graph *g,
                                 const struct cw_platform *p, enum cw_sharing sharing, double lower_bound,
                                 struct cw_error *err)
{
    double makespan = cw_schedule_makespan(s);
    struct check c = {s, g, p, sharing, 1e-9 * makespan, NULL, 0, err};
    enum cw_status status;
    size_t parts = 1;

    status = check_order(&c);
    for (uint32_t i = 0; status == CW_OK && i < g->tasks; i++)
        parts += s->task[i].parts;
    if (status == CW_OK && !(c.busy = malloc(parts * sizeof *c.busy)))
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %zu parts", parts);
    for (uint32_t i = 0; status == CW_OK && i < g->tasks; i++)
        status = check_parts(&c, i);
    for (uint32_t i = 0; status == CW_OK && i < g->tasks; i++)
        status = check_edges(&c, i);
    if (status == CW_OK)
        status = check_devices(&c);
    if (status == CW_OK && makespan < lower_bound - c.slack)
        status = cw_error_set(err, CW_ERR_INVALID, "the makespan %g is below the lower bound %g", makespan,
                              lower_bound);
    free(c.busy);
    return status;
}
