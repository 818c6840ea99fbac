/* gpucl.c - libgpucl.so: an OpenCL layer by which the driver below looks like one of NVIDIA's, and is as
 * unfriendly as that one may be.
 *
 *   - its platform and its devices have the name and the type that run mode's vendor table knows;
 *   - one thread calls all callbacks of events, one after another, a little late: one that waits holds
 *     the others;
 *   - a fill, or a read of more than a line of a cache and at most a page, whose wait list names a user
 *     event holds its caller until that is set;
 *   - a write that blocks returns once the program's bytes are copied: it, and all before it, may be under
 *     way;
 *   - a program's text does not end at a NUL;
 *   - a buffer that is migrated with CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED has other bytes then;
 *   - clEnqueueCopyBufferNV, which the extension's address alone names, copies as clEnqueueCopyBuffer does.
 *
 * GPUCL_CPUS=N: the driver's last N devices stay what they are, and are those of a second platform with the
 * driver's name. GPUCL_LATE_MS: milliseconds that each callback is late, 1 if it is not set. GPUCL_HOLD=0:
 * no fill holds its caller. GPUCL_UNSET=1: says at the end how many user events have gone that were never
 * set, for which a release of their context may wait for ever. GPUCL_ALONE=1: a launch is alone until it is
 * over, and its call returns then, or after a while where something else holds it: PoCL 3.1 aborts where
 * two meet, one with an offset. GPUCL_WRITE_MS=N: a write that blocks begins N milliseconds late.
 * GPUCL_BUFFERS=N: launches and fills fail for want of memory while the program has more than N buffers. */
#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

#define LINE 64
#define PAGE 4096

static const struct _cl_icd_dispatch *next;
static struct _cl_icd_dispatch table;

/* ---- migrations */

static cl_int CL_API_CALL migrate(cl_command_queue queue, cl_uint n, const cl_mem *objects,
                                  cl_mem_migration_flags flags, cl_uint waits, const cl_event *list,
                                  cl_event *event)
{
    const unsigned garbage = 0xdeadbeef;
    size_t bytes = 0;

    if (!(flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) || n != 1 ||
        next->clGetMemObjectInfo(*objects, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS ||
        bytes % sizeof garbage)
        return next->clEnqueueMigrateMemObjects(queue, n, objects, flags, waits, list, event);
    return next->clEnqueueFillBuffer(queue, *objects, &garbage, sizeof garbage, 0, bytes, waits, list, event);
}

/* ---- names */

static cl_int answer(const char *text, size_t room, void *to, size_t *bytes)
{
    size_t n = strlen(text) + 1;

    if (to && room < n)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, text, n);
    if (bytes)
        *bytes = n;
    return CL_SUCCESS;
}

/* The platform of the GPUs, where the driver keeps some of its devices: a handle begins with the driver's
 * functions. */
static struct {
    const void *functions;
} gpus;
static cl_uint cpus; /* devices that the driver keeps */
static cl_platform_id driver;

static cl_platform_id find_driver(void)
{
    if (!driver && next->clGetPlatformIDs(1, &driver, NULL) == CL_SUCCESS && driver)
        memcpy(&gpus, driver, sizeof gpus);
    return driver;
}

static bool is_gpus(cl_platform_id platform)
{
    return !cpus || platform == (cl_platform_id)&gpus;
}

static cl_platform_id own(cl_platform_id platform)
{
    return cpus && platform == (cl_platform_id)&gpus ? find_driver() : platform;
}

static cl_int CL_API_CALL platform_ids(cl_uint room, cl_platform_id *platforms, cl_uint *n)
{
    if (!find_driver())
        return next->clGetPlatformIDs(room, platforms, n);
    if (platforms && room > 0)
        platforms[0] = (cl_platform_id)&gpus;
    if (platforms && room > 1)
        platforms[1] = driver;
    if (n)
        *n = 2;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info name, size_t room, void *to,
                                        size_t *bytes)
{
    return name == CL_PLATFORM_NAME && is_gpus(platform)
               ? answer("NVIDIA CUDA", room, to, bytes)
               : next->clGetPlatformInfo(own(platform), name, room, to, bytes);
}

/* One of the last ones of the driver's list. */
static bool is_cpu(cl_device_id device)
{
    cl_device_id all[64];
    cl_uint n = 0;

    if (!cpus || next->clGetDeviceIDs(find_driver(), CL_DEVICE_TYPE_ALL, 64, all, &n) != CL_SUCCESS)
        return false;
    for (cl_uint i = n - cpus; i < n; i++)
        if (all[i] == device)
            return true;
    return false;
}

