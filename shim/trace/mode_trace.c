/* mode_trace.c - recording: settings, the table of hooks, and the end of the program. */
#include "../../analyzer/settings/options.h"
#include "../../analyzer/graph/trace_read.h"
#include "../door/door.h"
#include "../door/log.h"
#include "../door/thread.h"
#include "../programs/known_binaries.h"
#include "../programs/program_exchange.h"
#include "capture.h"
#include "hooks.h"
#include "../../analyzer/record/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Extension functions that enqueue commands, make memory, queues or programs, or set arguments.
 */

static cl_int finish(struct cw_enqueue *e, uint32_t type, bool blocking, cl_int status)
{
    uint64_t seq = e->r.seq;

    if (CW_UNLIKELY(cw_recorder.capture_data))
        cw_capture_used(e->queue_handle, NULL);
    e->r.flags |= CW_LOG_E_UNKNOWN_ACCESS | (blocking ? CW_LOG_E_BLOCKING : 0);
    cw_enqueue_returned(e, status);
    cw_rec_u(&e->r, type);
    cw_enqueue_commit(e, CW_LOG_COMMAND);
    if (blocking && status == CL_SUCCESS)
        cw_hooks_host_synchronised(e->queue_handle, seq);
    return status;
}

/* Enqueues of which the recorder knows no more than that they touch memory. */
#define CW_EXT_COMMAND(name, command_type, blocks, params, args)                                             \
    static cl_int hook_##name(__typeof__(&name) next, cl_command_queue queue, CW_UNPAREN params,             \
                              cl_uint waits, const cl_event *wait_list, cl_event *event)                     \
    {                                                                                                        \
        struct cw_enqueue e;                                                                                 \
        if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))                                \
            return next(queue, CW_UNPAREN args, waits, wait_list, event);                                    \
        if (blocks)                                                                                          \
            cw_device_times_waits();                                                                         \
        return finish(&e, command_type, blocks, next(queue, CW_UNPAREN args, waits, wait_list, e.event));    \
    }
#include "../door/ext_commands.inc"

/* Command buffers are recorded as one command on their first queue, which may touch everything of its
 * context. */
static cl_command_buffer_khr hook_clCreateCommandBufferKHR(__typeof__(&clCreateCommandBufferKHR) next,
                                                           cl_uint n, const cl_command_queue *queues,
                                                           const cl_command_buffer_properties_khr *properties,
                                                           cl_int *err)
{
    cl_command_buffer_khr buffer = next(n, queues, properties, err);
    struct cw_object *o = buffer && n && queues && cw_formula_is_recording()
                              ? cw_object_insert(buffer, CW_LOG_O_COMMAND_BUFFER)
                              : NULL;

    if (o)
        o->owner = queues[0];
    return buffer;
}

/* The queue given here replaces the one given at the creation, which the command buffer keeps alive. */
static cl_command_queue queue_of(cl_uint n, const cl_command_queue *queues, cl_command_buffer_khr buffer)
{
    struct cw_object *o = n && queues ? NULL : cw_object_find(buffer, CW_LOG_O_COMMAND_BUFFER);

    if (n && queues)
        return cw_object_find(queues[0], CW_LOG_O_QUEUE) ? queues[0] : NULL;
    return o ? (cl_command_queue)o->owner : NULL;
}

static cl_int hook_clEnqueueCommandBufferKHR(__typeof__(&clEnqueueCommandBufferKHR) next, cl_uint n,
                                             cl_command_queue *queues, cl_command_buffer_khr buffer,
                                             cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    struct cw_enqueue e;

    if (!cw_formula_is_recording() ||
        !cw_enqueue_begin(&e, queue_of(n, queues, buffer), waits, wait_list, event, CW_CALLER))
        return next(n, queues, buffer, waits, wait_list, event);
    return finish(&e, CL_COMMAND_COMMAND_BUFFER_KHR, false,
                  next(n, queues, buffer, waits, wait_list, e.event));
}

static cl_mem memory_made(cl_mem memory)
{
    if (memory && cw_formula_is_recording())
        cw_defined_new(memory, CW_LOG_O_MEMORY);
    return memory;
}

