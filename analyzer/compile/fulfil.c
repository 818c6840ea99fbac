/* fulfil.c - see answer.h. */
#include "../kernels/footprint/model_file.h"
#include "../io/folders.h"
#include "../kernels/models/program_models.h"
#include "../kernels/source/vendor_compiler.h"
#include "answer.h"
#include "requests.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_BYTES 8192
#define KERNELS      256

struct answer {
    cl_int err;
    size_t bytes;
    char value[ANSWER_BYTES];
};

static bool same(const struct answer *a, const struct answer *b)
{
    return a->err == b->err && (a->err == CL_SUCCESS || a->err == CL_KERNEL_ARG_INFO_NOT_AVAILABLE) &&
           a->bytes == b->bytes && a->bytes <= ANSWER_BYTES && !memcmp(a->value, b->value, a->bytes);
}

/* Asks both the same; `call` uses h, i, w and x. */
#define SAME(first, second, call)                                                                            \
    (__extension__({                                                                                         \
        *a = *b = (struct answer){0};                                                                        \
        for (int side = 0; side < 2; side++) {                                                               \
            struct answer *x = side ? b : a;                                                                 \
            __typeof__(first) h = side ? (second) : (first);                                                 \
            x->err = call;                                                                                   \
        }                                                                                                    \
        same(a, b);                                                                                          \
    }))

static bool same_kernel(cl_kernel one, cl_kernel other, cl_device_id device, struct answer *a,
                        struct answer *b)
{
    static const cl_kernel_info facts[] = {CL_KERNEL_FUNCTION_NAME, CL_KERNEL_NUM_ARGS, CL_KERNEL_ATTRIBUTES};
    static const cl_kernel_work_group_info sizes[] = {
        CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_LOCAL_MEM_SIZE,
        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_PRIVATE_MEM_SIZE};
    static const cl_kernel_arg_info args[] = {CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_ACCESS_QUALIFIER,
                                              CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_TYPE_QUALIFIER,
                                              CL_KERNEL_ARG_NAME};
    cl_uint count = 0;
    bool good = true;

    for (size_t f = 0; good && f < sizeof facts / sizeof *facts; f++)
        good = SAME(one, other, clGetKernelInfo(h, facts[f], ANSWER_BYTES, x->value, &x->bytes));
    for (size_t f = 0; good && f < sizeof sizes / sizeof *sizes; f++)
        good = SAME(one, other,
                    clGetKernelWorkGroupInfo(h, device, sizes[f], ANSWER_BYTES, x->value, &x->bytes));
    good = good && clGetKernelInfo(one, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) == CL_SUCCESS;
    for (cl_uint i = 0; good && i < count; i++)
        for (size_t f = 0; good && f < sizeof args / sizeof *args; f++)
            good = SAME(one, other, clGetKernelArgInfo(h, i, args[f], ANSWER_BYTES, x->value, &x->bytes));
    return good;
}

static bool same_kernels(cl_program one, cl_program other, cl_device_id device, struct answer *a,
                         struct answer *b)
{
    cl_kernel first[KERNELS], second[KERNELS];
    cl_uint n = 0, m = 0;
    bool good = clCreateKernelsInProgram(one, KERNELS, first, &n) == CL_SUCCESS && n <= KERNELS;

    if (!good)
        return false;
    good = clCreateKernelsInProgram(other, KERNELS, second, &m) == CL_SUCCESS && m <= KERNELS;
    m = good ? m : 0;
    good = n == m;
    for (cl_uint i = 0; good && i < n; i++)
        good = same_kernel(first[i], second[i], device, a, b);
    for (cl_uint i = 0; i < n; i++)
        clReleaseKernel(first[i]);
    for (cl_uint i = 0; i < m; i++)
        clReleaseKernel(second[i]);
    return good;
}

/* True when all queries about either, built for `device`, and about their kernels have the same answers, but
 * for those that tell a binary from a source. Makes kernels, and releases them. */
static bool same_program(cl_program one, cl_program other, cl_device_id device)
{
    static const cl_program_info facts[] = {CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES};
    static const cl_program_build_info built[] = {CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_BUILD_OPTIONS,
                                                  CL_PROGRAM_BUILD_LOG, CL_PROGRAM_BINARY_TYPE};
    struct answer *a = malloc(2 * sizeof *a), *b = a + 1;
    bool good = a;

    for (size_t f = 0; good && f < sizeof facts / sizeof *facts; f++)
        good = SAME(one, other, clGetProgramInfo(h, facts[f], ANSWER_BYTES, x->value, &x->bytes));
    for (size_t f = 0; good && f < sizeof built / sizeof *built; f++)
        good =
            SAME(one, other, clGetProgramBuildInfo(h, device, built[f], ANSWER_BYTES, x->value, &x->bytes));
    good = good && same_kernels(one, other, device, a, b);
    free(a);
    return good;
}

/* A program of the request, and one of its binary. */
struct built {
    cl_device_id device;
    cl_context context;
    cl_program program, loaded;
    unsigned char *binary;
    size_t bytes;
};

static cl_program build(const struct built *b, cl_program program, const char *options)
{
    if (program && clBuildProgram(program, 1, &b->device, options, NULL, NULL) == CL_SUCCESS)
        return program;
    if (program)
        clReleaseProgram(program);
    return NULL;
}

/* The compiler was quiet: it says some things on stderr, which must be heard in each run. */
static bool is_quiet(const struct built *b)
{
    size_t bytes = 0;

    return clGetProgramBuildInfo(b->program, b->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) ==
               CL_SUCCESS &&
           bytes <= 1;
}

