/* spread.c - see memory/spread.h. */
#include "spread.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../analyzer/io/quantity.h"
#include "../../../analyzer/trace/trace.h"
#include "../../door/door.h"
#include "../../trace/recorder.h"
#include "../core/clock.h"
#include "../core/context_device.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/state.h"
#include "coherence.h"
#include "mirror.h"
#include "native_use.h"
#include "quarantine.h"

enum { FEW_ROWS = 64 }; /* of a rectangle: each may be an extent of its own */

/* A copy that a thread makes. */
struct arrival {
    struct cw_coherence_move move;
    struct arrival *next;
};

struct cw_run_spread {
    struct cw_run_region *region;
    struct cw_run_spread *prev, *next; /* of all */
    struct cw_extents valid;
    struct arrival *arrivals;
    struct cw_run_access *covers; /* writes in the host's memory, over bytes that did not have to be there */
    uint64_t recorded;            /* the buffer's id in the recorded log + 1; 0: none */
};

/* For which command this thread makes copies (number in the recorded log + 1; 0: none), and why. */
static _Thread_local struct {
    uint64_t command;
    enum cw_move_why why;
} cause;

static struct cw_run_spread *first_spread; /* lock held */

static uint64_t bit(uint32_t memory)
{
    return UINT64_C(1) << memory;
}

static uint32_t memory_of(const struct cw_run_task *t)
{
    return t->work == CW_RUN_LAUNCH ? cw_run.lanes[t->at.lane].memory : t->at.memory;
}

/* The memory in which native commands find the bytes of a buffer: that of its context's first device. */
static uint32_t home_of(const struct cw_run_region *r)
{
    return r->root->context->places->slot->memory;
}

static struct cw_run_context_device *place_of(const struct cw_run_region *r, uint32_t memory)
{
    struct cw_run_context_device *p = r->root->context->places;

    while (p->slot->memory != memory)
        p++;
    return p;
}

bool cw_run_spread_may(const struct cw_run_launch *l)
{
    for (uint32_t i = 0; i < l->kernel->count; i++) {
        const struct cw_run_arg *a = &l->args[i];
        const struct cw_run_memory *m = a->memory;

        if (a->sampler || (m && (m->image || !m->region->root || m->root->maps || m->misaligned)))
            return false;
    }
    return true;
}

/* ---- one copy */

/* A modelled link makes one copy at a time. */
static void hold_link(struct cw_run_worker *far, uint64_t begin, uint64_t bytes)
{
    double ns =
        far->far->latency_ns + (far->far->bytes_per_ns > 0 ? (double)bytes / far->far->bytes_per_ns : 0);
    uint64_t free_ns = atomic_load(&far->link_free_ns), end, now;

    do
        end = (free_ns > begin ? free_ns : begin) + (uint64_t)ns;
    while (!atomic_compare_exchange_weak(&far->link_free_ns, &free_ns, end));
    while (ns > 0 && (now = cw_run_global_lock_now_ns()) < end)
        nanosleep(&(struct timespec){(time_t)((end - now) / 1000000000), (long)((end - now) % 1000000000)},
                  NULL);
}

/* Lock not held. */
static cl_int copy(const struct cw_run_region *r, const struct cw_coherence_move *m)
{
    bool home = m->to == CW_MEMORY_HOST;
    const struct cw_run_context_device *p = place_of(r, home ? m->from : m->to);
    cl_mem replica = p->slot->home ? (cl_mem)(uintptr_t)r->root->r.handle : r->root->mirrors[p->lane->number];
    uint8_t *host = r->root->address + m->low;
    uint64_t begin = cw_run_global_lock_now_ns(), bytes = m->high - m->low;
    cl_int err;

    cw_run_context_device_turn_take(p);
    if (cw_run_fault_copy(p->lane, home))
        err = CL_OUT_OF_RESOURCES;
    else if (home)
        err = cw_next.clEnqueueReadBuffer(p->copies, replica, CL_TRUE, m->low, bytes, host, 0, NULL, NULL);
    else
        err = cw_next.clEnqueueWriteBuffer(p->copies, replica, CL_TRUE, m->low, bytes, host, 0, NULL, NULL);
    cw_run_context_device_turn_give(p);
    hold_link(p->lane, begin, bytes);
    return err;
}

/* ---- copies in the recorded log */

