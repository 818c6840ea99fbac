/* control_flow.c - see graph_parts.h; algorithm A1. */
#include "graph_parts.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

typedef CW_ARRAY(uint32_t) id_array;

struct queue_state {
    uint32_t last;      /* newest command, CW_NONE */
    uint32_t collector; /* newest barrier or marker of an out-of-order queue that waits for all before it */
    id_array barriers;  /* of an out-of-order queue, in the order of the sweep */
    id_array exits;     /* in the order of the sweep; may hold dead ones until the next clean-up */
    size_t live;        /* how many of them were alive at the last clean-up */
    id_array issued;    /* in-order queue: its commands, ascending ... */
    size_t first;       /* ... those before this index are proven complete by host waits */
    uint32_t proved;    /* 1 + the newest command that a returned host wait proved complete */
};

struct cw_control_flow {
    const struct cw_trace *t;
    struct queue_state *queues;
    uint8_t *covered;   /* per command: a returned host wait is ordered after it */
    uint32_t *followed; /* per command: the first of its queue that is ordered after it, CW_NONE */
    uint32_t *gate;   /* per command: 1 + the set of a user event, later than it, that it waits for; 0 none */
    id_array waiting; /* host waits that had not returned when the newest command began */
    id_array newest;  /* returned host waits that no returned host wait is ordered after */
    uint32_t *position; /* per command: 1 + how many were swept before it; 0 = not swept yet */
    uint32_t swept;
};

struct cw_control_flow *cw_control_flow_create(const struct cw_trace *t)
{
    struct cw_control_flow *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->t = t;
    c->queues = calloc(t->queues.count + 1, sizeof *c->queues);
    c->covered = calloc(t->commands.count + 1, 1);
    c->followed = malloc((t->commands.count + 1) * sizeof *c->followed);
    c->gate = calloc(t->commands.count + 1, sizeof *c->gate);
    c->position = calloc(t->commands.count + 1, sizeof *c->position);
    if (!c->queues || !c->covered || !c->followed || !c->gate || !c->position) {
        cw_control_flow_destroy(c);
        return NULL;
    }
    memset(c->followed, 0xff, t->commands.count * sizeof *c->followed);
    for (size_t q = 0; q < t->queues.count; q++)
        c->queues[q].last = c->queues[q].collector = CW_NONE;
    return c;
}

void cw_control_flow_destroy(struct cw_control_flow *c)
{
    if (!c)
        return;
    for (size_t q = 0; c->queues && q < c->t->queues.count; q++) {
        free(c->queues[q].barriers.v);
        free(c->queues[q].exits.v);
        free(c->queues[q].issued.v);
    }
    free(c->queues);
    free(c->covered);
    free(c->followed);
    free(c->gate);
    free(c->position);
    free(c->waiting.v);
    free(c->newest.v);
    free(c);
}

static bool append(id_array *a, uint32_t id)
{
    uint32_t *entry = cw_trace_push(a, 1);

    if (!entry)
        return false;
    *entry = id;
    return true;
}

static bool is_barrier(uint32_t type)
{
    return type == CL_COMMAND_BARRIER;
}

/* A barrier or marker without a wait list waits for all that its queue was given before it. */
static bool collects(const struct cw_command *k)
{
    return (is_barrier(k->type) || k->type == CL_COMMAND_MARKER) && k->wait_list.count == 0;
}

/* A command whose return tells the host that it (and its predecessors) is complete. */
static bool is_host_wait(const struct cw_command *k)
{
    return k->blocking || k->type == CW_HOST_FINISH || k->type == CW_HOST_WAIT || k->type == CW_HOST_POLL;
}

/* A wait list may name a user event that is never set, or one of a cycle in a lying trace: such a wait orders
 * nothing. */
static bool is_swept(const struct cw_control_flow *c, uint32_t id)
{
    return id < c->t->commands.count && c->position[id] != 0;
}

static bool in_order(const struct cw_control_flow *c, uint32_t queue)
{
    return queue < c->t->queues.count && !c->t->queues.v[queue].out_of_order;
}

/* Drops exits that no later barrier, marker or clFinish has to name: those behind a host wait, and those that
 * one of their queue follows. In an out-of-order queue the follower counts from the next collector on,
 * because the sweep may have moved a marker behind commands that came after it. */
static void sweep_exits(struct cw_control_flow *c, struct queue_state *q, bool ordered)
{
    size_t stay = 0;

    for (size_t i = 0; i < q->exits.count; i++) {
        uint32_t x = q->exits.v[i], f = c->followed[x];
        if (!c->covered[x] && (f == CW_NONE || !(ordered || (q->collector != CW_NONE && f <= q->collector))))
            q->exits.v[stay++] = x;
    }
    q->exits.count = stay;
    q->live = stay;
}

