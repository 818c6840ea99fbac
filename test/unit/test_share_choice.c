/* How many GPUs have a part of a launch of 1 ms: by what their copies of borders cost, and how often launches
 * make any. The controller is the real one; all else is played. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/tiles/share.c"
#include "../../shim/run/tiles/share_idle.c"

enum { GPUS = 4, GROUPS = 1000, ITEMS = 64 * GROUPS };
#define WHOLE_NS 1e6

struct cw_run_state_all cw_run;

/* ---- played */

static uint32_t cut_for; /* GPUs; 0: whole */
static uint32_t launches_cut;
static struct cw_run_tiles tiles;

bool cw_run_tile_shared(struct cw_run_task *t, const struct cw_run_cut *cut, struct cw_run_share *share,
                        const uint32_t *place, uint32_t n)
{
    (void)cut, (void)share, (void)place;
    t->launch.tiles = &tiles;
    tiles.parts = n;
    cut_for = n;
    launches_cut++;
    return true;
}

static size_t merged; /* bytes */

const char *cw_run_cut_of(const struct cw_run_task *t, struct cw_run_cut *cut)
{
    (void)t;
    *cut = (struct cw_run_cut){.groups = GROUPS, .verdict = {.cut = merged ? CW_CUT_MERGE : CW_CUT_ANY}};
    return NULL;
}

size_t cw_run_tile_merge_bytes(const struct cw_run_launch *l, const struct cw_cut_verdict *v)
{
    (void)l, (void)v;
    return merged;
}

enum cw_run_legal_scope cw_run_cut_scope(const struct cw_run_cut *cut)
{
    (void)cut;
    return CW_RUN_LEGAL_ALONE;
}

enum cw_run_illegal cw_run_legal(const struct cw_run_task *t, const struct cw_run_context_device *p,
                                 enum cw_run_legal_scope scope)
{
    (void)t, (void)p, (void)scope;
    return CW_RUN_LEGAL;
}

bool cw_run_tile_build_may(struct cw_run_program *p, const uint32_t *place, uint32_t n)
{
    (void)p, (void)place, (void)n;
    return true;
}

bool cw_run_tile_build_is_done(struct cw_run_program *p, uint32_t place, bool worth, bool build)
{
    (void)p, (void)place, (void)worth, (void)build;
    return true;
}

bool cw_run_gpu_begin_may(const struct cw_run_context_device *p)
{
    (void)p;
    return true;
}

void cw_run_gpu_begin_saves(double ns, bool cut)
{
    (void)ns, (void)cut;
}

static bool gain_rests;

bool cw_run_gpu_gain_rests(void)
{
    return gain_rests;
}

static double least_ns; /* of launches */

double cw_run_costs_least_ns(const struct cw_run_task *t)
{
    (void)t;
    return least_ns;
}

double cw_run_costs_measured_ns(const struct cw_run_task *t)
{
    return cw_run_costs_least_ns(t);
}

static double measured_ns; /* of launches of the kernel in this run, whole */

double cw_run_costs_home_ns(const struct cw_run_launch *l)
{
    (void)l;
    return measured_ns;
}

uint64_t cw_run_costs_shape_about(const struct cw_run_launch *l)
{
    (void)l;
    return 1;
}

double cw_run_planner_return_ns(const struct cw_run_planner *planner, double bytes, uint32_t p)
{
    (void)planner;
    return p ? bytes / 25 : 0;
}

double cw_run_share_group_items(const struct cw_run_task *t, size_t groups)
{
    return (double)t->launch.global[0] / (double)groups;
}

uint32_t cw_thread_processors(void)
{
    return 1;
}

static uint64_t now_ns;

uint64_t cw_run_clock_devices_ns(void)
{
    return now_ns;
}

uint64_t cw_run_global_lock_now_ns(void)
{
    return 0;
}

void cw_run_share_recall(struct cw_run_share *h, const struct cw_run_task *t, size_t groups,
                         double overhead_ns)
{
    (void)h, (void)t, (void)groups, (void)overhead_ns;
}

void cw_run_reasons_of(const struct cw_run_task *t, const char *why)
{
    (void)t, (void)why;
}

void cw_run_reasons_whole(struct cw_run_task *t, const char *why)
{
    (void)t, (void)why;
}

