/* isolated_launch.c - see code/code.h. */
#include "code.h"

#include <stdlib.h>

#include "../core/image.h"

static struct cw_compile_range range_of(const struct cw_run_ndrange *r)
{
    struct cw_compile_range range = {.dims = r->dims, .has_local = r->local != NULL};

    for (cl_uint d = 0; d < r->dims; d++) {
        range.offset[d] = r->offset ? r->offset[d] : 0;
        range.global[d] = r->global[d];
        range.local[d] = r->local ? r->local[d] : 0;
    }
    return range;
}

static struct cw_compile_arg *args_of(const struct cw_run_launch *l, const uint32_t *more, uint32_t extra)
{
    uint32_t n = l->kernel->count;
    struct cw_compile_arg *arg = calloc((size_t)n + extra + 1, sizeof *arg);

    for (uint32_t i = 0; arg && i < n; i++) {
        const struct cw_run_arg *a = &l->args[i];

        if (a->memory && a->memory->image) {
            arg[i] = (struct cw_compile_arg){CW_COMPILE_IMAGE, a->memory->image->desc.image_type};
            continue;
        }
        arg[i].kind = a->memory                     ? CW_COMPILE_MEMORY
                      : a->sampler                  ? CW_COMPILE_SAMPLER
                      : a->kind == CW_RUN_ARG_LOCAL ? CW_COMPILE_LOCAL
                                                    : CW_COMPILE_VALUE;
        arg[i].size = a->size;
    }
    for (uint32_t i = 0; arg && i < extra; i++)
        arg[n + i] = (struct cw_compile_arg){CW_COMPILE_VALUE, more[i]};
    return arg;
}

cl_int cw_isolated_launch_ahead(const struct cw_run_context_device *place,
                                const struct cw_run_recipe *program, const char *kernel,
                                const struct cw_run_ndrange *r, const struct cw_run_launch *l,
                                const uint32_t *more, uint32_t extra)
{
    const struct cw_compile_range range = range_of(r);
    struct cw_compile_arg *arg = args_of(l, more, extra);
    cl_int err = arg ? cw_isolated_compiler_ahead_of(place->device->device, program, kernel, &range, arg,
                                                     l->kernel->count + extra)
                     : CL_OUT_OF_RESOURCES;

    free(arg);
    return err;
}

bool cw_isolated_launch_knows(const struct cw_run_context_device *place, const struct cw_run_recipe *program,
                              const char *kernel, const struct cw_run_ndrange *r,
                              const struct cw_run_launch *l, const uint32_t *more, uint32_t extra)
{
    const struct cw_compile_range range = range_of(r);
    struct cw_compile_arg *arg = args_of(l, more, extra);
    bool known = !arg || cw_isolated_compiler_knows_of(place->device->device, program, kernel, &range, arg,
                                                       l->kernel->count + extra);

    free(arg);
    return known;
}
