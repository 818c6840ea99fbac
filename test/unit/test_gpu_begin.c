/* When GPUs that may help begin: when they would have saved what their contexts take, and with the program
 * where its last run had enough for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/tuning/gpu_begin.c"

struct cw_run_state_all cw_run;
enum cw_run_fault cw_run_fault_planted;

static double kept_ns; /* in the store; 0: nothing */
static unsigned written;

struct cw_identity cw_run_activation_identity(const char *kind, uint64_t size,
                                              const struct cw_options *options)
{
    (void)kind, (void)size, (void)options;
    return (struct cw_identity){0};
}

const char *cw_run_activation_arguments(size_t *bytes)
{
    *bytes = 1;
    return calloc(1, 1);
}

void cw_identity_add(struct cw_identity *id, const void *bytes, size_t n)
{
    (void)id, (void)bytes, (void)n;
}

void cw_file_store_init(struct cw_file_store *s, const char *folder)
{
    (void)s, (void)folder;
}

void *cw_file_store_read(const struct cw_file_store *s, const struct cw_identity *id, size_t *bytes)
{
    double *found = kept_ns != 0 ? malloc(sizeof *found) : NULL;

    (void)s, (void)id;
    *bytes = sizeof *found;
    if (found)
        *found = kept_ns;
    return found;
}

void cw_file_store_write(struct cw_file_store *s, const struct cw_identity *id, const void *data,
                         size_t bytes)
{
    (void)s, (void)id;
    assert_int_equal(bytes, sizeof kept_ns);
    memcpy(&kept_ns, data, bytes);
    written++;
}

static bool harms;

bool cw_run_gpu_gain_harms(void)
{
    return harms;
}

static uint64_t now_ns;
static double gained_ns;
static bool held, offers;
static const char *refused;

uint64_t cw_run_global_lock_now_ns(void)
{
    return now_ns;
}

double cw_run_gpu_gain_all(void)
{
    return gained_ns;
}

struct cw_run_course cw_run_activation_course(void)
{
    return (struct cw_run_course){.held = held};
}

const char *cw_run_context_device_refused(void)
{
    return refused;
}

void cw_context_devices_offer_gpus(void)
{
    offers = true;
}

static struct cw_cl_device device[3];
static struct cw_run_context_device home = {.device = &device[0], .worker = &cw_run.workers[0]},
                                    gpu = {.device = &device[1], .worker = &cw_run.workers[1]},
                                    cpu = {.device = &device[2], .worker = &cw_run.workers[2]};

static void begin_with(char *learn, char *devices)
{
    const struct cw_options options = {.learn = learn, .devices = devices};

    memset(&gpus, 0, sizeof gpus);
    memset(&cw_run, 0, sizeof cw_run);
    cw_run.num_workers = 3;
    cw_run.workers[0] = (struct cw_run_worker){.kind = CW_DEVICE_KIND_GPU, .home = true};
    cw_run.workers[1].kind = CW_DEVICE_KIND_GPU;
    offers = false;
    cw_run_gpu_begin_start(&options, "folder");
}

static void begin_run(char *learn)
{
    begin_with(learn, "gpu");
}

static int setup(void **state)
{
    (void)state;
    kept_ns = written = 0;
    gained_ns = 0;
    held = harms = false;
    refused = NULL;
    device[0] = (struct cw_cl_device){.memory = 1, .traits = CW_VENDOR_OWN_MEMORY, .home = true};
    device[1] = (struct cw_cl_device){.memory = 2, .traits = CW_VENDOR_OWN_MEMORY};
    device[2] = (struct cw_cl_device){0};
    begin_run("auto");
    return 0;
}

static void others_than_gpus_may_at_once(void **state)
{
    (void)state;
    assert_true(cw_run_gpu_begin_may(&home));
    assert_true(cw_run_gpu_begin_may(&cpu));
    assert_false(cw_run_gpu_begin_may(&gpu));
    cw_run.workers[1].context = (cl_context)&gpu; /* another context of the program has it */
    assert_true(cw_run_gpu_begin_may(&gpu));
}

