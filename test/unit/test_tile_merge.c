/* test_tile_merge.c - results of blocks in several memories, put together: for every kind of merge the bytes
 * are those that all operations, one after the other in one memory, would have made. Blocks that fail change
 * nothing; bytes beside those that the launch writes stay as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/core/instruction.c"
#include "../../shim/run/tiles/tile_merge.c"

enum { BYTES = 512, PARTS = 3, OPERATIONS = 100 };

struct cw_run_state_all cw_run;
struct cw_dispatch cw_next;

/* ---- played: a memory object is an array of bytes */

static bool refuses, saves; /* reads; reads from a device that has failed */
static int objects, left_out;
static char queue[1];
static char printed[256]; /* the latest instructions */

static void print(const char *what, size_t offset, size_t bytes)
{
    size_t at = strlen(printed);

    snprintf(printed + at, sizeof printed - at, "%s [%zu, %zu)\n", what, offset, offset + bytes);
}

static cl_mem create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *err)
{
    (void)context, (void)flags, (void)host;
    *err = CL_SUCCESS;
    objects++;
    return calloc(1, bytes);
}

static cl_int release(cl_mem memory)
{
    objects--;
    free(memory);
    return CL_SUCCESS;
}

static cl_int write_buffer(cl_command_queue q, cl_mem to, cl_bool blocking, size_t offset, size_t bytes,
                           const void *from, cl_uint n, const cl_event *list, cl_event *event)
{
    (void)q, (void)n, (void)list, (void)event;
    assert_true(blocking);
    print("give", offset, bytes);
    memcpy((uint8_t *)to + offset, from, bytes);
    return CL_SUCCESS;
}

