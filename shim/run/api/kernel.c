/* kernel.c - the program's kernels: shadows of their arguments, and private kernels for the workers. */
#include "hooks.h"
#include "../code/build_cache.h"
#include "../models/acceptance.h"
#include "../models/known.h"
#include "../tiles/tile.h"
#include "../workers/worker.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "../../../analyzer/kernels/source/kernel_params.h"
#include "../../../analyzer/record/trace.h"
#include "../code/code.h"
#include "kernel.h"
#include "program.h"
#include "sampler.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../tasks/reference_counts.h"

/* ---- records without the lock
 *
 * Most programs set all arguments for every launch, so one that takes no memory takes no lock: while it is
 * set no other thread may use its kernel (OpenCL 3.0, appendix A.2), and as long as the program has a
 * reference its record stays. Each thread remembers where the records are of kernels that it has set lately,
 * until one is freed. */

#define REMEMBERED 4 /* bytes of static TLS are scarce where the library is opened late */

static __thread struct {
    cl_kernel kernel;
    struct cw_run_kernel *record;
    unsigned long long freed; /* then */
} remembered[REMEMBERED] __attribute__((tls_model("initial-exec")));

static unsigned device_of(cl_kernel kernel)
{
    return ((uintptr_t)kernel >> 6) % REMEMBERED;
}

static struct cw_run_kernel *recall(cl_kernel kernel)
{
    unsigned i = device_of(kernel);
    bool known =
        remembered[i].kernel == kernel &&
        remembered[i].freed == atomic_load_explicit(&cw_run_record_kernels_freed, memory_order_relaxed);

    return known ? remembered[i].record : NULL;
}

/* Lock held. */
static void remember(cl_kernel kernel, struct cw_run_kernel *k)
{
    unsigned i = device_of(kernel);

    remembered[i].kernel = kernel;
    remembered[i].record = k;
    remembered[i].freed = atomic_load_explicit(&cw_run_record_kernels_freed, memory_order_relaxed);
}

/* Of all threads. */
static char *name_of(cl_kernel kernel)
{
    size_t bytes = 0;
    char *name = NULL;

    if (cw_next.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, NULL, &bytes) == CL_SUCCESS && bytes)
        name = malloc(bytes);
    if (name && cw_next.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, bytes, name, NULL) != CL_SUCCESS) {
        free(name);
        name = NULL;
    }
    return name;
}

/* The sets of home devices are made before any command is managed: a command that has been taken has no way
 * back from home. Helpers make theirs when they first need it, and may refuse. */
static bool make_home_sets(struct cw_run_kernel *k)
{
    const struct cw_run_context *c = k->program->context;
    bool made = k->set;

    for (size_t i = 0; made && i < c->devices->homes; i++)
        made = cw_run_device_kernel_set(k, c->places[i].worker);
    return made;
}

/* Lock held. Parsing happens once per program and kernel, when the program creates kernels. */
static void fill(struct cw_run_kernel *k, struct cw_run_program *p, char *name, cl_uint count)
{
    k->program = p;
    cw_run_record_pin(&p->r);
    p->kernels++;
    k->name = name;
    k->known = cw_run_known_of(p, name);
    k->count = count;
    k->args = calloc(count + 1, sizeof *k->args);
    k->modes = malloc(count + 1);
    k->kinds = calloc(count + 1, 1);
    k->clones = calloc(CW_RUN_WORKERS, sizeof *k->clones);
    k->set = calloc(CW_RUN_WORKERS, sizeof *k->set);
    if (!p->parsed)
        cw_program_source_parse(p);
    if (k->modes)
        memset(k->modes, CW_ACCESS_READ_WRITE, count + 1);
    if (k->modes && p->tokens)
        cw_kernel_params(p->tokens, name, count, false, false, k->modes);
    if (k->kinds && p->tokens)
        cw_kernel_params_kinds(p->tokens, name, count, k->kinds);
    k->exclusion = cw_run_exclusion_of(k);
    k->parsed = k->args && k->modes && k->kinds && k->clones && k->known && make_home_sets(k);
}

