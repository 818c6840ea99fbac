#include "dispatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

/* The record of the holders below the top, on one level. */
static uint32_t *holders(const struct cw_dispatch *s, uint32_t level)
{
    return &s->holder[(size_t)(level - 1) * s->o->tasks];
}

static void put(struct cw_dispatch *s, struct cw_dispatch_queue *q, struct cw_dispatch_range r)
{
    s->no_memory |= !cw_dispatch_queue_put(q, r);
}

static void put_task(struct cw_dispatch *s, struct cw_dispatch_queue *q, uint32_t task)
{
    s->no_memory |= !cw_dispatch_queue_put_task(q, task);
}

static bool is_worker(const struct cw_dispatch *s, uint32_t node)
{
    return node >= s->masters;
}

/* ---- messages: from a child to its master, with its results; the answer is the child's next work */

static void dispatch_post(struct cw_dispatch *s, enum cw_dispatch_kind kind, double at, uint32_t node,
                          uint32_t to_epoch);

static void send(struct cw_dispatch *s, uint32_t child)
{
    struct cw_dispatch_node *c = &s->node[child], *m = &s->node[c->parent];

    m->free_at = fmax(s->now + s->o->latency_s, m->free_at) + s->o->message_s;
    m->served += s->o->message_s;
    s->r->messages++;
    c->sending = true;
    c->parked = false;
    dispatch_post(s, SERVED, m->free_at, child, m->epoch);
}

/* A master writes when it has nothing to give, when its batch is full, or when all that it had is done. */
static void maybe_send(struct cw_dispatch *s, uint32_t master)
{
    struct cw_dispatch_node *m = &s->node[master];
    uint64_t full = (uint64_t)s->o->block * m->below;

    if (master == 0 || m->sending)
        return;
    if ((m->queue.used == 0 && !m->parked) || m->results >= full || (m->results && m->held == 0))
        send(s, master);
}

static double task_time(const struct cw_dispatch *s, uint32_t task)
{
    uint64_t state = s->o->seed ^ (task * UINT64_C(0x9e3779b97f4a7c15));

    return s->o->task_s * cw_random_uniform(&state, 1 - s->o->spread, 1 + s->o->spread);
}

static void start_block(struct cw_dispatch *s, uint32_t worker, struct cw_dispatch_range r)
{
    struct cw_dispatch_node *w = &s->node[worker];

    w->block = r;
    w->began = w->free_at = s->now + s->o->latency_s;
    for (uint32_t t = r.first; t < r.first + r.count; t++)
        w->free_at += task_time(s, t);
    dispatch_post(s, RAN, w->free_at, worker, 0);
}

/* Gives child `child` as much as it asks for and the master has, else parks it. */
static void grant(struct cw_dispatch *s, uint32_t master, uint32_t child)
{
    struct cw_dispatch_node *m = &s->node[master], *c = &s->node[child];
    bool worker = is_worker(s, child);
    uint64_t wanted = worker ? s->o->block : (uint64_t)s->o->block * c->below, given = 0;

    if (!worker && c->queue.used)
        return;
    while (given < wanted && m->queue.used && !(worker && given)) {
        struct cw_dispatch_range r =
            cw_dispatch_queue_grant(&m->queue, holders(s, c->level), child, wanted - given);
        given += r.count;
        if (worker)
            start_block(s, child, r);
        else
            put(s, &c->queue, r);
    }
    c->parked = given == 0;
    c->held += (uint32_t)given;
    for (uint32_t k = c->child; given && !worker && k < c->child + c->children && c->queue.used; k++)
        if (s->node[k].parked)
            grant(s, child, k);
    if (given && !worker)
        maybe_send(s, child);
}

/* Serves those that `master` owes. */
static void grant_parked(struct cw_dispatch *s, uint32_t master)
{
    struct cw_dispatch_node *m = &s->node[master];

    for (uint32_t k = m->child; k < m->child + m->children && m->queue.used; k++)
        if (s->node[k].parked && !s->node[k].dead)
            grant(s, master, k);
}

/* ---- results */

static void deliver(struct cw_dispatch *s, uint32_t task)
{
    s->r->repeated += s->taken[task];
    if (s->taken[task])
        return;
    s->taken[task] = 1;
    s->left--;
    if (s->left == s->o->tasks - s->o->tasks / 4)
        s->half[0] = s->now;
    if (s->left == s->o->tasks / 4)
        s->half[1] = s->now;
}

/* Master `master` takes the results r of `child`, as far as it still holds the child answerable for them. */
static void take_results(struct cw_dispatch *s, uint32_t master, uint32_t child, struct cw_dispatch_range r)
{
    struct cw_dispatch_node *m = &s->node[master];
    uint32_t level = s->node[child].level;

    for (uint32_t t = r.first; t < r.first + r.count; t++) {
        if (!cw_dispatch_queue_settle(holders(s, level), child, t))
            continue;
        if (master == 0) {
            deliver(s, t);
        } else {
            put_task(s, &m->batch, t);
            m->results++;
            m->held--;
        }
    }
}

