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
static bool is_back(const struct cw_run_region *r, const struct cw_coherence_move *m)
{
    return m->to == CW_MEMORY_HOST || (is_direct(m) && place_of(r, m->to)->device->home);
}

static cl_mem object_at(const struct cw_run_region *r, const struct cw_run_context_device *p)
{
    return p->device->home ? (cl_mem)(uintptr_t)r->root->r.handle : r->root->mirrors[p->worker->number];
}

/* A copy while it is made. */
struct copying {
    struct cw_run_arrival arrival; /* with its move */
    struct cw_run_worker
        *failed;      /* the helper that has; NULL: the program's own device, or there is no room */
    uint64_t took_ns; /* waiting for others left out */
    cl_int err;
    bool back, skip;
};

static void copy_directly(const struct cw_run_region *r, struct copying *c, uint32_t n)
{
    struct cw_run_relay_copy relay[CW_RUN_RELAY_COPIES];
    uint32_t k = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct cw_coherence_move *m = &c[i].arrival.move;
        struct cw_run_relay_copy *x = &relay[k];

        *x = (struct cw_run_relay_copy){.from.place = place_of(r, m->from),
                                        .to.place = place_of(r, m->to),
                                        .low = m->low,
                                        .bytes = m->high - m->low};
        x->from.memory = object_at(r, x->from.place);
        x->to.memory = object_at(r, x->to.place);
        c[i].failed = (c[i].back ? x->from.place : x->to.place)->worker;
        c[i].err = c[i].skip ? CL_SUCCESS : cw_run_fault_copy(c[i].failed, c[i].back);
        c[i].skip |= c[i].err != CL_SUCCESS;
        k += !c[i].skip;
    }
    cw_run_relay_copies(relay, k);
    for (uint32_t i = n; i-- > 0;) {
        const struct cw_run_relay_copy *x = &relay[k - !c[i].skip];

        if (c[i].skip)
            continue;
        k--;
        c[i].err = x->err;
        c[i].took_ns = x->took_ns;
        c[i].failed = x->failed && !x->failed->place->device->home ? x->failed->place->worker : NULL;
    }
}