static cl_mem hook_clCreateBufferWithPropertiesINTEL(__typeof__(&clCreateBufferWithPropertiesINTEL) next,
                                                     cl_context context,
                                                     const cl_mem_properties_intel *properties,
                                                     cl_mem_flags flags, size_t size, void *host_ptr,
                                                     cl_int *err)
{
    return memory_made(next(context, properties, flags, size, host_ptr, err));
}

static cl_mem hook_clImportMemoryARM(__typeof__(&clImportMemoryARM) next, cl_context context,
                                     cl_mem_flags flags, const cl_import_properties_arm *properties,
                                     void *memory, size_t size, cl_int *err)
{
    return memory_made(next(context, flags, properties, memory, size, err));
}

static cl_command_queue
hook_clCreateCommandQueueWithPropertiesKHR(__typeof__(&clCreateCommandQueueWithPropertiesKHR) next,
                                           cl_context context, cl_device_id device,
                                           const cl_queue_properties_khr *properties, cl_int *err)
{
    cl_command_queue queue = next(context, device, properties, err);

    if (queue && cw_formula_is_recording())
        cw_defined_new(queue, CW_LOG_O_QUEUE);
    return queue;
}

static cl_program hook_clCreateProgramWithILKHR(__typeof__(&clCreateProgramWithILKHR) next,
                                                cl_context context, const void *il, size_t length,
                                                cl_int *err)
{
    cl_program program = next(context, il, length, err);

    if (!program || !cw_formula_is_recording())
        return program;
    cw_define_program(program, CW_PROGRAM_IL, cw_define_hash(CW_FNV_START, il, length), NULL, 0);
    if (cw_recorder.capture_data)
        cw_define_bytes(program, il, length);
    return program;
}

/* Unified shared memory: allocations like those of clSVMAlloc, whichever memory they lie in. */
static void *allocated(cl_context context, void *pointer, size_t bytes)
{
    if (pointer && cw_formula_is_recording())
        cw_svm_add(context, pointer, bytes, CL_MEM_READ_WRITE);
    return pointer;
}

static void *hook_clHostMemAllocINTEL(__typeof__(&clHostMemAllocINTEL) next, cl_context context,
                                      const cl_mem_properties_intel *properties, size_t bytes,
                                      cl_uint alignment, cl_int *err)
{
    return allocated(context, next(context, properties, bytes, alignment, err), bytes);
}

#define ALLOCATE_AT(name)                                                                                    \
    static void *hook_##name(__typeof__(&name) next, cl_context context, cl_device_id device,                \
                             const cl_mem_properties_intel *properties, size_t bytes, cl_uint alignment,     \
                             cl_int *err)                                                                    \
    {                                                                                                        \
        return allocated(context, next(context, device, properties, bytes, alignment, err), bytes);          \
    }
ALLOCATE_AT(clDeviceMemAllocINTEL)
ALLOCATE_AT(clSharedMemAllocINTEL)

#define FREE_AT(name)                                                                                        \
    static cl_int hook_##name(__typeof__(&name) next, cl_context context, void *pointer)                     \
    {                                                                                                        \
        if (pointer && cw_formula_is_recording())                                                            \
            cw_svm_remove(pointer, &CW_CALLER);                                                              \
        return next(context, pointer);                                                                       \
    }
FREE_AT(clMemFreeINTEL)
FREE_AT(clMemBlockingFreeINTEL)

/* Arguments by address: the trace shows them as SVM. */
#define SET_POINTER(name)                                                                                    \
    static cl_int hook_##name(__typeof__(&name) next, cl_kernel kernel, cl_uint index, const void *value)    \
    {                                                                                                        \
        cl_int status = next(kernel, index, value);                                                          \
        struct cw_object *o =                                                                                \
            status == CL_SUCCESS && cw_formula_is_recording() ? cw_known(kernel, CW_LOG_O_KERNEL) : NULL;    \
        if (o && o->state)                                                                                   \
            cw_kernel_set_svm(o->state, index, value);                                                       \
        return status;                                                                                       \
    }
SET_POINTER(clSetKernelArgMemPointerINTEL)
SET_POINTER(clSetKernelArgSVMPointerARM)

