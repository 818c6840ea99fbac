/* countcl.c - libcountcl.so: an OpenCL driver that is another driver with a counter in front of its enqueues.
 *
 * The tests' independent witness of how many commands reached the vendor: it sits below the loader, so it
 * sees every command whichever way the program and whatever is between found the loader, and it shares no
 * code with clweave.
 *
 *   COUNTCL_DRIVER  the driver to stand in front of (a name or path for dlopen)
 *   COUNTCL_DIR     folder in which each process leaves <process id>.count: one line per command type,
 * "CL_COMMAND_... 0000000012", how many enqueues of it the driver accepted OCL_ICD_VENDORS=<path of
 * libcountcl.so> makes the loader use it.
 *
 * The file is mapped shared and counted in place, so it is right at any moment, also after a kill. */
#include "enqueues.h"

#include <CL/cl_icd.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* clang-format off */
#define TYPES(X)                                                                                             \
    X(NDRANGE_KERNEL) X(TASK) X(NATIVE_KERNEL) X(READ_BUFFER) X(WRITE_BUFFER) X(COPY_BUFFER) X(READ_IMAGE)   \
    X(WRITE_IMAGE) X(COPY_IMAGE) X(COPY_IMAGE_TO_BUFFER) X(COPY_BUFFER_TO_IMAGE) X(MAP_BUFFER)               \
    X(MAP_IMAGE) X(UNMAP_MEM_OBJECT) X(MARKER) X(READ_BUFFER_RECT) X(WRITE_BUFFER_RECT)                      \
    X(COPY_BUFFER_RECT) X(BARRIER) X(MIGRATE_MEM_OBJECTS) X(FILL_BUFFER) X(FILL_IMAGE) X(SVM_FREE)           \
    X(SVM_MEMCPY) X(SVM_MEMFILL) X(SVM_MAP) X(SVM_UNMAP) X(SVM_MIGRATE_MEM) X(COMMAND_BUFFER_KHR)
/* clang-format on */

#define DIGITS 10

enum type {
#define X(name) name,
    TYPES(X)
#undef X
        TYPE_COUNT
};

static const char *const type_names[] = {
#define X(name) "CL_COMMAND_" #name,
    TYPES(X)
#undef X
};

static struct _cl_icd_dispatch real; /* the driver's own table, as it was */
static char *lines;                  /* the mapped text, NULL before it exists */
static char *last_digit[TYPE_COUNT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(enum type t)
{
    pthread_mutex_lock(&lock);
    char *p = last_digit[t];
    while (p && *p == '9')
        *p-- = '0';
    if (p)
        ++*p;
    pthread_mutex_unlock(&lock);
}

#define X(entry, type, params, args)                                                                         \
    static cl_int CL_API_CALL count_##entry params                                                           \
    {                                                                                                        \
        cl_int status = real.clEnqueue##entry args;                                                          \
        if (status == CL_SUCCESS)                                                                            \
            add(type);                                                                                       \
        return status;                                                                                       \
    }
ENQUEUES(X)
#undef X

static void *CL_API_CALL count_MapBuffer(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, size_t o,
                                         size_t s, cl_uint n, const cl_event *w, cl_event *e, cl_int *err)
{
    void *p = real.clEnqueueMapBuffer(q, m, b, f, o, s, n, w, e, err);
    if (p)
        add(MAP_BUFFER);
    return p;
}

static void *CL_API_CALL count_MapImage(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f,
                                        const size_t *x, const size_t *y, size_t *r, size_t *s, cl_uint n,
                                        const cl_event *w, cl_event *e, cl_int *err)
{
    void *p = real.clEnqueueMapImage(q, m, b, f, x, y, r, s, n, w, e, err);
    if (p)
        add(MAP_IMAGE);
    return p;
}

static clEnqueueCommandBufferKHR_fn real_CommandBuffer;

static cl_int CL_API_CALL count_CommandBuffer(cl_uint c, cl_command_queue *q, cl_command_buffer_khr b, WAITS)
{
    cl_int status = real_CommandBuffer(c, q, b, n, w, e);
    if (status == CL_SUCCESS)
        add(COMMAND_BUFFER_KHR);
    return status;
}

/* An extension function that enqueues gets its counter too. */
static void *count_extension(const char *name, void *function)
{
    if (!function || !name || strcmp(name, "clEnqueueCommandBufferKHR") != 0)
        return function;
    *(void **)&real_CommandBuffer = function;
    return (void *)count_CommandBuffer;
}

static void *CL_API_CALL count_address(const char *name)
{
    return count_extension(name, real.clGetExtensionFunctionAddress(name));
}

static void *CL_API_CALL count_address_for_platform(cl_platform_id p, const char *name)
{
    return count_extension(name, real.clGetExtensionFunctionAddressForPlatform(p, name));
}

/* A witness that cannot work must not look like "no enqueues". */
static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "libcountcl: %s\n", what);
    abort();
}

