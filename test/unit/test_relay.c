/* Copies between devices: each byte comes where it shall; copies of the same bytes read them once; an end
 * that fails spoils its own copy alone, and one that cannot be read all of its copies; an instruction that is
 * left out is missed. The vendor is played: commands are done when they are waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/core/instruction.c"
#include "../../shim/run/memory/relay.c"

enum { DEVICES = 4, BYTES = (12 << 20) + 100, LOW = 64 };

static unsigned char *memory[DEVICES];
static struct cw_cl_device device[DEVICES];
static struct cw_run_context_device place[DEVICES];
static uint64_t bytes_read, bytes_written;
static int events, spaces, refuses, loses, refuses_after; /* -1: no device */
static int left_out;
struct cw_dispatch cw_next;

/* ---- played */

struct command {
    unsigned char *to;
    const unsigned char *from;
    size_t bytes;
    cl_int err;
};

static cl_event begun(unsigned char *to, const unsigned char *from, size_t bytes, cl_int err)
{
    struct command *c = malloc(sizeof *c);

    assert_non_null(c);
    *c = (struct command){to, from, bytes, err};
    events++;
    return (cl_event)c;
}

static int number(cl_command_queue queue)
{
    int i = 0;

    while (place[i].copies != queue)
        i++;
    return i;
}