static uint64_t recorded_memory(const struct cw_run_region *r)
{
    const struct cw_object *o = cw_run.recording ? cw_object_find(r->root->r.handle, CW_LOG_O_MEMORY) : NULL;

    return o ? (uint64_t)o->id + 1 : 0;
}

static uint64_t recorded_device(uint32_t memory)
{
    uint32_t i = 0;

    while (i < cw_run.num_lanes && cw_run.lanes[i].memory != memory)
        i++;
    return memory == CW_MEMORY_HOST || i == cw_run.num_lanes ? 0 : cw_run.lanes[i].recorded;
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

/* ---- all copies that a command needs */

struct cw_run_spread *cw_run_spread_of(struct cw_run_region *r)
{
    struct cw_run_spread *s = r->spread ? NULL : calloc(1, sizeof *s);

    if (r->spread || !s)
        return r->spread;
    if (!cw_extents_init(&s->valid, r->high - r->low, bit(home_of(r)))) {
        free(s);
        return NULL;
    }
    s->region = r;
    s->recorded = recorded_memory(r);
    s->next = first_spread;
    if (first_spread)
        first_spread->prev = s;
    first_spread = s;
    cw_run.spreads++;
    return r->spread = s;
}

void cw_run_spread_free(struct cw_run_spread *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < cw_run.num_lanes; i++)
        if (cw_run.lanes[i].memory != CW_MEMORY_HOST && s->region->root->mirrors[i])
            cw_run.lanes[i].far_bytes -= s->valid.bytes;
    if (s->prev)
        s->prev->next = s->next;
    else
        first_spread = s->next;
    if (s->next)
        s->next->prev = s->prev;
    cw_extents_finish(&s->valid);
    free(s);
    cw_run.spreads--;
}

bool cw_run_spread_part(const struct cw_run_region *r, uint64_t low, uint64_t high, struct cw_extent *part)
{
    if (r->spread)
        return cw_extents_missing(&r->spread->valid, low, high, UINT64_MAX, part);
    *part = (struct cw_extent){low, high, bit(CW_MEMORY_HOST)};
    return low < high;
}

struct cw_run_region *cw_run_spread_after(const struct cw_run_region *r)
{
    const struct cw_run_spread *s = r ? r->spread->next : first_spread;

    return s ? s->region : NULL;
}

static bool is_under_way(const struct cw_run_spread *s, const struct cw_coherence_move *m)
{
    for (const struct arrival *a = s->arrivals; a; a = a->next)
        if (a->move.to == m->to && a->move.low < m->high && m->low < a->move.high)
            return true;
    return false;
}

static void wait_for_arrival(void)
{
    cw_run.waiters++;
    cw_run_global_lock_wait(0);
    cw_run.waiters--;
}

static void arrives(struct cw_run_spread *s, struct arrival *arrival)
{
    struct arrival **at = &s->arrivals;

    while (*at != arrival)
        at = &(*at)->next;
    *at = arrival->next;
    cw_run_global_lock_tell();
}

/* There is room for one change. Lock held; given up meanwhile. */
static bool make_copy(const struct cw_run_region *r, const struct cw_coherence_move *move)
{
    struct cw_run_spread *s = r->spread;
    struct arrival arrival = {*move, s->arrivals};
    bool home = move->to == CW_MEMORY_HOST, skip = cw_run_fault_now(CW_RUN_FAULT_UNFETCHED);
    uint64_t begin_ns = CW_UNLIKELY(cw_run.recording) ? cw_run_clock_now_ns() : 0;
    cl_int err;

    s->arrivals = &arrival;
    cw_run_global_lock_give();
    err = skip ? CL_SUCCESS : copy(r, move);
    cw_run_global_lock_take();
    if (err == CL_SUCCESS)
        cw_coherence_moved(&s->valid, move);
    else
        cw_extents_return(&s->valid, 1);
    cw_run.counts.far_copies[home]++;
    cw_run.counts.far_bytes[home] += move->high - move->low;
    cw_run.counts.far_bytes_for[cause.why] += move->high - move->low;
    if (CW_UNLIKELY(cw_run.recording))
        record(s, move, begin_ns);
    arrives(s, &arrival);
    if (err != CL_SUCCESS)
        cw_run_quarantine_begin(place_of(r, home ? move->from : move->to)->lane, err, true);
    return err == CL_SUCCESS;
}

