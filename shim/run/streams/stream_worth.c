/* stream_worth.c - see streams/stream_worth.h. */
#include "stream_worth.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "../tuning/tuning.h"
#include "stream_enqueue.h"
#include "stream_settings.h"
#include "stream_ways.h"

#define FIRST_COMMANDS 16 /* of a queue, which are bare: short programs make no streams */
#define LEAST_COMMANDS 2  /* of a span whose time says something */
#define TRIALS         2  /* of each way */
#define GAIN           32 /* fanning out has to save a 32nd */
#define SPAN           16 /* so much in vain is one that did not fan out as the quicker way */
#define VAIN           (CW_RUN_LOOK_EACH * SPAN)
#define LEAST_UNSEEN   16 /* commands of a span that ends by a wait for another queue */
/* ns, on an H200 (driver 580): an event that no command of the program would have; run mode's own work for a
 * command; so much streams may lose of a queue, beside CW_RUN_LITTLE of its spans, then they are in vain. */
#define EVENT_NS   3500
#define COMMAND_NS 500
#define LOSS_NS    5e6

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* By its first command: a kernel of that name, or a transfer. */
static uint64_t begin_of(const struct cw_stream_use *t)
{
    uint64_t hash = 0;

    for (const char *name = t->kernel ? t->kernel->name : NULL; name && *name; name++)
        hash = hash * 1099511628211 + (unsigned char)*name;
    return (hash << 3) + t->reads * UINT64_C(4); /* the lowest bits are not told apart */
}

/* By its first command and the length of the span before it. */
static uint64_t key_of(const struct cw_stream_queue *q)
{
    return (q->worth.begin * 31 + q->worth.commands) | UINT64_C(1) << 63;
}

/* It goes as an earlier run has found best, for a while. */
static void begin_kind(struct cw_stream_kind_of_span *k, const struct cw_stream_queue *q)
{
    enum cw_stream_way way = cw_stream_ways_of(q->worth.begin);

    *k = (struct cw_stream_kind_of_span){.key = q->worth.key};
    if (way >= CW_STREAM_WAYS)
        return;
    k->way = way;
    k->wishes = way == CW_STREAM_RENAMES;
    cw_run_trial_rest(&k->rest, CW_RUN_REST_SPANS, 0, 1);
}

static struct cw_stream_kind_of_span *kind_of(struct cw_stream_queue *q)
{
    struct cw_stream_kind_of_span *k =
        &q->worth.kind[(q->worth.key ^ q->worth.key >> 9 ^ q->worth.key >> 17) % CW_STREAM_SPANS];

    if (k->key != q->worth.key)
        begin_kind(k, q);
    return k;
}

/* The way that has been tried least: fanned out first, then bare; with versions before both, where they may
 * help. */
static enum cw_stream_way next_way(const struct cw_stream_kind_of_span *k)
{
    enum cw_stream_way way = k->wishes ? CW_STREAM_BARE : CW_STREAM_FANS,
                       other = CW_STREAM_FANS + CW_STREAM_BARE - way;

    if (k->rest.until)
        return k->way;
    way = k->tried[other] < k->tried[way] ? other : way;
    return k->wishes && k->tried[CW_STREAM_RENAMES] <= k->tried[way] ? CW_STREAM_RENAMES : way;
}

/* Without streams a command would take COMMAND_NS less. */
static uint64_t cost(enum cw_stream_way way)
{
    return way == CW_STREAM_BARE ? 0 : COMMAND_NS;
}

/* The simpler way stays, unless the other one saves enough. */
static void decide(const struct cw_stream_queue *q, struct cw_stream_kind_of_span *k)
{
    k->way = CW_STREAM_BARE;
    for (enum cw_stream_way way = CW_STREAM_FANS; way < CW_STREAM_WAYS; way++)
        if (k->tried[way] &&
            k->best_ns[way] + cost(way) < k->best_ns[k->way] + cost(k->way) - k->best_ns[k->way] / GAIN)
            k->way = way;
    if (k->way == CW_STREAM_RENAMES)
        atomic_store(&q->context->pays, true);
    cw_stream_ways_decided(q->worth.begin, k->way);
    cw_run_trial_rest(&k->rest, CW_RUN_REST_SPANS, 0, 1);
    memset(k->tried, 0, sizeof k->tried);
}

/* With versions a span takes less than half of its time bare: the trials end here. */
static bool is_clear(const struct cw_stream_kind_of_span *k)
{
    return k->tried[CW_STREAM_BARE] && k->tried[CW_STREAM_RENAMES] &&
           k->best_ns[CW_STREAM_RENAMES] + cost(CW_STREAM_RENAMES) < k->best_ns[CW_STREAM_BARE] / 2;
}

static bool is_tried(const struct cw_stream_kind_of_span *k)
{
    return is_clear(k) || (k->tried[CW_STREAM_BARE] >= TRIALS && k->tried[CW_STREAM_FANS] >= TRIALS &&
                           (!k->wishes || k->tried[CW_STREAM_RENAMES] >= TRIALS));
}

static bool is_alike(uint32_t a, uint32_t b)
{
    return a - a / 8 <= b && b - b / 8 <= a;
}

static void learn(struct cw_stream_queue *q, uint64_t ns)
{
    const struct cw_stream_worth *w = &q->worth;
    struct cw_stream_kind_of_span *k = kind_of(q);

    enum cw_stream_way way = w->renames ? CW_STREAM_RENAMES : w->fans ? CW_STREAM_FANS : CW_STREAM_BARE;

    if (!k->commands)
        k->commands = w->commands;
    if (!is_alike(k->commands, w->commands))
        *k = (struct cw_stream_kind_of_span){.key = w->key, .commands = w->commands};
    k->wishes |= w->wished;
    if (cw_run_trial_passes(&k->rest) || (w->fans && w->made)) /* its time has the making of queues in it */
        return;
    if (!k->tried[way] || ns < k->best_ns[way])
        k->best_ns[way] = ns;
    k->tried[way]++;
    if (w->fans && !w->beside && !k->wishes) /* there is nothing to fan out */
        memset(k->best_ns, 0, sizeof k->best_ns);
    if ((w->fans && !w->beside && !k->wishes) || is_tried(k))
        decide(q, k);
}

