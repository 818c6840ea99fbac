/* Trains: which launches become one, what each part hands over, how they end. Three launches between two GPUs
 * stand in line; whether one would copy, whether its bytes can be claimed, and the devices are played. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/tiles/tile_train.c"

enum { PARTS = 2, MOST = 4 };

struct cw_run_state_all cw_run;
enum cw_run_fault cw_run_fault_planted;

static struct cw_run_worker *lane(uint32_t i)
{
    return &cw_run.lanes[i];
}

/* ---- a queue of launches */

static struct cw_cl_device gpu[PARTS];
static struct cw_run_context_device place[PARTS];
static struct cw_run_context context = {.places = place};
static struct cw_run_queue queue = {.context = &context};
static struct cw_run_share share;
static struct cw_run_kernel kernel;
static struct cw_run_task whole[MOST];
static struct cw_run_tiles tiles[MOST];
static struct cw_run_task part[MOST][PARTS];
static struct cw_run_block block[MOST][PARTS];
static struct cw_run_access access_of[MOST][PARTS];
static uintptr_t edges[MOST][1];
static int failing; /* call of cw_run_spread_prepare() that fails */
static cl_int submits, finishes;
static char log_text[512];

static void say(const char *what, uint32_t launch, uint32_t of)
{
    char text[32];

    snprintf(text, sizeof text, "%s%u.%u ", what, launch, of);
    strcat(log_text, text);
}

static void is_told(const char *text)
{
    assert_string_equal(log_text, text);
    log_text[0] = 0;
}

static uint32_t launch_of(const struct cw_run_tiles *x)
{
    return (uint32_t)(x - tiles);
}

static uint32_t number_of(const struct cw_run_task *p)
{
    return (uint32_t)(p - p->tile.part_of->part);
}

/* ---- played */

void cw_run_share_bind(struct cw_run_tiles *x)
{
    x->blocks = PARTS;
    for (uint32_t i = 0; i < PARTS; i++)
        x->block[i] = (struct cw_run_block){.first = i, .groups = 1, .part = i};
}

bool cw_run_tile_margin_goes_on(struct cw_run_tiles *x)
{
    for (uint32_t i = 0; i < PARTS; i++)
        x->part[i].tile.known = 1;
    return !x->fetches; /* as the test says */
}

bool cw_run_spread_rehearsal_play(struct cw_run_rehearsal *r, const struct cw_run_task *p, uint32_t accesses,
                                  bool beside)
{
    (void)p, (void)beside;
    assert_int_equal(accesses, 1);
    r->n = 1;
    return true;
}

void cw_run_spread_rehearsal_end(struct cw_run_rehearsal *r)
{
    assert_int_equal(r->n, 1);
}

void cw_run_tile_apart_go_on(const struct cw_run_tiles *x)
{
    (void)x;
}

bool cw_run_exclusion_may(const struct cw_run_task *t)
{
    (void)t;
    return true;
}

bool cw_run_spread_prepare(struct cw_run_task *p)
{
    assert_int_equal(p->accesses.n, 1);
    return --failing;
}

void cw_run_spread_abandon(struct cw_run_task *p)
{
    say("abandon ", launch_of(p->tile.part_of), number_of(p));
}

void cw_run_spread_claim(struct cw_run_task *t)
{
    say("claim ", (uint32_t)(t - whole), 0);
}

void cw_run_worker_starts(struct cw_run_task *t)
{
    t->state = CW_RUN_RUNNING;
}

cl_int cw_run_tile_submit(struct cw_run_task *p, cl_command_queue *q, cl_event *event)
{
    assert_null(event);
    assert_int_equal(p->accesses.n, 1);
    say("run ", launch_of(p->tile.part_of), number_of(p));
    *q = (cl_command_queue)&queue;
    return submits;
}

static cl_int CL_API_CALL finish(cl_command_queue q)
{
    assert_ptr_equal(q, &queue);
    return finishes;
}

static cl_int CL_API_CALL flush(cl_command_queue q)
{
    assert_ptr_equal(q, &queue);
    return CL_SUCCESS;
}