/* [low, high) is valid in memories of `keep` only. False: there is no room to say so. */
static bool keep_only(struct cw_run_spread *s, uint64_t low, uint64_t high, uint64_t keep)
{
    struct cw_extent piece;

    if (!cw_extents_reserve(&s->valid, 1))
        return false;
    for (uint64_t at = low; cw_extents_missing(&s->valid, at, high, UINT64_MAX, &piece); at = piece.high)
        if (piece.valid && !(piece.valid & keep))
            cw_run.counts.lost += piece.high - piece.low;
    cw_extents_change(&s->valid, low, high, keep, 0);
    return true;
}

/* Its bytes that do not have to be there before. */
static struct cw_coherence_move sure_part(const struct cw_run_access *a)
{
    return (struct cw_coherence_move){a->rows ? a->low : a->sure, a->rows ? a->high : a->sure_end,
                                      CW_MEMORY_HOST, CW_MEMORY_HOST};
}

/* A command writes some of these bytes in the host's memory, and does not need what was there. */
static bool is_covered(const struct cw_run_spread *s, const struct cw_coherence_move *m)
{
    for (const struct cw_run_access *a = m->to == CW_MEMORY_HOST ? s->covers : NULL; a; a = a->next_cover) {
        const struct cw_coherence_move sure = sure_part(a);

        if (sure.low < m->high && m->low < sure.high)
            return true;
    }
    return false;
}

/* Makes [low, high) valid in `memory`. A copy that does not come home is tried once more; then its device
 * does not have these bytes. False: some are lost, the device does not take them, or memory is out.
 * Likewise. */
static bool fetch(struct cw_run_region *r, uint64_t low, uint64_t high, uint32_t memory)
{
    struct cw_run_spread *s = r->spread;
    struct cw_coherence_move move;
    uint32_t failures = 0;
    bool lost;

    while (cw_coherence_next(&s->valid, low, high, memory, &move, &lost)) {
        if (is_under_way(s, &move) || is_covered(s, &move))
            wait_for_arrival();
        else if (!cw_extents_reserve(&s->valid, 1))
            return false;
        else if (make_copy(r, &move))
            continue;
        else if (move.to != CW_MEMORY_HOST)
            return false;
        else if (failures++ % 2 && !keep_only(s, move.low, move.high, ~bit(move.from)))
            return false;
    }
    return !lost;
}

static bool is_home(const struct cw_run_spread *s)
{
    return s->valid.n == 1 && s->valid.of[0].valid == bit(home_of(s->region));
}

void cw_run_spread_all_home(void)
{
    struct cw_run_spread *s = first_spread;

    cause.command = cw_run.recording ? cw_enqueuing : 0;
    cause.why = CW_MOVE_NATIVE;
    while (s) {
        struct cw_run_region *r = s->region;
        bool good;

        if (is_home(s)) {
            s = s->next;
            continue;
        }
        cw_run_record_pin(&r->root->r);
        good = fetch(r, 0, s->valid.bytes, home_of(r)) && cw_extents_reserve(&s->valid, 1);
        if (good)
            cw_coherence_written(&s->valid, 0, s->valid.bytes, home_of(r));
        s = good ? first_spread : s->next; /* the list may be another one */
        cw_run_record_unpin(&r->root->r);
    }
}

/* ---- room in a device's own memory */

static bool is_argument(const struct cw_run_task *t, const struct cw_run_memory *root)
{
    for (uint32_t i = 0; i < t->launch.kernel->count; i++)
        if (t->launch.args[i].memory && t->launch.args[i].memory->root == root)
            return true;
    return false;
}

/* The buffer in the memory of `l` that has not been used there for the longest time, and is no argument of
 * `t`. NULL: there is none. */
static struct cw_run_region *oldest(const struct cw_run_worker *l, const struct cw_run_task *t)
{
    struct cw_run_region *found = NULL;

    for (struct cw_run_spread *s = first_spread; s; s = s->next) {
        const struct cw_run_memory *root = s->region->root;

        if (root->mirrors[l->number] && !s->arrivals && !is_argument(t, root) &&
            (!found || root->used < found->root->used))
            found = s->region;
    }
    return found;
}

/* All that is valid in `memory` alone goes home; nothing is valid in `memory` then. False: some is lost, or
 * memory is out. */
