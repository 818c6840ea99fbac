/* program_models.c - see models/program_models.h. */
#include "program_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../analyzer/io/quiet_child.h"
#include "../../../analyzer/compile/requests.h"
#include "../../../analyzer/io/folders.h"
#include "../../door/door.h"
#include "../../door/log.h"
#include "../../builds/later_builds.h"
#include "../../builds/macros.h"
#include "../core/ready.h"
#include "../core/thread.h"
#include "../code/code.h"
#include "../../../analyzer/kernels/source/code_text.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/state.h"

#define IDENTITY_BYTES 4096
#define END_SECONDS    10 /* the compiler's, at most, when the program ends */

struct job {
    struct job *next;
    uint64_t number;
    const void *program; /* handle; may be gone when the job is done */
    char *source, *options;
    cl_device_id devices[CW_RUN_WORKERS];
    size_t n;
    double caller_ns; /* time that asking took the program's own thread */
    bool (*take)(const void *program, uint64_t number, struct cw_run_models *m); /* NULL: the record does */
};

static struct {
    struct cw_models_source source;
    struct job *first, **last;
    const struct job *now; /* that the thread is at */
    uint64_t given, done;  /* numbers of jobs */
    pthread_cond_t wake;
    pthread_t thread;
    bool on, started, quit, missing_said;
    uint32_t without;    /* programs of whose kernels nothing is known, ... */
    struct cw_error why; /* ... the last of them for this reason */
} models = {.last = &models.first, .wake = PTHREAD_COND_INITIALIZER};

bool cw_run_program_models_came;

void cw_run_program_models_start(const char *folder)
{
    cw_program_models_init(&models.source, folder);
    models.source.asker = cw_helper_tool_find("clweave");
    models.on = true;
}

void cw_run_program_models_release(struct cw_run_models *m)
{
    if (!m || --m->refs)
        return;
    cw_model_set_finish(&m->set);
    free(m);
}

/* ---- the thread */

static void free_job(struct job *j)
{
    if (!j)
        return;
    free(j->source);
    free(j->options);
    free(j);
}

/* `ns`: of the thread's processor time. test/bench/models.bench reads the figures. */
static void say(const struct job *j, enum cw_status status, const struct cw_error *err, bool stored,
                double ns)
{
    double ms = ns / 1e6, own_ms = j->caller_ns / 1e6;

    if (status == CW_OK)
        cw_log_debug("kernel footprints: %s: %.3f ms, %.3f ms of the program's thread",
                     stored ? "kept from an earlier run" : "analysed", ms, own_ms);
    else if (status != CW_ERR_NOTFOUND)
        cw_log_debug("kernel footprints: none: %s: %.3f ms, %.3f ms of the program's thread", err->text, ms,
                     own_ms);
    else if (!models.missing_said)
        cw_log_info("kernels count as touching all of their buffers: %s", err->text);
    models.missing_said |= status == CW_ERR_NOTFOUND;
}

/* Whether the process ends, so that an answer comes too late. */
static bool has_ended(void)
{
    bool ended;

    cw_run_global_lock_take();
    ended = models.quit;
    cw_run_global_lock_give();
    return ended;
}

static bool ask(void *compilers, const char *options, char *const *names, size_t n,
                struct cw_macro_value *values)
{
    return !has_ended() && cw_macros_ask(compilers, options, names, n, values);
}

/* Fills *compilers and `identity`, which names them. */
static bool identify(const struct job *j, struct cw_run_compilers *compilers, char identity[IDENTITY_BYTES])
{
    bool all = true;

    for (size_t i = 0; i < j->n; i++)
        all &= cw_macros_compilers_add(compilers, j->devices[i]);
    return all && cw_macros_compilers_identity(compilers, identity, IDENTITY_BYTES);
}

/* `begin`: when the job did, in the thread's processor time. */
static struct cw_run_models *make(const struct job *j, bool *stored, double begin)
{
    struct cw_run_compilers compilers = {.n = 0};
    char identity[IDENTITY_BYTES] = "";
    struct cw_models_vendor vendor = {.data = &compilers, .ask = ask};
    struct cw_run_models *m = calloc(1, sizeof *m);
    struct cw_error err = {0};
    enum cw_status status;

