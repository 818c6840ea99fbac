/* build_cache.c - see code/build_cache.h: when a build is answered, and by whom the questions about the
 * program are. */
#include "build_cache.h"
#include "../../door/lock_order.h"
#include "../../door/thread.h"

#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/compile/requests.h"
#include "../../../analyzer/kernels/source/vendor_compiler.h"
#include "../../builds/later_builds.h"
#include "../../builds/compiler_heap.h"
#include "../../builds/macros.h"
#include "../../builds/source.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/recount.h"
#include "../core/state.h"

#define KIND           "build 3"
#define LEAST_NS       5000000 /* a build that takes less is left alone */
#define BUILDS         2       /* by the vendor, each in a run of its own, then the binary is asked for */
#define COUNTED        256     /* questions in one run; those beyond count each time */
#define IDENTITY_BYTES 2048
#define DEVICE_BYTES   1400

static struct cw_file_store store;

void cw_build_cache_start(const char *folder)
{
    cw_file_store_init(&store, folder);
}

/* A question that was answered before, or may be. All of it is malloc'ed. */
struct question {
    struct cw_identity id;
    cl_context context;
    cl_device_id device;
    char *options, *source; /* options: NULL where the program has given none */
};

/* ---- questions */

/* Nothing but its source and its options makes its build. Lock held. */
static bool is_plain(const struct cw_run_program *p)
{
    const struct cw_context_devices *s = p ? p->context->devices : NULL;

    return s && s->homes == 1 && s->device[0].kind == CW_DEVICE_KIND_HOME && p->source && !p->binary &&
           !p->loaded && !p->given && !p->built_with && !p->linked && !p->compiled && !p->kernels &&
           !cw_run.recording && !cw_run.forked;
}

/* A whole device whose builds are understood, the only one of its context. */
static bool is_known(cl_context context, cl_device_id device)
{
    cl_device_id parent = NULL;
    cl_uint devices = 0;

    return cw_device_traits(device) & CW_VENDOR_COMPILES_IN_PROCESS &&
           cw_next.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) ==
               CL_SUCCESS &&
           !parent &&
           cw_next.clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof devices, &devices, NULL) ==
               CL_SUCCESS &&
           devices == 1;
}

static bool identify(cl_device_id device, char text[IDENTITY_BYTES])
{
    struct cw_run_compilers c = {.n = 0};
    size_t used;

    if (!cw_macros_compilers_add(&c, device) || !cw_macros_compilers_identity(&c, text, IDENTITY_BYTES - 256))
        return false;
    used = strlen(text); /* leaves out the names of PoCL's drivers */
    return cw_next.clGetDeviceInfo(device, CL_DEVICE_VERSION, 255, text + used, NULL) == CL_SUCCESS;
}

/* Sets q->id from its other members. */
static bool name_question(struct question *q)
{
    char identity[IDENTITY_BYTES];

    if (!identify(q->device, identity))
        return false;
    cw_run_helper_cache_identity(&q->id, KIND, identity);
    cw_identity_text(&q->id, q->options);
    cw_identity_text(&q->id, q->source);
    return !q->id.failed;
}

static void finish(struct question *q)
{
    cw_identity_finish(&q->id);
    free(q->options);
    free(q->source);
    q->options = q->source = NULL;
}

/* Fills *q; false: nothing is to be done. */
static bool ask(struct question *q, cl_program program, cl_uint n, const cl_device_id *devices,
                const char *options)
{
    const struct cw_run_program *p;

    *q = (struct question){0};
    if (!*store.folder || !n != !devices || n > 1 || (options && !(q->options = strdup(options))))
        return false;
    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (is_plain(p) && (!n || devices[0] == p->context->devices->device[0].device) &&
        (q->source = strdup(p->source))) {
        q->context = (cl_context)(uintptr_t)p->context->r.handle;
        q->device = p->context->devices->device[0].device;
    }
    cw_run_global_lock_give();
    if (q->source && cw_source_says_all(q->source, options) && is_known(q->context, q->device) &&
        name_question(q))
        return true;
    finish(q);
    return false;
}

/* ---- stand-ins */

/* A program of that binary, built; NULL: the vendor does not take it. */
static cl_program load(const struct question *q, const struct cw_stand_in *a)
{
    const unsigned char *binary = cw_stand_in_binary(a);
    size_t bytes = a->bytes;
    cl_int status, err;
    cl_program p =
        cw_next.clCreateProgramWithBinary(q->context, 1, &q->device, &bytes, &binary, &status, &err);

    if (p && cw_next.clBuildProgram(p, 1, &q->device, q->options, NULL, NULL) == CL_SUCCESS)
        return p;
    if (p)
        cw_next.clReleaseProgram(p);
    return NULL;
}

/* Lock not held. */
static void note_saved(cl_program program, double ns)
{
    struct cw_run_program *p;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p)
        p->cached_saved_ns = ns;
    cw_run_account.saved_ns += ns;
    cw_run_global_lock_give();
}

