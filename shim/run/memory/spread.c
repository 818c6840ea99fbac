/* spread.c - see memory/spread.h. */
#include "spread.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../door/door.h"
#include "../core/context_device.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/state.h"
#include "coherence.h"
#include "mirror.h"
#include "native_use.h"

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
};

static struct cw_run_spread *first_spread; /* lock held */

static uint64_t bit(uint32_t memory)
{
    return UINT64_C(1) << memory;
}

static uint32_t memory_of(const struct cw_run_task *t)
{
    return cw_run.lanes[t->at.lane].memory;
}

static struct cw_run_worker *worker_of(uint32_t memory)
{
    struct cw_run_worker *l = cw_run.lanes;

    while (l->memory != memory)
        l++;
    return l;
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
static bool copy(const struct cw_run_region *r, const struct cw_coherence_move *m)
{
    struct cw_run_worker *far = worker_of(m->to == CW_MEMORY_HOST ? m->from : m->to);
    cl_mem replica = r->root->mirrors[far->number];
    uint8_t *host = r->root->address + m->low;
    uint64_t begin = cw_run_global_lock_now_ns(), bytes = m->high - m->low;
    cl_int err =
        m->to == CW_MEMORY_HOST
            ? cw_next.clEnqueueReadBuffer(far->copies, replica, CL_TRUE, m->low, bytes, host, 0, NULL, NULL)
            : cw_next.clEnqueueWriteBuffer(far->copies, replica, CL_TRUE, m->low, bytes, host, 0, NULL, NULL);

    hold_link(far, begin, bytes);
    return err == CL_SUCCESS;
}

/* ---- all copies that a command needs */

static struct cw_run_spread *spread_of(struct cw_run_region *r)
{
    struct cw_run_spread *s = r->spread ? NULL : calloc(1, sizeof *s);

