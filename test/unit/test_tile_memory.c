/* Blocks of a cut launch in several memories: the bytes of a block, a block that meets another tile, blocks
 * that fail. Copies and the kernel's model are played: the test says the bytes of each tile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/tiles/tile_memory.c"

enum { ARGS = 2, PARTS = 2, GROUPS = 10, BYTES = 4096, HOME = 0, AWAY = 1 };

struct cw_run_state_all cw_run;

/* ---- a launch with two buffers, the second of which is a part of the first one's in some cases */

static struct cw_cl_device device[PARTS];
static struct cw_run_context_device place[PARTS] = {{.device = &device[HOME]}, {.device = &device[AWAY]}};
static struct cw_run_context context = {.places = place};
static struct cw_run_queue queue = {.context = &context};
static struct cw_run_memory root[ARGS], sub;
static struct cw_run_region region[ARGS] = {{.root = &root[0]}, {.root = &root[1]}};
static struct cw_run_kernel kernel;
static struct cw_run_arg arg[ARGS];
static struct cw_run_access reached[ARGS + 1];
static struct cw_run_task whole, part[PARTS];
static struct cw_run_block block[PARTS];
static struct cw_run_tiles x;

/* ---- played */

static struct cw_hull exact(int64_t begin, int64_t end)
{
    return (struct cw_hull){.answer = CW_ANSWER_EXACT, .begin = begin, .end = end};
}

static struct cw_arg_hulls hulls[TILES][ARGS]; /* before the block, the block, behind it */
static int64_t asked[TILES + 1];
static int asked_n;
static bool no_memory, kept, lacks, wide; /* wide: work-groups reach their neighbours */
static cl_int fetched;
static struct {
    int fetch, over, failed, abandon, release, quarantine, beside, counts;
} calls;

/* Reads of which a case says no ranges are one. */
static void in_one_range(struct cw_arg_hulls *h, int n)
{
    for (int i = 0; i < n; i++)
        if (!h[i].ranges && h[i].reads.answer != CW_ANSWER_NONE) {
            h[i].range[0] = (struct cw_read_range){h[i].reads.begin, h[i].reads.end};
            h[i].ranges = 1;
        }
}

bool cw_run_cut_hulls(const struct cw_run_task *t, const struct cw_run_cut *cut, const int64_t *from, int n,
                      struct cw_arg_hulls *out)
{
    (void)t, (void)cut;
    asked_n = n;
    memcpy(asked, from, (size_t)(n + 1) * sizeof *from);
    for (int i = 0; wide && i < n; i++) {
        out[i * ARGS] = (struct cw_arg_hulls){.reads = exact(100 * from[i] - 4, 100 * from[i + 1] + 4)};
        out[i * ARGS + 1] = (struct cw_arg_hulls){.writes = exact(100 * from[i] + 8, 100 * from[i + 1])};
        out[i * ARGS + 1].writes.sure = 100 * from[i] + 8;
        out[i * ARGS + 1].writes.sure_end = 100 * from[i + 1] - 20;
    }
    for (int i = 0; !wide && i < n; i++)
        memcpy(&out[i * ARGS], hulls[i + (from[0] ? 1 : 0)], sizeof hulls[0]);
    in_one_range(out, n * ARGS);
    return wide || !no_memory;
}

bool cw_run_tile_merge_make(struct cw_run_tiles *tiles)
{
    return !tiles->merges;
}

bool cw_run_tile_merge_is(const struct cw_run_tiles *tiles, uint32_t argument)
{
    return tiles->merges && argument == ARGS;
}

bool cw_run_tile_merge_begin(struct cw_run_task *t)
{
    return !t->launch.part.of->merges;
}

bool cw_run_spread_lacks(const struct cw_run_task *t)
{
    (void)t;
    return lacks;
}

cl_int cw_run_spread_gather(struct cw_run_task *t)
{
    (void)t;
    assert_int_equal(x.fetching, lacks);
    calls.fetch++;
    return fetched;
}

