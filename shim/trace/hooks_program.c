/* hooks_program.c - programs: creation from source, binaries, IL, built-ins; build, compile, link. Retain and
 * release are in hooks_object.c. */
#include <stdlib.h>

#include "../../analyzer/record/trace.h"
#include "../programs/known_binaries.h"
#include "capture.h"
#include "hooks.h"

cl_program cw_hook_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                             const size_t *lengths, cl_int *err)
{
    cl_program program = cw_traced.clCreateProgramWithSource(context, count, strings, lengths, err);

    if (program && cw_recorder.capture_data)
        cw_capture_program(count, strings, lengths);
    if (program && cw_formula_is_recording())
        cw_define_program(program, CW_PROGRAM_SOURCE, 0, NULL, 0);
    return program;
}

cl_program cw_hook_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                             const cl_device_id *device_list, const size_t *lengths,
                                             const unsigned char **binaries, cl_int *binary_status,
                                             cl_int *err)
{
    cl_program program = cw_traced.clCreateProgramWithBinary(context, num_devices, device_list, lengths,
                                                             binaries, binary_status, err);
    cl_uint i;

    if (!program || !cw_formula_is_recording())
        return program;
    if (cw_recorder.capture_data)
        cw_capture_program(1, NULL, NULL);
    for (i = 0; i < num_devices && (!binaries[i] || !lengths[i]); i++)
        ;
    cw_define_binary(program, num_devices, device_list, lengths, binaries);
    if (cw_recorder.capture_data && i < num_devices)
        cw_define_bytes(program, binaries[i], lengths[i]);
    return program;
}

cl_program cw_hook_clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *err)
{
    cl_program program = cw_traced.clCreateProgramWithIL(context, il, length, err);

    if (!program || !cw_formula_is_recording())
        return program;
    if (cw_recorder.capture_data)
        cw_capture_program(1, NULL, NULL);
    cw_define_il(program, il, length);
    return program;
}

cl_int cw_hook_clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t size,
                                                  const void *value)
{
    cl_int status = cw_traced.clSetProgramSpecializationConstant(program, id, size, value);

    if (status == CL_SUCCESS && cw_formula_is_recording() && size <= sizeof(cl_ulong))
        cw_define_constant(program, id, size, value);
    return status;
}

cl_program cw_hook_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                     const cl_device_id *device_list, const char *names,
                                                     cl_int *err)
{
    cl_program program =
        cw_traced.clCreateProgramWithBuiltInKernels(context, num_devices, device_list, names, err);

    if (program && cw_formula_is_recording())
        cw_define_program(program, CW_PROGRAM_BUILTIN, cw_define_hash(CW_FNV_START, names, strlen(names)),
                          NULL, 0);
    return program;
}

/* A build or compilation has returned `status`, which it returns. `headers` NULL: it may not be over. */
static cl_int built(cl_program program, const char *options, const struct cw_define_headers *headers,
                    cl_int status)
{
    if (!cw_formula_is_recording())
        return status;
    if (status == CL_SUCCESS)
        cw_define_build(program, options, headers);
    if (status == CL_BUILD_PROGRAM_FAILURE || status == CL_COMPILE_PROGRAM_FAILURE ||
        (status == CL_SUCCESS && headers))
        cw_define_build_log(program, status != CL_SUCCESS);
    return status;
}

cl_int cw_hook_clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                              const char *options, void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                              void *user_data)
{
    cl_int status;

    cw_define_build_begins(program);
    status = cw_traced.clBuildProgram(program, num_devices, device_list, options, pfn_notify, user_data);
    if (status == CL_SUCCESS && !pfn_notify && cw_known_build_is_whole(program, num_devices))
        cw_define_built(program, options);
    return built(program, options, pfn_notify ? NULL : &(struct cw_define_headers){0}, status);
}

cl_int cw_hook_clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                                const char *options, cl_uint num_headers, const cl_program *headers,
                                const char **names, void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                                void *user_data)
{
    cl_int status;

    cw_define_build_begins(program);
    status = cw_traced.clCompileProgram(program, num_devices, device_list, options, num_headers, headers,
                                        names, pfn_notify, user_data);
    return built(program, options,
                 pfn_notify ? NULL : &(struct cw_define_headers){num_headers, headers, names}, status);
}

cl_int cw_hook_clGetProgramInfo(cl_program program, cl_program_info name, size_t capacity, void *to,
                                size_t *bytes)
{
    return name == CL_PROGRAM_BINARIES && to
               ? cw_define_fetch(program, capacity, to, bytes)
               : cw_traced.clGetProgramInfo(program, name, capacity, to, bytes);
}

cl_program cw_hook_clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                                 const char *options, cl_uint num_inputs, const cl_program *inputs,
                                 void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data,
                                 cl_int *err)
{
    cl_program program = cw_traced.clLinkProgram(context, num_devices, device_list, options, num_inputs,
                                                 inputs, pfn_notify, user_data, err);

    if (!program || !cw_formula_is_recording())
        return program;
    cw_define_program(program, CW_PROGRAM_LINKED, 0, inputs, inputs ? num_inputs : 0);
    cw_define_build(program, options, NULL);
    if (err && *err == CL_LINK_PROGRAM_FAILURE)
        cw_define_build_log(program, true);
    return program;
}
