/* Chains that become group runs while events of the program complete: before the chain is gathered, and while
 * its plan is made, for which the lock is given up. Each launch is run once, by the group or from a heap.
 * Costs, plans and kernels are played; lists and heaps of ready commands are run mode's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/core/ready.c"
#include "../../shim/run/groups/group.c"

enum { TASKS = 4, PARTS = 1 };

struct cw_run_state_all cw_run;
struct cw_run_account cw_run_account;
struct cw_run_group_settings cw_run_group_settings = {.on = true};
struct cw_run_group_counts cw_run_group_counts;

static struct cw_cl_device device;
static struct cw_context_devices devices = {.n = 1};
static struct cw_run_context_device place = {.worker = &cw_run.workers[0], .device = &device};
static struct cw_run_context context = {.devices = &devices, .places = &place};
static struct cw_run_queue queue = {.context = &context, .in_order = true};
static struct cw_run_program program;
static struct cw_run_known known;
static struct cw_run_kernel kernel = {.program = &program, .known = &known};
static struct cw_run_chain chain;
static struct cw_run_task task[TASKS];
static struct cw_run_group *started; /* the group of the part that is ready */
static struct cw_run_task *behind;   /* an event that it waits for completes while the plan is made */
static bool has_plan;

/* ---- played */

void cw_run_worker_ready(struct cw_run_task *t)
{
    if (t->launch.group.run)
        started = t->launch.group.run;
    cw_run_ready_push(t);
}

void cw_run_worker_take_ready(void)
{
    struct cw_run_task *t;

    while ((t = cw_run_ready_next()))
        cw_run_worker_ready(t);
}

/* As tasks/task.c lets a command go. */
static void event_completes(struct cw_run_task *t)
{
    assert_true(t->waits > 0);
    if (!--t->waits && t->state == CW_RUN_RELEASED)
        cw_run_ready_add(t);
}

bool cw_run_group_plan(struct cw_run_group *g, const struct cw_run_variant *v, uint32_t workers,
                       const char **why)
{
    (void)g, (void)v, (void)workers;
    if (behind)
        event_completes(behind);
    cw_run_worker_take_ready(); /* another thread */
    *why = "played";
    return has_plan;
}

bool cw_run_group_choice_choose(struct cw_run_chain *c, const struct cw_run_group *g, uint32_t tried,
                                uint32_t *variant, const char **why)
{
    (void)c, (void)g;
    *variant = 0;
    *why = "no variant is left";
    return !tried;
}

const char *cw_run_cut_of(const struct cw_run_task *t, struct cw_run_cut *cut)
{
    (void)t;
    *cut = (struct cw_run_cut){.groups = 2};
    return NULL;
}

struct cw_run_chain *cw_run_group_choice_of(const struct cw_run_group *g)
{
    (void)g;
    return &chain;
}

const struct cw_run_variant *cw_run_group_variant(uint32_t variant)
{
    static const struct cw_run_variant home;

    (void)variant;
    return &home;
}

uint32_t cw_run_group_variant_all(void)
{
    return 1;
}

uint32_t cw_run_group_variant_alike(uint32_t variant)
{
    return 1u << variant;
}

uint32_t cw_run_group_choice_longest(const struct cw_run_chain *c)
{
    (void)c;
    return CW_RUN_GROUP_STEPS;
}

bool cw_run_group_choice_hopes(const struct cw_run_chain *c, uint32_t variant)
{
    (void)c, (void)variant;
    return false;
}

uint32_t cw_run_group_choice_plain(const struct cw_run_chain *c, uint32_t steps)
{
    (void)c;
    return steps;
}

bool cw_run_group_code_is_there(struct cw_run_group *g, const uint32_t *at, uint32_t n)
{
    (void)g, (void)at, (void)n;
    return true;
}

enum cw_run_illegal cw_run_legal(const struct cw_run_task *t, const struct cw_run_context_device *p,
                                 enum cw_run_legal_scope scope)
{
    (void)t, (void)p, (void)scope;
    return CW_RUN_LEGAL;
}

bool cw_run_spread_claims(struct cw_run_task *t)
{
    (void)t;
    return true;
}

void cw_run_spread_release(struct cw_run_task *t)
{
    (void)t;
}

double cw_run_costs_home_ns(const struct cw_run_launch *l)
{
    (void)l;
    return 1e6;
}

void cw_run_activation_hopes(double times)
{
    (void)times;
}

void cw_run_activation_waiting(double ns)
{
    (void)ns;
}

void cw_run_group_history_foresee(const struct cw_run_group *g, bool wanted)
{
    (void)g, (void)wanted;
}

void cw_run_group_history_keep_hopeless(const struct cw_run_chain *c, uint32_t variant)
{
    (void)c, (void)variant;
}

void cw_run_group_plain(const char *why)
{
    (void)why;
}

uint8_t *cw_run_tile_program_state(struct cw_run_program *p, const struct cw_run_worker *l)
{
    (void)p, (void)l;
    return NULL;
}

