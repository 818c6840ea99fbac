/* event.c - events of the null driver, and its clock. */
#include "nullcl.h"

#include <dlfcn.h>
#include <time.h>

static pthread_mutex_t event_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t event_set = PTHREAD_COND_INITIALIZER;
static atomic_ullong clock_ns = 1000000;
static _Atomic uint64_t *played; /* of libplayed.so; NULL: it is not there */
static uint64_t call_ns, event_ns;

cl_ulong nullcl_clock(void)
{
    return atomic_fetch_add_explicit(&clock_ns, 10, memory_order_relaxed);
}

static uint64_t host_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void nullcl_spin(uint64_t over_ns)
{
    if (!over_ns || host_ns() >= over_ns)
        return;
    nullcl_log("spins");
    while (host_ns() < over_ns)
        ;
}

/* The command's, and that of a user event. */
static cl_int status_of(cl_event e)
{
    cl_int status = e->status;
    return status == CL_COMPLETE && e->over_ns && host_ns() < e->over_ns ? CL_RUNNING : status;
}

/* When a command that `queue` gets now is over. */
static uint64_t over_at(cl_command_queue queue, cl_command_type type)
{
    static const char *takes_us;
    static bool known;
    uint64_t now, before;
    if (!known) {
        takes_us = getenv("NULLCL_TAKES_US");
        known = true;
    }
    if (!takes_us)
        return 0;
    before = atomic_load(&queue->over_ns);
    now = host_ns();
    now = now > before ? now : before;
    if (type == CL_COMMAND_NDRANGE_KERNEL)
        now += strtoull(takes_us, NULL, 10) * 1000;
    atomic_store(&queue->over_ns, now);
    return now;
}

cl_int nullcl_complete(cl_command_queue queue, cl_command_type type, cl_ulong duration_ns, cl_event *event)
{
    cl_ulong start = atomic_fetch_add_explicit(&clock_ns, duration_ns + 30, memory_order_relaxed);
    if (played)
        atomic_fetch_add(played, call_ns + (event ? event_ns : 0));
    uint64_t over_ns = over_at(queue, type);
    if (!event)
        return CL_SUCCESS;
    cl_event e = nullcl_new(K_EVENT, sizeof *e);
    if (!e)
        return CL_OUT_OF_HOST_MEMORY;
    e->context = queue->context;
    e->queue = queue;
    nullcl.clRetainCommandQueue(queue);
    e->type = type;
    e->status = CL_COMPLETE;
    e->over_ns = over_ns;
    for (int i = 0; i < 3; i++)
        e->times[i] = start + 10 * (cl_ulong)i;
    e->times[3] = start + 20 + duration_ns;
    *event = e;
    return CL_SUCCESS;
}

static cl_event create_user_event(cl_context c, cl_int *errcode_ret)
{
    cl_event e = nullcl_is(c, K_CONTEXT) ? nullcl_new(K_EVENT, sizeof *e) : NULL;
    if (!e)
        return nullcl_fail(errcode_ret, CL_INVALID_CONTEXT);
    e->context = c;
    e->type = CL_COMMAND_USER;
    e->status = CL_SUBMITTED;
    nullcl_fail(errcode_ret, CL_SUCCESS);
    return e;
}

static cl_int set_user_event(cl_event e, cl_int status)
{
    if (!nullcl_is(e, K_EVENT) || e->type != CL_COMMAND_USER)
        return CL_INVALID_EVENT;
    if (status > 0)
        return CL_INVALID_VALUE;
    pthread_mutex_lock(&event_lock);
    bool was_set = e->status <= 0;
    struct callback *todo = was_set ? NULL : e->callbacks;
    if (!was_set) {
        e->status = status;
        e->callbacks = NULL;
        pthread_cond_broadcast(&event_set);
    }
    pthread_mutex_unlock(&event_lock);
    while (todo) {
        struct callback *next = todo->next;
        todo->f(e, status < 0 ? status : todo->type, todo->user_data);
        free(todo);
        todo = next;
    }
    return was_set ? CL_INVALID_OPERATION : CL_SUCCESS;
}

struct later {
    cl_event event;
    cl_int type;
    void(CL_CALLBACK *f)(cl_event, cl_int, void *);
    void *user_data;
};

static void *call(void *data)
{
    struct later l = *(struct later *)data;
    free(data);
    while (status_of(l.event) > l.type)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    l.f(l.event, l.type, l.user_data);
    nullcl.clReleaseEvent(l.event);
    return NULL;
}

