/* groups_reuse.c - how often the groups of a block touch their bytes: the patent's bound on reuse. */
#include "groups_order.h"

#include <stdlib.h>

bool cw_groups_uses(const struct cw_groups_order *o, const uint32_t *sequence,
                    const struct cw_groups_tile *by_number, struct cw_groups_use *use)
{
    const struct cw_groups_net *net = o->net;
    uint32_t *stamp = calloc((size_t)net->pieces + 1, sizeof *stamp); /* group + 1 */

    for (uint32_t k = 0; stamp && k < net->tiles; k++) {
        const struct cw_groups_access *access;
        uint32_t count, group = by_number[sequence[k]].group;
        const struct cw_groups_run *run = cw_groups_runs(net, sequence[k], &count, &access);

        use[group].block = o->block[net->step_of[sequence[k]]];
        for (uint32_t a = 0; a < count && net->step[net->step_of[sequence[k]]].tiles > 1; a++) {
            if (run[a].low < run[a].high)
                use[group].accessed += access[a].high - access[a].low;
            for (uint32_t p = run[a].low; p < run[a].high; p++)
                if (stamp[p] != group + 1)
                    stamp[p] = group + 1, use[group].touched += cw_groups_piece_bytes(net, p);
        }
    }
    free(stamp);
    return stamp != NULL;
}

enum cw_status cw_groups_bound_reuse(struct cw_groups_order *o, const struct cw_groups_use *use,
                                     uint32_t groups, bool *changed, struct cw_error *err)
{
    uint64_t *accessed = calloc(o->blocks, 2 * sizeof *accessed), *touched = accessed + o->blocks;
    uint32_t blocks = 0, last = UINT32_MAX;

    *changed = false;
    if (!accessed)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (uint32_t g = 0; g < groups; g++)
        accessed[use[g].block] += use[g].accessed, touched[use[g].block] += use[g].touched;
    for (uint32_t s = 0; s < o->net->steps; s++) {
        uint32_t was = o->block[s];
        bool few = (double)accessed[was] <= o->options->reuse * (double)touched[was];

        *changed |= few && was == last;
        if (was == 0 && few)
            o->height = 1;
        blocks += was != last || few;
        o->block[s] = blocks - 1;
        last = was;
    }
    o->blocks = blocks;
    free(accessed);
    if (!*changed)
        return CW_OK;
    enum cw_status status = cw_groups_shift_blocks(o, err);
    if (status == CW_OK)
        cw_groups_order_keys(o);
    return status;
}
