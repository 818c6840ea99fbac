/* nullcl.h - the objects of the null driver (build/test/libnullcl.so), an OpenCL vendor library for tests and
 * benches.
 *
 * It answers at once: commands are complete when their enqueue returns, transfers really move bytes, kernels
 * do nothing, wait lists are not waited for. Any loader takes it in: OCL_ICD_VENDORS=/path/libnullcl.so
 * (ocl-icd), or an .icd file.
 *
 * Environment:
 * - NULLCL_LOG=FILE: append one line per call that arrives: name, then every argument in hexadecimal (objects
 *   then have the same addresses in every run, so that logs are comparable)
 * - NULLCL_ECHO=1|2: do nothing but log, fill out-parameters with recognisable values and succeed (1) or fail
 *   (2)
 * - NULLCL_DEVICES=N: devices per platform (1, at most 16)
 * - NULLCL_PLATFORMS=N: platforms (1, at most 6); each returns extension functions of its own, logged as
 *   name@N
 * - NULLCL_NO_EXTENSIONS=1: clGetExtensionFunctionAddress* know no extension function
 * - NULLCL_INTERNAL=1: clFlush calls the exported clRetainCommandQueue and clReleaseCommandQueue, as some
 *   vendors do
 * - NULLCL_NO_BINARIES=1: the process ends when a program's binary, or its size, is asked for
 * - NULLCL_UNPINNED=1: buffers with CL_MEM_ALLOC_HOST_PTR cannot be mapped
 * - NULLCL_NO_CLOCK=1: profiling answers 0, 1, 2 and 3 for QUEUED to END
 * - NULLCL_KERNEL_NS=N: a kernel takes N ns of the driver's clock (1000)
 * - NULLCL_TAKES_US=N: a kernel takes N us of the host's clock, too: until then its event, and those of
 *   commands behind it in its queue, are CL_RUNNING, and waits for them spin: "spins" in NULLCL_LOG
 * - NULLCL_UNEVEN=1: it takes 1 to 8 times that, by its name and the number of launches
 * - NULLCL_CALL_NS=N, NULLCL_EVENT_NS=N: below libplayed.so (test/shim/played.c), a call that enqueues takes
 *   N ns of the monotonic clock, and the event that it makes N more */
#ifndef NULLCL_H
#define NULLCL_H

#include "../../shim/door/dispatch.h"

#include <CL/cl_icd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLATFORMS 6
#define MAX_DEVICES   16
#define MAX_ARGS      64
#define EXPORT        __attribute__((visibility("default")))

enum kind {
    K_PLATFORM = 0x6e756c30,
    K_DEVICE,
    K_CONTEXT,
    K_QUEUE,
    K_MEM,
    K_PROGRAM,
    K_KERNEL,
    K_EVENT,
    K_SAMPLER
};

/* Every object begins like this; loaders read the first member. */
struct object {
    const cl_icd_dispatch *dispatch;
    enum kind kind;
    atomic_uint refs;
};
struct _cl_platform_id {
    struct object o;
    unsigned index;
};
struct _cl_device_id {
    struct object o;
    struct _cl_platform_id *platform;
    unsigned index;
};
struct _cl_context {
    struct object o;
    cl_uint num_devices;
    cl_device_id devices[MAX_DEVICES];
    size_t num_properties;
    cl_context_properties *properties;
};
struct _cl_command_queue {
    struct object o;
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties properties;
    atomic_ullong over_ns; /* CLOCK_MONOTONIC; all of its commands are, from then on */
};
struct destructor {
    void(CL_CALLBACK *f)(cl_mem, void *);
    void *user_data;
    struct destructor *next;
};
struct _cl_mem {
    struct object o;
    cl_context context;
    cl_mem parent;
    size_t offset, size; /* offset in the parent */
    cl_mem_flags flags;
    cl_mem_object_type type;
    char *bytes;
    void *host_ptr;
    bool owns_bytes;
    atomic_uint maps;
    cl_image_format format;
    cl_image_desc desc; /* row_pitch and slice_pitch filled in */
    size_t element;
    struct destructor *destructors;
};
struct _cl_program {
    struct object o;
    cl_context context;
    char *source, *options;
    bool built, of_il;
    cl_uint num_kernels;
};
struct _cl_kernel {
    struct object o;
    cl_program program;
    char name[128];
    cl_uint num_args;
    char args[MAX_ARGS][96]; /* text of each parameter */
};
struct callback {
    void(CL_CALLBACK *f)(cl_event, cl_int, void *);
    void *user_data;
    cl_int type;
    struct callback *next;
};
struct _cl_event {
    struct object o;
    cl_context context;
    cl_command_queue queue;
    cl_command_type type;
    _Atomic cl_int status;
    cl_ulong times[4];
    struct callback *callbacks; /* of a user event that is not set */
    uint64_t over_ns;           /* of a command: from then on it is complete */
};
struct _cl_sampler {
    struct object o;
    cl_context context;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
};

