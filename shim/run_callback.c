/* run_callback.c - the program's callbacks on events of managed commands: one thread calls them, no lock held. */
#include "run.h"

#include <stdlib.h>

#include "run_threads.h"

static struct cw_run_callback *first, **end = &first;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool started, quit;

static void *body(void *unused)
{
    struct cw_run_callback *c;

    (void)unused;
    cw_run_lock();
    while (!quit) {
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
        c->function((cl_event)(uintptr_t)c->event->r.handle, c->status, c->data);
        cw_run_lock();
        cw_run_idle(&c->event->r);
        free(c);
    }
    cw_run_unlock();
    return NULL;
}

/* Takes over `c`, which counts as one use of its event. */
static void push(struct cw_run_callback *c)
{
    if (!started)
        started = cw_run_thread(&thread, body, NULL);
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

void cw_run_callbacks_stop(void)
{
    bool join;

    cw_run_lock();
    join = started && !pthread_equal(thread, pthread_self());
    started = false;
    quit = true;
    pthread_cond_signal(&wake);
    cw_run_unlock();
    if (join)
        pthread_join(thread, NULL);
}