/* The properties name the driver's own platform. */
static cl_context CL_API_CALL
create_context(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
               void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *err)
{
    cl_context_properties copy[16] = {0};

    for (int i = 0; properties && properties[i] && i < 14; i += 2) {
        copy[i] = properties[i];
        copy[i + 1] = properties[i] == CL_CONTEXT_PLATFORM
                          ? (cl_context_properties)own((cl_platform_id)properties[i + 1])
                          : properties[i + 1];
    }
    return next->clCreateContext(properties ? copy : NULL, n, devices, notify, data, err);
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t room, void *to,
                                      size_t *bytes)
{
    cl_int err = next->clGetDeviceInfo(device, name, room, to, bytes);

    if (err != CL_SUCCESS || !to || is_cpu(device))
        return err;
    if (name == CL_DEVICE_PLATFORM && cpus)
        memcpy(to, &(cl_platform_id){(cl_platform_id)&gpus}, sizeof(cl_platform_id));
    if (name == CL_DEVICE_TYPE)
        memcpy(to, &(cl_device_type){CL_DEVICE_TYPE_GPU}, sizeof(cl_device_type));
    return err;
}

static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
                                     cl_device_id *devices, cl_uint *n)
{
    cl_device_type gpu = CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT;
    cl_device_id all[64];
    cl_uint count = 0, first, last;
    cl_int err;

    if (!cpus)
        return next->clGetDeviceIDs(platform, type & gpu ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_GPU, room,
                                    devices, n);
    err = next->clGetDeviceIDs(find_driver(), CL_DEVICE_TYPE_ALL, 64, all, &count);
    if (err != CL_SUCCESS)
        return err;
    first = is_gpus(platform) ? 0 : count - cpus;
    last = is_gpus(platform) ? count - cpus : count;
    if (!(type & (is_gpus(platform) ? gpu : CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT)))
        return CL_DEVICE_NOT_FOUND;
    for (cl_uint i = first; devices && i < last && i - first < room; i++)
        devices[i - first] = all[i];
    if (n)
        *n = last - first;
    return CL_SUCCESS;
}

/* ---- callbacks */

struct call {
    struct call *next;
    cl_event event;
    cl_int status;
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
};

static struct call *first, **last = &first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static long late_ms = 1;

static void *calls(void *unused)
{
    struct call *c;

    for (;;) {
        pthread_mutex_lock(&lock);
        while (!(c = first))
            pthread_cond_wait(&wake, &lock);
        first = c->next;
        last = first ? last : &first;
        pthread_mutex_unlock(&lock);
        nanosleep(&(struct timespec){late_ms / 1000, late_ms % 1000 * 1000000}, NULL);
        c->function(c->event, c->status, c->data);
        next->clReleaseEvent(c->event);
        free(c);
    }
    return unused;
}

static void start(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, calls, NULL))
        abort();
    pthread_detach(thread);
}

static void CL_CALLBACK over(cl_event event, cl_int status, void *data)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct call *c = data;

    (void)event;
    pthread_once(&once, start);
    c->status = status;
    pthread_mutex_lock(&lock);
    *last = c;
    last = &c->next;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
}

static cl_int CL_API_CALL set_callback(cl_event event, cl_int type,
                                       void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *data)
{
    struct call *c = function ? malloc(sizeof *c) : NULL;
    cl_int err;

    if (!c)
        return next->clSetEventCallback(event, type, function, data);
    *c = (struct call){.event = event, .function = function, .data = data};
    if (next->clRetainEvent(event) != CL_SUCCESS) {
        free(c);
        return CL_INVALID_EVENT;
    }
    err = next->clSetEventCallback(event, type, over, c);
    if (err != CL_SUCCESS) {
        next->clReleaseEvent(event);
        free(c);
    }
    return err;
}

/* ---- memory that is given to buffers when they are used */

enum { MOST = 4096 };

static struct {
    cl_mem of[MOST];
    unsigned references[MOST], n, alive, most; /* most 0: there is no limit */
    pthread_mutex_t lock;
} buffers = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* `more` references. */
static void count_buffer(cl_mem buffer, int more)
{
    unsigned i = 0;

    pthread_mutex_lock(&buffers.lock);
    while (i < buffers.n && (buffers.of[i] != buffer || !buffers.references[i]))
        i++;
    if (i < buffers.n) {
        buffers.references[i] += (unsigned)more;
        buffers.alive -= !buffers.references[i];
    }
    pthread_mutex_unlock(&buffers.lock);
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                                        cl_int *err)
{
    cl_mem made = next->clCreateBuffer(context, flags, bytes, host, err);
    unsigned i = 0;

    pthread_mutex_lock(&buffers.lock);
    while (i < buffers.n && buffers.references[i])
        i++;
    if (made && i < MOST) {
        buffers.n += i == buffers.n;
        buffers.of[i] = made;
        buffers.references[i] = 1;
        buffers.alive++;
    }
    pthread_mutex_unlock(&buffers.lock);
    return made;
}