/* So much may be lost. */
static double limit(const struct cw_stream_worth *w)
{
    return LOSS_NS + CW_RUN_LITTLE * w->time_ns;
}

/* The span takes `ns` a command. Its measured gain stands in place of what it was thought to cost. */
static void count(struct cw_stream_queue *q, uint64_t ns)
{
    struct cw_stream_worth *w = &q->worth;
    const struct cw_stream_kind_of_span *k = kind_of(q);
    double lost;

    w->time_ns += (double)ns * w->commands;
    cw_stream_counts.spans++;
    cw_stream_counts.fanned += w->fans && w->beside;
    if (w->fans && w->beside && k->best_ns[0] && is_alike(k->commands, w->commands)) {
        cw_stream_counts.beside_ns += ns * w->commands;
        cw_stream_counts.bare_ns += k->best_ns[0] * w->commands;
        lost = ((double)ns - (double)k->best_ns[0] + COMMAND_NS) * w->commands;
        w->lost_ns += fmin(lost, CW_RUN_TRIAL_POOR * w->cost_ns) - w->cost_ns; /* more is another process's */
        w->lost_ns = fmax(w->lost_ns, -CW_RUN_TRIAL_POOR * limit(w));          /* old gains are forgotten */
    } else if (k->rest.until) { /* an earlier run has measured it */
        w->lost_ns -= w->cost_ns;
    }
}

static void costs(struct cw_stream_worth *w, double ns)
{
    w->cost_ns += ns;
    w->lost_ns += ns;
}

void cw_stream_worth_marked(struct cw_stream_queue *q)
{
    costs(&q->worth, EVENT_NS);
}

/* The span is over. One command alone has nothing to run beside, but a launch could have had. */
static void end(struct cw_stream_queue *q)
{
    struct cw_stream_worth *w = &q->worth;
    bool won = w->fans && kind_of(q)->rest.until;
    uint64_t ns = now_ns() - w->begin_ns;

    w->open = false;
    cw_run_gpu_begin_span(ns, w->commands, w->fans && w->beside);
    if (q->number < FIRST_COMMANDS || (w->commands < LEAST_COMMANDS && !w->launches))
        return;
    w->vain = won ? 0 : w->vain + (w->commands < LEAST_COMMANDS ? 1 : SPAN);
    if (w->commands < LEAST_COMMANDS)
        return;
    ns /= w->commands;
    count(q, ns);
    learn(q, ns);
}

void cw_stream_worth_synchronised(struct cw_stream_queue *q, uint64_t number)
{
    struct cw_stream_worth *w = &q->worth;

    q->context->waits++;
    w->waited = true;
    if (w->open && (number == q->number || number >= w->first + (w->commands - 1) / 2))
        end(q);
}

bool cw_stream_worth_is_vain(const struct cw_stream_queue *q)
{
    return (q->worth.vain >= VAIN || q->worth.lost_ns >= limit(&q->worth)) && !cw_stream_settings.force &&
           !cw_stream_settings.chaos;
}

/* The program has never waited for the queue itself, and its waits for one that has left are not seen. */
static bool is_unseen(const struct cw_stream_queue *q)
{
    return !q->worth.waited && atomic_load(&q->context->left);
}

static void look_at_others(struct cw_stream_queue *q)
{
    struct cw_stream_worth *w = &q->worth;

    if (w->waited || !w->open || w->commands < LEAST_UNSEEN)
        return;
    if (is_unseen(q)) {
        w->open = false;
        w->vain += SPAN;
    } else if (w->waits != q->context->waits) {
        end(q);
    }
}

bool cw_stream_worth_comes(struct cw_stream_queue *q, const struct cw_stream_use *t)
{
    struct cw_stream_worth *w = &q->worth;
    uint32_t way;

    if (cw_stream_settings.force && !cw_stream_settings.chaos)
        return w->fans = w->renames = true;
    if (cw_stream_worth_is_vain(q))
        return w->fans = w->renames = w->looks = false;
    look_at_others(q);
    w->cost_ns = w->open ? w->cost_ns : 0;
    costs(w, COMMAND_NS);
    if (w->open) {
        w->launches |= t->groups > 0;
        w->commands++;
        return w->fans;
    }
    w->open = true;
    w->made = w->wished = false;
    w->launches = t->groups > 0;
    w->begin = begin_of(t);
    w->key = key_of(q);
    w->commands = 1;
    w->beside = 0;
    w->waits = q->context->waits;
    w->first = q->number + 1;
    w->begin_ns = now_ns();
    way = cw_stream_settings.chaos ? cw_stream_queue_lot(q, 8)
          : (q->number >= FIRST_COMMANDS || kind_of(q)->rest.until) && !is_unseen(q) ? next_way(kind_of(q))
                                                                                     : CW_STREAM_BARE;
    w->fans = way != CW_STREAM_BARE;
    w->renames = way >= CW_STREAM_RENAMES;
    w->looks = w->fans && !kind_of(q)->rest.until;
    return w->fans;
}

bool cw_stream_worth_fans_out(const struct cw_stream_queue *q, const struct cw_stream_use *t)
{
    return cw_stream_settings.force || !t->groups || t->groups < 2 * q->units;
}