    *stored = false;
    if (identify(j, &compilers, identity))
        vendor.identity = identity;
    if (!m)
        return NULL;
    status = cw_program_models_get(&models.source, j->source, j->options, &vendor, &m->set, stored, &err);
    say(j, status, &err, *stored, cw_thread_cpu_ns() - begin);
    if (status == CW_OK)
        return m;
    free(m);
    cw_run_global_lock_take();
    if (!models.quit) { /* else it was ended */
        models.without++;
        models.why = err;
    }
    cw_run_global_lock_give();
    return NULL;
}

int cw_run_program_models_describe(char *text, unsigned size)
{
    return models.without
               ? snprintf(text, size,
                          "run: nothing is known of the kernels of %u programs, so none of them is cut: %s\n",
                          models.without, models.why.text)
               : 0;
}

/* Lock held. Takes over `m`, which may be NULL. */
static void hand_over(const struct job *j, struct cw_run_models *m)
{
    struct cw_run_program *p = m && !j->take ? cw_run_record_find(j->program, CW_RUN_PROGRAM) : NULL;
    bool taken = p && p->models_job == j->number;

    if (!m)
        return;
    m->refs = 1;
    if (taken) {
        p->models = m;
        cw_program_source_trust(p);
        p->models_came = cw_run_program_models_came = cw_run.timer_wanted = true;
        pthread_cond_signal(&cw_run.timer); /* it may be in the midst of a wait */
    }
    if (!taken && !(j->take && j->take(j->program, j->number, m)))
        cw_run_program_models_release(m);
}

static void *work(void *unused)
{
    struct cw_run_models *m;
    struct job *j;
    double begin;
    bool stored;

    (void)unused;
    cw_door_depth = 1; /* calls that come in here are the vendor's */
    cw_run_global_lock_take();
    while (!models.quit) {
        if (!(j = models.first)) {
            pthread_cond_wait(&models.wake, &cw_run.lock);
            continue;
        }
        models.first = j->next;
        if (!models.first)
            models.last = &models.first;
        models.now = j;
        cw_run_global_lock_give();
        begin = cw_thread_cpu_ns();
        m = make(j, &stored, begin);
        cw_run_global_lock_take();
        if (stored) /* the others are made beside the program, once */
            cw_run_account.cost_ns += cw_thread_cpu_ns() - begin;
        else if (m)
            cw_run_account.learns++;
        models.done = j->number;
        hand_over(j, m);
        if (!models.quit) { /* else the end may be about to ask for it */
            models.now = NULL;
            free_job(j);
        }
        cw_run_global_lock_tell();
    }
    cw_run_global_lock_give();
    return NULL;
}

/* ---- jobs */

void cw_run_program_models_forget(struct cw_run_program *p)
{
    cw_run_program_models_release(p->models);
    p->models = NULL;
    p->models_job = 0;
}

/* With the standard that the vendor builds of by itself; the text form of a binary has none. */
static char *options_of(const char *source, const char *options, uint32_t traits)
{
    return cw_code_text_is(source) ? strdup(options)
                                          : cw_cl_language_options(options, cw_device_language(traits));
}

/* A job, which the caller fills before it gives up the lock; NULL: no models can be had. */
static struct job *add_job(const void *program, const char *source, const char *options,
                           const cl_device_id *devices, size_t n, uint32_t traits)
{
    struct job *j;

    if (!source || !models.on || models.quit || cw_run.off || cw_run.forked || n > CW_RUN_WORKERS ||
        !cw_source_is_manageable(source, options))
        return NULL;
    j = calloc(1, sizeof *j);
    if (!j || !(j->source = strdup(source)) || !(j->options = options_of(source, options, traits))) {
        free_job(j);
        return NULL;
    }
    if (!models.started && !(models.started = cw_run_thread_create(&models.thread, work, NULL))) {
        models.quit = true;
        free_job(j);
        return NULL;
    }
    while (j->n < n)
        j->devices[j->n] = devices[j->n], j->n++;
    j->program = program;
    j->number = ++models.given;
    *models.last = j;
    models.last = &j->next;
    pthread_cond_signal(&models.wake);
    return j;
}