void cw_run_record_pin(struct cw_run_record *r)
{
    (void)r;
    fail();
}

/* ---- the launch */

static struct cw_run_context_device place[GPUS];
static struct cw_run_context context = {.places = place};
static struct cw_run_queue queue = {.context = &context};
static struct cw_run_tiled tiled;
static double mean_ns[GPUS] = {WHOLE_NS};
static struct cw_run_known known = {.mean_ns = mean_ns};
static struct cw_run_program program = {.context = &context};
static struct cw_run_kernel kernel = {.program = &program, .tiled = &tiled, .known = &known};
static struct cw_run_task task;
static double copying_ns[GPUS];
static double whole_ns = WHOLE_NS; /* at home, as it is known */

static uint32_t gpus_of_a_launch(void)
{
    struct cw_run_task *all[] = {&task};
    uint32_t device[] = {0};
    double start_ns[] = {0}, finish_ns[] = {WHOLE_NS}, cost[GPUS];
    struct cw_run_plan plan = {.device = device, .start_ns = start_ns, .finish_ns = finish_ns, .tasks = 1};

    for (uint32_t i = 0; i < GPUS; i++)
        cost[i] = WHOLE_NS;
    cut_for = 0;
    cw_run_share_window(&(struct cw_run_shared){.task = all,
                                                .plan = &plan,
                                                .cost = cost,
                                                .alone_ns = &whole_ns,
                                                .copying_ns = copying_ns,
                                                .tasks = 1,
                                                .workers = GPUS});
    return cut_for;
}

static int setup(void **unused)
{
    static const struct cw_options options = {
        .policy = "heft", .share = "auto", .blocks = "async", .ratio = ""};

    (void)unused;
    cw_run_share_start(&options);
    context.devices = calloc(1, sizeof *context.devices + GPUS * sizeof *context.devices->device);
    assert_non_null(context.devices);
    context.devices->n = GPUS;
    least_ns = WHOLE_NS;
    program.models = (void *)&program;
    for (uint32_t i = 0; i < GPUS; i++) {
        context.devices->device[i] = (struct cw_cl_device){
            .memory = i + 1, .traits = CW_VENDOR_OWN_MEMORY, .home = !i, .speed = 1, .class_name = "gpu"};
        cw_run.workers[i].number = i;
        place[i] = (struct cw_run_context_device){.device = &context.devices->device[i],
                                                  .worker = &cw_run.workers[i]};
        program.copy[i] = CW_RUN_COPY_READY;
        copying_ns[i] = i ? 40000 : 2;
    }
    task = (struct cw_run_task){
        .work = CW_RUN_LAUNCH, .queue = &queue, .launch = {.kernel = &kernel, .dims = 1, .global = {ITEMS}}};
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    cw_adaptive_destroy(tiled.shares->control);
    free(tiled.shares);
    free(context.devices);
    tiled.shares = NULL;
    return 0;
}

static void have_run(uint32_t cuts, double copying)
{
    gpus_of_a_launch();
    for (uint32_t i = 0; i < GPUS; i++)
        cw_adaptive_know(tiled.shares->control, i, GROUPS, WHOLE_NS);
    tiled.shares->cuts = cuts;
    tiled.shares->copying = copying;
}

/* ---- the cases */

static void all_have_a_part(void **unused)
{
    (void)unused;
    gain_rests = true; /* cut launches lose, all together */
    assert_int_equal(gpus_of_a_launch(), 0);
    gain_rests = false;
    assert_int_equal(gpus_of_a_launch(), GPUS);
    have_run(64, 1);
    assert_int_equal(gpus_of_a_launch(), GPUS);
}

/* By operations alone it would pay. The launch stays managed, to be measured. */
static void a_launch_whose_time_at_home_is_not_known_stays_whole(void **unused)
{
    (void)unused;
    whole_ns = 0;
    kernel.left.waiting = false;
    assert_int_equal(gpus_of_a_launch(), 0);
    assert_true(kernel.left.waiting);
    measured_ns = WHOLE_NS; /* in this run */
    assert_int_equal(gpus_of_a_launch(), GPUS);
    assert_true(tiles.home_ns > 0);
    measured_ns = 0;
    whole_ns = WHOLE_NS; /* in an earlier one */
    assert_int_equal(gpus_of_a_launch(), GPUS);
}

