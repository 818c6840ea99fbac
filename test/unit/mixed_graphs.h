/* mixed_graphs.h - task graphs of every kind to compare policies on: each generator, alike processors without
 * transfers as those of the Standard Task Graph Set, several links and memories, tasks that may be shared and
 * tasks that may not, 10 to 3000 tasks. The same number gives the same graph on every machine. */
#ifndef MIXED_GRAPHS_H
#define MIXED_GRAPHS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../sched/generate.h"
#include "../../sched/random.h"

enum { MIXED_GRAPHS = 500, MIXED_LEAST = 10, MIXED_MOST = 3000, MIXED_DEVICES = 17 };

/* 2^low .. 2^high, each power as likely. */
static double mixed_power(uint64_t *random, double low, double high)
{
    return exp2(cw_random_uniform(random, low, high));
}

/* The size that makes `generator` give about `tasks` tasks: the first one with that many, a power of 2 for
 * an FFT. */
static int64_t mixed_size(const char *generator, double tasks)
{
    for (int64_t t = 2;; t++) {
        double s = (double)t, n = s + 3;
        if (strcmp(generator, "fft") == 0)
            n = (t & (t - 1)) ? 0 : 2 * s - 1 + s * log2(s);
        else if (strcmp(generator, "gauss") == 0)
            n = (s * s + s - 2) / 2;
        else if (strcmp(generator, "cholesky") == 0)
            n = s + s * (s - 1) + s * (s - 1) * (s - 2) / 6;
        else if (strcmp(generator, "lu") == 0)
            n = s + s * (s - 1) + (s - 1) * s * (2 * s - 1) / 6;
        else if (strcmp(generator, "blockmatmul") == 0)
            n = 3 + s * s * s;
        else if (strcmp(generator, "mapreduce") == 0)
            n = 2 * s + 1;
        if (n >= tasks)
            return t;
    }
}

static void mixed_options(uint64_t *random, const struct cw_generator *generator,
                          struct cw_generate_options *o)
{
    static const double ccr[] = {0, 0.1, 0.3, 1, 2, 5, 10};
    double tasks = mixed_power(random, log2(MIXED_LEAST), log2(MIXED_MOST));

    *o = cw_generate_defaults;
    o->seed = cw_random_next(random);
    if (generator->takes & CW_GENERATES(tasks))
        o->tasks = (int64_t)tasks;
    if (generator->takes & CW_GENERATES(steps))
        o->steps = (int64_t)fmin(tasks / 2, mixed_power(random, 1, 6));
    if (generator->takes & CW_GENERATES(size))
        o->size = generator->takes & CW_GENERATES(steps) ? (int64_t)fmax(2, tasks / (double)o->steps)
                                                         : mixed_size(generator->name, tasks * 0.7);
    if (generator->takes & CW_GENERATES(devices))
        o->devices = (int64_t)mixed_power(random, 1, 4.1);
    if (generator->takes & CW_GENERATES(dsps))
        o->dsps = (int64_t)mixed_power(random, 0, 4.1);
    if (generator->takes & CW_GENERATES(out_degree))
        o->out_degree = 1 + (int64_t)cw_random_below(random, 8);
    if (generator->takes & CW_GENERATES(shape))
        o->shape = mixed_power(random, -1.5, 1.5);
    if (generator->takes & CW_GENERATES(ccr))
        o->ccr = ccr[cw_random_below(random, 7)];
    if (generator->takes & CW_GENERATES(heterogeneity))
        o->heterogeneity = 0.5 * (double)cw_random_below(random, 5);
    if (strcmp(generator->name, "topcuoglu") == 0 && cw_random_below(random, 2)) /* as in the STG Set */
        o->heterogeneity = o->ccr = 0;
}

/* Other links between the same devices: latencies, unlike bandwidths, memories that two devices share. */
static int mixed_platform(uint64_t *random, struct cw_platform **p)
{
    static const char *const memories[] = {"a", "b", "c", "d"};
    struct cw_device_spec spec[MIXED_DEVICES + 1] = {{0}};
    double bandwidth[(MIXED_DEVICES + 1) * (MIXED_DEVICES + 1)], latency[MIXED_DEVICES + 1];
    uint32_t q = (*p)->devices;
    struct cw_platform *made;

    for (uint32_t d = 0; d < q; d++) {
        spec[d].class_name = (*p)->device[d].class_name;
        spec[d].memory = cw_random_below(random, 2) ? memories[cw_random_below(random, 4)] : NULL;
        latency[d] = (double)cw_random_below(random, 20);
    }
    for (uint32_t k = 0; k < q * q; k++)
        bandwidth[k] = cw_random_uniform(random, 0.3, 3);
    if (cw_platform_create(spec, q, bandwidth, 1, latency, 0, &made, NULL) != CW_OK)
        return -1;
    cw_platform_destroy(*p);
    *p = made;
    return 0;
}

/* Makes graph `number` (0 .. MIXED_GRAPHS - 1) and its platform, the caller's; `text` says which it is.
 * Returns 0. */
static int mixed_graph(uint32_t number, struct cw_graph **g, struct cw_platform **p, char *text, size_t size)
{
    const struct cw_generator *generator;
    struct cw_generate_options o;
    struct cw_error err = {0};
    uint64_t random = number + 1, kinds = 0;
    unsigned share;

    while (cw_generators[kinds])
        kinds++;
    generator = cw_generators[number % kinds];
    mixed_options(&random, generator, &o);
    if (cw_generate(generator, &o, g, p, &err) != CW_OK) {
        snprintf(text, size, "graph %u: %.100s", number, err.text);
        return -1;
    }
    share = (unsigned)cw_random_below(&random, 6);
    for (uint32_t i = 0; i < (*g)->tasks && share < 2; i++) { /* none, or a third more or less of them */
        (*g)->splittable[i] = share && cw_random_below(&random, 3) == 0;
        (*g)->groups[i] = cw_random_below(&random, 40);
    }
    snprintf(text, size, "graph %u: %s, %u tasks, %u edges, %u devices, CCR %g", number, generator->name,
             (*g)->tasks, (*g)->edges, (*g)->devices, o.ccr);
    return cw_random_below(&random, 3) ? 0 : mixed_platform(&random, p);
}

#endif
