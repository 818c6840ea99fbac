/* spread_copy.c - copies between memories, of memory/spread.h. */
#include "spread_state.h"

#include <stdatomic.h>
#include <time.h>

#include "../../door/door.h"
#include "../../trace/recorder.h"
#include "../core/clock.h"
#include "../core/context_device.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "links.h"
#include "../core/record.h"
#include "../core/tile_types.h"
#include "../staging/staging.h"
#include "quarantine.h"
#include "relay.h"

enum {
    MOVES = 4,              /* copies to one memory at the same time */
    SHARED_LEAST = 4 << 20, /* bytes that one thread writes to several memories; each reads fewer by itself */
};

/* A copy that a thread makes. */
struct cw_run_arrival {
    struct cw_coherence_move move;
    struct cw_run_arrival *next;
    bool ahead; /* no command that claims these bytes makes it */
};

/* For which command this thread makes copies (number in the recorded log + 1; 0: none), and why. */
static _Thread_local struct {
    uint64_t command;
    enum cw_move_why why;
} cause;

void cw_run_spread_copies_serve(uint64_t command)
{
    cause.command = command;
}

void cw_run_spread_copies_are(enum cw_move_why why)
{
    cause.why = why;
}

/* ---- one copy */

static struct cw_run_context_device *place_of(const struct cw_run_region *r, uint32_t memory)
{
    struct cw_run_context_device *p = r->root->context->places;

    while (p->device->memory != memory)
        p++;
    return p;
}

/* A modelled link makes one copy at a time. Returns when it began this one, which could at `begin`. */
static uint64_t hold_link(struct cw_run_worker *far, uint64_t begin, uint64_t bytes)
{
    double ns =
        far->far->latency_ns + (far->far->bytes_per_ns > 0 ? (double)bytes / far->far->bytes_per_ns : 0);
    uint64_t free_ns = atomic_load(&far->link_free_ns), start, end, now;

    do {
        start = free_ns > begin ? free_ns : begin;
        end = start + (uint64_t)ns;
    } while (!atomic_compare_exchange_weak(&far->link_free_ns, &free_ns, end));
    while (ns > 0 && (now = cw_run_global_lock_now_ns()) < end)
        nanosleep(&(struct timespec){(time_t)((end - now) / 1000000000), (long)((end - now) % 1000000000)},
                  NULL);
    return start;
}

static bool is_direct(const struct cw_coherence_move *m)
{
    return m->from != CW_MEMORY_HOST && m->to != CW_MEMORY_HOST;
}

/* The bytes come back to where the program's own device or the host works. */
static bool is_back(const struct cw_run_relay_copy *c)
{
    return !c->to.place || (c->from.place && c->to.place->device->home);
}

static struct cw_run_relay_end end_at(const struct cw_run_region *r, uint32_t memory)
{
    const struct cw_run_context_device *p = place_of(r, memory);

    return (struct cw_run_relay_end){p, p->device->home ? (cl_mem)(uintptr_t)r->root->r.handle
                                                        : r->root->mirrors[p->worker->number]};
}

/* An end in the host's memory stays empty. */
static struct cw_run_relay_copy copy_of(const struct cw_run_region *r, const struct cw_coherence_move *m)
{
    struct cw_run_relay_copy c = {.low = m->low, .bytes = m->high - m->low};

    if (m->from != CW_MEMORY_HOST)
        c.from = end_at(r, m->from);
    if (m->to != CW_MEMORY_HOST)
        c.to = end_at(r, m->to);
    return c;
}

