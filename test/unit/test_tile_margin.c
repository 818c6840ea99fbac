/* Margins of a series of launches between two buffers, on three GPUs: when parts copy, and how many
 * work-groups they run. The model of the kernel and where bytes are valid are played: one byte for each
 * work-group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/tiles/tile_margin.c"

enum { ARGS = 2, PARTS = 3, GROUPS = 60, OWN = GROUPS / PARTS, LOCAL = 8 };

/* ---- played */

static int64_t before, behind; /* groups that the kernel reaches */
static bool in_place;
static struct cw_run_cutter cutter;
static double speed;

struct range {
    int64_t low, high;
};

static struct range valid[PARTS][ARGS]; /* in the memory of each part, of each buffer */

static struct cw_hull hull(int64_t low, int64_t high)
{
    return (struct cw_hull){
        .answer = CW_ANSWER_EXACT, .begin = low > 0 ? low : 0, .end = high < GROUPS ? high : GROUPS};
}

bool cw_run_cut_hulls(const struct cw_run_task *t, const struct cw_run_cut *cut, const int64_t *from, int n,
                      struct cw_arg_hulls *hulls)
{
    (void)t, (void)cut;
    assert_true(n <= CW_RUN_TILE_HULLS);
    for (int i = 0; i < n; i++) {
        assert_true(from[i] >= 0 && from[i] < from[i + 1] && from[i + 1] <= GROUPS);
        hulls[ARGS * i] = (struct cw_arg_hulls){.reads = hull(from[i] - before, from[i + 1] + behind)};
        hulls[ARGS * i].range[0] =
            (struct cw_read_range){hulls[ARGS * i].reads.begin, hulls[ARGS * i].reads.end};
        hulls[ARGS * i].ranges = 1;
        hulls[ARGS * i + 1] = (struct cw_arg_hulls){.writes = hull(from[i], from[i + 1])};
    }
    return true;
}

bool cw_run_cut_hulls_in_place(const struct cw_run_launch *l, const struct cw_arg_hulls *hulls)
{
    (void)l;
    assert_int_equal(hulls[1].writes.end, GROUPS);
    return in_place;
}

struct cw_run_cutter *cw_run_cutter_of(struct cw_run_kernel *k)
{
    (void)k;
    return &cutter;
}

double cw_run_share_speed(const struct cw_run_tiles *x, uint32_t place)
{
    (void)x, (void)place;
    return speed;
}

/* ---- launches that read one buffer and write the other one */

static struct cw_cl_device gpu[PARTS];
static struct cw_run_context_device place[PARTS] = {
    {.device = &gpu[0]}, {.device = &gpu[1]}, {.device = &gpu[2]}};
static struct cw_run_context context = {.places = place};
static struct cw_run_queue queue = {.context = &context};
static struct cw_run_kernel kernel = {.count = ARGS};
static struct cw_run_region region[ARGS];
static struct cw_run_memory memory[ARGS];
static struct cw_run_arg arg[ARGS];
static struct cw_run_share share, other; /* of the kernel that reaches no neighbour */
static size_t shift;                     /* of the cut points, in groups */
static uint32_t turn;                    /* the buffer that is read */
static uint32_t copied;                  /* launches of which some part copied */
static uint32_t margins;                 /* work-groups in them */

static struct range reads_of(const struct cw_run_block *b)
{
    struct cw_hull h = hull((int64_t)(b->first - b->margin[0]) - before,
                            (int64_t)(b->first + b->groups + b->margin[1]) + behind);

    return (struct range){h.begin, h.end};
}

bool cw_run_tile_memory_lacks(struct cw_run_tiles *x, struct cw_run_block *b)
{
    struct range r = reads_of(b), v = valid[b->part][turn];

    x->part[b->part].launch.part.known = 2;
    return r.low < v.low || r.high > v.high;
}

