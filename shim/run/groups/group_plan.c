/* group_plan.c - the tiles of a chain: bands of each launch, their bytes, their order by sched/groups.h.
 */
#include "group.h"
#include "../memory/byte_range.h"

#include <math.h>
#include <stdlib.h>

#include "../../../analyzer/kernels/footprint/form.h"
#include "../../../sched/groups_pack.h"
#include "../../door/log.h"
#include "../core/global_lock.h"
#include "../core/state.h"

#define MOST_TILES  1024  /* of one launch */
#define MOST_ALL    32768 /* of a group run */
#define CHAOS_TILES 12
#define SLICE       16 /* work-groups amid a launch that say how far its bands lean */
#define SLICE_LEAST 4

uint64_t cw_run_group_plan_bytes(const struct cw_run_step *s)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < s->task->accesses.n; i++)
        bytes += s->task->accesses.of[i].high - s->task->accesses.of[i].low;
    return bytes;
}

/* Bands of launches that touch much are as many as in the largest of them, so that bands of one number lie at
 * one place; launches that touch little stay in one piece. Returns the launch that touches most. */
static uint32_t count_tiles(struct cw_run_group *g, uint64_t band_bytes)
{
    uint64_t largest = 0, tiles, most = MOST_ALL / g->steps;
    uint32_t ref = 0;

    for (uint32_t i = 0; i < g->steps; i++) {
        uint64_t bytes = cw_run_group_plan_bytes(&g->step[i]);
        ref = bytes > largest ? i : ref;
        largest = bytes > largest ? bytes : largest;
    }
    tiles = largest / band_bytes;
    most = most < MOST_TILES ? most : MOST_TILES;
    tiles = tiles > most ? most : tiles < 2 ? 2 : tiles;
    for (uint32_t i = 0; i < g->steps; i++) {
        struct cw_run_step *s = &g->step[i];
        uint64_t own = cw_run.chaos                                ? 1 + cw_run_group_below(CHAOS_TILES)
                       : cw_run_group_plan_bytes(s) >= largest / 8 ? tiles
                                                                   : 1;
        s->tiles = (uint32_t)(own < s->cut.groups ? own : s->cut.groups);
    }
    return ref;
}

/* Under chaos the borders are anywhere. */
static bool borders(struct cw_run_step *s)
{
    int64_t *from = s->from = malloc((s->tiles + 1) * sizeof *from);

    if (!from)
        return false;
    for (uint32_t i = 0; i <= s->tiles; i++)
        from[i] = (int64_t)((uint64_t)i * s->cut.groups / s->tiles);
    for (uint32_t i = 1; i < s->tiles && cw_run.chaos; i++) {
        uint64_t capacity = (uint64_t)(from[i + 1] - from[i - 1]);
        if (capacity > 2)
            from[i] = from[i - 1] + 1 +
                      cw_run_group_below((uint32_t)(capacity - 1 < UINT32_MAX ? capacity - 1 : UINT32_MAX));
    }
    return true;
}

static struct cw_groups_access range(const struct cw_run_memory *m, const struct cw_hull *h, bool write)
{
    struct cw_groups_access a = {.write = write};

    if (m && h->answer != CW_ANSWER_NONE && h->end > h->begin) {
        uint64_t first = cw_run_byte_range_number(m->region, m->offset);

        a.low = first + (uint64_t)h->begin;
        a.high = first + (uint64_t)h->end;
    }
    return a;
}

/* Does any tile read (write) memory through this argument? Most arguments are numbers. */
static bool touches(const struct cw_arg_hulls *hulls, uint32_t tiles, uint32_t args, bool write)
{
    for (uint32_t i = 0; i < tiles; i++) {
        const struct cw_hull *h = write ? &hulls[(size_t)i * args].writes : &hulls[(size_t)i * args].reads;
        if (h->answer != CW_ANSWER_NONE && h->end > h->begin)
            return true;
    }
    return false;
}

