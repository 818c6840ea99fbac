/* Shares of launches that GPUs have together: those of the last launch stand until others are so much quicker
 * that bytes may move for them. The controller is the real one; speeds are told to it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/tiles/share_blocks.c"
#include "../../shim/run/tiles/share_hold.c"

enum { PLACES = 3, GROUPS = 1000, ITEMS = 64 };

struct cw_run_state_all cw_run;

static double gained_ns;

void cw_run_gpu_gain_cut(double home_ns, double took_ns, uint64_t before)
{
    gained_ns += before >= CW_RUN_SHARE_COMPILED && home_ns > 0 ? home_ns - took_ns : 0;
}

/* ---- played */

static bool by_blocks;

double cw_run_costs_items(const struct cw_run_launch *l)
{
    return (double)l->global[0];
}

bool cw_run_share_by_blocks(void)
{
    return by_blocks;
}

bool cw_device_clock_is_virtual(void)
{
    return false;
}

uint64_t cw_run_global_lock_now_ns(void)
{
    return 0;
}

static struct cw_extent piece[4]; /* of the buffer that is written; bytes 0: none */

bool cw_run_spread_part(const struct cw_run_region *r, uint64_t low, uint64_t high, struct cw_extent *part)
{
    uint32_t i = 0;

    (void)r;
    while (piece[i].high <= low)
        i++;
    *part = piece[i];
    part->low = low;
    part->high = part->high < high ? part->high : high;
    return low < high;
}

void cw_run_tile_margin_find(struct cw_run_tiles *x)
{
    (void)x;
}

void cw_run_share_keep(const struct cw_run_tiles *x)
{
    (void)x;
}

static uint32_t rests;

void cw_run_share_rests(struct cw_run_share *h)
{
    h->rest.poor = 0;
    rests++;
}

/* ---- not called here */

double cw_device_cost_ns(const struct cw_cl_device *d, const struct cw_work *w)
{
    (void)d, (void)w;
    fail();
    return 0;
}

struct cw_work cw_run_costs_work_of(const struct cw_run_task *t)
{
    (void)t;
    fail();
    return (struct cw_work){0};
}

/* ---- a launch of 1000 work-groups on three GPUs */

static struct cw_cl_device gpu[PLACES];
static struct cw_context_devices devices = {.n = PLACES};
static struct cw_run_context_device place[PLACES];
static struct cw_run_context context = {.devices = &devices, .places = place};
static struct cw_run_queue queue = {.context = &context};
static struct cw_run_share share;
static struct cw_run_task whole;
static size_t got[PLACES]; /* work-groups of each place in the last launch */

static int setup(void **state)
{
    static const struct cw_adaptive_options options = {.mode = CW_ADAPTIVE_ASYNC, .blocks_n = 8};

    (void)state;
    by_blocks = false;
    gained_ns = rests = 0;
    for (uint32_t i = 0; i < PLACES; i++) {
        gpu[i] = (struct cw_cl_device){.memory = i + 1, .traits = CW_VENDOR_OWN_MEMORY};
        place[i] = (struct cw_run_context_device){.device = &gpu[i]};
    }
    share = (struct cw_run_share){.control = cw_adaptive_create(PLACES, &options), .group_items = ITEMS};
    assert_non_null(share.control);
    memset(piece, 0, sizeof piece);
    whole = (struct cw_run_task){
        .queue = &queue, .work = CW_RUN_LAUNCH, .launch = {.dims = 1, .global = {ITEMS * GROUPS}}};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cw_adaptive_destroy(share.control);
    free(share.held);
    return 0;
}

/* So often that it forgets what it knew. */
static void is_so_quick(uint32_t at, double groups_per_us)
{
    for (int i = 0; i < 200; i++)
        cw_adaptive_know(share.control, at, 100, 100e3 / groups_per_us);
}