struct cw_dispatch cw_next = {.clFinish = finish, .clFlush = flush};

bool cw_run_tile_apart_over(struct cw_run_task *p, cl_int status)
{
    assert_int_equal(status, CL_COMPLETE);
    say("over ", launch_of(p->tile.part_of), number_of(p));
    return true;
}

void cw_run_tile_part_has_run(struct cw_run_tiles *x, const struct cw_run_task *p, uint64_t ns)
{
    (void)x, (void)p;
    assert_int_not_equal(ns, 0);
}

void cw_run_tile_part_refuses(struct cw_run_tiles *x, struct cw_run_task *p, cl_int lost)
{
    assert_ptr_equal(p, x->part);
    assert_int_equal(lost, CL_OUT_OF_RESOURCES);
    say("fails ", launch_of(x), 0);
}

void cw_run_tile_part_ends(struct cw_run_tiles *x)
{
    assert_null(x->train);
    if (!--x->left)
        say("end ", launch_of(x), 0);
}

void cw_run_quarantine_begin(struct cw_run_worker *l, cl_int error, bool copy)
{
    (void)error, (void)copy;
    assert_ptr_equal(l, lane(1));
}

bool cw_run_quarantine_is_due(cl_int status)
{
    return status < 0;
}

uint64_t cw_run_global_lock_now_ns(void)
{
    static uint64_t now;

    return now += 1000000;
}

void cw_run_global_lock_take(void)
{
}

void cw_run_global_lock_give(void)
{
}

void cw_run_watch_block_over(void)
{
}

bool cw_device_clock_is_virtual(void)
{
    return false;
}

/* ---- the cases */

static int setup(void **unused)
{
    (void)unused;
    memset(cw_run.lanes, 0, sizeof *cw_run.lanes * PARTS);
    cw_run.all = false;
    cw_run.counts.trains = cw_run.counts.coupled = 0;
    share = (struct cw_run_share){.cuts = 10, .cut_ns = 1e6, .seen = 3};
    failing = -1;
    submits = finishes = CL_SUCCESS;
    log_text[0] = 0;
    for (uint32_t k = 0; k < MOST; k++) {
        whole[k] = (struct cw_run_task){.queue = &queue,
                                        .work = CW_RUN_LAUNCH,
                                        .released = true,
                                        .waits = k > 0,
                                        .launch.kernel = &kernel,
                                        .tile.launch = &tiles[k],
                                        .edges = {.to = edges[k], .n = k + 1 < MOST}};
        edges[k][0] = k + 1 < MOST ? (uintptr_t)&whole[k + 1] : 0;
        tiles[k] = (struct cw_run_tiles){.whole = &whole[k],
                                         .apart = true,
                                         .share = &share,
                                         .parts = PARTS,
                                         .left = PARTS,
                                         .part = part[k],
                                         .block = block[k]};
        for (uint32_t i = 0; i < PARTS; i++) {
            place[i] = (struct cw_run_context_device){.lane = lane(i), .slot = &gpu[i]};
            part[k][i] = (struct cw_run_task){.queue = &queue,
                                              .at = {.lane = i, .place = i},
                                              .accesses.of = &access_of[k][i],
                                              .tile.part_of = &tiles[k]};
        }
    }
    whole[0].state = part[0][0].state = CW_RUN_RUNNING; /* it asks for its block */
    part[0][1].state = CW_RUN_READY;
    lane(0)->busy = true;
    lane(1)->num_ready = 1;
    cw_run.claims = &whole[0];
    cw_run_share_bind(&tiles[0]);
    cw_run_tile_margin_goes_on(&tiles[0]);
    return 0;
}

static uint64_t forms(void)
{
    cw_run_tile_train_form(&tiles[0]);
    return cw_run.counts.coupled;
}

