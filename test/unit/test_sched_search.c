/* The parts that searches are made of, against the slow and certain way: places and lengths of the
 * disjunctive graph against all places, one by one; shares of whole work-groups against all shares. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/disjunctive.h"
#include "../../sched/random.h"
#include "../../sched/moldable.h"

enum { TASKS = 9, DEVICES = 3, PLACES = 40 };

/* Some costs are 0, some devices cannot run a task, memories and bandwidths vary. */
static void random_case(uint64_t *random, struct cw_graph **g, struct cw_platform **p)
{
    struct cw_graph_builder *b = cw_graph_builder_create(DEVICES);
    struct cw_device_spec spec[DEVICES] = {{0}};
    double bandwidth[DEVICES * DEVICES], latency[DEVICES * DEVICES];
    bool matrix = cw_random_below(random, 2), memory = cw_random_below(random, 3) == 0,
         pairs = cw_random_below(random, 2);

    for (uint32_t d = 0; d < DEVICES; d++) {
        spec[d].memory = memory && d < 2 ? "ddr" : NULL;
    }
    for (uint32_t k = 0; k < DEVICES * DEVICES; k++) {
        bandwidth[k] = cw_random_uniform(random, 0.5, 2);
        latency[k] = (double)cw_random_below(random, 3);
    }
    assert_int_equal(
        pairs ? cw_platform_create_pairs(spec, DEVICES, matrix ? bandwidth : NULL, 1, latency, p, NULL)
              : cw_platform_create(spec, DEVICES, matrix ? bandwidth : NULL, 1, latency, 0, p, NULL),
        CW_OK);
    for (uint32_t i = 0; i < TASKS; i++) {
        double cost[DEVICES];
        for (uint32_t d = 0; d < DEVICES; d++)
            cost[d] = cw_random_below(random, 6) ? (double)cw_random_below(random, 8) : INFINITY;
        cost[cw_random_below(random, DEVICES)] = 3;
        assert_int_equal(cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = cost}, NULL), CW_OK);
    }
    for (uint32_t i = 0; i < TASKS; i++)
        for (uint32_t j = i + 1; j < TASKS; j++)
            if (cw_random_below(random, 4) == 0)
                assert_int_equal(cw_graph_builder_add_edge(b, i, j, (double)cw_random_below(random, 5), NULL),
                                 CW_OK);
    assert_int_equal(cw_graph_builder_finish(b, g, NULL), CW_OK);
}

/* ---- the slow way: sequences of tasks per device, the longest path by relaxation */

struct sequences {
    uint32_t task[DEVICES][TASKS], count[DEVICES];
    uint32_t device[TASKS];
};

static struct sequences read_sequences(const struct cw_disjunctive *d)
{
    struct sequences s = {0};

    for (uint32_t p = 0; p < DEVICES; p++)
        for (uint32_t i = d->first[p]; i != CW_SCHED_NONE; i = d->next[i])
            s.task[p][s.count[p]++] = i;
    memcpy(s.device, d->device, sizeof s.device);
    return s;
}

/* The makespan; INFINITY when the sequences and the edges are in a circle. */
static double relax(const struct cw_graph *g, const struct cw_platform *pf, const struct sequences *s)
{
    double start[TASKS] = {0}, length = 0;
    bool changed = true;

    for (int round = 0; changed; round++) {
        changed = false;
        if (round > 2 * TASKS)
            return INFINITY;
        for (uint32_t i = 0; i < TASKS; i++) {
            double at = start[i];
            for (uint32_t e = g->pred.start[i]; e < g->pred.start[i + 1]; e++) {
                uint32_t j = g->pred.task[e];
                at = fmax(at, start[j] + cw_graph_cost(g, j, s->device[j]) +
                                  cw_platform_comm(pf, g->pred.data[e], s->device[j], s->device[i]));
            }
            for (uint32_t k = 1; k < s->count[s->device[i]]; k++)
                if (s->task[s->device[i]][k] == i) {
                    uint32_t j = s->task[s->device[i]][k - 1];
                    at = fmax(at, start[j] + cw_graph_cost(g, j, s->device[i]));
                }
            changed |= at > start[i];
            start[i] = at;
        }
    }
    for (uint32_t i = 0; i < TASKS; i++)
        length = fmax(length, start[i] + cw_graph_cost(g, i, s->device[i]));
    return length;
}

