/* Parts of a cut launch that leave devices which are late, before and after blocks have been given out: all
 * of the launch runs once, by other parts, or whole at home. Workers and devices are played: the test takes
 * parts out of the heaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/tiles/share_blocks.c"
#include "../../shim/run/tiles/tile.c"

enum { PLACES = 3, GROUPS = 64 };

struct cw_run_state_all cw_run;

void cw_run_gpu_gain_cut(double home_ns, double took_ns, uint64_t before)
{
    (void)home_ns, (void)took_ns, (void)before;
}
enum cw_run_fault cw_run_fault_planted;

/* ---- played */

static struct {
    uint64_t now;
    bool sync;
    int whole, done;
    cl_int status;
    const char *why;
} seen;

void cw_run_tile_merge_free(struct cw_run_tiles *x)
{
    assert_null(x->merges);
}

void cw_run_ready_push(struct cw_run_task *t)
{
    t->state = CW_RUN_READY;
}

void cw_run_worker_ready(struct cw_run_task *t)
{
    cw_run_ready_push(t);
    seen.whole += !t->launch.part.of;
}

void cw_run_ready_remove(struct cw_run_task *t)
{
    assert_int_equal(t->state, CW_RUN_READY);
}

void cw_run_worker_done(struct cw_run_task *t, cl_int status)
{
    assert_non_null(t->launch.tiles);
    seen.done++;
    seen.status = status;
}

void cw_run_reasons_whole(struct cw_run_task *t, const char *why)
{
    (void)t;
    seen.why = why;
}

void cw_run_share_hold(const struct cw_run_tiles *tiles, const double speed[CW_RUN_WORKERS], double byte_ns,
                       double share[CW_RUN_WORKERS])
{
    (void)tiles, (void)speed, (void)byte_ns, (void)share;
}

double cw_run_costs_items(const struct cw_run_launch *l)
{
    return (double)l->global[0];
}

uint64_t cw_run_global_lock_now_ns(void)
{
    return seen.now += 1000;
}

uint64_t cw_run_clock_now_ns(void)
{
    return 0;
}

bool cw_isolated_compiler_space(cl_device_id device)
{
    (void)device;
    return true;
}

bool cw_run_tile_late_may_run_again(const struct cw_run_task *t, const struct cw_run_cut *cut)
{
    (void)t, (void)cut;
    return false;
}

bool cw_run_tile_memory_make(struct cw_run_tiles *x)
{
    (void)x;
    return true;
}

void cw_run_tile_memory_end(struct cw_run_tiles *x, cl_int status)
{
    (void)x, (void)status;
}

void cw_run_spread_beside_end(struct cw_run_beside *list, bool counts)
{
    (void)counts;
    assert_null(list);
}

void cw_run_tile_margin_find(struct cw_run_tiles *x)
{
    (void)x;
}

void cw_run_tile_memory_give_up(struct cw_run_tiles *x)
{
    (void)x;
}

bool cw_run_share_by_blocks(void)
{
    return seen.sync;
}

void cw_run_share_keep(const struct cw_run_tiles *x)
{
    (void)x;
}

void cw_run_share_rests(struct cw_run_share *h)
{
    (void)h;
}

bool cw_device_clock_is_virtual(void)
{
    return false;
}

/* ---- not called here */

double cw_device_cost_ns(const struct cw_cl_device *d, const struct cw_work *w)
{
    (void)d, (void)w;
    fail();
    return 0;
}

void cw_device_times_part(const struct cw_times_part *p)
{
    (void)p;
    fail();
}

void cw_run_spread_lost(struct cw_run_task *t)
{
    (void)t;
    fail();
}

bool cw_run_timing_begins(struct cw_run_task *t, struct cw_run_timing *timing)
{
    (void)t, (void)timing;
    fail();
    return false;
}

cl_int cw_run_timing_ends(struct cw_run_task *t, struct cw_run_timing *timing, cl_int status)
{
    (void)t, (void)timing, (void)status;
    fail();
    return 0;
}

bool cw_run_execute_begins(struct cw_run_task *t, uint64_t *start_ns)
{
    (void)t, (void)start_ns;
    fail();
    return false;
}

cl_int cw_run_execute_ends(struct cw_run_task *t, uint64_t start_ns, cl_int err, cl_command_queue queue)
{
    (void)t, (void)start_ns, (void)err, (void)queue;
    fail();
    return 0;
}

cl_int cw_run_tile_submit(struct cw_run_task *part, cl_command_queue *queue, cl_event *event)
{
    (void)part, (void)queue, (void)event;
    fail();
    return 0;
}

bool cw_run_tile_virtual_may(const struct cw_run_tiles *x, const struct cw_run_task *part)
{
    (void)x, (void)part;
    fail();
    return false;
}

void cw_run_tile_virtual_run(struct cw_run_task *part)
{
    (void)part;
    fail();
}

