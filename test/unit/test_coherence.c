/* The protocol of shim/run/memory/coherence.h, model-checked: three commands on one buffer, each at one of
 * four memories, in every interleaving of copies that begin and end, commands that begin, end and fail.
 * Commands that meet, one of them writing, keep their order, as memory/byte_range.h makes them. After each
 * step every byte is valid somewhere, and all memories in which it is valid hold the same; at the end the
 * host reads what the commands give in their order.
 *
 * Beside them one memory is emptied at any time, as for room, or its device dies. What it alone had is lost
 * then: commands that need it fail, and what they were to write is lost, until a later one surely writes it.
 * No byte that is valid may be another one than without that. */
#include "../../shim/run/memory/coherence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TASKS = 3, MEMORIES = 4, BYTES = 3, PROGRAMS = 2000, GARBAGE = 250, SEEN = 1 << 18 };

struct range {
    uint8_t low, high; /* empty: nothing */
};

struct task {
    struct range read, write, sure; /* sure: part of `write` */
    uint32_t memory;
    bool partly; /* beyond `sure` it writes nothing */
};

enum phase { WAITS, COPIES, RUNS, OVER };

struct state {
    struct {
        enum phase phase;
        uint32_t memory;
        struct cw_coherence_move move;
        uint8_t copied[BYTES]; /* read when the copy began */
    } of[TASKS];
    uint8_t value[MEMORIES][BYTES];
    uint64_t valid[BYTES];
    struct {
        bool begun, over;
        struct cw_coherence_move move;
        uint8_t copied[BYTES];
    } emptied;
    bool dead; /* the device of memory `victim` */
    bool lost; /* the only copy of a byte was in a memory where a command failed, or in that one */
    uint8_t were_lost[BYTES];
};

static struct task program[TASKS];
static uint64_t direct; /* memories between which copies are made */
static uint32_t victim; /* the memory that is emptied, or dies */
static uint64_t states, ends, failures, deaths, mended;
static uint64_t seen[SEEN]; /* hashes of states of the present program; 0: free */
static uint32_t num_seen;
static bool unfetched; /* planted: copies of nothing */
static bool uncovered; /* planted: copies come where a command writes what it did not need */

static bool meet(struct range a, struct range b)
{
    return a.low < b.high && b.low < a.high;
}

static bool depends(uint32_t later, uint32_t earlier)
{
    const struct task *a = &program[earlier], *b = &program[later];

    return meet(a->write, b->read) || meet(a->write, b->write) || meet(a->read, b->write);
}

static void load(struct cw_extents *e, const struct state *s)
{
    assert_true(cw_extents_init(e, BYTES, s->valid[0]) && cw_extents_reserve(e, 8));
    for (uint64_t i = 0; i < BYTES; i++)
        cw_extents_change(e, i, i + 1, 0, s->valid[i]);
}

static void store(struct cw_extents *e, struct state *s)
{
    for (uint32_t i = 0; i < e->n; i++)
        for (uint64_t at = e->of[i].low; at < e->of[i].high; at++)
            s->valid[at] = e->of[i].valid;
    cw_extents_finish(e);
}

static uint8_t result(uint32_t task, const uint8_t *bytes, uint32_t at)
{
    uint32_t sum = 7 * task + at + 1;

    for (uint32_t i = program[task].read.low; i < program[task].read.high; i++)
        sum = sum * 3 + bytes[i];
    return (uint8_t)(sum % 200);
}

static bool writes(uint32_t task, uint32_t at)
{
    const struct task *t = &program[task];

    return (at >= t->sure.low && at < t->sure.high) ||
           (!t->partly && at >= t->write.low && at < t->write.high);
}

static void execute(uint32_t task, uint8_t *bytes)
{
    uint8_t before[BYTES];

    memcpy(before, bytes, BYTES);
    for (uint32_t i = 0; i < BYTES; i++)
        if (writes(task, i))
            bytes[i] = result(task, before, i);
}

/* Some command that runs may write the byte. */
static bool is_written(const struct state *s, uint32_t at)
{
    for (uint32_t i = 0; i < TASKS; i++)
        if (s->of[i].phase == RUNS && at >= program[i].write.low && at < program[i].write.high)
            return true;
    return false;
}

