/* spread_space.c - room for buffers in a device's own memory, of memory/spread.h. */
#include "spread_state.h"

#include "../core/context_device.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "mirror.h"

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

    for (struct cw_run_spread *s = cw_run_spread_first(); s; s = s->next) {
        const struct cw_run_memory *root = s->region->root;

        if (root->mirrors[l->number] && !s->arrivals && !is_argument(t, root) &&
            (!found || root->used < found->root->used))
            found = s->region;
    }
    return found;
}

/* The first piece of the buffer that is valid in `memory` alone. */
static bool find_alone(const struct cw_run_spread *s, uint32_t memory, struct cw_extent *piece)
{
    for (uint64_t at = 0;
         cw_extents_missing(&s->valid, at, s->valid.bytes, cw_run_spread_bit(CW_MEMORY_HOST), piece);
         at = piece->high)
        if (piece->valid == cw_run_spread_bit(memory))
            return true;
    return false;
}

/* All that is valid in `memory` alone goes home; nothing is valid in `memory` then. What another memory has,
 * too, may leave that one meanwhile. False: some is lost, or memory is out. */
static bool leave(struct cw_run_spread *s, uint32_t memory)
{
    struct cw_extent piece;
    bool good = true;

    cw_run_spread_beside_spoil(s, 0, s->valid.bytes, memory);
    for (;;) {
        while (good && find_alone(s, memory, &piece) && !cw_run_fault_since(CW_RUN_FAULT_UNSAVED))
            good = cw_run_spread_bring(NULL, s->region, piece.low, piece.high, CW_MEMORY_HOST);
        if (!s->arrivals)
            break;
        cw_run_spread_wait(); /* from there, perhaps */
    }
    return cw_run_spread_keep_only(s, 0, s->valid.bytes, ~cw_run_spread_bit(memory)) && good;
}

static bool is_anywhere(const struct cw_run_spread *s, uint32_t memory)
{
    for (uint32_t i = 0; i < s->valid.n; i++)
        if (s->valid.of[i].valid & cw_run_spread_bit(memory))
            return true;
    return false;
}

void cw_run_spread_leave(struct cw_run_worker *l)
{
    struct cw_run_spread *s = cw_run_spread_first();

    while (s) {
        struct cw_run_region *r = s->region;

        if (!is_anywhere(s, l->memory)) {
            s = s->next;
            continue;
        }
        cw_run_record_pin(&r->root->r);
        leave(s, l->memory);
        s = is_anywhere(s, l->memory) ? s->next : cw_run_spread_first(); /* the list may be another one */
        cw_run_record_unpin_for_timer(&r->root->r);
    }
}

/* The memory objects of a buffer and its parts there. A later one may get the same handle: arguments are set
 * anew (workers/execute.c compares numbers of memory objects, too). */
static void drop_replica(struct cw_run_memory *m, uint32_t worker)
{
    cw_run_global_lock_release_later(CW_RUN_DROP_MEMORY, m->mirrors[worker]);
    m->mirrors[worker] = NULL;
    m->id = ++cw_run.memory_ids;
}

static bool evict(struct cw_run_worker *l, struct cw_run_region *r)
{
    struct cw_run_memory *root = r->root;
    bool good;

    cw_run_record_pin(&root->r);
    cw_run_spread_copies_are(CW_MOVE_SPACE);
    good = leave(r->spread, l->memory);
    cw_run_spread_copies_are(CW_MOVE_NEEDED);
    for (struct cw_run_memory *m = root->parts; good && m; m = m->next_part)
        drop_replica(m, l->number);
    if (good) {
        drop_replica(root, l->number);
        l->far_bytes -= root->bytes;
        cw_run.counts.evicted++;
    }
    cw_run_record_unpin_for_timer(&root->r);
    return good;
}

bool cw_run_spread_make_space(struct cw_run_worker *l, const struct cw_run_task *t)
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
    struct cw_run_worker *l = p->worker;
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
    } while (!made && cw_run_spread_make_space(l, t));
    if (!root->mirrors[l->number])
        l->far_bytes -= root->bytes;
    return made;
}

static bool has_replicas(const struct cw_run_task *t, const struct cw_run_context_device *p)
{
    bool all = p->queue && p->copies;

    for (uint32_t i = 0; all && !p->device->home && i < t->launch.kernel->count; i++)
        all = !t->launch.args[i].memory || t->launch.args[i].memory->mirrors[p->worker->number];
    return all;
}

bool cw_run_spread_make_replicas(struct cw_run_task *t)
{
    struct cw_run_context *c = t->queue->context;
    struct cw_run_context_device *p = &c->places[t->at.place];
    bool good;

    if (has_replicas(t, p))
        return true;
    if (t->work == CW_RUN_LAUNCH)
        t->launch.opens = true;
    cw_run_global_lock_give();
    good = cw_run_context_device_queue(c, p);
    good = good && cw_run_context_device_copies(c, p);
    cw_run_global_lock_take();
    for (uint32_t i = 0; good && !p->device->home && i < t->launch.kernel->count; i++)
        if (t->launch.args[i].memory)
            good = make_replica(t, p, t->launch.args[i].memory);
    if (t->work == CW_RUN_LAUNCH)
        t->launch.opens = false;
    cw_run_global_lock_tell();
    return good;
}
