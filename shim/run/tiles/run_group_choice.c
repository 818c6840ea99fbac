/* run_group_choice.c - how a chain is run: settings, what was measured, what the summary says. See run_group.h.
 *
 * How much of the last cache is this process's to use, and how quick it is, cannot be asked on a shared machine. So the
 * model (sched/groups.h) only makes candidates, and a chain that comes again tries one after the other, then keeps to the
 * one that was quickest, plain order among them. A variant's first run has the vendor's compiler in it and does not count.
 * What was measured goes to the history: later processes do not try again, and where plain order was as quick their launches
 * go the way of all others at once. Now and then a run looks again, as this machine may have been busy. */
#include "run_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/settings/options.h"
#include "../plan/run_brain.h"

#define MEASURED 3    /* runs of a variant before it is judged, the first among them */
#define GAIN     0.85 /* of the time in plain order, at most, which has no hand-over in it */
#define SLOWER   1.3  /* than plain order: need not be measured twice */
#define CLEAR    1.25 /* a gain, for helpers, after which home is not tried */
#define AGAIN    16   /* processes that stayed plain before one looks again; then twice as many */
#define CHAINS   256
#define REASONS  16

struct cw_run_group_settings cw_run_group_settings;
struct cw_run_group_counts cw_run_group_counts;

static struct {
    struct cw_run_variant variant[CW_RUN_VARIANTS];
    uint32_t variants;
    struct cw_run_chain *chains;
    uint32_t count;
    uint64_t random;
    unsigned tile_kib, data_kib; /* as the user wants; 0: nothing said */
    struct {
        const char *why;
        uint64_t count;
    } plain[REASONS];
} choice;

/* ---- settings */

void cw_run_group_start(const struct cw_options *options)
{
    cw_run_group_settings.on = strcmp(options->groups, "off") != 0;
    cw_run_group_settings.always = !strcmp(options->groups, "on") || cw_run.chaos;
    cw_run_group_settings.rule = strcmp(options->group_rule, "max") ? CW_GROUPS_SKEW : CW_GROUPS_MAX;
    if (sscanf(options->group_tile, "%u:%u", &choice.tile_kib, &choice.data_kib) != 2) /* the form was checked */
        choice.tile_kib = 0;
    choice.random = (uint64_t)options->seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
}

static void add_variant(size_t band, uint64_t cache, bool shared, bool helpers)
{
    choice.variant[choice.variants++] =
        (struct cw_run_variant){.band_bytes = band, .cache_bytes = cache, .shared = shared, .helpers = helpers};
}

/* In what is each core's, then in what all share, of which half may be others'; the most promising first. */
static void make_variants(void)
{
    struct cw_run_caches c;

    if (choice.tile_kib) {
        add_variant((size_t)choice.tile_kib << 10, (uint64_t)choice.data_kib << 10, false, true);
        return;
    }
    cw_run_caches_read(&c);
    add_variant(c.own_bytes * 5 / 16, c.own_bytes * 5 / 8, false, true);
    add_variant(c.own_bytes / 2, c.own_bytes, false, true);
    add_variant(0, c.last_bytes / 2, true, true);
    add_variant(4u << 20, c.last_bytes / 2, true, false);
}

const struct cw_run_variant *cw_run_variant(uint32_t variant)
{
    return &choice.variant[variant];
}

uint32_t cw_run_group_below(uint32_t n)
{
    choice.random ^= choice.random << 13;
    choice.random ^= choice.random >> 7;
    choice.random ^= choice.random << 17;
    return (uint32_t)((choice.random >> 11) % n);
}

/* ---- chains */

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t kind_of(struct cw_run_task *t)
{
    cw_run_name_launch(t);
    return mixed(mixed(1, t->launch.kernel->hash), t->shape);
}

/* By the kinds of launches in it, and by how many there are, about: windows close a little earlier or later. */
static uint64_t identity(const struct cw_run_group *g)
{
    uint64_t kind[CW_RUN_GROUP_STEPS], sum = 0;
    uint32_t kinds = 0, scale = 0;

    while (g->steps >> scale)
        scale++;
    for (uint32_t i = 0; i < g->steps; i++) {
        uint64_t own = kind_of(g->step[i].task);
        uint32_t k = 0;

        while (k < kinds && kind[k] != own)
            k++;
        if (k == kinds)
            sum += kind[kinds++] = own;
    }
    return mixed(sum, scale) | 1;
}

/* ---- between runs */

#define CHAIN_KERNEL UINT64_C(0x6772a8)
#define PLAIN_SHAPE  2