void cw_run_tile_crew_run(struct cw_run_worker *l, struct cw_run_task *part)
{
    (void)l, (void)part;
    fail();
}

struct cw_work cw_run_costs_work_of(const struct cw_run_task *t)
{
    (void)t;
    fail();
    return (struct cw_work){0};
}

void cw_run_global_lock_take(void)
{
}

void cw_run_global_lock_give(void)
{
}

bool cw_run_fault_now(enum cw_run_fault kind)
{
    (void)kind;
    return false;
}

bool cw_run_fault_since(enum cw_run_fault kind)
{
    (void)kind;
    return false;
}

cl_int cw_run_fault_launch(struct cw_run_task *t)
{
    (void)t;
    return CL_SUCCESS;
}

cl_int cw_run_fault_launched(struct cw_run_task *t)
{
    (void)t;
    return CL_SUCCESS;
}

/* ---- a launch of 64 work-groups at home (place 0) and two other devices */

static struct cw_cl_device device[PLACES];
static struct cw_context_devices devices = {.n = PLACES};
static struct cw_run_context_device place[PLACES];
static struct cw_run_context context = {.devices = &devices, .places = place};
static struct cw_run_queue queue = {.context = &context};
static struct cw_run_known known;
static struct cw_run_kernel kernel = {.known = &known};
static struct cw_run_share share;
static struct cw_run_task whole;
static const struct cw_run_cut cut = {.groups = GROUPS};
static size_t ran[GROUPS]; /* how often each work-group has run */

static int setup(void **state)
{
    enum cw_adaptive_mode mode = *state ? CW_ADAPTIVE_SYNC : CW_ADAPTIVE_ASYNC;

    memset(&seen, 0, sizeof seen);
    memset(ran, 0, sizeof ran);
    seen.sync = *state;
    kernel.tile_broken = 0;
    for (uint32_t i = 0; i < PLACES; i++) {
        cw_run.workers[i].number = i;
        place[i] = (struct cw_run_context_device){.worker = &cw_run.workers[i], .device = &device[i]};
    }
    share = (struct cw_run_share){
        .control = cw_adaptive_create(PLACES, &(struct cw_adaptive_options){.mode = mode, .blocks_n = 8})};
    assert_non_null(share.control);
    whole = (struct cw_run_task){
        .queue = &queue, .work = CW_RUN_LAUNCH, .state = CW_RUN_RELEASED, .launch.kernel = &kernel};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_null(whole.launch.tiles);
    cw_adaptive_destroy(share.control);
    return 0;
}

/* The parts are in the heaps of their workers. */
static struct cw_run_tiles *begins(void)
{
    struct cw_run_tiles *x = whole.launch.tiles;

    for (uint32_t i = 0; i < x->parts; i++)
        cw_run_ready_push(&x->part[i]);
    return x;
}

static struct cw_run_tiles *shared(const uint32_t *places, uint32_t n)
{
    assert_true(cw_run_tile_shared(&whole, &cut, &share, places, n));
    return begins();
}

static struct cw_run_task *part_of(struct cw_run_tiles *x, uint32_t worker)
{
    uint32_t i = 0;

    while (i < x->parts && x->part[i].at.worker != worker)
        i++;
    assert_true(i < x->parts);
    return &x->part[i];
}

/* The worker comes to the part, which runs one block, where there is one for it. */
static void runs(struct cw_run_tiles *x, struct cw_run_task *part)
{
    const struct cw_run_block *b;
    enum cw_run_taken taken;

    part->state = CW_RUN_RUNNING;
    taken = cw_run_tile_part_take(x, part);
    if (taken == CW_RUN_TAKEN_LATER) {
        part->state = CW_RUN_RELEASED;
        return;
    }
    if (taken == CW_RUN_TAKEN_NONE) {
        part->state = CW_RUN_DONE;
        cw_run_tile_part_ends(x);
        return;
    }
    b = &x->block[part->launch.part.block];
    for (size_t i = b->first; i < b->first + b->groups; i++)
        ran[i]++;
    cw_run_tile_part_has_run(x, part, 1000 * b->groups);
    part->state = CW_RUN_READY; /* as far as the test goes */
    cw_run_tile_parts_wake(x);
}

/* All that is ready runs, in turn, until nothing is. */
static void run_all(struct cw_run_tiles *x)
{
    bool any = true;

    for (int turns = 0; any && !seen.done && !seen.whole; turns++) {
        any = false;
        assert_true(turns < 1000);
        for (uint32_t i = 0; !seen.done && i < x->parts; i++)
            if (x->part[i].state == CW_RUN_READY) {
                any = true;
                runs(x, &x->part[i]);
            }
    }
}

static void leaves(struct cw_run_task *part)
{
    assert_int_equal(part->state, CW_RUN_READY);
    cw_run_tile_part_leaves(part);
}