/* Another part has its bytes. */
void cw_run_spread_wait(void)
{
    x.fetching = 0;
}

void cw_run_spread_cover(struct cw_run_task *t)
{
    assert_true(t->accesses.n);
    assert_int_equal(x.fetching, 0);
}

bool cw_run_cutter_any_local(struct cw_run_kernel *k)
{
    (void)k;
    fail(); /* there is one dimension */
    return false;
}

bool cw_run_tile_program_by_offset(const struct cw_run_context_device *p)
{
    (void)p;
    return false;
}

void cw_run_spread_beside_add(struct cw_run_beside **list, const struct cw_run_task *p)
{
    assert_ptr_equal(list, &x.beside);
    assert_true(p->accesses.n);
    calls.beside++;
}

void cw_run_spread_beside_end(struct cw_run_beside *list, bool counts)
{
    assert_ptr_equal(list, x.beside);
    calls.counts += counts;
}

void cw_run_global_lock_tell(void)
{
}

void cw_run_spread_over(struct cw_run_task *t)
{
    assert_true(t->accesses.n); /* they are forgotten later */
    calls.over++;
}

bool cw_run_spread_failed(struct cw_run_task *t)
{
    assert_true(t->accesses.n);
    calls.failed++;
    return kept;
}

void cw_run_spread_abandon(struct cw_run_task *t)
{
    (void)t;
    calls.abandon++;
}

void cw_run_spread_release(struct cw_run_task *t)
{
    (void)t;
    calls.release++;
}

bool cw_run_quarantine_is_due(cl_int status)
{
    return status == CL_OUT_OF_RESOURCES;
}

void cw_run_quarantine_begin(struct cw_run_worker *l, cl_int error, bool copy)
{
    assert_ptr_equal(l, &cw_run.workers[AWAY]);
    assert_int_equal(error, CL_OUT_OF_RESOURCES);
    assert_false(copy);
    calls.quarantine++;
}

static void reset(void)
{
    static const struct cw_hull none = {.answer = CW_ANSWER_NONE};

    free(x.access);
    free(x.hulls);
    memset(&calls, 0, sizeof calls);
    memset(cw_run.workers, 0, sizeof cw_run.workers[0] * PARTS);
    memset(part, 0, sizeof part);
    memset(block, 0, sizeof block);
    no_memory = kept = lacks = wide = false;
    fetched = CL_SUCCESS;
    for (uint32_t i = 0; i < ARGS; i++) {
        root[i] = (struct cw_run_memory){.region = &region[i], .bytes = BYTES};
        arg[i] = (struct cw_run_arg){.memory = &root[i]};
        reached[i] =
            (struct cw_run_access){.task = &whole, .region = &region[i], .high = BYTES, .write = i == 1};
        for (int k = 0; k < TILES; k++)
            hulls[k][i] = (struct cw_arg_hulls){.reads = none, .writes = none};
    }
    root[0].root = &root[0];
    root[1].root = &root[1];
    kernel = (struct cw_run_kernel){.count = ARGS};
    device[HOME].memory = 0;
    device[AWAY].memory = 1;
    whole = (struct cw_run_task){
        .queue = &queue, .work = CW_RUN_LAUNCH, .launch = {.kernel = &kernel, .args = arg}};
    whole.accesses.of = reached;
    whole.accesses.n = ARGS;
    whole.order.recorded = 7;
    for (uint32_t i = 0; i < PARTS; i++) {
        part[i].queue = &queue;
        part[i].work = CW_RUN_LAUNCH;
        part[i].at.place = part[i].at.worker = i;
        part[i].launch.part.of = &x;
    }
    x = (struct cw_run_tiles){.units = 1,
                              .fine.groups = GROUPS,
                              .whole = &whole,
                              .part = part,
                              .parts = PARTS,
                              .block = block,
                              .blocks = PARTS,
                              .cut.groups = GROUPS};
}