/* Returns whether there is a record of it. */
static bool made(cl_program program, cl_kernel kernel)
{
    struct cw_run_program *p;
    struct cw_run_kernel *k;
    cl_uint count = 0;
    char *name;

    if (!kernel || !cw_run.ready)
        return false;
    name = name_of(kernel);
    cw_next.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    k = p && name ? cw_run_object_create(kernel, CW_RUN_KERNEL) : NULL;
    if (k) {
        fill(k, p, name, count);
        name = NULL;
    }
    cw_run_global_lock_give();
    if (k)
        cw_run_acceptance_ask(k, kernel);
    free(name);
    return k;
}

cl_kernel cw_run_hook_clCreateKernel(cl_program program, const char *name, cl_int *err)
{
    cl_program whose = cw_build_cache_of(program);
    cl_kernel kernel = cw_native.clCreateKernel(whose, name, err);

    if (made(program, kernel) || whose == program || !kernel)
        return kernel;
    cw_native.clReleaseKernel(kernel); /* its program would be unknown */
    if (err)
        *err = CL_OUT_OF_HOST_MEMORY;
    return NULL;
}

cl_int cw_run_hook_clCreateKernelsInProgram(cl_program program, cl_uint n, cl_kernel *kernels, cl_uint *n_ret)
{
    cl_uint count = n_ret ? *n_ret : 0; /* a call that fails may leave it alone */
    cl_int err = cw_native.clCreateKernelsInProgram(cw_build_cache_of(program), n, kernels, &count);

    if (n_ret)
        *n_ret = count;
    for (cl_uint i = 0; err == CL_SUCCESS && kernels && i < n && i < count; i++)
        made(program, kernels[i]);
    return err;
}

static void count_references(cl_kernel kernel, void *to)
{
    const struct cw_run_kernel *k;
    struct cw_run_recount r;
    cl_uint count;

    for (cw_run_recount_read(&r); cw_run_recount_again(&r);) {
        cw_next.clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, NULL);
        k = cw_run_record_find(kernel, CW_RUN_KERNEL);
        count += k ? cw_run_reference_counts_of_kernel(k) : 0;
    }
    memcpy(to, &count, sizeof count);
}

/* A kernel may be that of a stand-in (code/build_cache.h). */
cl_int cw_run_hook_clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t capacity, void *to,
                                   size_t *bytes)
{
    cl_int err = cw_native.clGetKernelInfo(kernel, name, capacity, to, bytes);
    const struct cw_run_kernel *k;

    if (err == CL_SUCCESS && name == CL_KERNEL_REFERENCE_COUNT && to)
        count_references(kernel, to);
    if (err != CL_SUCCESS || name != CL_KERNEL_PROGRAM || !to)
        return err;
    cw_run_global_lock_take();
    k = cw_run_record_find(kernel, CW_RUN_KERNEL);
    if (k && k->program->cached)
        memcpy(to, &k->program->r.handle, sizeof k->program->r.handle);
    cw_run_global_lock_give();
    return err;
}

/* ---- arguments */

static bool takes_no_memory(const struct cw_run_arg *a, size_t size, enum cw_run_arg_kind kind)
{
    return !a->capacity && (size <= 8 || (kind != CW_RUN_ARG_VALUE && size <= UINT32_MAX));
}

/* An argument has been set. A launch that finds the number unchanged has seen it, even in a program whose
 * threads do not take turns. */
static void another_set(struct cw_run_kernel *k)
{
    atomic_fetch_add(&k->sets, 1);
}

/* Lock held, unless it takes no memory. */
static void set_to(struct cw_run_kernel *k, cl_uint index, size_t size, const void *value,
                   enum cw_run_arg_kind kind)
{
    struct cw_run_arg *a = &k->args[index];
    uint8_t *grown;

    if (size > UINT32_MAX) {
        k->indirect = true;
        return;
    }
    if (size > 8 && kind == CW_RUN_ARG_VALUE && a->capacity < size) {
        grown = realloc(a->capacity ? a->bytes : NULL, size);
        if (!grown) {
            k->indirect = true;
            return;
        }
        a->bytes = grown;
        a->capacity = (uint32_t)size;
    } else if (size <= 8 && a->capacity) {
        free(a->bytes);
        a->capacity = 0;
    }
    a->kind = kind;
    a->sampler = 0;
    a->size = (uint32_t)size;
    if (kind == CW_RUN_ARG_VALUE && size > 8) {
        memcpy(a->bytes, value, size);
    } else if (kind != CW_RUN_ARG_LOCAL) {
        a->word = 0;
        memcpy(&a->word, value, size);
    }
}

