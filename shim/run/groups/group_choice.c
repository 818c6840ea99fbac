/* group_choice.c - how a chain is run: settings, measurements, the summary. See
 * groups/group.h.
 *
 * A chain uses the first way of the grid of groups/group_variant.c, which is the most promising one, on few
 * launches at first. It searches the others as a bandit's arms (sched/arms.h), with plain order as a limit,
 * but one of them only after so many runs that their gain pays for it. A result is measured again, ever less
 * often, as this machine may have been busy. A first run on a kind of workers that has the vendor's compiler
 * in it does not count. Measurements go to the history: later processes go on from there, and where plain
 * order was as quick their launches go the way of all others at once. The history forgets how often it was
 * told something beyond 64 times; how often anything was measured at all is kept apart, as its logarithm
 * (groups/group_history.c), so that a slow variant is tried again however many processes there are. */
#include "group.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/settings/options.h"
#include "../../../sched/arms.h"
#include "../../../sched/whole.h"
#include "../../door/log.h"
#include "../tuning/tuning.h"
#include "../planner/costs.h"
#include "../core/state.h"

#define REASONS 16
#define CHAINS  256 /* remembered in a process */

struct cw_run_group_settings cw_run_group_settings;
struct cw_run_group_counts cw_run_group_counts;

static struct {
    struct cw_run_chain *chains;
    uint32_t count;
    uint64_t random;
    struct {
        /* it may be loaded a little later */
        const char *why;
        uint64_t count;
    } plain[REASONS];
} choice;

/* ---- settings */

void cw_run_group_start(const struct cw_options *options)
{
    bool asked = !strcmp(options->groups, "on");

    /* a policy or DSPs that the user asks for have their say: a chain stays at home */
    cw_run_group_settings.on =
        asked || (!strcmp(options->groups, "auto") && !strcmp(options->policy, "heft") && options->dsp == 0);
    cw_run_group_settings.always = asked;
    cw_run_group_settings.rule = strcmp(options->group_rule, "max") ? CW_GROUPS_SKEW : CW_GROUPS_MAX;
    cw_run_group_settings.reuse = strtod(options->group_reuse, NULL); /* the form was checked */
    cw_run_group_variant_start(options);
    choice.random = (uint64_t)options->seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
}

uint32_t cw_run_group_below(uint32_t n)
{
    choice.random ^= choice.random << 13;
    choice.random ^= choice.random >> 7;
    choice.random ^= choice.random << 17;
    return (uint32_t)((choice.random >> 11) % n);
}

/* ---- chains */

struct kind {
    struct cw_key kernel;
    uint64_t shape;
};

static int by_kind(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct kind));
}

/* By the kinds of launches in it, and by how many there are: up to 5 exactly, as a plan's gain depends on it;
 * more about, as windows close a little earlier or later. 46 to 90 are alike, in whose midst is a full
 * window. The caller's to finish. */
static struct cw_identity name_chain(const struct cw_run_group *g)
{
    struct kind kind[CW_RUN_GROUP_STEPS];
    struct cw_identity id;
    uint32_t scale = 0;

    while ((uint64_t)g->steps * g->steps >> (2 * scale + 1))
        scale++;
    if (g->steps <= CW_RUN_GROUP_FEW_STEPS)
        scale = g->steps << 8;
    for (uint32_t i = 0; i < g->steps; i++) {
        cw_run_costs_name_launch(g->step[i].task);
        kind[i] = (struct kind){g->step[i].task->launch.kernel->key, g->step[i].task->launch.measure.shape};
    }
    qsort(kind, g->steps, sizeof *kind, by_kind);
    cw_identity_begin(&id, "chain");
    cw_identity_number(&id, scale);
    cw_identity_number(&id, cw_run_tile_rows_off()); /* tiles take other times then */
    for (uint32_t i = 0; i < g->steps; i++)
        if (i == 0 || by_kind(&kind[i], &kind[i - 1]))
            cw_identity_add(&id, &kind[i], sizeof *kind);
    return id;
}

/* ---- a chain */

/* No launch touches more than half of the last cache: other processes may use the other half. */
static bool fits(const struct cw_run_group *g)
{
    bool good = true;

    for (uint32_t i = 0; good && i < g->steps; i++)
        good = cw_run_group_plan_bytes(&g->step[i]) <= cw_run_group_variant_half_bytes();
    return good;
}

/* A new one, or the oldest of too many: the same again and again would be few, so this program gains nothing
 * by memory. */
static struct cw_run_chain *begin_chain(const struct cw_run_group *g, struct cw_identity *id)
{
    struct cw_run_chain *c = choice.chains;

