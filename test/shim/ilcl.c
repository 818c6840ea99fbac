/* ilcl.c - an OpenCL layer over a vendor without SPIR-V: its devices take the module of modules.c, which is
 * built of the source that means the same. The values of the specialisation constants are read in the
 * module, and set by clSetProgramSpecializationConstant. */
#include "../../shim/door/dispatch.h"

#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { PROGRAMS = 256, CONSTANTS = 4, FIRST_ID = 10, OPTIONS = 400 };
enum { OP_DECORATE = 71, SPEC_ID = 1, SPEC_TRUE = 48, SPEC_FALSE = 49, SPEC_CONSTANT = 50 };

static const char source[] = "kernel void blend(global int *a, global const int *b, int n)\n"
                             "{ int i = get_global_id(0); a[i] = 3 * a[i] + b[i] + n; }\n"
                             "kernel void fill(global int *a)\n"
                             "{ a[get_global_id(0) * STRIDE + FIRST] = MORE ? 2 * VALUE : VALUE; }\n";

static const struct _cl_icd_dispatch *next;
static struct _cl_icd_dispatch table;

/* The modules, the newest last; a handle may be another's later. */
static struct {
    cl_program program;
    long value[CONSTANTS];
} made[PROGRAMS];
static unsigned count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long *values_of(cl_program program)
{
    for (unsigned i = count; i-- > 0;)
        if (made[i].program == program)
            return made[i].value;
    return NULL;
}

/* The constant `id` of the module. */
static long value_of(const cl_uint *word, size_t n, cl_uint id)
{
    cl_uint constant = 0;

    for (size_t at = 5; at < n && word[at] >> 16; at += word[at] >> 16) {
        cl_uint op = word[at] & 0xffff;
        if (op == OP_DECORATE && word[at + 2] == SPEC_ID && word[at + 3] == id)
            constant = word[at + 1];
        if ((op == SPEC_TRUE || op == SPEC_FALSE) && constant && word[at + 2] == constant)
            return op == SPEC_TRUE;
        if (op == SPEC_CONSTANT && constant && word[at + 2] == constant)
            return word[at + 3];
    }
    return -1;
}

static cl_program CL_API_CALL il_clCreateProgramWithIL(cl_context context, const void *il, size_t bytes,
                                                       cl_int *err)
{
    const char *text = source;
    cl_program program = next->clCreateProgramWithSource(context, 1, &text, NULL, err);

    pthread_mutex_lock(&lock);
    if (program && count < PROGRAMS) {
        made[count].program = program;
        for (cl_uint i = 0; i < CONSTANTS; i++)
            made[count].value[i] = value_of(il, bytes / sizeof(cl_uint), FIRST_ID + i);
        count++;
    }
    pthread_mutex_unlock(&lock);
    return program;
}

static cl_program CL_API_CALL il_clCreateProgramWithSource(cl_context context, cl_uint n,
                                                           const char **strings, const size_t *lengths,
                                                           cl_int *err)
{
    cl_program program = next->clCreateProgramWithSource(context, n, strings, lengths, err);

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < count; i++)
        if (made[i].program == program)
            made[i].program = NULL;
    pthread_mutex_unlock(&lock);
    return program;
}

static cl_int CL_API_CALL il_clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t bytes,
                                                                const void *value)
{
    cl_int err = CL_INVALID_PROGRAM;
    long *values;

    pthread_mutex_lock(&lock);
    if ((values = values_of(program)))
        err = id < FIRST_ID || id >= FIRST_ID + CONSTANTS ? CL_INVALID_SPEC_ID : CL_SUCCESS;
    if (err == CL_SUCCESS) {
        values[id - FIRST_ID] = 0;
        memcpy(&values[id - FIRST_ID], value, bytes);
    }
    pthread_mutex_unlock(&lock);
    return err;
}

/* The options with the module's constants. */
static const char *with_constants(cl_program program, const char *options, char text[OPTIONS])
{
    long *v;

    pthread_mutex_lock(&lock);
    v = values_of(program);
    if (v)
        snprintf(text, OPTIONS, "%s -DSTRIDE=%ld -DFIRST=%ld -DVALUE=%ld -DMORE=%ld", options ? options : "",
                 v[0], v[1], v[2], v[3]);
    pthread_mutex_unlock(&lock);
    return v ? text : options;
}

static cl_int CL_API_CALL il_clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                                            const char *options,
                                            void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    char text[OPTIONS];

    return next->clBuildProgram(program, n, devices, with_constants(program, options, text), notify, data);
}

static cl_int CL_API_CALL il_clCompileProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                                              const char *options, cl_uint headers, const cl_program *header,
                                              const char **names,
                                              void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    char text[OPTIONS];

    return next->clCompileProgram(program, n, devices, with_constants(program, options, text), headers,
                                  header, names, notify, data);
}

static cl_int CL_API_CALL il_clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t room, void *to,
                                             size_t *bytes)
{
    static const char il[] = "SPIR-V_1.0";

    if (name != CL_DEVICE_IL_VERSION)
        return next->clGetDeviceInfo(device, name, room, to, bytes);
    if (to && room < sizeof il)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, il, sizeof il);
    if (bytes)
        *bytes = sizeof il;
    return CL_SUCCESS;
}

static void *CL_API_CALL il_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                     const char *name)
{
    cl_program(CL_API_CALL * create)(cl_context, const void *, size_t, cl_int *) = il_clCreateProgramWithIL;
    void *address;

    memcpy(&address, &create, sizeof address);
    return strcmp(name, "clCreateProgramWithILKHR") == 0
               ? address
               : next->clGetExtensionFunctionAddressForPlatform(platform, name);
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t room, void *value, size_t *bytes)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

    if (name != CL_LAYER_API_VERSION || (value && room < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, &version, sizeof version);
    if (bytes)
        *bytes = sizeof version;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
                                      cl_uint *entries_out, const struct _cl_icd_dispatch **out)
{
    if (entries < sizeof table / sizeof(void *))
        return CL_INVALID_VALUE;
    next = target;
    table = *target;
    table.clCreateProgramWithIL = il_clCreateProgramWithIL;
    table.clCreateProgramWithSource = il_clCreateProgramWithSource;
    table.clSetProgramSpecializationConstant = il_clSetProgramSpecializationConstant;
    table.clBuildProgram = il_clBuildProgram;
    table.clCompileProgram = il_clCompileProgram;
    table.clGetExtensionFunctionAddressForPlatform = il_clGetExtensionFunctionAddressForPlatform;
    table.clGetDeviceInfo = il_clGetDeviceInfo;
    *out = &table;
    *entries_out = sizeof table / sizeof(void *);
    return CL_SUCCESS;
}
