/* run_group_choice.c - how a chain is run: settings, what was measured, what the summary says. See run_group.h.
 *
 * How much of the caches is this process's to use, and how quick they are, cannot be asked on a shared machine. So the model
 * (sched/groups.h) only makes candidates, a grid of data that a group takes (families) and of tiles as parts of that, and a
 * chain that comes again searches it: the first of each family, the others of the best family, those that come close once
 * more; then it keeps to the quickest, plain order among them. The first run on a kind of lanes has the vendor's compiler in
 * it and does not count. What was measured goes to the history: later processes do not search again, and where plain order was
 * as quick their launches go the way of all others at once. Now and then a run looks again, as this machine may have been busy. */
#include "run_group.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/settings/options.h"
#include "../plan/run_brain.h"
#include "../plan/run_start.h"

#define MEASURED 2    /* runs of a variant that comes close to the best before it is judged */
#define CLOSE    1.15 /* times the best, at most */
#define GAIN     0.85 /* of the time in plain order, at most, which has no hand-over in it */
#define CLEAR    1.25 /* a gain, for helpers, after which home is not tried */
#define PATIENCE 0.25 /* of what groups gain, for builds */
#define PATIENCE_MOST 1e9
#define ASKED_NS 2e10 /* where groups are asked for */
#define CURIOUS  0.1  /* of what plain order takes, likewise, when nobody knows yet */
#define BAND_MOST (4u << 20) /* bytes that a tile touches */
#define BETWEEN  16 /* half of the last cache over a core's own, from which on something between them is tried */
#define CHAINS   256
#define REASONS  16

struct cw_run_group_settings cw_run_group_settings;
struct cw_run_group_counts cw_run_group_counts;