    if (choice.count == CHAINS) {
        cw_identity_finish(&c->id);
        *c = (struct cw_run_chain){.next = c->next};
    } else if ((c = calloc(1, sizeof *c))) {
        c->next = choice.chains;
        choice.chains = c;
        choice.count++;
    }
    if (!c)
        return NULL;
    c->id = *id;
    *id = (struct cw_identity){0};
    c->key = cw_identity_key(&c->id);
    c->steps = g->steps;
    c->fits = fits(g);
    c->promising[true] = cw_run_group_history_expects(g);
    return c;
}

struct cw_run_chain *cw_run_group_choice_of(const struct cw_run_group *g)
{
    struct cw_identity id = name_chain(g);
    struct cw_run_chain *c = choice.chains;

    while (c && !cw_identity_same(&c->id, &id))
        c = c->next;
    if (!c && !id.failed)
        c = begin_chain(g, &id);
    cw_identity_finish(&id);
    if (c)
        c->met++;
    if (c && !c->recalled && !c->workers && !cw_run.chaos)
        c->recalled = cw_run_group_history_recall(c, cw_run_group_variant_all());
    return c;
}

/* Where data stay in cache anyhow it is how tiles are run that gains (by rows): those of half the last cache
 * show it, which are the largest, and the one way at home. */
static bool usable(const struct cw_run_chain *c, uint32_t v, uint32_t tried)
{
    uint32_t family = cw_run_group_variant(v)->family;

    return !c->hopeless[v] && !(tried >> v & 1) &&
           !(c->fits && family && family != cw_run_group_variant(0)->family + 1);
}

static bool is_first_of_family(uint32_t v)
{
    return v == 0 || cw_run_group_variant(v)->family != cw_run_group_variant(v - 1)->family;
}

/* So few measurements may all be of a busy moment: a program whose chain comes again measures some more. */
static bool is_doubtful(const struct cw_run_chain *c, uint32_t v)
{
    return c->met > 1 && c->runs[v] < CW_RUN_TRIAL_POOR && c->ns[v] < CW_RUN_FAR_LONGER * c->plain_ns;
}

/* The quickest way has been used so often that another one may be tried: a trial may lose as much as a few of
 * those runs have gained. */
static bool has_earned(const struct cw_run_chain *c, const struct cw_arm *arm, uint32_t arms)
{
    double pulls = 0, most = ldexp(1, (int)c->doublings) - 1;
    uint32_t tried = 0;

    for (uint32_t v = 0; v < arms; v++) {
        pulls += arm[v].pulls;
        tried += arm[v].pulls > 0;
    }
    return fmax(pulls, most) >= (double)tried * CW_RUN_TRIAL_LOOKS;
}

/* The variant to run now; *best: the quickest available one so far. The number of variants: plain order;
 * and one more: none is available, or (*best) none was measured yet. */
static uint32_t next_of(const struct cw_run_chain *c, uint32_t tried, uint32_t *best)
{
    struct cw_arm arm[CW_RUN_VARIANTS + 1];
    uint32_t n = cw_run_group_variant_all(), quick;
    bool clear, gives_up, elsewhere = false, any = false;

    for (uint32_t v = 0; v < n; v++)
        arm[v] = (struct cw_arm){c->ns[v], c->runs[v], cw_run_group_variant(v)->family, usable(c, v, tried)};
    for (uint32_t v = 0; v < n; v++)
        elsewhere |= arm[v].usable && cw_run_group_variant(v)->helpers;
    quick = cw_arms_best(arm, n);
    clear =
        quick < n && cw_run_group_variant(quick)->helpers && c->ns[quick] <= CW_RUN_GROUP_GAIN * c->plain_ns;
    gives_up = quick < n && c->fits && c->plain_ns > 0 && c->ns[quick] > CW_RUN_GROUP_GAIN * c->plain_ns;
    for (uint32_t v = 0; v < n; v++) {
        if (!arm[v].pulls && (cw_run_group_variant(v)->helpers ? gives_up && !is_first_of_family(v)
                                                               : clear || (elsewhere && quick >= n)))
            /* other sizes of tiles; home */
            arm[v].usable = false;
        any |= arm[v].usable;
    }
    /* plain order is known of launches that were in no chain, too */
    arm[n] = (struct cw_arm){CW_RUN_GROUP_GAIN * c->plain_ns, c->plain_runs ? c->plain_runs : 1, UINT32_MAX,
                             c->plain_ns > 0 && !cw_run_group_settings.always};
    *best = cw_arms_best(arm, n + 1);
    if (!any)
        return n + 1;
    if (quick < n && *best == n && is_doubtful(c, quick)) /* plain order's least time is no match for one */
        return *best = quick;
    if (quick < n && !cw_run_group_settings.always && !has_earned(c, arm, n + 1))
        return *best;
    return cw_arms_next(arm, n + 1, c->doublings * M_LN2);
}