/* Whether an edge path leads from a to b, so that b may not stand before a even when both take no time. */
static bool leads(const struct cw_graph *g, const struct sequences *s, uint32_t a, uint32_t b, uint32_t v)
{
    bool reached[TASKS] = {false}, changed = true;

    reached[a] = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < TASKS; i++) {
            if (!reached[i])
                continue;
            for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++) {
                changed |= !reached[g->succ.task[e]];
                reached[g->succ.task[e]] = true;
            }
            for (uint32_t k = 0; i != v && k + 1 < s->count[s->device[i]]; k++)
                if (s->task[s->device[i]][k] == i) {
                    changed |= !reached[s->task[s->device[i]][k + 1]];
                    reached[s->task[s->device[i]][k + 1]] = true;
                }
        }
    }
    return reached[b];
}

/* All places of `v`, which stands in no sequence of `s`. */
static uint32_t all_places(const struct cw_graph *g, const struct cw_platform *pf, const struct sequences *s,
                           uint32_t v, struct cw_insertion *place)
{
    uint32_t n = 0;

    for (uint32_t p = 0; p < DEVICES; p++) {
        double cost = cw_graph_cost(g, v, p);
        for (uint32_t at = 0; !isinf(cost) && at <= (cost > 0 ? s->count[p] : 0); at++) {
            struct sequences t = *s;
            bool open = true;
            t.device[v] = p;
            for (uint32_t k = 0; cost > 0 && k < s->count[p]; k++)
                open &= k < at ? !leads(g, s, v, s->task[p][k], v) : !leads(g, s, s->task[p][k], v, v);
            if (!open)
                continue;
            if (cost > 0) {
                memmove(&t.task[p][at + 1], &t.task[p][at], (t.count[p] - at) * sizeof(uint32_t));
                t.task[p][at] = v;
                t.count[p]++;
            }
            place[n++] = (struct cw_insertion){p, at && cost > 0 ? s->task[p][at - 1] : CW_SCHED_NONE,
                                               relax(g, pf, &t), 0};
        }
    }
    return n;
}

/* ---- held against each other */

struct places {
    struct cw_insertion place[PLACES];
    uint32_t count;
};

static void collect(void *context, const struct cw_insertion *place)
{
    struct places *all = context;

    assert_true(all->count < PLACES);
    all->place[all->count++] = *place;
}

static void check_moves(uint64_t *random, struct cw_disjunctive *d, const struct cw_graph *g,
                        const struct cw_platform *pf)
{
    for (int move = 0; move < 12; move++) {
        uint32_t at = (uint32_t)cw_random_below(random, TASKS), v = d->order[at], from = d->device[v],
                 after = d->prev[v], n;
        struct places fast = {.count = 0};
        struct cw_insertion slow[PLACES];
        struct sequences s = read_sequences(d);
        double length = d->length;
        assert_true(fabs(relax(g, pf, &s) - length) < 1e-9);
        cw_disjunctive_take_out(d, at);
        s = read_sequences(d);
        s.device[v] = from; /* for `leads`: in no sequence */
        cw_disjunctive_places(d, v, collect, &fast);
        n = all_places(g, pf, &s, v, slow);
        assert_int_equal(fast.count, n);
        for (uint32_t k = 0; k < n; k++) {
            assert_int_equal(fast.place[k].device, slow[k].device);
            assert_int_equal(fast.place[k].after, slow[k].after);
            assert_true(fabs(fast.place[k].length - slow[k].length) < 1e-9);
        }
        if (move % 3 == 0) {
            cw_disjunctive_put_back(d, v, from, after);
            assert_true(d->length == length && d->device[v] == from && d->prev[v] == after);
        } else {
            const struct cw_insertion *to = &fast.place[cw_random_below(random, n)];
            cw_disjunctive_insert(d, v, to);
            assert_true(fabs(d->length - to->length) < 1e-9);
        }
    }
}