/* Edges from the exits of `queue` to `to`, which waits for all of the queue that came before it. */
static void add_exits(struct cw_control_flow *c, uint32_t queue, uint32_t to, enum cw_edge_kind kind,
                      struct cw_edge_list *edges)
{
    struct queue_state *q = &c->queues[queue];

    sweep_exits(c, q, in_order(c, queue));
    for (size_t i = 0; i < q->exits.count; i++)
        if (q->exits.v[i] < to && c->followed[q->exits.v[i]] > to)
            cw_edge_list_add(edges, q->exits.v[i], to, kind);
}

/* Edges to host wait `to` from the commands that the end of command `upto` of an in-order queue proves
 * complete. */
static void add_issued(struct cw_control_flow *c, uint32_t queue, uint32_t upto, uint32_t to,
                       struct cw_edge_list *edges)
{
    struct queue_state *q = &c->queues[queue];

    while (q->first < q->issued.count && q->issued.v[q->first] < q->proved)
        q->first++;
    for (size_t i = q->first; i < q->issued.count && q->issued.v[i] <= upto; i++)
        if (c->followed[q->issued.v[i]] > upto)
            cw_edge_list_add(edges, q->issued.v[i], to, CW_EDGE_HOST);
}

/* Adds the commands that a host wait proves complete. The end of a command of an in-order queue proves the
 * end of those before it, and the program may rely on that (two reads, one wait for the second). */
static void add_waited(struct cw_control_flow *c, uint32_t id, struct cw_edge_list *edges)
{
    const struct cw_trace *t = c->t;
    const struct cw_command *k = &t->commands.v[id];

    if (k->type == CW_HOST_FINISH && k->queue < t->queues.count)
        add_exits(c, k->queue, id, CW_EDGE_HOST, edges);
    if (k->blocking && in_order(c, k->queue))
        add_exits(c, k->queue, id, CW_EDGE_HOST, edges);
    if (k->type != CW_HOST_WAIT && k->type != CW_HOST_POLL)
        return;
    for (uint32_t i = 0; i < k->wait_list.count; i++) {
        uint32_t w = t->waits.v[k->wait_list.first + i];
        if (!is_swept(c, w))
            continue;
        cw_edge_list_add(edges, w, id, CW_EDGE_HOST);
        if (in_order(c, t->commands.v[w].queue))
            add_issued(c, t->commands.v[w].queue, w, id, edges);
    }
}

static void cover_exits(struct cw_control_flow *c, uint32_t queue, uint32_t upto)
{
    struct queue_state *q = &c->queues[queue];

    for (size_t i = 0; i < q->exits.count; i++)
        if (q->exits.v[i] <= upto)
            c->covered[q->exits.v[i]] = 1;
    if (in_order(c, queue) && q->proved <= upto)
        q->proved = upto + 1;
}

/* Host wait `id` has returned: later commands are ordered after it, so the commands that it proved complete
 * need no edge of their own any more, and neither does an older wait that had returned when it began. */
static bool wait_returned(struct cw_control_flow *c, uint32_t id)
{
    const struct cw_trace *t = c->t;
    const struct cw_command *k = &t->commands.v[id];
    size_t stay = 0;

    for (size_t i = 0; i < c->newest.count; i++) {
        uint32_t older = c->newest.v[i];
        if (c->position[older] > c->position[id] || !cw_host_wait_returned(&t->commands.v[older], k))
            c->newest.v[stay++] = older;
    }
    c->newest.count = stay;
    if (k->type == CW_HOST_FINISH && k->queue < t->queues.count)
        cover_exits(c, k->queue, id);
    if (k->blocking && in_order(c, k->queue))
        cover_exits(c, k->queue, id);
    for (uint32_t i = 0; (k->type == CW_HOST_WAIT || k->type == CW_HOST_POLL) && i < k->wait_list.count;
         i++) {
        uint32_t w = t->waits.v[k->wait_list.first + i];
        if (!is_swept(c, w))
            continue;
        c->covered[w] = 1;
        if (in_order(c, t->commands.v[w].queue))
            cover_exits(c, t->commands.v[w].queue, w);
    }
    if (k->blocking)
        c->covered[id] = 1;
    return append(&c->newest, id);
}

/* Moves the host waits that had returned when `k` was called from `waiting` to `newest`. */
static bool collect_returned(struct cw_control_flow *c, const struct cw_command *k)
{
    size_t stay = 0;
    bool ok = true;

    for (size_t i = 0; i < c->waiting.count; i++) {
        uint32_t w = c->waiting.v[i];
        if (!cw_host_wait_returned(&c->t->commands.v[w], k))
            c->waiting.v[stay++] = w;
        else
            ok = wait_returned(c, w) && ok;
    }
    c->waiting.count = stay;
    return ok;
}

