/* calls.c - calls that no command stands for: their names, times and errors.
 *
 * Commands and waits have records of their own. For each other function there is one here that makes the call
 * through the mode's hook, so a record's times hold that hook's, too. */
#include "recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Objects that the program uses behind its last release, and events that it keeps or never uses. */

enum { MOST_SEQS = 65536 }; /* commands that are named as those of kept events */

static _Atomic uint64_t user_events, unused; /* made; events that nothing has used, of those let go */

void cw_calls_stale_after_fork(void)
{
    user_events = unused = 0;
}

void cw_calls_stale_note(const void *handle, enum cw_log_object kind, uint64_t command, uint32_t function)
{
    struct cw_rec r;
    uint32_t id, released, site = 0;
    uint64_t seq;

    if (!cw_object_take_released(handle, kind, &id, &seq, &released))
        return;
    if (!command) {
        cw_calls_describe(function);
        site = cw_callsite_unwound();
    }
    cw_log_rec_begin(&r);
    cw_rec_u(&r, kind);
    if (kind == CW_LOG_O_EVENT)
        cw_rec_s(&r, (int64_t)(seq - r.seq));
    else
        cw_rec_u(&r, id);
    cw_rec_u(&r, command);
    cw_rec_u(&r, command ? 0 : (uint64_t)function + 1);
    cw_rec_u(&r, cw_now_ns());
    cw_rec_u(&r, site);
    cw_rec_u(&r, released);
    cw_log_rec_commit(&r, CW_LOG_STALE);
}

static void cw_calls_stale_note_any(const void *handle, uint32_t function)
{
    static const enum cw_log_object kinds[] = {CW_LOG_O_CONTEXT, CW_LOG_O_QUEUE,   CW_LOG_O_MEMORY,
                                               CW_LOG_O_SAMPLER, CW_LOG_O_PROGRAM, CW_LOG_O_KERNEL,
                                               CW_LOG_O_EVENT};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        cw_calls_stale_note(handle, kinds[i], 0, function);
}

void cw_calls_stale_user_event(void)
{
    atomic_fetch_add_explicit(&user_events, 1, memory_order_relaxed);
}

static bool is_unused(const struct cw_object *o)
{
    return !(o->flags & (CW_OBJECT_USED | CW_OBJECT_SEEN_COMPLETE | CW_OBJECT_UNKNOWN_EVENT));
}

void cw_calls_stale_event_released(const struct cw_object *o)
{
    if (CW_UNLIKELY(is_unused(o)))
        atomic_fetch_add_explicit(&unused, 1, memory_order_relaxed);
}

/* ---- the end */

struct found {
    uint64_t user_events, commands, unused;
    uint64_t *seqs; /* of the first MOST_KEPT commands; NULL: memory is out */
};

static void visit(struct cw_object *o, void *context)
{
    struct found *k = context;

    if (o->generation != cw_log_generation || o->flags & CW_OBJECT_UNKNOWN_EVENT)
        return;
    k->unused += is_unused(o);
    if (o->flags & CW_OBJECT_USER_EVENT) {
        k->user_events++;
        return;
    }
    if (k->seqs && k->commands < MOST_SEQS)
        k->seqs[k->commands] = o->seq;
    k->commands++;
}

void cw_calls_stale_write_events(void)
{
    static uint32_t written; /* the generation of the log that has the record */
    int saved = errno;
    struct found k = {.seqs = malloc(MOST_SEQS * sizeof *k.seqs)};
    struct cw_rec r;

    if (written != cw_log_generation) {
        written = cw_log_generation;
        cw_object_each(CW_LOG_O_EVENT, visit, &k);
        cw_log_rec_begin(&r);
        cw_rec_u(&r, user_events);
        cw_rec_u(&r, k.user_events);
        cw_rec_u(&r, unused + k.unused);
        cw_rec_u(&r, k.commands);
        uint64_t named = !k.seqs ? 0 : k.commands < MOST_SEQS ? k.commands : MOST_SEQS;
        cw_rec_u(&r, named);
        for (uint64_t i = 0; i < named; i++)
            cw_rec_s(&r, (int64_t)(k.seqs[i] - r.seq));
        cw_log_rec_commit(&r, CW_LOG_EVENTS);
    }
    free(k.seqs);
    errno = saved;
}

/* ---- the calls */

