/* run_callback.c - the program's callbacks on events of managed commands: one thread calls them, no lock held.
 *
 * PoCL calls them before who waits for the command wakes up, and programs keep what callbacks use on the stack of the
 * function that waits: so waits for commands include the callbacks on them. */
#include "../run.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "run_threads.h"

#define LONGEST_S 2 /* that the end of the process waits for callbacks */

static struct cw_run_callback *first, **end = &first;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static sigset_t mask; /* of the program's thread that wanted the first callback */
static bool started, quit;

/* The callback of `c` has returned, or never will. */
static void delivered(struct cw_run_callback *c)
{
    c->event->calls_due--;
    c->event->queue->calls_over++;
    cw_run_tell();
    cw_run_idle(&c->event->r);
    free(c);
}

/* With the program's signals: threads and processes that the callback starts inherit them. */
static void call(const struct cw_run_callback *c)
{
    sigset_t own;

    pthread_sigmask(SIG_SETMASK, &mask, &own);
    c->function((cl_event)(uintptr_t)c->event->r.handle, c->status, c->data);
    pthread_sigmask(SIG_SETMASK, &own, NULL);
}

static void *body(void *unused)
{
    struct cw_run_callback *c;

    (void)unused;
    cw_run_lock();
    while (!quit || first) {
        c = first;
        if (!c && cw_run_has_garbage()) {
            cw_run_unlock();
            cw_run_lock();
            continue;
        }
        if (!c) {
            pthread_cond_wait(&wake, &cw_run.lock);
            continue;
        }
        first = c->next;
        if (!first)
            end = &first;
        cw_run_unlock();
        call(c);
        cw_run_lock();
        delivered(c);
    }
    cw_run_unlock();
    return NULL;
}

bool cw_run_callbacks_start(void)
{
    if (!started && !quit && !pthread_sigmask(SIG_SETMASK, NULL, &mask))
        started = cw_run_thread(&thread, body, NULL);
    return started;
}

/* Takes over `c`, which counts as one use of its event. */
static void push(struct cw_run_callback *c)
{
    c->event->calls_due++;
    c->event->queue->calls++;
    if (!started) { /* the process ends */
        delivered(c);
        return;
    }
    c->next = NULL;
    *end = c;
    end = &c->next;
    pthread_cond_signal(&wake);
}

void cw_run_callbacks_push(struct cw_run_event *e, cl_int reached, cl_int status)
{
    struct cw_run_callback **at = &e->callbacks, *c;

    /* those that are asked for earlier states come first */
    for (cl_int type = CL_SUBMITTED; type >= reached; type--)
        for (at = &e->callbacks; (c = *at);) {
            if (c->type != type) {
                at = &c->next;
                continue;
            }
            *at = c->next;
            c->status = status < 0 ? status : type;
            push(c);
        }
}

static bool over_for_event(const void *what)
{
    return !((const struct cw_run_event *)what)->calls_due;
}

static bool over_for_queue(const void *what)
{
    const struct cw_run_until *u = what;

    return u->queue->calls_over >= u->sequence;
}

/* A callback that waits for itself would wait for ever. */
static bool may_wait(void)
{
    return started && !cw_run.forked && !pthread_equal(thread, pthread_self());
}

void cw_run_callbacks_wait(struct cw_run_queue *q)
{
    struct cw_run_until until = {q, q->calls};

    if (q->calls_over != q->calls && may_wait())
        cw_run_help(NULL, 0, over_for_queue, &until);
}

void cw_run_callbacks_wait_event(struct cw_run_event *e)
{
    if (e->calls_due && may_wait())
        cw_run_help(NULL, 0, over_for_event, e);
}

/* What is pending is delivered first; a callback that takes long is left behind, as threads of vendors are. */
void cw_run_callbacks_stop(void)
{
    struct timespec until;
    bool join;

    cw_run_lock();
    join = started && !pthread_equal(thread, pthread_self());
    started = false;
    quit = true;
    pthread_cond_signal(&wake);
    cw_run_unlock();
    if (join) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += LONGEST_S;
        pthread_timedjoin_np(thread, NULL, &until);
    }
}
