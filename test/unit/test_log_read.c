/* test_log_read.c - the log reader against logs made by hand: order, deltas, renumbering, user events, and
 * damage. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../analyzer/record/log_format.h"
#include "../../analyzer/record/log_read.h"
#include "../../analyzer/io/folders.h"

#define FILE_BYTES (3 * CW_LOG_CHUNK_BYTES)

/* A log in memory: header, two chunks. */
static union {
    uint8_t bytes[FILE_BYTES];
    struct cw_log_header header;
} image;
static char path[PATH_MAX];

/* The record in the making, and where the next goes. */
static uint8_t record[512], *at;
static struct cw_log_chunk *chunk;
static uint64_t seq_base, time_base;

static void u(uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *at++ = (uint8_t)(v | 0x80);
    *at++ = (uint8_t)v;
}

static void s(int64_t v)
{
    u(cw_log_zigzag(v));
}

static void text(const char *t)
{
    u(strlen(t));
    memcpy(at, t, strlen(t));
    at += strlen(t);
}

static void begin(enum cw_log_kind kind, uint64_t seq)
{
    at = record;
    *at++ = (uint8_t)kind;
    if (kind == CW_LOG_THREAD)
        return;
    s((int64_t)(seq - seq_base));
    seq_base = seq;
}

static void end(void)
{
    uint8_t *to = (uint8_t *)(chunk + 1) + chunk->committed, *body = to;
    size_t n = (size_t)(at - record);

    assert_true(n < 16384);
    if (n >= 128)
        *body++ = (uint8_t)(n | 0x80);
    *body++ = (uint8_t)(n >= 128 ? n >> 7 : n);
    memcpy(body, record, n);
    chunk->committed += (uint64_t)(body - to) + n;
}

static void begin_chunk(unsigned index)
{
    chunk = (struct cw_log_chunk *)(image.bytes + index * CW_LOG_CHUNK_BYTES);
    chunk->magic = CW_LOG_CHUNK_MAGIC;
    chunk->units = 1;
}

static void segment(unsigned thread, unsigned number, uint64_t seq, uint64_t time)
{
    begin(CW_LOG_THREAD, 0);
    u(thread);
    u(number);
    u(seq);
    u(time);
    end();
    seq_base = seq;
    time_base = time;
}

/* Call and enqueue heads; flags announce what the caller appends after the queue. */
static void head(enum cw_log_kind kind, uint64_t seq, uint64_t begin_ns, uint64_t end_ns, uint64_t flags,
                 int queue)
{
    begin(kind, seq);
    s((int64_t)(begin_ns - time_base));
    u(end_ns - begin_ns);
    time_base = end_ns;
    u(flags);
    u((uint64_t)(queue + 1));
}

static void kernel_full(uint64_t seq, uint64_t ns, int argument)
{
    head(CW_LOG_KERNEL_COMMAND, seq, ns, ns + 5, 0, 7);
    u(4 + 1);
    u(CW_LOG_K_FULL | CW_LOG_K_LOCAL_NULL);
    u(2), u(64), u(32);
    u(2);
    u(0), u(CW_ARG_MEMORY), u(3 + 1);
    u(1), u(CW_ARG_VALUE | 4 << 4);
    memcpy(at, &argument, 4);
    at += 4;
    end();
}

static void kernel_delta(uint64_t seq, uint64_t ns, int argument)
{
    head(CW_LOG_KERNEL_COMMAND, seq, ns, ns + 5, 0, 7);
    u(4 + 1);
    u(CW_LOG_K_SAME_RANGE | CW_LOG_K_LOCAL_NULL);
    u(argument >= 0);
    if (argument >= 0) {
        u(1), u(CW_ARG_VALUE | 4 << 4);
        memcpy(at, &argument, 4);
        at += 4;
    }
    end();
}

static void memory(uint64_t seq, unsigned id, int parent)
{
    begin(CW_LOG_MEMORY, seq);
    u(id), u(parent >= 0 ? CW_MEM_SUBBUFFER : CW_MEM_BUFFER), u(0), u((uint64_t)(parent + 1));
    u(parent >= 0 ? 128 : 0), u(256), u(1), u(0), u(0);
    end();
}

