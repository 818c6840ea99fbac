/* capture_memory.c - initial and final contents of memory objects. */
#include "capture.h"
#include "../door/lock_order.h"
#include "../door/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* A memory object whose final contents are still to be stored, or that keeps its root from ending. */
struct cw_tracked {
    struct cw_tracked *next, *root; /* root: itself, or the object that it is a part of */
    cl_mem memory;
    cl_context context;
    uint32_t id, generation; /* of the log that has it; 0: its final contents are there */
    unsigned users;          /* of a root: references of the program to it or to its parts */
    uint64_t queues;         /* of a root: those that parts which are gone were used in, as queue_bit */
    bool image;
    size_t bytes, region[3]; /* region: images, pixels */
    struct cw_watch *watch;  /* of host memory, or NULL */
};
static struct cw_tracked *list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, CAPTURE_MEMORY)
static _Atomic uint64_t used_anything; /* queues of commands that may use every object, as queue_bit */
static __thread int in_callback __attribute__((tls_model("initial-exec")));

void cw_capture_memory_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    list = NULL; /* not described in the child's log as captured */
}

void cw_capture_in_callback(int change)
{
    in_callback += change;
}

static void write_contents(uint32_t id, bool final, const struct cw_layout *l)
{
    uint64_t offset, bytes;
    struct cw_rec r;

    if (!cw_capture_bytes(l, &offset, &bytes))
        return;
    cw_log_rec_begin(&r);
    cw_rec_u(&r, id);
    cw_rec_u(&r, final);
    cw_rec_u(&r, bytes);
    cw_rec_u(&r, offset);
    cw_log_rec_commit(&r, CW_LOG_CONTENTS);
}

/* ---- creation */

/* NULL: it is not tracked. Lock held. */
static struct cw_tracked *of(const struct cw_object *o)
{
    return o && o->tracked && o->tracked->generation == cw_log_generation ? o->tracked : NULL;
}

/* Asks the vendor for the kind of `memory`. Returns false for kinds that are not captured (pipes). */
static bool describe(struct cw_tracked *t, cl_mem memory, cl_mem *parent)
{
    static const cl_image_info what[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH};
    cl_mem_object_type type = 0;
    size_t array = 0;
    int i;

    *parent = NULL;
    if (cw_traced.clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof type, &type, NULL) != CL_SUCCESS ||
        cw_traced.clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof t->context, &t->context, NULL) !=
            CL_SUCCESS ||
        cw_traced.clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof t->bytes, &t->bytes, NULL) != CL_SUCCESS ||
        type == CL_MEM_OBJECT_PIPE)
        return false;
    cw_traced.clGetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof *parent, parent, NULL);
    t->memory = memory;
    t->image = type != CL_MEM_OBJECT_BUFFER;
    if (!t->image)
        return true;
    for (i = 0; i < 3; i++)
        cw_traced.clGetImageInfo(memory, what[i], sizeof t->region[i], &t->region[i], NULL);
    cw_traced.clGetImageInfo(memory, CL_IMAGE_ARRAY_SIZE, sizeof array, &array, NULL);
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        t->region[1] = array;
    if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        t->region[2] = array;
    for (i = 1; i < 3; i++)
        t->region[i] = t->region[i] ? t->region[i] : 1;
    return true;
}

static void track(struct cw_object *o, struct cw_tracked *t, cl_mem parent)
{
    struct cw_tracked *p;

    pthread_mutex_lock(&lock);
    p = of(cw_object_find(parent, CW_LOG_O_MEMORY));
    t->root = p ? p->root : t;
    t->root->users++;
    t->next = list;
    list = t;
    o->tracked = t;
    pthread_mutex_unlock(&lock);
}