static void launch(void)
{
    struct cw_arg_hulls hulls[CW_RUN_TILE_HULLS * ARGS];
    struct cw_run_task whole = {.queue = &queue,
                                .work = CW_RUN_LAUNCH,
                                .launch = {.kernel = &kernel, .args = arg}},
                       part[PARTS] = {0};
    struct cw_run_block block[PARTS];
    struct cw_run_tiles x = {.whole = &whole,
                             .several = true,
                             .share = before || behind ? &share : &other,
                             .cut = {.groups = GROUPS, .local = {LOCAL, 1, 1}},
                             .fine = {.groups = GROUPS, .local = {LOCAL, 1, 1}},
                             .units = 1,
                             .parts = PARTS,
                             .blocks = PARTS,
                             .part = part,
                             .block = block,
                             .hulls = hulls};
    bool any = false;

    for (uint32_t i = 0; i < PARTS; i++) {
        part[i].at.place = i;
        block[i] = (struct cw_run_block){.first = (size_t)i * OWN + (i ? shift : 0),
                                         .groups = OWN + (i ? 0 : shift) - (i + 1 < PARTS ? 0 : shift),
                                         .part = i};
    }
    arg[0].memory = &memory[turn];
    arg[1].memory = &memory[!turn];
    cw_run_tile_margin_find(&x);
    assert_int_equal(block[0].margin[0] + block[PARTS - 1].margin[1], 0);
    for (uint32_t i = 0; i < PARTS; i++) {
        const struct cw_run_block *b = &block[i];

        any |= cw_run_tile_memory_lacks(&x, &block[i]);
        margins += (uint32_t)(b->margin[0] + b->margin[1]);
        valid[i][turn] = reads_of(b);
        valid[i][!turn] = (struct range){(int64_t)(b->first - b->margin[0]),
                                         (int64_t)(b->first + b->groups + b->margin[1])};
    }
    copied += any;
    region[!turn].series = x.series;
    turn = !turn;
}

static void launches_of(uint32_t n)
{
    copied = margins = 0;
    while (n--)
        launch();
}

/* The buffer that is read next is valid nowhere but at the first GPU. */
static void host_writes(void)
{
    for (uint32_t i = 0; i < PARTS; i++)
        valid[i][turn] = (struct range){0, i ? 0 : GROUPS};
}

static void exchange(char *launches)
{
    cw_run_tile_margin_start(&(struct cw_options){.exchange = launches});
}

static int setup(void **unused)
{
    (void)unused;
    memset(valid, 0, sizeof valid);
    turn = shift = 0;
    for (uint32_t i = 0; i < PARTS; i++)
        gpu[i].memory = i + 1;
    for (uint32_t i = 0; i < ARGS; i++) {
        memory[i] = (struct cw_run_memory){.region = &region[i]};
        region[i] = (struct cw_run_region){.root = &memory[i]};
    }
    share = other = (struct cw_run_share){.copying_ns = 1000};
    before = behind = 1;
    in_place = cutter.has_atomics = false;
    speed = 1; /* a work-group takes 1 ns: margins are cheap */
    exchange("auto");
    host_writes();
    return 0;
}

/* ---- the cases */

static void borders_are_copied_at_each_nth_launch(void **unused)
{
    (void)unused;
    for (uint32_t n = 2; n <= 10; n++) {
        char text[12];

        setup(NULL);
        snprintf(text, sizeof text, "%u", n);
        exchange(text);
        launches_of(1); /* all come to their places */
        launches_of(10 * n);
        assert_int_equal(copied, 10);
        /* 4 borders inside, at which n - 1, n - 2 ... 0 groups are run, too */
        assert_int_equal(margins, 10 * 4 * n * (n - 1) / 2);
    }
}

static void with_one_each_launch_copies(void **unused)
{
    (void)unused;
    exchange("1");
    launches_of(20);
    assert_int_equal(copied, 20);
    assert_int_equal(margins, 0);
}

static void margins_are_as_deep_as_a_neighbour_at_most(void **unused)
{
    (void)unused;
    exchange("50");
    launches_of(1);
    launches_of(OWN + 1);
    assert_int_equal(copied, 1);
    assert_int_equal(margins, 4 * OWN * (OWN + 1) / 2);
}

static void a_kernel_that_reaches_further_takes_more(void **unused)
{
    (void)unused;
    before = behind = 3;
    exchange("4");
    launches_of(1);
    launches_of(8);
    assert_int_equal(copied, 2);
    assert_int_equal(margins, 2 * 4 * (9 + 6 + 3));
}

static void one_side_only_where_only_that_is_read(void **unused)
{
    (void)unused;
    behind = 0;
    exchange("4");
    launches_of(1);
    launches_of(8);
    assert_int_equal(copied, 2);
    assert_int_equal(margins, 2 * 2 * (3 + 2 + 1));
}

/* 1, 2, 4 ... launches, up to the root of the copies' time over that of a group. */
static void they_grow_while_they_are_used_up(void **unused)
{
    (void)unused;
    share.copying_ns = 64;
    launches_of(1);
    launches_of(1 + 2 + 4 + 8);
    assert_int_equal(copied, 4);
    launches_of(80);
    assert_int_equal(copied, 10);
    share.copies_ns = 256; /* as measured */
    launches_of(160);
    assert_int_equal(copied, 10);
}

