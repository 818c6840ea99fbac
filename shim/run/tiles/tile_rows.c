/* tile_rows.c - blocks of launches whose kernel has a form for rows (kernels/rewrite/rewrite.h): how many
 * work-items make one. A row as long as the block makes the longest loop; but every unit of the device wants
 * rows, and several of them, so that none waits long for another. */
#include "tile.h"

#include <limits.h>
#include <string.h>

#include "../../../analyzer/kernels/models/program_models.h"
#include "../../../analyzer/kernels/rewrite/rewrite.h"
#include "../../../analyzer/settings/options.h"
#include "../core/fault.h"

enum { ROWS_PER_UNIT = 4, SHORTEST = 256, ROUND = 64 };

static bool off; /* constant after cw_run_tile_rows_start() */

void cw_run_tile_rows_start(const struct cw_options *options)
{
    off = !strcmp(options->rows, "off");
}

bool cw_run_tile_rows_off(void)
{
    return off;
}

bool cw_run_tile_rows_wanted(void *models, const char *kernel, const struct cw_rw_rows *form, uint64_t key)
{
    return !off && cw_program_models_bear_out(models, kernel, form, key);
}

bool cw_run_tile_rows_of(const struct cw_rewrite_tile *tile, const size_t global[3],
                         const struct cw_run_context_device *p, struct cw_run_rows *rows)
{
    size_t others = global[1] * global[2],
           wanted = p->worker->units > 1 ? (size_t)p->worker->units * ROWS_PER_UNIT : 1, pieces, row;

    if (p->device->dsp || !global[0] || !others || tile->base[0] > INT_MAX ||
        global[0] > INT_MAX - tile->base[0] || cw_run_fault_planted == CW_RUN_FAULT_LOCAL)
        return false;
    pieces = others < wanted ? (wanted + others - 1) / others : 1;
    row = (global[0] + pieces - 1) / pieces;
    if (pieces > 1)
        row = row < SHORTEST ? SHORTEST : (row + ROUND - 1) / ROUND * ROUND;
    if (row > global[0])
        row = global[0];
    rows->size.s[0] = (cl_int)global[0];
    rows->size.s[1] = (cl_int)row;
    rows->global[0] = (global[0] + row - 1) / row;
    rows->global[1] = global[1];
    rows->global[2] = global[2];
    return true;
}