void cw_capture_created(cl_mem memory, const void *host_ptr, size_t row_pitch, size_t slice_pitch)
{
    struct cw_object *o = cw_known(memory, CW_LOG_O_MEMORY);
    struct cw_tracked *t = calloc(1, sizeof *t);
    struct cw_layout l;
    cl_mem_flags flags = 0;
    cl_mem parent;

    if (!t)
        cw_log_stop("out of memory");
    if (!o || !t || !describe(t, memory, &parent)) {
        free(t);
        return;
    }
    t->id = o->id;
    t->generation = cw_log_generation;
    track(o, t, parent);
    cw_traced.clGetMemObjectInfo(memory, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (parent || !host_ptr || !(flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)))
        return;
    l = (struct cw_layout){host_ptr, t->bytes, 1, 1, 0, 0};
    if (t->image)
        l = (struct cw_layout){host_ptr,     t->region[0] * cw_capture_element(memory),
                               t->region[1], t->region[2],
                               row_pitch,    slice_pitch};
    write_contents(o->id, false, &l);
    if (flags & CL_MEM_USE_HOST_PTR)
        t->watch = cw_capture_host_watch(memory, &l, t->image);
}

/* ---- the queues that use an object */

/* Queues whose numbers differ by a multiple of 64 count as one. */
static uint64_t queue_bit(const struct cw_object *queue)
{
    return UINT64_C(1) << (queue->id % 64);
}

void cw_capture_used(cl_command_queue queue, cl_mem memory)
{
    struct cw_object *q = cw_object_find(queue, CW_LOG_O_QUEUE);
    struct cw_object *m = memory ? cw_object_find(memory, CW_LOG_O_MEMORY) : NULL;

    if (q && !memory)
        atomic_fetch_or(&used_anything, queue_bit(q));
    else if (q && m)
        __atomic_fetch_or(&m->seq, queue_bit(q), __ATOMIC_RELAXED);
}

static uint64_t queues_of(cl_mem memory)
{
    struct cw_object *m = cw_object_find(memory, CW_LOG_O_MEMORY);

    return m ? __atomic_load_n(&m->seq, __ATOMIC_RELAXED) : 0;
}

/* Those of a root and of its parts. */
static uint64_t queues_of_root(const struct cw_tracked *root)
{
    uint64_t queues = root->queues | queues_of(root->memory) | used_anything;

    pthread_mutex_lock(&lock);
    for (struct cw_tracked *t = list; t; t = t->next)
        queues |= t->root == root ? queues_of(t->memory) : 0;
    pthread_mutex_unlock(&lock);
    return queues;
}

/* ---- reading back */

void cw_capture_queue_released(cl_command_queue queue)
{
    if (cw_capture_gated(queue) || in_callback)
        return;
    if (!cw_capture_finish(queue))
        return;
    cw_capture_finished();
    cw_capture_queue_idle(queue, UINT64_MAX);
}

/* The state of the queues of an object's context. */
struct queues {
    cl_context context;
    uint64_t users;  /* as queue_bit */
    bool held;       /* commands that may use the object may wait for a user event that is not set */
    bool unfinished; /* a command has not ended, and may wait for the program */
};

static void look_at_queue(struct cw_object *o, void *data)
{
    struct queues *q = data;

    if (o->owner == q->context && q->users & queue_bit(o) &&
        cw_capture_gated((cl_command_queue)cw_object_handle(o)))
        q->held = true;
}

/* Queues that are held back have no commands on the object. */
static void finish_queue(struct cw_object *o, void *data)
{
    struct queues *q = data;
    const void *handle = cw_object_handle(o);

    if (o->owner != q->context)
        return;
    if (cw_capture_gated((cl_command_queue)handle))
        cw_traced.clFlush((cl_command_queue)handle);
    else if (!cw_capture_finish((cl_command_queue)handle))
        q->unfinished = true;
}

static void finish_queues(struct queues *q)
{
    cw_object_each(CW_LOG_O_QUEUE, finish_queue, q);
    cw_capture_finished();
}

static cl_device_id first_device(cl_context context)
{
    cl_device_id *devices = NULL, first = NULL;
    size_t bytes = 0;

    if (cw_traced.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes) == CL_SUCCESS && bytes)
        devices = malloc(bytes);
    if (devices &&
        cw_traced.clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices, NULL) == CL_SUCCESS)
        first = devices[0];
    free(devices);
    return first;
}

