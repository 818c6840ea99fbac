/* callback.c - the program's callbacks on events, in the order of their commands.
 *
 * The callback thread calls those on managed commands, no lock held. The vendor calls those on native
 * commands, as it does bare or by door/handoff.h, through native_called(): that calls the program's function
 * itself, or leaves it to the callback thread while callbacks on managed commands of the queue have not
 * returned. The other way round, a callback on a managed command waits for those on native commands before
 * it. When the managed command is over, and nothing behind it has been let go, these are the native commands
 * that are complete.
 *
 * PoCL calls them before a thread that waits for the command wakes up, and programs keep the callbacks' data
 * on the stack of the waiting function: so waits for commands include the callbacks on them. */
#include "../core/global_lock.h"
#include "../core/record.h"
#include "object.h"
#include "../core/state.h"
#include "callback.h"

#include "../../door/door.h"
#include "../../door/handoff.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "../core/thread.h"

#define LONGEST_S 2 /* that the end of the process waits for callbacks */

static struct cw_run_callback *first, **end = &first; /* due */
static uint64_t numbers;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static sigset_t mask; /* of the program's thread that wanted the first callback */
static bool started, quit;
static _Thread_local unsigned in_native; /* callbacks on native commands that this thread is in */
static _Thread_local const struct cw_run_callback *setting; /* that this thread is about to give the vendor */

static bool in_callback(void)
{
    return in_native || (started && pthread_equal(thread, pthread_self()));
}

