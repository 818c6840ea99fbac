/* habits.c - see figures.h. */
#include "figures.h"
#include "../record/command_facts.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MAPS = 1024 }; /* under way at once that are looked at */

struct look {
    const struct cw_trace *t;
    struct cw_habits *h;
    uint32_t *latest;         /* per queue: command + 1 that was enqueued last */
    uint32_t *flushed;        /* per queue: commands with lower ids have been flushed */
    bool *busy;               /* per queue: something was enqueued since the host waited for all of it */
    uint32_t maps[MOST_MAPS]; /* commands */
    size_t map_count;
};

static void note(struct cw_habit *h, uint32_t command)
{
    if (!h->count++)
        h->first = command;
}

/* The next action of the same thread behind command i; CW_NONE: there is none nearby. */
static uint32_t next_of_thread(const struct cw_trace *t, uint32_t i)
{
    for (uint32_t k = i + 1; k < t->commands.count && k < i + 64; k++)
        if (t->commands.v[k].thread == t->commands.v[i].thread && t->commands.v[k].type != CW_HOST_POLL &&
            t->commands.v[k].type != CW_HOST_WRITE)
            return k;
    return CW_NONE;
}

static uint32_t last_of_thread(const struct cw_trace *t, uint32_t i)
{
    for (uint32_t k = i, steps = 0; k-- > 0 && steps < 64; steps++)
        if (t->commands.v[k].thread == t->commands.v[i].thread && t->commands.v[k].type != CW_HOST_FLUSH)
            return k;
    return CW_NONE;
}

static bool is_launch_on(const struct cw_trace *t, uint32_t i, uint32_t queue)
{
    return i != CW_NONE && t->commands.v[i].queue == queue && t->commands.v[i].kernel != CW_NONE &&
           cw_command_works(&t->commands.v[i]);
}

static void look_at_finish(struct look *l, uint32_t i)
{
    const struct cw_command *k = &l->t->commands.v[i], *n;
    uint32_t next = next_of_thread(l->t, i);

    n = next == CW_NONE ? NULL : &l->t->commands.v[next];
    if (!l->busy[k->queue] ||
        (n && n->queue == k->queue && n->blocking && !l->t->queues.v[k->queue].out_of_order && !n->status))
        note(&l->h->needless_finish, i);
    else if (!l->t->queues.v[k->queue].out_of_order && is_launch_on(l->t, next, k->queue) &&
             is_launch_on(l->t, last_of_thread(l->t, i), k->queue))
        note(&l->h->finish_between, i);
}

/* A wait flushes the queues of its events. A poll does not. */
static void flush_waited(struct look *l, uint32_t i)
{
    const struct cw_command *k = &l->t->commands.v[i];
    bool polled = false;

    for (uint32_t w = 0; w < k->wait_list.count; w++) {
        uint32_t id = l->t->waits.v[k->wait_list.first + w];
        uint32_t queue = id < l->t->commands.count ? l->t->commands.v[id].queue : CW_NONE;
        if (queue >= l->t->queues.count)
            continue;
        polled |= cw_trace_command_is_enqueue(&l->t->commands.v[id]) && id >= l->flushed[queue];
        l->flushed[queue] = l->latest[queue]; /* of a poll: an ended command needs no flush any more */
    }
    if (polled && k->type == CW_HOST_POLL)
        note(&l->h->polled, i);
}

static void look_at_waits(struct look *l, uint32_t i)
{
    const struct cw_command *k = &l->t->commands.v[i];

    for (uint32_t w = 0; w < k->wait_list.count; w++) {
        uint32_t id = l->t->waits.v[k->wait_list.first + w];
        const struct cw_command *c = id < i ? &l->t->commands.v[id] : NULL;
        if (!c || !cw_trace_command_is_enqueue(c) || c->queue >= l->t->queues.count || c->queue == k->queue ||
            id < l->flushed[c->queue])
            continue;
        note(&l->h->unflushed, i);
        return;
    }
}

static bool is_mapped(const struct look *l, uint64_t address)
{
    for (size_t m = 0; m < l->map_count; m++) {
        const struct cw_t_transfer *x = &l->t->transfers.v[l->t->commands.v[l->maps[m]].transfer];
        if (address >= x->host_ptr && address - x->host_ptr < x->bytes)
            return true;
    }
    return false;
}

static void look_at_transfer(struct look *l, uint32_t i)
{
    const struct cw_command *k = &l->t->commands.v[i];
    const struct cw_t_transfer *x = &l->t->transfers.v[k->transfer];
    uint32_t device = cw_trace_command_device(l->t, k);

    if (k->type == CL_COMMAND_MAP_BUFFER && l->map_count < MOST_MAPS)
        l->maps[l->map_count++] = i;
    for (size_t m = 0; k->type == CL_COMMAND_UNMAP_MEM_OBJECT && m < l->map_count; m++)
        if (l->maps[m] == x->map_command)
            l->maps[m--] = l->maps[--l->map_count];
    if ((k->type != CL_COMMAND_READ_BUFFER && k->type != CL_COMMAND_WRITE_BUFFER) || device == CW_NONE ||
        l->t->devices.v[device].host_unified || x->bytes < CW_HABITS_PAGEABLE_BYTES || x->staged_bytes ||
        !x->host_ptr || is_mapped(l, x->host_ptr))
        return;
    note(&l->h->pageable, i);
    l->h->pageable_bytes += x->bytes;
}

