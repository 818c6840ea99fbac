/* Which commands are ordered behind which by the bytes that they use: behind the last ones that matter
 * alone, also while the queue waits for native work. Edges are counted by the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/memory/byte_range.c"

enum { COMMANDS = 50, BYTES = 64 };

struct cw_run_state_all cw_run;
enum cw_run_fault cw_run_fault_planted;
static uint32_t edges;

bool cw_run_edge_add(struct cw_run_task *before, struct cw_run_task *after, enum cw_run_edge edge)
{
    (void)edge;
    assert_ptr_not_equal(before, after);
    edges++;
    return true;
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
static struct cw_run_task task[COMMANDS];
static struct cw_run_access access_of[COMMANDS][2];

static int setup(void **state)
{
    (void)state;
    queue = other = (struct cw_run_queue){.in_order = true};
    memset(region, 0, sizeof region);
    memset(task, 0, sizeof task);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_chain_waits_for_its_last_commands, setup),
        cmocka_unit_test_setup(parts_of_the_bytes_do_not_cover, setup),
        cmocka_unit_test_setup(what_waits_for_native_work_covers_nothing_of_other_queues, setup),
        cmocka_unit_test_setup(what_waits_for_native_work_leaves_what_does_not, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
