/* The masters of a farm: who holds which task under random deaths, and successors of masters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/dispatch_master.h"
#include "../../sched/random.h"

enum { TASKS = 500, CHILDREN = 7 };

/* ---- the state of a master */

/* A child as it is: its tasks, also those that the master has given to others. */
struct child {
    uint32_t epoch, n, task[TASKS];
};

struct play {
    struct cw_dispatch_master m;
    struct child child[CHILDREN];
    uint8_t taken[TASKS];
    uint64_t random;
};

static void request(struct play *p, uint32_t k)
{
    struct child *c = &p->child[k];
    struct cw_dispatch_range r =
        cw_dispatch_master_request(&p->m, k, c->epoch, 1 + (uint32_t)cw_random_below(&p->random, 9));

    for (uint32_t t = r.first; t < r.first + r.count; t++)
        c->task[c->n++] = t;
}

static void report(struct play *p, uint32_t k)
{
    struct child *c = &p->child[k];
    bool failed = cw_random_below(&p->random, 4) == 0;
    uint32_t t = c->task[--c->n];

    switch (cw_dispatch_master_report(&p->m, k, c->epoch, t, failed)) {
    case CW_DISPATCH_TAKE:
        assert_int_equal(p->taken[t]++, 0);
        break;
    case CW_DISPATCH_STALE:
        fail_msg("a living child's report of task %u is stale", t);
        break;
    case CW_DISPATCH_NOMEM:
        fail();
        break;
    default:
        assert_true(failed);
    }
}

/* The master hears of a death; reports of the dead come after. */
static void death(struct play *p, uint32_t k)
{
    struct child *c = &p->child[k], dead = *c;
    uint32_t running = c->n ? c->task[c->n - 1] : CW_DISPATCH_NOBODY;

    if (cw_dispatch_master_death(&p->m, k, running) == CW_DISPATCH_TAKE)
        assert_int_equal(p->taken[running]++, 0);
    *c = (struct child){.epoch = p->m.child[k].epoch};
    assert_int_equal(p->m.child[k].held, 0);
    for (int i = 0; i < 3 && p->m.queue.used; i++) /* the successor may have the same tasks again */
        request(p, k);
    for (uint32_t i = 0; i < dead.n; i++)
        assert_int_equal(cw_dispatch_master_report(&p->m, k, dead.epoch, dead.task[i], false),
                         CW_DISPATCH_STALE);
    assert_int_equal(cw_dispatch_master_request(&p->m, k, dead.epoch, 5).count, 0);
}

static void serve_parked(struct play *p)
{
    uint32_t k;

    while ((k = cw_dispatch_master_parked(&p->m)) != CW_DISPATCH_NOBODY)
        request(p, k);
}

static void test_deaths(void **state)
{
    static struct play p;
    struct cw_error err = {0};

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        memset(&p, 0, sizeof p);
        p.random = seed;
        assert_int_equal(cw_dispatch_master_init(&p.m, TASKS, CHILDREN, 3, &err), CW_OK);
        for (uint32_t t = seed % 5; t < TASKS; t += 5) {
            cw_dispatch_master_restore(&p.m, t);
            p.taken[t] = 1;
        }
        assert_int_equal(cw_dispatch_master_begin(&p.m, &err), CW_OK);
        for (uint32_t steps = 0; p.m.left; steps++) {
            assert_true(steps < 100 * TASKS);
            uint32_t k = (uint32_t)cw_random_below(&p.random, CHILDREN);
            if (cw_random_below(&p.random, 20) == 0)
                death(&p, k);
            else if (p.child[k].n)
                report(&p, k);
            else
                request(&p, k);
            serve_parked(&p);
        }
        for (uint32_t t = 0; t < TASKS; t++)
            assert_int_equal(p.taken[t], 1);
        assert_int_equal(p.m.queue.used, 0);
        cw_dispatch_master_finish(&p.m);
    }
}

/* Tasks come in their order; those of the dead and those that failed from the tail; the third failure is the
 * last. */