/* Only GPUs with blocks next to each other copy: of the others a guess is known. */
static void a_gpu_whose_copies_are_known_is_not_left_out_for_them(void **unused)
{
    (void)unused;
    have_run(64, 1);
    for (uint32_t i = 1; i < GPUS; i++) {
        copying_ns[i] = 300e3;
        assert_int_equal(gpus_of_a_launch(), GPUS);
        copying_ns[i] = 40e3;
    }
}

/* More than one GPU more saves: all of them together save it. */
static void copies_are_no_price_of_one_gpu_more(void **unused)
{
    (void)unused;
    have_run(64, 1);
    for (uint32_t i = 1; i < GPUS; i++)
        copying_ns[i] = 550e3;
    assert_int_equal(gpus_of_a_launch(), GPUS);
    for (uint32_t i = 1; i < GPUS; i++)
        copying_ns[i] = 800e3;
    assert_int_equal(gpus_of_a_launch(), 0);
}

static void launches_that_copy_nothing_do_not_pay_for_copies(void **unused)
{
    (void)unused;
    for (uint32_t i = 1; i < GPUS; i++)
        copying_ns[i] = 2e6;
    have_run(64, 1.0 / 16);
    assert_int_equal(gpus_of_a_launch(), GPUS);
    have_run(64, 1);
    assert_int_equal(gpus_of_a_launch(), 0);
}

/* A launch of 1 ms: merging 4 KiB takes little of it, merging 32 MiB some thirty times as long. */
static void merging_is_a_price(void **unused)
{
    (void)unused;
    merged = 4096;
    assert_int_equal(gpus_of_a_launch(), GPUS);
    merged = (size_t)32 << 20;
    assert_int_equal(gpus_of_a_launch(), 0);
    merged = 0;
}

/* The account of cut launches does not believe a first time at home that has the vendor's loading in it. */
static void the_least_known_time_at_home_counts(void **unused)
{
    (void)unused;
    have_run(64, 1);
    whole_ns = 20 * WHOLE_NS;
    assert_int_equal(gpus_of_a_launch(), GPUS);
    assert_true(tiles.home_ns <= 1.1 * WHOLE_NS);
    whole_ns = WHOLE_NS;
}

/* All of a long chain, as a program enqueues it without waiting. */
static void each_launch_of_a_long_chain_is_cut(void **unused)
{
    enum { LAUNCHES = 2000 };
    static struct cw_run_task *all[LAUNCHES];
    static uint32_t device[LAUNCHES];
    static double start_ns[LAUNCHES], finish_ns[LAUNCHES], cost[LAUNCHES][GPUS];
    struct cw_run_plan plan = {
        .device = device, .start_ns = start_ns, .finish_ns = finish_ns, .tasks = LAUNCHES};

    (void)unused;
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        all[i] = &task;
        start_ns[i] = i * WHOLE_NS;
        finish_ns[i] = (i + 1) * WHOLE_NS;
        for (uint32_t k = 0; k < GPUS; k++)
            cost[i][k] = WHOLE_NS;
    }
    launches_cut = 0;
    assert_true(cw_run_share_window(&(struct cw_run_shared){.task = all,
                                                            .plan = &plan,
                                                            .cost = &cost[0][0],
                                                            .alone_ns = &cost[0][0],
                                                            .copying_ns = copying_ns,
                                                            .tasks = LAUNCHES,
                                                            .workers = GPUS}));
    assert_int_equal(launches_cut, LAUNCHES);
}

/* Two launches at the same time, each on a GPU of its own: neither has a part there, one gets the rest. */
static void gpus_that_run_other_launches_have_no_part(void **unused)
{
    struct cw_run_task *all[] = {&task, &task};
    uint32_t device[] = {0, 1};
    double start_ns[] = {0, 0}, finish_ns[] = {WHOLE_NS, WHOLE_NS}, cost[2 * GPUS];
    struct cw_run_plan plan = {.device = device, .start_ns = start_ns, .finish_ns = finish_ns, .tasks = 2};

    (void)unused;
    for (uint32_t i = 0; i < 2 * GPUS; i++)
        cost[i] = WHOLE_NS;
    launches_cut = 0;
    cw_run_share_window(&(struct cw_run_shared){.task = all,
                                                .plan = &plan,
                                                .cost = cost,
                                                .alone_ns = cost,
                                                .copying_ns = copying_ns,
                                                .tasks = 2,
                                                .workers = GPUS});
    assert_int_equal(launches_cut, 1);
    assert_int_equal(cut_for, GPUS - 1);
}

