/* build_cache.c - see builds/build_cache.h: when a build is answered, and by whom the questions about the
 * program are. */
#include "build_cache.h"
#include "../run/core/exit.h"
#include "../run/core/observer.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/io/file_store.h"
#include "../../analyzer/source/joined_source.h"
#include "helper_cache.h"
#include "compiler_heap.h"
#include "macros.h"
#include "source.h"
#include "../run/core/global_lock.h"
#include "../run/core/record.h"
#include "../run/core/recount.h"
#include "../run/core/state.h"

#define KIND           "build 3"
#define LEAST_NS       5000000 /* a build that takes less is left alone */
#define BUILDS         2       /* by the vendor, each in a run of its own, before the binary is made */
#define COUNTED        256     /* questions in one run; those beyond count each time */
#define IDENTITY_BYTES 2048

static struct cw_file_store store;

void cw_build_cache_start(const char *folder)
{
    cw_file_store_init(&store, folder);
    cw_build_cache_make_start();
}

/* ---- the store */

struct cw_run_kept_answer *cw_build_cache_read(const struct cw_run_kept_question *q)
{
    size_t bytes = 0;
    struct cw_run_kept_answer *a = cw_file_store_read(&store, &q->id, &bytes);

    if (a && bytes >= sizeof *a && a->bytes == bytes - sizeof *a)
        return a;
    free(a);
    return NULL;
}

const unsigned char *cw_build_cache_binary(const struct cw_run_kept_answer *a)
{
    return a->bytes ? (const unsigned char *)(a + 1) : NULL;
}

void cw_build_cache_write(const struct cw_run_kept_question *q, uint64_t builds, uint64_t took_ns,
                          const void *binary, size_t bytes)
{
    struct cw_run_kept_answer head = {.took_ns = took_ns, .builds = builds, .bytes = bytes};
    char *data = malloc(sizeof head + bytes), *to;

    if (!data)
        return;
    to = mempcpy(data, &head, sizeof head);
    if (bytes)
        memcpy(to, binary, bytes);
    cw_file_store_write(&store, &q->id, data, sizeof head + bytes);
    free(data);
}

/* ---- questions */

/* Everything of its build is in its source. Lock held. */
static bool is_plain(const struct cw_run_program *p)
{
    const struct cw_context_devices *s = p ? p->context->slots : NULL;

    return s && s->homes == 1 && s->slot[0].kind == CW_SLOT_HOME && p->source && !p->given &&
           !p->built_with && !p->linked && !p->compiled && !p->kernels && !cw_run.recording &&
           !cw_run.forked && !cw_joined_source_is_needed(p->source) && !strstr(p->source, "printf");
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
static bool name_question(struct cw_run_kept_question *q)
{
    char identity[IDENTITY_BYTES];

    if (!identify(q->device, identity))
        return false;
    cw_run_helper_cache_identity(&q->id, KIND, identity);
    cw_identity_text(&q->id, q->options);
    cw_identity_text(&q->id, q->source);
    return !q->id.failed;
}

/* Fills *q; false: nothing is to be done. */
static bool ask(struct cw_run_kept_question *q, cl_program program, cl_uint n, const cl_device_id *devices,
                const char *options)
{
    const struct cw_run_program *p;

    *q = (struct cw_run_kept_question){0};
    if (!*store.folder || !n != !devices || n > 1 || (options && !(q->options = strdup(options))))
        return false;
    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (is_plain(p) && (!n || devices[0] == p->context->slots->slot[0].device) &&
        (q->source = strdup(p->source))) {
        q->context = (cl_context)(uintptr_t)p->context->r.handle;
        q->device = p->context->slots->slot[0].device;
    }
    cw_run_global_lock_give();
    if (q->source && !cw_source_is_dated(q->source, options ? options : "") &&
        is_known(q->context, q->device) && name_question(q))
        return true;
    cw_build_cache_finish(q);
    return false;
}

void cw_build_cache_finish(struct cw_run_kept_question *q)
{
    cw_identity_finish(&q->id);
    free(q->options);
    free(q->source);
    q->options = q->source = NULL;
}

/* ---- stand-ins */

/* Lock not held. */
static void note_saved(cl_program program, double ns)
{
    struct cw_run_program *p;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p)
        p->kept_saved_ns = ns;
    cw_run_observer->saved(ns);
    cw_run_global_lock_give();
}

