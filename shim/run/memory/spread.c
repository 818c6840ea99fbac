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

#define STALE 0xA5 /* under chaos: what bytes read as where they are not valid */

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
    bool home = move->to == CW_MEMORY_HOST, good;

    if (!cw_extents_reserve(&s->valid, 1))
        return false;
    s->arrivals = &arrival;
    cw_run_global_lock_give();
    good = copy(r, move);
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

/* The device has memory objects for all arguments, and a queue for copies. Worker held; lock not held. */
static bool make_replicas(const struct cw_run_task *t)
{
    struct cw_run_context *c = t->queue->context;
    struct cw_run_context_device *p = &c->places[t->at.place];
    struct cw_run_worker *l = p->lane;
    cl_int err;

    if (!cw_run_context_device_queue(c, p))
        return false;
    if (!l->copies)
        l->copies = cw_next.clCreateCommandQueue(p->context, l->device, 0, &err);
    for (uint32_t i = 0; l->copies && i < t->launch.kernel->count; i++)
        if (t->launch.args[i].memory && !cw_run_mirror_of(t->launch.args[i].memory, p))
            return false;
    return l->copies;
}

static bool fetch_one(struct cw_run_access *a, uint32_t memory)
{
    struct cw_run_region *r = a->region;

    if (memory != CW_MEMORY_HOST && !spread_of(r))
        return false;
    if (!r->spread || a->promised)
        return true;
    if (!fetch(r, a->low, a->high, memory))
        return false;
    return !a->write || (a->promised = cw_extents_reserve(&r->spread->valid, 1));
}

cl_int cw_run_spread_fetch(struct cw_run_task *t)
{
    uint32_t memory = memory_of(t);
    bool good = true;

    if (memory != CW_MEMORY_HOST) {
        cw_run_global_lock_give();
        good = make_replicas(t);
        cw_run_global_lock_take();
    }
    for (uint32_t i = 0; i < t->accesses.n && good; i++)
        if (t->accesses.of[i].region->root)
            good = fetch_one(&t->accesses.of[i], memory);
    return good ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

bool cw_run_spread_is_here(const struct cw_run_task *t)
{
    uint32_t memory = memory_of(t);
    struct cw_extent piece;

    for (uint32_t i = 0; i < t->accesses.n; i++) {
        const struct cw_run_access *a = &t->accesses.of[i];

        if (!a->region->root)
            continue;
        if (!a->region->spread && memory != CW_MEMORY_HOST)
            return false;
        if (a->region->spread &&
            cw_extents_missing(&a->region->spread->valid, a->low, a->high, bit(memory), &piece))
            return false;
    }
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
        cw_coherence_written(&a->region->spread->valid, a->low, a->high, memory);
        if (CW_UNLIKELY(cw_run.chaos) && memory != CW_MEMORY_HOST)
            memset(a->region->root->address + a->low, STALE, a->high - a->low);
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