/* On a thread of the driver. */
static cl_int call_later(cl_event e, cl_int type, void(CL_CALLBACK *f)(cl_event, cl_int, void *), void *data)
{
    struct later *l = malloc(sizeof *l);
    pthread_t thread;
    if (!l)
        return CL_OUT_OF_HOST_MEMORY;
    *l = (struct later){e, type, f, data};
    nullcl.clRetainEvent(e);
    if (pthread_create(&thread, NULL, call, l))
        return CL_OUT_OF_RESOURCES;
    return pthread_detach(thread);
}

static cl_int set_callback(cl_event e, cl_int type, void(CL_CALLBACK *f)(cl_event, cl_int, void *),
                           void *user_data)
{
    if (!nullcl_is(e, K_EVENT))
        return CL_INVALID_EVENT;
    if (!f)
        return CL_INVALID_VALUE;
    pthread_mutex_lock(&event_lock);
    bool now = e->status <= 0 || e->status <= type;
    struct callback *c = now ? NULL : malloc(sizeof *c);
    if (c) {
        *c = (struct callback){f, user_data, type, e->callbacks};
        e->callbacks = c;
    }
    pthread_mutex_unlock(&event_lock);
    if (now && status_of(e) > type)
        return call_later(e, type, f, user_data);
    if (now)
        f(e, e->status < 0 ? e->status : type, user_data);
    return CL_SUCCESS;
}

static cl_int wait(cl_uint n, const cl_event *events)
{
    cl_int result = CL_SUCCESS;
    if (!n || !events)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++) {
        if (!nullcl_is(events[i], K_EVENT))
            return CL_INVALID_EVENT;
        pthread_mutex_lock(&event_lock);
        while (events[i]->status > 0)
            pthread_cond_wait(&event_set, &event_lock);
        pthread_mutex_unlock(&event_lock);
        nullcl_spin(events[i]->over_ns);
        if (events[i]->status < 0)
            result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return result;
}

static cl_int event_info(cl_event e, cl_event_info name, size_t param_value_size, void *param_value,
                         size_t *param_value_size_ret)
{
    if (!nullcl_is(e, K_EVENT))
        return CL_INVALID_EVENT;
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE:
        REPLY(cl_command_queue, e->queue);
    case CL_EVENT_CONTEXT:
        REPLY(cl_context, e->context);
    case CL_EVENT_COMMAND_TYPE:
        REPLY(cl_command_type, e->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        REPLY(cl_int, status_of(e));
    case CL_EVENT_REFERENCE_COUNT:
        REPLY(cl_uint, e->o.refs);
    }
    return CL_INVALID_VALUE;
}

static cl_int profiling_info(cl_event e, cl_profiling_info name, size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    if (!nullcl_is(e, K_EVENT))
        return CL_INVALID_EVENT;
    if (!e->queue || !(e->queue->properties & CL_QUEUE_PROFILING_ENABLE) || status_of(e) > CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (name == CL_PROFILING_COMMAND_COMPLETE)
        name = CL_PROFILING_COMMAND_END;
    if (name < CL_PROFILING_COMMAND_QUEUED || name > CL_PROFILING_COMMAND_END)
        return CL_INVALID_VALUE;
    if (getenv("NULLCL_NO_CLOCK")) /* so does rusticl of Mesa 22.3 */
        REPLY(cl_ulong, name - CL_PROFILING_COMMAND_QUEUED);
    REPLY(cl_ulong, e->times[name - CL_PROFILING_COMMAND_QUEUED]);
}

static cl_int retain_event(cl_event e)
{
    return nullcl_retain(e, K_EVENT, CL_INVALID_EVENT);
}

static cl_int release_event(cl_event e)
{
    bool last;
    cl_int r = nullcl_release(e, K_EVENT, CL_INVALID_EVENT, &last);
    if (last && e->queue)
        nullcl.clReleaseCommandQueue(e->queue);
    if (last)
        nullcl_delete(e);
    return r;
}

static uint64_t setting(const char *name)
{
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 10) : 0;
}

void nullcl_fill_event(void)
{
    played = dlsym(RTLD_DEFAULT, "played_ns");
    call_ns = setting("NULLCL_CALL_NS");
    event_ns = setting("NULLCL_EVENT_NS");
    nullcl.clCreateUserEvent = create_user_event;
    nullcl.clSetUserEventStatus = set_user_event;
    nullcl.clSetEventCallback = set_callback;
    nullcl.clWaitForEvents = wait;
    nullcl.clGetEventInfo = event_info;
    nullcl.clGetEventProfilingInfo = profiling_info;
    nullcl.clRetainEvent = retain_event;
    nullcl.clReleaseEvent = release_event;
}