static void they_begin_when_they_are_earned(void **state)
{
    char text[256];

    (void)state;
    assert_int_equal(cw_run_gpu_begin_describe(text, sizeof text), 0);
    for (int i = 0; i < 9; i++)
        cw_run_gpu_begin_saves(CW_RUN_GPU_BEGIN_NS / 10, false);
    cw_run_gpu_begin_saves(-CW_RUN_GPU_BEGIN_NS, false);
    assert_false(cw_run_gpu_begin_may(&gpu));
    assert_true(cw_run_gpu_begin_describe(text, sizeof text) > 0);
    assert_non_null(strstr(text, "have not begun"));
    cw_run_gpu_begin_saves(CW_RUN_GPU_BEGIN_NS / 5, false);
    assert_true(cw_run_gpu_begin_may(&gpu));
    cw_run_gpu_begin_describe(text, sizeof text);
    assert_non_null(strstr(text, "began in its midst"));
}

static void a_run_that_lost_keeps_the_next_ones_from_them(void **state)
{
    char text[256], *learn[] = {"auto", "all"};
    int runs = 0;

    (void)state;
    begin_run("all");
    cw_run_gpu_begin_saves(1, true);
    assert_true(cw_run_gpu_begin_may(&gpu));
    harms = true;
    cw_run_gpu_begin_describe(text, sizeof text);
    assert_non_null(strstr(text, "from now on"));
    cw_run_gpu_begin_stop();
    harms = false;
    for (;; runs++) {
        begin_run(learn[runs % 2]);
        cw_run_gpu_begin_saves(9 * CW_RUN_GPU_BEGIN_NS, false);
        if (cw_run_gpu_begin_may(&gpu))
            break;
        cw_run_gpu_begin_describe(text, sizeof text);
        assert_non_null(strstr(text, "were left alone"));
        cw_run_gpu_begin_stop();
    }
    assert_int_equal(runs, RUNS_ALONE);
}

static void a_run_with_enough_lets_the_next_begin_with_them(void **state)
{
    (void)state;
    cw_run_gpu_begin_saves(1.5 * CW_RUN_GPU_BEGIN_NS, false);
    cw_run_gpu_begin_stop();
    begin_run("auto");
    assert_false(cw_run_gpu_begin_may(&gpu));
    cw_run_gpu_begin_saves(4 * CW_RUN_GPU_BEGIN_NS, false);
    cw_run_gpu_begin_stop();
    begin_run("auto");
    assert_true(cw_run_gpu_begin_may(&gpu));
    cw_run_gpu_begin_stop(); /* this one had nothing to gain */
    begin_run("auto");
    assert_false(cw_run_gpu_begin_may(&gpu));
    assert_int_equal(written, 3);
}

static void each_gpu_has_its_price(void **state)
{
    (void)state;
    cw_run.workers[2].kind = CW_DEVICE_KIND_GPU;
    cw_run_gpu_begin_saves(1.5 * CW_RUN_GPU_BEGIN_NS, false);
    assert_false(cw_run_gpu_begin_may(&gpu));
    cw_run_gpu_begin_saves(.5 * CW_RUN_GPU_BEGIN_NS, false);
    assert_true(cw_run_gpu_begin_may(&gpu));
}

static void a_run_that_was_cut_from_its_begin_is_no_judge(void **state)
{
    (void)state;
    kept_ns = 3 * CW_RUN_GPU_BEGIN_NS;
    begin_run("auto");
    cw_run.counts.cut = 1;
    cw_run_gpu_begin_saves(CW_RUN_GPU_BEGIN_NS / 2, false);
    cw_run_gpu_begin_stop();
    assert_int_equal(written, 0);
}

static void a_run_as_before_writes_nothing(void **state)
{
    (void)state;
    kept_ns = 3 * CW_RUN_GPU_BEGIN_NS;
    begin_run("auto");
    cw_run_gpu_begin_saves(2 * CW_RUN_GPU_BEGIN_NS, false);
    cw_run_gpu_begin_stop();
    assert_int_equal(written, 0);
}

/* What could at best run beside other launches is no reason: a context costs as much as ever. */
static void under_learn_all_they_begin_with_the_first_launch_to_cut(void **state)
{
    char text[256];

    (void)state;
    begin_run("all");
    cw_run_gpu_begin_saves(CW_RUN_GPU_BEGIN_NS / 2, false);
    assert_false(cw_run_gpu_begin_may(&gpu));
    cw_run_gpu_begin_saves(1, true);
    assert_true(cw_run_gpu_begin_may(&gpu));
    cw_run_gpu_begin_describe(text, sizeof text);
    assert_non_null(strstr(text, "first launch to cut"));
}