static void look_at_launch(struct look *l, uint32_t i)
{
    const struct cw_command *k = &l->t->commands.v[i];

    if (!k->local_null && k->work_dim && k->local_size[0] == 1 && k->local_size[1] == 1 &&
        k->local_size[2] == 1 && (k->global_size[0] > 1 || k->global_size[1] > 1 || k->global_size[2] > 1))
        note(&l->h->single_items, i);
}

static void look_at_command(struct look *l, uint32_t i)
{
    const struct cw_command *k = &l->t->commands.v[i];
    uint32_t queue = k->queue < l->t->queues.count ? k->queue : CW_NONE;

    if (k->status)
        return;
    if (k->type == CW_HOST_WAIT || k->type == CW_HOST_POLL)
        flush_waited(l, i);
    if (queue == CW_NONE)
        return;
    if (k->type == CW_HOST_FINISH)
        look_at_finish(l, i);
    if (cw_trace_command_is_enqueue(k)) {
        look_at_waits(l, i);
        l->latest[queue] = i + 1;
        l->busy[queue] = true;
    }
    if (k->type == CW_HOST_FINISH || k->type == CW_HOST_FLUSH || k->blocking)
        l->flushed[queue] = l->latest[queue];
    if (k->type == CW_HOST_FINISH || (k->blocking && !l->t->queues.v[queue].out_of_order))
        l->busy[queue] = false;
    if (k->transfer < l->t->transfers.count && cw_command_works(k))
        look_at_transfer(l, i);
    if (k->kernel != CW_NONE)
        look_at_launch(l, i);
}

/* Marks what a queue was given before an awaited wait for all of it. `all`: room for a mark per queue. True:
 * something is new. */
static bool mark_queue(const struct cw_trace *t, bool *awaited, bool *all)
{
    bool more = false;

    memset(all, 0, t->queues.count * sizeof *all);
    for (size_t i = t->commands.count; i-- > 0;) {
        const struct cw_command *k = &t->commands.v[i];
        if (k->queue >= t->queues.count)
            continue;
        if (all[k->queue] && !awaited[i])
            awaited[i] = more = true;
        all[k->queue] |= awaited[i] && cw_command_awaits_queue(k);
    }
    return more;
}

/* awaited[i]: command i is a host wait, or one is behind it in an order that the program asked for. */
static void find_awaited(const struct cw_trace *t, bool *awaited, bool *all)
{
    bool more = true;

    for (uint32_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        awaited[i] = !cw_trace_command_is_enqueue(k) ? k->type != CW_HOST_FLUSH : cw_command_is_wait(k);
    }
    while (more) { /* once or twice: edges are in the order of their ends, and most lead forwards */
        more = mark_queue(t, awaited, all);
        for (size_t e = t->edges.count; e-- > 0;) {
            const struct cw_edge *edge = &t->edges.v[e];
            if (edge->kind == CW_EDGE_DATA || !awaited[edge->to] || awaited[edge->from])
                continue;
            awaited[edge->from] = more = true;
        }
    }
}

static bool look_at_the_end(struct cw_habits *h, const struct cw_trace *t)
{
    bool *awaited = calloc(t->commands.count + 1, sizeof *awaited),
         *all = calloc(t->queues.count + 1, sizeof *all), ok = awaited && all;

    if (ok && t->process.complete && !t->process.selection && !t->process.stopped_why) {
        find_awaited(t, awaited, all);
        for (uint32_t i = 0; i < t->commands.count; i++)
            if (!awaited[i] && cw_command_works(&t->commands.v[i]) && t->commands.v[i].exec_status == 1 &&
                !t->commands.v[i].end_ns)
                note(&h->unawaited, i);
    }
    free(awaited);
    free(all);
    return ok;
}

enum cw_status cw_habits_find(struct cw_habits *h, const struct cw_trace *t, struct cw_error *err)
{
    struct look l = {.t = t,
                     .h = h,
                     .latest = calloc(t->queues.count + 1, sizeof *l.latest),
                     .flushed = calloc(t->queues.count + 1, sizeof *l.flushed),
                     .busy = calloc(t->queues.count + 1, sizeof *l.busy)};
    bool ok = l.latest && l.flushed && l.busy;

    *h = (struct cw_habits){{0, CW_NONE}, {0, CW_NONE}, {0, CW_NONE}, {0, CW_NONE},
                            {0, CW_NONE}, {0, CW_NONE}, {0, CW_NONE}, 0};
    ok = ok && look_at_the_end(h, t);
    for (uint32_t i = 0; ok && i < t->commands.count; i++)
        look_at_command(&l, i);
    free(l.latest);
    free(l.flushed);
    free(l.busy);
    return ok ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
}