static cl_int read_buffer(cl_command_queue q, cl_mem from, cl_bool blocking, size_t offset, size_t bytes,
                          void *to, cl_uint n, const cl_event *list, cl_event *event)
{
    (void)q, (void)n, (void)list, (void)event;
    assert_true(blocking);
    print("merge", offset, bytes);
    memcpy(to, (uint8_t *)from + offset, bytes);
    return refuses ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

cl_command_queue cw_run_context_device_queue(struct cw_run_context *c, struct cw_run_context_device *p)
{
    (void)c;
    return p->queue;
}

bool cw_run_context_device_turn_take(const struct cw_run_context_device *p)
{
    return p;
}

void cw_run_context_device_turn_give(const struct cw_run_context_device *p)
{
    assert_non_null(p);
}

bool cw_run_spread_come_to_host(const struct cw_run_task *t, struct cw_run_region *r, uint64_t low,
                                uint64_t high)
{
    (void)t, (void)r;
    return low < high;
}

bool cw_run_context_device_has_failed(const struct cw_run_worker *l)
{
    return l;
}

cl_int cw_run_quarantine_read(const struct cw_run_instruction *fetch)
{
    if (!saves)
        return CL_OUT_OF_RESOURCES;
    memcpy(fetch->host, (uint8_t *)fetch->memory + fetch->low, fetch->bytes);
    return CL_SUCCESS;
}

enum cw_run_fault cw_run_fault_planted;

cl_int cw_run_fault_copy(const struct cw_run_worker *l, bool home)
{
    (void)l, (void)home;
    return CL_SUCCESS;
}

void cw_run_fault_mute(const struct cw_run_worker *l)
{
    assert_null(l);
}

/* The Nth instruction is left out. */
bool cw_run_fault_omits(enum cw_run_fault kind)
{
    assert_true(kind == CW_RUN_FAULT_UNFETCHED || kind == CW_RUN_FAULT_UNMERGED);
    return !left_out--;
}

void cw_run_global_lock_take(void)
{
}
void cw_run_global_lock_give(void)
{
}
void cw_run_global_lock_tell(void)
{
}
uint64_t cw_run_global_lock_now_ns(void)
{
    return 0;
}
void cw_run_spread_wait(void)
{
    fail_msg("nothing is to be waited for");
}
void cw_run_global_lock_release_later(enum cw_run_garbage what, void *handle)
{
    assert_int_equal(what, CW_RUN_DROP_MEMORY);
    if (handle)
        release(handle);
}
void cw_run_recount_begins(void)
{
}
void cw_run_recount_ends(void)
{
}

/* ---- a launch that writes bytes 64 .. 447 of its one buffer */

static uint8_t host[BYTES], reference[BYTES];
static struct cw_cl_device device[2] = {{.home = true}, {.home = false}};
static struct cw_run_context_device place[PARTS] = {{.device = &device[0], .queue = (cl_command_queue)queue},
                                                    {.device = &device[1], .queue = (cl_command_queue)queue},
                                                    {.device = &device[1], .queue = (cl_command_queue)queue}};
static struct cw_run_context context = {.places = place};
static struct cw_run_queue q = {.context = &context};
static struct cw_run_memory memory = {.address = host, .bytes = BYTES, .own = true, .root = &memory};
static struct cw_run_region region = {.root = &memory};
static struct cw_run_kernel kernel = {.count = 1};
static struct cw_run_arg arg = {.memory = &memory};
static struct cw_run_access access_of = {.region = &region, .low = 64, .high = 448, .write = true};
static struct cw_run_task whole, part[PARTS];
static struct cw_run_tiles x;

static void make(enum cw_merge how, int bytes)
{
    memory.region = &region;
    whole = (struct cw_run_task){.queue = &q,
                                 .work = CW_RUN_LAUNCH,
                                 .launch = {.kernel = &kernel, .args = &arg},
                                 .accesses = {.of = &access_of, .n = 1}};
    x = (struct cw_run_tiles){.whole = &whole, .parts = PARTS, .part = part};
    x.cut.verdict = (struct cw_cut_verdict){.cut = CW_CUT_MERGE, .merges = 1, .merge = {{0, bytes, how}}};
    for (int i = 0; i < PARTS; i++) {
        part[i] = (struct cw_run_task){
            .queue = &q, .work = CW_RUN_LAUNCH, .at.place = (uint32_t)i, .launch = whole.launch};
        part[i].launch.part.of = &x;
    }
    for (int i = 0; i < BYTES; i++)
        reference[i] = host[i] = (uint8_t)rand();
    assert_true(cw_run_tile_merge_may(&whole.launch, &x.cut.verdict));
    assert_true(cw_run_tile_merge_make(&x));
    assert_true(cw_run_tile_merge_is(&x, 0) && !cw_run_tile_merge_is(&x, 1));
}

static int64_t apply(enum cw_merge how, int64_t a, int64_t b)
{
    switch (how) {
    case CW_MERGE_ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case CW_MERGE_AND:
        return a & b;
    case CW_MERGE_OR:
        return a | b;
    case CW_MERGE_XOR:
        return a ^ b;
    case CW_MERGE_SMIN:
        return a < b ? a : b;
    case CW_MERGE_SMAX:
        return a > b ? a : b;
    case CW_MERGE_UMIN:
        return (uint64_t)a < (uint64_t)b ? a : b;
    case CW_MERGE_UMAX:
        return (uint64_t)a > (uint64_t)b ? a : b;
    default:
        return b;
    }
}

/* One operation of a work-item on element `i` of `bytes`. */
static void operate(enum cw_merge how, int bytes, uint8_t *at, int64_t value)
{
    bool is_signed = how == CW_MERGE_SMIN || how == CW_MERGE_SMAX;
    uint32_t word = 0;
    int64_t a = 0;

    memcpy(&a, at, bytes == 8 ? 8 : 0);
    memcpy(&word, at, bytes == 4 ? 4 : 0);
    if (bytes == 4)
        a = is_signed ? (int32_t)word : (int64_t)word;
    if (bytes == 4)
        value = is_signed ? (int32_t)value : (int64_t)(uint32_t)value;
    a = apply(how, a, value);
    word = (uint32_t)a;
    memcpy(at, &a, bytes == 8 ? 8 : 0);
    memcpy(at, &word, bytes == 4 ? 4 : 0);
    if (bytes == 1)
        *at = (uint8_t)value;
}

static uint8_t *own_bytes(uint32_t i)
{
    return (uint8_t *)own_of(&part[i], 0)->memory;
}

static int64_t any_number(void)
{
    return (int64_t)((uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand());
}

enum way { WELL, FAILS, FAILS_AND_SAVES };

/* Each part runs two blocks. The device of part 1 fails behind the first block: nothing comes back, or all
 * does at the second try. */
static void run(enum cw_merge how, int bytes, enum way way)
{
    struct cw_run_task copy;

    make(how, bytes);
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; i < PARTS; i++) {
            bool failed = way != WELL && i == 1 && turn == 0, lost = failed && way == FAILS;

            assert_true(cw_run_tile_merge_begin(&part[i]));
            for (int k = 0; k < OPERATIONS; k++) {
                int at = (64 + rand() % 384) / bytes * bytes;
                int64_t value = how == CW_MERGE_DIFF ? at ^ 0x5a : any_number();

                operate(how, bytes, own_bytes(i) + at, value);
                if (!lost)
                    operate(how, bytes, reference + at, value);
            }
            refuses = failed, saves = failed && !lost;
            copy = part[i]; /* as a worker runs it */
            assert_int_equal(cw_run_tile_merge_collect(&copy), lost ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
            refuses = saves = false;
        }
    assert_memory_equal(host, reference, BYTES);
    cw_run_tile_merge_free(&x);
    assert_true(objects == 0 && context.own_objects == 0 && !x.merges);
}

static void test_kinds(void **state)
{
    (void)state;
    for (int how = CW_MERGE_ADD; how <= CW_MERGE_UMAX; how++)
        for (int bytes = 4; bytes <= 8; bytes += 4)
            for (int way = WELL; way <= FAILS_AND_SAVES; way++)
                run((enum cw_merge)how, bytes, (enum way)way);
    for (int way = WELL; way <= FAILS_AND_SAVES; way++)
        run(CW_MERGE_DIFF, 1, (enum way)way);
}

/* A part that goes on at home gets other memory there. */
static void test_goes_home(void **state)
{
    (void)state;
    make(CW_MERGE_ADD, 4);
    assert_true(cw_run_tile_merge_begin(&part[2]));
    part[0].at.place = 2; /* there is none at home */
    part[2].at.place = 0;
    assert_true(cw_run_tile_merge_begin(&part[2]));
    assert_int_equal(objects, 1);
    assert_int_equal(context.own_objects, 1);
    assert_int_equal(cw_run_tile_merge_collect(&part[2]), CL_SUCCESS);
    assert_memory_equal(host, reference, BYTES);
    cw_run_tile_merge_free(&x);
    assert_true(objects == 0 && context.own_objects == 0);
}

static void test_refused(void **state)
{
    static struct cw_run_arg both[2];
    struct cw_cut_verdict v = {.cut = CW_CUT_MERGE, .merges = 1, .merge = {{0, 2, CW_MERGE_ADD}}};

    (void)state;
    make(CW_MERGE_ADD, 4);
    cw_run_tile_merge_free(&x);
    assert_false(cw_run_tile_merge_may(&whole.launch, &v)); /* no such elements */
    v.merge[0].bytes = 4;
    assert_true(cw_run_tile_merge_may(&whole.launch, &v));
    memory.bytes = CW_RUN_MERGE_BYTES + 4;
    assert_false(cw_run_tile_merge_may(&whole.launch, &v));
    memory.bytes = BYTES;
    both[0] = both[1] = arg;
    kernel.count = 2;
    whole.launch.args = both; /* another argument is the same buffer */
    assert_false(cw_run_tile_merge_may(&whole.launch, &v));
    kernel.count = 1;
    access_of.low++, access_of.high--; /* amid elements: they belong to the launch as a whole */
    x.cut.verdict = v;
    whole.launch.args = &arg;
    assert_true(cw_run_tile_merge_make(&x));
    assert_true(x.merges->of[0].low == 64 && x.merges->of[0].high == 448);
    access_of.low--, access_of.high++;
    cw_run_tile_merge_free(&x);
}

static void test_list(void **state)
{
    (void)state;
    make(CW_MERGE_ADD, 4);
    printed[0] = 0;
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(cw_run_tile_merge_begin(&part[i]));
        assert_int_equal(cw_run_tile_merge_collect(&part[i]), CL_SUCCESS);
    }
    assert_string_equal(printed, "give [64, 448)\nmerge [64, 448)\ngive [64, 448)\nmerge [64, 448)\n");
    cw_run_tile_merge_free(&x);
}

/* Whichever instruction of two blocks is left out, the bytes are others. */
static void test_left_out(void **state)
{
    (void)state;
    for (int n = 0; n < 5; n++) {
        make(CW_MERGE_ADD, 4);
        cw_run_fault_planted = CW_RUN_FAULT_OMIT;
        left_out = n;
        for (uint32_t i = 0; i < 2; i++) {
            assert_true(cw_run_tile_merge_begin(&part[i]));
            for (int at = 64; at < 448; at += 4) {
                operate(CW_MERGE_ADD, 4, own_bytes(i) + at, at);
                operate(CW_MERGE_ADD, 4, reference + at, at);
            }
            assert_int_equal(cw_run_tile_merge_collect(&part[i]), CL_SUCCESS);
        }
        cw_run_fault_planted = CW_RUN_FAULT_NONE;
        assert_int_equal(!memcmp(host, reference, BYTES), n == 4); /* there are four */
        cw_run_tile_merge_free(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_goes_home), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_list),  cmocka_unit_test(test_left_out),
    };

    cw_next.clCreateBuffer = create_buffer;
    cw_next.clReleaseMemObject = release;
    cw_next.clEnqueueWriteBuffer = write_buffer;
    cw_next.clEnqueueReadBuffer = read_buffer;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
