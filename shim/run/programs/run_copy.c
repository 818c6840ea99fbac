/* run_copy.c - private copies of the program's programs on helpers: from a binary of an earlier run, or built.
 *
 * They are built with a definition that the program's own do not have, so that the vendor takes their kernels for others:
 * launches of one kernel may abort PoCL when they meet (run_flight.c). */
#include "run_cache.h"
#include "../hooks/run_hooks.h"
#include "../lanes/run_build.h"
#include "../lanes/run_room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART "-w -DCW_RUN_HELPER=1 " /* -w: PoCL says on stderr how many warnings there were */

static uint64_t key_of(const struct cw_run_program *p, const struct cw_run_place *place)
{
    char device[512] = "";
    size_t used;

    cw_next.clGetDeviceInfo(place->slot->device, CL_DEVICE_NAME, 256, device, NULL);
    used = strlen(device);
    cw_next.clGetDeviceInfo(place->slot->device, CL_DEVICE_VERSION, sizeof device - used - 1, device + used + 1, NULL);
    device[used] = '/'; /* "name/OpenCL 3.0 PoCL ..." */
    return cw_run_cache_key(device, p->hash + 1); /* + 1: APART */
}

/* The program, once it is built; NULL otherwise. */
static cl_program built(cl_program program, const struct cw_run_program *p, const struct cw_run_place *place)
{
    const char *theirs = p->options ? p->options : "";
    size_t bytes = sizeof APART + strlen(theirs);
    char *options = malloc(bytes);
    cl_int err = CL_OUT_OF_HOST_MEMORY;

    if (program && options) {
        snprintf(options, bytes, "%s%s", APART, theirs);
        err = cw_next.clBuildProgram(program, 1, &place->slot->device, options, NULL, NULL);
    }
    free(options);
    if (err == CL_SUCCESS)
        return program;
    if (program)
        cw_next.clReleaseProgram(program);
    return NULL;
}

static cl_program from_binary(const struct cw_run_program *p, const struct cw_run_place *place, uint64_t key)
{
    size_t bytes = 0;
    unsigned char *data = cw_run_cache_read(key, &bytes);
    const unsigned char *binary = data;
    cl_program program = NULL;
    cl_int status, err;

    if (data)
        program = cw_next.clCreateProgramWithBinary(place->context, 1, &place->slot->device, &bytes, &binary, &status, &err);
    program = built(program, p, place);
    free(data);
    return program;
}

static void keep(cl_program program, uint64_t key)
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

bool cw_run_copy_load(struct cw_run_program *p, struct cw_run_place *place)
{
    cl_program *copy = &p->copies[place->lane->number];

    if (!*copy && p->hash && cw_run_room() && cw_run_place_queue(p->context, place) && cw_run_build_begins()) {
        *copy = from_binary(p, place, key_of(p, place));
        cw_run_build_ends();
    }
    return *copy;
}

cl_program cw_run_program_copy(struct cw_run_program *p, struct cw_run_place *place)
{
    cl_program *copy = &p->copies[place->lane->number];
    const char *source = p->source;
    cl_int err;

    if (*copy || cw_run_copy_load(p, place) || !cw_run_room() || !cw_run_place_queue(p->context, place) || !cw_run_build_begins())
        return *copy;
    *copy = built(cw_next.clCreateProgramWithSource(place->context, 1, &source, NULL, &err), p, place);
    if (*copy && p->hash)
        keep(*copy, key_of(p, place));
    cw_run_build_ends();
    return *copy;
}