/* Sets out->access, which is the caller's to free. from[]: borders, which the group keeps. */
static bool describe(const struct cw_run_step *s, const int64_t *from, struct cw_groups_step *out)
{
    const struct cw_run_launch *l = &s->task->launch;
    uint32_t args = l->kernel->count;
    struct cw_arg_hulls *hulls = calloc((size_t)s->tiles * args + 1, sizeof *hulls);
    struct cw_groups_access *access = calloc((size_t)s->tiles * args * 2 + 1, sizeof *access);
    uint32_t *column = calloc((size_t)args * 2 + 1, sizeof *column),
             columns = 0; /* argument * 2 + whether it is written */
    bool good = hulls && access && column && cw_run_cut_hulls(s->task, &s->cut, from, (int)s->tiles, hulls);

    for (uint32_t c = 0; good && c < args * 2; c++)
        if (l->args[c / 2].memory && touches(hulls + c / 2, s->tiles, args, c & 1))
            column[columns++] = c;
    for (uint32_t i = 0; good && i < s->tiles; i++)
        for (uint32_t k = 0; k < columns; k++) {
            const struct cw_arg_hulls *h = &hulls[(size_t)i * args + column[k] / 2];
            bool write = column[k] & 1;
            access[(size_t)i * columns + k] =
                range(l->args[column[k] / 2].memory, write ? &h->writes : &h->reads, write);
        }
    *out = (struct cw_groups_step){.tiles = s->tiles, .accesses = columns, .access = access};
    free(hulls);
    free(column);
    return good;
}

static bool keep_counts(struct cw_run_group *g)
{
    uint32_t n = g->plan.tiles;

    g->waits = malloc(n * sizeof *g->waits);
    g->early = calloc(n, sizeof *g->early);
    g->state = calloc(n, sizeof *g->state);
    g->worker = malloc(n * sizeof *g->worker);
    if (!g->waits || !g->early || !g->state || !g->worker)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        g->waits[i] = g->plan.tile[i].waits;
        g->worker[i] = (uint8_t)g->plan.tile[i].worker;
    }
    return true;
}

/* Each tile stands behind all that it counts, and each tile of each launch stands there once: a wrong order
 * would be wrong bytes. */
static bool is_order(const struct cw_run_group *g, uint32_t workers)
{
    uint32_t *open = calloc(g->plan.tiles, sizeof *open), left[CW_RUN_GROUP_STEPS], all = 0;
    bool good = open != NULL;

    for (uint32_t s = 0; s < g->steps; s++)
        all += left[s] = g->step[s].tiles;
    good &= all == g->plan.tiles;
    for (uint32_t i = 0; i < g->plan.tiles && good; i++) {
        const struct cw_groups_tile *t = &g->plan.tile[i];

        good = open[i] == t->waits && t->worker < workers && t->step < g->steps &&
               t->tile < g->step[t->step].tiles && left[t->step]--;
        for (uint32_t k = 0; k < t->successors && good; k++) {
            uint32_t next = g->plan.successor[t->first + k];
            good = next > i && next < g->plan.tiles;
            if (good)
                open[next]++;
        }
    }
    free(open);
    return good;
}

/* The time that `saved` bytes take is much of the chain's. */
static bool is_bound(const struct cw_run_group *g, double saved)
{
    return saved / CW_RUN_GROUP_MEMORY_RATE >= (1 - CW_RUN_GROUP_GAIN) * g->chain->plain_ns * g->steps;
}

/* NULL: bands are thin enough that steps meet in their neighbours only, and most traffic is saved, or that
 * need not be. Else the reason, static words. */
static const char *judge(struct cw_run_group *g, bool measured)
{
    if (cw_run.chaos)
        return NULL;
    if (g->plan.blocks >= g->steps)
        return cw_run_group_settings.reuse > 0 ? "groups of it touch their data too seldom"
                                               : "every launch needs all of the one before";
    if (cw_run_group_settings.always || cw_run_group_settings.reuse > 0 || measured)
        return NULL;
    if ((double)g->plan.plain_bytes < CW_RUN_GROUP_SAVES * (double)g->plan.touched_bytes)
        return "its data stay in cache anyhow, or do not in groups";
    g->futile = !is_bound(g, (double)g->plan.plain_bytes);
    return is_bound(g, (double)g->plan.plain_bytes - (double)g->plan.touched_bytes)
               ? NULL
               : "its launches wait for other things than memory";
}

/* ---- launches whose bands lean */

static int64_t slice_of(const struct cw_run_step *ref)
{
    return ref->cut.groups >= 2 * SLICE ? SLICE : (int64_t)ref->cut.groups / 2;
}