static bool agree(const struct state *s)
{
    for (uint32_t at = 0; at < BYTES; at++) {
        int first = -1;

        if (!s->valid[at])
            return s->lost;
        for (int m = 0; m < MEMORIES && !is_written(s, at); m++) {
            if (!(s->valid[at] >> m & 1))
                continue;
            if (first >= 0 && s->value[first][at] != s->value[m][at])
                return false;
            first = m;
        }
    }
    return true;
}

static bool may_begin(const struct state *s, uint32_t task)
{
    for (uint32_t i = 0; i < task; i++)
        if (depends(task, i) && s->of[i].phase != OVER)
            return false;
    return true;
}

/* The next copy that the command needs. */
static bool next_move(const struct state *s, uint32_t task, struct cw_coherence_move *move, bool *lost)
{
    const struct task *t = &program[task];
    struct range needed[] = {t->read, {t->write.low, t->sure.low}, {t->sure.high, t->write.high}};
    bool any = false;
    struct cw_extents e;

    load(&e, s);
    *lost = false;
    if (t->sure.low == t->sure.high)
        needed[1] = t->write, needed[2] = (struct range){0, 0};
    for (int i = 0; i < 3 && !any && !*lost; i++)
        any =
            cw_coherence_moves(&e, needed[i].low, needed[i].high, s->of[task].memory, direct, move, 1, lost);
    cw_extents_finish(&e);
    return any;
}

static bool meets(const struct cw_coherence_move *a, const struct cw_coherence_move *b)
{
    return (a->to == b->to || b->to == CW_MEMORIES) && a->low < b->high && b->low < a->high;
}

static bool is_under_way(const struct state *s, const struct cw_coherence_move *m)
{
    if (s->emptied.begun && !s->emptied.over && meets(&s->emptied.move, m))
        return true;
    for (uint32_t i = 0; i < TASKS; i++)
        if (s->of[i].phase == COPIES && meets(&s->of[i].move, m))
            return true;
    return false;
}

/* Some command that runs may write these bytes. */
static bool is_covered(const struct state *s, const struct cw_coherence_move *m)
{
    for (uint32_t i = 0; i < TASKS; i++)
        if (!uncovered && s->of[i].phase == RUNS && program[i].write.low < m->high &&
            m->low < program[i].write.high)
            return true;
    return false;
}

static bool explore(const struct state *s);

/* The command has an error: all that it may have written, or was to write, is lost. */
static bool end_without(struct state *next, uint32_t task)
{
    const struct task *t = &program[task];
    struct cw_extents e;

    load(&e, next);
    cw_extents_change(&e, t->write.low, t->write.high, 0, 0);
    store(&e, next);
    memset(&next->were_lost[t->write.low], 1, t->write.high - t->write.low);
    memset(&next->of[task].move, 0, sizeof next->of[task].move);
    next->of[task].phase = OVER;
    next->lost = true;
    return explore(next);
}

/* The command begins, or the copy that it needs does. */
static bool step_waiting(const struct state *s, uint32_t task)
{
    const struct task *t = &program[task];
    const struct cw_coherence_move written = {t->write.low, t->write.high, 0, CW_MEMORIES};
    struct state next = *s;
    bool lost;

    if (!may_begin(s, task))
        return true;
    if (s->dead && next.of[task].memory == victim)
        next.of[task].memory = CW_MEMORY_HOST;
    if (next_move(&next, task, &next.of[task].move, &lost)) {
        if (is_under_way(s, &next.of[task].move) || is_covered(s, &next.of[task].move))
            return true; /* it waits for that copy */
        memcpy(next.of[task].copied, s->value[next.of[task].move.from], BYTES);
        next.of[task].phase = COPIES;
        return explore(&next);
    }
    if (lost)
        return s->lost && end_without(&next, task);
    if (!uncovered && is_under_way(s, &written))
        return true;
    if (next.of[task].memory == victim && s->emptied.begun && !s->emptied.over)
        return true;
    next.of[task].phase = RUNS;
    return explore(&next);
}

/* A copy ends; it has failed where its device is dead. */
static void copied(struct state *next, const struct cw_coherence_move *m, const uint8_t *bytes)
{
    struct cw_extents e;

    if (next->dead && (m->from == victim || m->to == victim))
        return;
    if (!unfetched)
        memcpy(&next->value[m->to][m->low], &bytes[m->low], m->high - m->low);
    load(&e, next);
    cw_coherence_moved(&e, m);
    store(&e, next);
}