static bool leave(struct cw_run_spread *s, uint32_t memory)
{
    struct cw_extent piece;
    uint64_t at = 0;
    bool good = true;

    while (cw_extents_missing(&s->valid, at, s->valid.bytes, bit(CW_MEMORY_HOST), &piece)) {
        if (piece.valid == bit(memory) && !cw_run_fault_since(CW_RUN_FAULT_UNSAVED))
            good &= fetch(s->region, piece.low, piece.high, CW_MEMORY_HOST);
        at = piece.high;
    }
    while (s->arrivals) /* from there, perhaps */
        wait_for_arrival();
    return keep_only(s, 0, s->valid.bytes, ~bit(memory)) && good;
}

static bool is_anywhere(const struct cw_run_spread *s, uint32_t memory)
{
    for (uint32_t i = 0; i < s->valid.n; i++)
        if (s->valid.of[i].valid & bit(memory))
            return true;
    return false;
}

void cw_run_spread_leave(struct cw_run_worker *l)
{
    struct cw_run_spread *s = first_spread;

    while (s) {
        struct cw_run_region *r = s->region;

        if (!is_anywhere(s, l->memory)) {
            s = s->next;
            continue;
        }
        cw_run_record_pin(&r->root->r);
        leave(s, l->memory);
        s = is_anywhere(s, l->memory) ? s->next : first_spread; /* the list may be another one */
        cw_run_record_unpin(&r->root->r);
    }
}

/* The memory objects of a buffer and its parts there. A later one may get the same handle: arguments are set
 * anew (workers/execute.c compares numbers of memory objects, too). */
static void drop_replica(struct cw_run_memory *m, uint32_t lane)
{
    cw_run_global_lock_release_later(CW_RUN_DROP_MEMORY, m->mirrors[lane]);
    m->mirrors[lane] = NULL;
    m->id = ++cw_run.memory_ids;
}

static bool evict(struct cw_run_worker *l, struct cw_run_region *r)
{
    struct cw_run_memory *root = r->root;
    bool good;

    cw_run_record_pin(&root->r);
    cause.why = CW_MOVE_ROOM;
    good = leave(r->spread, l->memory);
    cause.why = CW_MOVE_NEEDED;
    for (struct cw_run_memory *m = root->parts; good && m; m = m->next_part)
        drop_replica(m, l->number);
    if (good) {
        drop_replica(root, l->number);
        l->far_bytes -= root->bytes;
        cw_run.counts.evicted++;
    }
    cw_run_record_unpin(&root->r);
    return good;
}

bool cw_run_spread_make_room(struct cw_run_worker *l, const struct cw_run_task *t)
{
    struct cw_run_region *old;
    bool any = false;

    while ((old = oldest(l, t)) && evict(l, old))
        any = true;
    return any;
}

static uint64_t capacity_of(const struct cw_run_worker *l)
{
    return l->far->capacity ? l->far->capacity : UINT64_MAX;
}

/* The device has a memory object for argument `m` of the launch. Worker held; lock held, given up
 * meanwhile. */
static bool make_replica(const struct cw_run_task *t, const struct cw_run_context_device *p,
                         struct cw_run_memory *m)
{
    struct cw_run_worker *l = p->lane;
    struct cw_run_memory *root = m->root;
    struct cw_run_region *old;
    bool is_new = !root->mirrors[l->number];
    cl_mem made;

    while (is_new && l->far_bytes + root->bytes > capacity_of(l))
        if (!(old = oldest(l, t)) || !evict(l, old))
            return false;
    if (!cw_run_spread_of(root->region))
        return false;
    l->far_bytes += is_new ? root->bytes : 0;
    do {
        cw_run_global_lock_give();
        made = cw_run_mirror_of(m, p);
        cw_run_global_lock_take();
    } while (!made && cw_run_spread_make_room(l, t));
    if (!root->mirrors[l->number])
        l->far_bytes -= root->bytes;
    return made;
}

/* The device has memory objects for all arguments, and a queue for copies. Likewise. */
static bool make_replicas(const struct cw_run_task *t)
{
    struct cw_run_context *c = t->queue->context;
    struct cw_run_context_device *p = &c->places[t->at.place];
    bool good;

    cw_run_global_lock_give();
    good = cw_run_context_device_queue(c, p);
    good = good && cw_run_context_device_copies(c, p);
    cw_run_global_lock_take();
    for (uint32_t i = 0; good && !p->slot->home && i < t->launch.kernel->count; i++)
        if (t->launch.args[i].memory)
            good = make_replica(t, p, t->launch.args[i].memory);
    return good;
}

