/* execute_program.c - programs, kernels and samplers of a re-run. */
#include "execute_state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
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

/* The forms that a program can be made of, the best first. A source with its headers in it is as it was; the
 * files that a source reads may be others or gone. A program that was made of a captured binary is made of
 * that alone. */
enum form { JOINED, SOURCE, BINARY, FORMS };

static bool is_linked(const struct cw_t_program *p)
{
    return p->kind == CW_PROGRAM_LINKED && !p->binary.size;
}

static bool has_form(const struct cw_t_program *p, enum form form)
{
    if (p->kind == CW_PROGRAM_BINARY && p->binary.size)
        return form == BINARY;
    return form == JOINED ? p->joined.size > 0 : form == SOURCE ? p->source != NULL : p->binary.size > 0;
}

static cl_program create(const struct cw_exec *x, uint32_t id, enum form form, cl_int *code)
{
    const struct cw_t_program *p = &x->t->programs.v[id];
    const struct cw_execute_context *c = &x->contexts[p->context];
    const struct cw_blob *blob = form == JOINED ? &p->joined : &p->binary;
    const char *text = form == SOURCE ? p->source : (const char *)x->data + blob->offset;
    const size_t length = form == SOURCE ? strlen(text) : (size_t)blob->size;
    const unsigned char *binaries[CW_EXEC_DEVICES];
    size_t sizes[CW_EXEC_DEVICES];

    if (form != BINARY)
        return clCreateProgramWithSource(c->handle, 1, &text, &length, code);
    if (p->kind == CW_PROGRAM_IL)
        return clCreateProgramWithIL(c->handle, text, length, code);
    for (cl_uint d = 0; d < c->device_count && d < CW_EXEC_DEVICES; d++)
        binaries[d] = (const unsigned char *)text, sizes[d] = length;
    return clCreateProgramWithBinary(c->handle, c->device_count, c->devices, sizes, binaries, NULL, code);
}

/* Builds it, or compiles it to be linked. */
static cl_int build(const struct cw_exec *x, uint32_t id, enum form form, bool compile, cl_program program)
{
    const struct cw_t_program *p = &x->t->programs.v[id];
    const struct cw_execute_context *c = &x->contexts[p->context];
    const bool compiled = form == BINARY && p->kind != CW_PROGRAM_IL;
    const char *options = compiled || !p->options ? "" : p->options;

    if (!compile)
        return clBuildProgram(program, c->device_count, c->devices, options, NULL, NULL);
    return compiled
               ? CL_SUCCESS
               : clCompileProgram(program, c->device_count, c->devices, options, 0, NULL, NULL, NULL, NULL);
}

/* In the first form of which it builds; *code of the last try, whose program is returned even if it
 * failed. */
static cl_program make_of_text(const struct cw_exec *x, uint32_t id, bool compile, cl_int *code)
{
    cl_program program = NULL;

    *code = CL_INVALID_BINARY;
    for (int form = JOINED; form < FORMS; form++) {
        if (!has_form(&x->t->programs.v[id], (enum form)form))
            continue;
        if (program)
            clReleaseProgram(program);
        program = create(x, id, (enum form)form, code);
        if (program)
            *code = build(x, id, (enum form)form, compile, program);
        if (*code == CL_SUCCESS)
            break;
    }
    return program;
}

/* Linked of its parts as they are compiled here. */
static cl_program make_linked(const struct cw_exec *x, uint32_t id, cl_int *code)
{
    const struct cw_t_program *p = &x->t->programs.v[id];
    const struct cw_execute_context *c = &x->contexts[p->context];
    cl_program *parts = calloc(p->inputs.count + 1, sizeof *parts), program = NULL;

    *code = parts ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < p->inputs.count && *code == CL_SUCCESS; i++) {
        uint32_t part = x->t->program_ids.v[p->inputs.first + i];
        parts[i] = make_of_text(x, part, true, code);
    }
    if (*code == CL_SUCCESS)
        program = clLinkProgram(c->handle, c->device_count, c->devices, p->options ? p->options : "",
                                p->inputs.count, parts, NULL, NULL, code);
    for (uint32_t i = 0; parts && i < p->inputs.count; i++)
        if (parts[i])
            clReleaseProgram(parts[i]);
    free(parts);
    return program;
}

static enum cw_status make_program(struct cw_exec *x, uint32_t id, struct cw_error *err)
{
    cl_int code;

    x->programs[id] =
        is_linked(&x->t->programs.v[id]) ? make_linked(x, id, &code) : make_of_text(x, id, false, &code);
    return code == CL_SUCCESS ? CW_OK : build_error(x, id, x->programs[id], code, err);
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