static void test_order(void **state)
{
    struct cw_dispatch_master m;
    struct cw_error err = {0};
    struct cw_dispatch_range r;

    (void)state;
    assert_int_equal(cw_dispatch_master_init(&m, 6, 2, 3, &err), CW_OK);
    assert_int_equal(cw_dispatch_master_begin(&m, &err), CW_OK);
    r = cw_dispatch_master_request(&m, 0, 0, 2);
    assert_true(r.first == 0 && r.count == 2);
    assert_int_equal(cw_dispatch_master_death(&m, 0, 0), CW_DISPATCH_AGAIN);
    r = cw_dispatch_master_request(&m, 1, 0, 9);
    assert_true(r.first == 2 && r.count == 4);
    r = cw_dispatch_master_request(&m, 0, 1, 9);
    assert_true(r.first == 0 && r.count == 2);
    assert_int_equal(cw_dispatch_master_report(&m, 1, 0, 0, false), CW_DISPATCH_STALE); /* not its task */
    assert_int_equal(cw_dispatch_master_report(&m, 0, 1, 0, true), CW_DISPATCH_AGAIN);
    assert_int_equal(cw_dispatch_master_report(&m, 0, 1, 0, true), CW_DISPATCH_STALE); /* twice */
    r = cw_dispatch_master_request(&m, 0, 1, 9);
    assert_true(r.first == 0 && r.count == 1);
    assert_int_equal(cw_dispatch_master_report(&m, 0, 1, 0, true), CW_DISPATCH_TAKE);
    assert_int_equal(cw_dispatch_master_request(&m, 0, 1, 4).count, 0);
    assert_int_equal(m.child[0].owed, 4);
    assert_int_equal(m.left, 5);
    cw_dispatch_master_finish(&m);
}

/* ---- a tree of masters, with successors: the global master, regional masters, workers */

enum { REGIONS = 3, EACH = 3, FIRST_WORKER = 1 + REGIONS };

struct kid {
    uint32_t epoch;
    bool joined;
    struct child has;             /* a worker: its tasks */
    uint32_t passes, pass[TASKS]; /* a regional master: results that it has not passed on */
    bool failed[TASKS];
    struct cw_dispatch_master m;
};

struct tree {
    uint32_t holder[2][TASKS];
    struct cw_dispatch_master top;
    struct kid region[REGIONS], worker[REGIONS][EACH];
    uint8_t taken[TASKS]; /* the checkpoint */
    uint64_t random;
};

static uint32_t chance(struct tree *t, uint32_t n)
{
    return (uint32_t)cw_random_below(&t->random, n);
}

static void join_top(struct tree *t, uint32_t k)
{
    struct kid *r = &t->region[k];
    struct cw_dispatch_queue q = {0};

    assert_true(cw_dispatch_master_holdings(&r->m, &q));
    for (uint32_t i = 0; i < r->passes; i++)
        assert_true(cw_dispatch_queue_put_task(&q, r->pass[i]));
    assert_int_equal(q.head, 0);
    assert_true(cw_dispatch_master_join(&t->top, k, q.v, q.used));
    r->epoch = t->top.child[k].epoch;
    r->joined = true;
    cw_dispatch_queue_finish(&q);
}

static void join_region(struct tree *t, uint32_t k, uint32_t i)
{
    struct kid *w = &t->worker[k][i];
    struct cw_dispatch_range held[TASKS];

    for (uint32_t j = 0; j < w->has.n; j++)
        held[j] = (struct cw_dispatch_range){w->has.task[j], 1};
    assert_true(cw_dispatch_master_join(&t->region[k].m, i, held, w->has.n));
    w->epoch = t->region[k].m.child[i].epoch;
    w->joined = true;
}

/* A process of the master begins, the first one or a successor; its children have links to it when they
 * join. */
static void begin_top(struct tree *t)
{
    struct cw_error err = {0};

    cw_dispatch_master_finish(&t->top);
    assert_int_equal(cw_dispatch_master_init_on(&t->top, t->holder[0], 1, TASKS, REGIONS, 3, &err), CW_OK);
    for (uint32_t i = 0; i < TASKS; i++)
        if (t->taken[i])
            cw_dispatch_master_restore(&t->top, i);
    assert_int_equal(cw_dispatch_master_begin(&t->top, &err), CW_OK);
    for (uint32_t k = 0; k < REGIONS; k++)
        t->region[k].joined = false;
}