static struct cw_dispatch inner;                /* the functions behind those of this file; complete */
static bool timed[CW_ID_COUNT];                 /* every call is recorded; else those that fail */
static bool uses[CW_ID_COUNT];                  /* a slow one that makes something of its first argument */
static _Atomic uint32_t described[CW_ID_COUNT]; /* the generation of the log that has the function's name */

/* The first two arguments as numbers, 0 for those that a function does not have. */
#define FIRST_TWO(...)      PICK_TWO(__VA_ARGS__ __VA_OPT__(, ) 0, 0, 0)
#define PICK_TWO(a, b, ...) (uintptr_t)(a), (uintptr_t)(b)

/* The functions whose calls are recorded always: they may take long, and programs make few of them. */
static bool is_slow(const char *name)
{
    static const char *const words[] = {"clCreate",         "clBuildProgram",        "clCompileProgram",
                                        "clLinkProgram",    "clCloneKernel",         "clUnload",
                                        "clGetPlatformIDs", "clGetDeviceIDs",        "clSVMAlloc",
                                        "clReleaseContext", "clReleaseCommandQueue", "clReleaseProgram"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(name, words[i], strlen(words[i])))
            return strcmp(name, "clCreateUserEvent") != 0;
    return false;
}

/* Those that write a command's record (enqueue.c). */
static bool is_command(const char *name)
{
    static const char *const others[] = {"clFlush", "clFinish", "clWaitForEvents", "clSetUserEventStatus"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(name, others[i]))
            return true;
    return !strncmp(name, "clEnqueue", 9);
}

/* The door has entries of its own for these two. */
static bool is_door(const char *name)
{
    return !strncmp(name, "clGetExtensionFunctionAddress", 29);
}

void cw_calls_describe(uint32_t id)
{
    struct cw_rec r;

    if (CW_LIKELY(atomic_load_explicit(&described[id], memory_order_relaxed) == cw_log_generation))
        return;
    atomic_store_explicit(&described[id], cw_log_generation, memory_order_relaxed);
    cw_log_rec_begin(&r);
    cw_rec_u(&r, id);
    cw_log_rec_string(&r, cw_door_api_name((enum cw_api_id)id));
    cw_log_rec_commit(&r, CW_LOG_FUNCTION);
}

/* What a call has returned. */
struct result {
    cl_int status;
    uintptr_t first, second, made; /* its first two arguments; the object that it made */
};

/* Kind and id + 1 of the object that the call made, or, of a build or a failed call, was for. */
static void encode_object(struct cw_rec *r, enum cw_api_id id, const struct result *result)
{
    bool failed = result->status != CL_SUCCESS;
    uintptr_t handle =
        failed || id == CW_ID_clBuildProgram || id == CW_ID_clCompileProgram ? result->first : result->made;
    const struct cw_object *o = handle ? cw_object_find_any((const void *)handle) : NULL;
    bool known = o && o->generation == cw_log_generation && o->kind != CW_LOG_O_EVENT;

    cw_rec_u(r, known ? o->kind : CW_LOG_O_NONE);
    cw_rec_u(r, known ? (uint64_t)o->id + 1 : 0);
}

/* Notes it if the first argument is an object that the program has released. */
static void look_at(enum cw_api_id id, uintptr_t first)
{
    if (first && !cw_object_find_any((const void *)first))
        cw_calls_stale_note_any((const void *)first, (uint32_t)id);
}

/* Records a call that has returned. begin_ns 0: its time was not taken. */
static void write_call(enum cw_api_id id, struct cw_caller caller, uint64_t begin_ns,
                       const struct result *result)
{
    struct cw_thread *t = cw_formula_is_recording() ? cw_log_thread() : NULL;
    const bool failed = result->status != CL_SUCCESS;
    uint32_t site = 0;
    struct cw_rec r;

    if (!t)
        return;
    cw_calls_describe((uint32_t)id);
    if (failed || uses[id])
        site = cw_callsite(t, caller);
    if (failed && strncmp(cw_door_api_name(id), "clRelease", 9)) /* its hook has looked already */
        look_at(id, result->first);
    cw_log_rec_begin_plain(&r, t);
    r.end_ns = cw_now_ns();
    r.begin_ns = begin_ns ? begin_ns : r.end_ns;
    r.status = result->status;
    r.flags = failed ? CW_LOG_E_STATUS : 0;
    cw_rec_u(&r, (uint64_t)id);
    encode_object(&r, id, result);
    cw_rec_u(&r,
             failed && id == CW_ID_clSetKernelArg && result->second < UINT32_MAX ? result->second + 1 : 0);
    cw_rec_u(&r, site);
    cw_log_rec_commit_call(&r, CW_LOG_CALL);
}

