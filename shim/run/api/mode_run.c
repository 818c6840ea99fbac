/* mode_run.c - scheduling: settings and the table of hooks. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/settings/options.h"
#include "context.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../memory/spread.h"
#include "../staging/staging.h"
#include "../memory/content.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../planner/legal.h"
#include "../../device/device_env.h"
#include "../../door/dynamic_loader.h"
#include "../../door/log.h"
#include "../../door/thunk.h"
#include "../../programs/program_exchange.h"
#include "../../trace/hooks.h"
#include "../tuning/tuning.h"
#include "process_end.h"
#include "../core/fault.h"
#include "../core/quiet_wait.h"
#include "../groups/group.h"
#include "hooks.h"
#include "../models/reach.h"
#include "../streams/stream_start.h"
#include "../streams/stream_ways.h"
#include "../tiles/share.h"
#include "../core/thread.h"

#pragma GCC diagnostic ignored "-Woverride-init"

/* Calls that run mode does not look at still go by cw_native: commands on dressed DSPs take time. */
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret pass_##name params                                                                            \
    {                                                                                                        \
        return cw_native.name args;                                                                          \
    }
#include "../../door/api.inc"

static cl_context context_from_type(const cl_context_properties *properties, cl_device_type type,
                                    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                    void *data, cl_int *err)
{
    cl_context context = cw_device_hook_clCreateContextFromType(properties, type, notify, data, err);

    cw_run_context_made(context, NULL, 0);
    return context;
}

static const struct cw_dispatch run_hooks = {
#define CW_API(ret, name, since, fail, handle, params, args) .name = pass_##name,
#include "../../door/api.inc"
#define HOOK(name) .name = cw_device_hook_##name,
    CW_DEVICE_HOOKS(HOOK)
#undef HOOK
#define HOOK(name) .name = cw_run_hook_##name,
        CW_RUN_HOOKS(HOOK)
#undef HOOK
            .clCreateContextFromType = context_from_type,
};

/* The same, with the hooks of streams above it; and with those that record (CLWEAVE_OUT). Filled by start().
 */
static struct cw_dispatch streamed, hooks;

/* CLWEAVE_OUT: the program's commands are recorded as mode trace does, above run mode's own hooks, and where
 * and when they ran. */
static void start_recording(const struct cw_options *options)
{
    const char *out = secure_getenv("CLWEAVE_OUT");

    if (!out || !*out || !cw_mode_trace_start(options, &streamed, cw_run_process_end_at_exit))
        return;
    cw_run.recording = true;
#define HOOK(name) hooks.name = cw_hook_##name;
    CW_TRACE_HOOKS(HOOK)
#undef HOOK
    cw_calls_install(&hooks);
}

static void stop(void)
{
    cw_run_process_end_at_exit();
    if (cw_run.recording)
        cw_mode_trace_stop();
}

static struct cw_run_queue *queue_of(const struct cw_run_context *c)
{
    struct cw_run_queue *q = NULL;

    while ((q = cw_run_record_next(CW_RUN_QUEUE, q)) && (q->context != c || !q->managed))
        ;
    return q;
}

/* PoCL gives a buffer memory when the first command that names it is enqueued. A program may count on its
 * own earlier launch for that, which has run on a helper's buffer over the same bytes: a command buffer of
 * PoCL 3.1 runs with the arguments that its kernels have when it is enqueued, and names those of its
 * recording. */
static void name_buffers(void)
{
    struct cw_run_memory *m = NULL, *named = NULL;

    cw_run_global_lock_take();
    while ((m = cw_run_record_next(CW_RUN_MEMORY, m))) {
        struct cw_run_queue *q =
            m->managed && !m->context->places->device->memory ? queue_of(m->context) : NULL;
        cl_mem buffer = (cl_mem)(uintptr_t)m->r.handle;

        if (!q)
            continue;
        cw_run_record_pin(&q->r);
        cw_run_record_pin(&m->r);
        cw_run_global_lock_give();
        cw_next.clEnqueueMigrateMemObjects((cl_command_queue)(uintptr_t)q->r.handle, 1, &buffer, 0, 0, NULL,
                                           NULL);
        cw_run_global_lock_take();
        cw_run_object_unpin(&q->r);
        if (named)
            cw_run_object_unpin(&named->r);
        named = m;
    }
    if (named)
        cw_run_object_unpin(&named->r);
    cw_run_global_lock_give();
}