static void begin_region(struct tree *t, uint32_t k)
{
    struct kid *r = &t->region[k];
    struct cw_error err = {0};

    cw_dispatch_master_finish(&r->m);
    r->passes = 0;
    r->joined = false;
    assert_int_equal(
        cw_dispatch_master_init_on(&r->m, t->holder[1], FIRST_WORKER + k * EACH, TASKS, EACH, 0, &err),
        CW_OK);
    assert_int_equal(cw_dispatch_master_begin(&r->m, &err), CW_OK);
    for (uint32_t i = 0; i < EACH; i++)
        t->worker[k][i].joined = false;
}

static void act_region(struct tree *t, uint32_t k)
{
    struct kid *r = &t->region[k];

    if (!r->joined) {
        join_top(t, k);
    } else if (r->passes && chance(t, 2)) {
        uint32_t task = r->pass[--r->passes];

        switch (cw_dispatch_master_report(&t->top, k, r->epoch, task, r->failed[r->passes])) {
        case CW_DISPATCH_TAKE:
            assert_int_equal(t->taken[task]++, 0);
            break;
        case CW_DISPATCH_AGAIN:
            assert_true(r->failed[r->passes]);
            break;
        default:
            fail_msg("a regional master that has joined reports task %u in vain", task);
        }
    } else {
        struct cw_dispatch_range g = cw_dispatch_master_request(&t->top, k, r->epoch, 1 + chance(t, 30));

        assert_true(!g.count || cw_dispatch_master_add(&r->m, g));
    }
}

static void act_worker(struct tree *t, uint32_t k, uint32_t i)
{
    struct kid *w = &t->worker[k][i], *r = &t->region[k];

    if (!w->joined) {
        join_region(t, k, i);
    } else if (w->has.n) {
        uint32_t task = w->has.task[--w->has.n];
        bool failed = chance(t, 10) == 0;

        if (cw_dispatch_master_report(&r->m, i, w->epoch, task, failed) == CW_DISPATCH_TAKE) {
            r->pass[r->passes] = task;
            r->failed[r->passes++] = failed;
        } /* else the worker did not come in time: the task is another's */
    } else {
        struct cw_dispatch_range g = cw_dispatch_master_request(&r->m, i, w->epoch, 1 + chance(t, 5));

        for (uint32_t j = 0; j < g.count; j++)
            w->has.task[w->has.n++] = g.first + j;
    }
}

static void kill_worker(struct tree *t, uint32_t k, uint32_t i)
{
    struct kid *w = &t->worker[k][i];

    assert_int_not_equal(cw_dispatch_master_death(&t->region[k].m, i, CW_DISPATCH_NOBODY), CW_DISPATCH_NOMEM);
    w->has.n = 0;
    w->joined = false;
}

static void test_successors(void **state)
{
    static struct tree t;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        memset(&t, 0, sizeof t);
        memset(t.holder, 0xff, sizeof t.holder);
        t.random = seed;
        begin_top(&t);
        for (uint32_t k = 0; k < REGIONS; k++)
            begin_region(&t, k);
        for (uint32_t steps = 0; t.top.left; steps++) {
            uint32_t k = chance(&t, REGIONS), i = chance(&t, EACH), what = chance(&t, 100);

            assert_true(steps < 100 * TASKS);
            if (what == 0)
                begin_top(&t);
            else if (what < 3)
                begin_region(&t, k);
            else if (what < 6)
                kill_worker(&t, k, i);
            else if (what < 40)
                act_region(&t, k);
            else
                act_worker(&t, k, i);
        }
        for (uint32_t n = 0; n < TASKS; n++)
            assert_int_equal(t.taken[n], 1);
        cw_dispatch_master_finish(&t.top);
        for (uint32_t k = 0; k < REGIONS; k++)
            cw_dispatch_master_finish(&t.region[k].m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deaths),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_successors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