static cl_int CL_API_CALL retain_memory(cl_mem memory)
{
    count_buffer(memory, 1);
    return next->clRetainMemObject(memory);
}

static cl_int CL_API_CALL release_memory(cl_mem memory)
{
    count_buffer(memory, -1);
    return next->clReleaseMemObject(memory);
}

static bool is_full(void)
{
    bool full;

    pthread_mutex_lock(&buffers.lock);
    full = buffers.most && buffers.alive > buffers.most;
    pthread_mutex_unlock(&buffers.lock);
    return full;
}

/* ---- callers that are held */

static bool holds = true;

static void hold(cl_uint n, const cl_event *list)
{
    cl_command_type type;

    for (cl_uint i = 0; holds && list && i < n; i++)
        if (next->clGetEventInfo(list[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL) == CL_SUCCESS &&
            type == CL_COMMAND_USER)
            next->clWaitForEvents(1, &list[i]);
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                      size_t pattern_bytes, size_t offset, size_t bytes, cl_uint n,
                                      const cl_event *list, cl_event *event)
{
    if (is_full())
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    hold(n, list);
    return next->clEnqueueFillBuffer(queue, buffer, pattern, pattern_bytes, offset, bytes, n, list, event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                      size_t bytes, void *to, cl_uint n, const cl_event *list,
                                      cl_event *event)
{
    if (bytes > LINE && bytes <= PAGE)
        hold(n, list);
    return next->clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, to, n, list, event);
}

/* ---- writes that block */

static long write_ms;

static void CL_CALLBACK wait_long(void *unused)
{
    (void)unused;
    nanosleep(&(struct timespec){write_ms / 1000, write_ms % 1000 * 1000000}, NULL);
}

static void CL_CALLBACK written(cl_event event, cl_int status, void *copy)
{
    (void)status;
    free(copy);
    next->clReleaseEvent(event);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                       size_t bytes, const void *from, cl_uint n, const cl_event *list,
                                       cl_event *event)
{
    void *copy = blocking && from && bytes && !n && !list ? malloc(bytes) : NULL;
    cl_event own = NULL;
    cl_int err;

    if (!copy)
        return next->clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, from, n, list, event);
    memcpy(copy, from, bytes);
    if (write_ms)
        next->clEnqueueNativeKernel(queue, wait_long, NULL, 0, 0, NULL, NULL, 0, NULL, NULL);
    err = next->clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, bytes, copy, 0, NULL, &own);
    if (err != CL_SUCCESS) {
        free(copy);
        return err;
    }
    if (event && (err = next->clRetainEvent(own)) == CL_SUCCESS)
        *event = own;
    next->clSetEventCallback(own, CL_COMPLETE, written, copy);
    next->clFlush(queue);
    return err;
}

/* ---- launches */

static bool alone;

enum { LOOKS = 100 }; /* of a tenth of a millisecond */

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                                 const size_t *global, const size_t *local, cl_uint n, const cl_event *list,
                                 cl_event *event)
{
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    cl_event own = NULL;
    cl_int err, status = CL_QUEUED;

    if (is_full())
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (!alone)
        return next->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, n, list, event);
    pthread_mutex_lock(&turn);
    err = next->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, n, list, &own);
    if (err == CL_SUCCESS)
        next->clFlush(queue);
    for (int i = 0; err == CL_SUCCESS && status > CL_COMPLETE && i < LOOKS; i++) {
        next->clGetEventInfo(own, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        if (status > CL_COMPLETE)
            nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    pthread_mutex_unlock(&turn);
    if (err == CL_SUCCESS && event)
        *event = own;
    else if (err == CL_SUCCESS)
        next->clReleaseEvent(own);
    return err;
}

/* ---- user events that are never set */

static struct unset {
    struct unset *next;
    cl_event event;
} * unset;
static pthread_mutex_t unset_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned gone_unset;

static cl_event CL_API_CALL create_user_event(cl_context context, cl_int *err)
{
    cl_event event = next->clCreateUserEvent(context, err);
    struct unset *u = event ? malloc(sizeof *u) : NULL;

    pthread_mutex_lock(&unset_lock);
    if (u) {
        *u = (struct unset){unset, event};
        unset = u;
    }
    pthread_mutex_unlock(&unset_lock);
    return event;
}

/* True: it was not set. The lock is held. */
static bool forget(cl_event event)
{
    struct unset **at = &unset, *u;

    while ((u = *at) && u->event != event)
        at = &u->next;
    if (!u)
        return false;
    *at = u->next;
    free(u);
    return true;
}

static cl_int CL_API_CALL set_user_event(cl_event event, cl_int status)
{
    pthread_mutex_lock(&unset_lock);
    forget(event);
    pthread_mutex_unlock(&unset_lock);
    return next->clSetUserEventStatus(event, status);
}

static cl_int CL_API_CALL release_event(cl_event event)
{
    cl_uint references = 0;

    pthread_mutex_lock(&unset_lock);
    if (unset &&
        next->clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL) ==
            CL_SUCCESS &&
        references == 1)
        gone_unset += forget(event);
    pthread_mutex_unlock(&unset_lock);
    return next->clReleaseEvent(event);
}

