/* capture_gates.c - the queues whose commands may wait for user events that are not set.
 *
 * A command that waits for a user event holds back the commands behind it in its queue, and the commands that
 * wait for its event. The granularity is the queue: all commands of a queue count as held back from the first
 * on. */
#include "capture.h"
#include "../door/lock_order.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct gate {
    struct gate *next;
    const void *queue;
    uint64_t user; /* the user event's number */
};
static struct gate *gates;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, CAPTURE_GATES)

void cw_capture_gates_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    gates = NULL; /* the parent's */
}

/* The lock is held. */
static void add(const void *queue, uint64_t user)
{
    int saved = errno;
    struct gate *g;

    for (g = gates; g && (g->queue != queue || g->user != user); g = g->next)
        ;
    if (g)
        return;
    g = malloc(sizeof *g);
    errno = saved;
    if (!g) {
        cw_log_stop("out of memory");
        return;
    }
    *g = (struct gate){gates, queue, user};
    gates = g;
}

void cw_capture_gate(cl_command_queue queue, cl_uint waits, const cl_event *wait_list)
{
    struct cw_object *o;
    struct gate *g;

    for (cl_uint i = 0; wait_list && i < waits; i++) {
        o = cw_object_find(wait_list[i], CW_LOG_O_EVENT);
        pthread_mutex_lock(&lock);
        if (o && o->flags & CW_OBJECT_USER_EVENT && !(o->flags & CW_OBJECT_SET))
            add(queue, o->seq);
        for (g = o && o->owner && o->owner != queue ? gates : NULL; g; g = g->next)
            if (g->queue == o->owner)
                add(queue, g->user); /* at the head, behind which this loop is */
        pthread_mutex_unlock(&lock);
    }
}

void cw_capture_gate_set(struct cw_object *o)
{
    struct gate **link, *g;

    pthread_mutex_lock(&lock);
    atomic_fetch_or(&o->flags, CW_OBJECT_SET);
    for (link = &gates; (g = *link);)
        if (g->user == o->seq) {
            *link = g->next;
            free(g);
        } else {
            link = &g->next;
        }
    pthread_mutex_unlock(&lock);
}

bool cw_capture_gated(cl_command_queue queue)
{
    struct gate *g;

    pthread_mutex_lock(&lock);
    for (g = gates; g && g->queue != queue; g = g->next)
        ;
    pthread_mutex_unlock(&lock);
    return g;
}

/* The wait of a release for the commands of a queue, which bare does not have. Where a
 * kernel may wait in a loop for the program's next call, it is bounded. */

enum { MOST_MS = 5000, LATER_MS = 50 /* once that was not enough */ };

static _Atomic bool may_poll, has_given_up;

static bool has_any(const char *text, size_t n, const char *const *words)
{
    while (*words && !memmem(text, n, *words, strlen(*words)))
        words++;
    return *words;
}

void cw_capture_program(cl_uint count, const char **strings, const size_t *lengths)
{
    static const char *const reads[] = {"volatile", "atom", "fence", "barrier", NULL};

    for (cl_uint i = 0; i < count; i++)
        if (!strings || has_any(strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]), reads))
            may_poll = true;
}

static bool is_over(cl_event event)
{
    cl_int status = CL_COMPLETE;

    return cw_traced.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) !=
               CL_SUCCESS ||
           status <= CL_COMPLETE;
}

bool cw_capture_finish(cl_command_queue queue)
{
    int left = has_given_up ? LATER_MS : MOST_MS;
    cl_event event;

    if (!may_poll) {
        cw_traced.clFinish(queue);
        return true;
    }
    if (cw_traced.clEnqueueMarkerWithWaitList(queue, 0, NULL, &event) != CL_SUCCESS)
        return false;
    cw_traced.clFlush(queue);
    for (; left && !is_over(event); left--)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    has_given_up |= !left;
    cw_traced.clReleaseEvent(event);
    return left;
}