static void is_complete(void)
{
    assert_int_equal(seen.done, 1);
    assert_int_equal(seen.status, CL_COMPLETE);
    for (size_t i = 0; i < GROUPS; i++)
        assert_int_equal(ran[i], 1);
}

/* ---- the cases */

static const uint32_t all[] = {0, 1, 2}, helpers[] = {1, 2};

static void blocks_that_are_bound_go_to_other_parts(void **state)
{
    static const struct cw_run_piece pieces[] = {{0, 10, 1}, {10, 20, 2}, {30, 4, 1}, {34, 30, 0}};
    struct cw_run_tiles *x;

    (void)state;
    assert_true(cw_run_tile_launch(&whole, &cut, pieces, 4));
    x = begins();
    leaves(part_of(x, 1));
    run_all(x);
    is_complete();
}

static void bound_blocks_all_of_whose_parts_leave_run_at_home(void **state)
{
    static const struct cw_run_piece pieces[] = {{0, 10, 1}, {10, 54, 2}};
    struct cw_run_tiles *x;

    (void)state;
    assert_true(cw_run_tile_launch(&whole, &cut, pieces, 2));
    x = begins();
    leaves(part_of(x, 1));
    leaves(part_of(x, 2));
    run_all(x);
    is_complete();
}

static void one_leaves_before_blocks_are_given_out(void **state)
{
    struct cw_run_tiles *x = shared(all, PLACES);

    (void)state;
    leaves(part_of(x, 2));
    run_all(x);
    is_complete();
}

static void one_leaves_meanwhile(void **state)
{
    struct cw_run_tiles *x = shared(all, PLACES);

    (void)state;
    runs(x, part_of(x, 0));
    leaves(part_of(x, 1));
    run_all(x);
    is_complete();
}

static void all_leave_meanwhile(void **state)
{
    struct cw_run_tiles *x = shared(all, PLACES);

    (void)state;
    runs(x, part_of(x, 0));
    for (uint32_t i = 0; i < PLACES; i++)
        if (part_of(x, i)->state == CW_RUN_READY)
            leaves(part_of(x, i));
    run_all(x);
    is_complete();
}

/* Blocks that are given out together: one waits until those of the others have run. */
static void one_waits_for_those_that_leave(void **state)
{
    struct cw_run_tiles *x = shared(all, PLACES);
    struct cw_run_task *part = part_of(x, 0);

    (void)state;
    runs(x, part);
    runs(x, part);
    assert_int_equal(part->state, CW_RUN_RELEASED);
    leaves(part_of(x, 1));
    leaves(part_of(x, 2));
    run_all(x);
    is_complete();
}

static void all_leave_before(void **state)
{
    struct cw_run_tiles *x = shared(helpers, 2);

    (void)state;
    whole.launch.group.may = true;
    leaves(part_of(x, 1));
    assert_int_equal(seen.whole, 0);
    leaves(part_of(x, 2));
    assert_int_equal(seen.whole, 1);
    assert_null(whole.launch.tiles);
    assert_false(whole.launch.group.may);
    assert_int_equal(whole.state, CW_RUN_READY);
    assert_string_equal(seen.why, "its devices were late");
    assert_int_equal(seen.done, 0);
}

/* Another launch of the shape has the controller: the blocks are bound when the first part asks. */
static void one_leaves_before_blocks_are_bound(void **state)
{
    struct cw_run_tiles other = {0}, *x = shared(all, PLACES);

    (void)state;
    share.holder = &other;
    leaves(part_of(x, 1));
    run_all(x);
    is_complete();
    assert_ptr_equal(share.holder, &other);
}

int main(void)
{
    static bool sync = true;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_that_are_bound_go_to_other_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(bound_blocks_all_of_whose_parts_leave_run_at_home, setup, teardown),
        cmocka_unit_test_setup_teardown(one_leaves_before_blocks_are_given_out, setup, teardown),
        cmocka_unit_test_setup_teardown(one_leaves_meanwhile, setup, teardown),
        cmocka_unit_test_setup_teardown(all_leave_meanwhile, setup, teardown),
        cmocka_unit_test_setup_teardown(all_leave_before, setup, teardown),
        cmocka_unit_test_setup_teardown(one_leaves_before_blocks_are_bound, setup, teardown),
        cmocka_unit_test_prestate_setup_teardown(one_leaves_before_blocks_are_given_out, setup, teardown,
                                                 &sync),
        cmocka_unit_test_prestate_setup_teardown(one_leaves_meanwhile, setup, teardown, &sync),
        cmocka_unit_test_prestate_setup_teardown(all_leave_meanwhile, setup, teardown, &sync),
        cmocka_unit_test_prestate_setup_teardown(one_waits_for_those_that_leave, setup, teardown, &sync),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