static void set(struct cw_run_kernel *k, cl_uint index, size_t size, const void *value,
                enum cw_run_arg_kind kind)
{
    set_to(k, index, size, value, kind);
    another_set(k);
}

cl_int cw_run_hook_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    enum cw_run_arg_kind kind = value ? CW_RUN_ARG_VALUE : CW_RUN_ARG_LOCAL;
    cl_int err = cw_native.clSetKernelArg(kernel, index, size, value);
    struct cw_run_kernel *k;

    if (err != CL_SUCCESS || !cw_run_record_find(kernel, CW_RUN_KERNEL))
        return err;
    k = recall(kernel);
    if (k && index < k->count && takes_no_memory(&k->args[index], size, kind) &&
        !cw_run_sampler_may_be(size, value)) {
        set(k, index, size, value, kind);
        return err;
    }
    cw_run_global_lock_take();
    k = cw_run_record_find(kernel, CW_RUN_KERNEL);
    if (k && k->parsed && index < k->count) {
        set_to(k, index, size, value, kind);
        if (k->kinds[index] != CW_PARAM_NUMBER)
            cw_run_sampler_set(&k->args[index]);
        another_set(k);
        remember(kernel, k);
    }
    cw_run_global_lock_give();
    return err;
}

void cw_run_kernel_points(cl_kernel kernel, cl_uint index, const void *value)
{
    struct cw_run_kernel *k = recall(kernel);

    if (k && index < k->count && !k->args[index].capacity) {
        set(k, index, sizeof value, &value, CW_RUN_ARG_POINTER);
        return;
    }
    cw_run_global_lock_take();
    k = cw_run_record_find(kernel, CW_RUN_KERNEL);
    if (k && k->parsed && index < k->count) {
        set(k, index, sizeof value, &value, CW_RUN_ARG_POINTER);
        remember(kernel, k);
    }
    cw_run_global_lock_give();
}

cl_int cw_run_hook_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
    cl_int err = cw_native.clSetKernelArgSVMPointer(kernel, index, value);

    if (err == CL_SUCCESS && cw_run_record_find(kernel, CW_RUN_KERNEL))
        cw_run_kernel_points(kernel, index, value);
    return err;
}

cl_int cw_run_hook_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size,
                                       const void *value)
{
    struct cw_run_kernel *k;

    cw_run_global_lock_take();
    k = cw_run_record_find(kernel, CW_RUN_KERNEL);
    if (k) {
        k->pointed = true;
        another_set(k);
    }
    cw_run_global_lock_give();
    return cw_native.clSetKernelExecInfo(kernel, name, size, value);
}

/* The clone has the arguments of its original. */
cl_kernel cw_run_hook_clCloneKernel(cl_kernel from, cl_int *err)
{
    cl_kernel to = cw_native.clCloneKernel(from, err);
    struct cw_run_kernel *k, *original;
    cl_program program = NULL;

    if (!to)
        return NULL;
    cw_run_global_lock_take();
    original = cw_run_record_find(from, CW_RUN_KERNEL);
    if (original)
        program = (cl_program)(uintptr_t)original->program->r.handle;
    cw_run_global_lock_give();
    if (program)
        made(program, to);
    cw_run_global_lock_take();
    original = cw_run_record_find(from, CW_RUN_KERNEL);
    k = cw_run_record_find(to, CW_RUN_KERNEL);
    if (k && original && k->parsed && original->parsed) {
        k->indirect = original->indirect;
        k->pointed = original->pointed;
        for (uint32_t i = 0; i < k->count; i++) {
            const struct cw_run_arg *a = &original->args[i];
            set(k, i, a->size, a->size > 8 ? a->bytes : (const void *)&a->word, a->kind);
            k->args[i].sampler = a->sampler;
        }
    }
    cw_run_global_lock_give();
    return to;
}

CW_RUN_RETAIN(clRetainKernel, cl_kernel, CW_RUN_KERNEL)
CW_RUN_RELEASE(clReleaseKernel, cl_kernel, CW_RUN_KERNEL)