/* ---- the bytes of an access */

/* The rows of a rectangle that the access is. Between them lie bytes that native commands may be writing, or
 * the program, where they are mapped. */
static uint32_t rows_of(const struct cw_run_task *t, const struct cw_run_access *a)
{
    size_t rows = t->work == CW_RUN_COPY ? t->copy.region[1] * t->copy.region[2] : 1;

    bool few = rows <= FEW_ROWS || a->region->root->was_mapped || !cw_run_native_use_is_over(a->region);

    return rows > 1 && few ? (uint32_t)rows : 0;
}

static uint64_t row_low(const struct cw_run_task *t, const struct cw_run_access *a, uint32_t i)
{
    const struct cw_run_transfer *c = &t->copy;
    uint64_t y = i % c->region[1], z = i / c->region[1];

    return a->low + z * (a->write ? c->to_slice : c->from_slice) + y * (a->write ? c->to_row : c->from_row);
}

/* Range `i` of those that have to be there before: bytes that the access surely writes need not. False: there
 * are no more. */
static bool needed(const struct cw_run_task *t, const struct cw_run_access *a, uint32_t i, uint64_t *low,
                   uint64_t *high)
{
    bool sure = a->sure < a->sure_end;

    if (CW_UNLIKELY(a->write && cw_run_fault_since(CW_RUN_FAULT_HASTY)))
        return false;
    if (a->rows) {
        *low = a->write ? 0 : row_low(t, a, i);
        *high = *low + t->copy.region[0];
        return !a->write && i < a->rows;
    }
    *low = i ? a->sure_end : a->low;
    *high = i || !sure ? a->high : a->sure;
    return i <= sure;
}

static bool fetch_needed(const struct cw_run_task *t, const struct cw_run_access *a, uint32_t memory)
{
    uint64_t low, high;
    bool good = true;

    for (uint32_t i = 0; good && needed(t, a, i, &low, &high); i++)
        good = fetch(a->region, low, high, memory);
    return good;
}

/* Makes room for the changes at the end of a write. A write that gets it only then: its buffer has left home
 * beside it, which has not changed where these bytes are valid, as commands on them come before or after this
 * one. False: it is none, or memory is out. */
static bool has_room(struct cw_run_access *a)
{
    uint32_t changes = a->rows ? a->rows : 1;

    if (!a->write || !a->region->spread)
        return false;
    if (!a->promised && cw_extents_reserve(&a->region->spread->valid, changes))
        a->promised = changes;
    return a->promised;
}

/* The command is about to write bytes in the host's memory that were not fetched: copies that come there have
 * to be over, and no other one begins. */
static void cover(struct cw_run_task *t)
{
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];
        const struct cw_coherence_move sure = sure_part(a);

        if (!a->write || !a->region->spread || a->covers || sure.low == sure.high)
            continue;
        a->covers = true;
        a->next_cover = a->region->spread->covers;
        a->region->spread->covers = a;
    }
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];
        const struct cw_coherence_move sure = sure_part(a);

        while (a->covers && is_under_way(a->region->spread, &sure))
            wait_for_arrival();
    }
}

static void uncover(struct cw_run_task *t)
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

static bool fetch_one(const struct cw_run_task *t, struct cw_run_access *a, uint32_t memory)
{
    struct cw_run_region *r = a->region;

    if (memory != home_of(r) && t->work == CW_RUN_LAUNCH && !cw_run_native_use_is_over(r))
        return false;
    if (memory != CW_MEMORY_HOST && !cw_run_spread_of(r))
        return false;
    if (!r->spread)
        return true;
    a->rows = rows_of(t, a);
    if (!fetch_needed(t, a, memory))
        return false;
    r->root->used = cw_run.sequence;
    if (CW_UNLIKELY(cw_run.chaos) && cw_run.spreads % 4 == memory % 4 && !a->rows && !r->root->was_mapped &&
        cw_run_native_use_is_over(r))
        fetch(r, a->low, a->high, CW_MEMORY_HOST); /* a copy that nothing needs */
    return !a->write || has_room(a);
}