/* Each tile reads the first buffer and writes the second one, where no other does. */
static void disjoint(void)
{
    for (int k = 0; k < TILES; k++) {
        hulls[k][0].reads = exact(1000 * k, 1000 * k + 1000);
        hulls[k][1].writes = exact(1000 * k, 1000 * k + 1000);
    }
}

static struct cw_run_task *part_with(uint32_t i, size_t first, size_t groups)
{
    block[i] = (struct cw_run_block){.first = first, .groups = groups, .part = i, .taken = true};
    part[i].launch.part.block = i;
    return &part[i];
}

static bool fetches(struct cw_run_task *p, cl_int lost)
{
    cl_int said = 1;
    bool good = cw_run_tile_memory_fetch(p, &said);

    assert_int_equal(said, lost);
    assert_true(good || !p->accesses.n);
    return good;
}

static int setup(void **unused)
{
    (void)unused;
    reset();
    disjoint();
    assert_true(cw_run_tile_memory_make(&x));
    return 0;
}

/* ---- the cases */

static void parts_of_one_memory_copy_nothing(void **unused)
{
    (void)unused;
    reset();
    device[AWAY].memory = device[HOME].memory;
    assert_true(cw_run_tile_memory_make(&x));
    assert_false(x.several);
    assert_null(x.access);
    reset();
    assert_true(cw_run_tile_memory_make(&x));
    assert_true(x.several);
    cw_run_tile_memory_give_up(&x);
    assert_false(x.several);
    assert_int_equal(calls.release, 1);
    reset();
    kernel.tile_broken = 1; /* home cannot run what is left of others */
    assert_false(cw_run_tile_memory_make(&x));
}

static void tiles_are_the_whole_launch(void **unused)
{
    static const struct {
        size_t first, groups;
        int n;
        int64_t from[TILES + 1];
    } cases[] = {{3, 4, 3, {0, 3, 7, 10}},
                 {0, 4, 2, {0, 4, 10, 0}},
                 {6, 4, 2, {0, 6, 10, 0}},
                 {0, 10, 1, {0, 10, 0, 0}}};

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fetches(part_with(AWAY, cases[i].first, cases[i].groups), CL_SUCCESS);
        assert_int_equal(asked_n, cases[i].n);
        assert_memory_equal(asked, cases[i].from, (size_t)(cases[i].n + 1) * sizeof *asked);
    }
}

static void is_access(uint32_t i, uint32_t of, uint64_t low, uint64_t high, bool write)
{
    const struct cw_run_access *a = &part[AWAY].accesses.of[i];

    assert_ptr_equal(a->region, &region[of]);
    assert_ptr_equal(a->task, &part[AWAY]);
    assert_int_equal(a->low, low);
    assert_int_equal(a->high, high);
    assert_int_equal(a->write, write);
}

