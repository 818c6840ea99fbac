/* run_group_plan.c - the tiles of a chain: bands of each launch, what they touch, their order by sched/groups.h. */
#include "run_group.h"

#include <stdlib.h>

#include "../../analyzer/footprint/compiled.h"

#define MOST_TILES  1024  /* of one launch */
#define MOST_ALL    32768 /* of a group run */
#define CHAOS_TILES 12
#define SAVES       1.25  /* bytes from memory in program order over those in groups, at least */

uint64_t cw_run_group_bytes(const struct cw_run_step *s)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < s->task->num_accesses; i++)
        bytes += s->task->accesses[i].high - s->task->accesses[i].low;
    return bytes;
}

/* Bands of launches that touch much are as many as in the largest of them, so that bands of one number lie at one place;
 * what touches little stays in one piece. */
static void count_tiles(struct cw_run_group *g, const struct cw_run_variant *v)
{
    uint64_t largest = 0, tiles, most = MOST_ALL / g->steps;

    for (uint32_t i = 0; i < g->steps; i++) {
        uint64_t bytes = cw_run_group_bytes(&g->step[i]);
        largest = bytes > largest ? bytes : largest;
    }
    tiles = largest / v->band_bytes;
    most = most < MOST_TILES ? most : MOST_TILES;
    tiles = tiles > most ? most : tiles < 2 ? 2 : tiles;
    for (uint32_t i = 0; i < g->steps; i++) {
        struct cw_run_step *s = &g->step[i];
        uint64_t own = cw_run.chaos ? 1 + cw_run_group_below(CHAOS_TILES) : cw_run_group_bytes(s) >= largest / 8 ? tiles : 1;
        s->tiles = (uint32_t)(own < s->cut.groups ? own : s->cut.groups);
    }
}

/* Under chaos the borders are anywhere. */
static void borders(const struct cw_run_step *s, int64_t *from)
{
    for (uint32_t i = 0; i <= s->tiles; i++)
        from[i] = (int64_t)((uint64_t)i * s->cut.groups / s->tiles);
    for (uint32_t i = 1; i < s->tiles && cw_run.chaos; i++) {
        uint64_t room = (uint64_t)(from[i + 1] - from[i - 1]);
        if (room > 2)
            from[i] = from[i - 1] + 1 + cw_run_group_below((uint32_t)(room - 1 < UINT32_MAX ? room - 1 : UINT32_MAX));
    }
}

static struct cw_groups_access range(const struct cw_run_memory *m, const struct cw_hull *h, bool write)
{
    struct cw_groups_access a = {.write = write};

    if (m && h->answer != CW_ANSWER_NONE && h->end > h->begin) {
        a.low = (uintptr_t)m->address + (uint64_t)h->begin;
        a.high = (uintptr_t)m->address + (uint64_t)h->end;
    }
    return a;
}

/* Sets out->access, which is the caller's to free. from[]: borders, which the group keeps. */
static bool describe(const struct cw_run_step *s, const int64_t *from, struct cw_groups_step *out)
{
    const struct cw_run_launch *l = &s->task->launch;
    uint32_t args = l->kernel->count;
    struct cw_arg_hulls *hulls = calloc((size_t)s->tiles * args + 1, sizeof *hulls);
    struct cw_groups_access *access = calloc((size_t)s->tiles * args * 2 + 1, sizeof *access);
    uint32_t n = 0;

    *out = (struct cw_groups_step){.tiles = s->tiles, .accesses = 2 * args, .access = access};
    if (!hulls || !access || !cw_run_cut_hulls(s->task, &s->cut, from, (int)s->tiles, hulls)) {
        free(hulls);
        return false;
    }
    for (uint32_t i = 0; i < s->tiles; i++)
        for (uint32_t a = 0; a < args; a++) {
            access[n++] = range(l->args[a].memory, &hulls[(size_t)i * args + a].reads, false);
            access[n++] = range(l->args[a].memory, &hulls[(size_t)i * args + a].writes, true);
        }
    free(hulls);
    return true;
}

static bool keep_counts(struct cw_run_group *g)
{
    uint32_t n = g->plan.tiles;

    g->waits = malloc(n * sizeof *g->waits);
    g->state = calloc(n, sizeof *g->state);
    g->lane = malloc(n * sizeof *g->lane);
    if (!g->waits || !g->state || !g->lane)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        g->waits[i] = g->plan.tile[i].waits;
        g->lane[i] = (uint8_t)g->plan.tile[i].lane;
    }
    return true;
}

/* Each tile stands behind all that it counts, and each tile of each launch stands there once: a wrong order would be wrong bytes. */
static bool is_order(const struct cw_run_group *g, uint32_t lanes)
{
    uint32_t *open = calloc(g->plan.tiles, sizeof *open), left[CW_RUN_GROUP_STEPS], all = 0;
    bool good = open != NULL;

    for (uint32_t s = 0; s < g->steps; s++)
        all += left[s] = g->step[s].tiles;
    good &= all == g->plan.tiles;
    for (uint32_t i = 0; i < g->plan.tiles && good; i++) {
        const struct cw_groups_tile *t = &g->plan.tile[i];

        good = open[i] == t->waits && t->lane < lanes && t->step < g->steps && t->tile < g->step[t->step].tiles && left[t->step]--;
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

/* Bands are thin enough that steps meet in their neighbours only, and most traffic is saved. */
static const char *judge(const struct cw_run_group *g)
{
    if (cw_run.chaos)
        return NULL;
    if (g->plan.blocks >= g->steps)
        return "every launch needs all of the one before";
    if (cw_run_group_settings.always)
        return NULL;
    return (double)g->plan.plain_bytes >= SAVES * (double)g->plan.touched_bytes ? NULL : "its data stay in cache anyhow";
}

bool cw_run_group_plan(struct cw_run_group *g, const struct cw_run_variant *v, uint32_t lanes, const char **why)
{
    struct cw_groups_step *step = calloc(g->steps, sizeof *step);
    struct cw_groups_options options = {.rule = cw_run_group_settings.rule, .lanes = lanes, .cache_bytes = v->cache_bytes};
    bool good = step != NULL;

    *why = "memory is out";
    if (cw_run.chaos)
        options.seed = 1 + cw_run_group_below(1u << 30);
    count_tiles(g, v);
    for (uint32_t i = 0; i < g->steps && good; i++) {
        g->step[i].from = malloc((g->step[i].tiles + 1) * sizeof *g->step[i].from);
        good = g->step[i].from != NULL;
        if (good) {
            borders(&g->step[i], g->step[i].from);
            good = describe(&g->step[i], g->step[i].from, &step[i]);
        }
        cw_run_unlock(); /* others are not to wait for all of this */
        cw_run_lock();
    }
    if (good) {
        enum cw_status status;

        cw_run_unlock();
        status = cw_groups_make(step, g->steps, &options, &g->plan, NULL);
        cw_run_lock();
        good = status == CW_OK && is_order(g, lanes) && keep_counts(g);
        if (status == CW_ERR_LIMIT)
            *why = "its dependences are not local";
    }
    if (good && (*why = judge(g)))
        good = false;
    for (uint32_t i = 0; step && i < g->steps; i++)
        free((void *)step[i].access);
    free(step);
    return good;
}