/* For objects that the host may not read: a copy that it may. */
static cl_int read_copy(cl_command_queue queue, const struct cw_tracked *t, size_t bytes, void *to)
{
    static const size_t origin[3];
    cl_int status;
    cl_mem copy = cw_traced.clCreateBuffer(t->context, CL_MEM_READ_WRITE, bytes, NULL, &status);

    if (!copy)
        return status;
    status = t->image ? cw_traced.clEnqueueCopyImageToBuffer(queue, t->memory, copy, origin, t->region, 0, 0,
                                                             NULL, NULL)
                      : cw_traced.clEnqueueCopyBuffer(queue, t->memory, copy, 0, 0, bytes, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = cw_traced.clEnqueueReadBuffer(queue, copy, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
    cw_traced.clReleaseMemObject(copy);
    return status;
}

/* Stores the contents of a root object, after everything that was enqueued in its context. A queue of our own
 * is made and released for it: a kept one would show in the context's reference count. */
static void read_into(const struct cw_tracked *t, char *to, size_t bytes)
{
    static const size_t origin[3];
    cl_command_queue queue;
    cl_int status = CL_SUCCESS;
    struct cw_layout l = {to, bytes, 1, 1, 0, 0};

    queue = cw_traced.clCreateCommandQueue(t->context, first_device(t->context), 0, &status);
    if (queue && t->image)
        status = cw_traced.clEnqueueReadImage(queue, t->memory, CL_TRUE, origin, t->region, 0, 0, to, 0, NULL,
                                              NULL);
    else if (queue)
        status = cw_traced.clEnqueueReadBuffer(queue, t->memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
    if (queue && status == CL_INVALID_OPERATION)
        status = read_copy(queue, t, bytes, to);
    if (queue && status == CL_SUCCESS)
        write_contents(t->id, true, &l);
    if (queue)
        cw_traced.clReleaseCommandQueue(queue);
}

/* at_exit: else the program releases it. */
static void read_back(const struct cw_tracked *t, bool at_exit)
{
    size_t bytes =
        t->image ? t->region[0] * t->region[1] * t->region[2] * cw_capture_element(t->memory) : t->bytes;
    struct queues queues = {.context = t->context, .users = queues_of_root(t)};
    char *to = NULL;

    cw_object_each(CW_LOG_O_QUEUE, look_at_queue, &queues);
    if (!queues.held && !in_callback)
        finish_queues(&queues);
    if (!queues.held && !in_callback && !queues.unfinished)
        to = malloc(bytes ? bytes : 1);
    if (!to) {
        cw_log_warning("contents of a memory object of %zu bytes at its end are not captured: %s", bytes,
                       in_callback && at_exit ? "the program ends in a callback"
                       : in_callback          ? "it was released in a callback"
                       : queues.held          ? "commands on it may wait for a user event that is not set"
                       : queues.unfinished    ? "a command of its context has not ended"
                                              : "out of memory");
        return;
    }
    read_into(t, to, bytes);
    free(to);
}

static void untrack(struct cw_tracked *t)
{
    struct cw_tracked **link;

    for (link = &list; *link && *link != t; link = &(*link)->next)
        ;
    if (*link)
        *link = t->next;
}

void cw_capture_released(struct cw_object *memory)
{
    struct cw_tracked *t, *root = NULL;
    int saved = errno;

    pthread_mutex_lock(&lock);
    t = of(memory);
    memory->tracked = NULL;
    if (t)
        t->root->queues |= queues_of(t->memory);
    if (t && !--t->root->users) {
        root = t->root;
        untrack(root);
    }
    if (t && t != t->root)
        untrack(t);
    pthread_mutex_unlock(&lock);
    if (root) {
        read_back(root, false);
        cw_capture_host_unwatch(root->watch);
    }
    if (t && t != t->root)
        free(t);
    free(root);
    errno = saved;
}

void cw_capture_exit(void)
{
    struct cw_tracked *t;

    do {
        pthread_mutex_lock(&lock);
        for (t = list; t && t->root != t; t = t->next)
            ;
        if (t) {
            untrack(t);
            t->generation = 0;
        }
        pthread_mutex_unlock(&lock);
        if (t)
            read_back(t, true); /* not freed: parts of it may still name it */
    } while (t);
}
