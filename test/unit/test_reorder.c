/* test_reorder.c - orders of a trace: every one keeps the binding edges, none keeps more than that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/graph/reorder.h"

enum { N = 40, EDGES = 90, GRAPHS = 50 };

static uint64_t seed_of_test;

static uint32_t pick(uint32_t below)
{
    seed_of_test = seed_of_test * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed_of_test >> 33) % below);
}

static void add_edge(struct cw_trace *t, uint32_t from, uint32_t to, enum cw_edge_kind kind)
{
    struct cw_edge *e = cw_trace_push(&t->edges, 1);
    assert_non_null(e);
    *e = (struct cw_edge){.from = from, .to = to, .kind = (uint8_t)kind};
}

/* `shuffled`: ids are no topological order, as behind a user event that is set late. */
static void make_trace(struct cw_trace *t, uint64_t seed, bool shuffled)
{
    uint32_t name[N];
    seed_of_test = seed;
    cw_trace_init(t);
    assert_non_null(cw_trace_push(&t->commands, N));
    for (uint32_t i = 0; i < N; i++)
        name[i] = i;
    for (uint32_t i = N - 1; shuffled && i > 0; i--) {
        uint32_t j = pick(i + 1), kept = name[i];
        name[i] = name[j], name[j] = kept;
    }
    for (int i = 0; i < EDGES; i++) {
        uint32_t to = 1 + pick(N - 1);
        add_edge(t, name[pick(to)], name[to], (enum cw_edge_kind)pick(5));
    }
}

static void positions(const uint32_t *order, uint32_t *position)
{
    memset(position, 0xff, N * sizeof *position);
    for (uint32_t i = 0; i < N; i++) {
        assert_true(order[i] < N);
        assert_int_equal(position[order[i]], CW_NONE); /* each once */
        position[order[i]] = i;
    }
}

static void check_order(const struct cw_trace *t, const uint32_t *order, uint32_t from, uint32_t to)
{
    uint32_t position[N];
    positions(order, position);
    for (size_t i = 0; i < t->edges.count; i++) {
        const struct cw_edge *e = &t->edges.v[i];
        if (e->kind == CW_EDGE_QUEUE)
            continue;
        if (e->from == from && e->to == to)
            assert_true(position[e->from] > position[e->to]);
        else
            assert_true(position[e->from] < position[e->to]);
    }
}

static void test_random_orders_keep_binding_edges(void **state)
{
    uint32_t order[N], again[N], position[N];
    bool queue_broken = false;
    struct cw_reorder r;
    struct cw_trace t;
    (void)state;
    for (uint64_t g = 0; g < GRAPHS; g++) {
        make_trace(&t, g, g & 1);
        assert_int_equal(cw_reorder_init(&r, &t, NULL), CW_OK);
        for (uint64_t seed = 0; seed < 20; seed++) {
            assert_int_equal(cw_reorder_random(&r, seed, order, NULL), CW_OK);
            check_order(&t, order, CW_NONE, CW_NONE);
            assert_int_equal(cw_reorder_random(&r, seed, again, NULL), CW_OK);
            assert_memory_equal(order, again, sizeof order);
            positions(order, position);
            for (size_t i = 0; i < t.edges.count; i++)
                queue_broken |= position[t.edges.v[i].from] > position[t.edges.v[i].to];
        }
        cw_reorder_finish(&r);
        cw_trace_finish(&t);
    }
    assert_true(queue_broken); /* else the orders are not free where they may be */
}

/* Five commands without edges: all 120 orders come about, about equally often. */
static void test_all_orders_come_about(void **state)
{
    unsigned seen[5 * 5 * 5 * 5 * 5] = {0}, different = 0, most = 0;
    struct cw_reorder r;
    struct cw_trace t;
    (void)state;
    cw_trace_init(&t);
    cw_trace_push(&t.commands, 5);
    assert_int_equal(cw_reorder_init(&r, &t, NULL), CW_OK);
    for (uint64_t seed = 0; seed < 12000; seed++) {
        uint32_t order[5], code = 0;
        assert_int_equal(cw_reorder_random(&r, seed, order, NULL), CW_OK);
        for (int i = 0; i < 5; i++)
            code = code * 5 + order[i];
        different += seen[code]++ == 0;
        most = seen[code] > most ? seen[code] : most;
    }
    assert_int_equal(different, 120);
    assert_in_range(most, 100, 160); /* 100 expected, deviation 10 */
    cw_reorder_finish(&r);
    cw_trace_finish(&t);
}

/* Reachability without the direct edge, by the transitive closure. */
static bool detour_slow(const struct cw_trace *t, uint32_t from, uint32_t to)
{
    bool reached[N] = {false};
    reached[from] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < t->edges.count; i++) {
            const struct cw_edge *e = &t->edges.v[i];
            if (e->kind == CW_EDGE_QUEUE || !reached[e->from] || reached[e->to] ||
                (e->from == from && e->to == to))
                continue;
            reached[e->to] = more = true;
        }
    }
    return reached[to];
}