/* One end is in the host's memory. Lock not held. */
static void copy_host(const struct cw_run_region *r, struct cw_run_relay_copy *c)
{
    bool home = c->from.place;
    const struct cw_run_relay_end *end = home ? &c->from : &c->to;
    const struct cw_run_instruction i = {home ? CW_RUN_I_FETCH : CW_RUN_I_GIVE,
                                         false,
                                         end->place,
                                         {{end->memory, c->low, c->bytes, r->root->address + c->low}}};
    struct cw_run_worker *l = end->place->worker;
    bool saves = home && cw_run_quarantine_doubts(l);
    uint64_t begin_ns = 0;

    c->err = saves ? CL_DEVICE_NOT_AVAILABLE : cw_run_instruction_transfer(&i, 1, &begin_ns);
    if (begin_ns) {
        begin_ns = hold_link(l, begin_ns, c->bytes);
        c->took_ns = cw_run_global_lock_now_ns() - begin_ns;
    } else if (saves || (home && cw_run_context_device_has_failed(l))) {
        c->err = cw_run_quarantine_read(&i);
    }
    c->failed = c->err == CL_SUCCESS ? NULL : end;
}

/* ---- copies in the recorded log */

static uint64_t recorded_device(uint32_t memory)
{
    uint32_t i = 0;

    while (i < cw_run.num_workers && cw_run.workers[i].memory != memory)
        i++;
    return memory == CW_MEMORY_HOST || i == cw_run.num_workers ? 0 : cw_run.workers[i].recorded;
}

static void record(const struct cw_run_spread *s, const struct cw_coherence_move *m, uint64_t begin_ns)
{
    cw_device_times_move(&(struct cw_times_move){.command = cause.command,
                                                 .memory = s->recorded,
                                                 .why = cause.why,
                                                 .from = recorded_device(m->from),
                                                 .to = recorded_device(m->to),
                                                 .offset = m->low,
                                                 .bytes = m->high - m->low,
                                                 .start_ns = begin_ns,
                                                 .end_ns = cw_run_clock_now_ns()});
}

/* ---- all copies that a range of bytes needs */

/* Such bytes are copied to where `m` copies them; CW_MEMORIES: anywhere. */
static bool is_under_way(const struct cw_run_spread *s, const struct cw_coherence_move *m)
{
    for (const struct cw_run_arrival *a = s->arrivals; a; a = a->next)
        if ((m->to == CW_MEMORIES || a->move.to == m->to) && a->move.low < m->high && m->low < a->move.high)
            return true;
    return false;
}

void cw_run_spread_wait(void)
{
    cw_run.waiters++;
    cw_run_global_lock_wait(0);
    cw_run.waiters--;
}

static void arrives(struct cw_run_spread *s, struct cw_run_arrival *arrival)
{
    struct cw_run_arrival **at = &s->arrivals;

    while (*at != arrival)
        at = &(*at)->next;
    *at = arrival->next;
    cw_run_global_lock_tell();
}

/* What the program has read has come to no memory, and counts as moved from helpers alone. Lock held. */
static void is_made(const struct cw_run_region *r, struct cw_run_arrival *arrival,
                    const struct cw_run_relay_copy *c, uint64_t begin_ns)
{
    const struct cw_coherence_move *m = &arrival->move;
    struct cw_run_spread *s = r->spread;
    bool back = is_back(c);

    if (m->to < CW_MEMORIES) {
        cw_run_spread_beside_spoil(s, m->low, m->high, m->to);
        if (c->err == CL_SUCCESS) {
            cw_coherence_moved(&s->valid, m);
            cw_run_links_copied((back ? c->from : c->to).place->worker, back, c->bytes, c->took_ns);
        } else {
            cw_extents_return(&s->valid, 1);
        }
    }
    if (m->to < CW_MEMORIES || !c->from.place->device->home) {
        cw_run.counts.far_copies[back]++;
        cw_run.counts.far_bytes[back] += c->bytes;
        cw_run.counts.far_bytes_for[cause.why] += c->bytes;
        if (CW_UNLIKELY(cw_run.recording))
            record(s, m, begin_ns);
    }
    arrives(s, arrival);
    if (c->err != CL_SUCCESS && c->failed && c->err != CL_MEM_OBJECT_ALLOCATION_FAILURE)
        cw_run_quarantine_begin(c->failed->place->worker, c->err, true);
}

/* Makes `n` copies, to one memory or several, at the same time; one, unless all are direct. There is room for
 * a change by each. Returns how many have been made before the first one that failed, with *err. Lock held;
 * given up meanwhile. */
