/* program_binary.c - programs that are made of binaries. */
#include "program_binary.h"
#include "hooks.h"

#include <stdlib.h>

#include "../../builds/isolated_compiler.h"
#include "../code/code.h"
#include "../../programs/known_binaries.h"
#include "../../programs/program_exchange.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../models/binary.h"
#include "program.h"

/* A source that the program's binary may be from: that depends on the options. */
/* Takes `source`. NULL: there is none, or memory is out. */
static struct cw_run_match *make_match(cl_device_id device, char *source, const char *text,
                                       const unsigned char *build)
{
    struct cw_run_match *m = source && text ? malloc(sizeof *m) : NULL;

    if (!m) {
        free(source);
        return NULL;
    }
    *m = (struct cw_run_match){.device = device, .source = source, .text = strdup(text)};
    memcpy(m->build, build, sizeof m->build);
    if (m->text)
        return m;
    cw_run_object_free_match(m);
    return NULL;
}

/* The program is made of binaries whose source is not known. `source`: NULL, or one that they may be from,
 * which is its own then. */
static void remember_binary(cl_context context, cl_program program, cl_uint n, const cl_device_id *devices,
                            const size_t *bytes, const unsigned char *const *binaries, char *source)
{
    unsigned char build[CW_POCL_BINARY_BUILD] = {0};
    bool demands = false;
    char *text = cw_binary_text(n, bytes, binaries, &demands, build);
    struct cw_run_match *match = make_match(devices[0], source, text, build);
    struct cw_run_program *p;

    cw_run_global_lock_take();
    p = cw_run_program_create(context, program, n, text, NULL);
    if (p) {
        p->binary = true;
        p->demands = demands;
        p->match = match;
        match = NULL;
        text = NULL;
    }
    cw_run_global_lock_give();
    cw_run_object_free_match(match);
    free(text);
}

/* The program is that of the source (`is`), or that of the binary. Lock held. */
static void set_source(struct cw_run_program *p, bool is)
{
    if (p->binary != is)
        return;
    cw_program_source_forget(p);
    free(p->source);
    p->source = strdup(is ? p->match->source : p->match->text);
    p->binary = !is;
    p->loaded = is;
}

void cw_run_program_binary_match(cl_program program, const char *options)
{
    struct cw_run_match m = {.source = NULL};
    struct cw_run_program *p;
    bool is;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p && p->match) {
        m = *p->match;
        m.source = strdup(m.source);
    }
    cw_run_global_lock_give();
    if (!m.source)
        return;
    is = cw_binary_is_of(m.device, m.source, options, m.build);
    free(m.source);
    cw_run_global_lock_take();
    cw_run_program_settle_helpers();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p && !p->kernels) /* else the vendor refuses to build it */
        set_source(p, is);
    cw_run_global_lock_give();
}

static void search(void *cache)
{
    cw_pyopencl_cache_search(cache);
}

static char *pyopencl_source(const unsigned char *binary, size_t bytes)
{
    struct cw_pyopencl_cache cache = {binary, bytes, NULL};

    if (cw_pyopencl_cache_may_have(binary, bytes))
        cw_isolated_compiler_files(search, &cache);
    return cache.source;
}

/* The program is that of the build: a binary whose source and options are known is as good as those. */
static void remember_build(cl_context context, cl_program program, cl_uint n, const struct cw_known_build *b)
{
    char *source = strdup(b->source), *options = strdup(b->options);
    struct cw_run_program *p;

    cw_run_global_lock_take();
    p = source && options ? cw_run_program_create(context, program, n, b->linked ? NULL : source, options)
                          : NULL;
    if (p) {
        p->loaded = true;
        p->linked = b->linked ? source : NULL;
        source = options = NULL;
    }
    cw_run_global_lock_give();
    free(source);
    free(options);
}

/* The program is of binaries whose build is not known. */
static void remember_unknown(cl_context context, cl_program program, cl_uint n, const cl_device_id *ids,
                             const size_t *bytes, const unsigned char *const *binaries)
{
    char *source = n == 1 && binaries[0] ? pyopencl_source(binaries[0], bytes[0]) : NULL;

    if (source && !cw_source_is_manageable(source, "")) {
        free(source);
        source = NULL;
    }
    remember_binary(context, program, n, ids, bytes, binaries, source);
}

cl_program cw_run_hook_clCreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *ids,
                                                 const size_t *bytes, const unsigned char **binaries,
                                                 cl_int *status, cl_int *err)
{
    cl_program program = cw_native.clCreateProgramWithBinary(context, n, ids, bytes, binaries, status, err);
    struct cw_known_build *b;
    struct cw_run_context *c;
    bool managed;

    if (!program)
        return NULL;
    cw_run_global_lock_take();
    c = cw_run_record_find(context, CW_RUN_CONTEXT);
    managed = c && c->devices;
    cw_run_global_lock_give();
    if (!managed)
        return program;
    b = cw_known_binaries_find(n, ids, bytes, binaries);
    if (b && cw_source_is_manageable(b->source, b->options))
        remember_build(context, program, n, b);
    else
        remember_unknown(context, program, n, ids, bytes, binaries);
    cw_known_build_drop(b);
    return program;
}