/* On the first `n` places; all of its blocks are bound at once. */
static void launch_on(uint32_t n)
{
    struct cw_run_task part[PLACES] = {0};
    struct cw_run_block block[PLACES], none;
    struct cw_run_tiles x = {.whole = &whole,
                             .share = &share,
                             .cut = {.groups = GROUPS},
                             .parts = n,
                             .part = part,
                             .block = block};
    size_t at = 0;

    for (uint32_t i = 0; i < n; i++)
        part[i].at.place = i;
    memset(got, 0, sizeof got);
    assert_int_equal(cw_run_share_take(&x, &part[0], &none), CW_RUN_TAKEN_NONE);
    for (uint32_t i = 0; i < x.blocks; i++) {
        assert_int_equal(block[i].first, at);
        at += block[i].groups;
        got[block[i].part] += block[i].groups;
    }
    assert_int_equal(at, GROUPS);
}

static void has_about(uint32_t at, size_t groups)
{
    assert_in_range(got[at], groups - GROUPS / 100, groups + GROUPS / 100);
}

static void has_shares(size_t first)
{
    launch_on(2);
    has_about(0, first);
}

/* ---- the cases */

static void the_first_launch_goes_by_speed(void **state)
{
    (void)state;
    is_so_quick(0, 1);
    is_so_quick(1, 3);
    launch_on(2);
    has_about(0, 250);
    has_about(1, 750);
}

static void shares_stand_where_little_would_be_gained(void **state)
{
    size_t before[PLACES];

    (void)state;
    is_so_quick(0, 1);
    is_so_quick(1, 1);
    launch_on(2);
    memcpy(before, got, sizeof got);
    is_so_quick(1, 1.04); /* the slower one would end 2 % sooner */
    launch_on(2);
    assert_memory_equal(got, before, sizeof got);
}

static void they_change_where_much_is(void **state)
{
    (void)state;
    is_so_quick(0, 1);
    is_so_quick(1, 1);
    launch_on(2);
    has_about(1, 500);
    is_so_quick(1, 3);
    launch_on(2);
    has_about(1, 750);
}

/* Little by little: what stands is compared, not what the last launch would have got. */
static void they_do_not_creep(void **state)
{
    size_t before[PLACES];

    (void)state;
    is_so_quick(0, 1);
    is_so_quick(1, 1);
    launch_on(2);
    memcpy(before, got, sizeof got);
    for (double quick = 1.02; quick < 1.09; quick += .02) {
        is_so_quick(1, quick);
        launch_on(2);
        assert_memory_equal(got, before, sizeof got);
    }
    is_so_quick(1, 1.3);
    for (int i = 0; i < 8; i++)
        launch_on(2);
    has_about(1, 565);
}

/* After 1 launch, and 2, 4, 8 more. */
static void they_are_looked_at_less_and_less_often(void **state)
{
    uint32_t changed = 0;
    size_t last;

    (void)state;
    is_so_quick(0, 1);
    is_so_quick(1, 1);
    launch_on(2);
    for (uint32_t i = 1; i < 16; i++) {
        last = got[1];
        is_so_quick(1, i % 2 ? 3 : 1);
        launch_on(2);
        changed += got[1] != last;
        assert_true(got[1] == last || i == 1 || i == 3 || i == 7 || i == 15);
    }
    assert_int_equal(changed, 1); /* each look comes when it is 3 times as quick */
}

/* ... and after 64 at most. */
static void they_are_always_looked_at_again(void **state)
{
    uint32_t since = 0, most = 0;

    (void)state;
    is_so_quick(0, 1);
    is_so_quick(1, 1);
    launch_on(2);
    for (int i = 0; i < 1000; i++) {
        size_t last = got[1];

        is_so_quick(1, last > GROUPS / 2 ? 1 : 3);
        launch_on(2);
        since = got[1] == last ? since + 1 : 1;
        most = since > most ? since : most;
    }
    assert_int_equal(most, 64);
}