/* The newest barrier that the queue was given before `id`, CW_NONE. The sweep may have put `id` behind a
 * later one, which has a wait list and does not hold it. */
static uint32_t barrier_before(const struct queue_state *q, uint32_t id)
{
    for (size_t i = q->barriers.count; i-- > 0;) /* each holds those after it, so they ascend */
        if (q->barriers.v[i] < id)
            return q->barriers.v[i];
    return CW_NONE;
}

static void add_queue_edges(struct cw_control_flow *c, uint32_t id, struct cw_edge_list *edges)
{
    const struct cw_command *k = &c->t->commands.v[id];
    struct queue_state *q = &c->queues[k->queue];
    uint32_t barrier = barrier_before(q, id);

    if (in_order(c, k->queue) && q->last != CW_NONE) {
        cw_edge_list_add(edges, q->last, id, CW_EDGE_QUEUE);
        /* A user event holds all behind its waiter: until it is set the program may prepare their memory. */
        if (c->gate[q->last] > id)
            cw_edge_list_add(edges, c->gate[q->last] - 1, id, CW_EDGE_EVENT);
    }
    if (barrier != CW_NONE)
        cw_edge_list_add(edges, barrier, id, CW_EDGE_BARRIER);
    if (collects(k))
        add_exits(c, k->queue, id, CW_EDGE_BARRIER, edges);
}

void cw_control_flow_enter(struct cw_control_flow *c, uint32_t id, struct cw_edge_list *edges)
{
    const struct cw_trace *t = c->t;
    const struct cw_command *k = &t->commands.v[id];

    if (k->status != 0 || k->type == CW_HOST_FLUSH)
        return;
    if (!collect_returned(c, k))
        edges->failed = true;
    for (size_t i = 0; i < c->newest.count; i++)
        cw_edge_list_add(edges, c->newest.v[i], id, CW_EDGE_HOST);
    if (is_host_wait(k))
        add_waited(c, id, edges);
    if (!cw_trace_command_is_enqueue(k))
        return;
    for (uint32_t i = 0; i < k->wait_list.count; i++)
        if (is_swept(c, t->waits.v[k->wait_list.first + i]))
            cw_edge_list_add(edges, t->waits.v[k->wait_list.first + i], id, CW_EDGE_EVENT);
    if (k->type == CL_COMMAND_UNMAP_MEM_OBJECT && k->transfer != CW_NONE &&
        is_swept(c, t->transfers.v[k->transfer].map_command))
        cw_edge_list_add(edges, t->transfers.v[k->transfer].map_command, id, CW_EDGE_EVENT);
    if (k->queue < t->queues.count)
        add_queue_edges(c, id, edges);
}

/* Notes, for an enqueued command, its predecessors and the user event that holds it. */
static void note_edges(struct cw_control_flow *c, uint32_t id, const struct cw_edge_list *edges)
{
    const struct cw_command *v = c->t->commands.v;

    for (size_t i = 0; i < edges->pending.count; i++) {
        const struct cw_edge *e = &edges->pending.v[i];
        uint32_t gate = v[e->from].type == CW_HOST_USER_EVENT ? e->from + 1 : c->gate[e->from];
        if (gate > id + 1 && gate > c->gate[id])
            c->gate[id] = gate;
        if (e->kind != CW_EDGE_QUEUE && v[e->from].queue == v[id].queue &&
            cw_trace_command_is_enqueue(&v[e->from]) && id < c->followed[e->from])
            c->followed[e->from] = id;
    }
}

bool cw_control_flow_leave(struct cw_control_flow *c, uint32_t id, const struct cw_edge_list *edges)
{
    const struct cw_trace *t = c->t;
    const struct cw_command *k = &t->commands.v[id];
    struct queue_state *q;

    c->position[id] = ++c->swept;
    if (k->status != 0 || k->type == CW_HOST_FLUSH)
        return true;
    if (is_host_wait(k) && !append(&c->waiting, id))
        return false;
    if (!cw_trace_command_is_enqueue(k) || k->queue >= t->queues.count)
        return true;
    note_edges(c, id, edges);
    q = &c->queues[k->queue];
    q->last = id;
    if (!in_order(c, k->queue)) {
        if (is_barrier(k->type) && !append(&q->barriers, id))
            return false;
        q->collector = collects(k) ? id : q->collector;
    }
    if (q->exits.count > 2 * q->live + 64)
        sweep_exits(c, q, in_order(c, k->queue));
    return append(&q->exits, id) && (!in_order(c, k->queue) || append(&q->issued, id));
}
