/* tile_build.c - the thread that builds rewritten programs for workers, beside everything else. */
#include "share.h"
#include "../core/context_device.h"
#include "../../door/thread.h"

#include "../../door/door.h"
#include "../../door/log.h"
#include "../core/thread.h"
#include "../tuning/tuning.h"
#include "../models/program_models.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/state.h"

#include <sys/resource.h>
#include <unistd.h>

#define JOBS   64
#define NICE   10       /* the program's kernels keep the processors that they use */
#define END_NS 10000000 /* that the end of the process waits for requests */

static struct {
    struct {
        struct cw_run_program *program; /* busy */
        uint32_t place;
    } job[JOBS];
    uint32_t n;
    struct {
        struct cw_run_program *program; /* busy */
        void (*body)(void *data);
        void *data;
    } other[JOBS]; /* begun when there is nothing to build */
    uint32_t others;
    bool started, quit;
    pthread_t thread;
    pthread_cond_t wake;
} builder = {.wake = PTHREAD_COND_INITIALIZER};

/* Makes the context of a place, with its worker held. Lock held, given up meanwhile. */
static bool make_context(struct cw_run_program *p, struct cw_run_context_device *place)
{
    struct cw_run_worker *l = place->worker;
    bool good;

    cw_run.waiters++;
    while (l->busy && !builder.quit)
        cw_run_global_lock_wait(0);
    cw_run.waiters--;
    if (l->busy)
        return false;
    l->busy = true;
    cw_run_global_lock_give();
    good = cw_run_context_device_queue(p->context, place);
    cw_run_global_lock_take();
    l->busy = false;
    return good;
}

/* Lock held, given up meanwhile. */
static void build(struct cw_run_program *p, uint32_t place)
{
    uint64_t begin = cw_run_global_lock_now_ns();
    double cpu_ns = cw_thread_cpu_ns();
    bool built;

    if (!cw_run_tile_program_by_offset(&p->context->places[place]) &&
        !make_context(p, &p->context->places[place])) {
        uint8_t *state = cw_run_tile_program_state(p, p->context->places[place].worker);

        if (state && !builder.quit)
            *state = CW_RUN_COPY_FAILED;
        cw_run_learn_ended(0);
        cw_run_object_unpin(&p->r);
        return;
    }
    cw_run.preparing++;
    cw_run_global_lock_give();
    cw_exit_register();
    built = cw_run_tile_program_build(p, place);
    cw_exit_register();
    cw_run_global_lock_take();
    cw_run.preparing--;
    cw_log_debug("a rewritten program for %s: %.1f ms", p->context->places[place].worker->name,
                 (double)(cw_run_global_lock_now_ns() - begin) / 1e6);
    cw_run_learn_ended(cw_thread_cpu_ns() - cpu_ns);
    if (built)
        cw_run_account.learns++;
    cw_run_object_unpin(&p->r);
    cw_run_global_lock_tell();
}

/* Lock held, given up meanwhile. */
static void do_other(void)
{
    uint32_t i = --builder.others;
    struct cw_run_program *p = builder.other[i].program;
    void (*body)(void *data) = builder.other[i].body;
    void *data = builder.other[i].data;

    cw_run_global_lock_give();
    body(data);
    cw_run_global_lock_take();
    cw_run.preparing--;
    cw_run_object_unpin(&p->r);
}

static void *work(void *unused)
{
    (void)unused;
    cw_door_depth = 1;                               /* calls that come in here are the vendor's */
    setpriority(PRIO_PROCESS, (id_t)gettid(), NICE); /* of this thread, in Linux */
    cw_run_global_lock_take();
    while (!builder.quit) {
        if ((!builder.n && !builder.others) || cw_run.ending) {
            pthread_cond_wait(&builder.wake, &cw_run.lock);
            continue;
        }
        if (builder.n) {
            builder.n--;
            build(builder.job[builder.n].program, builder.job[builder.n].place);
            cw_run.readying--;
        } else {
            do_other();
        }
        cw_run_global_lock_give(); /* runs the releases that wait for that */
        cw_run_global_lock_take();
    }
    cw_run_global_lock_give();
    return NULL;
}

bool cw_run_tile_build_may(struct cw_run_program *p, const uint32_t *place, uint32_t n)
{
    unsigned missing = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *state = cw_run_tile_program_state(p, p->context->places[place[i]].worker);

        if (!state)
            return false;
        missing += *state == CW_RUN_COPY_MISSED;
    }
    return cw_run_learn_may(missing);
}

/* The state that a place in that state is to come to. A build seeks the binary first. */
static enum cw_run_copy_state next_state(struct cw_run_program *p, const struct cw_run_worker *l,
                                         enum cw_run_copy_state state, bool build)
{
    if (state != CW_RUN_COPY_NONE && state != CW_RUN_COPY_MISSED)
        return state;
    if (build && cw_run_learn_begins(CW_RUN_LEARN_BUILD))
        return CW_RUN_COPY_WANTED;
    return cw_run_tile_program_is_due(p, l) && cw_run_learn_begins(CW_RUN_LEARN_STORED) ? CW_RUN_COPY_ASKED
                                                                                        : state;
}

bool cw_run_tile_build_is_done(struct cw_run_program *p, uint32_t place, bool worth, bool build)
{
    const struct cw_run_worker *l = p->context->places[place].worker;
    uint8_t *state = cw_run_tile_program_state(p, l), next;

    if (!state)
        return false;
    if (worth && builder.n < JOBS && !builder.quit && !cw_run.off) {
        if (!builder.started)
            builder.started = cw_run_thread_create(&builder.thread, work, NULL);
        next = builder.started ? next_state(p, l, *state, build) : *state;
        if (next != *state) {
            *state = next;
            cw_run_record_pin(&p->r);
            builder.job[builder.n].program = p;
            builder.job[builder.n++].place = place;
            cw_run.readying++;
            pthread_cond_signal(&builder.wake);
        }
    }
    return *state == CW_RUN_COPY_READY;
}

bool cw_run_tile_build_beside(struct cw_run_program *p, void (*body)(void *data), void *data)
{
    if (builder.others == JOBS || builder.quit || cw_run.off)
        return false;
    if (!builder.started)
        builder.started = cw_run_thread_create(&builder.thread, work, NULL);
    if (!builder.started)
        return false;
    cw_run.preparing++; /* from now on: a program that is built anew waits for it */
    cw_run_record_pin(&p->r);
    builder.other[builder.others].program = p;
    builder.other[builder.others].body = body;
    builder.other[builder.others++].data = data;
    pthread_cond_signal(&builder.wake);
    return true;
}

/* The thread is gone, and the compiler has stopped: later runs find what the builder is asked for. */
static void ask_for_the_rest(void)
{
    uint64_t until = cw_run_global_lock_now_ns() + END_NS;

    while ((builder.n || builder.others) && cw_run_global_lock_now_ns() < until) {
        if (builder.n) {
            builder.n--;
            cw_run_tile_program_ask(builder.job[builder.n].program, builder.job[builder.n].place);
            continue;
        }
        cw_run_global_lock_take();
        do_other();
        cw_run_global_lock_give();
    }
}

void cw_run_tile_build_stop(void)
{
    bool started;

    cw_run_global_lock_take();
    builder.quit = true;
    started = builder.started;
    builder.started = false;
    pthread_cond_signal(&builder.wake);
    cw_run_global_lock_tell();
    cw_run_global_lock_give();
    if (started)
        pthread_join(builder.thread, NULL);
    if (started && !cw_run.abandoned && !cw_run.chaos)
        ask_for_the_rest();
}