/* Another kernel has left the first 960 bytes of 2000 on the first GPU. */
static void launches_are_cut_where_their_bytes_lie(void **state)
{
    struct cw_run_region region = {.spread = (void *)&region};
    struct cw_run_access access[] = {{.region = &region, .high = 5000},
                                     {.region = &region, .low = 1000, .high = 3000, .write = true},
                                     {.region = &region, .low = 1000, .high = 1100, .write = true}};

    (void)state;
    whole.accesses.of = access;
    whole.accesses.n = 3;
    share.byte_ns = 1000;
    piece[0] = (struct cw_extent){0, 1960, 1 << gpu[0].memory};
    piece[1] = (struct cw_extent){1960, 4000, 1 << gpu[1].memory};
    is_so_quick(0, 1);
    is_so_quick(1, 1);
    for (int i = 0; i < 2; i++) { /* each loses 20 us, and 40 bytes are at the wrong place */
        has_shares(480);
        assert_true(fabs(share.lost_ns - (i + 1) * 20e3) < 1);
    }
    share.lost_ns = 39e3;
    has_shares(500);
    assert_true(share.lost_ns == 0);
    piece[0].valid = 1 << gpu[1].memory; /* in another order */
    piece[1].valid = 1 << gpu[0].memory;
    has_shares(500);
    piece[0].valid = 1 << gpu[0].memory; /* some are on both */
    piece[1].valid |= 1 << gpu[1].memory;
    has_shares(500);
    piece[1].valid = 1 << gpu[2].memory; /* which has no part */
    has_shares(500);
    piece[1].valid = 1 << gpu[1].memory;
    piece[0].high = piece[1].low = 1000; /* all are on one */
    has_shares(500);
    piece[0].high = piece[1].low = 1960;
    has_shares(480);
    access[0].low = 3000; /* they are not read */
    has_shares(500);
}

/* A launch of the same kernel with half the work in each group: with half the time it is as quick. */
static void groups_may_be_of_other_sizes(void **state)
{
    struct cw_run_task part = {0};
    struct cw_run_block block = {.groups = 100};
    struct cw_run_tiles x = {.whole = &whole,
                             .share = &share,
                             .cut = {.groups = GROUPS},
                             .parts = 1,
                             .part = &part,
                             .block = &block};

    (void)state;
    share.seen = 1;
    is_so_quick(0, 1);
    whole.launch.global[0] /= 2;
    assert_true(fabs(cw_run_share_speed(&x, 0) - 2e-3) < 1e-9);
    for (int i = 0; i < 9; i++)
        cw_run_share_has_run(&x, &part, 50000);
    assert_true(fabs(cw_adaptive_speed(share.control, 0) - 1e-3) < 1e-9);
    for (int i = 0; i < 9; i++)
        cw_run_share_has_run(&x, &part, 25000);
    assert_true(fabs(cw_run_share_speed(&x, 0) - 4e-3) < 1e-9);
}

/* Launches of a window are looked at before the first of them runs, and later ones may have less work. */
static void each_launch_is_beside_itself_whole(void **state)
{
    struct cw_run_tiles x = {.whole = &whole, .share = &share, .whole_ns = 4e6};

    (void)state;
    share.cuts = CW_RUN_SHARE_COMPILED;
    share.whole_ns = 1e6;
    for (int i = 0; i < 2 * CW_RUN_TRIAL_POOR; i++)
        cw_run_share_over(&x, 2000000);
    assert_int_equal(rests, 0);
    for (int i = 0; i < 2 * CW_RUN_TRIAL_POOR; i++)
        cw_run_share_over(&x, 5000000);
    assert_int_equal(rests, 2);
}

/* Four in a row without gain rest; one that gains between them makes them count anew. */
static void some_in_a_row_without_gain_rest(void **state)
{
    struct cw_run_tiles x = {.whole = &whole, .share = &share, .whole_ns = 4e6};

    (void)state;
    for (int i = 0; i < 2; i++) /* the vendor compiles */
        cw_run_share_over(&x, 50000000);
    for (int i = 0; i < 100; i++)
        cw_run_share_over(&x, i % 4 == 3 ? 2000000 : 5000000);
    assert_int_equal(rests, 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(rests, 0);
        cw_run_share_over(&x, 5000000);
    }
    assert_int_equal(rests, 1);
}

/* Where a place runs tiles for the first time, its vendor compiles them, even if others have run some. */
static void what_compiles_is_no_loss(void **state)
{
    struct cw_run_task part = {.at.place = 1};
    struct cw_run_block block = {.groups = 100};
    struct cw_run_tiles x = {.whole = &whole,
                             .share = &share,
                             .cut = {.groups = GROUPS},
                             .parts = 1,
                             .part = &part,
                             .block = &block,
                             .home_ns = 3e6};

    (void)state;
    share.cuts = CW_RUN_SHARE_COMPILED;
    share.seen = 1;
    cw_run_share_has_run(&x, &part, 100000000);
    cw_run_share_over(&x, 100000000);
    assert_true(gained_ns == 0);
    x.home_ns = 3e6;
    cw_run_share_has_run(&x, &part, 1000000);
    cw_run_share_over(&x, 1000000);
    assert_true(gained_ns == 2e6);
}