static void say_unset(void)
{
    fprintf(stderr, "gpucl: %u user events have gone that were never set\n", gone_unset);
}

static void count_unset(void)
{
    table.clCreateUserEvent = create_user_event;
    table.clSetUserEventStatus = set_user_event;
    table.clReleaseEvent = release_event;
    atexit(say_unset);
}

/* ---- programs, and a function without a name in the table */

static cl_program CL_API_CALL with_source(cl_context context, cl_uint n, const char **strings,
                                          const size_t *lengths, cl_int *err)
{
    size_t bytes = 0, at = 0, length;
    cl_program program;
    char *text;

    for (cl_uint i = 0; strings && i < n; i++)
        bytes += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    text = malloc(bytes + 1);
    for (cl_uint i = 0; text && strings && i < n; i++, at += length) {
        length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        memcpy(text + at, strings[i], length);
    }
    for (size_t i = 0; text && i < bytes; i++)
        text[i] = text[i] ? text[i] : ' ';
    program = text && bytes ? next->clCreateProgramWithSource(context, 1, (const char *[]){text}, &bytes, err)
                            : next->clCreateProgramWithSource(context, n, strings, lengths, err);
    free(text);
    return program;
}

static void *CL_API_CALL address_for(cl_platform_id platform, const char *name)
{
    return name && !strcmp(name, "clEnqueueCopyBufferNV")
               ? (void *)next->clEnqueueCopyBuffer
               : next->clGetExtensionFunctionAddressForPlatform(own(platform), name);
}

/* ---- the layer */

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value, size_t *needed)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

    if (what == CL_LAYER_NAME)
        return answer("gpucl", size, value, needed);
    if (what != CL_LAYER_API_VERSION || (value && size < sizeof version))
        return CL_INVALID_VALUE;
    if (needed)
        *needed = sizeof version;
    if (value)
        memcpy(value, &version, sizeof version);
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *given,
                                      const cl_icd_dispatch **layer)
{
    const char *late = getenv("GPUCL_LATE_MS"), *hold_text = getenv("GPUCL_HOLD"),
               *alone_text = getenv("GPUCL_ALONE"), *unset_text = getenv("GPUCL_UNSET"),
               *cpus_text = getenv("GPUCL_CPUS"), *buffers_text = getenv("GPUCL_BUFFERS"),
               *write_text = getenv("GPUCL_WRITE_MS");

    if (entries < sizeof table / sizeof(void *) || !given || !layer)
        return CL_INVALID_VALUE;
    late_ms = late ? strtol(late, NULL, 10) : late_ms;
    write_ms = write_text ? strtol(write_text, NULL, 10) : 0;
    holds = !hold_text || strcmp(hold_text, "0") != 0;
    alone = alone_text && !strcmp(alone_text, "1");
    cpus = cpus_text ? (cl_uint)strtoul(cpus_text, NULL, 10) : 0;
    buffers.most = buffers_text ? (unsigned)strtoul(buffers_text, NULL, 10) : 0;
    next = target;
    table = *target;
    if (buffers.most) {
        table.clCreateBuffer = create_buffer;
        table.clRetainMemObject = retain_memory;
        table.clReleaseMemObject = release_memory;
    }
    if (cpus) {
        table.clGetPlatformIDs = platform_ids;
        table.clCreateContext = create_context;
    }
    table.clGetPlatformInfo = platform_info;
    table.clGetDeviceInfo = device_info;
    table.clGetDeviceIDs = device_ids;
    table.clSetEventCallback = set_callback;
    table.clEnqueueFillBuffer = fill_buffer;
    table.clEnqueueMigrateMemObjects = migrate;
    table.clEnqueueReadBuffer = read_buffer;
    table.clEnqueueWriteBuffer = write_buffer;
    table.clEnqueueNDRangeKernel = launch;
    table.clCreateProgramWithSource = with_source;
    table.clGetExtensionFunctionAddressForPlatform = address_for;
    if (unset_text && !strcmp(unset_text, "1"))
        count_unset();
    *given = sizeof table / sizeof(void *);
    *layer = &table;
    return CL_SUCCESS;
}