    if (r->spread || !s)
        return r->spread;
    if (!cw_extents_init(&s->valid, r->high - r->low, bit(CW_MEMORY_HOST))) {
        free(s);
        return NULL;
    }
    s->region = r;
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

/* Lock held; given up meanwhile. */
static bool make_copy(const struct cw_run_region *r, const struct cw_coherence_move *move)
{
    struct cw_run_spread *s = r->spread;
    struct arrival arrival = {*move, s->arrivals};
    bool home = move->to == CW_MEMORY_HOST, skip = cw_run_fault_now(CW_RUN_FAULT_UNFETCHED), good;

    if (!cw_extents_reserve(&s->valid, 1))
        return false;
    s->arrivals = &arrival;
    cw_run_global_lock_give();
    good = skip || copy(r, move);
    cw_run_global_lock_take();
    if (good)
        cw_coherence_moved(&s->valid, move);
    else
        cw_extents_return(&s->valid, 1);
    cw_run.counts.far_copies[home]++;
    cw_run.counts.far_bytes[home] += move->high - move->low;
    arrives(s, &arrival);
    return good;
}

/* Makes [low, high) valid in `memory`. Likewise. */
static bool fetch(struct cw_run_region *r, uint64_t low, uint64_t high, uint32_t memory)
{
    struct cw_coherence_move move;
    bool lost;

    while (cw_coherence_next(&r->spread->valid, low, high, memory, &move, &lost)) {
        if (is_under_way(r->spread, &move))
            wait_for_arrival();
        else if (!make_copy(r, &move))
            return false;
    }
    return !lost;
}

static bool is_home(const struct cw_run_spread *s)
{
    return s->valid.n == 1 && s->valid.of[0].valid == bit(CW_MEMORY_HOST);
}

void cw_run_spread_all_home(void)
{
    struct cw_run_spread *s = first_spread;

    while (s) {
        struct cw_run_region *r = s->region;
        bool good;

        if (is_home(s)) {
            s = s->next;
            continue;
        }
        cw_run_record_pin(&r->root->r);
        good = fetch(r, 0, s->valid.bytes, CW_MEMORY_HOST) && cw_extents_reserve(&s->valid, 1);
        if (good)
            cw_coherence_written(&s->valid, 0, s->valid.bytes, CW_MEMORY_HOST);
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

/* All that is valid in `memory` alone goes home; nothing is valid in `memory` then. */
static bool leave(struct cw_run_spread *s, uint32_t memory)
{
    struct cw_extent piece;
    uint64_t at = 0;

    while (cw_extents_missing(&s->valid, at, s->valid.bytes, bit(CW_MEMORY_HOST), &piece)) {
        if (piece.valid == bit(memory) && !cw_run_fault_since(CW_RUN_FAULT_UNSAVED) &&
            !fetch(s->region, piece.low, piece.high, CW_MEMORY_HOST))
            return false;
        at = piece.high;
    }
    while (s->arrivals) /* from there, perhaps */
        wait_for_arrival();
    if (!cw_extents_reserve(&s->valid, 1))
        return false;
    cw_extents_change(&s->valid, 0, s->valid.bytes, ~bit(memory), 0);
    return true;
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
    good = leave(r->spread, l->memory);
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
    if (!spread_of(root->region))
        return false;
    l->far_bytes += is_new ? root->bytes : 0;
    cw_run_global_lock_give();
    made = cw_run_mirror_of(m, p);
    cw_run_global_lock_take();
    if (!root->mirrors[l->number])
        l->far_bytes -= root->bytes;
    return made;
}

/* The device has memory objects for all arguments, and a queue for copies. Likewise. */
static bool make_replicas(const struct cw_run_task *t)
{
    struct cw_run_context *c = t->queue->context;
    struct cw_run_context_device *p = &c->places[t->at.place];
    struct cw_run_worker *l = p->lane;
    bool good;
    cl_int err;

    cw_run_global_lock_give();
    good = cw_run_context_device_queue(c, p);
    if (good && !l->copies)
        l->copies = cw_next.clCreateCommandQueue(p->context, l->device, 0, &err);
    cw_run_global_lock_take();
    good = l->copies;
    for (uint32_t i = 0; good && i < t->launch.kernel->count; i++)
        if (t->launch.args[i].memory)
            good = make_replica(t, p, t->launch.args[i].memory);
    return good;
}

/* Bytes that the access surely writes need not be there before. A command that may run beside this one on the
 * same bytes would have them copied over what this one has written. */
static bool needs_all(const struct cw_run_access *a)
{
    return a->sure == a->sure_end || a->task->unordered;
}

static bool fetch_needed(struct cw_run_access *a, uint32_t memory)
{
    if (CW_UNLIKELY(a->write && cw_run_fault_since(CW_RUN_FAULT_HASTY)))
        return true;
    if (needs_all(a))
        return fetch(a->region, a->low, a->high, memory);
    return fetch(a->region, a->low, a->sure, memory) && fetch(a->region, a->sure_end, a->high, memory);
}

static bool fetch_one(struct cw_run_access *a, uint32_t memory)
{
    struct cw_run_region *r = a->region;

    if (memory != CW_MEMORY_HOST && !cw_run_native_use_is_over(r))
        return false;
    if (memory != CW_MEMORY_HOST && !spread_of(r))
        return false;
    if (!r->spread)
        return true;
    if (!fetch_needed(a, memory))
        return false;
    r->root->used = cw_run.sequence;
    if (CW_UNLIKELY(cw_run.chaos) && cw_run.spreads % 4 == memory % 4 &&
        !fetch(r, a->low, a->high, CW_MEMORY_HOST)) /* a copy that nothing needs */
        return false;
    a->promised = a->write && (a->promised || cw_extents_reserve(&r->spread->valid, 1));
    return !a->write || a->promised;
}

/* The vendor counts maps that it has made itself. */
static bool is_mapped(const struct cw_run_memory *root)
{
    cl_uint maps = 0;

    cw_next.clGetMemObjectInfo((cl_mem)(uintptr_t)root->r.handle, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL);
    return root->maps || maps;
}

/* No other command and no thread of the program works on the same bytes in the host's memory meanwhile. What
 * begins to later is ordered behind the command. */
static bool may_be_away(const struct cw_run_task *t)
{
    bool may = !t->unordered && !t->queue->context->native_calls;

    for (uint32_t i = 0; may && i < t->launch.kernel->count; i++)
        may = !t->launch.args[i].memory || !is_mapped(t->launch.args[i].memory->root);
    return may;
}

cl_int cw_run_spread_fetch(struct cw_run_task *t)
{
    uint32_t memory = memory_of(t);
    bool good = true;

    if (memory != CW_MEMORY_HOST)
        good = may_be_away(t) && make_replicas(t) && may_be_away(t);
    for (uint32_t i = 0; i < t->accesses.n && good; i++)
        if (t->accesses.of[i].region->root)
            good = fetch_one(&t->accesses.of[i], memory);
    return good ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

static bool has_needed(const struct cw_run_access *a, uint32_t memory)
{
    const struct cw_run_spread *s = a->region->spread;
    uint64_t where = bit(memory);
    struct cw_extent piece;

    if (!s)
        return memory == CW_MEMORY_HOST;
    if (needs_all(a))
        return !cw_extents_missing(&s->valid, a->low, a->high, where, &piece);
    return !cw_extents_missing(&s->valid, a->low, a->sure, where, &piece) &&
           !cw_extents_missing(&s->valid, a->sure_end, a->high, where, &piece);
}

static bool has_replicas(const struct cw_run_task *t)
{
    bool has = true;

    for (uint32_t i = 0; has && i < t->launch.kernel->count; i++)
        has = !t->launch.args[i].memory || t->launch.args[i].memory->mirrors[t->at.lane];
    return has;
}

bool cw_run_spread_is_here(const struct cw_run_task *t)
{
    uint32_t memory = memory_of(t);

    if (memory != CW_MEMORY_HOST && (t->unordered || !has_replicas(t)))
        return false;
    for (uint32_t i = 0; i < t->accesses.n; i++)
        if (t->accesses.of[i].region->root && !has_needed(&t->accesses.of[i], memory))
            return false;
    return true;
}

/* ---- the end of a command */

/* A write for which there is no room yet: its buffer has left home beside it. It has not changed where these
 * bytes are valid, as commands on them come before or after this one. */
static bool has_room(struct cw_run_access *a)
{
    return a->write && a->region->spread && (a->promised || cw_extents_reserve(&a->region->spread->valid, 1));
}

void cw_run_spread_written(struct cw_run_task *t)
{
    uint32_t memory = memory_of(t);

    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];

        if (!has_room(a))
            continue;
        a->promised = false;
        if (CW_UNLIKELY(cw_run_fault_now(CW_RUN_FAULT_UNNOTED))) {
            cw_extents_return(&a->region->spread->valid, 1);
            continue;
        }
        cw_coherence_written(&a->region->spread->valid, a->low, a->high, memory);
        if (CW_UNLIKELY(cw_run.chaos) && memory != CW_MEMORY_HOST)
            memset(a->region->root->address + a->low, CW_MEMORY_STALE, a->high - a->low);
    }
}

bool cw_run_spread_failed(struct cw_run_task *t)
{
    uint32_t memory = memory_of(t);
    bool kept = true;

    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];

        if (!has_room(a))
            continue;
        a->promised = false;
        kept &= cw_coherence_failed(&a->region->spread->valid, a->low, a->high, memory);
    }
    return kept;
}