static void each_part_runs_all_launches(void **unused)
{
    (void)unused;
    tiles[3].fetches = true;
    assert_int_equal(forms(), 3);
    is_told("claim 1.0 claim 2.0 ");
    assert_int_equal(part[0][1].accesses.n, 0); /* it waits for its device */
    assert_int_equal(whole[2].state, CW_RUN_RUNNING);
    assert_int_equal(whole[3].state, CW_RUN_LINKED);
    assert_int_equal(tiles[3].blocks, 0);
    assert_int_equal(part[3][0].tile.known, 0);
    cw_run_tile_train_run(&part[0][1]);
    is_told("run 0.1 run 1.1 run 2.1 ");
    cw_run_tile_train_run(&part[0][0]);
    is_told("run 0.0 run 1.0 run 2.0 over 0.0 over 0.1 end 0.0 over 1.0 over 1.1 end 1.0 over 2.0 over 2.1 "
            "end 2.0 ");
}

static void launches_that_wait_for_others_stay(void **unused)
{
    (void)unused;
    whole[2].waits = 2;
    assert_int_equal(forms(), 2);
    cw_run_tile_train_run(&part[0][0]);
    cw_run_tile_train_run(&part[0][1]);
    setup(NULL);
    edges[0][0] |= CW_RUN_AT_RETIRE;
    assert_int_equal(forms(), 0);
    setup(NULL);
    whole[1].released = false;
    assert_int_equal(forms(), 0);
    setup(NULL);
    part[1][1].at.place = 0; /* on other devices */
    assert_int_equal(forms(), 0);
    assert_null(tiles[0].train);
}

static void the_program_does_not_wait_long(void **unused)
{
    (void)unused;
    share.cut_ns = .4 * CW_RUN_TRAIN_NS;
    assert_int_equal(forms(), 2);
    cw_run_tile_train_run(&part[0][0]);
    cw_run_tile_train_run(&part[0][1]);
    setup(NULL);
    share.cut_ns = .6 * CW_RUN_TRAIN_NS;
    assert_int_equal(forms(), 0);
}

static void devices_have_nothing_else_to_do(void **unused)
{
    struct cw_run_task other = {0};

    (void)unused;
    lane(1)->num_ready = 2;
    assert_int_equal(forms(), 0);
    setup(NULL);
    lane(1)->busy = true;
    assert_int_equal(forms(), 0);
    setup(NULL);
    lane(1)->quarantine.error = CL_OUT_OF_RESOURCES;
    assert_int_equal(forms(), 0);
    setup(NULL);
    share.seen = 1; /* the other one may have to compile it */
    assert_int_equal(forms(), 0);
    setup(NULL);
    whole[0].links.claims = &other;
    assert_int_equal(forms(), 0);
}

/* The third part of all that claims its bytes cannot. */
static void without_claims_all_is_as_before(void **unused)
{
    (void)unused;
    tiles[2].fetches = true;
    failing = 3;
    assert_int_equal(forms(), 0);
    is_told("abandon 0.0 abandon 0.1 abandon 1.0 abandon 1.1 ");
    assert_null(tiles[0].train);
    assert_int_equal(tiles[1].blocks, 0);
    assert_int_equal(part[0][0].accesses.n + part[1][0].accesses.n, 0);
    assert_int_equal(whole[1].state, CW_RUN_LINKED);
}

static void all_fail_with_one_part(void **unused)
{
    (void)unused;
    tiles[2].fetches = true;
    assert_int_equal(forms(), 2);
    is_told("claim 1.0 ");
    finishes = CL_OUT_OF_RESOURCES;
    cw_run_tile_train_run(&part[0][1]);
    assert_true(lane(1)->quarantine.fails);
    is_told("run 0.1 run 1.1 ");
    finishes = CL_SUCCESS;
    cw_run_tile_train_run(&part[0][0]);
    is_told("run 0.0 run 1.0 abandon 0.0 abandon 0.1 fails 0.0 end 0.0 abandon 1.0 abandon 1.1 fails 1.0 end "
            "1.0 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_part_runs_all_launches, setup),
        cmocka_unit_test_setup(launches_that_wait_for_others_stay, setup),
        cmocka_unit_test_setup(the_program_does_not_wait_long, setup),
        cmocka_unit_test_setup(devices_have_nothing_else_to_do, setup),
        cmocka_unit_test_setup(without_claims_all_is_as_before, setup),
        cmocka_unit_test_setup(all_fail_with_one_part, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
