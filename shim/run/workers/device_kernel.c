/* device_kernel.c - see workers/worker.h. */
#include "worker.h"

#include <stdlib.h>

#include "../code/build_cache.h"
#include "../code/code.h"
#include "../core/recount.h"

bool cw_run_device_kernel_set(struct cw_run_kernel *k, const struct cw_run_worker *worker)
{
    struct cw_run_set **set = &k->set[worker->number];

    if (!*set)
        *set = calloc(k->count + 1, sizeof **set);
    return *set;
}

/* Another compiler may have read another kernel of this name. */
static bool takes_as_many(const struct cw_run_kernel *k, cl_kernel clone)
{
    cl_uint count = 0;

    return cw_next.clGetKernelInfo(clone, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) == CL_SUCCESS &&
           count == k->count;
}

cl_kernel cw_run_device_kernel_of(struct cw_run_kernel *k, struct cw_run_context_device *place)
{
    cl_kernel *clone = &k->clones[place->worker->number];
    cl_program program;
    cl_int err;

    if (*clone)
        return *clone;
    program =
        place->device->home ? cw_build_cache_of_record(k->program) : cw_helper_program_of(k->program, place);
    if (!cw_run_device_kernel_set(k, place->worker))
        return NULL;
    cw_run_recount_begins();
    *clone = program ? cw_next.clCreateKernel(program, k->name, &err) : NULL;
    if (*clone && place->device->home && !k->program->cached)
        k->program->own_kernels++;
    cw_run_recount_ends();
    if (*clone && !place->device->same_code && !takes_as_many(k, *clone)) {
        cw_next.clReleaseKernel(*clone);
        *clone = NULL;
    }
    return *clone;
}
