/* run_group_choice.c - how a chain is run: settings, what was measured, what the summary says. See run_group.h.
 *
 * How much of the last cache is this process's to use, and how quick it is, cannot be asked on a shared machine. So the
 * model (sched/groups.h) only makes candidates, and a chain that comes again tries one after the other, then keeps to the
 * one that was quickest, plain order among them. A variant's first run has the vendor's compiler in it and does not count. */
#include "run_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../analyzer/settings/options.h"
#include "run_brain.h"

#define MEASURED 2    /* runs of a variant before it is judged */
#define GAIN     0.97 /* of the time in plain order, at most */
#define AGAIN    64   /* of chains that stay plain, one is tried again */
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
    struct {
        const char *why;
        uint64_t count;
    } plain[REASONS];
} choice;

/* ---- settings */

static uint64_t cache_bytes(int level, uint64_t otherwise)
{
    long bytes = sysconf(level);

    return bytes > 0 ? (uint64_t)bytes : otherwise;
}

static void add_variant(size_t band, uint64_t cache, bool shared, bool helpers)
{
    choice.variant[choice.variants++] =
        (struct cw_run_variant){.band_bytes = band, .cache_bytes = cache, .shared = shared, .helpers = helpers};
}

void cw_run_group_start(const struct cw_options *options)
{
    uint64_t last = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 8u << 20), own = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1u << 20);

    cw_run_group_settings.on = strcmp(options->groups, "off") != 0;
    cw_run_group_settings.always = !strcmp(options->groups, "on") || cw_run.chaos;
    cw_run_group_settings.rule = strcmp(options->group_rule, "max") ? CW_GROUPS_SKEW : CW_GROUPS_MAX;
    choice.random = (uint64_t)options->seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
    add_variant(own * 5 / 16, own * 5 / 8, false, true);
    add_variant(0, last / 2, true, true);
    add_variant(4u << 20, last / 2, true, false);
    add_variant(2u << 20, last / 2, true, false);
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

static uint64_t identity(const struct cw_run_group *g)
{
    uint64_t hash = g->steps;

    for (uint32_t i = 0; i < g->steps; i++) {
        struct cw_run_task *t = g->step[i].task;

        cw_run_name_launch(t);
        hash = mixed(mixed(hash, t->launch.kernel->hash), t->shape);
    }
    return hash | 1;
}

struct cw_run_chain *cw_run_chain_of(const struct cw_run_group *g)
{
    uint64_t id = identity(g);
    struct cw_run_chain *c = choice.chains;

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
    }
    return c;
}

/* By what its launches take one after the other; 0: some was never measured. */
static double plain_ns(const struct cw_run_group *g)
{
    double sum = 0;

    for (uint32_t i = 0; i < g->steps; i++) {
        const struct cw_run_task *t = g->step[i].task;
        double ns = t->launch.kernel->mean_ns[t->home_lane];

        if (!(ns > 0))
            return 0;
        sum += ns;
    }
    return sum;
}

/* The quickest of those that can be had and are measured; one that is not, if there is any. */
static uint32_t best_of(const struct cw_run_chain *c, uint32_t tried)
{
    uint32_t best = CW_RUN_VARIANTS;

    for (uint32_t v = 0; v < choice.variants; v++) {
        if (c->hopeless[v] || tried >> v & 1)
            continue;
        if (c->runs[v] < MEASURED)
            return v;
        if (best == CW_RUN_VARIANTS || c->ns[v] < c->ns[best])
            best = v;
    }
    return best;
}

bool cw_run_chain_choose(struct cw_run_chain *c, const struct cw_run_group *g, uint32_t tried, uint32_t *variant,
                         const char **why)
{
    uint32_t v = cw_run.chaos ? 0 : best_of(c, tried);

    c->seen += !tried;
    if (cw_run.chaos) {
        *variant = 0;
        *why = c->why ? c->why : "no device may run tiles of it";
        return !tried;
    }
    if (v == CW_RUN_VARIANTS) {
        *why = c->why ? c->why : "the rewritten kernels are not there yet";
        return false;
    }
    *variant = v;
    if (cw_run_group_settings.always || c->runs[v] < MEASURED)
        return true;
    c->plain_ns = plain_ns(g);
    *why = "plain order was measured to be as quick";
    return c->plain_ns == 0 || c->ns[v] <= GAIN * c->plain_ns || c->seen % AGAIN == 0;
}

void cw_run_chain_ran(struct cw_run_chain *c, uint32_t variant, double ns)
{
    if (c->runs[variant]++ == 0)
        return;
    c->ns[variant] = c->ns[variant] > 0 && c->ns[variant] * 1.02 < ns ? c->ns[variant] * 1.02 : ns;
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
                    c->ns[best] / 1e6, choice.variant[best].band_bytes >> 10,
                    choice.variant[best].helpers ? "on helpers" : "at home", c->plain_ns / 1e6);
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
