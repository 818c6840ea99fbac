/* program.c - programs of the null driver. A program is its source; building it does nothing. */
#include "nullcl.h"

#include <stdio.h>
#include <stdlib.h>

static cl_program new_program(cl_context c, cl_int *errcode_ret)
{
    cl_program p = nullcl_is(c, K_CONTEXT) ? nullcl_new(K_PROGRAM, sizeof *p) : NULL;
    if (!p)
        return nullcl_fail(errcode_ret, CL_INVALID_CONTEXT);
    p->context = c;
    p->source = strdup("");
    p->options = strdup("");
    nullcl.clRetainContext(c);
    nullcl_fail(errcode_ret, CL_SUCCESS);
    return p;
}

static void add_source(cl_program p, const char *text, size_t n)
{
    size_t before = strlen(p->source);
    p->source = realloc(p->source, before + n + 1);
    memcpy(p->source + before, text, n);
    p->source[before + n] = '\0';
    char name[128];
    p->num_kernels = 0;
    for (const char *s = p->source; (s = nullcl_next_kernel(s, name, sizeof name));)
        p->num_kernels++;
}

static cl_program with_source(cl_context c, cl_uint count, const char **strings, const size_t *lengths,
                              cl_int *errcode_ret)
{
    if (!count || !strings)
        return nullcl_fail(errcode_ret, CL_INVALID_VALUE);
    cl_program p = new_program(c, errcode_ret);
    for (cl_uint i = 0; p && i < count; i++)
        add_source(p, strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
    return p;
}

/* A binary of this driver is the source. */
static cl_program with_binary(cl_context c, cl_uint n, const cl_device_id *devices, const size_t *lengths,
                              const unsigned char **binaries, cl_int *status, cl_int *errcode_ret)
{
    if (!n || !devices || !lengths || !binaries)
        return nullcl_fail(errcode_ret, CL_INVALID_VALUE);
    cl_program p = new_program(c, errcode_ret);
    if (p)
        add_source(p, (const char *)binaries[0], lengths[0]);
    for (cl_uint i = 0; status && i < n; i++)
        status[i] = CL_SUCCESS;
    return p;
}

/* The instruction `op` of the module whose operand `at` is `id`; NULL: there is none. */
static const uint32_t *instruction(const uint32_t *word, size_t n, uint32_t op, size_t at, uint32_t id)
{
    for (size_t i = 5; i < n && word[i] >> 16; i += word[i] >> 16)
        if ((word[i] & 0xffff) == op && word[i + 1 + at] == id)
            return word + i;
    return NULL;
}

/* A kernel of the module as a prototype in OpenCL C. */
static void add_entry_point(cl_program p, const uint32_t *word, size_t n, const uint32_t *entry)
{
    enum { TYPE_POINTER = 32, TYPE_FUNCTION = 33, FUNCTION = 54, WORKGROUP = 4, CROSS_WORKGROUP = 5 };
    const uint32_t *f = instruction(word, n, FUNCTION, 1, entry[2]),
                   *type = f ? instruction(word, n, TYPE_FUNCTION, 0, f[4]) : NULL;
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, "kernel void %s(", (const char *)(entry + 3));
    for (uint32_t i = 3; type && i < type[0] >> 16 && used < sizeof text - 100; i++) {
        const uint32_t *pointer = instruction(word, n, TYPE_POINTER, 0, type[i]);
        const char *space = !pointer                        ? "int "
                            : pointer[2] == CROSS_WORKGROUP ? "global int *"
                            : pointer[2] == WORKGROUP       ? "local int *"
                                                            : "int ";
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%sa%u", i > 3 ? ", " : "", space, i - 3);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, ") {}\n");
    add_source(p, text, used);
}

/* Of a SPIR-V module the kernels are known; other words are taken for a source. */
static cl_program with_il(cl_context c, const void *il, size_t length, cl_int *errcode_ret)
{
    enum { ENTRY_POINT = 15, MAGIC = 0x07230203 };
    const uint32_t *word = il;
    size_t n = length / sizeof *word;
    cl_program p = new_program(c, errcode_ret);
    if (p)
        p->of_il = true;
    if (p && (n < 5 || word[0] != MAGIC))
        add_source(p, il, length);
    for (size_t i = 5; p && n > 5 && word[0] == MAGIC && i < n && word[i] >> 16; i += word[i] >> 16)
        if ((word[i] & 0xffff) == ENTRY_POINT)
            add_entry_point(p, word, n, word + i);
    return p;
}

typedef void(CL_CALLBACK *notify_program)(cl_program, void *);

static cl_int build(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                    notify_program f, void *user)
{
    (void)n, (void)devices;
    if (!nullcl_is(p, K_PROGRAM))
        return CL_INVALID_PROGRAM;
    free(p->options);
    p->options = strdup(options ? options : "");
    p->built = true;
    if (f)
        f(p, user);
    return CL_SUCCESS;
}

static cl_int compile(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                      cl_uint num_headers, const cl_program *headers, const char **names, notify_program f,
                      void *user)
{
    (void)num_headers, (void)headers, (void)names;
    return build(p, n, devices, options, f, user);
}

