/* heldcl.c - an OpenCL layer that stands for a vendor which calls back for CL_SUBMITTED with a lock held that
 * each of its queries of an event takes: as PoCL, of one event. Its thread that calls back waits, with the
 * lock, until another thread wants it, or for a while: so the two always meet. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define EXPORT  __attribute__((visibility("default")))
#define LONG_MS 100 /* a thread that asks about events while commands are enqueued comes much sooner */

struct call {
    struct call *next;
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
    cl_event event; /* retained */
};

static const struct _cl_icd_dispatch *next;
static struct _cl_icd_dispatch table;
static pthread_mutex_t vendor = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static atomic_uint wanting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct call *first, **end = &first;

static cl_int CL_API_CALL info(cl_event event, cl_event_info name, size_t room, void *to, size_t *bytes)
{
    cl_int err;

    atomic_fetch_add(&wanting, 1);
    pthread_mutex_lock(&vendor);
    atomic_fetch_sub(&wanting, 1);
    err = next->clGetEventInfo(event, name, room, to, bytes);
    pthread_mutex_unlock(&vendor);
    return err;
}

static void call_back(const struct call *c)
{
    pthread_mutex_lock(&vendor);
    for (int ms = 0; ms < LONG_MS && !atomic_load(&wanting); ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    c->function(c->event, CL_SUBMITTED, c->data);
    pthread_mutex_unlock(&vendor);
    next->clReleaseEvent(c->event);
}

static void *work(void *unused)
{
    struct call *c;

    for (;;) {
        pthread_mutex_lock(&lock);
        while (!(c = first))
            pthread_cond_wait(&wake, &lock);
        first = c->next;
        if (!first)
            end = &first;
        pthread_mutex_unlock(&lock);
        call_back(c);
        free(c);
    }
    return unused;
}

static void CL_CALLBACK submitted(cl_event event, cl_int status, void *data)
{
    struct call *c = data;

    (void)status;
    next->clRetainEvent(event);
    c->event = event;
    pthread_mutex_lock(&lock);
    *end = c;
    end = &c->next;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
}

static cl_int CL_API_CALL set(cl_event event, cl_int type,
                              void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *data)
{
    struct call *c = type == CL_SUBMITTED && function ? calloc(1, sizeof *c) : NULL;

    if (!c)
        return next->clSetEventCallback(event, type, function, data);
    c->function = function;
    c->data = data;
    return next->clSetEventCallback(event, type, submitted, c);
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t room, void *value, size_t *bytes)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

    if (name != CL_LAYER_API_VERSION || (value && room < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        *(cl_layer_api_version *)value = version;
    if (bytes)
        *bytes = sizeof version;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
                                      cl_uint *entries_out, const struct _cl_icd_dispatch **out)
{
    pthread_t thread;

    if (entries < sizeof table / sizeof(void *) || pthread_create(&thread, NULL, work, NULL))
        return CL_INVALID_VALUE;
    pthread_detach(thread);
    next = target;
    table = *target;
    table.clGetEventInfo = info;
    table.clSetEventCallback = set;
    *out = &table;
    *entries_out = sizeof table / sizeof(void *);
    return CL_SUCCESS;
}