void cw_run_program_models_want(struct cw_run_program *p, const char *source, const char *options)
{
    const struct cw_context_devices *devices = p->context->devices;
    cl_device_id ids[CW_RUN_WORKERS];
    double begin = cw_thread_cpu_ns();
    struct job *j;

    cw_run_program_models_forget(p);
    if (p->binary) /* they have done their work */
        options = "";
    if (!cw_run.begun)
        return;
    for (size_t i = 0; i < devices->n && i < CW_RUN_WORKERS; i++)
        ids[i] = devices->device[i].device;
    j = add_job(p->r.handle, source, options, ids, devices->n, devices->device[0].traits);
    if (!j)
        return;
    p->models_job = j->number;
    j->caller_ns = cw_thread_cpu_ns() - begin;
}

uint64_t cw_run_program_models_get(const void *program, const char *source, const char *options,
                                   const cl_device_id *devices, size_t n,
                                   bool (*take)(const void *program, uint64_t number,
                                                struct cw_run_models *m))
{
    struct job *j = n ? add_job(program, source, options, devices, n, cw_device_traits(devices[0])) : NULL;

    if (!j)
        return 0;
    j->take = take;
    return j->number;
}

void cw_run_program_models_begin(void)
{
    for (struct cw_run_program *p = NULL; (p = cw_run_record_next(CW_RUN_PROGRAM, p));)
        if (p->options && !p->models_job)
            cw_run_program_models_want(p, cw_run_program_text(p), p->options);
}

bool cw_run_program_models_settled(const struct cw_run_program *p)
{
    return p->models || (p->models_job ? models.done >= p->models_job : cw_run.begun);
}

bool cw_run_program_models_are_made(void)
{
    return (models.done < models.given && !models.quit) || cw_run_program_models_came;
}

void cw_run_program_models_wait(const struct cw_run_program *p)
{
    cw_run_program_models_wait_for(p->models_job);
}

void cw_run_program_models_wait_for(uint64_t number)
{
    cw_run.waiters++;
    while (models.done < number && !models.quit)
        cw_run_global_lock_wait(0);
    cw_run.waiters--;
}

/* Lock not held; the job stays. */
static void ask_builder(const struct job *j)
{
    struct cw_run_compilers compilers = {.n = 0};
    char identity[IDENTITY_BYTES];
    struct cw_request q = {
        .kind = CW_REQUEST_MODELS, .device = identity, .source = j->source, .options = j->options};

    if (!*models.source.helper || !identify(j, &compilers, identity))
        return;
    cw_identity_begin(&q.result, "models of");
    cw_identity_text(&q.result, identity);
    cw_identity_text(&q.result, j->options);
    cw_identity_text(&q.result, j->source);
    cw_later_builds_ask(&q);
    cw_identity_finish(&q.result);
}

void cw_run_program_models_ask(const char *source, const char *options, const cl_device_id *devices, size_t n)
{
    struct job j = {.source = (char *)source};

    if (!models.on || !*models.source.helper || !n || !cw_source_is_manageable(source, options) ||
        !(j.options = options_of(source, options, cw_device_traits(devices[0]))))
        return;
    while (j.n < n && j.n < CW_RUN_WORKERS)
        j.devices[j.n] = devices[j.n], j.n++;
    ask_builder(&j);
    free(j.options);
}

void cw_run_program_models_stop(bool join)
{
    const struct job *now, *first;
    struct timespec end;
    bool started;

    cw_run_global_lock_take();
    models.quit = true; /* the thread takes no job any more, and frees none */
    now = models.now;
    first = models.first;
    started = models.started;
    models.started = false;
    pthread_cond_signal(&models.wake);
    cw_run_global_lock_tell();
    cw_run_global_lock_give();
    cw_quiet_child_kill(CW_QUIET_ONCE, true);
    if (!started || !join)
        return;
    /* a program may be over before its kernels are analysed, however often it runs */
    if (now)
        ask_builder(now);
    for (const struct job *j = first; j; j = j->next)
        ask_builder(j);
    clock_gettime(CLOCK_REALTIME,
                  &end); /* a callback of a build that calls exit() may hold a lock that the thread wants */
    end.tv_sec += END_SECONDS;
    pthread_timedjoin_np(models.thread, NULL, &end);
}

void cw_run_program_models_after_fork(void)
{
    models.quit = true;
    cw_quiet_child_after_fork();
}