/* Launches like these stay plain from now on, and go native where long ones do. */
static void settle_plain(const struct cw_run_group *g)
{
    cw_run_group_history_foresee(g, false);
    for (uint32_t i = 0; i < g->steps; i++) {
        const struct cw_run_launch *l = &g->step[i].task->launch;
        double items = cw_run_costs_items(l);

        if (items > l->kernel->ungrouped)
            l->kernel->ungrouped = items;
    }
}

static bool is_hopeless(const struct cw_run_chain *c)
{
    for (uint32_t v = 0; v < cw_run_group_variant_all(); v++)
        if (usable(c, v, 0))
            return false;
    return true;
}

static bool is_measured(const struct cw_run_chain *c)
{
    for (uint32_t v = 0; v < cw_run_group_variant_all(); v++)
        if (c->runs[v])
            return true;
    return false;
}

/* A way whose kernels are being built could be had later: one that was quicker, or any as long as none was
 * measured. */
static bool is_waiting(const struct cw_run_chain *c)
{
    bool new = !is_measured(c);

    for (uint32_t v = 0; v < cw_run_group_variant_all(); v++)
        if (c->unbuilt >> v & 1 && usable(c, v, 0) &&
            (c->runs[v] ? c->ns[v] < CW_RUN_GROUP_GAIN * c->plain_ns : new))
            return true;
    return false;
}

/* Since the launches were marked, others like them were settled. */
static bool is_settled(const struct cw_run_group *g)
{
    bool all = !cw_run_group_settings.always;

    for (uint32_t i = 0; i < g->steps && all; i++)
        all = !g->step[i].kernel->grouped &&
              cw_run_costs_items(&g->step[i].task->launch) <= g->step[i].kernel->ungrouped;
    return all;
}

/* Finds plain order's time, of now or earlier runs; false: not known. Once a process, where it has measured
 * it, that counts. */
static bool know_plain(struct cw_run_chain *c, const struct cw_run_group *g)
{
    bool measured;
    double now = cw_run_group_history_plain_ns(g, &measured);

    if (now > 0)
        c->plain_ns = now;
    if (measured && !c->told) {
        c->told = cw_run_group_history_keep_plain(c, now);
        c->plain_runs += c->told;
    }
    return c->plain_ns > 0;
}

/* Plain order is run to be measured, or because it is the quickest. */
static void take_plain(struct cw_run_chain *c, const struct cw_run_group *g, bool quickest, const char **why)
{
    *why = quickest ? "plain order was measured to be as quick" : "plain order is measured again";
    c->plain_runs++;
    cw_run_group_history_keep_plain(c, c->plain_ns); /* its time now comes with the launches */
    if (quickest)
        settle_plain(g);
    else
        cw_run_account.learns++;
}

static bool choose_chaos(const struct cw_run_chain *c, uint32_t tried, uint32_t *variant, const char **why)
{
    *variant = 0;
    *why = c->why ? c->why : "no device may run tiles of it";
    return !tried;
}

bool cw_run_group_choice_choose(struct cw_run_chain *c, const struct cw_run_group *g, uint32_t tried,
                                uint32_t *variant, const char **why)
{
    uint32_t plain = cw_run_group_variant_all(), best, v;

    if (cw_run.chaos)
        return choose_chaos(c, tried, variant, why);
    *why = "launches like these are better in plain order";
    if (is_settled(g))
        return false;
    *why = "nothing is known of it yet";
    if (!know_plain(c, g) && !cw_run_group_settings.always) {
        cw_run_account.learns++;
        return false;
    }
    v = next_of(c, tried, &best);
    for (uint32_t i = 0; i < g->steps && best < plain; i++)
        g->step[i].kernel->grouped = true;
    if (v > plain) {
        *why = c->why ? c->why : "the rewritten kernels are not there yet";
        if (!c->why)
            cw_run_account.learns++;
        if ((!tried || is_hopeless(c)) && !cw_run_group_settings.always) /* none can be had, ever */
            settle_plain(g);
        return false;
    }
    if (v == plain && is_waiting(c)) {
        *why = "the rewritten kernels are not there yet";
        cw_run_account.learns++;
        return false;
    }
    if (v == plain) {
        take_plain(c, g, best == plain, why);
        return false;
    }
    *variant = v;
    return true;
}