/* The same of a call that took its time and succeeded: most have no more to tell than that. */
static void write_timed(enum cw_api_id id, struct cw_caller caller, uint64_t begin_ns,
                        const struct result *result)
{
    bool recording =
        cw_formula_is_recording(); /* first: in a fork's child the parent's thread is gone then */
    struct cw_thread *t = cw_thread_self;

    if (CW_UNLIKELY(!recording || result->status != CL_SUCCESS || result->made || uses[id] ||
                    id == CW_ID_clBuildProgram || id == CW_ID_clCompileProgram || !t ||
                    t->generation != cw_log_generation ||
                    atomic_load_explicit(&described[id], memory_order_relaxed) != cw_log_generation ||
                    !cw_log_plain_call(t, (uint32_t)id, begin_ns)))
        write_call(id, caller, begin_ns, result);
}

static inline uint64_t begin(enum cw_api_id id, uintptr_t first, uintptr_t second)
{
    (void)second;
    if (CW_LIKELY(!timed[id]) || !cw_formula_is_recording())
        return 0;
    if (CW_UNLIKELY(uses[id])) /* before the call, which may not return */
        look_at(id, first);
    return cw_now_ns();
}

/* ---- a function for each of OpenCL's, by how it reports failure */

#define BODY_CODE(ret, name, args)                                                                           \
    const uint64_t begin_ns = begin(CW_ID_##name, FIRST_TWO args);                                           \
    ret result = inner.name args;                                                                            \
    if (CW_UNLIKELY(begin_ns || result != CL_SUCCESS))                                                       \
        write_timed(CW_ID_##name, CW_CALLER, begin_ns, &(struct result){result, FIRST_TWO args, 0});         \
    return result;

/* A program that does not want to know the error has it recorded all the same. */
#define BODY_ERRCODE(ret, name, args)                                                                        \
    const uint64_t begin_ns = begin(CW_ID_##name, FIRST_TWO args);                                           \
    cl_int unwanted = CL_SUCCESS;                                                                            \
    if (!errcode_ret)                                                                                        \
        errcode_ret = &unwanted;                                                                             \
    ret result = inner.name args;                                                                            \
    const cl_int status = result ? CL_SUCCESS : *errcode_ret;                                                \
    if (CW_UNLIKELY(begin_ns || status != CL_SUCCESS))                                                       \
        write_timed(CW_ID_##name, CW_CALLER, begin_ns,                                                       \
                    &(struct result){status, FIRST_TWO args, (uintptr_t)result});                            \
    return result;

#define BODY_NULLPTR(ret, name, args)                                                                        \
    const uint64_t begin_ns = begin(CW_ID_##name, FIRST_TWO args);                                           \
    ret result = inner.name args;                                                                            \
    if (CW_UNLIKELY(begin_ns != 0))                                                                          \
        write_timed(CW_ID_##name, CW_CALLER, begin_ns, &(struct result){CL_SUCCESS, FIRST_TWO args, 0});     \
    return result;

#define BODY_NOTHING(ret, name, args)                                                                        \
    const uint64_t begin_ns = begin(CW_ID_##name, FIRST_TWO args);                                           \
    inner.name args;                                                                                         \
    if (CW_UNLIKELY(begin_ns != 0))                                                                          \
        write_timed(CW_ID_##name, CW_CALLER, begin_ns, &(struct result){CL_SUCCESS, FIRST_TWO args, 0});

#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret call_##name params                                                                            \
    {                                                                                                        \
        BODY_##fail(ret, name, args)                                                                         \
    }
#include "../door/api.inc"

void cw_calls_install(struct cw_dispatch *hooks)
{
    inner = cw_traced;
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    if (hooks->name)                                                                                         \
        inner.name = hooks->name;                                                                            \
    timed[CW_ID_##name] = cw_recorder.all_calls || is_slow(#name);                                           \
    uses[CW_ID_##name] = is_slow(#name) && !strstr(#name, "clGet") && !strstr(#name, "clRelease");           \
    if ((hooks->name || cw_recorder.all_calls) && !is_command(#name) && !is_door(#name))                     \
        hooks->name = call_##name;
#include "../door/api.inc"
}