static void served(struct cw_dispatch *s, const struct cw_dispatch_event *e)
{
    struct cw_dispatch_node *c = &s->node[e->node];
    uint32_t master = c->parent;

    if (c->epoch != e->epoch || s->node[master].epoch != e->to_epoch) {
        s->r->stale++;
        return;
    }
    c->sending = false;
    if (is_worker(s, e->node)) {
        take_results(s, master, e->node, c->block);
        c->block.count = 0;
    }
    while (c->batch.used)
        take_results(s, master, e->node, cw_dispatch_queue_take(&c->batch, UINT32_MAX));
    c->results = 0;
    grant(s, master, e->node);
    maybe_send(s, master);
}

/* ---- failures */

static double until_failure(struct cw_dispatch *s, double mtbf, uint32_t of)
{
    return -log(1 - cw_random_uniform(&s->random, 0, 1)) * mtbf / of;
}

static void fail_worker(struct cw_dispatch *s)
{
    uint32_t k = s->masters + (uint32_t)cw_random_below(&s->random, s->o->workers);
    struct cw_dispatch_node *w = &s->node[k];

    dispatch_post(s, FAIL_WORKER, s->now + until_failure(s, s->o->worker_mtbf_s, s->o->workers), 0, 0);
    if (w->dead)
        return;
    s->r->worker_failures++;
    if (w->block.count) {
        double ran = fmax(0, fmin(s->now, w->free_at) - w->began);
        s->r->lost_s += ran;
        s->work_s += s->now < w->free_at ? ran : 0;
    }
    w->epoch++;
    w->dead = true;
    w->sending = w->parked = false;
    dispatch_post(s, REVIVE, s->now + s->o->detect_s, k, 0);
}

/* The worker's death is known, and its successor there. */
static void revive(struct cw_dispatch *s, uint32_t worker)
{
    struct cw_dispatch_node *w = &s->node[worker], *m = &s->node[w->parent];

    s->no_memory |= !cw_dispatch_queue_return(&m->queue, holders(s, w->level), worker, w->block);
    w->block.count = 0;
    w->dead = false;
    grant_parked(s, w->parent);
    send(s, worker);
}

/* All work of master k that no node below holds goes to the tail of its own master, that of the global
 * master to its own. */
static void succeed(struct cw_dispatch *s, uint32_t k)
{
    struct cw_dispatch_node *m = &s->node[k];
    const uint32_t *below = holders(s, m->level + 1), *here = k ? holders(s, m->level) : NULL;
    struct cw_dispatch_queue stored = {0};

    for (uint32_t t = 0; t < s->o->tasks; t++) {
        if (k ? here[t] != k : s->taken[t])
            continue;
        if (below[t] != CW_DISPATCH_NOBODY)
            put_task(s, &stored, t);
        else if (!k)
            put_task(s, &m->queue, t);
    }
    m->held = 0;
    if (k)
        s->no_memory |= !cw_dispatch_queue_keep(&s->node[m->parent].queue, holders(s, m->level), k,
                                                s->o->tasks, stored.v, stored.used, &m->held);
    cw_dispatch_queue_finish(&stored);
}

/* Master k has a successor, to which its children write anew. */
static void fail_master(struct cw_dispatch *s)
{
    uint32_t k = (uint32_t)cw_random_below(&s->random, s->masters);
    struct cw_dispatch_node *m = &s->node[k];

    dispatch_post(s, FAIL_MASTER, s->now + until_failure(s, s->o->master_mtbf_s, s->masters), 0, 0);
    s->r->master_failures++;
    s->r->global_failures += k == 0;
    s->r->lost_s += m->results * s->o->task_s;
    m->epoch++;
    m->queue.used = m->batch.used = m->results = 0;
    m->sending = m->parked = false;
    m->free_at = s->now + s->o->detect_s;
    succeed(s, k);
    for (uint32_t c = m->child; c < m->child + m->children; c++) {
        struct cw_dispatch_node *n = &s->node[c];
        bool idle = is_worker(s, c) ? !n->dead && (n->block.count == 0 || n->free_at <= s->now) : true;
        n->sending = n->parked = false;
        if (idle && (is_worker(s, c)))
            send(s, c);
        else if (idle)
            maybe_send(s, c);
    }
    if (k) {
        grant_parked(s, m->parent);
        maybe_send(s, k);
    }
}

/* ---- the tree, and running it */