/* Under `run` alone. A run of streams, of 2 s: 1,000 commands of so long. True: the next one is offered GPUs.
 */
static bool streams(double ns, bool beside)
{
    begin_with("auto", "");
    assert_false(offers);
    cw_run_gpu_begin_span((uint64_t)(1000 * ns), 1000, beside);
    now_ns += 2000000000;
    cw_run_gpu_begin_stop();
    return kept_ns > 0;
}

static void alone_they_are_offered_behind_long_commands_on_one_stream(void **state)
{
    char text[256];

    (void)state;
    assert_false(streams(CW_RUN_TILES_NS / 2, false));
    assert_false(streams(CW_RUN_TILES_NS * 2, true));
    assert_int_equal(written, 0);
    assert_true(streams(CW_RUN_TILES_NS * 2, false));
    assert_true(cw_run_gpu_begin_next());
    assert_true(cw_run_gpu_begin_describe(text, sizeof text) > 0);
    assert_non_null(strstr(text, "offered to the next run"));
    begin_with("auto", "none");
    assert_false(offers);
    begin_with("off", "");
    assert_false(offers);
    begin_with("auto", "");
    assert_true(offers);
    assert_false(cw_run_gpu_begin_may(&gpu)); /* until they are earned */
}

/* A run of 1 s that GPUs are offered to. Returns the record. */
static double offered(double saves_ns)
{
    begin_with("auto", "");
    assert_true(offers);
    cw_run_gpu_begin_saves(saves_ns, true);
    now_ns += 1000000000;
    cw_run_gpu_begin_stop();
    return kept_ns;
}

static void alone_they_are_offered_while_they_pay(void **state)
{
    int runs = 0;

    (void)state;
    kept_ns = LOOKS;
    assert_true(offered(2e8) == LOOKS - 1);
    assert_true(offered(5e8) == 5e8);
    assert_true(offered(4e8) == 5e8);
    refused = "in use"; /* that says nothing of what they gain */
    assert_true(offered(0) == 5e8);
    refused = NULL;
    held = true;
    assert_true(offered(0) == 5e8);
    held = false;
    assert_true(offered(2e8) == -RUNS_ALONE);
    for (; kept_ns < 0; runs++)
        streams(CW_RUN_TILES_NS / 2, false);
    assert_int_equal(runs, RUNS_ALONE);
    kept_ns = 5e8;
    harms = true;
    assert_true(offered(9e8) == -RUNS_ALONE);
}

static void alone_each_look_in_vain_is_counted(void **state)
{
    (void)state;
    kept_ns = LOOKS;
    for (int looks = LOOKS; looks > 1; looks--)
        assert_true(offered(1e8) == looks - 1);
    assert_true(offered(1e8) == -RUNS_ALONE);
    kept_ns = LOOKS;
    begin_with("auto", "");
    cw_run.workers[1].home = true; /* no other GPU is there */
    cw_run_gpu_begin_stop();
    assert_true(kept_ns == LOOKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(others_than_gpus_may_at_once, setup),
        cmocka_unit_test_setup(they_begin_when_they_are_earned, setup),
        cmocka_unit_test_setup(a_run_that_lost_keeps_the_next_ones_from_them, setup),
        cmocka_unit_test_setup(a_run_with_enough_lets_the_next_begin_with_them, setup),
        cmocka_unit_test_setup(each_gpu_has_its_price, setup),
        cmocka_unit_test_setup(a_run_that_was_cut_from_its_begin_is_no_judge, setup),
        cmocka_unit_test_setup(a_run_as_before_writes_nothing, setup),
        cmocka_unit_test_setup(under_learn_all_they_begin_with_the_first_launch_to_cut, setup),
        cmocka_unit_test_setup(alone_they_are_offered_behind_long_commands_on_one_stream, setup),
        cmocka_unit_test_setup(alone_they_are_offered_while_they_pay, setup),
        cmocka_unit_test_setup(alone_each_look_in_vain_is_counted, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
