/* helper_build.c - see builds/helper_build.h. */
#include "helper_build.h"

#include <stdlib.h>
#include <string.h>
#include "../../analyzer/source/vendor_compiler.h"
#include "helper_cache.h"
#include "later_builds.h"
#include "../run/core/global_lock.h"
#include "../run/core/record.h"
#include "../run/core/recount.h"

#define KIND         "program 2"
#define DEVICE_BYTES 1400

/* Of a binary; the caller's to finish. */
static struct cw_identity identity_of(const struct cw_run_context_device *place,
                                      const struct cw_run_recipe *recipe)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    struct cw_identity id = {.failed = true};
    char device[DEVICE_BYTES];

    if (!cw_vendor_describe_driver(&calls, place->slot->device, device, sizeof device))
        return id;
    cw_run_helper_cache_identity(&id, KIND, device);
    cw_identity_text(&id, recipe->options);
    cw_identity_text(&id, recipe->source);
    return id;
}

/* Own objects are subtracted when the program asks for its context's reference count. */
static cl_program of_binary(struct cw_run_context *c, const struct cw_run_context_device *place,
                            const unsigned char *binary, size_t bytes)
{
    cl_int status, err;
    cl_program program;

    cw_run_recount_begins();
    program = cw_next.clCreateProgramWithBinary(place->context, 1, &place->slot->device, &bytes, &binary,
                                                &status, &err);
    c->own_objects += program && place->slot->home;
    cw_run_recount_ends();
    return program;
}

static cl_program of_source(struct cw_run_context *c, const struct cw_run_context_device *place,
                            const char *source)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    cl_program program;
    cl_int err;

    cw_run_recount_begins();
    program = cw_vendor_program(&calls, place->context, place->slot->device, source, &err);
    c->own_objects += program && place->slot->home;
    cw_run_recount_ends();
    return program;
}

/* The program, once it is built; NULL otherwise. */
static cl_program built(struct cw_run_context *c, cl_program program,
                        const struct cw_run_context_device *place, const char *options)
{
    if (!program ||
        cw_next.clBuildProgram(program, 1, &place->slot->device, options, NULL, NULL) == CL_SUCCESS)
        return program;
    cw_run_recount_begins();
    c->own_objects -= place->slot->home;
    cw_next.clReleaseProgram(program);
    cw_run_recount_ends();
    return NULL;
}

void cw_helper_build_drop(struct cw_run_context *c, const struct cw_run_context_device *place,
                          cl_program program)
{
    c->own_objects -= program && place->slot->home;
    cw_run_global_lock_release_later(CW_RUN_DROP_PROGRAM, program);
}

/* A program under way in the isolated compiler (builds/isolated_compiler.h). */
struct making {
    struct cw_run_context *c; /* pinned */
    const struct cw_run_context_device *place;
    char *source, *options;
    cl_program program;
};

static void load(void *data)
{
    struct making *m = data;
    struct cw_identity id = identity_of(m->place, &(struct cw_run_recipe){m->source, m->options});
    size_t bytes = 0;
    unsigned char *binary = cw_helper_cache_read(&id, &bytes);

    m->program = binary ? built(m->c, of_binary(m->c, m->place, binary, bytes), m->place, m->options) : NULL;
    free(binary);
    cw_identity_finish(&id);
}

static void build(void *data)
{
    struct making *m = data;

    m->program = built(m->c, of_source(m->c, m->place, m->source), m->place, m->options);
}

static void forget(void *data)
{
    struct making *m = data;

    cw_run_global_lock_take();
    cw_helper_build_drop(m->c, m->place, m->program);
    cw_run_record_unpin(&m->c->r);
    cw_run_global_lock_give();
    free(m->source);
    free(m->options);
    free(m);
}

static cl_program make(struct cw_run_context *c, const struct cw_run_context_device *place,
                       const struct cw_run_recipe *recipe, void (*body)(void *))
{
    struct making *m = malloc(sizeof *m);
    cl_program program = NULL;

    if (!m)
        return NULL;
    *m = (struct making){c, place, strdup(recipe->source), strdup(recipe->options), NULL};
    cw_run_global_lock_take();
    cw_run_record_pin(&c->r);
    cw_run_global_lock_give();
    if (!m->source || !m->options) {
        forget(m);
    } else if (cw_isolated_compiler_call(place->slot->device, body, m, forget)) {
        program = m->program;
        m->program = NULL;
        forget(m);
    }
    return program;
}

cl_program cw_helper_build_load(struct cw_run_context *c, const struct cw_run_context_device *place,
                                const struct cw_run_recipe *recipe)
{
    return make(c, place, recipe, load);
}

cl_program cw_helper_build_build(struct cw_run_context *c, const struct cw_run_context_device *place,
                                 const struct cw_run_recipe *recipe)
{
    return cw_isolated_compiler_build_ahead(place, recipe) == CL_SUCCESS ? make(c, place, recipe, build)
                                                                         : NULL;
}

static bool is_kept(const struct cw_identity *id)
{
    size_t bytes;
    unsigned char *binary = cw_helper_cache_read(id, &bytes);

    free(binary);
    return binary;
}

bool cw_helper_build_ask(const struct cw_run_context_device *place, const struct cw_run_recipe *recipe)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    char device[DEVICE_BYTES];
    struct cw_request q = {
        .kind = CW_REQUEST_PROGRAM, .device = device, .source = recipe->source, .options = recipe->options};
    bool good = false;

    if (cw_vendor_describe_driver(&calls, place->slot->device, device, sizeof device) &&
        cw_device_has(place->slot, CW_VENDOR_COMPILES_IN_PROCESS)) {
        q.units = cw_isolated_compiler_units(place->slot->device);
        q.result = identity_of(place, recipe);
        good = is_kept(&q.result) || cw_later_builds_ask(&q);
        cw_identity_finish(&q.result);
    }
    return good;
}