static struct {
    struct cw_run_variant variant[CW_RUN_VARIANTS];
    uint32_t variants;
    uint64_t half_bytes; /* of the last cache */
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

/* Tiles of 1/8, 1/4 and 1/2 of it, the most promising first. */
static void add_family(uint64_t cache, bool shared)
{
    static uint32_t family;

    family++;
    for (uint32_t share = 8; share > 1; share /= 2)
        choice.variant[choice.variants++] = (struct cw_run_variant){
            .cache_bytes = cache, .share = share, .family = family, .shared = shared, .helpers = true};
}

/* In what is each core's and somewhat more, then in what all share, of which half may be others'. */
static void make_variants(void)
{
    struct cw_run_caches c;

    if (choice.tile_kib) {
        choice.variant[choice.variants++] = (struct cw_run_variant){.cache_bytes = (uint64_t)choice.data_kib << 10, .helpers = true};
        return;
    }
    cw_run_caches_read(&c);
    choice.half_bytes = c.last_bytes / 2;
    add_family(c.own_bytes * 5 / 4, false);
    add_family(c.last_bytes / 2, true);
    add_family(c.own_bytes * 5 / 8, false);
    add_family(c.own_bytes * 5 / 2, false);
    if (c.last_bytes / 2 / c.own_bytes > BETWEEN) /* as on machines of which this process has a part */
        add_family((uint64_t)sqrt((double)c.own_bytes * (double)c.last_bytes), true);
    add_family(c.last_bytes, true); /* where a step needs many rows: few steps fit into half */
    choice.variant[choice.variants++] = (struct cw_run_variant){.cache_bytes = c.last_bytes / 2, .share = 4, .shared = true};
}

const struct cw_run_variant *cw_run_variant(uint32_t variant)
{
    return &choice.variant[variant];
}

uint32_t cw_run_variants_alike(uint32_t variant)
{
    uint32_t alike = 0;

    for (uint32_t v = 0; v < choice.variants; v++)
        if (choice.variant[v].helpers == choice.variant[variant].helpers)
            alike |= 1u << v;
    return alike;
}

uint64_t cw_run_variant_band(const struct cw_run_variant *v, uint32_t lanes)
{
    uint64_t data = v->shared ? v->cache_bytes / lanes : v->cache_bytes;
    uint64_t band = v->share ? data / v->share : (uint64_t)choice.tile_kib << 10; /* 0: as the user wants */

    return band < BAND_MOST ? band : BAND_MOST;
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

/* By the kinds of launches in it, and by how many there are, about: windows close a little earlier or later. 46 to 90 are alike,
 * in whose midst is a full window. */
static uint64_t identity(const struct cw_run_group *g)
{
    uint64_t kind[CW_RUN_GROUP_STEPS], sum = 0;
    uint32_t kinds = 0, scale = 0;

    while ((uint64_t)g->steps * g->steps >> (2 * scale + 1))
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

/* ---- a chain */

/* No launch touches more than what other processes leave of the last cache, probably. */
static bool fits(const struct cw_run_group *g)
{
    bool good = true;

    for (uint32_t i = 0; good && i < g->steps; i++)
        good = cw_run_group_bytes(&g->step[i]) <= choice.half_bytes;
    return good;
}

struct cw_run_chain *cw_run_chain_of(const struct cw_run_group *g)
{
    uint64_t id = identity(g);
    struct cw_run_chain *c = choice.chains;

    if (!choice.variants)
        make_variants();
    while (c && c->id != id)
        c = c->next;
    if (!c && choice.count == CHAINS) { /* the same again and again would be few: this program gains nothing by memory */
        c = choice.chains;
        *c = (struct cw_run_chain){.next = c->next};
    } else if (!c && (c = calloc(1, sizeof *c))) {
        c->next = choice.chains;
        choice.chains = c;
        choice.count++;
    }
    if (c && !c->id) {
        c->id = id;
        c->steps = g->steps;
        c->fits = fits(g);
    }
    if (c)
        c->met++;
    if (c && !c->recalled && !c->lanes && !cw_run.chaos)
        c->recalled = cw_run_chain_recall(c, choice.variants); /* it may be loaded a little later */
    return c;
}

/* Where data stay in cache anyhow it is how tiles are run that gains (by rows): those of half the last cache show it, which are
 * the largest, and the one way at home. */
static bool usable(const struct cw_run_chain *c, uint32_t v, uint32_t tried)
{
    uint32_t family = choice.variant[v].family;

    return !c->hopeless[v] && !(tried >> v & 1) && !(c->fits && family && family != choice.variant[0].family + 1);
}

static bool is_first_of_family(uint32_t v)
{
    return v == 0 || choice.variant[v].family != choice.variant[v - 1].family;
}

/* What remains to be measured, in the order said above; else the quickest; CW_RUN_VARIANTS: none can be had. */
static uint32_t next_of(const struct cw_run_chain *c, uint32_t tried, bool *trial)
{
    uint32_t best = CW_RUN_VARIANTS;
    bool clear, gives_up;

    *trial = true;
    for (uint32_t v = 0; v < choice.variants; v++)
        if (usable(c, v, tried) && c->runs[v] && (best == CW_RUN_VARIANTS || c->ns[v] < c->ns[best]))
            best = v;
    gives_up = best != CW_RUN_VARIANTS && c->fits && c->plain_ns > 0 && c->ns[best] > GAIN * c->plain_ns;
    clear = best != CW_RUN_VARIANTS && choice.variant[best].helpers && c->plain_ns >= CLEAR * c->ns[best];
    for (uint32_t v = 0; v < choice.variants; v++)
        if (usable(c, v, tried) && !c->runs[v] && is_first_of_family(v) && (choice.variant[v].helpers || !clear))
            return v;
    for (uint32_t v = 0; v < choice.variants && best != CW_RUN_VARIANTS && !gives_up; v++)
        if (usable(c, v, tried) && !c->runs[v] && choice.variant[v].family == choice.variant[best].family)
            return v;
    for (uint32_t v = 0; v < choice.variants && best != CW_RUN_VARIANTS; v++)
        if (usable(c, v, tried) && c->runs[v] && c->runs[v] < MEASURED && c->ns[v] <= CLOSE * c->ns[best])
            return v;
    *trial = false;
    return best;
}

/* Launches like these stay plain from now on, and go native where long ones do. */
static void settle_plain(const struct cw_run_group *g)
{
    cw_run_chain_foresee(g, false);
    for (uint32_t i = 0; i < g->steps; i++) {
        const struct cw_run_launch *l = &g->step[i].task->launch;
        double items = cw_run_items(l);

        if (items > l->kernel->ungrouped)
            l->kernel->ungrouped = items;
    }
}

static bool is_hopeless(const struct cw_run_chain *c)
{
    for (uint32_t v = 0; v < choice.variants; v++)
        if (usable(c, v, 0))
            return false;
    return true;
}

/* Since the launches were marked, others like them were settled. */
static bool is_settled(const struct cw_run_group *g)
{
    bool all = !cw_run_group_settings.always;

    for (uint32_t i = 0; i < g->steps && all; i++)
        all = !g->step[i].kernel->grouped && cw_run_items(&g->step[i].task->launch) <= g->step[i].kernel->ungrouped;
    return all;
}

/* What plain order takes, now or in earlier runs; false: nobody knows. */
static bool know_plain(struct cw_run_chain *c, const struct cw_run_group *g)
{
    double now = cw_run_chain_plain_ns(g);

    if (now > 0)
        c->plain_ns = now;
    if (now > 0 && !c->told)
        cw_run_chain_keep_plain(c, now);
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
    bool trial;
    uint32_t v;

    if (cw_run.chaos)
        return choose_chaos(c, tried, variant, why);
    *why = "launches like these are better in plain order";
    if (is_settled(g))
        return false;
    *why = "nothing is known of it yet";
    if (!know_plain(c, g) && !cw_run_group_settings.always) {
        cw_run_start_learns();
        return false;
    }
    v = next_of(c, tried, &trial);
    if (v == CW_RUN_VARIANTS) {
        *why = c->why ? c->why : "the rewritten kernels are not there yet";
        if (!c->why)
            cw_run_start_learns();
        if ((!tried || is_hopeless(c)) && !cw_run_group_settings.always) /* none can be had, ever */
            settle_plain(g);
        return false;
    }
    *variant = v;
    if (trial && c->met == 1 && !cw_run_start_is_at_once() && !cw_run_group_settings.always) {
        *why = "a later run tries it"; /* this one would wait for compilers */
        return false;
    }
    if (cw_run_group_settings.always || trial)
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

double cw_run_chain_patience_ns(const struct cw_run_chain *c, uint32_t steps, uint32_t variant)
{
    double most;

    if (cw_run.all || cw_run.chaos)
        return 0; /* whoever runs the first tile builds them */
    if (cw_run_group_settings.always)
        return ASKED_NS;
    if (!(c->plain_ns > 0))
        return 0;
    if (!c->runs[variant])
        most = CURIOUS * c->plain_ns * steps;
    else
        most = c->ns[variant] < c->plain_ns ? PATIENCE * (c->plain_ns - c->ns[variant]) * steps : 0;
    return most < PATIENCE_MOST ? most : PATIENCE_MOST;
}

/* What the quickest way takes that is known; plain order is one. */
static double best_ns(const struct cw_run_chain *c)
{
    double best = c->plain_ns > 0 ? c->plain_ns : INFINITY;

    for (uint32_t v = 0; v < choice.variants; v++)
        if (c->ns[v] > 0 && c->ns[v] < best)
            best = c->ns[v];
    return best;
}

void cw_run_chain_ran(struct cw_run_chain *c, uint32_t variant, uint32_t steps, double ns)
{
    bool helpers = choice.variant[variant].helpers;
    double each = ns / steps;

    if (!c->warm[helpers]) { /* with the compiler in it */
        c->warm[helpers] = true;
        cw_run_chain_keep_warm(c, helpers, each);
        cw_run_start_learns();
        return;
    }
    if (!c->runs[variant] && each > best_ns(c)) /* later runs know better */
        cw_run_start_learns();
    c->runs[variant]++;
    c->ns[variant] = c->ns[variant] > 0 && c->ns[variant] * 1.02 < each ? c->ns[variant] * 1.02 : each;
    cw_run_chain_keep(c, variant, each);
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
    uint32_t best = CW_RUN_VARIANTS, lanes = c->lanes ? c->lanes : 1;
    uint64_t data;

    for (uint32_t v = 0; v < choice.variants; v++)
        if (c->ns[v] > 0 && (best == CW_RUN_VARIANTS || c->ns[v] < c->ns[best]))
            best = v;
    if (best == CW_RUN_VARIANTS)
        return 0;
    data = choice.variant[best].cache_bytes / (choice.variant[best].shared ? lanes : 1); /* of one lane */
    return snprintf(text, size, "run: groups: chain of %u: %.2f ms in tiles of %llu KiB of %llu KiB %s, %.2f ms in plain order\n",
                    c->steps, c->ns[best] * c->steps / 1e6,
                    (unsigned long long)cw_run_variant_band(&choice.variant[best], lanes) >> 10,
                    (unsigned long long)data >> 10,
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