uint32_t cw_run_group_choice_longest(const struct cw_run_chain *c)
{
    bool good = cw_run_group_settings.always;

    for (uint32_t v = 0; v < cw_run_group_variant_all() && !good; v++)
        good = c->runs[v] && (c->ns[v] < CW_RUN_GROUP_GAIN * c->plain_ns || c->runs[v] >= CW_RUN_TRIAL_POOR);
    return good ? CW_RUN_GROUP_STEPS : CW_RUN_SAMPLE;
}

bool cw_run_group_choice_hopes(const struct cw_run_chain *c, uint32_t variant)
{
    return !cw_run_group_settings.always && (c->runs[variant] || !is_measured(c));
}

uint32_t cw_run_group_choice_plain(const struct cw_run_chain *c, uint32_t steps)
{
    if (cw_run_group_settings.always)
        return steps;
    if (c->plain_ns > 0)
        return 1 + (uint32_t)cw_whole_from(CW_RUN_LOOK_NS / c->plain_ns, steps);
    return c->met <= CW_RUN_TRIAL_LOOKS ? 1 : steps; /* the first one shows it; unless it does not */
}

/* The time of the quickest known way; plain order is one. */
static double best_ns(const struct cw_run_chain *c)
{
    double best = c->plain_ns > 0 ? c->plain_ns : INFINITY;

    for (uint32_t v = 0; v < cw_run_group_variant_all(); v++)
        if (c->ns[v] > 0 && c->ns[v] < best)
            best = c->ns[v];
    return best;
}

void cw_run_group_choice_ran(struct cw_run_chain *c, uint32_t variant, uint32_t steps, double ns)
{
    bool helpers = cw_run_group_variant(variant)->helpers;
    double each = ns / steps;

    cw_log_debug("groups: a chain of %u took %.2f ms as variant %u%s", steps, ns / 1e6, variant,
                 c->warm[helpers] ? "" : ", for the first time, which does not count");
    if (!c->warm[helpers]) { /* with the compiler in it */
        c->warm[helpers] = true;
        cw_run_group_history_keep_warm(c, helpers, each);
        cw_run_account.learns++;
        return;
    }
    if ((c->runs[variant] ? c->ns[variant] : each) >
        best_ns(c)) /* it was looked at, once more or at all: later runs know better */
        cw_run_account.learns++;
    c->runs[variant]++;
    c->ns[variant] = cw_run_trial_least(c->ns[variant], each);
    cw_run_group_history_keep(c, variant, each);
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
    uint32_t best = CW_RUN_VARIANTS, workers = c->workers ? c->workers : 1;
    uint64_t data;

    for (uint32_t v = 0; v < cw_run_group_variant_all(); v++)
        if (c->ns[v] > 0 && (best == CW_RUN_VARIANTS || c->ns[v] < c->ns[best]))
            best = v;
    if (best == CW_RUN_VARIANTS)
        return 0;
    data = cw_run_group_variant(best)->cache_bytes /
           (cw_run_group_variant(best)->shared ? workers : 1); /* of one worker */
    return snprintf(
        text, size,
        "run: groups: chain of %u: %.2f ms in tiles of %llu KiB of %llu KiB %s, %.2f ms in plain order\n",
        c->steps, c->ns[best] * c->steps / 1e6,
        (unsigned long long)cw_run_group_variant_band(cw_run_group_variant(best), workers) >> 10,
        (unsigned long long)data >> 10, cw_run_group_variant(best)->helpers ? "on helpers" : "at home",
        c->plain_ns * c->steps / 1e6);
}

int cw_run_group_describe(char *text, unsigned size)
{
    const struct cw_run_group_counts *n = &cw_run_group_counts;
    int used = 0, shown = 0;

    if (!cw_run_group_settings.on)
        return 0;
    used =
        snprintf(text, size, "run: groups: %llu chains of %llu launches ran as %llu tiles in %llu groups\n",
                 (unsigned long long)n->made, (unsigned long long)n->launches, (unsigned long long)n->tiles,
                 (unsigned long long)n->groups);
    for (const struct cw_run_chain *c = choice.chains; c && shown < 4 && (size_t)used + 128 < size;
         c = c->next) {
        int one = describe_chain(c, text + used, size - (size_t)used);
        used += one;
        shown += one > 0;
    }
    for (size_t i = 0; i < REASONS && choice.plain[i].why && (size_t)used + 128 < size; i++)
        used += snprintf(text + used, size - (size_t)used, "run: groups: plain: %llu %s\n",
                         (unsigned long long)choice.plain[i].count, choice.plain[i].why);
    return used;
}