/* The program calls a function by which it could enqueue, or change memory, unseen: from now on everything is
 * native, so that the vendor keeps the order, and every wait asks the vendor. */
static void unseen_call(const char *name)
{
    static pthread_once_t named = PTHREAD_ONCE_INIT;

    if (cw_run.forked)
        return;
    if (!cw_run.off) {
        cw_log_info("the program calls %s: from now on its commands pass through unchanged", name);
        cw_run_process_end_drain();
    }
    pthread_once(&named, name_buffers); /* other threads wait; later buffers are used by native commands */
    cw_stream_start_unseen();
    cw_run_staging_unseen();
    cw_run_global_lock_take();
    cw_run_spread_all_home();
    cw_run_global_lock_give();
}

static void *unseen(const char *name, void *vendor)
{
    static const char *const harmless[] = {
        "clGet",
        "clIcd",
        "clLog",
        "clRetain",
        "clRelease",
        "clTerminate",
        "clCreateProgram",
        "clSVMAlloc",
        "clSVMFree",
        "clMemFree",
        "clMemBlockingFree",
        "clHostMemAlloc",
        "clDeviceMemAlloc",
        "clSharedMemAlloc",
        "clCreateAccelerator",
        "clCreateSemaphore",
        "clSetMemObjectDestructor",
    };
    void *thunk = NULL;

    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (!strncmp(name, harmless[i], strlen(harmless[i])))
            return vendor;
    if (!strcmp(name, "clSetContentSizeBufferPoCL"))
        vendor = cw_run_content(vendor);
    else
        thunk = cw_thunk_create(vendor, name, unseen_call);
    if (!thunk)
        unseen_call(name);
    return thunk ? thunk : vendor;
}

static bool flag(const char *name)
{
    const char *value = secure_getenv(name);

    return value && *value && strcmp(value, "0");
}

/* Ways that are tried by lot, or always, say nothing. */
static void start_ways(const struct cw_options *options)
{
    char folder[PATH_MAX];
    struct cw_identity program;

    if (strcmp(options->streams, "auto") != 0 || cw_run.chaos)
        return;
    cw_run_perf_model_programs(folder);
    program = cw_run_activation_identity(CW_STREAM_WAYS_KIND, CW_STREAM_WAYS_BYTES, options);
    cw_stream_ways_start(&program, folder);
}

static bool start(const struct cw_options *options)
{
    cw_run_quiet_wait_start(options);
    cw_device_count_operations = cw_run_reach_native_ops;
    if (!cw_device_start(options))
        return false;
    cw_run.chaos = !strncmp(options->policy, "chaos", 5);
    cw_run_relaxed = !strcmp(options->numerics, "relaxed");
    cw_run.all = flag("CLWEAVE_MANAGE_ALL");
    cw_run.eager = cw_run.all || (cw_device_clock_is_virtual() && flag("CLWEAVE_POLICY"));
    cw_run.random = (uint64_t)options->seed;
    if (!cw_run_fault_start(secure_getenv("CLWEAVE_FAULT"), cw_run.chaos || cw_run.all || cw_device_far))
        return false;
    if (!cw_run_perf_model_start(options, cw_run.random))
        return false;
    streamed = run_hooks;
    cw_stream_start(options, &streamed);
    start_ways(options);
    hooks = streamed;
    start_recording(options);
    cw_program_exchange_install(&hooks, options);
    cw_thread_look();
    cw_dynamic_loader_start(&cw_run.done);
    if (!cw_run_staging_start(options))
        return false;
    cw_run_share_start(options);
    cw_run_tile_margin_start(options);
    cw_run_group_start(options);
    cw_run_tile_rows_start(options);
    cw_run_process_end_start(options);
    cw_run.ready = true;
    return true;
}

const struct cw_mode cw_mode_run = {
    .name = "run",
    .hooks = &hooks,
    .ext_hooks = &cw_run_ext_hooks,
    .before_loader = cw_device_early_begin,
    .start = start,
    .unseen = unseen,
    .stop = stop,
};
