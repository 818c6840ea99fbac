/* run_tile_submit.c - one block of a cut launch, handed to its device. */
#include "run_tile.h"

#include <string.h>

#include "../../../analyzer/kernel/rewrite.h"
#include "../lanes/run_build.h"
#include "../lanes/run_fault.h"
#include "../lanes/run_room.h"

/* Under planted faults: the ids of a launch that is no more than this block, moved by an offset; without the offset that
 * it has; another local size. */
static void spoil(struct cw_rewrite_tile *tile, const struct cw_run_launch *l, uint32_t d, const size_t *global, size_t local[3])
{
    if (l->has_offset && cw_run_fault_asks_since(CW_RUN_FAULT_OFFSET)) {
        for (cl_uint i = 0; i < l->dims; i++)
            tile->base[i] -= l->offset[i];
        memset(tile->offset, 0, sizeof tile->offset);
    }
    if (cw_run_fault_asks_since(CW_RUN_FAULT_NAIVE)) {
        tile->offset[d] = tile->base[d];
        tile->first_group[d] = 0;
        tile->size[d] = global[d];
        tile->groups[d] = global[d] / local[d];
    }
    if (cw_run_fault_asks_now(CW_RUN_FAULT_LOCAL)) /* once: kernels that lean on their local size write anywhere */
        local[0] /= 2;
}

cl_int cw_run_tile_submit_range(const struct cw_run_launch *l, struct cw_run_context *c, struct cw_run_place *p,
                                const struct cw_run_cut *cut, const struct cw_run_block *b, cl_command_queue *queue,
                                cl_event *event)
{
    size_t first[3] = {0}, global[3] = {1, 1, 1}, local[3], rest;
    struct cw_run_set *set = NULL;
    struct cw_rewrite_tile tile;
    struct cw_run_rows rows;
    const struct cw_run_range r = {l->dims, NULL, global, local};
    bool hidden = false, first_time;
    cl_kernel kernel, by_rows;
    cl_int err;

    memcpy(global, l->global, l->dims * sizeof *global);
    first[cut->dim] = b->first;
    rest = l->global[cut->dim] - b->first * cut->local[cut->dim];
    global[cut->dim] = b->groups * cut->local[cut->dim];
    if (global[cut->dim] > rest) /* the last work-group is a smaller one */
        global[cut->dim] = rest;
    memcpy(local, cut->local, sizeof local);
    cw_rewrite_tile_fill(&tile, l->dims, l->global, local, l->has_offset ? l->offset : NULL, first);
    if (cut->ragged && rest < local[cut->dim])
        local[cut->dim] = rest;
    *queue = cw_run_place_queue(c, p);
    kernel = *queue ? cw_run_rewritten_on(l->kernel, p, &hidden) : NULL;
    if (kernel)
        set = l->kernel->tiled->set[p->lane->number];
    if (CW_UNLIKELY(cw_run_fault_planted))
        spoil(&tile, l, cut->dim, global, local);
    by_rows = kernel && hidden && cw_run_rows_of(&tile, global, p, &rows) ? cw_run_rewritten_rows_on(l->kernel, p) : NULL;
    if (by_rows) {
        kernel = by_rows;
        set = l->kernel->tiled->row_set[p->lane->number];
        memcpy(global, rows.global, sizeof global);
        local[0] = local[1] = local[2] = 1;
    }
    first_time = !cw_run_room_has(l, global, local, p->lane->number, by_rows ? CW_RUN_ROWS : CW_RUN_TILE);
    err = !kernel ? CL_OUT_OF_RESOURCES : CW_UNLIKELY(first_time) ? cw_run_rewritten_ahead(l, p, &r, by_rows != NULL) : CL_SUCCESS;
    if (err == CL_SUCCESS)
        err = cw_run_set_args(kernel, l, p, set);
    if (err == CL_SUCCESS && hidden)
        err = cw_next.clSetKernelArg(kernel, l->kernel->count, sizeof tile, &tile);
    if (err == CL_SUCCESS && by_rows)
        err = cw_next.clSetKernelArg(kernel, l->kernel->count + 1, sizeof rows.size, &rows.size);
    if (err == CL_SUCCESS && CW_UNLIKELY(first_time))
        err = cw_run_build_enqueue(p, *queue, kernel, &r, event);
    else if (err == CL_SUCCESS)
        err = cw_next.clEnqueueNDRangeKernel(*queue, kernel, l->dims, NULL, global, local, 0, NULL, event);
    if (err == CL_SUCCESS && first_time)
        cw_run_room_loaded(l, global, local, p->lane->number, by_rows ? CW_RUN_ROWS : CW_RUN_TILE);
    return err;
}

cl_int cw_run_tile_submit(struct cw_run_task *part, cl_command_queue *queue, cl_event *event)
{
    const struct cw_run_tiles *x = part->part_of;
    struct cw_run_context *c = part->queue->context;
    struct cw_run_place *p = &c->places[part->place];
    struct cw_run_block b = x->block[part->index], last = {.first = x->cut.groups - 1, .groups = 1};
    bool two = x->cut.ragged && b.groups > 1 && b.first + b.groups == x->cut.groups;
    cl_int err;

    b.groups -= two;
    err = cw_run_tile_submit_range(&part->launch, c, p, &x->cut, &b, queue, two ? NULL : event);
    part->begun = err == CL_SUCCESS;
    if (two && part->begun) {
        err = cw_run_tile_submit_range(&part->launch, c, p, &x->cut, &last, queue, event);
        if (err != CL_SUCCESS)
            cw_next.clFinish(*queue); /* what has begun is over before anybody hears of it */
    }
    return err;
}