bool cw_build_cache_take(cl_program program, cl_uint n, const cl_device_id *devices, const char *options)
{
    uint64_t begin = cw_run_global_lock_now_ns();
    struct cw_run_kept_question q;
    struct cw_run_kept_answer *a;
    struct cw_run_program *p;
    cl_program stand_in = NULL;
    bool taken = false;

    if (!ask(&q, program, n, devices, options))
        return false;
    a = cw_build_cache_read(&q);
    cw_run_recount_begins();
    if (a && a->bytes)
        stand_in = cw_build_cache_make_load(&q, q.context, cw_build_cache_binary(a), a->bytes);
    cw_run_global_lock_take();
    p = stand_in ? cw_run_record_find(program, CW_RUN_PROGRAM) : NULL;
    if (p && !p->kernels && !p->kept) {
        p->kept = stand_in;
        p->kept_real = false;
        p->kept_bare = !options;
        p->context->own_objects++; /* a program retains its context */
        cw_run.counts.kept++;
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
    cw_build_cache_finish(&q);
    return taken;
}

static bool has_idle_processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
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
    struct cw_run_kept_question q;
    struct cw_run_kept_answer *a;
    uint64_t builds, took;

    if (ns < LEAST_NS || !*store.folder || !ask(&q, program, n, devices, options))
        return;
    if (is_counted(&q.id)) {
        cw_build_cache_finish(&q);
        return;
    }
    a = cw_build_cache_read(&q);
    builds = !a ? 1 : a->builds < CW_RUN_KEPT_NEVER ? a->builds + 1 : CW_RUN_KEPT_NEVER;
    took = a && a->took_ns < ns ? a->took_ns : ns;
    if (builds <= BUILDS)
        cw_build_cache_write(&q, builds, took, NULL, 0);
    else if (!a->bytes && builds < CW_RUN_KEPT_NEVER && has_idle_processors() &&
             cw_build_cache_make_quiet(program, q.device))
        cw_build_cache_make_want(&q, builds, took);
    free(a);
    cw_build_cache_finish(&q);
}

cl_program cw_build_cache_of_record(const struct cw_run_program *p)
{
    return p->kept ? p->kept : (cl_program)(uintptr_t)p->r.handle;
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
    if (!p->kept)
        return;
    cw_run_global_lock_release_later(CW_RUN_DROP_PROGRAM, p->kept);
    p->kept = NULL;
    p->context->own_objects--;
}

bool cw_build_cache_leave(cl_program program)
{
    struct cw_run_program *p;
    bool may;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    may = !p || !p->kept || !p->kernels;
    if (p && may)
        cw_build_cache_free(p);
    cw_run_global_lock_give();
    return may;
}

void cw_build_cache_make_real(cl_program program)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER; /* taken before cw_run.lock */
    struct cw_run_program *p;
    char *options = NULL;
    bool bare = false;

    pthread_mutex_lock(&making);
    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p && p->kept && !p->kept_real && p->options)
        options = strdup(p->options);
    if (options) {
        p->kept_real = true;
        cw_run_observer->saved(-p->kept_saved_ns);
        bare = p->kept_bare;
    }
    cw_run_global_lock_give();
    if (options &&
        cw_native.clBuildProgram(program, 0, NULL, bare ? NULL : options, NULL, NULL) == CL_SUCCESS)
        cw_run_exit_register();
    free(options);
    pthread_mutex_unlock(&making);
}
