/* sampler.c - samplers. A launch remembers what its sampler does (core/sampler.h), as it was when the
 * argument was set: the program may release it at any time. */
#include "hooks.h"

#include <stdatomic.h>

#include "sampler.h"
#include "../core/global_lock.h"
#include "../core/sampler.h"
#include "../core/state.h"
#include "../tasks/object.h"

static atomic_bool any; /* the program has made one */

static cl_sampler keep(cl_sampler sampler)
{
    struct cw_run_sampler *s;
    uint32_t what;

    if (!sampler || !cw_run.ready)
        return sampler;
    what = cw_run_sampler_kind(sampler);
    cw_run_global_lock_take();
    s = cw_run_object_create(sampler, CW_RUN_SAMPLER);
    if (s)
        s->what = what;
    else
        cw_run.off = true; /* its handle would be taken for a number */
    atomic_store_explicit(&any, true, memory_order_relaxed);
    cw_run_global_lock_give();
    return sampler;
}

cl_sampler cw_run_hook_clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                                       cl_filter_mode filter, cl_int *err)
{
    return keep(cw_native.clCreateSampler(context, normalized, addressing, filter, err));
}

cl_sampler cw_run_hook_clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *how,
                                                     cl_int *err)
{
    return keep(cw_native.clCreateSamplerWithProperties(context, how, err));
}

CW_RUN_RETAIN(clRetainSampler, cl_sampler, CW_RUN_SAMPLER)
CW_RUN_RELEASE(clReleaseSampler, cl_sampler, CW_RUN_SAMPLER)

bool cw_run_sampler_may_be(size_t size, const void *value)
{
    const void *handle;

    if (!atomic_load_explicit(&any, memory_order_relaxed) || size != sizeof handle || !value)
        return false;
    memcpy(&handle, value, sizeof handle);
    return cw_run_record_find(handle, CW_RUN_SAMPLER);
}

void cw_run_sampler_set(struct cw_run_arg *a)
{
    const struct cw_run_sampler *s =
        a->kind == CW_RUN_ARG_VALUE && a->size == sizeof(cl_sampler)
            ? cw_run_record_find((const void *)(uintptr_t)a->word, CW_RUN_SAMPLER)
            : NULL;

    if (s)
        a->sampler = (uint8_t)(1 + s->what);
}
