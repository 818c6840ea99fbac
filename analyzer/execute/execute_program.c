/* execute_program.c - programs, kernels and samplers of a re-run. */
#include "execute_state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUILD_LOG = 300 };

static enum cw_status build_error(struct cw_exec *x, uint32_t id, cl_program p, cl_int code,
                                  struct cw_error *err)
{
    char *log = NULL;
    size_t size = 0;
    cl_device_id device = x->contexts[x->t->programs.v[id].context].devices[0];
    if (p && clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS)
        log = calloc(1, size + 1);
    if (log)
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    for (char *c = log; c && *c; c++)
        if (*c == '\n')
            *c = ' ';
    cw_error_set(err, CW_ERR_VENDOR,
                 "program %u does not build here (OpenCL error %d; it was built in %s): %.*s", id, code,
                 x->t->process.cwd ? x->t->process.cwd : "?", BUILD_LOG, log ? log : "no log");
    free(log);
    return CW_ERR_VENDOR;
}

static cl_program from_binary(struct cw_exec *x, uint32_t id, cl_int *code)
{
    const struct cw_t_program *p = &x->t->programs.v[id];
    const struct cw_execute_context *c = &x->contexts[p->context];
    const unsigned char *binary = x->data + p->binary.offset, *binaries[CW_EXEC_DEVICES];
    size_t sizes[CW_EXEC_DEVICES];
    if (p->kind == CW_PROGRAM_IL)
        return clCreateProgramWithIL(c->handle, binary, (size_t)p->binary.size, code);
    for (cl_uint d = 0; d < c->device_count && d < CW_EXEC_DEVICES; d++)
        binaries[d] = binary, sizes[d] = (size_t)p->binary.size;
    return clCreateProgramWithBinary(c->handle, c->device_count, c->devices, sizes, binaries, NULL, code);
}

/* A program of binaries from the captured one; all others from source, where there is one, and from a
 * captured binary where not, or where the source needs files that are gone. */
static enum cw_status make_program(struct cw_exec *x, uint32_t id, struct cw_error *err)
{
    const struct cw_t_program *p = &x->t->programs.v[id];
    const struct cw_execute_context *c = &x->contexts[p->context];
    const char *options = p->options ? p->options : "";
    const char *source = p->kind == CW_PROGRAM_BINARY && p->binary.size ? NULL : p->source;
    cl_program program = NULL;
    cl_int code = CL_SUCCESS;
    enum cw_status status = CW_OK;
    for (;;) {
        program = source ? clCreateProgramWithSource(c->handle, 1, &source, NULL, &code)
                         : from_binary(x, id, &code);
        if (program)
            code = clBuildProgram(program, c->device_count, c->devices,
                                  source || p->kind == CW_PROGRAM_IL ? options : "", NULL, NULL);
        if (code == CL_SUCCESS || !source || !p->binary.size)
            break;
        if (program)
            clReleaseProgram(program);
        program = NULL;
        source = NULL;
    }
    if (code != CL_SUCCESS)
        status = build_error(x, id, program, code, err);
    x->programs[id] = program;
    return status;
}

static enum cw_status make_kernel(struct cw_exec *x, uint32_t command, struct cw_error *err)
{
    uint32_t id = x->t->commands.v[command].kernel, program = x->t->kernels.v[id].program;
    enum cw_status status = CW_OK;
    cl_int code;
    if (x->kernels[id])
        return CW_OK;
    if (!x->programs[program])
        status = make_program(x, program, err);
    if (status != CW_OK)
        return status;
    x->kernels[id] = clCreateKernel(x->programs[program], x->t->kernels.v[id].name, &code);
    return x->kernels[id] ? CW_OK : cw_execute_vendor_status(x, command, "clCreateKernel", code, err);
}

static enum cw_status make_samplers(struct cw_exec *x, uint32_t command, struct cw_error *err)
{
    const struct cw_command *c = &x->t->commands.v[command];
    uint32_t context = x->t->queues.v[c->queue].context;
    for (uint32_t i = 0; i < c->args.count; i++) {
        const struct cw_t_arg *a = &x->t->args.v[c->args.first + i];
        const struct cw_t_sampler *s;
        cl_int code;
        if (a->kind != CW_ARG_SAMPLER || x->samplers[a->memory])
            continue;
        s = &x->t->samplers.v[a->memory];
        x->samplers[a->memory] = clCreateSamplerWithProperties(
            x->contexts[context].handle,
            (cl_sampler_properties[]){CL_SAMPLER_NORMALIZED_COORDS, s->normalized, CL_SAMPLER_ADDRESSING_MODE,
                                      s->addressing, CL_SAMPLER_FILTER_MODE, s->filter, 0},
            &code);
        if (!x->samplers[a->memory])
            return cw_execute_vendor_status(x, command, "clCreateSamplerWithProperties", code, err);
    }
    return CW_OK;
}

static enum cw_status make_kernels(struct cw_exec *x, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    enum cw_status status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && i < t->commands.count; i++) {
        uint32_t type = t->commands.v[i].type;
        if (!x->runs[i] || (type != CL_COMMAND_NDRANGE_KERNEL && type != CL_COMMAND_TASK))
            continue;
        status = make_kernel(x, i, err);
        if (status == CW_OK)
            status = make_samplers(x, i, err);
    }
    return status;
}

/* Builds where the program was built, if that folder is still there: include paths may be relative to it. */
enum cw_status cw_execute_kernels_init(struct cw_exec *x, struct cw_error *err)
{
    const char *there = x->t->process.cwd;
    int here;
    bool moved;
    enum cw_status status;
    x->programs = calloc(x->t->programs.count + 1, sizeof *x->programs);
    x->kernels = calloc(x->t->kernels.count + 1, sizeof *x->kernels);
    x->samplers = calloc(x->t->samplers.count + 1, sizeof *x->samplers);
    if (!x->programs || !x->kernels || !x->samplers)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for the programs of the trace");
    here = there ? open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    moved = here >= 0 && chdir(there) == 0;
    status = make_kernels(x, err);
    if (moved && fchdir(here) != 0 && status == CW_OK)
        status = cw_error_set(err, CW_ERR_IO, "cannot come back from %s, where the program was built", there);
    if (here >= 0)
        close(here);
    return status;
}

void cw_execute_kernels_finish(struct cw_exec *x)
{
    for (size_t i = 0; x->kernels && i < x->t->kernels.count; i++)
        if (x->kernels[i])
            clReleaseKernel(x->kernels[i]);
    for (size_t i = 0; x->programs && i < x->t->programs.count; i++)
        if (x->programs[i])
            clReleaseProgram(x->programs[i]);
    for (size_t i = 0; x->samplers && i < x->t->samplers.count; i++)
        if (x->samplers[i])
            clReleaseSampler(x->samplers[i]);
    free(x->programs);
    free(x->kernels);
    free(x->samplers);
}