/* ---- claims
 *
 * Commands whose bytes overlap are ordered, but for those that wait for native work (memory/byte_range.c). A
 * launch is said to reach more bytes than it writes: in one memory that does no harm to a command that it is
 * not ordered with. In two it would: the bytes that one of them has written would not be valid any more. */

static bool is_claimed(const struct cw_run_task *t, const struct cw_run_access *list, uint64_t low,
                       uint64_t high)
{
    for (const struct cw_run_access *a = list; a; a = a->next)
        if (a->task->claims && a->task != t && a->low < high && low < a->high &&
            memory_of(a->task) != memory_of(t))
            return true;
    return false;
}

bool cw_run_spread_may_claim(const struct cw_run_task *t)
{
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        const struct cw_run_access *a = &t->accesses.of[i];

        if (a->region->root && (is_claimed(t, a->region->writes, a->low, a->high) ||
                                (a->write && is_claimed(t, a->region->reads, a->low, a->high))))
            return false;
    }
    return true;
}

static bool is_away(const struct cw_run_task *t)
{
    return t->work == CW_RUN_LAUNCH && t->at.lane != t->at.home;
}

/* The vendor counts maps that it has made itself. */
static bool is_mapped(const struct cw_run_memory *root)
{
    cl_uint maps = 0;

    cw_next.clGetMemObjectInfo((cl_mem)(uintptr_t)root->r.handle, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL);
    return root->maps || maps;
}

/* No other command and no thread of the program works on the same bytes at home meanwhile. What begins to
 * later is ordered behind the command. */
static bool may_be_here(const struct cw_run_task *t)
{
    bool may = !is_away(t) || (!t->unordered && !t->queue->context->native_calls);

    for (uint32_t i = 0; may && is_away(t) && i < t->launch.kernel->count; i++)
        may = !t->launch.args[i].memory || !is_mapped(t->launch.args[i].memory->root);
    return may;
}

cl_int cw_run_spread_fetch(struct cw_run_task *t)
{
    uint32_t memory = memory_of(t);
    bool good = true;

    cause.command = t->order.recorded ? t->order.recorded : t->order.serves;
    cause.why = t->native ? CW_MOVE_NATIVE : CW_MOVE_NEEDED;
    t->claims = true;
    if (memory != CW_MEMORY_HOST)
        good = may_be_here(t) && make_replicas(t) && may_be_here(t);
    for (uint32_t i = 0; i < t->accesses.n && good; i++)
        if (t->accesses.of[i].region->root)
            good = fetch_one(t, &t->accesses.of[i], memory);
    if (memory == CW_MEMORY_HOST)
        cover(t);
    return good ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

static bool has_needed(const struct cw_run_task *t, const struct cw_run_access *a, uint32_t memory)
{
    const struct cw_run_spread *s = a->region->spread;
    uint64_t low, high;
    struct cw_extent piece;

    for (uint32_t i = 0; s && needed(t, a, i, &low, &high); i++)
        if (cw_extents_missing(&s->valid, low, high, bit(memory), &piece))
            return false;
    if (s && memory == CW_MEMORY_HOST && a->write && !a->covers) /* the others have to be covered first */
        return !cw_extents_missing(&s->valid, a->low, a->high, bit(memory), &piece);
    return s || memory == CW_MEMORY_HOST;
}

/* A buffer that the launch surely writes has no bytes to fetch, but has to be there. */
static bool has_replicas(const struct cw_run_task *t)
{
    bool all = true;

    for (uint32_t i = 0; all && i < t->launch.kernel->count; i++)
        all = !t->launch.args[i].memory || t->launch.args[i].memory->mirrors[t->at.lane];
    return all;
}

bool cw_run_spread_is_here(const struct cw_run_task *t)
{
    uint32_t memory = memory_of(t);

    if (memory != CW_MEMORY_HOST && is_away(t) && (t->unordered || !has_replicas(t)))
        return false;
    for (uint32_t i = 0; i < t->accesses.n; i++)
        if (t->accesses.of[i].region->root && !has_needed(t, &t->accesses.of[i], memory))
            return false;
    return true;
}

bool cw_run_spread_claims(struct cw_run_task *t)
{
    t->claims = cw_run_spread_is_here(t) && cw_run_spread_may_claim(t);
    return t->claims;
}

void cw_run_spread_release(struct cw_run_task *t)
{
    t->claims = false;
    for (uint32_t i = 0; i < cw_run.num_lanes; i++)
        cw_run.lanes[i].blocked = false; /* they look again */
    cw_run_global_lock_tell();
}

/* ---- the end of a command */

static void note(const struct cw_run_task *t, const struct cw_run_access *a, uint32_t memory)
{
    struct cw_extents *valid = &a->region->spread->valid;
    uint64_t low;

    for (uint32_t i = 0; i < a->rows; i++) {
        low = row_low(t, a, i);
        cw_coherence_written(valid, low, low + t->copy.region[0], memory);
    }
    if (!a->rows)
        cw_coherence_written(valid, a->low, a->high, memory);
    if (CW_UNLIKELY(cw_run.chaos) && memory != CW_MEMORY_HOST && !a->region->root->was_mapped)
        memset(a->region->root->address + a->low, CW_MEMORY_STALE, a->high - a->low);
}

static void written(struct cw_run_task *t)
{
    uint32_t memory = memory_of(t);

    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];

        if (!has_room(a))
            continue;
        if (CW_UNLIKELY(memory != home_of(a->region) && cw_run_fault_now(CW_RUN_FAULT_UNNOTED)))
            cw_extents_return(&a->region->spread->valid, a->promised);
        else
            note(t, a, memory);
        a->promised = 0;
    }
}

