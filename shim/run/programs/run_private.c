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

/* Who asks how many references the program's context has is not told of ours. */
static cl_program of_binary(struct cw_run_context *c, const struct cw_run_place *place, const unsigned char *binary, size_t bytes)
{
    cl_int status, err;
    cl_program program;

    cw_run_recount_begins();
    program = cw_next.clCreateProgramWithBinary(place->context, 1, &place->slot->device, &bytes, &binary, &status, &err);
    c->own_objects += program && place->slot->home;
    cw_run_recount_ends();
    return program;
}

static cl_program of_source(struct cw_run_context *c, const struct cw_run_place *place, const char *source)
{
    cl_program program;
    cl_int err;

    cw_run_recount_begins();
    program = cw_next.clCreateProgramWithSource(place->context, 1, &source, NULL, &err);
    c->own_objects += program && place->slot->home;
    cw_run_recount_ends();
    return program;
}

/* The program, once it is built; NULL otherwise. */
static cl_program built(struct cw_run_context *c, cl_program program, const struct cw_run_place *place, const char *options)
{
    if (!program || cw_next.clBuildProgram(program, 1, &place->slot->device, options, NULL, NULL) == CL_SUCCESS)
        return program;
    cw_run_recount_begins();
    c->own_objects -= place->slot->home;
    cw_next.clReleaseProgram(program);
    cw_run_recount_ends();
    return NULL;
}

void cw_run_private_drop(struct cw_run_context *c, const struct cw_run_place *place, cl_program program)
{
    c->own_objects -= program && place->slot->home;
    cw_run_drop(CW_RUN_DROP_PROGRAM, program);
}

cl_program cw_run_private_load(struct cw_run_context *c, const struct cw_run_place *place, uint64_t key, const char *options)
{
    size_t bytes = 0;
    unsigned char *data = cw_run_cache_read(key, &bytes);
    cl_program program = data ? built(c, of_binary(c, place, data, bytes), place, options) : NULL;

    free(data);
    return program;
}

cl_program cw_run_private_build(struct cw_run_context *c, const struct cw_run_place *place, const char *source,
                                const char *options)
{
    return built(c, of_source(c, place, source), place, options);
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