static uint32_t make_copies(const struct cw_run_region *r, const struct cw_coherence_move *move, uint32_t n,
                            bool ahead, cl_int *err)
{
    struct cw_run_spread *s = r->spread;
    struct cw_run_arrival arrival[CW_RUN_RELAY_COPIES];
    struct cw_run_relay_copy copy[CW_RUN_RELAY_COPIES];
    uint64_t begin_ns = CW_UNLIKELY(cw_run.recording) ? cw_run_clock_now_ns() : 0;
    uint32_t made = 0;

    for (uint32_t i = 0; i < n; i++) {
        arrival[i] = (struct cw_run_arrival){move[i], s->arrivals, ahead};
        s->arrivals = &arrival[i];
        copy[i] = copy_of(r, &move[i]);
    }
    cw_run_global_lock_give();
    if (is_direct(move))
        cw_run_relay_copies(copy, n);
    else
        copy_host(r, copy);
    cw_run_global_lock_take();
    for (uint32_t i = 0; i < n; i++)
        is_made(r, &arrival[i], &copy[i], begin_ns);
    while (made < n && copy[made].err == CL_SUCCESS)
        made++;
    *err = made < n ? copy[made].err : CL_SUCCESS;
    return made;
}

/* A command writes some of these bytes: in other memories they are what was before. A copy that came to its
 * end behind the command would be taken for what it has written. */
static bool is_covered(const struct cw_run_spread *s, const struct cw_coherence_move *m)
{
    for (const struct cw_run_access *a = s->covers; a; a = a->next_cover)
        if (a->low < m->high && m->low < a->high)
            return true;
    return false;
}

/* From a device that may not answer bytes go by way of the host's memory, with a limit of time. */
uint64_t cw_run_spread_direct(void)
{
    uint64_t direct = cw_run.direct;

    for (uint32_t i = 0; direct && i < cw_run.num_workers; i++)
        if (cw_run_quarantine_doubts(&cw_run.workers[i]))
            direct &= ~cw_run_spread_bit(cw_run.workers[i].memory);
    return direct;
}

/* cw_coherence_moves, but for copies that others are in the way of, if not of the first one. */
static uint32_t next_moves(const struct cw_run_spread *s, uint64_t low, uint64_t high, uint32_t memory,
                           struct cw_coherence_move *move, bool *lost)
{
    uint32_t n = cw_coherence_moves(&s->valid, low, high, memory, cw_run_spread_direct(), move, MOVES, lost),
             i = 1;

    while (i < n && !is_under_way(s, &move[i]) && !is_covered(s, &move[i]))
        i++;
    return i < n ? i : n;
}

/* The part reads all bytes of the copy, and its memory lacks them. Then *to is the same copy, to there. */
static bool shares(const struct cw_run_task *part, const struct cw_run_region *r,
                   const struct cw_coherence_move *m, struct cw_coherence_move *to)
{
    uint32_t n = part->accesses.n ? part->accesses.n : part->launch.part.known, i = 0;
    const struct cw_run_access *a = part->accesses.of;
    bool lost;

    while (i < n && !(a[i].region == r && !a[i].write && a[i].low <= m->low && m->high <= a[i].high))
        i++;
    return i < n &&
           cw_coherence_moves(&r->spread->valid, m->low, m->high, cw_run_spread_memory_of(part),
                              cw_run_spread_direct(), to, 1, &lost) &&
           to->low == m->low && to->high == m->high && to->from == m->from && is_direct(to) &&
           cw_run_spread_may_copy(r, to);
}

/* The launch that `t` is a part of, where its parts work in several memories; else, as for no `t`, NULL. */
static const struct cw_run_tiles *shared_launch(const struct cw_run_task *t)
{
    const struct cw_run_tiles *x = t ? cw_run_cut_launch_of(t) : NULL;

    return x && x->several ? x : NULL;
}

static bool may_share(const struct cw_run_task *t, const struct cw_run_region *r,
                      const struct cw_coherence_move *m)
{
    uint64_t least = cw_run.chaos ? 1 : SHARED_LEAST;

    /* at the program's own device less is asked of native commands */
    return shared_launch(t) && is_direct(m) && m->to != cw_run_spread_home_of(r) && m->high - m->low >= least;
}