extern cl_icd_dispatch nullcl_dispatch;          /* table.c */
extern struct _cl_platform_id *nullcl_platforms; /* [MAX_PLATFORMS] */
extern struct _cl_device_id (*nullcl_devices)[MAX_DEVICES];
extern unsigned nullcl_num_platforms, nullcl_num_devices;
extern bool nullcl_internal;

/* The functions behind the table; NULL members fail. Each file fills its own. */
extern struct cw_dispatch nullcl;
void nullcl_fill_objects(void);
void nullcl_fill_platform(void);
void nullcl_fill_queue(void);
void nullcl_fill_event(void);
void nullcl_fill_memory(void);
void nullcl_fill_image(void);
void nullcl_fill_transfer(void);
void nullcl_fill_svm(void);
void nullcl_fill_program(void);
void nullcl_fill_kernel(void);

/* Zeroed object of `size` bytes with one reference; NULL when memory is out. */
void *nullcl_new(enum kind kind, size_t size);
void nullcl_delete(void *object);
bool nullcl_is(const void *object, enum kind kind);
cl_int nullcl_retain(void *object, enum kind kind, cl_int invalid);
/* Drops one reference; true in *last when it was the last (the caller then frees). */
cl_int nullcl_release(void *object, enum kind kind, cl_int invalid, bool *last);

/* Memory objects: of storage of their own (or host_ptr, by `flags`), or a part of another. NULL and a code on
 * failure. */
cl_mem nullcl_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                     cl_int *errcode_ret);
cl_mem nullcl_sub(cl_mem parent, cl_mem_flags flags, size_t offset, size_t size, cl_int *errcode_ret);

/* The next "kernel void name(" at or after `s`: its name, and the text after the parenthesis; NULL at the
 * end. */
const char *nullcl_next_kernel(const char *s, char *name, size_t size);

/* The four-argument end of every clGet*Info. */
cl_int nullcl_reply(const void *value, size_t size, size_t room, void *to, size_t *size_ret);
#define REPLY(type, expression)                                                                              \
    do {                                                                                                     \
        type reply_value = (expression);                                                                     \
        return nullcl_reply(&reply_value, sizeof reply_value, param_value_size, param_value,                 \
                            param_value_size_ret);                                                           \
    } while (0)
#define REPLY_TEXT(text)                                                                                     \
    return nullcl_reply(text, strlen(text) + 1, param_value_size, param_value, param_value_size_ret)

/* NULL, with `code` in *errcode_ret. */
void *nullcl_fail(cl_int *errcode_ret, cl_int code);

/* Ends an enqueue of `type`: the driver's clock advances, and *event (if asked for) is a complete event. */
cl_int nullcl_complete(cl_command_queue queue, cl_command_type type, cl_ulong duration_ns, cl_event *event);
cl_ulong nullcl_clock(void);

/* Spins until CLOCK_MONOTONIC has reached `over_ns`. */
void nullcl_spin(uint64_t over_ns);

/* A line for NULLCL_LOG (table.c). */
void nullcl_log(const char *line);

#endif
