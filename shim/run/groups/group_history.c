/* group_history.c - earlier runs' measurements of a chain: in the history, under a device of its own.
 * See groups/group.h. */
#include "group.h"

#include <string.h>

#include "../../door/log.h"
#include "../tuning/tuning.h"
#include "../tiles/share.h"
#include "../../../sched/whole.h"
#include "../planner/costs.h"
#include "../core/global_lock.h"
#include "../core/state.h"

#define CHAIN_KERNEL                                                                                         \
    UINT64_C(0x6772aa) /* another one when tiles become faster: then refused variants are tried again */
#define PLAIN_SHAPE 8  /* 2: earlier, counted otherwise */
#define WARM_SHAPE  4  /* + 1: on helpers */
#define PULLS_SHAPE 64 /* + r: a register of count_pull() has held r */
#define WANTED_SHAPE                                                                                         \
    16 /* of a program; + 1: not wanted; + 2, 3 and so on: once both are told too often to count */
#define MOST_DOUBLINGS 50
#define HOPELESS       UINT64_C(0x6e6f) /* of a variant: its shape with these */

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t variant_shape(uint32_t variant)
{
    const struct cw_run_variant *v = cw_run_group_variant(variant);
    uint64_t hash = mixed(v->share, v->cache_bytes), reuse;

    memcpy(&reuse, &cw_run_group_settings.reuse, sizeof reuse);
    hash = reuse ? mixed(hash, reuse) : hash;
    return mixed(mixed(hash, (uint64_t)cw_run_group_settings.rule * 4 + v->shared * 2u + v->helpers),
                 cw_run.num_workers);
}

/* The history, and the number that groups have there; NULL: there is none. */
static struct cw_history *history_of(uint32_t *device)
{
    static uint32_t number = CW_HISTORY_NO_DEVICE;
    const struct cw_run_perf_model *b = cw_run_perf_model_now();

    if (b && number == CW_HISTORY_NO_DEVICE)
        number = cw_history_device(b->estimator.history, "groups");
    *device = number;
    return b ? b->estimator.history : NULL;
}

static bool keep(const struct cw_run_chain *c, uint64_t shape, double ns)
{
    uint32_t device;
    struct cw_history *h = history_of(&device);

    if (h && !cw_run.chaos)
        cw_history_add(h, cw_key_as(c->key, CHAIN_KERNEL), shape, device, 1, ns);
    return h;
}

/* Approximate counting (Morris: Counting large numbers of events in small registers, Communications of the
 * ACM 21, 1978): a register that holds r goes to r + 1 with the probability 2^-r, so that 2^r - 1 is expected
 * to be how often it was asked to. Each r that it has held is an entry of its own, as the history adds up
 * the counts of concurrent processes: these have the same entries then. */
static uint64_t pulls_shape(uint32_t r)
{
    return mixed(PULLS_SHAPE + r,
                 (uint64_t)cw_run_group_settings.rule * CW_RUN_WORKERS * 2 + cw_run.num_workers);
}

static void count_pull(struct cw_run_chain *c)
{
    if (c->doublings >= MOST_DOUBLINGS ||
        mixed(cw_run_global_lock_now_ns(), c->key.half[0]) >> (64 - c->doublings - 1) >> 1)
        return;
    keep(c, pulls_shape(c->doublings++), 1);
}

void cw_run_group_history_keep(struct cw_run_chain *c, uint32_t variant, double ns)
{
    count_pull(c);
    keep(c, variant_shape(variant), ns);
}

void cw_run_group_history_keep_warm(const struct cw_run_chain *c, bool helpers, double ns)
{
    keep(c, WARM_SHAPE + helpers, ns);
}

bool cw_run_group_history_keep_plain(struct cw_run_chain *c, double ns)
{
    count_pull(c);
    return keep(c, PLAIN_SHAPE, ns);
}

void cw_run_group_history_keep_hopeless(const struct cw_run_chain *c, uint32_t variant)
{
    keep(c, mixed(variant_shape(variant), HOPELESS), 1);
}

/* How often it was measured or told, in *ns how long it takes. */
static double told_of(struct cw_history *h, uint32_t device, struct cw_key key, uint64_t shape, double *ns)
{
    struct cw_history_estimate e;

    cw_history_predict(h, cw_key_as(key, CHAIN_KERNEL), shape, 1, &device, NULL, 1, &e);
    *ns = e.source == CW_HISTORY_EXACT ? e.mean_ns : 0;
    return e.source == CW_HISTORY_EXACT ? e.count : 0;
}