static void shares_without_speeds_are_equal_and_stand(void **state)
{
    (void)state;
    launch_on(2);
    has_about(0, 500);
    is_so_quick(1, 3); /* of the other one nothing is known */
    launch_on(2);
    has_about(0, 500);
}

/* A launch on other places has none that stand: what two of three had is not all of it. */
static void fewer_places_share_anew(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PLACES; i++)
        is_so_quick(i, 1);
    launch_on(PLACES);
    has_about(2, 333);
    launch_on(2);
    has_about(0, 500);
    has_about(1, 500);
    launch_on(PLACES);
    has_about(2, 333);
}

static void nothing_is_held_on_processors(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PLACES; i++)
        gpu[i].memory = 0;
    share.holder = &(struct cw_run_tiles){0}; /* else blocks are asked for one by one */
    is_so_quick(0, 1);
    is_so_quick(1, 1);
    launch_on(2);
    is_so_quick(1, 1.2);
    launch_on(2);
    has_about(1, 545);
    assert_null(share.held);
}

static void nothing_is_held_where_blocks_are_asked_for(void **state)
{
    (void)state;
    by_blocks = true;
    share.holder = &(struct cw_run_tiles){0};
    launch_on(2);
    assert_null(share.held);
}

static double copying_after(uint32_t launches, bool fetches)
{
    while (launches--)
        cw_run_share_over(&(struct cw_run_tiles){.share = &share, .fetches = fetches}, 1000);
    return share.copying;
}

static void it_is_known_how_many_launches_copy(void **state)
{
    (void)state;
    assert_true(copying_after(1, true) == 1);
    assert_int_equal(100 * copying_after(3, false), 25);
    assert_true(copying_after(60, false) < .02);
    assert_in_range(100 * copying_after(1, true), 6, 8);
    assert_true(copying_after(60, true) > .95);
}

static void launch_takes(uint64_t ns, bool fetches)
{
    cw_run_share_over(&(struct cw_run_tiles){.share = &share, .fetches = fetches}, ns);
}

static void it_is_known_how_long_copies_take(void **state)
{
    (void)state;
    launch_takes(22000, true); /* all bytes come */
    assert_true(share.copies_ns == 0);
    launch_takes(300, false);
    launch_takes(7000, true);
    launch_takes(900, true);
    launch_takes(310, false);
    launch_takes(1200, true);
    assert_in_range(share.copies_ns, 590, 630);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_launch_goes_by_speed, setup, teardown),
        cmocka_unit_test_setup_teardown(shares_stand_where_little_would_be_gained, setup, teardown),
        cmocka_unit_test_setup_teardown(they_change_where_much_is, setup, teardown),
        cmocka_unit_test_setup_teardown(they_do_not_creep, setup, teardown),
        cmocka_unit_test_setup_teardown(they_are_looked_at_less_and_less_often, setup, teardown),
        cmocka_unit_test_setup_teardown(they_are_always_looked_at_again, setup, teardown),
        cmocka_unit_test_setup_teardown(launches_are_cut_where_their_bytes_lie, setup, teardown),
        cmocka_unit_test_setup_teardown(groups_may_be_of_other_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(each_launch_is_beside_itself_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(some_in_a_row_without_gain_rest, setup, teardown),
        cmocka_unit_test_setup_teardown(what_compiles_is_no_loss, setup, teardown),
        cmocka_unit_test_setup_teardown(shares_without_speeds_are_equal_and_stand, setup, teardown),
        cmocka_unit_test_setup_teardown(fewer_places_share_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_held_on_processors, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_held_where_blocks_are_asked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(it_is_known_how_many_launches_copy, setup, teardown),
        cmocka_unit_test_setup_teardown(it_is_known_how_long_copies_take, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
