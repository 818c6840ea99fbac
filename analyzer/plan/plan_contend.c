#include "plan_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ddr.h"
#include "../../sched/whole.h"

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
