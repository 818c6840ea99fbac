/* The bytes of a window over several memories (windows/window_flow.c): tasks made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/windows/window.h"
#include "../../shim/run/memory/extents.h"
#include "../../shim/run/memory/spread.h"

enum { TASKS = 4, ACCESSES = 3 };

/* Bytes below 600 of any buffer are valid in memory 1, others in the host's. */
bool cw_run_spread_part(const struct cw_run_region *r, uint64_t low, uint64_t high, struct cw_extent *part)
{
    (void)r;
    *part =
        low < 600 ? (struct cw_extent){low, high < 600 ? high : 600, 2} : (struct cw_extent){low, high, 1};
    return low < high;
}

static struct cw_run_memory root;

struct made {
    struct cw_run_region region[2]; /* of 1000 bytes each */
    struct cw_run_task task[TASKS], *list[TASKS];
    struct cw_run_access access[TASKS][ACCESSES];
    struct cw_run_window_flow flow;
    uint32_t number;
};

static void make(struct made *m)
{
    memset(m, 0, sizeof *m);
    for (uintptr_t r = 0; r < 2; r++)
        m->region[r] =
            (struct cw_run_region){.low = 10000 * (r + 1), .high = 10000 * (r + 1) + 1000, .root = &root};
    for (int i = 0; i < TASKS; i++) {
        m->list[i] = &m->task[i];
        m->task[i].accesses.of = m->access[i];
    }
}

static void finish(struct made *m)
{
    free(m->flow.pred_bytes);
    free(m->flow.piece_start);
    free(m->flow.piece);
    free(m->flow.back);
}

/* A window of `count` commands, each behind all before it. */
static void find(struct made *m, uint32_t count)
{
    static const uint32_t start[] = {0, 0, 1, 3, 6}, pred[] = {0, 0, 1, 0, 1, 2};

    m->number++;
    for (uint32_t i = 0; i < count; i++)
        assert_true(cw_run_window_flow_find(&m->flow, m->list, count, start, pred));
}

static void clear(struct made *m, int i, enum cw_run_work work)
{
    m->task[i].work = work;
    m->task[i].accesses.n = 0;
}

/* Task `i` reads or writes [low, high) of buffer `r`; sure: it surely writes all of it. */
static void use(struct made *m, int i, int r, uint64_t low, uint64_t high, bool write, bool sure)
{
    m->access[i][m->task[i].accesses.n++] = (struct cw_run_access){.region = &m->region[r],
                                                                   .low = low,
                                                                   .high = high,
                                                                   .write = write,
                                                                   .sure = sure ? low : 0,
                                                                   .sure_end = sure ? high : 0};
}

/* Bytes of task i's pieces of buffer `r` that are valid in `spaces`. */
static uint64_t bytes_in(const struct made *m, int i, int r, uint64_t spaces)
{
    uint64_t bytes = 0;

    for (uint32_t k = m->flow.piece_start[i]; k < m->flow.piece_start[i + 1]; k++)
        if (m->flow.piece[k].root == m->region[r].low && m->flow.piece[k].spaces == spaces)
            bytes += m->flow.piece[k].bytes;
    return bytes;
}

/* Reads, and writes that are not sure, need bytes: of the latest writer, else from where they are valid. */
static void test_needs(void **state)
{
    struct made m;

    (void)state;
    make(&m);
    clear(&m, 0, CW_RUN_LAUNCH);
    use(&m, 0, 0, 0, 1000, false, false);
    use(&m, 0, 1, 0, 1000, true, true);
    clear(&m, 1, CW_RUN_LAUNCH);
    use(&m, 1, 1, 500, 1000, true, false);
    clear(&m, 2, CW_RUN_COPY);
    use(&m, 2, 1, 0, 1000, false, false);
    find(&m, 3);
    assert_int_equal(bytes_in(&m, 0, 0, 1), 400);
    assert_int_equal(bytes_in(&m, 0, 0, 2), 600);
    assert_int_equal(bytes_in(&m, 0, 1, 1) + bytes_in(&m, 0, 1, 2), 0);
    assert_true(m.flow.pred_bytes[0] == 500);                                /* beneath task 1's write */
    assert_true(m.flow.pred_bytes[1] == 500 && m.flow.pred_bytes[2] == 500); /* task 2: half from each */
    assert_int_equal(m.flow.piece_start[3], 3 + 1 + 1 + 1);
    assert_int_equal(m.flow.piece[0].root_bytes, 1000); /* each buffer has a piece, as it needs room */
    finish(&m);
}

/* A buffer's launches count from the last write by another command. */
static void test_launches(void **state)
{
    struct made m;

    (void)state;
    make(&m);
    for (uint32_t n = 1; n < 9; n++) {
        clear(&m, 0, n == 5 ? CW_RUN_COPY : CW_RUN_LAUNCH);
        use(&m, 0, 0, 0, 1000, n == 5, false);
        use(&m, 0, 0, 0, 100, n == 5, false);
        find(&m, 1);
        assert_int_equal(m.flow.piece[0].launches, n < 5 ? n : n - 5);
    }
    finish(&m);
}

/* A buffer that launches go on writing and that is never read is thought to be read later only at first. */
static void test_never_read(void **state)
{
    struct made m;

    (void)state;
    make(&m);
    for (int n = 0; n < 6; n++) {
        clear(&m, 0, CW_RUN_LAUNCH);
        use(&m, 0, 0, 0, 1000, true, true);
        find(&m, 1);
        assert_true(m.flow.back[0] == (n < CW_RUN_PLAN_FETCH_OFTEN ? 1000 : 0));
    }
    finish(&m);
}

/* What the host has read behind two launches is read again: half of it is charged to each later launch, but
 * not in a window that reads it itself. */
static void test_read_later(void **state)
{
    struct made m;

    (void)state;
    make(&m);
    for (int n = 0; n < 4; n++) {
        clear(&m, 0, CW_RUN_LAUNCH);
        use(&m, 0, 0, 0, 1000, true, true);
        find(&m, 1);
        assert_true(m.flow.back[0] == (n < 2 ? 1000 : 500));
        if (n == 1) {
            clear(&m, 0, CW_RUN_COPY);
            use(&m, 0, 0, 0, 1000, false, false);
            find(&m, 1);
            assert_true(m.flow.back[0] == 0);
        }
    }
    clear(&m, 0, CW_RUN_LAUNCH);
    use(&m, 0, 0, 0, 1000, true, true);
    clear(&m, 1, CW_RUN_COPY);
    use(&m, 1, 0, 0, 1000, false, false);
    clear(&m, 2, CW_RUN_LAUNCH);
    use(&m, 2, 0, 0, 1000, true, true);
    find(&m, 3);
    assert_true(m.flow.back[0] == 0 && m.flow.back[1] == 0 && m.flow.back[2] == 500);
    finish(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_needs),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_never_read),
        cmocka_unit_test(test_read_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