/* Another part of the launch is about to have the memory objects without which no bytes can be copied to it:
 * so are all of them when the first launch of a kernel begins. */
static bool is_awaited(const struct cw_run_task *t)
{
    const struct cw_run_tiles *x = t->launch.part.of;

    for (uint32_t i = 0; i < x->parts; i++)
        if (x->part[i].launch.opens)
            return true;
    return false;
}

/* Other parts of the launch that `t` is a part of need the bytes of move[0], too: copies to their memories,
 * behind it, so that the bytes are read once. The launch has claimed them. Returns how many copies there are
 * now. */
static uint32_t share(const struct cw_run_task *t, const struct cw_run_region *r,
                      struct cw_coherence_move *move)
{
    const struct cw_run_tiles *x = t->launch.part.of;
    uint32_t n = 1;

    for (uint32_t i = 0; n < CW_RUN_RELAY_COPIES && i < x->parts; i++)
        if (&x->part[i] != t && shares(&x->part[i], r, move, &move[n]))
            cw_run.counts.far_shared += move[n].high - move[n].low, n++;
    return n;
}

bool cw_run_spread_bring(const struct cw_run_task *t, struct cw_run_region *r, uint64_t low, uint64_t high,
                         uint32_t memory)
{
    struct cw_run_spread *s = r->spread;
    struct cw_coherence_move move[CW_RUN_RELAY_COPIES], *failed;
    uint32_t failures = 0, n, all, made;
    cl_int err;
    bool lost, shared;

    while ((n = next_moves(s, low, high, memory, move, &lost))) {
        shared = n == 1 && may_share(t, r, move);
        if (is_under_way(s, move) || is_covered(s, move) || (shared && is_awaited(t))) {
            cw_run_spread_wait();
            continue;
        }
        all = shared ? share(t, r, move) : n;
        if (!cw_extents_reserve(&s->valid, all))
            return false;
        made = make_copies(r, move, all, false, &err);
        failed = &move[made];
        if (made >= n) /* the other parts see for themselves which bytes they have */
            continue;
        /* vendors make room for a buffer when it is first used; the device works on */
        if (err == CL_MEM_OBJECT_ALLOCATION_FAILURE && failed->to != CW_MEMORY_HOST)
            return false;
        if (is_direct(failed)) /* the next one goes by way of the host's memory */
            cw_run.direct &= ~(cw_run_spread_bit(failed->from) | cw_run_spread_bit(failed->to));
        else if (failed->to != CW_MEMORY_HOST)
            return false;
        else if (failures++ % 2 &&
                 !cw_run_spread_keep_only(s, failed->low, failed->high, ~cw_run_spread_bit(failed->from)))
            return false;
    }
    return !lost;
}

/* ---- copies that no command waits for yet */

bool cw_run_spread_copies_ahead(const struct cw_run_region *r, uint64_t low, uint64_t high)
{
    for (const struct cw_run_arrival *a = r->spread ? r->spread->arrivals : NULL; a; a = a->next)
        if (a->ahead && a->move.low < high && low < a->move.high)
            return true;
    return false;
}

static bool may_copy_at(const struct cw_run_region *r, uint32_t memory)
{
    const struct cw_run_context_device *p = memory == CW_MEMORY_HOST ? NULL : place_of(r, memory);

    return !p || (p->copies && !p->worker->quarantine.error &&
                  (p->device->home || r->root->mirrors[p->worker->number]));
}

bool cw_run_spread_may_copy(const struct cw_run_region *r, const struct cw_coherence_move *m)
{
    return may_copy_at(r, m->from) && may_copy_at(r, m->to) && !is_under_way(r->spread, m) &&
           (!is_covered(r->spread, m) || cw_run_fault_since(CW_RUN_FAULT_RASH));
}