static cl_program link(cl_context c, cl_uint n, const cl_device_id *devices, const char *options,
                       cl_uint num_programs, const cl_program *programs, notify_program f, void *user,
                       cl_int *errcode_ret)
{
    cl_program p = new_program(c, errcode_ret);
    for (cl_uint i = 0; p && i < num_programs; i++)
        if (nullcl_is(programs[i], K_PROGRAM))
            add_source(p, programs[i]->source, strlen(programs[i]->source));
    if (p)
        build(p, n, devices, options, f, user);
    return p;
}

static cl_int set_constant(cl_program p, cl_uint id, size_t size, const void *value)
{
    (void)id;
    if (!nullcl_is(p, K_PROGRAM) || !p->of_il)
        return CL_INVALID_PROGRAM;
    return size && value ? CL_SUCCESS : CL_INVALID_VALUE;
}

static void kernel_names(cl_program p, char *to, size_t size)
{
    char name[128];
    size_t used = 0;
    *to = '\0';
    for (const char *s = p->source; (s = nullcl_next_kernel(s, name, sizeof name)) && used < size;)
        used += (size_t)snprintf(to + used, size - used, "%s%s", used ? ";" : "", name);
}

/* As a vendor's compiler that makes them then, and fails. */
static void dies_of_binaries(void)
{
    if (getenv("NULLCL_NO_BINARIES")) {
        fputs("null driver: asked for binaries\n", stderr);
        abort();
    }
}

static cl_int program_info(cl_program p, cl_program_info name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret)
{
    char names[4096];
    size_t sizes[MAX_DEVICES];
    if (!nullcl_is(p, K_PROGRAM))
        return CL_INVALID_PROGRAM;
    cl_context c = p->context;
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        REPLY(cl_uint, p->o.refs);
    case CL_PROGRAM_CONTEXT:
        REPLY(cl_context, c);
    case CL_PROGRAM_NUM_DEVICES:
        REPLY(cl_uint, c->num_devices);
    case CL_PROGRAM_DEVICES:
        return nullcl_reply(c->devices, c->num_devices * sizeof *c->devices, param_value_size, param_value,
                            param_value_size_ret);
    case CL_PROGRAM_SOURCE:
        REPLY_TEXT(p->of_il ? "" : p->source);
    case CL_PROGRAM_NUM_KERNELS:
        REPLY(size_t, p->num_kernels);
    case CL_PROGRAM_KERNEL_NAMES:
        kernel_names(p, names, sizeof names);
        REPLY_TEXT(names);
    case CL_PROGRAM_BINARY_SIZES:
        dies_of_binaries();
        for (cl_uint i = 0; i < c->num_devices; i++)
            sizes[i] = strlen(p->source);
        return nullcl_reply(sizes, c->num_devices * sizeof *sizes, param_value_size, param_value,
                            param_value_size_ret);
    case CL_PROGRAM_BINARIES:
        dies_of_binaries();
        for (cl_uint i = 0; param_value && i < c->num_devices; i++)
            if (((char **)param_value)[i])
                memcpy(((char **)param_value)[i], p->source, strlen(p->source));
        if (param_value_size_ret)
            *param_value_size_ret = c->num_devices * sizeof(char *);
        return CL_SUCCESS;
    }
    return CL_INVALID_VALUE;
}

static cl_int build_info(cl_program p, cl_device_id d, cl_program_build_info name, size_t param_value_size,
                         void *param_value, size_t *param_value_size_ret)
{
    (void)d;
    if (!nullcl_is(p, K_PROGRAM))
        return CL_INVALID_PROGRAM;
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        REPLY(cl_build_status, p->built ? CL_BUILD_SUCCESS : CL_BUILD_NONE);
    case CL_PROGRAM_BUILD_OPTIONS:
        REPLY_TEXT(p->options);
    case CL_PROGRAM_BUILD_LOG:
        REPLY_TEXT("");
    case CL_PROGRAM_BINARY_TYPE:
        REPLY(cl_program_binary_type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    }
    return CL_INVALID_VALUE;
}

static cl_int retain_program(cl_program p)
{
    return nullcl_retain(p, K_PROGRAM, CL_INVALID_PROGRAM);
}

static cl_int release_program(cl_program p)
{
    bool last;
    cl_int e = nullcl_release(p, K_PROGRAM, CL_INVALID_PROGRAM, &last);
    if (last) {
        nullcl.clReleaseContext(p->context);
        free(p->source);
        free(p->options);
        nullcl_delete(p);
    }
    return e;
}

void nullcl_fill_program(void)
{
    nullcl.clCreateProgramWithSource = with_source;
    nullcl.clCreateProgramWithBinary = with_binary;
    nullcl.clCreateProgramWithIL = with_il;
    nullcl.clSetProgramSpecializationConstant = set_constant;
    nullcl.clBuildProgram = build;
    nullcl.clCompileProgram = compile;
    nullcl.clLinkProgram = link;
    nullcl.clGetProgramInfo = program_info;
    nullcl.clGetProgramBuildInfo = build_info;
    nullcl.clRetainProgram = retain_program;
    nullcl.clReleaseProgram = release_program;
}
