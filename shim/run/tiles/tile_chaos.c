/* tile_chaos.c - under the policy chaos most launches that may be cut are, anywhere, for any workers; the
 * others move. */
#include "../planner/legal.h"
#include "tile.h"
#include "share.h"
#include "../core/state.h"
#include "../tuning/tuning.h"

static uint64_t state;

static size_t below(size_t n)
{
    if (!state)
        state = cw_run.random * 0x9e3779b97f4a7c15u + 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % n;
}

/* Pieces in order: between 1 and `most`; about a third of all launches stay in one piece. */
static uint32_t cut_up(struct cw_run_piece *piece, size_t groups, uint32_t most)
{
    uint32_t n = 0;
    size_t first = 0;

    while (first < groups && n < most) {
        size_t left = groups - first, share = n + 1 < most && below(4) ? 1 + below(left) : left;

        piece[n++] = (struct cw_run_piece){.first = first, .groups = share};
        first += share;
    }
    return n;
}

void cw_run_tile_chaos_cut(struct cw_run_task *t)
{
    const struct cw_run_context *c = t->queue->context;
    struct cw_run_piece piece[CW_RUN_TILE_BLOCKS];
    uint32_t place[CW_RUN_WORKERS], places = 0, n;
    struct cw_run_cut cut;
    const char *why = cw_run_cut_of(t, &cut);

    if (why) {
        cw_run_reasons_whole(t, why);
        return;
    }
    for (uint32_t i = 0; i < c->devices->n && places < CW_RUN_WORKERS; i++)
        if (cw_run_legal(t, &c->places[i], cw_run_cut_scope(&cut)) == CW_RUN_LEGAL)
            place[places++] = i;
    if (!places) {
        cw_run_reasons_whole(t, "no device may run tiles of it");
        return;
    }
    n = cut_up(piece, cut.groups, 1 + (uint32_t)below(8));
    if (n == 1)
        return; /* whole, where the plan has put it */
    for (uint32_t i = 0; i < n; i++)
        piece[i].place = place[below(places)];
    if (cw_run_tile_launch(t, &cut, piece, n))
        cw_run_tile_margin_draw(t->launch.tiles, below);
}