uint64_t cw_run_global_lock_now_ns(void)
{
    return 1;
}

/* ---- not called here */

bool cw_device_clock_is_virtual(void)
{
    fail();
    return false;
}

void cw_log(enum cw_log_level level, const char *format, ...)
{
    (void)level, (void)format;
    fail();
}

double cw_run_costs_items(const struct cw_run_launch *l)
{
    (void)l;
    fail();
    return 0;
}

void cw_run_costs_name_launch(struct cw_run_task *t)
{
    (void)t;
    fail();
}

void cw_run_global_lock_wait(uint64_t ns)
{
    (void)ns;
    fail();
}

uint32_t cw_run_group_below(uint32_t n)
{
    (void)n;
    fail();
    return 0;
}

bool cw_run_group_code_is_ordered(const struct cw_run_chain *c)
{
    (void)c;
    fail();
    return false;
}

double cw_run_perf_model_earlier_ns(struct cw_run_task *t)
{
    (void)t;
    fail();
    return 0;
}

void cw_run_group_times_record_begins(struct cw_run_group *g)
{
    (void)g;
    fail();
}

uint64_t cw_run_group_variant_half_bytes(void)
{
    fail();
    return 0;
}

bool cw_run_program_models_settled(const struct cw_run_program *p)
{
    (void)p;
    fail();
    return false;
}

bool cw_run_tile_build_is_done(struct cw_run_program *p, uint32_t at, bool worth, bool build)
{
    (void)p, (void)at, (void)worth, (void)build;
    fail();
    return false;
}

bool cw_run_tile_build_may(struct cw_run_program *p, const uint32_t *at, uint32_t n)
{
    (void)p, (void)at, (void)n;
    fail();
    return false;
}

/* ---- four marked launches of one queue that need nothing of each other; the worker has taken the first */

static int setup(void **state)
{
    free(cw_run.workers[0].heap);
    memset(&cw_run, 0, sizeof cw_run);
    cw_run.num_workers = 1;
    cw_run.all = true; /* kernels are there */
    assert_true(cw_run_ready_reserve(TASKS + PARTS));
    chain = (struct cw_run_chain){.steps = 0};
    started = NULL;
    behind = NULL;
    has_plan = *state;
    for (uint32_t i = 0; i < TASKS; i++)
        task[i] = (struct cw_run_task){.queue = &queue,
                                       .work = CW_RUN_LAUNCH,
                                       .state = i ? CW_RUN_RELEASED : CW_RUN_READY,
                                       .waits = i == TASKS - 1,
                                       .launch.group.may = true,
                                       .order.sequence = i + 1,
                                       .order.rank = i + 1,
                                       .links.prev = i ? &task[i - 1] : NULL,
                                       .links.next = i + 1 < TASKS ? &task[i + 1] : NULL,
                                       .launch.kernel = &kernel};
    cw_run_ready_push(&task[1]);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cw_run_group_free(started);
    return 0;
}

/* How often the launch is going to run: as a step of the group, and from heaps and lists. */
static uint32_t runs(const struct cw_run_task *t)
{
    struct cw_run_worker *l = &cw_run.workers[0];
    uint32_t n = 0;

    cw_run_worker_take_ready();
    for (uint32_t i = 0; i < l->num_ready; i++)
        n += l->heap[i] == t;
    for (uint32_t i = 0; started && i < started->steps; i++)
        n += started->step[i].task == t;
    return n;
}

static void each_runs_once(uint32_t tasks)
{
    for (uint32_t i = 0; i < TASKS; i++)
        assert_int_equal(runs(&task[i]), i < tasks);
}

/* The event that the third launch waited for has completed: no thread has given it to its worker yet. */
static void one_that_has_become_ready_joins_once(void **state)
{
    task[2].waits = 1;
    event_completes(&task[2]);
    assert_true(cw_run_group_begin(&task[0], UINT64_MAX));
    assert_int_equal(started != NULL, *state != NULL);
    if (started)
        assert_int_equal(started->steps, 3);
    each_runs_once(3);
}

/* The last launch waits for an event, which completes while the lock is given up: it is no step. */
static void one_that_becomes_ready_meanwhile_is_no_step(void **state)
{
    cw_run_ready_push(&task[2]);
    behind = &task[TASKS - 1];
    assert_true(cw_run_group_begin(&task[0], UINT64_MAX));
    assert_int_equal(started != NULL, *state != NULL);
    if (started)
        assert_int_equal(started->steps, 3);
    each_runs_once(TASKS);
}

int main(void)
{
    static bool planned = true;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_that_has_become_ready_joins_once, setup, teardown),
        cmocka_unit_test_prestate_setup_teardown(one_that_has_become_ready_joins_once, setup, teardown,
                                                 &planned),
        cmocka_unit_test_setup_teardown(one_that_becomes_ready_meanwhile_is_no_step, setup, teardown),
        cmocka_unit_test_prestate_setup_teardown(one_that_becomes_ready_meanwhile_is_no_step, setup, teardown,
                                                 &planned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
