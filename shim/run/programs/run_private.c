/* run_private.c - see run_private.h. */
#include "run_private.h"

#include <stdlib.h>
#include <string.h>

#include "../hooks/run_hooks.h"
#include "run_cache.h"

uint64_t cw_run_private_key(const struct cw_run_place *place, uint64_t program)
{
    char device[512] = "";
    size_t used;

    cw_next.clGetDeviceInfo(place->slot->device, CL_DEVICE_NAME, 256, device, NULL);
    used = strlen(device);
    cw_next.clGetDeviceInfo(place->slot->device, CL_DEVICE_VERSION, sizeof device - used - 1, device + used + 1, NULL);
    device[used] = '/'; /* "name/OpenCL 3.0 PoCL ..." */
    return cw_run_cache_key(device, program);
}

/* The program, once it is built; NULL otherwise. */
static cl_program built(cl_program program, const struct cw_run_place *place, const char *options)
{
    if (!program || cw_next.clBuildProgram(program, 1, &place->slot->device, options, NULL, NULL) == CL_SUCCESS)
        return program;
    cw_next.clReleaseProgram(program);
    return NULL;
}

cl_program cw_run_private_load(struct cw_run_place *place, uint64_t key, const char *options)
{
    size_t bytes = 0;
    unsigned char *data = cw_run_cache_read(key, &bytes);
    const unsigned char *binary = data;
    cl_program program = NULL;
    cl_int status, err;

    if (data)
        program = cw_next.clCreateProgramWithBinary(place->context, 1, &place->slot->device, &bytes, &binary, &status, &err);
    program = built(program, place, options);
    free(data);
    return program;
}

cl_program cw_run_private_build(struct cw_run_place *place, const char *source, const char *options)
{
    cl_int err;

    return built(cw_next.clCreateProgramWithSource(place->context, 1, &source, NULL, &err), place, options);
}

void cw_run_private_keep(cl_program program, uint64_t key)
{
    size_t bytes = 0;
    unsigned char *data;

    if (cw_next.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || !bytes)
        return;
    data = malloc(bytes);
    if (data && cw_next.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) == CL_SUCCESS)
        cw_run_cache_write(key, data, bytes);
    free(data);
}