static void bytes_are_those_of_the_block(void **unused)
{
    const struct cw_run_access *a;

    (void)unused;
    hulls[1][1].writes.sure = 1200;
    hulls[1][1].writes.sure_end = 1900;
    assert_true(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    assert_int_equal(calls.fetch, 1);
    assert_int_equal(part[AWAY].accesses.n, 2);
    is_access(0, 0, 1000, 2000, false);
    is_access(1, 1, 1000, 2000, true);
    a = &part[AWAY].accesses.of[1];
    assert_int_equal(a->sure, 1200);
    assert_int_equal(a->sure_end, 1900);
}

/* Between the launch's ranges lie bytes that other commands use at the same time. */
static void bytes_stay_in_the_launchs_ranges(void **unused)
{
    (void)unused;
    hulls[1][1].writes.sure = 1000;
    hulls[1][1].writes.sure_end = 1600;
    reached[1].low = 1100, reached[1].high = 1300;
    reached[2] = (struct cw_run_access){
        .task = &whole, .region = &region[1], .low = 1700, .high = 4000, .write = true};
    whole.accesses.n = 3;
    free(x.access);
    free(x.hulls);
    assert_true(cw_run_tile_memory_make(&x));
    assert_true(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    assert_int_equal(part[AWAY].accesses.n, 3);
    is_access(1, 1, 1100, 1300, true);
    assert_int_equal(part[AWAY].accesses.of[1].sure, 1100);
    assert_int_equal(part[AWAY].accesses.of[1].sure_end, 1300);
    is_access(2, 1, 1700, 2000, true);
    assert_int_equal(part[AWAY].accesses.of[2].sure_end, 0);
}

/* The offset of a part of a buffer counts; what the model does not know is all of it. */
static void hulls_of_sub_buffers(void **unused)
{
    (void)unused;
    sub = (struct cw_run_memory){.region = &region[0], .root = &root[0], .offset = 2048, .bytes = 1024};
    arg[1].memory = &sub;
    reached[1] = (struct cw_run_access){.task = &whole, .region = &region[0], .high = BYTES, .write = true};
    hulls[0][1].writes = hulls[2][1].writes = (struct cw_hull){.answer = CW_ANSWER_NONE};
    hulls[1][1].writes = exact(0, 100);
    hulls[2][0].reads = exact(3000, 4000);
    assert_true(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    assert_ptr_equal(part[AWAY].accesses.of[part[AWAY].accesses.n - 1].region, &region[0]);
    assert_int_equal(part[AWAY].accesses.of[part[AWAY].accesses.n - 1].low, 2048);
    assert_int_equal(part[AWAY].accesses.of[part[AWAY].accesses.n - 1].high, 2148);
    hulls[1][1].writes.answer = CW_ANSWER_UNKNOWN;
    assert_true(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    assert_int_equal(part[AWAY].accesses.of[part[AWAY].accesses.n - 1].low, 2048);
    assert_int_equal(part[AWAY].accesses.of[part[AWAY].accesses.n - 1].high, 3072);
}

/* In place: a block reads its own bytes, and a row above that no block writes; between them others write. */
static void ranges_away_from_the_block(void **unused)
{
    (void)unused;
    arg[1].memory = &root[0];
    reached[0].write = true;
    for (int k = 0; k < TILES; k++) {
        hulls[k][0].writes = exact(1000 * k + 200, 1000 * k + 1000);
        hulls[k][1].writes = (struct cw_hull){.answer = CW_ANSWER_NONE};
    }
    hulls[1][0].reads = exact(0, 2000);
    assert_false(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    hulls[1][0].range[0] = (struct cw_read_range){0, 200};
    hulls[1][0].range[1] = (struct cw_read_range){1000, 2000};
    hulls[1][0].ranges = 2;
    assert_true(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    assert_int_equal(part[AWAY].accesses.n, 3);
    is_access(0, 0, 0, 200, false);
    is_access(1, 0, 1000, 2000, false);
    is_access(2, 0, 1200, 2000, true);
    hulls[1][0].range[0].end++;
    assert_false(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
}

/* Another tile writes what the block reads or writes: by one byte, by another argument, in either tile. */
static void one_that_meets_another_tile_is_refused(void **unused)
{
    (void)unused;
    hulls[0][1].writes = exact(0, 1001);
    assert_false(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    hulls[0][1].writes = exact(0, 1000);
    assert_true(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    hulls[2][0].writes = exact(1999, 3000);
    assert_false(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    hulls[2][0].writes = (struct cw_hull){.answer = CW_ANSWER_UNKNOWN};
    assert_false(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    hulls[2][0].writes = (struct cw_hull){.answer = CW_ANSWER_NONE};
    sub = (struct cw_run_memory){.region = &region[0], .root = &root[0], .offset = 0, .bytes = BYTES};
    arg[1].memory = &sub; /* tiles read what others write */
    assert_true(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    hulls[0][1].writes = exact(1500, 1501);
    assert_false(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    assert_int_equal(calls.fetch, 2);
    x.inherits = true; /* nothing runs beside it */
    assert_true(fetches(part_with(HOME, 3, 4), CL_SUCCESS));
}

static void bytes_that_cannot_be_there(void **unused)
{
    (void)unused;
    fetched = CL_OUT_OF_RESOURCES;
    assert_false(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    assert_false(fetches(part_with(HOME, 3, 4), CL_OUT_OF_RESOURCES));
    assert_int_equal(calls.abandon, 2);
    fetched = CL_SUCCESS;
    no_memory = true;
    assert_false(fetches(part_with(HOME, 3, 4), CL_SUCCESS)); /* others may have more luck */
    x.inherits = true;
    assert_false(fetches(part_with(HOME, 3, 4), CL_OUT_OF_HOST_MEMORY));
    x.inherits = no_memory = false;
    cw_run.workers[AWAY].quarantine.error = CL_OUT_OF_RESOURCES;
    assert_false(fetches(part_with(AWAY, 3, 4), CL_SUCCESS));
    assert_int_equal(calls.fetch, 2);
}

/* It has begun, where `begun`, and ends with `status`. True: it must not run again. */
static bool ends(uint32_t worker, bool begun, cl_int status)
{
    struct cw_run_task *p = part_with(worker, 3, 4);
    bool over;

    assert_true(fetches(p, CL_SUCCESS));
    memset(&calls, 0, sizeof calls);
    p->launch.begun = begun;
    p->launch.vendor = status;
    over = cw_run_tile_memory_over(p, status);
    assert_int_equal(p->accesses.n, 0);
    assert_int_equal(calls.abandon, 1);
    return over;
}

static void a_block_that_has_run_is_noted(void **unused)
{
    (void)unused;
    assert_true(ends(AWAY, true, CL_COMPLETE));
    assert_int_equal(calls.over, 1);
    assert_true(ends(HOME, true, CL_COMPLETE));
    assert_int_equal(calls.over, 1);
    assert_int_equal(calls.failed, 0);
}

static void a_failed_block_runs_again_where_its_bytes_are_kept(void **unused)
{
    (void)unused;
    assert_false(ends(AWAY, false, CL_INVALID_WORK_GROUP_SIZE)); /* it has written nothing */
    assert_int_equal(calls.failed + calls.over + calls.quarantine, 0);
    kept = true;
    assert_false(ends(AWAY, true, CL_OUT_OF_RESOURCES));
    assert_int_equal(calls.failed, 1);
    assert_int_equal(calls.over, 0); /* nothing that it has written is valid */
    assert_int_equal(calls.quarantine, 1);
    kept = false;
    assert_true(ends(AWAY, true, CL_OUT_OF_RESOURCES));
    assert_int_equal(calls.failed, 1);
    assert_int_equal(calls.over, 0);
}

static void one_that_fails_at_home_may_have_written(void **unused)
{
    (void)unused;
    kept = true;
    assert_true(ends(HOME, true, CL_OUT_OF_RESOURCES));
    assert_int_equal(calls.over, 1);
    assert_int_equal(calls.failed + calls.quarantine, 0);
}

/* Before and behind the block; all bytes between what they surely write and the block have to be there. */
static void margins_are_written_beside(void **unused)
{
    const struct cw_run_access *a = part[AWAY].accesses.of;

    (void)unused;
    wide = true;
    block[AWAY].margin[0] = block[AWAY].margin[1] = 0;
    part_with(AWAY, 4, 3);
    block[AWAY].margin[0] = 2;
    block[AWAY].margin[1] = 1;
    assert_true(fetches(&part[AWAY], CL_SUCCESS));
    assert_int_equal(part[AWAY].accesses.n, 4);
    is_access(0, 0, 196, 804, false);
    is_access(1, 1, 408, 700, true);
    is_access(2, 1, 208, 408, true);
    is_access(3, 1, 700, 800, true);
    assert_true(!a[1].beside && a[2].beside && a[3].beside && a[1].twice);
    assert_int_equal(a[2].sure, 208);
    assert_int_equal(a[2].sure_end, 408);
    assert_int_equal(a[3].sure, 700);
    assert_int_equal(a[3].sure_end, 780);
    memset(&calls, 0, sizeof calls);
    assert_true(cw_run_tile_memory_over(&part[AWAY], CL_COMPLETE));
    assert_int_equal(calls.beside, 1);
    x.series.cut = true;
    cw_run_tile_memory_end(&x, CL_COMPLETE);
    assert_int_equal(calls.counts, 1);
    assert_true(region[1].series.cut && !region[0].series.cut);
}

/* Bytes that are known from the look at margins are not sought again. */
static void a_part_that_lacks_bytes_waits_for_others_that_copy(void **unused)
{
    (void)unused;
    part_with(AWAY, 3, 4);
    assert_false(cw_run_tile_memory_lacks(&x, &block[AWAY]));
    assert_int_equal(part[AWAY].accesses.n, 0);
    asked_n = 0;
    assert_true(fetches(&part[AWAY], CL_SUCCESS));
    assert_int_equal(asked_n, 0);
    assert_int_equal(part[AWAY].accesses.n, 2);
    assert_false(x.fetches);
    lacks = true;
    assert_true(cw_run_tile_memory_lacks(&x, &block[AWAY]));
    assert_true(fetches(&part[AWAY], CL_SUCCESS));
    assert_true(x.fetches);
}

/* It may copy the same bytes to them. Blocks that have been taken, or are free for any part, do not count. */
static void a_part_that_lacks_bytes_knows_those_of_others(void **unused)
{
    const struct cw_run_task *other = &part[HOME];

    (void)unused;
    x.blocks = PARTS;
    part_with(HOME, 0, 3);
    block[HOME].taken = false;
    part_with(AWAY, 3, 4);
    lacks = true;
    assert_true(fetches(&part[AWAY], CL_SUCCESS));
    assert_int_equal(other->accesses.n, 0);
    assert_int_equal(other->launch.part.known, 2);
    part[HOME].launch.part.known = 0;
    block[HOME].taken = true;
    assert_true(fetches(&part[AWAY], CL_SUCCESS));
    assert_int_equal(other->launch.part.known, 0);
    block[HOME].taken = false;
    block[HOME].part = CW_RUN_ANYBODY;
    assert_true(fetches(&part[AWAY], CL_SUCCESS));
    assert_int_equal(other->launch.part.known, 0);
    x.blocks = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_one_memory_copy_nothing),
        cmocka_unit_test_setup(tiles_are_the_whole_launch, setup),
        cmocka_unit_test_setup(bytes_are_those_of_the_block, setup),
        cmocka_unit_test_setup(bytes_stay_in_the_launchs_ranges, setup),
        cmocka_unit_test_setup(hulls_of_sub_buffers, setup),
        cmocka_unit_test_setup(ranges_away_from_the_block, setup),
        cmocka_unit_test_setup(one_that_meets_another_tile_is_refused, setup),
        cmocka_unit_test_setup(bytes_that_cannot_be_there, setup),
        cmocka_unit_test_setup(a_block_that_has_run_is_noted, setup),
        cmocka_unit_test_setup(a_failed_block_runs_again_where_its_bytes_are_kept, setup),
        cmocka_unit_test_setup(one_that_fails_at_home_may_have_written, setup),
        cmocka_unit_test_setup(margins_are_written_beside, setup),
        cmocka_unit_test_setup(a_part_that_lacks_bytes_waits_for_others_that_copy, setup),
        cmocka_unit_test_setup(a_part_that_lacks_bytes_knows_those_of_others, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
