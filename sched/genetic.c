#include "genetic.h"
#include "random.h"
#include "whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct genome {
    uint32_t *gene; /* device of each task, in the order */
    double makespan;
    bool better; /* a child that is better than its parents */
};

struct genetic {
    struct cw_plan *plan;
    const struct cw_policy_options *o;
    uint64_t random;
    uint32_t base, length;
    uint32_t *order; /* the tasks that have genes */
    uint32_t size;   /* N */
    /* `pool`: the population, room for as many children, and one for the best ever; genomes are moved about
     * in it */
    struct genome *pool, best;
    uint64_t left; /* schedules that may still be made */
    uint32_t population,
        count; /* of the pool: genomes 0 .. population - 1; the children follow up to count - 1 */
};

static bool chance(struct genetic *s, double probability)
{
    return cw_random_uniform(&s->random, 0, 1) < probability;
}

static uint32_t below(struct genetic *s, uint32_t n)
{
    return (uint32_t)cw_random_below(&s->random, n);
}

static uint32_t random_device(struct genetic *s, uint32_t task)
{
    const struct cw_graph *g = s->plan->graph;
    uint32_t able = 0, pick, p = 0;

    for (uint32_t d = 0; d < g->devices; d++)
        able += !isinf(cw_graph_cost(g, task, d));
    pick = below(s, able);
    while (isinf(cw_graph_cost(g, task, p)) || pick-- > 0)
        p++;
    return p;
}

static void swap(struct genome *a, struct genome *b)
{
    struct genome t = *a;

    *a = *b;
    *b = t;
}

static void copy(const struct genetic *s, struct genome *to, const struct genome *from)
{
    memcpy(to->gene, from->gene, s->length * sizeof *to->gene);
    to->makespan = from->makespan;
}

/* ---- decoding */

static enum cw_status clear(struct genetic *s, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    while (status == CW_OK && s->plan->schedule->placed > s->base)
        status = cw_plan_undo(s->plan, err);
    return status;
}

static enum cw_status place(struct genetic *s, const struct genome *g, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (uint32_t k = 0; k < s->length && status == CW_OK; k++) {
        uint32_t task = s->order[k], p = g->gene[k];
        double cost = cw_graph_cost(s->plan->graph, task, p);
        double start = cw_plan_start(s->plan, p, cw_plan_ready(s->plan, task, p), cost);
        status = cw_plan_place(s->plan, task, &(struct cw_choice){p, start, start + cost}, err);
    }
    return status;
}

/* Sets g->makespan, keeps the best ever, and leaves the plan empty of genes. */
static enum cw_status decode(struct genetic *s, struct genome *g, struct cw_error *err)
{
    enum cw_status status = place(s, g, err);

    s->left--;
    g->makespan = status == CW_OK ? cw_schedule_makespan(s->plan->schedule) : INFINITY;
    if (g->makespan < s->best.makespan)
        copy(s, &s->best, g);
    return status == CW_OK ? clear(s, err) : status;
}

static enum cw_status draw(struct genetic *s, struct genome *g, struct cw_error *err)
{
    for (uint32_t k = 0; k < s->length; k++)
        g->gene[k] = random_device(s, s->order[k]);
    return decode(s, g, err);
}

/* ---- one generation */

static void shuffle(struct genetic *s)
{
    for (uint32_t n = s->population; n > 1; n--)
        swap(&s->pool[below(s, n)], &s->pool[n - 1]);
}

static bool alike(const struct genetic *s, const struct genome *a, const struct genome *b)
{
    uint32_t equal = 0;

    for (uint32_t k = 0; k < s->length; k++)
        equal += a->gene[k] == b->gene[k];
    return equal > s->o->similarity * s->length;
}

static void preprocess(struct genetic *s)
{
    uint32_t checked = (uint32_t)cw_whole_from(s->o->preprocess * s->population, s->population), dropped = 0;

    shuffle(s);
    for (uint32_t k = 0; k + 1 < checked; k += 2)
        if (alike(s, &s->pool[k], &s->pool[k + 1])) {
            if (s->pool[k].makespan < s->pool[k + 1].makespan) /* the less fit first */
                swap(&s->pool[k], &s->pool[k + 1]);
            swap(&s->pool[k], &s->pool[dropped++]);
        }
    for (uint32_t k = 0; k < dropped; k++)
        swap(&s->pool[k], &s->pool[--s->population]);
}

static void mutate(struct genetic *s, struct genome *g)
{
    uint32_t k = below(s, s->length);

    g->gene[k] = random_device(s, s->order[k]);
}

/* Makes up to two children of pool[a] and pool[a + 1] at the end of the pool. */
static enum cw_status breed(struct genetic *s, uint32_t a, struct cw_error *err)
{
    bool crossed = chance(s, s->o->crossover);
    uint32_t from = below(s, s->length), to = below(s, s->length);
    double parents = fmin(s->pool[a].makespan, s->pool[a + 1].makespan);
    enum cw_status status = CW_OK;