#define EXT_HOOK(name) .name = hook_##name
const struct cw_ext_hooks cw_trace_ext_hooks = {
#define CW_EXT_COMMAND(name, type, blocks, params, args) EXT_HOOK(name),
#include "../door/ext_commands.inc"
    EXT_HOOK(clCreateCommandBufferKHR),
    EXT_HOOK(clEnqueueCommandBufferKHR),
    EXT_HOOK(clCreateBufferWithPropertiesINTEL),
    EXT_HOOK(clImportMemoryARM),
    EXT_HOOK(clCreateCommandQueueWithPropertiesKHR),
    EXT_HOOK(clCreateProgramWithILKHR),
    EXT_HOOK(clHostMemAllocINTEL),
    EXT_HOOK(clDeviceMemAllocINTEL),
    EXT_HOOK(clSharedMemAllocINTEL),
    EXT_HOOK(clMemFreeINTEL),
    EXT_HOOK(clMemBlockingFreeINTEL),
    EXT_HOOK(clSetKernelArgMemPointerINTEL),
    EXT_HOOK(clSetKernelArgSVMPointerARM),
};

#define MAX_REGISTRATIONS 8

struct cw_dispatch cw_traced;
static void (*before_end)(void); /* NULL: nothing has to be over first */
static bool tool_converts;       /* `clweave trace` makes the JSON when the program has ended */

static unsigned parse_callsites(const char *text)
{
    int n = cw_options_callsites(text);

    if (n >= 0)
        return (unsigned)n;
    cw_log_warning("CLWEAVE_CALLSITES is \"%s\": it must be off, leaf or a number up to %d; using leaf", text,
                   CW_CALLSITES_MAX);
    return 1;
}

static uint64_t parse_limit(const struct cw_options *options)
{
    uint64_t limit = cw_options_limit(options->limit);

    if (limit == UINT64_MAX)
        cw_log_warning("CLWEAVE_LIMIT is \"%s\": it must be a size of %d MiB or more; there is no limit",
                       options->limit, CW_LIMIT_BYTES >> 20);
    else if (limit && options->capture_data)
        cw_log_warning("CLWEAVE_LIMIT does not go with CLWEAVE_CAPTURE_DATA: there is no limit");
    return limit == UINT64_MAX || options->capture_data ? 0 : limit;
}

static void free_kernel(struct cw_object *o, void *context)
{
    (void)context;
    if (o->state)
        cw_kernel_after_fork(o->state);
}

static void after_fork(void)
{
    cw_object_each(CW_LOG_O_KERNEL, free_kernel, NULL);
    cw_define_after_fork();
    cw_svm_after_fork();
    cw_known_binaries_after_fork();
    cw_callsite_after_fork();
    cw_maps_after_fork();
    cw_device_times_start();
    cw_calls_stale_after_fork();
    cw_capture_after_fork();
}

bool cw_mode_trace_start(const struct cw_options *options, const struct cw_dispatch *below,
                         void (*ends)(void))
{
    const char *tool = secure_getenv("CLWEAVE_TOOL");

    cw_traced = *below;
    before_end = ends;
    if (!cw_options_device_times(options->device_times, &cw_recorder.device_times))
        cw_log_warning(
            "CLWEAVE_DEVICE_TIMES is \"%s\": it must be on, off, all or every:N with N from 1 to %d; "
            "there are no device times",
            options->device_times, CW_DEVICE_TIMES_EVERY);
    cw_recorder.reads_itself = ends != NULL;
    cw_device_times_start();
    cw_known_binaries_start(options);
    cw_recorder.capture_data = options->capture_data;
    cw_recorder.no_sources = options->no_sources;
    cw_recorder.all_calls = options->calls;
    cw_recorder.callsite_frames = parse_callsites(options->callsites);
    tool_converts = tool && tool[0] && strcmp(tool, "0");
    cw_log_on_fork(after_fork);
    if (!cw_log_configure(options->out,
                          (struct cw_log_traits){options->capture_data, ends != NULL, options->calls,
                                                 parse_limit(options), cw_recorder.device_times.every})) {
        cw_log_error("recording is off: out of memory");
        return false;
    }
    return true;
}

static struct cw_dispatch hooks = {
#define HOOK(name) .name = cw_hook_##name,
    CW_TRACE_HOOKS(HOOK)};

#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret pass_##name params                                                                            \
    {                                                                                                        \
        return cw_next.name args;                                                                            \
    }
#include "../door/api.inc"

/* All others pass as they are, through the door, which counts that the thread is inside them. */
static void pass_others(void)
{
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    if (!hooks.name)                                                                                         \
        hooks.name = pass_##name;
#include "../door/api.inc"
}

