/* tilecl.c - what the program does, noted: programs, kernels, arguments, launches. See tilecl.h. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "tilecl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct vendor v;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int inside; /* our own calls, and what the vendor calls from within them */
static struct program_record *programs;
static struct kernel_record *kernels[4096];
static size_t kernel_count;
static cl_mem buffers[1 << 16];
static size_t buffer_count;

__attribute__((constructor)) static void find_vendor(void)
{
#define V(name) v.name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);
#include "tilecl_calls.inc"
#undef V
}

void say(const char *format, ...)
{
    const char *path = getenv("TILECL_LOG");
    char line[2048];
    va_list list;
    int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : 2, n;

    va_start(list, format);
    n = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (fd < 0 || write(fd, line, n < (int)sizeof line ? (size_t)n : sizeof line) < 0)
        abort();
    if (path)
        close(fd);
}

static struct program_record *program_of(cl_program handle)
{
    for (struct program_record *p = programs; p; p = p->next)
        if (p->handle == handle)
            return p;
    return NULL;
}

static struct kernel_record *kernel_of(cl_kernel handle)
{
    for (size_t i = kernel_count; i-- > 0;)
        if (kernels[i]->handle == handle)
            return kernels[i];
    return NULL;
}

static bool is_buffer(cl_mem m)
{
    for (size_t i = buffer_count; i-- > 0;)
        if (buffers[i] == m)
            return true;
    return false;
}

EXPORT cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                            const size_t *lengths, cl_int *err)
{
    cl_program handle = v.clCreateProgramWithSource(context, count, strings, lengths, err);
    struct program_record *p;
    size_t size = 1;

    if (!handle || inside)
        return handle;
    for (cl_uint i = 0; i < count; i++)
        size += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    p = calloc(1, sizeof *p);
    p->source = calloc(size, 1);
    for (cl_uint i = 0; i < count; i++)
        strncat(p->source, strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
    p->handle = handle;
    pthread_mutex_lock(&lock);
    p->next = programs;
    programs = p;
    pthread_mutex_unlock(&lock);
    return handle;
}

EXPORT cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *d, const char *options,
                             void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    cl_int e;
    struct program_record *p;

    inside++;
    e = v.clBuildProgram(program, n, d, options, notify, data);
    pthread_mutex_lock(&lock);
    p = program_of(program);
    if (p && e == CL_SUCCESS && inside == 1 && !p->prepared && !notify) {
        p->prepared = true;
        p->options = strdup(options ? options : "");
        tilecl_prepare(p);
    }
    pthread_mutex_unlock(&lock);
    inside--;
    return e;
}

static void note_kernel(cl_kernel handle, cl_program program)
{
    struct kernel_record *k = calloc(1, sizeof *k);

    k->handle = handle;
    v.clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, sizeof k->name, k->name, NULL);
    v.clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof k->args, &k->args, NULL);
    pthread_mutex_lock(&lock);
    k->program = program_of(program);
    if (kernel_count < sizeof kernels / sizeof *kernels)
        kernels[kernel_count++] = k;
    pthread_mutex_unlock(&lock);
}

EXPORT cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *err)
{
    cl_kernel handle = v.clCreateKernel(program, name, err);

    if (handle && !inside)
        note_kernel(handle, program);
    return handle;
}

EXPORT cl_int clCreateKernelsInProgram(cl_program program, cl_uint n, cl_kernel *list, cl_uint *count)
{
    cl_uint made = 0;
    cl_int e = v.clCreateKernelsInProgram(program, n, list, &made);

    for (cl_uint i = 0; e == CL_SUCCESS && list && i < made && !inside; i++)
        note_kernel(list[i], program);
    if (count)
        *count = made;
    return e;
}

EXPORT cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_int e = v.clSetKernelArg(kernel, index, size, value);
    struct kernel_record *k;

    if (e != CL_SUCCESS || inside)
        return e;
    pthread_mutex_lock(&lock);
    k = kernel_of(kernel);
    if (k && index < MAX_ARGS && size <= sizeof k->arg[index].value) {
        struct arg *a = &k->arg[index];
        *a = (struct arg){.size = size, .set = true, .local = !value};
        if (value)
            memcpy(a->value, value, size);
        if (value && size == sizeof(cl_mem)) {
            memcpy(&a->buffer, value, sizeof a->buffer);
            a->is_buffer = is_buffer(a->buffer);
        }
    } else if (k && index < MAX_ARGS) {
        k->arg[index].set = false; /* local memory beyond `value` is kept by size alone */
        if (!value)
            k->arg[index] = (struct arg){.size = size, .set = true, .local = true};
    }
    pthread_mutex_unlock(&lock);
    return e;
}

static cl_mem note_buffer(cl_mem m)
{
    pthread_mutex_lock(&lock);
    if (m && !inside && buffer_count < sizeof buffers / sizeof *buffers)
        buffers[buffer_count++] = m;
    pthread_mutex_unlock(&lock);
    return m;
}

EXPORT cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *err)
{
    return note_buffer(v.clCreateBuffer(context, flags, size, host, err));
}

EXPORT cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                                const void *info, cl_int *err)
{
    return note_buffer(v.clCreateSubBuffer(parent, flags, type, info, err));
}

EXPORT cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                     const size_t *offset, const size_t *global, const size_t *local,
                                     cl_uint waits, const cl_event *wait, cl_event *event)
{
    struct kernel_record *k = NULL;
    struct launch l = {.dims = dims, .local_given = local, .offset_given = offset};

    if (!inside && waits == 0 && dims >= 1 && dims <= 3 && global) {
        inside++;
        for (cl_uint d = 0; d < dims; d++) {
            l.global[d] = global[d];
            l.local[d] = local ? local[d] : 1;
            l.offset[d] = offset ? offset[d] : 0;
        }
        v.clFinish(queue);
        pthread_mutex_lock(&lock);
        k = kernel_of(kernel);
        if (k && k->program && k->program->usable)
            tilecl_check(k, &l, queue);
        pthread_mutex_unlock(&lock);
        inside--;
    }
    return v.clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, waits, wait, event);
}
