/* acceptance.c - see models/acceptance.h. */
#include "acceptance.h"

#include <stdlib.h>
#include <string.h>

#include "../core/global_lock.h"
#include "../core/state.h"

#define LOCAL_ALIGNMENT 128u /* bytes, of local memory given as arguments: that of the largest type */

/* The limits of a kernel on one device, as the vendor states them. */
struct cw_run_limits {
    bool known;
    size_t items, most[3]; /* of a work-group; along each dimension */
    size_t demanded[3];    /* the kernel's reqd_work_group_size; 0: none */
    uint64_t local_bytes;  /* left for arguments */
};

/* A form of launches that the vendor has accepted. */
struct cw_run_trust {
    struct cw_run_trust *next;
    cl_device_id device;
    uint32_t dims;
    bool has_local, has_offset;
    uint8_t uneven; /* dimensions that the local size does not divide */
    size_t local[3];
    uint64_t local_bytes; /* of local memory given as arguments */
};

/* ---- the vendor's limits */

static bool ask(cl_kernel kernel, cl_device_id device, struct cw_run_limits *l)
{
    cl_ulong has = 0, takes = 0;
    bool known =
        cw_next.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof l->items,
                                         &l->items, NULL) == CL_SUCCESS &&
        cw_next.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                         sizeof l->demanded, l->demanded, NULL) == CL_SUCCESS &&
        cw_next.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof takes, &takes,
                                         NULL) == CL_SUCCESS &&
        cw_next.clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof has, &has, NULL) == CL_SUCCESS &&
        cw_next.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof l->most, l->most, NULL) ==
            CL_SUCCESS;

    l->local_bytes = has > takes ? has - takes : 0;
    return known && takes <= has;
}

void cw_run_acceptance_ask(struct cw_run_kernel *k, cl_kernel kernel)
{
    const struct cw_context_devices *devices = k->program->context->devices;
    struct cw_run_limits *limits = NULL;
    bool asked;

    cw_run_global_lock_take();
    asked = !k->known || k->known->limits || k->program->partly;
    cw_run_global_lock_give();
    if (!asked)
        limits = calloc(devices->homes, sizeof *limits);
    for (size_t i = 0; limits && i < devices->homes; i++)
        limits[i].known = ask(kernel, devices->device[i].device, &limits[i]);
    cw_run_global_lock_take();
    if (limits && !k->known->limits) {
        k->known->limits = limits;
        limits = NULL;
    }
    cw_run_global_lock_give();
    free(limits);
}

static uint64_t local_bytes_of(const struct cw_run_kernel *k, uint64_t alignment)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < k->count; i++)
        if (k->args[i].kind == CW_RUN_ARG_LOCAL)
            bytes += (k->args[i].size + alignment - 1) & ~(alignment - 1);
    return bytes;
}

static bool is_within(const struct cw_run_limits *l, const struct cw_run_kernel *k,
                      const struct cw_run_ndrange *r)
{
    bool demands = l->demanded[0] || l->demanded[1] || l->demanded[2];
    size_t items = l->items;

    if (!l->most[r->dims - 1] || local_bytes_of(k, LOCAL_ALIGNMENT) > l->local_bytes ||
        (demands && !r->local))
        return false;
    for (cl_uint i = 0; demands && i < 3; i++)
        if (l->demanded[i] != (i < r->dims ? r->local[i] : 1))
            return false;
    for (cl_uint i = 0; r->local && i < r->dims; i++) {
        if (r->local[i] > items || r->local[i] > l->most[i] || r->global[i] % r->local[i])
            return false;
        items /= r->local[i];
    }
    return true;
}

/* ---- forms that the vendor has accepted */

static struct cw_run_trust form_of(const struct cw_run_queue *q, const struct cw_run_kernel *k,
                                   const struct cw_run_ndrange *r)
{
    struct cw_run_trust t = {.device = q->context->devices->device[q->home].device,
                             .dims = r->dims,
                             .has_local = r->local,
                             .local_bytes = local_bytes_of(k, 1)};

    for (cl_uint i = 0; i < r->dims; i++) {
        t.has_offset |= r->offset && r->offset[i];
        t.local[i] = r->local ? r->local[i] : 0;
        t.uneven |= r->local && r->global[i] % r->local[i] ? 1 << i : 0;
    }
    return t;
}

static bool same(const struct cw_run_trust *a, const struct cw_run_trust *b)
{
    return a->device == b->device && a->dims == b->dims && a->has_local == b->has_local &&
           a->has_offset == b->has_offset && a->uneven == b->uneven && a->local_bytes == b->local_bytes &&
           !memcmp(a->local, b->local, sizeof a->local);
}

static bool is_trusted(const struct cw_run_known *known, const struct cw_run_trust *form)
{
    const struct cw_run_trust *t = known->trusted;

    while (t && !same(t, form))
        t = t->next;
    return t;
}

/* ---- both */

bool cw_run_acceptance_is_certain(const struct cw_run_queue *q, const struct cw_run_kernel *k,
                                  const struct cw_run_ndrange *r)
{
    const struct cw_run_limits *l = k->known->limits ? &k->known->limits[q->home] : NULL;
    struct cw_run_trust form;

    if (l && l->known && is_within(l, k, r))
        return true;
    form = form_of(q, k, r);
    return is_trusted(k->known, &form);
}

void cw_run_acceptance_seen(const struct cw_run_queue *q, struct cw_run_kernel *k,
                            const struct cw_run_ndrange *r)
{
    struct cw_run_trust form = form_of(q, k, r);
    struct cw_run_trust *t = is_trusted(k->known, &form) ? NULL : malloc(sizeof *t);

    if (!t)
        return;
    *t = form;
    t->next = k->known->trusted;
    k->known->trusted = t;
}

void cw_run_acceptance_free(struct cw_run_known *known)
{
    struct cw_run_trust *next;

    for (struct cw_run_trust *t = known->trusted; t; t = next) {
        next = t->next;
        free(t);
    }
    free(known->limits);
}