bool cw_run_spread_copy_ahead(struct cw_run_region *r, const struct cw_coherence_move *m)
{
    cl_int err;
    bool good = cw_extents_reserve(&r->spread->valid, 1) && make_copies(r, m, 1, true, &err) == 1;

    cw_run.counts.far_ahead += good;
    for (uint32_t i = 0; i < cw_run.num_workers; i++)
        cw_run.workers[i].blocked = false; /* commands that write these bytes may run */
    return good;
}

/* ---- reads of the program */

cl_int cw_run_spread_copy_out(const struct cw_run_region *r, const struct cw_coherence_move *m,
                              const struct cw_run_queue *queue, void *to)
{
    struct cw_run_arrival arrival = {*m, r->spread->arrivals, false};
    struct cw_run_relay_copy c = {.from = end_at(r, m->from), .low = m->low, .bytes = m->high - m->low};
    const struct cw_run_context_device *p = c.from.place;
    uint64_t begin_ns = CW_UNLIKELY(cw_run.recording) ? cw_run_clock_now_ns() : 0;

    r->spread->arrivals = &arrival; /* the buffer stays there meanwhile */
    cw_run_global_lock_give();
    c.failed = &c.from;
    c.err = cw_run_fault_copy(p->worker, true);
    if (c.err == CL_SUCCESS && !cw_run_fault_omits(CW_RUN_FAULT_UNFETCHED))
        c.err = cw_run_staging_read_by((cl_command_queue)(uintptr_t)queue->r.handle, p->copies, c.from.memory,
                                       c.low, c.bytes, to);
    cw_run_global_lock_take();
    is_made(r, &arrival, &c, begin_ns);
    return c.err;
}

/* ---- everything comes home */

static bool is_home(const struct cw_run_spread *s)
{
    return s->valid.n == 1 && s->valid.of[0].valid == cw_run_spread_bit(cw_run_spread_home_of(s->region));
}

bool cw_run_spread_is_at_rest(const struct cw_run_region *r)
{
    return !r->writes && !r->reads && !r->writers &&
           (!r->spread || (is_home(r->spread) && !r->spread->arrivals));
}

struct cw_run_region *cw_run_spread_come_home(struct cw_run_region *r)
{
    struct cw_run_spread *s = r->spread;
    struct cw_run_region *next = cw_run_spread_after(r);

    if (is_home(s))
        return next;
    cause.command = cw_run.recording ? cw_enqueuing : 0;
    cause.why = CW_MOVE_NATIVE;
    cw_run_record_pin(&r->root->r);
    while (cw_run_spread_copies_ahead(r, 0, s->valid.bytes))
        cw_run_spread_wait();
    if (cw_run_spread_bring(NULL, r, 0, s->valid.bytes, cw_run_spread_home_of(r)) &&
        cw_extents_reserve(&s->valid, 1)) {
        cw_coherence_written(&s->valid, 0, s->valid.bytes, cw_run_spread_home_of(r));
        next = cw_run_spread_after(NULL); /* the list may be another one */
    } else {
        next = cw_run_spread_after(r);
    }
    cw_run_record_unpin_for_timer(&r->root->r);
    return next;
}

void cw_run_spread_all_home(void)
{
    struct cw_run_region *r = cw_run_spread_after(NULL);

    while (r)
        r = cw_run_spread_come_home(r);
}

/* ---- commands that write */

void cw_run_spread_cover(struct cw_run_task *t)
{
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];

        if (!a->write || !a->region->spread || a->covers)
            continue;
        a->covers = true;
        a->next_cover = a->region->spread->covers;
        a->region->spread->covers = a;
    }
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];
        const struct cw_coherence_move written = {a->low, a->high, CW_MEMORIES, CW_MEMORIES};

        while (a->covers && is_under_way(a->region->spread, &written) &&
               !cw_run_fault_since(CW_RUN_FAULT_HEEDLESS))
            cw_run_spread_wait();
    }
}

void cw_run_spread_uncover(struct cw_run_task *t)
{
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i], **at;

        if (!a->covers)
            continue;
        for (at = &a->region->spread->covers; *at != a;)
            at = &(*at)->next_cover;
        *at = a->next_cover;
        a->covers = false;
        cw_run_global_lock_tell();
    }
}