    for (uint32_t k = 0; k < 2 && status == CW_OK && s->left; k++) {
        struct genome *child = &s->pool[s->count];
        bool mutated = chance(s, s->o->mutation);
        if (!crossed && !mutated)
            continue;
        copy(s, child, &s->pool[a + k]);
        for (uint32_t x = from < to ? from : to; crossed && x <= (from < to ? to : from); x++)
            child->gene[x] = s->pool[a + 1 - k].gene[x];
        if (mutated)
            mutate(s, child);
        s->count++;
        status = decode(s, child, err);
        child->better = child->makespan < parents;
    }
    return status;
}

static int by_makespan(const void *a, const void *b)
{
    const struct genome *x = a, *y = b;

    if (x->makespan != y->makespan)
        return x->makespan < y->makespan ? -1 : 1;
    return x->gene < y->gene ? -1 : x->gene > y->gene;
}

static void sort(struct genome *g, uint32_t n)
{
    if (n > 1)
        qsort(g, n, sizeof *g, by_makespan);
}

/* Moves the next population to the front of the pool. */
static enum cw_status select_next(struct genetic *s, struct cw_error *err)
{
    uint32_t n1 = 0, by_rank;
    enum cw_status status = CW_OK;

    for (uint32_t k = s->population; k < s->count; k++)
        if (s->pool[k].better)
            swap(&s->pool[k], &s->pool[n1++]);
    sort(s->pool, n1);
    if (n1 < s->size) {
        sort(s->pool + n1, s->count - n1);
        by_rank = (s->size - n1) / 5;
        for (uint32_t k = n1 + by_rank; k < s->size && k < s->count; k++)
            swap(&s->pool[k], &s->pool[k + below(s, s->count - k)]);
    }
    for (; s->count < s->size && status == CW_OK && s->left; s->count++)
        status = draw(s, &s->pool[s->count], err);
    s->population = s->count = s->count < s->size ? s->count : s->size; /* fewer: the search is over */
    for (uint32_t k = 0; k < s->population; k++)
        s->pool[k].better = false;
    return status;
}

static enum cw_status next_generation(struct genetic *s, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    preprocess(s);
    shuffle(s);
    s->count = s->population;
    for (uint32_t a = 0; a + 1 < s->population && status == CW_OK; a += 2)
        status = breed(s, a, err);
    return status == CW_OK ? select_next(s, err) : status;
}

/* ---- beginning and end */

static bool allocate(struct genetic *s)
{
    uint32_t capacity = 2 * s->size;

    s->order = malloc(s->length * sizeof *s->order);
    s->pool = calloc(capacity, sizeof *s->pool);
    s->best.gene = malloc(s->length * sizeof *s->best.gene);
    if (!s->order || !s->pool || !s->best.gene)
        return false;
    s->pool[0].gene = malloc((size_t)capacity * s->length * sizeof(uint32_t));
    for (uint32_t k = 1; k < capacity && s->pool[0].gene; k++)
        s->pool[k].gene = s->pool[0].gene + (size_t)k * s->length;
    return s->pool[0].gene != NULL;
}

static enum cw_status search(struct genetic *s, struct cw_error *err)
{
    struct cw_schedule *schedule = s->plan->schedule;
    enum cw_status status;

    for (uint32_t k = 0; k < s->length; k++) {
        s->order[k] = schedule->order[s->base + k];
        s->best.gene[k] = schedule->task[s->order[k]].device;
    }
    s->best.makespan = cw_schedule_makespan(schedule);
    copy(s, &s->pool[0], &s->best);
    status = clear(s, err);
    for (s->population = 1; s->population < s->size && status == CW_OK && s->left; s->population++)
        status = draw(s, &s->pool[s->population], err);
    s->count = s->population;
    for (uint64_t g = 0; g < s->o->generations && status == CW_OK && s->left; g++)
        status = next_generation(s, err);
    return status == CW_OK ? place(s, &s->best, err) : status;
}

enum cw_status cw_genetic_improve(struct cw_plan *plan, uint32_t base, const struct cw_policy_options *o,
                                  struct cw_error *err)
{
    struct genetic s = {.plan = plan,
                        .o = o,
                        .random = plan->seed,
                        .left = plan->tries,
                        .base = base,
                        .length = plan->schedule->placed - base,
                        .size = o->population ? (uint32_t)cw_whole_from((double)o->population, 1000000)
                                              : 2 * plan->graph->devices};
    uint32_t *genes = NULL;
    enum cw_status status;

    if (s.length == 0 || s.left == 0)
        return CW_OK;
    if (allocate(&s)) {
        genes = s.pool[0].gene; /* genomes move about */
        status = search(&s, err);
    } else {
        status =
            cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u genomes of %u tasks", s.size, s.length);
    }
    free(genes);
    free(s.order);
    free(s.pool);
    free(s.best.gene);
    return status;
}