static void definitions(void)
{
    begin(CW_LOG_PLATFORM, 1), u(0), text("P"), text("V"), text("1"), end();
    begin(CW_LOG_QUEUE, 2), u(7), u(0), u(0), u(3), end();
    memory(3, 3, 9); /* a part that was described before its parent; ids with holes */
    memory(4, 9, -1);
    begin(CW_LOG_KERNEL, 5), u(4), u(0), u(2), text("k"), end();
    begin(CW_LOG_CALLSITE, 6), u(0), u(2), u(0x1000), u(0x2000), end();
    begin(CW_LOG_FUNCTION, 7), u(300), text("clSetKernelArg"), end();
}

/* What is recorded beside commands: a call that failed, the events and objects that were kept, two uses of
 * released objects. */
static void beside_commands(void)
{
    begin(CW_LOG_CALL, seq_base), s((int64_t)(1350 - time_base)), u(20), u(CW_LOG_E_STATUS), s(-51);
    u(300), u(CW_LOG_O_KERNEL), u(4 + 1), u(1 + 1), u(0 + 1), end();
    time_base = 1370;
    begin(CW_LOG_RELEASE, 30), u(CW_LOG_O_QUEUE), u(7), u(1400), u(0 + 1), end();
    begin(CW_LOG_EVENTS, 31), u(5), u(2), u(3), u(9), u(1), s(14 - 31), end();
    begin(CW_LOG_STALE, 32), u(CW_LOG_O_KERNEL), u(4), u(22 + 1), u(0), u(1500), end();
    begin(CW_LOG_STALE, 33), u(CW_LOG_O_EVENT), s(12 - 33), u(0), u(300 + 1), u(1600);
    u(0 + 1), u(0 + 1), end(); /* call sites: of the call, of the release */
}

static void start(void)
{
    memset(&image, 0, sizeof image);
    memcpy(image.header.magic, CW_LOG_MAGIC, 8);
    image.header.version = CW_LOG_VERSION;
    image.header.chunk_bytes = CW_LOG_CHUNK_BYTES;
    image.header.pid = 42;
    snprintf(image.header.program, sizeof image.header.program, "/bin/p");
}

/* Two threads; thread 0's second segment comes before its first in the file. */
static void two_threads(void)
{
    start();
    begin_chunk(1);
    segment(0, 1, 20, 2000);
    kernel_delta(24, 2100, -1);
    segment(1, 0, 10, 1000);
    kernel_full(21, 1500, 11);
    kernel_delta(22, 1600, 12);
    begin_chunk(2);
    segment(0, 0, 0, 900);
    definitions();
    kernel_full(12, 1000, 1);
    kernel_delta(14, 1100, 2);
    head(CW_LOG_TRANSFER, 16, 1200, 1300, CW_LOG_E_BLOCKING | CW_LOG_E_CALLSITE, 7);
    u(0), u(0x11F3);
    u(CW_LOG_T_SRC | CW_LOG_T_BYTES), u(9 + 1), u(256);
    end();
    beside_commands();
}

static void save(size_t bytes)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(image.bytes, 1, bytes, f), bytes);
    assert_int_equal(fclose(f), 0);
}

static enum cw_status load(struct cw_trace *t, struct cw_error *err)
{
    memset(err, 0, sizeof *err);
    cw_trace_init(t);
    return cw_log_read(t, path, err);
}

static int argument_of(const struct cw_trace *t, size_t command)
{
    const struct cw_command *c = &t->commands.v[command];

    assert_int_equal(c->args.count, 2);
    return (int)t->args.v[c->args.first + 1].value;
}

static void test_threads_merge(void **state)
{
    static const uint64_t seqs[] = {12, 14, 16, 21, 22, 24};
    static const int arguments[] = {1, 2, -1, 11, 12, 2};
    struct cw_error err;
    struct cw_trace t;
    size_t i;

    (void)state;
    two_threads();
    save(FILE_BYTES);
    assert_true(cw_log_read_header(path, &(struct cw_log_header){0}));
    assert_int_equal(load(&t, &err), CW_OK);
    assert_int_equal(t.commands.count, 6);
    for (i = 0; i < 6; i++) {
        assert_int_equal(t.commands.v[i].sequence, seqs[i]);
        if (arguments[i] >= 0)
            assert_int_equal(argument_of(&t, i), arguments[i]);
    }
    assert_int_equal(t.commands.v[1].call_begin_ns, 1100);
    assert_int_equal(t.commands.v[1].call_end_ns, 1105);
    assert_int_equal(t.commands.v[3].thread, 1);
    assert_int_equal(t.commands.v[0].global_size[1], 32);
    assert_true(t.commands.v[5].local_null);
    /* equal arguments are stored once */
    assert_int_equal(t.commands.v[5].args.first, t.commands.v[1].args.first);
    cw_trace_finish(&t);
}