static bool start(const struct cw_options *options)
{
    if (!cw_mode_trace_start(options, &cw_next, NULL))
        return false;
    cw_calls_install(&hooks);
    cw_program_exchange_install(&hooks, options);
    pass_others();
    return true;
}

static void write_live_times(struct cw_object *o, void *context)
{
    (void)context;
    if (o->flags & CW_OBJECT_PROFILED && o->generation == cw_log_generation)
        cw_device_times_write((cl_event)cw_object_handle(o), o->seq, o->id);
}

/* Makes the JSON and removes the log, unless that stays; keeps the log when that fails. */
static void convert(void)
{
    static struct cw_log_names names;
    struct cw_error err = {0};
    sigset_t block, old;

    cw_log_close(&names);
    /* a file-size limit or a closed pipe must stop us, not the program; the pending signal is dropped
     * unseen */
    sigemptyset(&block);
    sigaddset(&block, SIGXFSZ);
    sigaddset(&block, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &block, &old);
    if (!cw_log_file_is_there())
        cw_log_error("no trace: the log %s was removed or replaced", names.log);
    else if (strcmp(names.json, names.log) == 0)
        cw_log_info("the log %s stays", names.log);
    else if (cw_trace_convert(names.log, names.json, &err) == CW_OK)
        unlink(names.log);
    else if (!cw_log_guard_is_cut()) /* else recording has stopped with a message */
        cw_log_error("the log %s could not be converted: %s; try: clweave graph %s -o trace.json", names.log,
                     err.text, names.log);
    while (sigtimedwait(&block, NULL, &(struct timespec){0}) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* A handler of a signal, or a callback, has called exit() inside a call of this thread, which never goes on:
 * the vendor may hold locks for it, and so may the recorder. */
static bool is_within_call(void)
{
    return cw_door_depth > 0;
}

/* Asks the vendor for times and contents that the log lacks. */
static void ask_vendor(void)
{
    if (cw_recorder.capture_data)
        cw_capture_exit();
    cw_device_times_harvest();
    cw_object_each(CW_LOG_O_EVENT, write_live_times, NULL);
}

static void end(void *unused)
{
    static uint32_t done;

    (void)unused;
    if (before_end)
        before_end();
    cw_device_times_stop(!is_within_call());
    if (!cw_log_exists() || done == cw_log_generation)
        return; /* a forked child that made no call has none of its own */
    done = cw_log_generation;
    if (cw_log_is_open() && is_within_call())
        cw_log_warning(
            "the program ends inside an OpenCL call: times of its last commands%s are not recorded",
            cw_recorder.capture_data ? " and contents of its memory objects" : "");
    else if (cw_log_is_open())
        ask_vendor();
    if (cw_log_is_open())
        cw_log_complete();
    if (!tool_converts && cw_log_is_open() && !is_within_call())
        cw_calls_stale_write_events();
    if (!tool_converts)
        convert();
}

static void end_events(void *unused)
{
    (void)unused;
    if (tool_converts && cw_log_is_open() && !is_within_call())
        cw_calls_stale_write_events();
}

/* Runs at exit and quick_exit, before the vendor's own handlers: it may still be asked. Once per log. */
static void mode_trace_at_end(void)
{
    int saved = errno;

    cw_roomy(end, NULL);
    errno = saved;
}

/* From the library's destructor: those of the program's own objects have run, and may have released some. */
void cw_mode_trace_stop(void)
{
    int saved = errno;

    mode_trace_at_end();
    cw_roomy(end_events, NULL);
    errno = saved;
}

/* Handlers run in reverse order of registration, and vendors register theirs as they wake up piece by piece.
 */
void cw_mode_trace_register_exit(void)
{
    static _Atomic unsigned count;
    int saved = errno;

    if (atomic_fetch_add(&count, 1) < MAX_REGISTRATIONS) {
        atexit(mode_trace_at_end);
        at_quick_exit(mode_trace_at_end);
    }
    errno = saved;
}

const struct cw_mode cw_mode_trace = {
    .name = "trace",
    .hooks = &hooks,
    .ext_hooks = &cw_trace_ext_hooks,
    .start = start,
    /* for a program that used inherited objects before any platform or context call */
    .stop = cw_mode_trace_stop,
};