static void test_dropped_edges(void **state)
{
    unsigned droppable = 0, implied = 0;
    uint32_t order[N];
    struct cw_reorder r;
    struct cw_trace t;
    (void)state;
    for (uint64_t g = 0; g < GRAPHS; g++) {
        make_trace(&t, g, g & 1);
        assert_int_equal(cw_reorder_init(&r, &t, NULL), CW_OK);
        for (size_t i = 0; i < t.edges.count; i++) {
            const struct cw_edge e = t.edges.v[i];
            enum cw_status status = cw_reorder_drop(&r, e.from, e.to, NULL);
            if (status == CW_ERR_NOTFOUND) { /* a queue edge only */
                assert_int_equal(e.kind, CW_EDGE_QUEUE);
            } else if (detour_slow(&t, e.from, e.to)) {
                assert_int_equal(status, CW_ERR_INVALID);
                implied++;
            } else {
                assert_int_equal(status, CW_OK);
                droppable++;
                assert_int_equal(cw_reorder_random(&r, i, order, NULL), CW_OK);
                check_order(&t, order, e.from, e.to);
            }
        }
        assert_int_equal(cw_reorder_drop(&r, CW_NONE, CW_NONE, NULL), CW_OK);
        assert_int_equal(cw_reorder_random(&r, 1, order, NULL), CW_OK);
        check_order(&t, order, CW_NONE, CW_NONE);
        cw_reorder_finish(&r);
        cw_trace_finish(&t);
    }
    assert_true(droppable > 100 && implied > 100);
}

static void test_plans(void **state)
{
    uint32_t random[N], plan[N], order[N], position[N], count;
    struct cw_reorder r;
    struct cw_trace t;
    (void)state;
    for (uint64_t g = 0; g < GRAPHS; g++) {
        make_trace(&t, g, g & 1);
        assert_int_equal(cw_reorder_init(&r, &t, NULL), CW_OK);
        assert_int_equal(cw_reorder_random(&r, g, random, NULL), CW_OK);
        count = 0;
        for (uint32_t i = 0; i < N; i++) /* a third is left out */
            if (random[i] % 3)
                plan[count++] = random[i];
        assert_int_equal(cw_reorder_plan(&r, plan, count, order, NULL), CW_OK);
        check_order(&t, order, CW_NONE, CW_NONE);
        positions(order, position);
        for (uint32_t i = 1; i < count; i++)
            assert_true(position[plan[i - 1]] < position[plan[i]]);
        cw_reorder_finish(&r);
        cw_trace_finish(&t);
    }
}

static void test_bad_plans(void **state)
{
    struct cw_error err = {0};
    uint32_t order[4];
    struct cw_reorder r;
    struct cw_trace t;
    (void)state;
    cw_trace_init(&t);
    cw_trace_push(&t.commands, 4);
    add_edge(&t, 0, 1, CW_EDGE_HOST); /* 1 is left out of the plans: 2 still comes after 0 */
    add_edge(&t, 1, 2, CW_EDGE_HOST);
    assert_int_equal(cw_reorder_init(&r, &t, NULL), CW_OK);
    assert_int_equal(cw_reorder_plan(&r, (uint32_t[]){3, 0, 2}, 3, order, NULL), CW_OK);
    assert_memory_equal(order, ((uint32_t[]){3, 0, 1, 2}), sizeof order);
    assert_int_equal(cw_reorder_plan(&r, (uint32_t[]){3, 2, 0}, 3, order, &err), CW_ERR_INVALID);
    assert_non_null(strstr(err.text, "command 2 before command 1"));
    assert_int_equal(cw_reorder_plan(&r, (uint32_t[]){0, 0}, 2, order, NULL), CW_ERR_INVALID);
    assert_int_equal(cw_reorder_plan(&r, (uint32_t[]){4}, 1, order, NULL), CW_ERR_INVALID);
    cw_reorder_finish(&r);
    cw_trace_finish(&t);
}

static void test_lying_traces(void **state)
{
    uint32_t order[3];
    struct cw_reorder r;
    struct cw_trace t;
    (void)state;
    cw_trace_init(&t);
    cw_trace_push(&t.commands, 3);
    add_edge(&t, 0, 1, CW_EDGE_DATA);
    add_edge(&t, 1, 2, CW_EDGE_DATA);
    add_edge(&t, 2, 1, CW_EDGE_EVENT);
    assert_int_equal(cw_reorder_init(&r, &t, NULL), CW_OK);
    assert_int_equal(cw_reorder_random(&r, 1, order, NULL), CW_ERR_CYCLE);
    assert_int_equal(cw_reorder_plan(&r, NULL, 0, order, NULL), CW_ERR_CYCLE);
    cw_reorder_finish(&r);
    t.edges.v[0].to = 3;
    assert_int_equal(cw_reorder_init(&r, &t, NULL), CW_ERR_FORMAT);
    cw_reorder_finish(&r);
    cw_trace_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_orders_keep_binding_edges),
        cmocka_unit_test(test_all_orders_come_about),
        cmocka_unit_test(test_dropped_edges),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_bad_plans),
        cmocka_unit_test(test_lying_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