static uint64_t variant_shape(uint32_t v)
{
    const struct cw_run_variant *x = &choice.variant[v];
    uint64_t hash = mixed(x->band_bytes, x->cache_bytes);

    return mixed(mixed(hash, (uint64_t)cw_run_group_settings.rule * 4 + x->shared * 2u + x->helpers), cw_run.num_lanes);
}

/* The history, and the number that groups have there; NULL: there is none. */
static struct cw_history *kept(uint32_t *device)
{
    static uint32_t number = CW_HISTORY_NO_DEVICE;
    const struct cw_run_brain *b = cw_run_brain_now();

    if (b && number == CW_HISTORY_NO_DEVICE)
        number = cw_history_device(b->estimator.history, "groups");
    *device = number;
    return b ? b->estimator.history : NULL;
}

static void keep(const struct cw_run_chain *c, uint64_t shape, double ns)
{
    uint32_t device;
    struct cw_history *h = kept(&device);

    if (h)
        cw_history_add(h, c->id ^ CHAIN_KERNEL, shape, device, 1, ns);
}

/* How often it was measured, in *ns how long it takes. */
static double kept_of(struct cw_history *h, uint32_t device, const struct cw_run_chain *c, uint64_t shape, double *ns)
{
    struct cw_history_estimate e;

    cw_history_predict(h, c->id ^ CHAIN_KERNEL, shape, 1, &device, NULL, 1, &e);
    *ns = e.source == CW_HISTORY_EXACT ? e.mean_ns : 0;
    return e.source == CW_HISTORY_EXACT ? e.count : 0;
}

/* What earlier runs found out; but for one now and then, all of it. */
static void recall(struct cw_run_chain *c)
{
    uint32_t device, processes;
    struct cw_history *h = kept(&device);

    if (!h)
        return;
    processes = (uint32_t)kept_of(h, device, c, PLAIN_SHAPE, &c->plain_ns);
    if (processes >= AGAIN && !(processes & (processes - 1)))
        return;
    for (uint32_t v = 0; v < choice.variants; v++) {
        double count = kept_of(h, device, c, variant_shape(v), &c->ns[v]);
        c->runs[v] = count >= MEASURED - 1 ? MEASURED : count > 0 ? 1 + (uint32_t)count : 0;
    }
}

/* ---- a chain */

struct cw_run_chain *cw_run_chain_of(const struct cw_run_group *g)
{
    uint64_t id = identity(g);
    struct cw_run_chain *c = choice.chains;

    if (!choice.variants)
        make_variants();
    while (c && c->id != id)
        c = c->next;
    if (c)
        return c;
    if (choice.count == CHAINS) { /* the same again and again would be few: this program gains nothing by memory */
        c = choice.chains;
        *c = (struct cw_run_chain){.next = c->next};
    } else if ((c = calloc(1, sizeof *c))) {
        c->next = choice.chains;
        choice.chains = c;
        choice.count++;
    }
    if (c) {
        c->id = id;
        c->steps = g->steps;
        if (!cw_run.chaos)
            recall(c);
    }
    return c;
}

/* What a launch takes in plain order, in the mean; 0: some was never measured. */
static double plain_ns(const struct cw_run_group *g)
{
    double sum = 0;

    for (uint32_t i = 0; i < g->steps; i++) {
        const struct cw_run_task *t = g->step[i].task;
        const struct cw_run_kernel *k = t->launch.kernel;
        double ns = k->mean_ns[t->home_lane], batch = k->batch_ns;

        if (!(ns > 0))
            return 0;
        sum += batch > 0 && batch < ns ? batch : ns;
    }
    return sum / g->steps;
}

/* The quickest of those that can be had and are measured; one that is not, if there is any that may be better. */
static uint32_t best_of(const struct cw_run_chain *c, uint32_t tried)
{
    uint32_t best = CW_RUN_VARIANTS;

    for (uint32_t v = 0; v < choice.variants; v++) {
        bool clear = best != CW_RUN_VARIANTS && c->plain_ns >= CLEAR * c->ns[best] && choice.variant[best].helpers;

        if (c->hopeless[v] || tried >> v & 1 || (clear && !choice.variant[v].helpers))
            continue;
        if (c->runs[v] < MEASURED)
            return v;
        if (best == CW_RUN_VARIANTS || c->ns[v] < c->ns[best])
            best = v;
    }
    return best;
}

/* Launches like these stay plain from now on, and go native where long ones do. */
static void settle_plain(const struct cw_run_group *g)
{
    for (uint32_t i = 0; i < g->steps; i++) {
        const struct cw_run_launch *l = &g->step[i].task->launch;
        double items = cw_run_items(l);

        if (items > l->kernel->ungrouped)
            l->kernel->ungrouped = items;
    }
}