static bool step_copying(const struct state *s, uint32_t task)
{
    struct state next = *s;

    copied(&next, &s->of[task].move, s->of[task].copied);
    next.of[task].phase = WAITS;
    memset(&next.of[task].move, 0, sizeof next.of[task].move);
    memset(next.of[task].copied, 0, BYTES);
    return explore(&next);
}

static bool step_ends(const struct state *s, uint32_t task)
{
    const struct task *t = &program[task];
    struct state next = *s;
    struct cw_extents e;

    if (s->dead && s->of[task].memory == victim)
        return true; /* it fails */
    execute(task, next.value[s->of[task].memory]);
    load(&e, s);
    cw_coherence_written(&e, t->write.low, t->write.high, s->of[task].memory);
    store(&e, &next);
    next.of[task].phase = OVER;
    return explore(&next);
}

static void notes_losses(const struct state *before, struct state *s)
{
    for (uint32_t at = 0; at < BYTES; at++)
        if (before->valid[at] && !s->valid[at]) {
            s->were_lost[at] = 1;
            s->lost = true;
        }
}

/* Elsewhere than in the host's memory. It runs there then, where the bytes of before are. */
static bool step_fails(const struct state *s, uint32_t task)
{
    const struct task *t = &program[task];
    uint32_t memory = s->of[task].memory;
    struct state next = *s;
    struct cw_extents e;
    bool again;

    if (memory == CW_MEMORY_HOST)
        return true;
    for (uint32_t i = t->write.low; i < t->write.high; i++)
        next.value[memory][i] = GARBAGE;
    load(&e, s);
    if (t->sure.low < t->sure.high) { /* what it surely writes may be lost meanwhile */
        again = cw_coherence_failed(&e, t->write.low, t->sure.low, memory);
        again &= cw_coherence_failed(&e, t->sure.high, t->write.high, memory);
        cw_coherence_failed(&e, t->sure.low, t->sure.high, memory);
    } else {
        again = cw_coherence_failed(&e, t->write.low, t->write.high, memory);
    }
    store(&e, &next);
    notes_losses(s, &next);
    failures++;
    next.of[task].phase = WAITS;
    next.of[task].memory = CW_MEMORY_HOST;
    return again ? explore(&next) : end_without(&next, task);
}

static bool runs_at(const struct state *s, uint32_t memory)
{
    for (uint32_t i = 0; i < TASKS; i++)
        if (s->of[i].phase == RUNS && s->of[i].memory == memory)
            return true;
    return false;
}

/* A copy to the host of what `victim` alone has begins, or ends. No command runs there meanwhile. */
static bool step_emptied(const struct state *s)
{
    struct state next = *s;
    struct cw_coherence_move *m = &next.emptied.move;

    if (s->emptied.over || runs_at(s, victim))
        return true;
    if (s->emptied.begun) {
        copied(&next, m, s->emptied.copied);
        memset(&next.emptied, 0, sizeof next.emptied);
        next.emptied.begun = next.emptied.over = true;
        return explore(&next);
    }
    while (m->low < BYTES && s->valid[m->low] != UINT64_C(1) << victim)
        m->low++;
    for (m->high = m->low; m->high < BYTES && s->valid[m->high] == UINT64_C(1) << victim;)
        m->high++;
    m->from = victim;
    m->to = CW_MEMORY_HOST;
    if (m->low == m->high || is_under_way(s, m) || is_covered(s, m))
        return true;
    memcpy(next.emptied.copied, s->value[victim], BYTES);
    next.emptied.begun = true;
    return explore(&next);
}

static bool step_dies(const struct state *s)
{
    struct state next = *s;

    if (s->dead)
        return true;
    for (uint32_t at = 0; at < BYTES; at++) {
        next.valid[at] &= ~(UINT64_C(1) << victim);
        next.value[victim][at] = GARBAGE;
    }
    next.dead = true;
    notes_losses(s, &next);
    deaths++;
    return explore(&next);
}