static cl_int read_buffer(cl_command_queue queue, cl_mem from, cl_bool blocking, size_t offset, size_t bytes,
                          void *to, cl_uint n, const cl_event *list, cl_event *event)
{
    int i = number(queue);

    (void)blocking, (void)n, (void)list;
    bytes_read += bytes;
    *event = begun(to, (unsigned char *)from + offset, bytes, i == loses ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
    return CL_SUCCESS;
}

static cl_int write_buffer(cl_command_queue queue, cl_mem to, cl_bool blocking, size_t offset, size_t bytes,
                           const void *from, cl_uint n, const cl_event *list, cl_event *event)
{
    int i = number(queue);

    (void)blocking, (void)n, (void)list;
    if (i == refuses)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    bytes_written += bytes;
    *event = begun((unsigned char *)to + offset, from, bytes,
                   i == refuses_after && offset > LOW ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
    return CL_SUCCESS;
}

static cl_int wait_for(cl_uint n, const cl_event *list)
{
    struct command *c = (struct command *)*list;

    assert_int_equal(n, 1);
    if (c->err == CL_SUCCESS)
        memcpy(c->to, c->from, c->bytes);
    return c->err;
}

static cl_int release(cl_event event)
{
    free(event);
    events--;
    return CL_SUCCESS;
}

static cl_int flush(cl_command_queue queue)
{
    (void)queue;
    return CL_SUCCESS;
}

static cl_mem no_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *err)
{
    (void)context, (void)flags, (void)bytes, (void)host;
    spaces++;
    *err = CL_OUT_OF_RESOURCES;
    return NULL;
}

enum cw_run_fault cw_run_fault_planted;

cl_int cw_run_fault_copy(const struct cw_run_worker *l, bool home)
{
    (void)l, (void)home;
    return CL_SUCCESS;
}

/* The Nth instruction is left out. */
bool cw_run_fault_omits(enum cw_run_fault kind)
{
    assert_int_equal(kind, CW_RUN_FAULT_UNFETCHED);
    return !left_out--;
}

/* Copies between devices take no turns. */
bool cw_run_context_device_turn_take(const struct cw_run_context_device *p)
{
    return !p;
}

void cw_run_context_device_turn_give(const struct cw_run_context_device *p)
{
    assert_null(p);
}

bool cw_run_context_device_has_failed(const struct cw_run_worker *l)
{
    return l;
}

void cw_run_fault_mute(const struct cw_run_worker *l)
{
    assert_null(l);
}

uint64_t cw_run_global_lock_now_ns(void)
{
    static uint64_t now;

    return ++now;
}

/* ---- the cases */

static int setup(void **unused)
{
    (void)unused;
    cw_next.clEnqueueReadBuffer = read_buffer;
    cw_next.clEnqueueWriteBuffer = write_buffer;
    cw_next.clWaitForEvents = wait_for;
    cw_next.clReleaseEvent = release;
    cw_next.clFlush = flush;
    cw_next.clCreateBuffer = no_buffer;
    for (int i = 0; i < DEVICES; i++) {
        device[i].home = i == 0;
        place[i].device = &device[i];
        place[i].copies = (cl_command_queue)&place[i];
        memory[i] = memory[i] ? memory[i] : malloc(BYTES + LOW);
        assert_non_null(memory[i]);
        for (size_t k = 0; k < BYTES + LOW; k++)
            memory[i][k] = (unsigned char)(k * 31 + k / 4096 * 7 + 50 * (size_t)i);
    }
    bytes_read = bytes_written = 0;
    refuses = loses = refuses_after = -1;
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    for (int i = 0; i < DEVICES; i++) {
        free(memory[i]);
        memory[i] = NULL;
    }
    while (idle) {
        struct relay *r = idle;

        idle = r->next;
        free(r->bytes);
        free(r);
    }
    return 0;
}

static struct cw_run_relay_copy from_to(int from, int to)
{
    return (struct cw_run_relay_copy){.from = {&place[from], (cl_mem)memory[from]},
                                      .to = {&place[to], (cl_mem)memory[to]},
                                      .low = LOW,
                                      .bytes = BYTES};
}

static bool is_copied(int from, int to)
{
    return !memcmp(memory[from] + LOW, memory[to] + LOW, BYTES);
}

static void copies_of_the_same_bytes_read_them_once(void **unused)
{
    struct cw_run_relay_copy c[3] = {from_to(0, 1), from_to(0, 2), from_to(0, 3)};

    (void)unused;
    spaces = 0;
    cw_run_relay_copies(c, 3);
    assert_int_equal(events, 0);
    assert_int_equal(bytes_read, BYTES);
    assert_int_equal(bytes_written, 3 * BYTES);
    assert_int_equal(spaces, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(c[i].err, CL_SUCCESS);
        assert_null(c[i].failed);
        assert_true(is_copied(0, i + 1));
    }
}

static void others_are_made_beside_them(void **unused)
{
    struct cw_run_relay_copy c[3] = {from_to(0, 1), from_to(0, 2), from_to(3, 0)};

    (void)unused;
    c[2].low = 0, c[2].bytes = LOW; /* nothing that the others read */
    cw_run_relay_copies(c, 3);
    assert_int_equal(bytes_read, BYTES + LOW);
    assert_true(is_copied(0, 1) && is_copied(0, 2));
    assert_memory_equal(memory[0], memory[3], LOW);
    setup(NULL);
    c[1].low++, c[1].bytes--;
    cw_run_relay_copies(c, 2);
    assert_int_equal(bytes_read, 2 * BYTES - 1);
}

static void an_end_that_fails_spoils_its_own_copy(void **unused)
{
    struct cw_run_relay_copy c[3] = {from_to(0, 1), from_to(0, 2), from_to(0, 3)};

    (void)unused;
    refuses = 1;
    refuses_after = 3;
    cw_run_relay_copies(c, 3);
    assert_int_equal(events, 0);
    assert_int_equal(c[0].err, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    assert_ptr_equal(c[0].failed, &c[0].to);
    assert_int_equal(c[1].err, CL_SUCCESS);
    assert_true(is_copied(0, 2));
    assert_int_equal(c[2].err, CL_OUT_OF_RESOURCES);
    assert_ptr_equal(c[2].failed, &c[2].to);
    refuses = 2;
    cw_run_relay_copies(&c[1], 2);
    assert_int_equal(events, 0);
    assert_ptr_equal(c[1].failed, &c[1].to);
    assert_ptr_equal(c[2].failed, &c[2].to);
}

static void one_that_cannot_be_read_spoils_all(void **unused)
{
    struct cw_run_relay_copy c[3] = {from_to(0, 1), from_to(0, 2), from_to(1, 3)};

    (void)unused;
    loses = 0;
    c[2].low = 0, c[2].bytes = LOW;
    cw_run_relay_copies(c, 3);
    assert_int_equal(events, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(c[i].err, CL_OUT_OF_RESOURCES);
        assert_ptr_equal(c[i].failed, &c[i].from);
    }
    assert_int_equal(c[2].err, CL_SUCCESS);
}

static void one_that_is_left_out_is_missed(void **unused)
{
    (void)unused;
    for (int i = 0; i < 8; i++) {
        struct cw_run_relay_copy c = from_to(0, 1);

        memset(idle->bytes, 0, (size_t)AT_ONCE * PIECE);
        cw_run_fault_planted = CW_RUN_FAULT_OMIT;
        left_out = i;
        cw_run_relay_copies(&c, 1);
        cw_run_fault_planted = CW_RUN_FAULT_NONE;
        assert_int_equal(c.err, CL_SUCCESS);
        assert_true(left_out < 0);
        assert_false(is_copied(0, 1));
        memset(memory[1], 0, LOW + BYTES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(copies_of_the_same_bytes_read_them_once, setup),
                                       cmocka_unit_test_setup(others_are_made_beside_them, setup),
                                       cmocka_unit_test_setup(an_end_that_fails_spoils_its_own_copy, setup),
                                       cmocka_unit_test_setup(one_that_cannot_be_read_spoils_all, setup),
                                       cmocka_unit_test_setup(one_that_is_left_out_is_missed, setup)};

    return cmocka_run_group_tests(tests, NULL, teardown);
}