/* Levels from the top; the number of masters of a level follows from the workers and the fan-out. */
static enum cw_status plant(struct cw_dispatch *s, struct cw_error *err)
{
    const struct cw_dispatch_options *o = s->o;
    uint32_t count[CW_DISPATCH_LEVELS_MAX + 1], at = 0, first;

    count[s->levels] = o->workers;
    for (uint32_t l = s->levels; l-- > 0;)
        count[l] = l ? (count[l + 1] + o->fan_out - 1) / o->fan_out : 1;
    for (uint32_t l = 0; l < s->levels; l++)
        s->masters += count[l];
    s->nodes = s->masters + o->workers;
    s->node = calloc(s->nodes, sizeof *s->node);
    s->holder = malloc((size_t)s->levels * o->tasks * sizeof *s->holder);
    s->taken = calloc(o->tasks, 1);
    if (!s->node || !s->holder || !s->taken)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u workers and %u tasks", o->workers,
                            o->tasks);
    memset(s->holder, 0xff, (size_t)s->levels * o->tasks * sizeof *s->holder);
    for (uint32_t l = 0; l <= s->levels; l++)
        for (uint32_t k = 0; k < count[l]; k++, at++) {
            struct cw_dispatch_node *n = &s->node[at];
            n->level = l;
            n->below = l == s->levels;
            if (l == 0)
                continue;
            first = at - k - count[l - 1];
            n->parent = first + (uint32_t)((uint64_t)k * count[l - 1] / count[l]); /* evenly */
            if (s->node[n->parent].children++ == 0)
                s->node[n->parent].child = at;
        }
    for (uint32_t k = s->nodes; k-- > 1;)
        s->node[s->node[k].parent].below += s->node[k].below;
    return CW_OK;
}

static void handle(struct cw_dispatch *s, const struct cw_dispatch_event *e)
{
    const struct cw_dispatch_node *n = &s->node[e->node];

    s->now = e->at;
    if (e->kind == SERVED) {
        served(s, e);
    } else if (e->kind == RAN && n->epoch == e->epoch) {
        s->work_s += n->free_at - n->began;
        send(s, e->node);
    } else if (e->kind == REVIVE) {
        revive(s, e->node);
    } else if (e->kind == FAIL_WORKER) {
        fail_worker(s);
    } else if (e->kind == FAIL_MASTER) {
        fail_master(s);
    }
}

static struct cw_dispatch_event dispatch_next(struct cw_dispatch *s);

static enum cw_status simulate(struct cw_dispatch *s, struct cw_error *err)
{
    const struct cw_dispatch_options *o = s->o;
    uint64_t steps = 0, most = 100 * ((uint64_t)o->tasks + s->nodes) + 100000;
    enum cw_status status = plant(s, err);

    if (status != CW_OK)
        return status;
    put(s, &s->node[0].queue, (struct cw_dispatch_range){0, o->tasks});
    for (uint32_t k = s->masters; k < s->nodes; k++)
        send(s, k);
    if (o->worker_mtbf_s > 0)
        dispatch_post(s, FAIL_WORKER, until_failure(s, o->worker_mtbf_s, o->workers), 0, 0);
    if (o->master_mtbf_s > 0)
        dispatch_post(s, FAIL_MASTER, until_failure(s, o->master_mtbf_s, s->masters), 0, 0);
    while (s->left && s->events && !s->no_memory && steps++ < most) {
        struct cw_dispatch_event e = dispatch_next(s);
        handle(s, &e);
    }
    if (s->no_memory)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u workers", o->workers);
    if (s->left)
        return cw_error_set(err, CW_ERR_LIMIT,
                            "%u of %u tasks were not done within %llu events: failures come faster than "
                            "work is done",
                            s->left, o->tasks, (unsigned long long)most);
    return CW_OK;
}

static double dispatch_formula(const struct cw_dispatch_options *o);

static void measure(struct cw_dispatch *s)
{
    struct cw_dispatch_result *r = s->r;
    uint32_t failures = r->worker_failures + r->master_failures;

    r->seconds = s->now;
    r->throughput = s->half[1] > s->half[0]
                        ? (s->o->tasks - 2 * (s->o->tasks / 4)) / (s->half[1] - s->half[0])
                        : s->o->tasks / s->now;
    r->idle = fmax(0, 1 - s->work_s / (s->now * s->o->workers));
    r->lost_s = failures ? r->lost_s / failures : 0;
    for (uint32_t k = 0; k < s->masters; k++)
        r->busiest = fmax(r->busiest, fmin(1, s->node[k].served / s->now));
    for (uint32_t t = 0; t < s->o->tasks; t++)
        r->once += s->taken[t] == 1;
    r->formula = dispatch_formula(s->o);
}