bool cw_build_cache_take(cl_program program, cl_uint n, const cl_device_id *devices, const char *options)
{
    uint64_t begin = cw_run_global_lock_now_ns();
    struct question q;
    struct cw_stand_in *a;
    struct cw_run_program *p;
    cl_program stand_in = NULL;
    bool taken = false;

    if (!ask(&q, program, n, devices, options))
        return false;
    a = cw_stand_in_read(&store, &q.id);
    cw_run_recount_begins();
    if (a && a->bytes)
        stand_in = load(&q, a);
    cw_run_global_lock_take();
    p = stand_in ? cw_run_record_find(program, CW_RUN_PROGRAM) : NULL;
    if (p && !p->kernels && !p->cached) {
        p->cached = stand_in;
        p->cached_real = false;
        p->cached_bare = !options;
        p->context->own_objects++; /* a program retains its context */
        cw_run.counts.cached++;
        taken = true;
    }
    cw_run_global_lock_give();
    if (stand_in && !taken)
        cw_next.clReleaseProgram(stand_in);
    cw_run_recount_ends();
    if (taken) {
        cw_compiler_heap_warm();
        note_saved(program, (double)a->took_ns - (double)(cw_run_global_lock_now_ns() - begin));
    }
    free(a);
    finish(&q);
    return taken;
}

/* The compiler was quiet: it says some things on stderr, which must be heard in each run. */
static bool is_quiet(cl_program program, cl_device_id device)
{
    size_t bytes = 0;

    return cw_next.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) ==
               CL_SUCCESS &&
           bytes <= 1;
}

static void ask_for_stand_in(const struct question *q, const struct cw_stand_in *head)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    char device[DEVICE_BYTES];

    if (cw_vendor_describe_driver(&calls, q->device, device, sizeof device))
        cw_later_builds_ask(&(struct cw_request){.kind = CW_REQUEST_STAND_IN,
                                                 .result = q->id,
                                                 .device = device,
                                                 .source = q->source,
                                                 .options = q->options,
                                                 .took_ns = head->took_ns,
                                                 .builds = head->builds});
}

/* This process has counted it, which is one run. */
static bool is_counted(const struct cw_identity *id)
{
    static struct cw_identity_set questions;
    bool counted;

    cw_run_global_lock_take();
    counted = cw_identity_set_find(&questions, id) != CW_IDENTITY_NONE;
    if (!counted && questions.n < COUNTED)
        cw_identity_set_add(&questions, id);
    cw_run_global_lock_give();
    return counted;
}

void cw_build_cache_built(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                          uint64_t ns)
{
    struct cw_stand_in *a, now = {.took_ns = ns, .builds = 1};
    struct question q;

    if (ns < LEAST_NS || !*store.folder || !ask(&q, program, n, devices, options))
        return;
    if (is_counted(&q.id)) {
        finish(&q);
        return;
    }
    a = cw_stand_in_read(&store, &q.id);
    if (a && a->took_ns < ns)
        now.took_ns = a->took_ns;
    if (a)
        now.builds = a->builds < CW_STAND_IN_NEVER ? a->builds + 1 : CW_STAND_IN_NEVER;
    if (now.builds <= BUILDS)
        cw_stand_in_write(&store, &q.id, &now, NULL);
    if (now.builds >= BUILDS && now.builds < CW_STAND_IN_NEVER && !(a && a->bytes) &&
        is_quiet(program, q.device))
        ask_for_stand_in(&q, &now);
    free(a);
    finish(&q);
}

cl_program cw_build_cache_of_record(const struct cw_run_program *p)
{
    return p->cached ? p->cached : (cl_program)(uintptr_t)p->r.handle;
}

cl_program cw_build_cache_of(cl_program program)
{
    const struct cw_run_program *p;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p)
        program = cw_build_cache_of_record(p);
    cw_run_global_lock_give();
    return program;
}

cl_program cw_build_cache_asked(cl_program program, cl_program_info name)
{
    cl_program stand_in = cw_build_cache_of(program);

    if (stand_in == program)
        return program;
    switch (name) {
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
        return stand_in;
    case CL_PROGRAM_REFERENCE_COUNT:
    case CL_PROGRAM_CONTEXT:
    case CL_PROGRAM_NUM_DEVICES:
    case CL_PROGRAM_DEVICES:
    case CL_PROGRAM_SOURCE:
        return program;
    default:
        cw_build_cache_make_real(program);
        return program;
    }
}

void cw_build_cache_free(struct cw_run_program *p)
{
    if (!p->cached)
        return;
    cw_run_global_lock_release_later(CW_RUN_DROP_PROGRAM, p->cached);
    p->cached = NULL;
    p->context->own_objects--;
}

bool cw_build_cache_leave(cl_program program)
{
    struct cw_run_program *p;
    bool may;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    may = !p || !p->cached || !p->kernels;
    if (p && may)
        cw_build_cache_free(p);
    cw_run_global_lock_give();
    return may;
}

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&making, BUILD)

void cw_build_cache_make_real(cl_program program)
{
    struct cw_run_program *p;
    char *options = NULL;
    bool bare = false;

    pthread_mutex_lock(&making);
    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p && p->cached && !p->cached_real && p->options)
        options = strdup(p->options);
    if (options) {
        p->cached_real = true;
        cw_run_account.saved_ns -= p->cached_saved_ns;
        bare = p->cached_bare;
    }
    cw_run_global_lock_give();
    if (options &&
        cw_native.clBuildProgram(program, 0, NULL, bare ? NULL : options, NULL, NULL) == CL_SUCCESS)
        cw_exit_register();
    free(options);
    pthread_mutex_unlock(&making);
}
