/* sampler.c - see core/sampler.h. */
#include "sampler.h"

#include "global_lock.h"
#include "recount.h"

static const cl_addressing_mode addressings[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP,
                                                 CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT};
static const cl_filter_mode filters[] = {CL_FILTER_NEAREST, CL_FILTER_LINEAR};

#define ADDRESSINGS (sizeof addressings / sizeof *addressings)
#define FILTERS     (sizeof filters / sizeof *filters)
_Static_assert(2 * ADDRESSINGS * FILTERS == CW_RUN_SAMPLER_KINDS, "kinds of samplers");

static cl_uint property(cl_sampler sampler, cl_sampler_info name)
{
    cl_uint value = 0; /* cl_bool, cl_addressing_mode and cl_filter_mode are cl_uint; no mode is 0 */

    if (cw_next.clGetSamplerInfo(sampler, name, sizeof value, &value, NULL) != CL_SUCCESS)
        value = UINT32_MAX;
    return value;
}

uint32_t cw_run_sampler_kind(cl_sampler sampler)
{
    cl_uint normalized = property(sampler, CL_SAMPLER_NORMALIZED_COORDS),
            addressing = property(sampler, CL_SAMPLER_ADDRESSING_MODE),
            filter = property(sampler, CL_SAMPLER_FILTER_MODE);
    uint32_t a = 0, f = 0;

    while (a < ADDRESSINGS && addressings[a] != addressing)
        a++;
    while (f < FILTERS && filters[f] != filter)
        f++;
    if (normalized > CL_TRUE || a == ADDRESSINGS || f == FILTERS)
        return CW_RUN_SAMPLER_ODD;
    return (normalized * ADDRESSINGS + a) * FILTERS + f;
}

void cw_run_sampler_release(struct cw_run_context_device *p)
{
    for (uint32_t i = 0; i < CW_RUN_SAMPLER_KINDS; i++)
        cw_run_global_lock_release_later(CW_RUN_DROP_SAMPLER, p->samplers[i]);
}

/* Those in the program's context retain it, which its reference count must not show. */
cl_sampler cw_run_sampler_of(struct cw_run_context *c, struct cw_run_context_device *p, uint64_t what)
{
    cl_sampler *sampler = &p->samplers[what];
    cl_int err;

    if (*sampler)
        return *sampler;
    cw_run_recount_begins();
    *sampler =
        cw_next.clCreateSampler(p->context, what / FILTERS / ADDRESSINGS ? CL_TRUE : CL_FALSE,
                                addressings[what / FILTERS % ADDRESSINGS], filters[what % FILTERS], &err);
    if (*sampler && p->device->home)
        c->own_objects++;
    cw_run_recount_ends();
    return *sampler;
}