/* The work-group that the slice of `s` begins with: amid all. */
static int64_t middle(const struct cw_run_step *s, const struct cw_run_step *ref)
{
    return ((int64_t)s->cut.groups - slice_of(ref)) / 2;
}

static bool may_lean(const struct cw_run_group *g, uint32_t i, uint32_t ref)
{
    const struct cw_run_step *s = &g->step[i], *r = &g->step[ref];

    return s->tiles > 1 && slice_of(r) >= SLICE_LEAST && (int64_t)s->cut.groups > slice_of(r) &&
           s->cut.groups + r->cut.groups / 20 + 1 >= r->cut.groups;
}

/* The dependences of thin bands amid each launch tell by how many work-groups each step should lean. */
static bool measure_leans(const struct cw_run_group *g, uint32_t ref, double *lean)
{
    struct cw_groups_step *slice = calloc(g->steps, sizeof *slice);
    int64_t from[SLICE + 1], n = slice_of(&g->step[ref]);
    bool good = slice != NULL;

    for (uint32_t i = 0; i < g->steps && good; i++) {
        struct cw_run_step thin = g->step[i];

        slice[i].tiles = 1;
        if (!may_lean(g, i, ref))
            continue;
        for (int64_t k = 0; k <= n; k++)
            from[k] = middle(&thin, &g->step[ref]) + k;
        thin.tiles = (uint32_t)n;
        good = describe(&thin, from, &slice[i]);
    }
    good = good && cw_groups_leans(slice, g->steps, lean, NULL) == CW_OK;
    for (uint32_t i = 0; slice && i < g->steps; i++)
        free((void *)slice[i].access);
    free(slice);
    return good;
}

/* The bands of `s`: `band` work-groups each, from `offset` on and before. Columns count from `first` on. */
static bool cut_leaning(struct cw_run_step *s, int64_t band, int64_t offset, int64_t first, uint32_t **column)
{
    int64_t groups = (int64_t)s->cut.groups, most = groups / band + 3, k = first;
    uint32_t *c = *column = malloc((size_t)most * sizeof *c);

    s->from = malloc((size_t)(most + 1) * sizeof *s->from);
    if (!s->from || !c)
        return false;
    while (offset + (k + 1) * band <= 0)
        k++;
    s->tiles = 0;
    s->from[0] = 0;
    for (int64_t at = 0; at < groups; k++) {
        at = offset + (k + 1) * band < groups ? offset + (k + 1) * band : groups;
        c[s->tiles++] = (uint32_t)(k - first);
        s->from[s->tiles] = at;
    }
    return true;
}

/* Cuts those launches that can be so that they lean; the others have been counted. False: memory is out, or
 * they cannot. */
static bool lean(struct cw_run_group *g, uint32_t ref, struct cw_groups_step *step)
{
    double *by = calloc(g->steps, sizeof *by), most = 0;
    const struct cw_run_step *r = &g->step[ref];
    int64_t band = (int64_t)(r->cut.groups / r->tiles), first;
    bool good = by && measure_leans(g, ref, by);

    for (uint32_t i = 0; i < g->steps && good; i++)
        most = fabs(by[i]) > most ? fabs(by[i]) : most;
    first = -((int64_t)most / band + 2);
    for (uint32_t i = 0; i < g->steps && good; i++) {
        struct cw_run_step *s = &g->step[i];
        int64_t own = llround(by[i]);
        uint32_t *column;

        if (!may_lean(g, i, ref))
            continue;
        good = cut_leaning(s, band, middle(s, r) - middle(r, r) - own, first, &column);
        step[i].column = column;
        step[i].lean = (double)own / (double)band;
    }
    free(by);
    return good;
}

/* ---- the plan */

static enum cw_status cut(struct cw_run_group *g, const struct cw_run_variant *v, uint32_t workers,
                          struct cw_groups_step *step)
{
    uint32_t ref = count_tiles(g, cw_run_group_variant_band(v, workers));
    bool leans = cw_run.chaos ? cw_run_group_below(2) : cw_run_group_settings.rule == CW_GROUPS_SKEW;

