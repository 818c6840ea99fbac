/* Which commands are ordered behind which by the bytes that they use: behind the last ones that matter
 * alone, also while the queue waits for native work. Edges are counted by the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/random.h"
#include "../../shim/run/memory/byte_range.c"

enum { COMMANDS = 50, BYTES = 64 };

struct cw_run_state_all cw_run;
enum cw_run_fault cw_run_fault_planted;
static uint32_t edges;
static struct cw_run_task task[COMMANDS];
static bool behind[COMMANDS][COMMANDS], direct[COMMANDS][COMMANDS]; /* the first behind the second */

bool cw_run_edge_add(struct cw_run_task *before, struct cw_run_task *after, enum cw_run_edge edge)
{
    (void)edge;
    assert_ptr_not_equal(before, after);
    edges++;
    direct[after - task][before - task] = behind[after - task][before - task] = true;
    for (int i = 0; i < COMMANDS; i++)
        behind[after - task][i] |= behind[before - task][i];
    return true;
}

size_t cw_run_fault_narrow(size_t bytes)
{
    (void)bytes;
    return 0;
}

bool cw_run_fault_since(enum cw_run_fault fault)
{
    (void)fault;
    return false;
}

void cw_run_native_use_forget(const void *gone)
{
    (void)gone;
}

static struct cw_run_queue queue, other;
static struct cw_run_region region[2];
static struct cw_run_access access_of[COMMANDS][2];

static int setup(void **state)
{
    (void)state;
    queue = other = (struct cw_run_queue){.in_order = true};
    memset(region, 0, sizeof region);
    memset(task, 0, sizeof task);
    memset(behind, 0, sizeof behind);
    memset(direct, 0, sizeof direct);
    cw_run.far_workers = 0;
    for (int i = 0; i < COMMANDS; i++)
        task[i] = (struct cw_run_task){.accesses.of = access_of[i], .waits = 1};
    return 0;
}

/* Command `i` reads one region, and writes the other from `low` on. Returns the number of commands that it
 * waits for. */
static uint32_t enqueue(struct cw_run_queue *q, int i, bool behind_native, uint64_t low)
{
    uint32_t before = edges;

    task[i].behind_native = behind_native;
    cw_run_byte_range_add_access(q, &task[i], &region[i % 2], 0, BYTES, false);
    cw_run_byte_range_add_access(q, &task[i], &region[(i + 1) % 2], low, BYTES - low, true);
    task[i].queue = q;
    return edges - before;
}

static void a_chain_waits_for_its_last_commands(void **state)
{
    (void)state;
    for (int behind_native = 0; behind_native < 2; behind_native++) {
        setup(NULL);
        for (int i = 0; i < COMMANDS; i++)
            assert_true(enqueue(&queue, i, behind_native, 0) <= 3);
    }
}

static void parts_of_the_bytes_do_not_cover(void **state)
{
    (void)state;
    enqueue(&queue, 0, true, 0);
    enqueue(&queue, 2, true, 1);
    assert_int_equal(enqueue(&queue, 1, true, 0), 4); /* both wrote what it reads, and read what it writes */
}

static void what_waits_for_native_work_covers_nothing_of_other_queues(void **state)
{
    (void)state;
    assert_int_equal(enqueue(&other, 0, false, 0), 0);
    assert_int_equal(enqueue(&queue, 2, true, 0), 1);
    assert_int_equal(enqueue(&other, 4, false, 0), 1); /* behind its own queue's, not behind the other's */
}

static void what_waits_for_native_work_leaves_what_does_not(void **state)
{
    (void)state;
    enqueue(&queue, 0, false, 0);
    enqueue(&queue, 2, true, 0);
    assert_int_equal(enqueue(&other, 1, false, 0),
                     2); /* behind the first: it writes what is read, and reads what is written */
}

enum { READ = 1, WRITE, FIRST_CLASS };

static bool conflict(uint8_t a, uint8_t b)
{
    return a && b && !(a == READ && b == READ) && !(a >= FIRST_CLASS && a == b);
}

/* Random commands each read, write, or update a range: of each pair that conflicts in a byte the later one is
 * behind the other. Of those that only commute it is not, where all devices share one memory. */
static void updates(uint64_t seed, bool far)
{
    static uint8_t use[COMMANDS][BYTES];
    struct cw_run_memory m = {.region = &region[0]};
    uint64_t random = seed;

    setup(NULL);
    memset(use, 0, sizeof use);
    cw_run.far_workers = far;
    for (int i = 0; i < COMMANDS; i++) {
        uint64_t low = cw_random_below(&random, 8), high = low + 1 + cw_random_below(&random, 8 - low);
        uint8_t how = (uint8_t)(1 + cw_random_below(&random, 5));
        struct cw_reach_piece p = {.begin = low, .end = high, .commutes = how < FIRST_CLASS ? 0 : how};

        memset(&use[i][low], how, high - low);
        for (int write = how == WRITE; write <= (how != READ); write++) {
            p.write = write;
            cw_run_byte_range_add_piece(&queue, &task[i], &m, &p);
        }
        task[i].queue = &queue;
        for (int k = 0; k < i; k++) {
            bool meet = false, clash = false;
            for (int b = 0; b < BYTES; b++) {
                meet |= use[i][b] && use[k][b] && !(use[i][b] == READ && use[k][b] == READ);
                clash |= conflict(use[i][b], use[k][b]);
            }
            assert_true(!(far ? meet : clash) || behind[i][k]);
            assert_true(far || clash || !direct[i][k]);
        }
    }
}

static void what_commutes_is_not_ordered(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        updates(seed, false);
        updates(seed, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_chain_waits_for_its_last_commands, setup),
        cmocka_unit_test_setup(parts_of_the_bytes_do_not_cover, setup),
        cmocka_unit_test_setup(what_waits_for_native_work_covers_nothing_of_other_queues, setup),
        cmocka_unit_test_setup(what_waits_for_native_work_leaves_what_does_not, setup),
        cmocka_unit_test_setup(what_commutes_is_not_ordered, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
