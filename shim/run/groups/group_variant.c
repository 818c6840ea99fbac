/* group_variant.c - the ways a chain may be run: a grid of data that a group takes (families) and of tiles as
 * parts of that.
 *
 * How much of the caches is this process's to use, and how quick they are, cannot be asked on a shared
 * machine; so the model (sched/groups.h) only makes candidates. See groups/group_choice.c. */
#include "group.h"

#include <math.h>
#include <stdio.h>

#include "../../../analyzer/settings/options.h"

static struct {
    struct cw_run_variant variant[CW_RUN_VARIANTS];
    uint32_t variants;
    uint64_t half_bytes;         /* of the last cache, or what the user wants to be in cache */
    unsigned tile_kib, data_kib; /* as the user wants; 0: nothing said */
} grid;

void cw_run_group_variant_start(const struct cw_options *options)
{
    if (sscanf(options->group_tile, "%u:%u", &grid.tile_kib, &grid.data_kib) != 2) /* the form was checked */
        grid.tile_kib = 0;
}

/* Tiles of 1/4, 1/8 and 1/2 of it, the most promising first: smaller ones take longer to plan. */
static void add_family(uint64_t cache, bool shared)
{
    static const uint32_t shares[] = {4, 8, 2};
    static uint32_t family;

    family++;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        grid.variant[grid.variants++] = (struct cw_run_variant){
            .cache_bytes = cache, .share = shares[i], .family = family, .shared = shared, .helpers = true};
}

/* A core's own cache and somewhat more, then the shared cache, half of which other processes may use. */
static void make(void)
{
    struct cw_run_caches c;

    cw_run_cache_size_read(&c);
    grid.half_bytes = c.last_bytes / 2;
    if (grid.tile_kib) {
        grid.half_bytes = (uint64_t)grid.data_kib << 10;
        grid.variant[grid.variants++] =
            (struct cw_run_variant){.cache_bytes = (uint64_t)grid.data_kib << 10, .helpers = true};
        return;
    }
    add_family(c.own_bytes * 5 / 4, false);
    add_family(c.last_bytes / 2, true);
    add_family(c.own_bytes * 5 / 8, false);
    add_family(c.own_bytes * 5 / 2, false);
    if (c.last_bytes / 2 / c.own_bytes >
        CW_RUN_GROUP_BETWEEN) /* as on machines of which this process has a part */
        add_family((uint64_t)sqrt((double)c.own_bytes * (double)c.last_bytes), true);
    add_family(c.last_bytes, true); /* where a step needs many rows: few steps fit into half */
    grid.variant[grid.variants++] =
        (struct cw_run_variant){.cache_bytes = c.last_bytes / 2, .share = 4, .shared = true};
}

uint32_t cw_run_group_variant_all(void)
{
    if (!grid.variants)
        make();
    return grid.variants;
}

const struct cw_run_variant *cw_run_group_variant(uint32_t variant)
{
    return &grid.variant[variant];
}

uint64_t cw_run_group_variant_half_bytes(void)
{
    return cw_run_group_variant_all() ? grid.half_bytes : 0;
}

uint32_t cw_run_group_variant_alike(uint32_t variant)
{
    uint32_t alike = 0;

    for (uint32_t v = 0; v < grid.variants; v++)
        if (grid.variant[v].helpers == grid.variant[variant].helpers)
            alike |= 1u << v;
    return alike;
}

uint64_t cw_run_group_variant_band(const struct cw_run_variant *v, uint32_t workers)
{
    uint64_t data = v->shared ? v->cache_bytes / workers : v->cache_bytes;
    uint64_t band = v->share ? data / v->share : (uint64_t)grid.tile_kib << 10; /* 0: as the user wants */

    return band < CW_RUN_GROUP_BAND_MOST ? band : CW_RUN_GROUP_BAND_MOST;
}