    if (leans && !lean(g, ref, step))
        return CW_ERR_NOMEM;
    for (uint32_t i = 0; i < g->steps; i++) {
        struct cw_groups_step described;

        if (!g->step[i].from && !borders(&g->step[i]))
            return CW_ERR_NOMEM;
        if (!describe(&g->step[i], g->step[i].from, &described))
            return CW_ERR_NOMEM;
        described.column = step[i].column;
        described.lean = step[i].lean;
        step[i] = described;
        cw_run_global_lock_give(); /* others are not to wait for all of this */
        cw_run_global_lock_take();
    }
    return CW_OK;
}

/* For chaos: any order that is legal, or workers apart, as they are without it but with blocks of any height.
 */
static void draw(struct cw_groups_options *o)
{
    o->separate = cw_run_group_below(3) == 0;
    o->height = o->separate ? 1 + cw_run_group_below(CHAOS_TILES) : 0;
    o->seed = o->separate ? 0 : 1 + cw_run_group_below(1u << 30);
}

/* Makes the plan, or takes the one that an earlier run has kept, where it `may` be kept. */
static enum cw_status order(const struct cw_groups_step *step, uint32_t steps,
                            const struct cw_groups_options *options, bool may, struct cw_groups *plan,
                            bool *recalled)
{
    enum cw_status status;
    struct cw_identity id = {0};

    if (may)
        id = cw_run_group_name(step, steps, options);
    *recalled = may && cw_run_group_cache_load(&id, plan);
    status = *recalled ? CW_OK : cw_groups_make(step, steps, options, plan, NULL);
    if (status == CW_OK && may && !*recalled)
        cw_run_group_cache_store(&id, plan);
    cw_identity_finish(&id);
    return status;
}

/* cache_bytes: 0: the plan is not used. */
static void report(const struct cw_groups *plan, bool recalled, uint64_t begin, uint64_t cache_bytes)
{
    cw_log_debug("groups: a plan of %u tiles%s took %.1f ms", plan->tiles,
                 recalled ? " that an earlier run has kept" : "",
                 (double)(cw_run_global_lock_now_ns() - begin) / 1e6);
    if (cache_bytes && plan->touched_bytes)
        cw_log_debug("groups: %.1f MiB from memory, %.1f in plain order, with %llu KiB of cache",
                     (double)plan->touched_bytes / 0x1p20, (double)plan->plain_bytes / 0x1p20,
                     (unsigned long long)cache_bytes >> 10);
}

static void free_steps(struct cw_groups_step *step, uint32_t steps)
{
    for (uint32_t i = 0; step && i < steps; i++) {
        free((void *)step[i].access);
        free((void *)step[i].column);
    }
    free(step);
}

bool cw_run_group_plan(struct cw_run_group *g, const struct cw_run_variant *v, uint32_t workers,
                       const char **why)
{
    struct cw_groups_step *step = calloc(g->steps, sizeof *step);
    struct cw_groups_options options = {.rule = cw_run_group_settings.rule,
                                        .workers = workers,
                                        .cache_bytes = v->cache_bytes,
                                        .reuse = cw_run_group_settings.reuse,
                                        .measured = g->chain->runs[g->variant] && !cw_run.chaos};
    uint64_t begin = cw_run_global_lock_now_ns();
    bool good = false, recalled = false;

    *why = "memory is out";
    if (cw_run.chaos)
        draw(&options);
    else
        options.separate = v->helpers && options.rule == CW_GROUPS_SKEW;
    if (options.separate && v->shared)
        options.cache_bytes /= workers;
    if (step && cut(g, v, workers, step) == CW_OK) {
        bool may = options.measured && cw_run_group_cache_settle(g, step);
        enum cw_status status;

        cw_run_global_lock_give();
        status = order(step, g->steps, &options, may, &g->plan, &recalled);
        cw_run_global_lock_take();
        good = status == CW_OK && is_order(g, workers) && keep_counts(g);
        if (status == CW_ERR_LIMIT)
            *why = "its dependences are not local";
        g->judged = status == CW_ERR_LIMIT;
    }
    if (good && (*why = judge(g, options.measured))) {
        g->judged = true;
        good = false;
    }
    report(&g->plan, recalled, begin, good ? options.cache_bytes : 0);
    free_steps(step, g->steps);
    return good;
}