/* PoCL compiles all kernels for that. */
static bool take_binary(struct built *b)
{
    return clGetProgramInfo(b->program, CL_PROGRAM_BINARY_SIZES, sizeof b->bytes, &b->bytes, NULL) ==
               CL_SUCCESS &&
           b->bytes && (b->binary = malloc(b->bytes)) &&
           clGetProgramInfo(b->program, CL_PROGRAM_BINARIES, sizeof b->binary, &b->binary, NULL) ==
               CL_SUCCESS;
}

/* quiet: no warnings are allowed. */
static bool make(struct built *b, const struct cw_request *q, bool quiet)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS();
    cl_int err, status;

    b->device = cw_answer_device(q->device, q->units);
    b->context = b->device ? clCreateContext(NULL, 1, &b->device, NULL, NULL, &err) : NULL;
    if (b->context)
        b->program = build(b, cw_vendor_program(&calls, b->context, b->device, q->source, &err), q->options);
    if (!b->program || (quiet && !is_quiet(b)) || !take_binary(b))
        return false;
    b->loaded = build(b,
                      clCreateProgramWithBinary(b->context, 1, &b->device, &b->bytes,
                                                (const unsigned char **)(uintptr_t)&b->binary, &status, &err),
                      q->options);
    return b->loaded;
}

static void finish(struct built *b)
{
    if (b->loaded)
        clReleaseProgram(b->loaded);
    if (b->program)
        clReleaseProgram(b->program);
    if (b->context)
        clReleaseContext(b->context);
    free(b->binary);
}

/* The disk has taken all of it. */
static bool is_stored(const struct cw_file_store *store, const struct cw_identity *id)
{
    size_t bytes;
    void *data = cw_file_store_read(store, id, &bytes);

    free(data);
    return data;
}

static enum cw_fulfilled make_program(struct cw_file_store *store, const struct cw_request *q)
{
    struct built b = {.bytes = 0};
    bool good = make(&b, q, false);

    if (good)
        cw_file_store_write(store, &q->result, b.binary, b.bytes);
    finish(&b);
    return good && is_stored(store, &q->result) ? CW_FULFIL_MADE : CW_FULFIL_FAILED;
}

/* PoCL 3.1 forgets a kernel's attributes in binaries. */
static enum cw_fulfilled make_stand_in(struct cw_file_store *store, const struct cw_request *q)
{
    struct built b = {.bytes = 0};
    struct cw_stand_in head = {.took_ns = q->took_ns, .builds = CW_STAND_IN_NEVER};
    enum cw_fulfilled done = CW_FULFIL_FAILED;

    if (make(&b, q, true)) {
        done = same_program(b.program, b.loaded, b.device) ? CW_FULFIL_MADE : CW_FULFIL_DIFFERS;
        if (done == CW_FULFIL_MADE) {
            head.builds = q->builds;
            head.bytes = b.bytes;
        }
        cw_stand_in_write(store, &q->result, &head, b.binary);
    }
    finish(&b);
    return is_stored(store, &q->result) ? done : CW_FULFIL_FAILED;
}

/* A refusal that is kept is a result, too. */
static enum cw_fulfilled make_models(const char *folder, const struct cw_request *q)
{
    static struct cw_models_source source;
    const struct cw_models_vendor vendor = {.identity = q->device};
    struct cw_model_set set;
    struct cw_error err = {0};
    enum cw_status status = CW_ERR_IO;
    bool stored = false;
    sigset_t all;

    sigfillset(&all); /* as cw_program_models_get() wants it */
    sigprocmask(SIG_SETMASK, &all, NULL);
    cw_program_models_init(&source, folder);
    source.asker = cw_helper_tool_find("clweave");
    for (int i = 0; i < 2 && status != CW_OK && !stored; i++) {
        status = cw_program_models_get(&source, q->source, q->options, &vendor, &set, &stored, &err);
        if (status == CW_OK)
            cw_model_set_finish(&set);
    }
    return status == CW_OK || stored ? CW_FULFIL_MADE : CW_FULFIL_FAILED;
}

static enum cw_fulfilled make_launch(struct cw_file_store *store, const struct cw_request *q)
{
    struct cw_compile_area *a = q->kernel ? calloc(1, CW_COMPILE_BYTES) : NULL;
    const struct cw_compile_question question = {.device = q->device,
                                                 .units = q->units,
                                                 .source = q->source,
                                                 .options = q->options ? q->options : "",
                                                 .kernel = q->kernel,
                                                 .range = q->range,
                                                 .args = q->args,
                                                 .arg = q->arg};
    bool good = a && cw_compile_area_fill(a, &question) && cw_answer_request(a) == CW_COMPILE_COMPILED &&
                *a->module == '/';

    if (good)
        cw_file_store_write(store, &q->result, a->module, strlen(a->module) + 1);
    free(a);
    return good && is_stored(store, &q->result) ? CW_FULFIL_MADE : CW_FULFIL_FAILED;
}

enum cw_fulfilled cw_fulfil(const struct cw_requests *r, const struct cw_request *q)
{
    struct cw_file_store store;
    char folder[sizeof store.above + sizeof store.folder + 1];

    cw_requests_results(r, q->kind, &store);
    if (!*store.folder)
        return CW_FULFIL_FAILED;
    if (q->kind == CW_REQUEST_PROGRAM)
        return make_program(&store, q);
    if (q->kind == CW_REQUEST_LAUNCH)
        return make_launch(&store, q);
    if (q->kind == CW_REQUEST_STAND_IN)
        return make_stand_in(&store, q);
    snprintf(folder, sizeof folder, "%s/%s", store.above, store.folder);
    return make_models(folder, q);
}