/* What the host reads. */
static bool is_right(const struct state *s)
{
    uint8_t expected[BYTES];

    for (uint32_t i = 0; i < BYTES; i++)
        expected[i] = (uint8_t)(100 + i);
    for (uint32_t i = 0; i < TASKS; i++)
        execute(i, expected);
    for (uint32_t at = 0; at < BYTES; at++)
        for (int m = 0; m < MEMORIES; m++)
            if (s->valid[at] >> m & 1 && s->value[m][at] != expected[at])
                return false;
    return true;
}

/* States are zero where they are nothing. */
static bool is_new(const struct state *s)
{
    const uint8_t *bytes = (const uint8_t *)s;
    uint64_t hash = 0xcbf29ce484222325;
    uint32_t at;

    for (size_t i = 0; i < sizeof *s; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    for (at = (uint32_t)(hash >> 20) % SEEN; seen[at]; at = (at + 1) % SEEN)
        if (seen[at] == hash)
            return false;
    assert_true(++num_seen < SEEN / 2);
    seen[at] = hash;
    return true;
}

static bool explore(const struct state *s)
{
    bool over = true, good;

    if (!is_new(s))
        return true;
    good = agree(s);

    states++;
    for (uint32_t i = 0; i < TASKS && good; i++) {
        over &= s->of[i].phase == OVER;
        if (s->of[i].phase == WAITS)
            good = step_waiting(s, i);
        else if (s->of[i].phase == COPIES)
            good = step_copying(s, i);
        else if (s->of[i].phase == RUNS)
            good = step_ends(s, i) && step_fails(s, i);
    }
    good = good && (over || (step_emptied(s) && step_dies(s)));
    ends += over;
    for (uint32_t at = 0; over && at < BYTES; at++)
        mended += s->were_lost[at] && s->valid[at];
    return good && (!over || is_right(s));
}

static uint32_t number(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

static struct range part_of(uint32_t *seed, uint8_t low, uint8_t high)
{
    uint8_t from = (uint8_t)(low + number(seed, (uint32_t)(high - low) + 1));
    uint8_t to = (uint8_t)(from + number(seed, (uint32_t)(high - from) + 1));

    return (struct range){from, to};
}

static void make_program(uint32_t *seed)
{
    for (uint32_t i = 0; i < TASKS; i++) {
        struct task *t = &program[i];

        t->read = part_of(seed, 0, BYTES);
        t->write = part_of(seed, 0, BYTES);
        t->sure = number(seed, 2) ? part_of(seed, t->write.low, t->write.high) : (struct range){0, 0};
        t->memory = number(seed, MEMORIES);
        t->partly = number(seed, 2);
    }
}

static bool check_programs(uint32_t programs)
{
    uint32_t seed = 1;

    for (uint32_t n = 0; n < programs; n++) {
        struct state first;

        memset(&first, 0, sizeof first);
        if (num_seen)
            memset(seen, 0, sizeof seen);
        num_seen = 0;
        make_program(&seed);
        for (uint32_t i = 0; i < TASKS; i++)
            first.of[i].memory = program[i].memory;
        victim = 1 + number(&seed, MEMORIES - 1);
        direct = number(&seed, 1 << MEMORIES) & ~(UINT64_C(1) << CW_MEMORY_HOST);
        for (uint32_t at = 0; at < BYTES; at++) {
            first.valid[at] = 1;
            for (uint32_t m = 0; m < MEMORIES; m++)
                first.value[m][at] = m ? GARBAGE : (uint8_t)(100 + at);
        }
        if (!explore(&first))
            return false;
    }
    return true;
}

static void keeps_bytes(void **unused)
{
    (void)unused;
    assert_true(check_programs(PROGRAMS));
    print_message("%llu states, %llu ends, %llu failures, %llu deaths, %llu lost bytes written again\n",
                  (unsigned long long)states, (unsigned long long)ends, (unsigned long long)failures,
                  (unsigned long long)deaths, (unsigned long long)mended);
    assert_true(ends > PROGRAMS && failures > PROGRAMS && deaths > PROGRAMS && mended > 0);
}

/* The check sees a copy that was left out. */
static void misses_nothing(void **unused)
{
    (void)unused;
    unfetched = true;
    assert_false(check_programs(PROGRAMS));
    unfetched = false;
}

static void covers_what_is_written(void **unused)
{
    (void)unused;
    uncovered = true;
    assert_false(check_programs(PROGRAMS));
    uncovered = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_bytes), cmocka_unit_test(misses_nothing),
                                       cmocka_unit_test(covers_what_is_written)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
