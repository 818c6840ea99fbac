/* program.c - programs: their source, the checks of it, and helper programs. */
#include "../../programs/known_binaries.h"
#include "../models/headers.h"
#include "../models/known.h"
#include "../../door/thread.h"
#include "hooks.h"
#include "../tiles/share.h"
#include "../code/build_cache.h"
#include "../models/program_models.h"
#include "../groups/group.h"
#include "../tiles/tile.h"

#include <stdlib.h>

#include "../../../analyzer/kernels/source/cl_source.h"
#include "../code/code.h"
#include "program.h"
#include "program_binary.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../windows/window.h"

static bool is_part(const struct cw_run_context *c, cl_uint devices)
{
    return devices && devices < c->devices->homes;
}

struct cw_run_program *cw_run_program_create(cl_context context, cl_program program, cl_uint devices,
                                             char *source, char *built_with)
{
    struct cw_run_context *c = cw_run_record_find(context, CW_RUN_CONTEXT);
    struct cw_run_program *p = c && c->devices ? cw_run_object_create(program, CW_RUN_PROGRAM) : NULL;

    if (!p)
        return NULL;
    p->context = c;
    cw_run_record_pin(&c->r);
    p->source = source;
    p->built_with = built_with;
    p->partly = is_part(c, devices);
    p->copies = calloc(CW_RUN_WORKERS, sizeof *p->copies);
    return p;
}

static bool remember(cl_context context, cl_program program, cl_uint devices, char *source)
{
    return source && cw_run_program_create(context, program, devices, source, NULL);
}

cl_program cw_run_hook_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                                 const size_t *lengths, cl_int *err)
{
    cl_program program = cw_native.clCreateProgramWithSource(context, count, strings, lengths, err);
    char *source;

    if (!program)
        return NULL;
    source = cw_source_join(count, strings, lengths);
    cw_run_global_lock_take();
    if (remember(context, program, 0, source))
        source = NULL;
    cw_run_global_lock_give();
    free(source);
    return program;
}

void cw_run_program_linked(cl_context context, cl_program program, cl_uint devices, char *source,
                           char *options, bool doubtful)
{
    struct cw_run_program *p;

    cw_run_global_lock_take();
    if (remember(context, program, devices, source)) {
        p = cw_run_record_find(program, CW_RUN_PROGRAM);
        p->options = options;
        p->linked = doubtful ? source : NULL;
        p->source = doubtful ? NULL : source;
        cw_run_program_takes_module(p);
        cw_run_program_models_want(p, source, options);
        if (cw_run.eager)
            cw_run_program_models_wait(p);
        source = options = NULL;
    }
    cw_run_global_lock_give();
    free(source);
    free(options);
}

CW_RUN_RETAIN(clRetainProgram, cl_program, CW_RUN_PROGRAM)
CW_RUN_RELEASE(clReleaseProgram, cl_program, CW_RUN_PROGRAM)

static bool all_over(const void *unused)
{
    (void)unused;
    return !cw_run.unfinished && !cw_run.preparing;
}

static bool none_prepares(const void *unused)
{
    (void)unused;
    return !cw_run.preparing;
}

void cw_run_program_settle_helpers(void)
{
    if (cw_run.preparing)
        cw_run_help(NULL, 0, none_prepares, NULL);
}

void cw_run_program_settle(cl_program program)
{
    struct cw_run_program *p;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p && p->r.busy) {
        cw_run_window_close();
        cw_run_help(NULL, 0, all_over, NULL);
    }
    cw_run_global_lock_give();
    if (p)
        cw_run_recount_settle(); /* clones of its kernels, which others may be releasing */
}

/* Begins the models of its kernels, which are made while the vendor builds. `joined`: the source with its
 * headers, NULL: without. */
static void begin_models(cl_program program, const char *joined, const char *options)
{
    struct cw_run_program *p;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p && options)
        cw_run_program_models_want(p,
                                   joined     ? joined
                                   : p->given ? p->given
                                              : cw_run_program_text(p),
                                   p->built_with ? p->built_with : options);
    cw_run_global_lock_give();
}

uint32_t cw_run_program_build_begins(cl_program program)
{
    struct cw_run_program *p;
    uint32_t number;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    number = p ? ++p->builds : 0;
    cw_run_global_lock_give();
    return number;
}

void cw_run_program_build_refused(cl_program program, uint32_t number)
{
    struct cw_run_program *p;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p && p->built + 1 == number)
        p->built = number;
    cw_run_global_lock_give();
}

/* By the vendor, or from the build cache of earlier runs. */
static cl_int build(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                    void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    uint64_t begin = cw_run_global_lock_now_ns();
    cl_int err;

    if (!notify && cw_build_cache_take(program, n, devices, options))
        return CL_SUCCESS;
    err = cw_native.clBuildProgram(program, n, devices, options, notify, data);
    if (!notify && err == CL_SUCCESS)
        cw_build_cache_built(program, n, devices, options, cw_run_global_lock_now_ns() - begin);
    return err;
}

