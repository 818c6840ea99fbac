/* Spans of a queue with streams: which way they go, by their times, and when streams are in vain. The clock
 * is the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static uint64_t now;

static int played_clock(clockid_t clock, struct timespec *t)
{
    (void)clock;
    *t = (struct timespec){(time_t)(now / 1000000000), (long)(now % 1000000000)};
    return 0;
}

#define clock_gettime played_clock
#include "../../shim/run/streams/stream_worth.c"

enum { COMMANDS = 8 };

struct cw_stream_settings cw_stream_settings;
struct cw_stream_counts cw_stream_counts;

void cw_run_gpu_begin_span(uint64_t ns, uint32_t commands, bool beside)
{
    (void)ns, (void)commands, (void)beside;
}

uint32_t cw_stream_queue_lot(struct cw_stream_queue *q, uint32_t n)
{
    (void)q;
    return n - 1;
}

static enum cw_stream_way earlier; /* as earlier runs have found best; CW_STREAM_WAYS: they have not */
static int decided;                /* the latest decision; -1: none */

enum cw_stream_way cw_stream_ways_of(uint64_t begin)
{
    (void)begin;
    return earlier;
}

void cw_stream_ways_decided(uint64_t begin, enum cw_stream_way way)
{
    (void)begin;
    decided = way;
}

static struct cw_stream_context context;
static struct cw_stream_queue queue;
static const struct cw_stream_use use = {.groups = 4};
static uint64_t takes[CW_STREAM_WAYS]; /* ns: a command of a span that goes this way */
static bool wishes;                    /* versions would spare commands a wait */

static int setup(void **state)
{
    (void)state;
    memset(&cw_stream_settings, 0, sizeof cw_stream_settings);
    memset(&context, 0, sizeof context);
    memset(&queue, 0, sizeof queue);
    queue.context = &context;
    queue.number = 100;
    takes[CW_STREAM_BARE] = takes[CW_STREAM_FANS] = takes[CW_STREAM_RENAMES] = 10000;
    wishes = false;
    earlier = CW_STREAM_WAYS;
    decided = -1;
    now = 1000000;
    return 0;
}

static enum cw_stream_way way_of(void)
{
    return queue.worth.renames ? CW_STREAM_RENAMES : queue.worth.fans ? CW_STREAM_FANS : CW_STREAM_BARE;
}

/* A span of `commands`, which the program waits for. True: it fans out. */
static bool span_of(uint32_t commands)
{
    bool fans = false;

    for (uint32_t i = 0; i < commands; i++) {
        fans = cw_stream_worth_comes(&queue, &use);
        queue.worth.beside += fans && i % 2;
        queue.worth.wished |= wishes && queue.worth.looks;
        queue.number++;
        now += takes[way_of()];
    }
    cw_stream_worth_synchronised(&queue, queue.number);
    return fans;
}

/* Until it goes the other way than the last one. Returns how many went that way, with that one. */
static uint32_t spans_like(bool fans, uint32_t most)
{
    uint32_t n = 0;

    while (n < most && span_of(COMMANDS) == fans)
        n++;
    return n;
}

static void first_commands_are_bare(void **state)
{
    (void)state;
    queue.number = 0;
    assert_false(span_of(COMMANDS));
    assert_false(span_of(COMMANDS));
    assert_true(span_of(COMMANDS));
}

/* Kinds of spans go by the length of the one before: the first is of a kind of its own. */
static void both_ways_are_tried_twice_and_the_quicker_one_stays(void **state)
{
    (void)state;
    takes[1] = 5000;
    assert_true(span_of(COMMANDS));
    assert_true(span_of(COMMANDS));
    assert_false(span_of(COMMANDS));
    assert_true(span_of(COMMANDS));
    assert_false(span_of(COMMANDS));
    assert_int_equal(spans_like(true, 100), 16 + 1); /* the next trial begins with it */
}