void cw_run_spread_lost(struct cw_run_task *t)
{
    cw_run.counts.deprived++;
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];

        if (!a->write || !a->region->root || !cw_run_spread_of(a->region))
            continue;
        for (uint32_t row = 0; row < a->rows; row++)
            keep_only(a->region->spread, row_low(t, a, row), row_low(t, a, row) + t->copy.region[0], 0);
        if (!a->rows)
            keep_only(a->region->spread, a->low, a->high, 0);
        cw_extents_return(&a->region->spread->valid, a->promised);
        a->promised = 0;
    }
}

/* [low, high) is not valid in `memory`. True: it is elsewhere. */
static bool is_kept(struct cw_run_spread *s, uint64_t low, uint64_t high, uint32_t memory)
{
    return low >= high || (keep_only(s, low, high, ~bit(memory)) && cw_extents_reserve(&s->valid, 1) &&
                           cw_coherence_failed(&s->valid, low, high, memory));
}

void cw_run_spread_over(struct cw_run_task *t)
{
    if (cw_run.spreads && !t->given_up && (t->outcome.status >= 0 || t->begun))
        written(t);
    if (t->claims)
        cw_run_spread_release(t);
    if (cw_run.spreads)
        uncover(t);
}

bool cw_run_spread_failed(struct cw_run_task *t)
{
    uint32_t memory = memory_of(t);
    bool kept = true;

    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];
        bool partly = a->sure < a->sure_end;

        if (!has_room(a))
            continue;
        a->promised = 0;
        kept &= is_kept(a->region->spread, a->low, partly ? a->sure : a->high, memory);
        kept &= !partly || is_kept(a->region->spread, a->sure_end, a->high, memory);
        cw_coherence_failed(&a->region->spread->valid, a->low, a->high, memory);
    }
    if (!kept)
        cw_run_spread_lost(t);
    return kept;
}

/* ---- the summary */

int cw_run_spread_describe(char *text, unsigned size)
{
    const struct cw_run_counts *c = &cw_run.counts;
    char a[16], b[16], needed[16], native[16], room[16];

    if (!c->far_copies[0] && !c->far_copies[1])
        return 0;
    return snprintf(text, size,
                    "run: memories: %s in %llu copies to devices, %s in %llu back: %s for managed commands, "
                    "%s for native ones, %s to make room (%llu buffers)\n",
                    cw_quantity_bytes(c->far_bytes[0], a), (unsigned long long)c->far_copies[0],
                    cw_quantity_bytes(c->far_bytes[1], b), (unsigned long long)c->far_copies[1],
                    cw_quantity_bytes(c->far_bytes_for[CW_MOVE_NEEDED], needed),
                    cw_quantity_bytes(c->far_bytes_for[CW_MOVE_NATIVE], native),
                    cw_quantity_bytes(c->far_bytes_for[CW_MOVE_ROOM], room), (unsigned long long)c->evicted);
}