cl_int cw_run_hook_clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                                  const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                  void *data)
{
    char *copy = strdup(options ? options : ""), *before = NULL, *after = NULL;
    struct cw_run_program *p;
    uint32_t number;
    cl_int err;

    cw_run_program_settle(program);
    if (!n != !devices || (!notify && data)) { /* the vendor says so, before it says that there are kernels */
        free(copy);
        return cw_native.clBuildProgram(program, n, devices, options, notify, data);
    }
    if (!cw_build_cache_leave(program)) {
        free(copy);
        return CL_INVALID_OPERATION;
    }
    cw_run_program_binary_match(program, options);
    if (copy && !notify)
        before = cw_headers_join(program, copy);
    begin_models(program, before, copy);
    number = cw_run_program_build_begins(program);
    err = build(program, n, devices, options, notify, data);
    if (err == CL_INVALID_OPERATION)
        cw_run_program_build_refused(program, number);
    if (before && err == CL_SUCCESS)
        after = cw_headers_join(program, copy);
    cw_exit_register(); /* a compiler has woken up: its things must outlive the builds of our
                                      workers */
    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p && err != CL_SUCCESS) {
        cw_run_program_models_forget(p);
        p = NULL;
    }
    if (p && cw_run.eager)
        cw_run_program_models_wait(p);
    if (p)
        cw_run_program_settle_helpers();
    if (p) {
        cw_headers_take(p, before, after);
        before = after = NULL;
        p->partly |= is_part(p->context, n);
        p->built = number;
        free(p->options);
        p->options = p->built_with ? strdup(p->built_with) : copy;
        copy = p->built_with ? copy : NULL;
        cw_program_source_forget(p);
        cw_run_object_forget_copies(p);
        cw_run_group_history_foresee_group(p);
        if (p->models)
            cw_run_share_prepare(p);
    }
    cw_run_global_lock_give();
    free(before);
    free(after);
    free(copy);
    return err;
}

/* The latest build of the program, and *number, its number; NULL: not known. Lock not held. */
static struct cw_known_build *build_of(cl_program program, uint32_t *number)
{
    struct cw_known_build *b = NULL;
    const struct cw_run_program *p;

    *number = 0;
    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p && !p->binary && p->built == p->builds && p->options && cw_run_program_text(p)) {
        b = cw_known_build_new(cw_run_program_text(p), p->options, !p->source);
        *number = p->built;
    }
    cw_run_global_lock_give();
    return b;
}

/* Asks for binaries, and keeps the build that they are from, where no other one has begun meanwhile. */
static cl_int fetch_binaries(cl_program program, size_t capacity, void *to, size_t *bytes)
{
    uint32_t number, then;
    struct cw_known_build *b = build_of(program, &number), *after;
    cl_int err = cw_native.clGetProgramInfo(program, CL_PROGRAM_BINARIES, capacity, to, bytes);

    after = build_of(program, &then);
    if (err == CL_SUCCESS && b && after && number == then)
        cw_known_binaries_fetched(b, program, capacity, to);
    cw_known_build_drop(b);
    cw_known_build_drop(after);
    return err;
}

cl_int cw_run_hook_clGetProgramInfo(cl_program program, cl_program_info name, size_t capacity, void *to,
                                    size_t *bytes)
{
    cl_program asked = cw_build_cache_asked(program, name);
    cl_int err = name == CL_PROGRAM_BINARIES && to
                     ? fetch_binaries(program, capacity, to, bytes)
                     : cw_native.clGetProgramInfo(asked, name, capacity, to, bytes);
    struct cw_run_program *p;
    struct cw_run_recount r;
    cl_uint count;

    if (err != CL_SUCCESS || name != CL_PROGRAM_REFERENCE_COUNT || !to)
        return err;
    for (cw_run_recount_read(&r); cw_run_recount_again(&r);) {
        cw_next.clGetProgramInfo(program, name, sizeof count, &count, NULL);
        p = cw_run_record_find(program, CW_RUN_PROGRAM);
        count -= p ? p->own_kernels + cw_run_record_hidden_references(&p->r) : 0;
        count += p && p->cached ? p->kernels : 0; /* each retains it */
    }
    memcpy(to, &count, sizeof count);
    return err;
}

cl_int cw_run_hook_clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name,
                                         size_t capacity, void *to, size_t *bytes)
{
    cl_program asked = cw_build_cache_of(program);

    if (asked != program && name != CL_PROGRAM_BUILD_STATUS && name != CL_PROGRAM_BUILD_OPTIONS &&
        name != CL_PROGRAM_BUILD_LOG && name != CL_PROGRAM_BINARY_TYPE) {
        cw_build_cache_make_real(program);
        asked = program;
    }
    return cw_native.clGetProgramBuildInfo(asked, device, name, capacity, to, bytes);
}