static void test_ids_are_dense(void **state)
{
    struct cw_error err;
    struct cw_trace t;

    (void)state;
    two_threads();
    save(FILE_BYTES);
    assert_int_equal(load(&t, &err), CW_OK);
    assert_int_equal(t.queues.count, 1);
    assert_true(t.queues.v[0].out_of_order && t.queues.v[0].profiling);
    assert_int_equal(t.memory.count, 2);
    assert_int_equal(t.memory.v[0].parent, CW_NONE); /* the log's 9: parents first */
    assert_int_equal(t.memory.v[1].parent, 0);
    assert_int_equal(t.args.v[t.commands.v[0].args.first].memory, 1);
    assert_int_equal(t.transfers.v[t.commands.v[2].transfer].src, 0);
    assert_int_equal(t.transfers.v[t.commands.v[2].transfer].dst, CW_NONE);
    assert_int_equal(t.commands.v[2].exec_status, 0); /* blocking */
    assert_int_equal(t.commands.v[2].callsite.count, 2);
    assert_int_equal(t.addresses.v[t.commands.v[2].callsite.first + 1], 0x2000);
    cw_trace_finish(&t);
}

static void test_calls_and_objects(void **state)
{
    struct cw_error err;
    struct cw_trace t;

    (void)state;
    two_threads();
    image.header.all_calls = 1;
    save(FILE_BYTES);
    assert_int_equal(load(&t, &err), CW_OK);
    assert_true(t.process.all_calls);
    assert_int_equal(t.calls.count, 1);
    assert_string_equal(t.calls.v[0].name, "clSetKernelArg");
    assert_int_equal(t.calls.v[0].status, -51);
    assert_int_equal(t.calls.v[0].argument, 1);
    assert_int_equal(t.calls.v[0].kernel, 0);
    assert_int_equal(t.calls.v[0].program, CW_NONE);
    assert_int_equal(t.calls.v[0].callsite.count, 2);
    assert_int_equal(t.calls.v[0].begin_ns, 1350);
    assert_int_equal(t.calls.v[0].end_ns, 1370);
    assert_int_equal(t.process.user_events, 5);
    assert_int_equal(t.process.unused_events, 3);
    assert_int_equal(t.process.events_unreleased, 9);
    assert_true(t.commands.v[1].event_unreleased && !t.commands.v[0].event_unreleased);
    assert_true(t.memory.v[0].unreleased && t.kernels.v[0].unreleased && !t.queues.v[0].unreleased);
    assert_int_equal(t.stale.count, 2);
    assert_int_equal(t.stale.v[0].kernel, 0);
    assert_int_equal(t.commands.v[t.stale.v[0].command].sequence, 22);
    assert_int_equal(t.stale.v[1].event, 0);
    assert_int_equal(t.stale.v[1].command, CW_NONE);
    assert_string_equal(t.stale.v[1].call, "clSetKernelArg");
    assert_int_equal(t.stale.v[0].callsite.count, 0);
    assert_int_equal(t.addresses.v[t.stale.v[1].callsite.first], 0x1000);
    assert_int_equal(t.stale.v[1].released.count, 2);
    cw_trace_finish(&t);
}

static void waiter(uint64_t seq, uint64_t on, enum cw_log_wait how)
{
    head(CW_LOG_COMMAND, seq, time_base + 1, time_base + 2, CW_LOG_E_WAIT, 7);
    u(1), u(cw_log_zigzag((int64_t)(on - seq)) << 2 | how);
    u(0x11FE);
    end();
}

