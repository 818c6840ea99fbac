/* context.c - contexts of the program, and the places where their commands can run. */
#include "hooks.h"
#include "../../door/thread.h"
#include "context.h"
#include "../code/code.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/recount.h"
#include "../core/sampler.h"
#include "../core/context_device.h"
#include "../core/state.h"
#include "../memory/native_use.h"
#include "../staging/staging.h"
#include "../streams/stream_start.h"
#include "../tasks/reference_counts.h"
#include "../workers/worker.h"

#include <stdlib.h>

static cl_device_id *devices_of(cl_context context, size_t *n)
{
    cl_device_id *devices = NULL;
    size_t bytes = 0;

    if (cw_next.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes) == CL_SUCCESS && bytes)
        devices = malloc(bytes);
    if (devices &&
        cw_next.clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices, NULL) != CL_SUCCESS) {
        free(devices);
        devices = NULL;
    }
    *n = bytes / sizeof *devices;
    return devices;
}

/* Commands are managed on devices that work on the host's memory in place, or have helpers. */
static bool all_known(const struct cw_context_devices *devices)
{
    for (size_t i = 0; i < devices->homes; i++)
        if (!devices->device[i].memory && !cw_device_has(&devices->device[i], CW_VENDOR_ZERO_COPY_HOST_PTR))
            return false;
    return devices->homes;
}

/* Streams are for contexts that have no helpers. */
static bool is_streamed(cl_context context, const struct cw_context_devices *devices)
{
    bool helped = devices->device[0].memory && cw_device_has(&devices->device[0], CW_VENDOR_OWN_MEMORY);

    if (helped)
        cw_stream_settings_refuse(&devices->device[0], "helpers run parts of its commands");
    return !helped && cw_stream_start_context(context, devices);
}

static bool is_pinned(const struct cw_context_devices *devices)
{
    for (size_t i = 0; i < devices->homes; i++)
        if (cw_device_has(&devices->device[i], CW_VENDOR_PINNED))
            return true;
    return false;
}

static bool make_places(struct cw_run_context *c)
{
    c->places = calloc(c->devices->n, sizeof *c->places);
    for (size_t i = 0; c->places && i < c->devices->n; i++) {
        struct cw_run_context_device *p = &c->places[i];

        p->device = &c->devices->device[i];
        p->worker = cw_run_worker_of(p->device);
        if (!p->worker)
            return false;
        p->context = i < c->devices->homes ? (cl_context)(uintptr_t)c->r.handle : NULL;
    }
    return c->places;
}

/* The program's sub-devices stay until the context goes: `hold`. */
static void keep_devices(const struct cw_context_devices *devices, bool hold)
{
    for (size_t i = 0; i < devices->homes; i++)
        if (hold)
            cw_context_devices_hold(devices->device[i].device);
        else
            cw_context_devices_let_go(devices->device[i].device);
}

/* Those that the program has named, each once: PoCL 3.1 answers with the roots of sub-devices. */
static cl_device_id *copy_of(const cl_device_id *given, cl_uint count, size_t *n)
{
    cl_device_id *devices = calloc(count ? count : 1, sizeof *devices);

    *n = 0;
    for (cl_uint i = 0; devices && i < count; i++) {
        size_t k = 0;
        while (k < *n && devices[k] != given[i])
            k++;
        if (k == *n)
            devices[(*n)++] = given[i];
    }
    return devices;
}

/* Several homes with memories of their own: which of them has the bytes of a buffer the vendor alone
 * knows. */
static bool has_far_homes(const struct cw_context_devices *devices)
{
    return devices->homes > 1 && devices->device[0].memory;
}

void cw_run_context_made(cl_context context, const cl_device_id *given, cl_uint count)
{
    struct cw_run_context *c;
    struct cw_context_devices *devices;
    cl_device_id *ids;
    bool unused;
    size_t n;

    if (!context || !cw_run.ready)
        return;
    ids = given ? copy_of(given, count, &n) : devices_of(context, &n);
    devices = ids ? cw_context_devices_create(ids, n) : NULL;
    free(ids);
    /* two threads with a GPU each: small reads took twice as long with it, and nothing was gained. The hooks
     * take no longer: test/bench/small_reads.c looks behind which object of staging the vendor does */
    if (devices && devices->homes == 1 && is_pinned(devices))
        cw_run_staging_context_made(context);
    if (devices && (is_streamed(context, devices) || !all_known(devices) || has_far_homes(devices))) {
        free(devices);
        devices = NULL;
    }
    cw_exit_register();
    if (!devices)
        return; /* calls on a context without a record are passed through */
    keep_devices(devices, true);
    cw_run_global_lock_take();
    c = cw_run_object_create(context, CW_RUN_CONTEXT);
    if (c) {
        c->devices = devices;
        if (!make_places(c))
            c->devices = NULL;
    }
    unused = !c || !c->devices;
    cw_run_global_lock_give();
    if (!unused && c->places->device->memory)
        cw_run_context_device_copies(c, c->places);
    if (unused) {
        keep_devices(devices, false);
        free(devices);
    }
}

cl_context cw_run_hook_clCreateContext(const cl_context_properties *properties, cl_uint n,
                                       const cl_device_id *devices,
                                       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                       void *data, cl_int *err)
{
    cl_context context = cw_native.clCreateContext(properties, n, devices, notify, data, err);

    cw_run_context_made(context, devices, n);
    return context;
}

cl_int cw_run_hook_clRetainContext(cl_context context)
{
    cl_int err;

    if (cw_run_record_take_back(context, CW_RUN_CONTEXT))
        return CL_SUCCESS;
    err = cw_native.clRetainContext(context);
    if (err == CL_SUCCESS) {
        cw_run_record_retained(context, CW_RUN_CONTEXT);
        cw_run_staging_context_retained(context);
    }
    return err;
}

/* PoCL 3.1 makes contexts without devices, and takes one from the users of its compiler when it frees them
 * though they never were: with one more context alive (clweave's own) it aborts; with several it frees the
 * compiler under them. */
static bool has_no_devices(cl_context context)
{
    cl_uint devices = 1;

    return cw_next.clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof devices, &devices, NULL) ==
               CL_SUCCESS &&
           !devices && cw_query_context_references(context) == 1;
}

cl_int cw_run_hook_clReleaseContext(cl_context context)
{
    bool known;

    cw_run_global_lock_take();
    known = cw_run_record_find(context, CW_RUN_CONTEXT);
    cw_run_global_lock_give();
    if (!known && context && has_no_devices(context))
        return CL_SUCCESS; /* it stays */
    cw_run_staging_context_released(context);
    return cw_run_object_release(context, CW_RUN_CONTEXT) ? cw_native.clReleaseContext(context) : CL_SUCCESS;
}

cl_int cw_run_hook_clGetContextInfo(cl_context context, cl_context_info name, size_t capacity, void *to,
                                    size_t *bytes)
{
    cl_int err = cw_native.clGetContextInfo(context, name, capacity, to, bytes);
    struct cw_run_context *c;
    struct cw_run_recount r;
    cl_uint count;

    if (err != CL_SUCCESS || name != CL_CONTEXT_REFERENCE_COUNT || !to)
        return err;
    for (cw_run_recount_read(&r); cw_run_recount_again(&r);) {
        cw_next.clGetContextInfo(context, name, sizeof count, &count, NULL);
        c = cw_run_record_find(context, CW_RUN_CONTEXT);
        count += c ? cw_run_reference_counts_of_context(c) : 0;
        count -= cw_run_staging_context_hidden(context);
    }
    memcpy(to, &count, sizeof count);
    return err;
}