/* A launch too short to be cut for its own time, behind one whose bytes stay on several GPUs: whole, home
 * would fetch those bytes. */
static void a_short_launch_is_cut_where_its_bytes_are_away(void **unused)
{
    static const uint32_t pred_start[] = {0, 0, 1}, pred[] = {0};
    struct cw_run_task behind = task, *all[] = {&task, &behind};
    uint32_t device[] = {0, 0};
    double start_ns[] = {0, WHOLE_NS}, finish_ns[] = {WHOLE_NS, 1.1 * WHOLE_NS}, cost[2 * GPUS], bytes;
    struct cw_run_plan plan = {.device = device, .start_ns = start_ns, .finish_ns = finish_ns, .tasks = 2};

    (void)unused;
    for (uint32_t k = 0; k < GPUS; k++) {
        cost[k] = WHOLE_NS;
        cost[GPUS + k] = .1 * WHOLE_NS;
    }
    least_ns = .1 * WHOLE_NS;
    for (int turn = 0; turn < 3; turn++) {
        bytes = turn * 10e6; /* three quarters of 10 MB come home in .3 ms */
        task.launch.tiles = behind.launch.tiles = NULL;
        cw_run_share_window(&(struct cw_run_shared){.task = all,
                                                    .plan = &plan,
                                                    .cost = cost,
                                                    .alone_ns = cost,
                                                    .copying_ns = copying_ns,
                                                    .pred_start = pred_start,
                                                    .pred = pred,
                                                    .pred_bytes = &bytes,
                                                    .tasks = 2,
                                                    .workers = GPUS});
        assert_non_null(task.launch.tiles);
        assert_int_equal(behind.launch.tiles != NULL, turn == 2);
    }
    task.launch.tiles = NULL;
}

/* After cuts in vain it rests for some times its duration, twice as long each time; then one is cut without a
 * profit test. */
static void launches_that_do_not_gain_rest(void **unused)
{
    (void)unused;
    now_ns = 1000;
    have_run(64, 1);
    for (uint64_t rest = 4; rest <= 256; rest *= 2) {
        cw_run_share_rests(tiled.shares);
        assert_int_equal(gpus_of_a_launch(), 0);
        now_ns += (uint64_t)(rest * WHOLE_NS) - 1;
        assert_int_equal(gpus_of_a_launch(), 0);
        now_ns++;
        copying_ns[1] = copying_ns[2] = copying_ns[3] = WHOLE_NS; /* no gain is expected */
        assert_int_equal(gpus_of_a_launch(), GPUS);
        assert_int_equal(gpus_of_a_launch(), 0);
        copying_ns[1] = copying_ns[2] = copying_ns[3] = 40000;
    }
    for (int i = 0; i < 20; i++)
        cw_run_share_rests(tiled.shares);
    now_ns += (uint64_t)(4096 * WHOLE_NS);
    assert_int_equal(gpus_of_a_launch(), GPUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_have_a_part, setup, teardown),
        cmocka_unit_test_setup_teardown(a_launch_whose_time_at_home_is_not_known_stays_whole, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_gpu_whose_copies_are_known_is_not_left_out_for_them, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(copies_are_no_price_of_one_gpu_more, setup, teardown),
        cmocka_unit_test_setup_teardown(launches_that_copy_nothing_do_not_pay_for_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(merging_is_a_price, setup, teardown),
        cmocka_unit_test_setup_teardown(the_least_known_time_at_home_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(each_launch_of_a_long_chain_is_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(a_short_launch_is_cut_where_its_bytes_are_away, setup, teardown),
        cmocka_unit_test_setup_teardown(gpus_that_run_other_launches_have_no_part, setup, teardown),
        cmocka_unit_test_setup_teardown(launches_that_do_not_gain_rest, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