static void dear_work_groups_are_not_run_twice(void **unused)
{
    (void)unused;
    speed = 1e-3;
    launches_of(100);
    assert_int_equal(margins, 0);
    speed = 0; /* not known */
    launches_of(100);
    assert_int_equal(margins, 0);
}

/* The host writes before each launch: margins are tried ever less often. */
static void what_saves_nothing_is_left_out(void **unused)
{
    (void)unused;
    copied = margins = 0;
    for (int i = 0; i < 200; i++) {
        host_writes();
        launch();
    }
    assert_int_equal(copied, 200);
    assert_in_range(margins, 1, 4 * 2 * 10);
}

/* The same before each fifth launch. */
static void part_of_what_was_planned(void **unused)
{
    (void)unused;
    launches_of(1);
    for (int i = 0; i < 300; i++) {
        if (i % 5 == 0)
            host_writes();
        launch();
    }
    copied = margins = 0;
    for (int i = 0; i < 300; i++) {
        if (i % 5 == 0)
            host_writes();
        launch();
    }
    assert_in_range(copied, 60, 66);
    assert_in_range(margins, 60 * 4 * (4 + 3 + 2 + 1), 60 * 4 * (5 + 4 + 3 + 2 + 1));
}

/* Cut points move at the first launches of each 32, as the devices' speeds turn out: other launches find
 * margins as before. */
static void new_cuts_are_no_reason_for_less(void **unused)
{
    (void)unused;
    share.copying_ns = 64; /* 8 launches from one copy to the next */
    launches_of(64);
    copied = 0;
    for (uint32_t i = 0; i < 320; i++) {
        if (i % 32 < 2) {
            shift = shift ? 0 : OWN / 2;
            share.times_held++;
        }
        launch();
    }
    assert_in_range(copied, 50, 60);
}

static void launches_in_place_have_none(void **unused)
{
    (void)unused;
    in_place = true;
    exchange("4");
    launches_of(20);
    assert_int_equal(margins, 0);
}

/* They may order what a work-group writes otherwise each time. */
static void nor_have_launches_with_atomics(void **unused)
{
    (void)unused;
    cutter.has_atomics = true;
    exchange("4");
    launches_of(20);
    assert_int_equal(margins, 0);
}

/* All of a buffer is read, as of bodies that attract each other. */
static void nor_have_launches_that_read_everything(void **unused)
{
    (void)unused;
    before = behind = GROUPS;
    exchange("4");
    launches_of(20);
    assert_int_equal(copied, 20);
    assert_int_equal(margins, 0);
}

static void nor_those_that_no_cut_launch_wrote_for(void **unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++) {
        launches_of(1);
        assert_int_equal(margins, 0);
        turn = 0; /* the same input again */
    }
    assert_int_equal(copied, 0); /* it stays where it was copied */
}

/* Other kernels of a loop, that reach no neighbour, hand them on. */
static void kernels_in_turn(void **unused)
{
    uint32_t all = 0, more = 0;

    (void)unused;
    exchange("4");
    launches_of(1);
    for (int i = 0; i < 16; i++) {
        before = behind = i % 2 ? 0 : 1;
        launches_of(1);
        all += copied;
        more += margins;
    }
    assert_int_equal(all, 2);
    assert_int_equal(more, 2 * 2 * 4 * (3 + 2 + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(borders_are_copied_at_each_nth_launch, setup),
        cmocka_unit_test_setup(with_one_each_launch_copies, setup),
        cmocka_unit_test_setup(margins_are_as_deep_as_a_neighbour_at_most, setup),
        cmocka_unit_test_setup(a_kernel_that_reaches_further_takes_more, setup),
        cmocka_unit_test_setup(one_side_only_where_only_that_is_read, setup),
        cmocka_unit_test_setup(they_grow_while_they_are_used_up, setup),
        cmocka_unit_test_setup(dear_work_groups_are_not_run_twice, setup),
        cmocka_unit_test_setup(what_saves_nothing_is_left_out, setup),
        cmocka_unit_test_setup(part_of_what_was_planned, setup),
        cmocka_unit_test_setup(new_cuts_are_no_reason_for_less, setup),
        cmocka_unit_test_setup(launches_in_place_have_none, setup),
        cmocka_unit_test_setup(nor_have_launches_with_atomics, setup),
        cmocka_unit_test_setup(nor_have_launches_that_read_everything, setup),
        cmocka_unit_test_setup(nor_those_that_no_cut_launch_wrote_for, setup),
        cmocka_unit_test_setup(kernels_in_turn, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