static void open_counts(void)
{
    char path[4096], text[TYPE_COUNT * 64];
    size_t bytes = 0;
    const char *folder = getenv("COUNTCL_DIR");
    snprintf(path, sizeof path, "%s/%d.count", folder ? folder : ".", (int)getpid());
    for (int t = 0; t < TYPE_COUNT; t++)
        bytes += (size_t)snprintf(text + bytes, sizeof text - bytes, "%s %0*d\n", type_names[t], DIGITS, 0);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, bytes) != (ssize_t)bytes)
        give_up("cannot write in COUNTCL_DIR");
    lines = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (lines == MAP_FAILED)
        give_up("cannot map the counts");
    char *at = lines;
    for (int t = 0; t < TYPE_COUNT; t++) {
        at = memchr(at, '\n', (size_t)(lines + bytes - at));
        last_digit[t] = at++ - 1;
    }
}

static void *driver(void)
{
    static void *handle;
    if (!handle) {
        const char *name = getenv("COUNTCL_DRIVER");
        handle = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (!handle)
            give_up(name ? dlerror() : "COUNTCL_DRIVER is not set");
    }
    return handle;
}

/* Keeps the driver's table and puts the counting entries into it: the driver's objects all point to it. */
static void patch(struct _cl_icd_dispatch *table)
{
    if (table->clEnqueueNDRangeKernel == count_NDRangeKernel)
        return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), start = (size_t)table / page * page;
    if (mprotect((void *)start, (size_t)table + sizeof *table - start, PROT_READ | PROT_WRITE))
        give_up("cannot write the driver's dispatch table");
    real = *table;
    open_counts();
#define X(entry, type, params, args) table->clEnqueue##entry = count_##entry;
    ENQUEUES(X)
#undef X
    table->clEnqueueMapBuffer = count_MapBuffer;
    table->clEnqueueMapImage = count_MapImage;
    if (real.clGetExtensionFunctionAddress)
        table->clGetExtensionFunctionAddress = count_address;
    if (real.clGetExtensionFunctionAddressForPlatform)
        table->clGetExtensionFunctionAddressForPlatform = count_address_for_platform;
}

#define EXPORT __attribute__((visibility("default")))

/* What the driver itself answers for an extension function, NULL if it has none. */
static void *ask_driver(const char *name)
{
    void *(CL_API_CALL * get)(const char *);
    *(void **)&get = dlsym(driver(), "clGetExtensionFunctionAddress");
    return get ? get(name) : NULL;
}

EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint n, cl_platform_id *platforms, cl_uint *count)
{
    cl_int(CL_API_CALL * get)(cl_uint, cl_platform_id *, cl_uint *);
    cl_platform_id first;
    cl_uint found = 0;
    *(void **)&get = ask_driver("clIcdGetPlatformIDsKHR");
    if (!get)
        give_up("the driver has no clIcdGetPlatformIDsKHR");
    if (get(1, &first, &found) == CL_SUCCESS && found)
        patch(*(struct _cl_icd_dispatch **)first);
    return get(n, platforms, count);
}

EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)clIcdGetPlatformIDsKHR
                                                       : count_extension(name, ask_driver(name));
}

EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id p, cl_platform_info what, size_t size, void *value,
                                            size_t *needed)
{
    return (*(struct _cl_icd_dispatch **)p)->clGetPlatformInfo(p, what, size, value, needed);
}