/* What plain order takes, now or in earlier runs; false: nobody knows. */
static bool know_plain(struct cw_run_chain *c, const struct cw_run_group *g)
{
    double now = plain_ns(g);

    if (now > 0)
        c->plain_ns = now;
    if (now > 0 && !c->told)
        keep(c, PLAIN_SHAPE, now);
    c->told |= now > 0;
    return c->plain_ns > 0;
}

static bool choose_chaos(const struct cw_run_chain *c, uint32_t tried, uint32_t *variant, const char **why)
{
    *variant = 0;
    *why = c->why ? c->why : "no device may run tiles of it";
    return !tried;
}

bool cw_run_chain_choose(struct cw_run_chain *c, const struct cw_run_group *g, uint32_t tried, uint32_t *variant,
                         const char **why)
{
    uint32_t v = best_of(c, tried);

    if (cw_run.chaos)
        return choose_chaos(c, tried, variant, why);
    *why = "nothing is known of it yet";
    if (!know_plain(c, g) && !cw_run_group_settings.always)
        return false;
    if (v == CW_RUN_VARIANTS) {
        *why = c->why ? c->why : "the rewritten kernels are not there yet";
        if (!tried && !cw_run_group_settings.always) /* none can be had, ever */
            settle_plain(g);
        return false;
    }
    *variant = v;
    if (cw_run_group_settings.always || c->runs[v] < MEASURED)
        return true;
    *why = "plain order was measured to be as quick";
    if (c->ns[v] > GAIN * c->plain_ns) {
        settle_plain(g);
        return false;
    }
    for (uint32_t i = 0; i < g->steps; i++)
        g->step[i].kernel->grouped = true;
    return true;
}

void cw_run_chain_ran(struct cw_run_chain *c, uint32_t variant, uint32_t steps, double ns)
{
    double each = ns / steps;

    if (c->runs[variant]++ == 0) /* with the compiler in it */
        return;
    if (c->runs[variant] < MEASURED && c->plain_ns > 0 && each > SLOWER * c->plain_ns)
        c->runs[variant] = MEASURED;
    c->ns[variant] = c->ns[variant] > 0 && c->ns[variant] * 1.02 < each ? c->ns[variant] * 1.02 : each;
    if (!cw_run.chaos)
        keep(c, variant_shape(variant), each);
}

/* ---- the summary */

void cw_run_group_plain(const char *why)
{
    for (size_t i = 0; i < REASONS; i++) {
        if (choice.plain[i].why && strcmp(choice.plain[i].why, why))
            continue;
        choice.plain[i].why = why;
        choice.plain[i].count++;
        return;
    }
}

static int describe_chain(const struct cw_run_chain *c, char *text, size_t size)
{
    uint32_t best = CW_RUN_VARIANTS;

    for (uint32_t v = 0; v < choice.variants; v++)
        if (c->ns[v] > 0 && (best == CW_RUN_VARIANTS || c->ns[v] < c->ns[best]))
            best = v;
    if (best == CW_RUN_VARIANTS)
        return 0;
    return snprintf(text, size, "run: groups: chain of %u: %.2f ms in tiles of %zu KiB %s, %.2f ms in plain order\n", c->steps,
                    c->ns[best] * c->steps / 1e6, choice.variant[best].band_bytes >> 10,
                    choice.variant[best].helpers ? "on helpers" : "at home", c->plain_ns * c->steps / 1e6);
}

int cw_run_group_describe(char *text, size_t size)
{
    const struct cw_run_group_counts *n = &cw_run_group_counts;
    int used = 0, shown = 0;

    if (!cw_run_group_settings.on)
        return 0;
    used = snprintf(text, size, "run: groups: %llu chains of %llu launches ran as %llu tiles in %llu groups\n",
                    (unsigned long long)n->made, (unsigned long long)n->launches, (unsigned long long)n->tiles,
                    (unsigned long long)n->groups);
    for (const struct cw_run_chain *c = choice.chains; c && shown < 4 && (size_t)used + 128 < size; c = c->next) {
        int one = describe_chain(c, text + used, size - (size_t)used);
        used += one;
        shown += one > 0;
    }
    for (size_t i = 0; i < REASONS && choice.plain[i].why && (size_t)used + 128 < size; i++)
        used += snprintf(text + used, size - (size_t)used, "run: groups: plain: %llu %s\n",
                         (unsigned long long)choice.plain[i].count, choice.plain[i].why);
    return used;
}