static const char *out_of_range(const struct cw_dispatch_options *o)
{
    return o->workers < 1 || o->workers > 1u << 24                ? "workers"
           : o->levels < 1 || o->levels > CW_DISPATCH_LEVELS_MAX  ? "levels"
           : o->levels > 1 && o->fan_out < 2                      ? "fan_out"
           : o->tasks < 1 || o->tasks > 1u << 28                  ? "tasks"
           : o->block < 1                                         ? "block"
           : !(o->task_s > 0) || isinf(o->task_s)                 ? "task_s"
           : !(o->spread >= 0 && o->spread <= 1)                  ? "spread"
           : !(o->message_s > 0) || isinf(o->message_s)           ? "message_s"
           : !(o->latency_s >= 0) || isinf(o->latency_s)          ? "latency_s"
           : !(o->worker_mtbf_s >= 0) || !(o->master_mtbf_s >= 0) ? "mtbf"
           : !(o->detect_s >= 0) || isinf(o->detect_s)            ? "detect_s"
                                                                  : NULL;
}

enum cw_status cw_dispatch_run(const struct cw_dispatch_options *o, struct cw_dispatch_result *r,
                               struct cw_error *err)
{
    struct cw_dispatch s = {.o = o, .r = r, .random = o->seed, .left = o->tasks, .levels = o->levels};
    const char *wrong = out_of_range(o);
    enum cw_status status;

    *r = (struct cw_dispatch_result){0};
    if (wrong)
        return cw_error_set(err, CW_ERR_INVALID, "dispatch: %s is out of its range", wrong);
    status = simulate(&s, err);
    if (status == CW_OK)
        measure(&s);
    for (uint32_t k = 0; s.node && k < s.nodes; k++) {
        cw_dispatch_queue_finish(&s.node[k].queue);
        cw_dispatch_queue_finish(&s.node[k].batch);
    }
    free(s.node);
    free(s.holder);
    free(s.taken);
    free(s.heap);
    return status;
}

/* ---- state */

static bool before(const struct cw_dispatch_event *a, const struct cw_dispatch_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void dispatch_post(struct cw_dispatch *s, enum cw_dispatch_kind kind, double at, uint32_t node,
                          uint32_t to_epoch)
{
    struct cw_dispatch_event e = {at, s->order++, node, s->node[node].epoch, to_epoch, kind};
    size_t k = s->events;

    if (s->events == s->capacity) {
        size_t capacity = 2 * s->capacity + 1024;
        struct cw_dispatch_event *more = realloc(s->heap, capacity * sizeof *more);
        if (!more) {
            s->no_memory = true;
            return;
        }
        s->heap = more;
        s->capacity = capacity;
    }
    for (s->events++; k > 0 && before(&e, &s->heap[(k - 1) / 2]); k = (k - 1) / 2)
        s->heap[k] = s->heap[(k - 1) / 2];
    s->heap[k] = e;
}

/* Adds an event of `node`, which counts only as long as the node lives; memory: d->no_memory. Takes the
 * earliest one, the first posted on ties; there must be one. */
static struct cw_dispatch_event dispatch_next(struct cw_dispatch *s)
{
    struct cw_dispatch_event top = s->heap[0], last = s->heap[--s->events];
    size_t k = 0, c;

    while ((c = 2 * k + 1) < s->events) {
        c += c + 1 < s->events && before(&s->heap[c + 1], &s->heap[c]);
        if (!before(&s->heap[c], &last))
            break;
        s->heap[k] = s->heap[c];
        k = c;
    }
    s->heap[k] = last;
    return top;
}

/* A tree of masters in queueing theory; see dispatch.h. */

/* Tasks per second without failures: each master with its children is a closed queueing network (one server,
 * a delay), solved by mean value analysis (Reiser, Lavenberg, J. ACM 27(2), 1980); levels above limit those
 * below. */
static double dispatch_formula(const struct cw_dispatch_options *o)
{
    double masters = 1, lowest = o->workers, think = o->block * o->task_s + 2 * o->latency_s, waiting = 0,
           x = 0;

    for (uint32_t l = 1; l < o->levels; l++)
        lowest = ceil(lowest / o->fan_out);
    if (o->levels > 1)
        masters = ceil((double)o->workers / o->fan_out);
    for (double n = 1; n <= ceil(o->workers / masters);
         n++) { /* one server and a delay, a customer more each time */
        double response = o->message_s * (1 + waiting);
        x = n / (response + think);
        waiting = x * response;
    }
    x *= masters * o->block;
    for (double count = masters, below = ceil(o->workers / masters); count > 1; below *= o->fan_out) {
        double above = count == lowest || ceil(count / o->fan_out) < 1 ? 1 : ceil(count / o->fan_out);
        if (o->levels == 2)
            above = 1;
        x = fmin(x, above * o->block * below / o->message_s);
        count = above;
    }
    return x;
}