static void test_places(void **state)
{
    uint64_t random = 4711;

    (void)state;
    for (int k = 0; k < 2000; k++) {
        uint32_t device[TASKS];
        struct cw_disjunctive d;
        struct cw_graph *g;
        struct cw_platform *p;
        struct cw_plan plan;
        random_case(&random, &g, &p);
        assert_int_equal(cw_plan_init(&plan, g, p, NULL), CW_OK);
        for (uint32_t i = 0; i < TASKS; i++)
            do
                device[i] = (uint32_t)cw_random_below(&random, DEVICES);
            while (isinf(cw_graph_cost(g, i, device[i])));
        assert_int_equal(cw_disjunctive_init(&d, &plan, NULL), CW_OK);
        cw_disjunctive_load(&d, g->topo, TASKS, device);
        check_moves(&random, &d, g, p);
        cw_disjunctive_finish(&d);
        cw_plan_finish(&plan);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
}

/* ---- water */

static double least_finish(const struct cw_part *part, uint32_t count, const double *cost, uint64_t groups)
{
    double least = INFINITY;

    for (uint64_t a = 0; a <= groups; a++)
        for (uint64_t b = 0; a + b <= groups; b++) {
            uint64_t share[3] = {a, b, groups - a - b};
            double finish = 0;
            if ((count < 2 && share[1]) || (count < 3 && share[2]))
                continue;
            for (uint32_t k = 0; k < count; k++)
                if (share[k])
                    finish = fmax(finish,
                                  part[k].start + (double)share[k] / (double)groups * cost[part[k].device]);
            least = fmin(least, finish);
        }
    return least;
}

static void test_whole_groups(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (int k = 0; k < 20000; k++) {
        double cost[3], finish = 0, share = 0;
        struct cw_part part[3] = {{0}}, before[3];
        uint32_t count = 1 + (uint32_t)cw_random_below(&random, 3), left;
        uint64_t groups = 1 + cw_random_below(&random, 12), sum = 0;
        for (uint32_t d = 0; d < count; d++) {
            cost[d] = 1 + (double)cw_random_below(&random, 40) / 4;
            part[d].device = d;
            part[d].start = (d ? part[d - 1].start : 0) + (double)cw_random_below(&random, 9) / 4;
        }
        memcpy(before, part, sizeof part);
        left = cw_water_fill(part, count, cost, groups);
        assert_true(left >= 1 && left <= count);
        for (uint32_t d = 0; d < left; d++) {
            assert_true(part[d].groups > 0);
            sum += part[d].groups;
            share += part[d].share;
            finish = fmax(finish, part[d].finish);
        }
        assert_int_equal(sum, groups);
        assert_true(fabs(share - 1) < 1e-12);
        assert_true(fabs(finish - least_finish(before, count, cost, groups)) < 1e-9);
    }
}

/* Devices that are free at 0, 1 and 10, at 4, 4 and 4 for the whole: the first two end together at 2.5. And
 * costs that are too unlike for any sum of speeds stay on the first. */
static void test_level(void **state)
{
    static const double cost[3] = {4, 4, 4}, extreme[2] = {1e300, 1e-310};
    struct cw_part part[3] = {
        {.device = 0, .start = 0}, {.device = 1, .start = 1}, {.device = 2, .start = 10}};
    struct cw_part odd[2] = {{.device = 0, .start = 0}, {.device = 1, .start = 1e299}};

    (void)state;
    assert_int_equal(cw_water_fill(part, 3, cost, 0), 2);
    assert_true(part[0].finish == 2.5 && part[1].finish == 2.5);
    assert_true(part[0].share == 0.625 && part[1].share == 0.375);
    assert_int_equal(cw_water_fill(odd, 2, extreme, 0), 1);
    assert_true(odd[0].share == 1 && odd[0].finish == 1e300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_whole_groups),
        cmocka_unit_test(test_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