static void the_loser_is_tried_ever_less_often(void **state)
{
    uint32_t rest = 0;

    (void)state;
    takes[1] = 20000;
    span_of(COMMANDS);
    for (uint32_t want = 16; want <= 256; want *= 2) {
        for (int i = 0; i < 4; i++)
            assert_int_equal(span_of(COMMANDS), i % 2 == 0);
        for (rest = 0; rest < want; rest++)
            assert_false(span_of(COMMANDS));
        if (cw_stream_worth_is_vain(&queue))
            return;
    }
    fail();
}

static void a_small_gain_is_none(void **state)
{
    (void)state;
    takes[1] = 10000 - 10000 / 32 - 500; /* its own work, too */
    span_of(COMMANDS);
    for (int i = 0; i < 4; i++)
        span_of(COMMANDS);
    for (int i = 0; i < 16; i++)
        assert_false(span_of(COMMANDS));
}

static void another_length_is_another_kind(void **state)
{
    (void)state;
    takes[1] = 20000;
    for (int i = 0; i < 6; i++)
        span_of(COMMANDS);
    assert_false(span_of(2 * COMMANDS)); /* it begins as those of before */
    assert_true(span_of(2 * COMMANDS));
}

static void the_making_of_queues_says_nothing(void **state)
{
    (void)state;
    span_of(COMMANDS);
    for (int i = 0; i < 10; i++) {
        for (uint32_t k = 0; k < COMMANDS; k++) {
            assert_true(cw_stream_worth_comes(&queue, &use));
            queue.worth.made = true;
            queue.number++;
        }
        cw_stream_worth_synchronised(&queue, queue.number);
    }
}

static void sixty_four_spans_without_a_gain_are_in_vain(void **state)
{
    uint32_t n = 0;

    (void)state;
    takes[1] = 20000;
    while (!cw_stream_worth_is_vain(&queue) && n < 1000) {
        span_of(COMMANDS);
        n++;
    }
    assert_int_equal(n, 64);
    assert_false(cw_stream_worth_comes(&queue, &use));
}

static void single_launches_are_in_vain_after_more(void **state)
{
    uint32_t n = 0;

    (void)state;
    while (!cw_stream_worth_is_vain(&queue) && n < 10000) {
        span_of(1);
        n++;
    }
    assert_int_equal(n, 64 * 16);
}

static void streams_that_gain_stay(void **state)
{
    (void)state;
    takes[1] = 5000;
    for (int i = 0; i < 10000; i++)
        span_of(COMMANDS);
    assert_false(cw_stream_worth_is_vain(&queue));
}

/* A span that fans out for the first time says that versions may help. */
static void versions_are_tried_where_they_may_help(void **state)
{
    int renamed = 0;

    (void)state;
    takes[CW_STREAM_FANS] = 9000;
    takes[CW_STREAM_RENAMES] = 5000;
    for (int i = 0; i < 20; i++) {
        span_of(COMMANDS);
        assert_false(queue.worth.renames);
    }
    setup(state);
    takes[CW_STREAM_FANS] = 9000;
    takes[CW_STREAM_RENAMES] = 5000;
    wishes = true;
    for (int i = 0; i < 7 + 16; i++) {
        span_of(COMMANDS);
        renamed += queue.worth.renames;
    }
    assert_int_equal(renamed, 2 + 16);
}

/* Each of the other two ways has had one span. */
static void a_clear_gain_of_versions_ends_the_trials(void **state)
{
    int renamed = 0;

    (void)state;
    takes[CW_STREAM_RENAMES] = 4000;
    wishes = true;
    for (int i = 0; i < 4 + 16; i++) {
        span_of(COMMANDS);
        renamed += queue.worth.renames;
    }
    assert_int_equal(renamed, 1 + 16);
    assert_true(context.pays);
}

