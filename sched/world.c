/* world.c - see dynamic.h. Every draw has its own number in the sequence, so that noise does not change the
 * times of failures. */
#include "dynamic.h"

#include <math.h>
#include <stdlib.h>

#include "random.h"

static double draw(const struct cw_world *w, uint64_t what, uint64_t number)
{
    uint64_t state =
        w->options->seed * UINT64_C(0x9e3779b97f4a7c15) + what * UINT64_C(0xd1342543de82ef95) + number;

    cw_random_next(&state);
    return cw_random_uniform(&state, 0, 1);
}

enum cw_status cw_world_init(struct cw_world *w, const struct cw_platform *p,
                             const struct cw_simulate_options *o, struct cw_simulate_result *r,
                             struct cw_error *err)
{
    *w = (struct cw_world){.platform = p, .options = o, .result = r};
    *r = (struct cw_simulate_result){0};
    if (!(o->noise >= 0 && o->noise < 1))
        return cw_error_set(err, CW_ERR_INVALID, "simulate: noise is a number from 0 to below 1, not %g",
                            o->noise);
    if (!(o->mtbf >= 0))
        return cw_error_set(err, CW_ERR_INVALID,
                            "simulate: the time between failures is a number from 0 on, not %g", o->mtbf);
    w->dies = calloc(p->devices, sizeof *w->dies);
    w->link = calloc((size_t)p->devices * p->devices, sizeof *w->link);
    if (!w->dies || !w->link) {
        cw_world_finish(w);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    }
    for (uint32_t d = 0; d < p->devices; d++)
        w->dies[d] = o->mtbf > 0 ? -o->mtbf * log(1 - draw(w, 0, d)) : INFINITY;
    return CW_OK;
}

void cw_world_finish(struct cw_world *w)
{
    free(w->dies);
    free(w->link);
    *w = (struct cw_world){0};
}

double cw_world_length(const struct cw_world *w, double length, uint32_t task, uint32_t device)
{
    return length * (1 + w->options->noise * (2 * draw(w, 1 + device, task) - 1));
}

static uint32_t memory_of(const struct cw_platform *p, uint32_t device)
{
    uint32_t first = 0;

    while (!cw_platform_shared(p, first, device))
        first++;
    return first;
}

double cw_world_arrival(struct cw_world *w, double data, uint32_t from, uint32_t to, double since, bool book)
{
    const struct cw_platform *p = w->platform;
    double begin = since, *link;

    if (w->options->contention && !cw_platform_shared(p, from, to)) {
        link = &w->link[(size_t)memory_of(p, from) * p->devices + memory_of(p, to)];
        begin = fmax(since, *link);
        if (book) {
            w->result->waited += begin - since;
            *link = begin + data / p->bandwidth[(size_t)from * p->devices + to];
        }
    }
    return begin + cw_platform_comm(p, data, from, to);
}

void cw_world_end(struct cw_world *w, double makespan)
{
    w->result->makespan = makespan;
    for (uint32_t d = 0; d < w->platform->devices; d++)
        w->result->failures += w->dies[d] < makespan;
}
