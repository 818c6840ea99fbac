/* byte_range.c - which unfinished commands touch which bytes, and the order that follows.
 *
 * Every byte that a command may touch lies in one region, and is named by it and an offset: an allocation
 * that this library made for a buffer, or "all other host memory", where programs' own pointers and
 * CL_MEM_USE_HOST_PTR buffers lie; so overlapping accesses meet, without alias analysis. A region
 * keeps the accesses of unfinished commands only, and of these none that a later write covers: a command that
 * depends on the write depends on them too.
 *
 * Commands of different queues, or of one out of order, are ordered so as well, though the standard asks
 * nothing where no event says it (sections 3.2.3 and 5.11): then programs that get away with it bare still
 * do. Not behind a command that waits for native work, which may in turn wait for the host. */
#include "../core/fault.h"
#include "../core/state.h"
#include "../core/edge.h"
#include "byte_range.h"
#include "native_use.h"

#include <stdlib.h>

#include "../../../analyzer/io/address_map.h"

static struct cw_address_map regions; /* of buffers and of shared virtual memory */

struct cw_run_region *cw_run_byte_range_region_at(const void *address, uint64_t *offset)
{
    struct cw_run_region *found = cw_address_map_find(&regions, (uintptr_t)address, 1, NULL),
                         *r = found ? found : &cw_run.host;

    *offset = (uintptr_t)address - r->low;
    return r;
}

bool cw_run_byte_range_among(const void *address, size_t bytes)
{
    return cw_address_map_find(&regions, (uintptr_t)address, bytes, NULL);
}

struct cw_run_region *cw_run_byte_range_region_create(void *address, size_t bytes)
{
    struct cw_run_region *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->low = (uintptr_t)address;
    r->high = r->low + bytes;
    if (cw_address_map_add(&regions, r->low, bytes, r))
        return r;
    free(r);
    return NULL;
}

void cw_run_byte_range_region_leave(const struct cw_run_region *r)
{
    if (cw_address_map_find(&regions, r->low, 1, NULL) == r)
        cw_address_map_remove(&regions, r->low);
}

void cw_run_byte_range_region_destroy(struct cw_run_region *r)
{
    if (!r || r == &cw_run.host)
        return;
    cw_run_byte_range_region_leave(r);
    cw_run_native_use_forget(r);
    free(r);
}

static void take_out(struct cw_run_access *a)
{
    struct cw_run_access **head = a->write ? &a->region->writes : &a->region->reads;

    if (a->prev)
        a->prev->next = a->next;
    else
        *head = a->next;
    if (a->next)
        a->next->prev = a->prev;
    a->listed = false;
}

/* A command behind `before` may wait for a host action that follows a command of `q`. An in-order queue makes
 * it wait all the same. One that runs waits for others of its batch only; one that was given up counts as one
 * that runs. */
static bool may_hold_up(const struct cw_run_task *before, const struct cw_run_queue *q)
{
    return before->behind_native && before->waits && before->state < CW_RUN_RUNNING &&
           !(before->queue == q && q->in_order);
}

/* Commands that meet `t`, which is to go into `q`, are ordered behind it, so that none has to meet the
 * accesses that it covers. Those of other queues may not be ordered behind one that is behind_native: it
 * covers only what they may not be ordered behind either. */
static bool covers(const struct cw_run_queue *q, const struct cw_run_task *t, const struct cw_run_task *a)
{
    return a == t || !t->behind_native || (a->behind_native && a->queue == q && q->in_order);
}

/* Orders `t`, which is to go into `q`, behind every command of `list` that meets the access `by` and does not
 * commute with it. Accesses that it covers stay, where later ones commute with it. */
static void order_behind(const struct cw_run_queue *q, struct cw_run_task *t, struct cw_run_access *list,
                         const struct cw_run_access *by)
{
    uint64_t low = by->low, high = by->high;
    struct cw_run_access *a, *next;
    bool ordered;

    for (a = list; a; a = next) {
        next = a->next;
        if (a->high <= low || a->low >= high || cw_reach_commute(a->commutes, by->commutes))
            continue;
        if (CW_UNLIKELY(may_hold_up(a->task, q)))
            continue;
        ordered = a->task == t || cw_run_edge_add(a->task, t, CW_RUN_DATA);
        if (ordered && by->write && !by->commutes && low <= a->low && a->high <= high &&
            covers(q, t, a->task))
            take_out(a); /* else `t` is given up, and later commands have to meet this one */
    }
}

static bool any_comes_first(const struct cw_run_queue *q, const struct cw_run_access *list)
{
    while (list && may_hold_up(list->task, q))
        list = list->next;
    return list;
}

bool cw_run_byte_range_is_used(const struct cw_run_queue *q, const struct cw_run_region *r)
{
    return any_comes_first(q, r->writes) || any_comes_first(q, r->reads);
}

static void add(const struct cw_run_queue *q, struct cw_run_task *t, struct cw_run_access by)
{
    struct cw_run_access *a = &t->accesses.of[t->accesses.n],
                         **head = by.write ? &by.region->writes : &by.region->reads;

    if (by.low == by.high)
        return;
    order_behind(q, t, by.region->writes, &by);
    if (by.write)
        order_behind(q, t, by.region->reads, &by);
    *a = by;
    a->task = t;
    a->next = *head;
    a->listed = true;
    if (*head)
        (*head)->prev = a;
    *head = a;
    t->accesses.n++;
}

void cw_run_byte_range_add_access(const struct cw_run_queue *q, struct cw_run_task *t,
                                  struct cw_run_region *r, uint64_t low, size_t bytes, bool write)
{
    add(q, t, (struct cw_run_access){.region = r, .low = low, .high = low + bytes, .write = write});
}

void cw_run_byte_range_add_memory(const struct cw_run_queue *q, struct cw_run_task *t,
                                  const struct cw_run_memory *m, uint64_t offset, size_t bytes, bool write)
{
    if (!((m->image || m->svm) && cw_run_fault_since(CW_RUN_FAULT_UNSEEN)))
        cw_run_byte_range_add_access(q, t, m->region, m->offset + offset, bytes, write);
}

void cw_run_byte_range_add_piece(const struct cw_run_queue *q, struct cw_run_task *t,
                                 const struct cw_run_memory *m, const struct cw_reach_piece *p)
{
    uint64_t low = m->offset + p->begin, bytes = p->end - p->begin;

    if (m->svm && cw_run_fault_since(CW_RUN_FAULT_UNSEEN))
        return;
    add(q, t,
        (struct cw_run_access){.region = m->region,
                               .low = low,
                               .high = low + bytes - cw_run_fault_narrow(bytes),
                               .write = p->write,
                               .commutes = cw_run.far_workers ? 0 : p->commutes});
}

void cw_run_byte_range_is_sure(struct cw_run_task *t, uint64_t low, uint64_t bytes)
{
    struct cw_run_access *a = t->accesses.n ? &t->accesses.of[t->accesses.n - 1] : NULL;

    if (!a || !a->write || low < a->low || low + bytes > a->high)
        return;
    a->sure = low;
    a->sure_end = low + bytes;
}

void cw_run_byte_range_remove_accesses(struct cw_run_task *t)
{
    for (uint32_t i = 0; i < t->accesses.n; i++)
        if (t->accesses.of[i].listed)
            take_out(&t->accesses.of[i]);
    t->accesses.n = 0;
}