/* The callback of `c` has returned, or never will. */
static void delivered(struct cw_run_callback *c)
{
    struct cw_run_event *e = c->event;

    e->calls_due--;
    c->queue->calls_over += c->counted;
    cw_run_global_lock_tell();
    if (e->what != CW_RUN_MANAGED)
        cw_run_record_unpin(&c->queue->r);
    cw_run_record_unpin(&e->r);
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

/* Some callback on a native command must return before `c` is called. Those for earlier states, which a
 * vendor may never call, are not waited for. */
static bool waits(const struct cw_run_callback *c)
{
    for (const struct cw_run_callback *n = c->queue->natives; n && !quit; n = n->next)
        if (n->before && n->before <= c->number && n->type == CL_COMPLETE)
            return true;
    return false;
}

/* The first that may be called, out of the list; NULL: none may. */
static struct cw_run_callback *take(void)
{
    struct cw_run_callback **at = &first, *c;

    while (*at && waits(*at))
        at = &(*at)->next;
    c = *at;
    if (c)
        *at = c->next;
    if (c && !c->next)
        end = at;
    return c;
}

static void *body(void *unused)
{
    struct cw_run_callback *c;

    (void)unused;
    cw_run_global_lock_take();
    while (!quit || first) {
        c = take();
        if (!c && cw_run_global_lock_has_releases()) {
            cw_run_global_lock_give();
            cw_run_global_lock_take();
            continue;
        }
        if (!c) {
            pthread_cond_wait(&wake, &cw_run.lock);
            continue;
        }
        cw_run_global_lock_give();
        call(c);
        cw_run_global_lock_take();
        delivered(c);
        cw_run_object_sweep();
    }
    cw_run_global_lock_give();
    return NULL;
}

bool cw_run_callback_start(void)
{
    if (!started && !quit && !pthread_sigmask(SIG_SETMASK, NULL, &mask))
        started = cw_run_thread_create(&thread, body, NULL);
    return started;
}

/* Takes over `c`, which counts as one use of its event. */
static void push(struct cw_run_callback *c)
{
    c->event->calls_due++;
    c->queue->calls++;
    cw_run_passing_measure(&c->queue->passing, true); /* the next wait is for callbacks, too */
    c->counted = true;
    c->number = ++numbers;
    if (!started) { /* the process ends */
        delivered(c);
        return;
    }
    c->next = NULL;
    *end = c;
    end = &c->next;
    pthread_cond_signal(&wake);
}

/* PoCL makes no callbacks on an event that fails. If another vendor does, the callback has no queue. */
static void has_failed(struct cw_run_callback **at)
{
    struct cw_run_callback *n = *at;

    *at = n->next;
    cw_run_record_unpin(&n->queue->r);
    cw_run_record_unpin(&n->event->r);
    n->queue = NULL;
}

/* Callbacks on native commands of `q`, which is busy, that are complete must return before callback `number`
 * (0: none) is called, which is on command `sequence`; but a command that was enqueued after a callback was
 * called may have been enqueued by it. True: there are such callbacks. */
static bool natives_first(struct cw_run_queue *q, uint64_t sequence, uint64_t number)
{
    struct cw_run_callback **at = &q->natives, *n;
    bool any = false;

    while ((n = *at)) {
        cl_int status = cw_query_status((cl_event)(uintptr_t)n->event->r.handle);

        if (status < 0 && !n->begun) {
            has_failed(at);
            continue;
        }
        if (status == CL_COMPLETE && !n->before && (!n->begun || sequence < n->begun))
            n->before = number;
        any |= n->before != 0;
        at = &n->next;
    }
    return any;
}

static uint64_t sequence_of(const struct cw_run_event *e)
{
    return e->task ? e->task->order.sequence : 0;
}

void cw_run_callback_push(struct cw_run_event *e, cl_int reached, cl_int status)
{
    struct cw_run_callback **at = &e->callbacks, *c;

    if (!e->callbacks)
        return;
    natives_first(e->queue, sequence_of(e), numbers + 1);
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

bool cw_run_callbacks_turn(const struct cw_run_event *e)
{
    struct cw_run_queue *q = e->queue;

    if (!started || in_callback())
        return true;
    if (!q->in_order)
        return !e->calls_due;
    return q->calls_over >= (e->task ? q->calls : e->calls) && !natives_first(q, sequence_of(e), numbers + 1);
}

/* ---- on native commands */

static void take_out(struct cw_run_callback *c)
{
    struct cw_run_callback **at = &c->queue->natives;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    pthread_cond_signal(&wake);
}

/* Gives it to the callback thread, before the callbacks that wait for it, or behind all. It waits for the
 * same native ones as the callbacks before it in the list do: otherwise it would pass these. */
static void put(struct cw_run_callback *c)
{
    struct cw_run_callback **at = &first;

    while (*at && !((*at)->queue == c->queue && c->before && (*at)->number >= c->before))
        at = &(*at)->next;
    if (!*at) {
        push(c);
        return;
    }
    c->event->calls_due++;
    c->number = (*at)->number - 1;
    c->next = *at;
    *at = c;
}

/* Whether the vendor's thread calls the program's function; else the callback thread does. */
static bool is_called_here(const struct cw_run_callback *c)
{
    return !started || cw_run.forked || (!c->before && c->queue->calls == c->queue->calls_over) ||
           (setting == c && in_callback());
}

static void CL_CALLBACK native_called(cl_event event, cl_int status, void *data)
{
    struct cw_run_callback *c = data;
    unsigned outer = cw_door_callback;

    cw_run_global_lock_take();
    c->status = status;
    if (c->queue && !is_called_here(c)) {
        take_out(c);
        put(c);
        cw_run_global_lock_give_in_callback();
        return;
    }
    c->begun = cw_run.sequence + 1;
    cw_run_global_lock_give_in_callback();
    in_native++;
    cw_door_callback = cw_door_depth + 1;
    c->function(event, status, c->data);
    cw_door_callback = outer;
    in_native--;
    cw_run_global_lock_take();
    if (c->queue) {
        take_out(c);
        c->event->calls_due++;
        delivered(c);
        cw_run_object_sweep();
    } else {
        free(c);
    }
    cw_run_global_lock_give_in_callback();
}

/* The record of the event of a native command of `q`; NULL: memory is out. */
static struct cw_run_event *native_record(cl_event event)
{
    struct cw_run_event *e = cw_run_record_find(event, CW_RUN_EVENT);

    if (!e && (e = cw_run_object_create(event, CW_RUN_EVENT)))
        e->what = CW_RUN_CALLED;
    return e;
}

/* The vendor has not taken it. Lock not held. */
static void refused(struct cw_run_callback *c)
{
    cw_run_global_lock_take();
    take_out(c);
    cw_run_object_unpin(&c->queue->r);
    cw_run_object_unpin(&c->event->r);
    cw_run_global_lock_give();
    free(c);
}

cl_int cw_run_callbacks_set_native(cl_event event, cl_int type,
                                   void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *data)
{
    struct cw_run_callback *c = function ? malloc(sizeof *c) : NULL;
    cl_command_queue handle = NULL;
    struct cw_run_queue *q;
    struct cw_run_event *e;
    cl_int err;

    cw_next.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof handle, &handle, NULL);
    cw_run_global_lock_take();
    q = c ? cw_run_record_find(handle, CW_RUN_QUEUE) : NULL;
    if (!q || !q->managed || cw_run.forked) {
        cw_run_global_lock_give();
        free(c);
        return cw_handoff_set(cw_native.clSetEventCallback, event, type, function, data);
    }
    e = native_record(event);
    if (!e) {
        cw_run_global_lock_give();
        free(c);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *c = (struct cw_run_callback){
        .function = function, .data = data, .type = type, .event = e, .queue = q, .next = q->natives};
    q->natives = c;
    cw_run_passing_measure(&q->passing, true);
    cw_run_record_pin(&q->r);
    cw_run_record_pin(&e->r);
    cw_run_global_lock_give();
    setting = c;
    err = cw_handoff_set(cw_native.clSetEventCallback, event, type, native_called, c);
    setting = NULL;
    if (err != CL_SUCCESS)
        refused(c);
    return err;
}

/* ---- waiting for them */

/* A callback that waits for itself would wait for ever. */
bool cw_run_callback_may_wait(void)
{
    return started && !cw_run.forked && !in_callback();
}

bool cw_run_callback_is_due(struct cw_run_queue *q)
{
    if (CW_UNLIKELY(q->natives != NULL))
        natives_first(q, 0, 0);
    return q->calls_over != q->calls && cw_run_callback_may_wait();
}

/* Pending callbacks are delivered first; a callback that takes long is left behind, as threads of vendors
 * are.
 */
void cw_run_callback_stop(void)
{
    struct timespec until;
    bool join;

    cw_run_global_lock_take();
    join = started && !pthread_equal(thread, pthread_self());
    started = false;
    quit = true;
    pthread_cond_signal(&wake);
    cw_run_global_lock_give();
    if (join) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += LONGEST_S;
        pthread_timedjoin_np(thread, NULL, &until);
    }
}