/* From the first command on, and tried again later; what it costs is thought to be gained. */
static void the_way_of_an_earlier_run_is_taken(void **state)
{
    (void)state;
    queue.number = 0;
    earlier = CW_STREAM_RENAMES;
    takes[CW_STREAM_RENAMES] = 4000;
    for (int i = 0; i < 16; i++) {
        for (int k = 0; k < COMMANDS; k++, queue.number++) {
            assert_true(cw_stream_worth_comes(&queue, &use));
            now += takes[CW_STREAM_RENAMES];
            for (int marks = 0; marks < 50; marks++)
                cw_stream_worth_marked(&queue);
        }
        assert_true(queue.worth.renames && !queue.worth.looks);
        cw_stream_worth_synchronised(&queue, queue.number);
        assert_int_equal(decided, -1);
    }
    assert_false(cw_stream_worth_is_vain(&queue));
    for (int i = 0; i < 6; i++)
        span_of(COMMANDS);
    assert_int_equal(decided, CW_STREAM_RENAMES);
}

static void versions_that_gain_nothing_beside_streams_rest(void **state)
{
    int renamed = 0;

    (void)state;
    takes[CW_STREAM_FANS] = takes[CW_STREAM_RENAMES] = 5000;
    wishes = true;
    for (int i = 0; i < 7 + 16; i++) {
        span_of(COMMANDS);
        renamed += queue.worth.renames;
        assert_true(i < 7 || (queue.worth.fans && !queue.worth.looks));
    }
    assert_int_equal(renamed, 2);
}

/* Nothing ends a span: what it costs counts. */
static uint32_t commands_until_vain(uint32_t commands_a_mark)
{
    uint32_t n = 0;

    while (!cw_stream_worth_is_vain(&queue) && n < 1000000) {
        cw_stream_worth_comes(&queue, &use);
        queue.number++;
        now += takes[0];
        if (++n % commands_a_mark == 0)
            cw_stream_worth_marked(&queue);
    }
    return n;
}

static void a_program_that_never_waits_leaves(void **state)
{
    (void)state;
    assert_int_equal(commands_until_vain(UINT32_MAX), 10000); /* .5 us each, 5 ms */
    setup(NULL);
    assert_in_range(commands_until_vain(4), 3600, 3700); /* and 3.5 us for an event */
}

/* Spans of so many that no trial has ended when they have cost 5 ms. */
static void long_spans_that_gain_stay(void **state)
{
    (void)state;
    takes[1] = 3000;
    for (int i = 0; i < 100; i++)
        span_of(4096);
    assert_false(cw_stream_worth_is_vain(&queue));
    assert_true(queue.worth.lost_ns < 0);
}

/* Other processes make one span in eight as long as all others together. */
static void a_busy_machine_is_no_loss(void **state)
{
    (void)state;
    takes[1] = 5000;
    for (int i = 0; i < 1000; i++) {
        now += i % 8 ? 0 : 100000000;
        span_of(COMMANDS);
        if (i % 8 == 7) {
            cw_stream_worth_comes(&queue, &use);
            now += 100000000;
        }
    }
    assert_false(cw_stream_worth_is_vain(&queue));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(first_commands_are_bare, setup),
        cmocka_unit_test_setup(both_ways_are_tried_twice_and_the_quicker_one_stays, setup),
        cmocka_unit_test_setup(the_loser_is_tried_ever_less_often, setup),
        cmocka_unit_test_setup(a_small_gain_is_none, setup),
        cmocka_unit_test_setup(another_length_is_another_kind, setup),
        cmocka_unit_test_setup(the_making_of_queues_says_nothing, setup),
        cmocka_unit_test_setup(sixty_four_spans_without_a_gain_are_in_vain, setup),
        cmocka_unit_test_setup(single_launches_are_in_vain_after_more, setup),
        cmocka_unit_test_setup(streams_that_gain_stay, setup),
        cmocka_unit_test_setup(versions_are_tried_where_they_may_help, setup),
        cmocka_unit_test_setup(a_clear_gain_of_versions_ends_the_trials, setup),
        cmocka_unit_test_setup(the_way_of_an_earlier_run_is_taken, setup),
        cmocka_unit_test_setup(versions_that_gain_nothing_beside_streams_rest, setup),
        cmocka_unit_test_setup(a_program_that_never_waits_leaves, setup),
        cmocka_unit_test_setup(long_spans_that_gain_stay, setup),
        cmocka_unit_test_setup(a_busy_machine_is_no_loss, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