/* 10 waits for user event 8, set to an error by 13; 11 waits for 10; 12 waits for user event 9, never set. */
static void test_user_events(void **state)
{
    struct cw_error err;
    struct cw_trace t;

    (void)state;
    start();
    begin_chunk(1);
    segment(0, 0, 0, 1);
    definitions();
    waiter(10, 8, CW_LOG_WAIT_USER);
    waiter(11, 10, CW_LOG_WAIT_COMMAND);
    waiter(12, 9, CW_LOG_WAIT_USER);
    head(CW_LOG_HOST, 13, time_base, time_base, 0, -1);
    u(CW_HOST_USER_EVENT - CW_HOST_FINISH), u(8 + 1), s(-5);
    end();
    waiter(14, 99, CW_LOG_WAIT_UNKNOWN);
    begin(CW_LOG_TIMES, 15), s(14 - 15), s(0), u(100), s(5), s(-1), s(7), end();
    save(FILE_BYTES);
    assert_int_equal(load(&t, &err), CW_OK);
    assert_int_equal(t.commands.count, 6);
    assert_int_equal(t.waits.v[t.commands.v[0].wait_list.first], 3);
    assert_int_equal(t.waits.v[t.commands.v[2].wait_list.first], 5);
    assert_int_equal(t.waits.v[t.commands.v[4].wait_list.first], CW_NONE);
    assert_int_equal(t.commands.v[5].type, CW_HOST_USER_EVENT);
    assert_int_equal(t.commands.v[5].exec_status, 1);
    assert_int_equal(t.commands.v[5].device, CW_NONE);
    assert_int_equal(t.commands.v[0].exec_status, -14);
    assert_int_equal(t.commands.v[1].exec_status, -14);
    assert_int_equal(t.commands.v[2].exec_status, 1);
    assert_int_equal(t.commands.v[4].submit_ns, 105);
    assert_int_equal(t.commands.v[4].start_ns, 104);
    assert_int_equal(t.commands.v[4].end_ns, 111);
    cw_trace_finish(&t);
}

/* A damaged log: the status, and that the message has the offset (when `offset`). */
static void expect_damage(size_t bytes, enum cw_status status, bool offset)
{
    struct cw_error err;
    struct cw_trace t;

    save(bytes);
    assert_int_equal(load(&t, &err), status);
    assert_non_null(strstr(err.text, path));
    if (offset)
        assert_non_null(strstr(err.text, "offset "));
    cw_trace_finish(&t);
}

static void test_damage_is_named(void **state)
{
    (void)state;
    two_threads();
    expect_damage(1000, CW_ERR_FORMAT, true);
    expect_damage(2 * CW_LOG_CHUNK_BYTES + 64, CW_ERR_FORMAT, true); /* cut within the second chunk */
    image.header.version++;
    expect_damage(FILE_BYTES, CW_ERR_VERSION, false);
    two_threads();
    image.bytes[0] = 'X';
    expect_damage(FILE_BYTES, CW_ERR_FORMAT, true);
    assert_false(cw_log_read_header(path, &(struct cw_log_header){0}));
    two_threads();
    chunk->units = 0;
    expect_damage(FILE_BYTES, CW_ERR_FORMAT, true);
    two_threads();
    chunk->committed = 2 * CW_LOG_CHUNK_BYTES;
    expect_damage(FILE_BYTES, CW_ERR_FORMAT, true);
    start(); /* a delta without what it is a delta to */
    begin_chunk(1);
    segment(0, 0, 0, 0);
    definitions();
    kernel_delta(10, 10, 1);
    expect_damage(FILE_BYTES, CW_ERR_FORMAT, true);
    start(); /* no thread record */
    begin_chunk(1);
    definitions();
    expect_damage(FILE_BYTES, CW_ERR_FORMAT, true);
}

/* Any change of a few bytes gives a trace or a message, never a crash, and never much memory. */
static void test_random_damage(void **state)
{
    struct cw_error err;
    struct cw_trace t;
    unsigned random = 12345, round, i, errors = 0;
    size_t where, used;

    (void)state;
    for (round = 0; round < 4000; round++) {
        two_threads();
        used = sizeof *chunk + chunk->committed;
        for (i = 0; i <= round % 4; i++) {
            random = random * 1664525u + 1013904223u;
            where = (1 + (random >> 8) % 2) * CW_LOG_CHUNK_BYTES + (random >> 10) % used;
            image.bytes[where] =
                (uint8_t)(round % 3 ? random >> 24 : image.bytes[where] ^ 1u << (random >> 29));
        }
        save(FILE_BYTES);
        if (load(&t, &err) != CW_OK) {
            errors++;
            assert_true(err.text[0] != '\0');
        } else {
            assert_true(t.commands.count < 2000 && t.memory.count < 2000);
        }
        cw_trace_finish(&t);
    }
    assert_in_range(errors, 400, 3999);
}

static int make_file(void **state)
{
    int fd;

    (void)state;
    snprintf(path, sizeof path, "%s/clweave-test-log.XXXXXX", cw_temporary_folder());
    fd = mkstemp(path);
    return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_merge),     cmocka_unit_test(test_ids_are_dense),
        cmocka_unit_test(test_calls_and_objects), cmocka_unit_test(test_user_events),
        cmocka_unit_test(test_damage_is_named),   cmocka_unit_test(test_random_damage),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