/* Lock not held. */
static cl_int copy(const struct cw_run_region *r, const struct cw_coherence_move *m, uint64_t *took_ns)
{
    bool home = m->to == CW_MEMORY_HOST;
    const struct cw_run_context_device *p = place_of(r, home ? m->from : m->to);
    cl_mem replica = object_at(r, p);
    uint8_t *host = r->root->address + m->low;
    uint64_t begin, bytes = m->high - m->low;
    cl_int err;

    if (home && cw_run_quarantine_doubts(p->worker))
        return cw_run_quarantine_read(p, replica, m->low, bytes, host);
    if (!cw_run_context_device_turn_take(p))
        return CL_DEVICE_NOT_AVAILABLE;
    if (cw_run_quarantine_has_failed(p->worker)) { /* the launch that had the turn before */
        cw_run_context_device_turn_give(p);
        return home ? cw_run_quarantine_read(p, replica, m->low, bytes, host) : CL_DEVICE_NOT_AVAILABLE;
    }
    begin = cw_run_global_lock_now_ns();
    err = cw_run_fault_copy(p->worker, home);
    if (err == CL_SUCCESS && home)
        err = cw_next.clEnqueueReadBuffer(p->copies, replica, CL_TRUE, m->low, bytes, host, 0, NULL, NULL);
    else if (err == CL_SUCCESS)
        err = cw_run_context_device_write(p->copies, replica, m->low, bytes, host);
    cw_run_context_device_turn_give(p);
    begin = hold_link(p->worker, begin, bytes);
    *took_ns = cw_run_global_lock_now_ns() - begin;
    return err;
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

/* Lock held. */
static void is_made(const struct cw_run_region *r, struct copying *c, uint64_t begin_ns)
{
    const struct cw_coherence_move *m = &c->arrival.move;
    struct cw_run_spread *s = r->spread;
    struct cw_run_worker *l = place_of(r, c->back ? m->from : m->to)->worker;

    cw_run_spread_beside_spoil(s, m->low, m->high, m->to);
    if (c->err == CL_SUCCESS)
        cw_coherence_moved(&s->valid, m);
    else
        cw_extents_return(&s->valid, 1);
    if (c->err == CL_SUCCESS && !c->skip)
        cw_run_links_copied(l, c->back, m->high - m->low, c->took_ns);
    cw_run.counts.far_copies[c->back]++;
    cw_run.counts.far_bytes[c->back] += m->high - m->low;
    cw_run.counts.far_bytes_for[cause.why] += m->high - m->low;
    if (CW_UNLIKELY(cw_run.recording))
        record(s, m, begin_ns);
    arrives(s, &c->arrival);
    if (c->err != CL_SUCCESS && c->failed && c->err != CL_MEM_OBJECT_ALLOCATION_FAILURE)
        cw_run_quarantine_begin(c->failed, c->err, true);
}

/* Makes `n` copies, to one memory or several, at the same time; one, unless all are direct. There is room for
 * a change by each. Returns how many have been made before the first one that failed, with *err. Lock held;
 * given up meanwhile. */
static uint32_t make_copies(const struct cw_run_region *r, const struct cw_coherence_move *move, uint32_t n,
                            bool ahead, cl_int *err)
{
    struct cw_run_spread *s = r->spread;
    struct copying c[CW_RUN_RELAY_COPIES];
    uint64_t begin_ns = CW_UNLIKELY(cw_run.recording) ? cw_run_clock_now_ns() : 0;
    uint32_t made = 0;

    for (uint32_t i = 0; i < n; i++) {
        c[i] = (struct copying){.arrival = {move[i], s->arrivals, ahead},
                                .back = is_back(r, &move[i]),
                                .skip = cw_run_fault_now(CW_RUN_FAULT_UNFETCHED)};
        c[i].failed = place_of(r, c[i].back ? move[i].from : move[i].to)->worker;
        s->arrivals = &c[i].arrival;
    }
    cw_run_global_lock_give();
    if (is_direct(move))
        copy_directly(r, c, n);
    else if (!c->skip)
        c->err = copy(r, move, &c->took_ns);
    cw_run_global_lock_take();
    for (uint32_t i = 0; i < n; i++)
        is_made(r, &c[i], begin_ns);
    while (made < n && c[made].err == CL_SUCCESS)
        made++;
    *err = made < n ? c[made].err : CL_SUCCESS;
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

/* The first copies that `memory` needs of these bytes, which may be made at the same time. 0: there is none.
 * *lost: bytes of them are nowhere. */
static uint32_t next_moves(const struct cw_run_spread *s, uint64_t low, uint64_t high, uint32_t memory,
                           struct cw_coherence_move *move, bool *lost)
{
    uint64_t direct = cw_run_spread_direct();
    uint32_t n = 0;
    bool beyond;

    while (n < MOVES &&
           cw_coherence_next(&s->valid, low, high, memory, direct, &move[n], n ? &beyond : lost)) {
        if (n && (!is_direct(&move[n]) || is_under_way(s, &move[n]) || is_covered(s, &move[n])))
            break;
        low = move[n].high;
        if (!is_direct(&move[n++]))
            break;
    }
    return n;
}

/* The part reads all bytes of the copy, and its memory lacks them. Then *to is the same copy, to there. */
static bool shares(const struct cw_run_task *part, const struct cw_run_region *r,
                   const struct cw_coherence_move *m, struct cw_coherence_move *to)
{
    uint32_t n = part->accesses.n ? part->accesses.n : part->tile.known, i = 0;
    const struct cw_run_access *a = part->accesses.of;
    bool lost;

    while (i < n && !(a[i].region == r && !a[i].write && a[i].low <= m->low && m->high <= a[i].high))
        i++;
    return i < n &&
           cw_coherence_next(&r->spread->valid, m->low, m->high, cw_run_spread_memory_of(part),
                             cw_run_spread_direct(), to, &lost) &&
           to->low == m->low && to->high == m->high && to->from == m->from && is_direct(to) &&
           cw_run_spread_may_copy(r, to);
}

/* The launch that `t` is a part of, where its parts work in several memories; else, as for no `t`, NULL. */
static const struct cw_run_tiles *shared_launch(const struct cw_run_task *t)
{
    const struct cw_run_tiles *x = t ? t->tile.part_of : NULL;

    return x && x->apart ? x : NULL;
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
    const struct cw_run_tiles *x = t->tile.part_of;

    for (uint32_t i = 0; i < x->parts; i++)
        if (x->part[i].opens)
            return true;
    return false;
}

/* Other parts of the launch that `t` is a part of need the bytes of move[0], too: copies to their memories,
 * behind it, so that the bytes are read once. The launch has claimed them. Returns how many copies there are
 * now. */
static uint32_t share(const struct cw_run_task *t, const struct cw_run_region *r,
                      struct cw_coherence_move *move)
{
    const struct cw_run_tiles *x = t->tile.part_of;
    uint32_t n = 1;

    for (uint32_t i = 0; n < CW_RUN_RELAY_COPIES && i < x->parts; i++)
        if (&x->part[i] != t && shares(&x->part[i], r, move, &move[n]))
            cw_run.counts.far_shared += move[n].high - move[n].low, n++;
    return n;
}

bool cw_run_spread_bring_for(const struct cw_run_task *t, struct cw_run_region *r, uint64_t low,
                             uint64_t high, uint32_t memory)
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

bool cw_run_spread_bring(struct cw_run_region *r, uint64_t low, uint64_t high, uint32_t memory)
{
    return cw_run_spread_bring_for(NULL, r, low, high, memory);
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
    struct cw_run_spread *s = r->spread;
    struct cw_run_arrival arrival = {.move = *m, .next = s->arrivals};
    const struct cw_run_context_device *p = place_of(r, m->from);
    uint64_t begin_ns = CW_UNLIKELY(cw_run.recording) ? cw_run_clock_now_ns() : 0, bytes = m->high - m->low;
    bool skip = cw_run_fault_now(CW_RUN_FAULT_UNFETCHED), helper = !p->device->home;
    cl_int err;

    s->arrivals = &arrival; /* the buffer stays there meanwhile */
    cw_run_global_lock_give();
    err = helper ? cw_run_fault_copy(p->worker, true) : CL_SUCCESS;
    if (err == CL_SUCCESS && !skip)
        err = cw_run_staging_read_apart((cl_command_queue)(uintptr_t)queue->r.handle, p->copies,
                                        object_at(r, p), m->low, bytes, to);
    cw_run_global_lock_take();
    if (helper) {
        cw_run.counts.far_copies[1]++;
        cw_run.counts.far_bytes[1] += bytes;
        cw_run.counts.far_bytes_for[cause.why] += bytes;
        if (CW_UNLIKELY(cw_run.recording))
            record(s, m, begin_ns);
        if (err != CL_SUCCESS && err != CL_MEM_OBJECT_ALLOCATION_FAILURE)
            cw_run_quarantine_begin(p->worker, err, true);
    }
    arrives(s, &arrival);
    return err;
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
    if (cw_run_spread_bring(r, 0, s->valid.bytes, cw_run_spread_home_of(r)) &&
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
