/* trace_vendor.c - see trace_reach.h. */
#include "trace_reach.h"

#include "../kernels/source/cl_language.h"

static int language_of(const struct cw_trace *t, uint32_t device)
{
    const struct cw_t_device *d = device < t->devices.count ? &t->devices.v[device] : NULL;
    const struct cw_t_platform *p =
        d && d->platform < t->platforms.count ? &t->platforms.v[d->platform] : NULL;

    return p ? cw_cl_language_default(p->name, p->version, d->version) : CW_CL_LANGUAGE_1;
}

int cw_trace_vendor_language(const struct cw_trace *t, uint32_t context)
{
    struct cw_slice devices = {0, 0};
    int language = CW_CL_LANGUAGE_1, other;

    if (context < t->contexts.count)
        devices = t->contexts.v[context].devices;
    for (uint32_t i = 0; i < devices.count; i++) {
        other = language_of(t, t->device_ids.v[devices.first + i]);
        language = other > language ? other : language;
    }
    return language;
}