bool cw_run_group_history_recall(struct cw_run_chain *c, uint32_t variants)
{
    uint32_t device, known = 0;
    struct cw_history *h = history_of(&device);
    double ns, plain_ns, plain_runs;
    uint32_t doublings = 0;

    if (!h)
        return false;
    /* results that this process has found before the history was loaded are in there, too */
    plain_runs = told_of(h, device, c->key, PLAIN_SHAPE, &plain_ns);
    c->plain_runs =
        plain_runs > c->plain_runs ? (uint32_t)cw_whole_from(plain_runs, UINT32_MAX) : c->plain_runs;
    c->plain_ns = c->plain_ns > 0 ? c->plain_ns : plain_ns;
    while (doublings < MOST_DOUBLINGS && told_of(h, device, c->key, pulls_shape(doublings), &ns) > 0)
        doublings++;
    c->doublings = doublings > c->doublings ? doublings : c->doublings;
    for (uint32_t helpers = 0; helpers < 2; helpers++)
        c->warm[helpers] = told_of(h, device, c->key, WARM_SHAPE + helpers, &ns) > 0;
    for (uint32_t v = 0; v < variants; v++) {
        c->runs[v] =
            (uint32_t)cw_whole_from(told_of(h, device, c->key, variant_shape(v), &c->ns[v]), UINT32_MAX);
        known += c->runs[v] > 0;
        c->hopeless[v] =
            !c->runs[v] && told_of(h, device, c->key, mixed(variant_shape(v), HOPELESS), &ns) > 0;
        if (c->hopeless[v])
            c->why = "earlier runs have found that nothing is gained";
        known += c->hopeless[v];
    }
    if (known)
        cw_log_debug("groups: earlier runs have measured %u ways to run a chain of %u", known, c->steps);
    return c->plain_runs || known;
}

/* ---- rewritten kernels before their first chain */

/* The latest word counts: each is told only where it changes something, and where the history still counts
 * it. */
static bool is_wanted(struct cw_history *h, uint32_t device, struct cw_run_program *p, uint64_t *shape)
{
    struct cw_key key = cw_run_costs_program_key(p);
    double wanted, unwanted, ns;

    for (*shape = WANTED_SHAPE;; *shape += 2) {
        wanted = told_of(h, device, key, *shape, &ns);
        unwanted = told_of(h, device, key, *shape + 1, &ns);
        if (wanted < CW_HISTORY_MEMORY || unwanted < CW_HISTORY_MEMORY)
            return wanted > unwanted;
    }
}

void cw_run_group_history_foresee(const struct cw_run_group *g, bool wanted)
{
    uint32_t device;
    struct cw_history *h = history_of(&device);
    uint64_t shape;

    for (uint32_t i = 0; h && !cw_run.chaos && i < g->steps; i++) {
        struct cw_run_program *p = g->step[i].kernel->program;
        if (is_wanted(h, device, p, &shape) != wanted)
            cw_history_add(h, cw_key_as(cw_run_costs_program_key(p), CHAIN_KERNEL), shape + !wanted, device,
                           1, 1);
    }
}

bool cw_run_group_history_expects(const struct cw_run_group *g)
{
    uint32_t device;
    struct cw_history *h = history_of(&device);
    uint64_t shape;
    bool all = h;

    for (uint32_t i = 0; i < g->steps && all; i++)
        all = (i && g->step[i].kernel == g->step[i - 1].kernel) ||
              is_wanted(h, device, g->step[i].kernel->program, &shape);
    return all;
}

void cw_run_group_history_foresee_group(void *program)
{
    struct cw_run_program *p = program;
    const struct cw_run_context *c = p->context;
    struct cw_history *h;
    uint32_t device;
    uint64_t shape;

    if (!cw_run_group_settings.on || cw_run.all || cw_run.chaos || cw_run.off || cw_run.forked ||
        !p->models || !p->options)
        return;
    h = history_of(&device);
    if (!h || !is_wanted(h, device, p, &shape))
        return;
    cw_log_debug("groups: rewritten kernels are built early, as earlier runs had chains");
    for (uint32_t i = 0; i < c->devices->n; i++)
        if (c->places[i].worker && cw_device_has(c->places[i].device, CW_VENDOR_IN_CALL) &&
            !c->places[i].device->home && !c->places[i].device->dsp)
            cw_run_tile_build_is_done(p, i, true, true);
}

/* ---- plain order */

/* As measured in this process; 0: never. */
static double measured_ns(const struct cw_run_task *t)
{
    const struct cw_run_kernel *k = t->launch.kernel;
    double ns = k->known->mean_ns[t->queue->home_worker], batch = k->known->batch_ns;

    return batch > 0 && batch < ns ? batch : ns;
}

/* The mean of the chain's known launches of the same kernel and size. An argument that counts the steps
 * of a loop makes each of them a new shape, and the first of its kind in every process shows nothing. */
static double like_ns(const struct cw_run_group *g, const double ns[CW_RUN_GROUP_STEPS], uint32_t i)
{
    const struct cw_run_launch *l = &g->step[i].task->launch;
    double sum = 0;
    uint32_t n = 0;

    for (uint32_t k = 0; k < g->steps; k++)
        if (ns[k] > 0 && g->step[k].kernel == l->kernel &&
            cw_run_costs_items(&g->step[k].task->launch) == cw_run_costs_items(l)) {
            sum += ns[k];
            n++;
        }
    return n ? sum / n : 0;
}

double cw_run_group_history_plain_ns(const struct cw_run_group *g, bool *measured)
{
    double ns[CW_RUN_GROUP_STEPS], sum = 0;

    *measured = true;
    for (uint32_t i = 0; i < g->steps; i++) {
        ns[i] = measured_ns(g->step[i].task);
        if (ns[i] > 0)
            continue;
        *measured = false;
        ns[i] = cw_run_perf_model_earlier_ns(g->step[i].task);
    }
    for (uint32_t i = 0; i < g->steps; i++) {
        double each = ns[i] > 0 ? ns[i] : like_ns(g, ns, i);

        if (!(each > 0))
            return 0; /* and *measured is false */
        sum += each;
    }
    return sum / g->steps;
}
