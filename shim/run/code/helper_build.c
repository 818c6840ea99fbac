/* helper_build.c - see code/code.h. */
#include "code.h"

#include <stdlib.h>
#include <string.h>
#include "../../../analyzer/kernels/source/vendor_compiler.h"
#include "../../builds/later_builds.h"
#include "../../door/lock.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/recount.h"

#define KIND         "program 2"
#define DEVICE_BYTES 1400

/* Of a binary; the caller's to finish. */
static struct cw_identity identity_of(cl_device_id device, const struct cw_run_recipe *recipe)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    struct cw_identity id = {.failed = true};
    char text[DEVICE_BYTES];

    if (!cw_vendor_describe_driver(&calls, device, text, sizeof text))
        return id;
    cw_run_helper_cache_identity(&id, KIND, text);
    cw_identity_text(&id, recipe->options);
    cw_identity_text(&id, recipe->source);
    return id;
}

void cw_helper_build_drop(struct cw_run_context *c, const struct cw_run_context_device *place,
                          cl_program program)
{
    c->own_objects -= program && place->device->home;
    cw_run_global_lock_release_later(CW_RUN_DROP_PROGRAM, program);
}

/* A program under way in the isolated compiler (builds/isolated_compiler.h). A thread that is left to itself
 * may be at it when the program has released the context. */
struct making {
    struct making *next;
    struct cw_run_context *c; /* counts the objects here; NULL: it is gone, or the context is a helper's */
    cl_context context;       /* retained, as `device` is */
    cl_device_id device;
    char *source, *options;
    cl_program program;
};

static struct making *under_way;
static cw_lock lock; /* of that list, and of `c` in it */

/* Own objects are subtracted when the program asks for its context's reference count. */
static void count(const struct making *m, int objects)
{
    cw_lock_take(&lock);
    if (m->c)
        m->c->own_objects += (uint32_t)objects;
    cw_lock_free(&lock);
}

void cw_helper_build_disown(const struct cw_run_context *c)
{
    cw_lock_take(&lock);
    for (struct making *m = under_way; m; m = m->next)
        if (m->c == c)
            m->c = NULL;
    cw_lock_free(&lock);
}

void cw_helper_build_after_fork(void)
{
    cw_lock_free(&lock);
}

static cl_program of_binary(const struct making *m, const unsigned char *binary, size_t bytes)
{
    cl_int status, err;
    cl_program program;

    cw_run_recount_begins();
    program = cw_next.clCreateProgramWithBinary(m->context, 1, &m->device, &bytes, &binary, &status, &err);
    count(m, program != NULL);
    cw_run_recount_ends();
    return program;
}

static cl_program of_source(const struct making *m)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    cl_program program;
    cl_int err;

    cw_run_recount_begins();
    program = cw_vendor_program(&calls, m->context, m->device, m->source, &err);
    count(m, program != NULL);
    cw_run_recount_ends();
    return program;
}

static void release(const struct making *m, cl_program program)
{
    cw_run_recount_begins();
    count(m, -1);
    cw_next.clReleaseProgram(program);
    cw_run_recount_ends();
}

/* The program, once it is built; NULL otherwise. */
static cl_program built(const struct making *m, cl_program program)
{
    if (!program || cw_next.clBuildProgram(program, 1, &m->device, m->options, NULL, NULL) == CL_SUCCESS)
        return program;
    release(m, program);
    return NULL;
}

static void load(void *data)
{
    struct making *m = data;
    struct cw_identity id = identity_of(m->device, &(struct cw_run_recipe){m->source, m->options});
    size_t bytes = 0;
    unsigned char *binary = cw_helper_cache_read(&id, &bytes);

    m->program = binary ? built(m, of_binary(m, binary, bytes)) : NULL;
    free(binary);
    cw_identity_finish(&id);
}

static void build(void *data)
{
    struct making *m = data;

    m->program = built(m, of_source(m));
}

static void begin(struct making *m)
{
    cw_context_devices_hold(m->device);
    cw_run_recount_begins();
    cw_next.clRetainContext(m->context);
    cw_lock_take(&lock);
    m->next = under_way;
    under_way = m;
    cw_lock_free(&lock);
    count(m, 1);
    cw_run_recount_ends();
}

static void forget(void *data)
{
    struct making *m = data, **at = &under_way;

    if (m->program)
        release(m, m->program);
    cw_run_recount_begins();
    count(m, -1);
    cw_next.clReleaseContext(m->context);
    cw_run_recount_ends();
    cw_context_devices_let_go(m->device);
    cw_lock_take(&lock);
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    cw_lock_free(&lock);
    free(m->source);
    free(m->options);
    free(m);
}

static cl_program make(struct cw_run_context *c, const struct cw_run_context_device *place,
                       const struct cw_run_recipe *recipe, void (*body)(void *))
{
    struct making *m = calloc(1, sizeof *m);
    cl_program program = NULL;

    if (!m)
        return NULL;
    *m = (struct making){.c = place->device->home ? c : NULL,
                         .context = place->context,
                         .device = place->device->device,
                         .source = strdup(recipe->source),
                         .options = strdup(recipe->options)};
    begin(m);
    if (!m->source || !m->options) {
        forget(m);
    } else if (cw_isolated_compiler_call(m->device, body, m, forget)) {
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
    return !cw_run_fault_asks_now(CW_RUN_FAULT_UNMADE) &&
                   cw_isolated_compiler_build_ahead(place->device->device, recipe) == CL_SUCCESS
               ? make(c, place, recipe, build)
               : NULL;
}

static bool is_stored(const struct cw_identity *id)
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

    if (cw_vendor_describe_driver(&calls, place->device->device, device, sizeof device) &&
        cw_device_has(place->device, CW_VENDOR_COMPILES_IN_PROCESS)) {
        q.units = cw_isolated_compiler_units(place->device->device);
        q.result = identity_of(place->device->device, recipe);
        good = is_stored(&q.result) || cw_later_builds_ask(&q);
        cw_identity_finish(&q.result);
    }
    return good;
}
