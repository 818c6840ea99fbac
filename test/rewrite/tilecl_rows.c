/* tilecl_rows.c - tiles in the kernel's form for rows (rewrite.h). */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "tilecl_private.h"

#include "../../analyzer/kernels/rewrite/rewrite.h"

#include <stdio.h>

cl_kernel tilecl_rows_kernel(cl_program rewritten, const char *name)
{
    char form[300];

    snprintf(form, sizeof form, CW_REWRITE_ROWS "%s", name);
    return v.clCreateKernel(rewritten, form, NULL);
}

bool tilecl_run_rows(struct work *w, const struct cw_rewrite_tile *t, const size_t *size, int device,
                     bool parts)
{
    size_t global[3] = {parts && size[0] > 2 ? 3 : 1, w->l->dims > 1 ? size[1] : 1,
                        w->l->dims > 2 ? size[2] : 1};
    size_t one[3] = {1, 1, 1};
    cl_int2 row = {.s = {(cl_int)size[0], (cl_int)((size[0] + global[0] - 1) / global[0])}};

    global[0] = (size[0] + (size_t)row.s[1] - 1) / (size_t)row.s[1];
    return !v.clSetKernelArg(w->rows[device], w->k->args, sizeof *t, t) &&
           !v.clSetKernelArg(w->rows[device], w->k->args + 1, sizeof row, &row) &&
           !v.clEnqueueNDRangeKernel(side.queue[device], w->rows[device], w->l->dims, NULL, global, one, 0,
                                     NULL, NULL);
}
