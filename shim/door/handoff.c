/* handoff.c - see handoff.h. */
#include "handoff.h"
#include "lock_order.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define COUNTS 256

struct call {
    struct call *next; /* handed over later */
    cw_handoff_function function;
    void *data;
    cl_int type, status;
    cl_event event; /* retained from the vendor's callback on */
};

__thread unsigned cw_handoff_holds;

/* Taken inside callbacks of the vendor: with it no other lock is taken, and neither the vendor nor the
 * program is called. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, HANDOFF)
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;     /* there is a call to make */
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER; /* one has returned */
static struct call *first, **end = &first;                 /* the first one may be under way */
static bool started;
static unsigned forks; /* from the first process to this one */
static sigset_t mask;  /* of the vendor's thread that called back first: threads and children inherit it */
static atomic_uint pending;
static atomic_bool used;
static unsigned counts[COUNTS];      /* of calls that are pending, by their events; several may share one */
static _Thread_local bool is_caller; /* the thread that calls them */
static _Thread_local const struct setting {
    const struct setting *outer;
    const struct call *call;
} * setting; /* calls that this thread is about to give the vendor, by several layers at once */

/* Lock held. */
static unsigned *count_of(cl_event event)
{
    return &counts[((uintptr_t)event >> 4 ^ (uintptr_t)event >> 12) % COUNTS];
}

static void after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&wake, NULL);
    pthread_cond_init(&returned, NULL);
    first = NULL; /* the parent's */
    end = &first;
    started = false;
    forks++;
    atomic_store(&pending, 0);
    memset(counts, 0, sizeof counts);
}

/* The function of `c` has returned, in the process that it was called in. Lock held. */
static void over(const struct call *c)
{
    first = c->next;
    if (!first)
        end = &first;
    --*count_of(c->event);
    atomic_fetch_sub(&pending, 1);
    pthread_cond_broadcast(&returned);
}

/* Lock held, given up meanwhile. */
static void call_first(void)
{
    unsigned before = forks;
    struct call *c = first;
    sigset_t own;

    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &mask, &own);
    c->function(c->event, c->status, c->data);
    pthread_sigmask(SIG_SETMASK, &own, NULL);
    pthread_mutex_lock(&lock);
    if (before == forks)
        over(c);
    pthread_mutex_unlock(&lock);
    cw_next.clReleaseEvent(c->event);
    free(c);
    pthread_mutex_lock(&lock);
}

static void *work(void *unused)
{
    is_caller = true;
    pthread_mutex_lock(&lock);
    for (;;)
        if (first)
            call_first();
        else
            pthread_cond_wait(&wake, &lock);
    return unused;
}

/* The thread is there. It gets no signal but in the program's functions. */
static bool start(void)
{
    static bool watches_forks;
    pthread_t thread;
    sigset_t all;

    pthread_mutex_lock(&lock);
    if (!watches_forks)
        watches_forks = !pthread_atfork(NULL, NULL, after_fork);
    if (!started) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &mask);
        started = !pthread_create(&thread, NULL, work, NULL);
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
        if (started)
            pthread_detach(thread);
    }
    pthread_mutex_unlock(&lock);
    return started;
}

static void hand_over(struct call *c)
{
    cw_next.clRetainEvent(c->event);
    pthread_mutex_lock(&lock);
    c->next = NULL;
    *end = c;
    end = &c->next;
    ++*count_of(c->event);
    atomic_fetch_add(&pending, 1);
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
}

void cw_handoff_wait(cl_event event)
{
    if (CW_LIKELY(!atomic_load(&pending)) || is_caller || cw_handoff_holds)
        return;
    pthread_mutex_lock(&lock);
    while (*count_of(event))
        pthread_cond_wait(&returned, &lock);
    pthread_mutex_unlock(&lock);
}

static bool is_being_set(const struct call *c)
{
    const struct setting *s = setting;

    while (s && s->call != c)
        s = s->outer;
    return s != NULL;
}

static void CL_CALLBACK called(cl_event event, cl_int status, void *data)
{
    struct call *c = data;

    c->event = event;
    c->status = status;
    if (!is_being_set(c) && (c->type == CL_SUBMITTED || cw_handoff_holds) && start()) {
        hand_over(c);
        return;
    }
    if (c->type != CL_SUBMITTED)
        cw_handoff_wait(event);
    c->function(event, status, c->data);
    free(c);
}

static void CL_CALLBACK is_over(cl_event event, cl_int status, void *unused)
{
    (void)status, (void)unused;
    cw_handoff_wait(event);
}

void cw_handoff_use(void)
{
    atomic_store_explicit(&used, true, memory_order_relaxed);
}

cl_int cw_handoff_set(__typeof__(&clSetEventCallback) set, cl_event event, cl_int type,
                      cw_handoff_function function, void *data)
{
    int saved = errno;
    struct setting own = {.outer = setting};
    struct call *c;
    cl_int err;

    if (type == CL_SUBMITTED)
        cw_handoff_use();
    c = function && atomic_load_explicit(&used, memory_order_relaxed) ? malloc(sizeof *c) : NULL;
    errno = saved;
    if (!c) /* without memory as bare */
        return set(event, type, function, data);
    *c = (struct call){.function = function, .data = data, .type = type};
    if (type == CL_SUBMITTED) /* a vendor that calls before it wakes threads that wait wakes them behind it */
        cw_next.clSetEventCallback(event, CL_COMPLETE, is_over, NULL);
    own.call = c;
    setting = &own;
    err = set(event, type, called, c);
    setting = own.outer;
    if (err != CL_SUCCESS)
        free(c);
    return err;
}
