/* content.c - copies from a buffer with a content size (PoCL's extension cl_pocl_content_size): of its bytes
 * only the first so many are there, and another buffer holds that number when the copy runs.
 *
 * PoCL 3.1 looks for the number at the place of a device by its own number, not by that of its memory, and
 * crashes for every device but the first of all that it has; helpers come before the program's own
 * (device_board.h). Where there are any, such a copy is a native kernel that does the same. Once the
 * program has asked for the function, all commands pass through.
 *
 * From 7.0 on a native kernel must not name a buffer twice, nor one that has sub-buffers: it gets the
 * addresses of maps. */

#include <string.h>
#include <pthread.h>
#include <stdlib.h>

#include "../../device/device_board.h"
#include "../../door/lock_order.h"
#include "content.h"

typedef cl_int(CL_API_CALL *set_size)(cl_mem buffer, cl_mem size);

struct content {
    struct content *next;
    cl_mem buffer, size;
};
static struct content *list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, CONTENT)
static set_size vendors;
static bool separate; /* CW_VENDOR_SEPARATE_PARTS */
bool cw_run_content_any;

/* Removes the entries of buffer `memory` and, if `gone`, those with it as size. */
static void forget(cl_mem memory, bool gone)
{
    for (struct content **at = &list, *c; (c = *at);)
        if (c->buffer == memory || (gone && c->size == memory)) {
            *at = c->next;
            free(c);
        } else {
            at = &c->next;
        }
}

static void CL_CALLBACK destroyed(cl_mem memory, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    forget(memory, true);
    pthread_mutex_unlock(&lock);
}

static cl_int CL_API_CALL set_content_size(cl_mem buffer, cl_mem size)
{
    cl_int err = vendors(buffer, size);
    struct content *c = err == CL_SUCCESS ? malloc(sizeof *c) : NULL;

    if (!c)
        return err == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : err;
    *c = (struct content){.buffer = buffer, .size = size};
    cw_next.clSetMemObjectDestructorCallback(buffer, destroyed, NULL);
    cw_next.clSetMemObjectDestructorCallback(size, destroyed, NULL);
    pthread_mutex_lock(&lock);
    forget(buffer, false);
    forget(size, false); /* as the vendor does */
    c->next = list;
    list = c;
    __atomic_store_n(&cw_run_content_any, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return err;
}

void *cw_run_content(void *vendor)
{
    const struct cw_board *b = cw_device_board();

    if (!b || !b->filtered)
        return vendor;
    vendors = (set_size)vendor;
    separate = b->n_own && cw_device_traits(b->own[0]) & CW_VENDOR_SEPARATE_PARTS;
    return (void *)set_content_size;
}

static cl_mem size_of(cl_mem buffer)
{
    cl_mem size = NULL;

    pthread_mutex_lock(&lock);
    for (const struct content *c = list; c && !size; c = c->next)
        size = c->buffer == buffer ? c->size : NULL;
    pthread_mutex_unlock(&lock);
    return size;
}

/* ---- the copy */

/* The buffer that `*memory` is a part of takes its place; false: those bytes are not there. */
static bool find_root(cl_mem *memory, size_t *offset, size_t bytes)
{
    cl_mem root = NULL;
    size_t origin = 0, capacity = 0;

    if (cw_next.clGetMemObjectInfo(*memory, CL_MEM_SIZE, sizeof capacity, &capacity, NULL) != CL_SUCCESS ||
        *offset > capacity || bytes > capacity - *offset)
        return false;
    cw_next.clGetMemObjectInfo(*memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof root, &root, NULL);
    cw_next.clGetMemObjectInfo(*memory, CL_MEM_OFFSET, sizeof origin, &origin, NULL);
    *offset += origin;
    *memory = root ? root : *memory;
    return true;
}

static cl_context context_of(cl_mem memory)
{
    cl_context context = NULL;

    cw_next.clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    return context;
}

/* False: the vendor reports the error. */
static bool is_right(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                     size_t bytes)
{
    cl_context context = NULL;

    if (cw_next.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS)
        return false;
    return bytes && context_of(from) == context && context_of(to) == context &&
           (from != to || from_offset + bytes <= to_offset || to_offset + bytes <= from_offset);
}

struct copy {
    const char *from;
    char *to;
    const uint64_t *content;
    size_t from_offset, to_offset, bytes;
};

static void CL_CALLBACK copy_content(void *args)
{
    const struct copy *c = args;
    uint64_t there = *c->content > c->from_offset ? *c->content - c->from_offset : 0;

    memcpy(c->to + c->to_offset, c->from + c->from_offset, there < c->bytes ? there : c->bytes);
}

/* Memories: from, to, with the number. The maps need not wait: an address stays. */
static cl_int copy_mapped(const struct cw_run_native *x, cl_command_queue queue, const cl_mem memories[3],
                          struct copy *c)
{
    const size_t bytes[3] = {c->from_offset + c->bytes, c->to_offset + c->bytes, sizeof *c->content};
    void *at[3];
    cl_event done = NULL;
    cl_int err = CL_SUCCESS;
    int n = 0;

    for (; n < 3 && err == CL_SUCCESS; n += err == CL_SUCCESS)
        at[n] =
            cw_native.clEnqueueMapBuffer(queue, memories[n], CL_FALSE, n == 1 ? CL_MAP_WRITE : CL_MAP_READ, 0,
                                         bytes[n], 0, NULL, NULL, &err);
    if (err == CL_SUCCESS) {
        c->from = at[0];
        c->to = at[1];
        c->content = at[2];
        err = cw_native.clEnqueueNativeKernel(queue, copy_content, c, sizeof *c, 0, NULL, NULL, x->n, x->list,
                                              &done);
    }
    while (n--)
        cw_native.clEnqueueUnmapMemObject(queue, memories[n], at[n], !!done, done ? &done : NULL, NULL);
    if (x->event)
        *x->event = done;
    else if (done)
        cw_native.clReleaseEvent(done);
    return err;
}

cl_int cw_run_content_copy(struct cw_run_native *x, cl_command_queue queue, cl_mem from, cl_mem to,
                           size_t from_offset, size_t to_offset, size_t bytes)
{
    cl_mem memories[3] = {from, to};
    struct copy c = {.from_offset = from_offset, .to_offset = to_offset, .bytes = bytes};
    const void *places[3] = {&c.from, &c.to, &c.content};

    if (!find_root(&memories[0], &c.from_offset, bytes) || !find_root(&memories[1], &c.to_offset, bytes) ||
        !(memories[2] = size_of(separate ? from : memories[0])) ||
        !is_right(queue, memories[0], memories[1], c.from_offset, c.to_offset, bytes))
        return cw_native.clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, x->n, x->list,
                                             x->event);
    x->type = CL_COMMAND_COPY_BUFFER;
    if (!separate)
        return cw_native.clEnqueueNativeKernel(queue, copy_content, &c, sizeof c, 3, memories, places, x->n,
                                               x->list, x->event);
    c = (struct copy){.from_offset = from_offset, .to_offset = to_offset, .bytes = bytes};
    return copy_mapped(x, queue, (cl_mem[]){from, to, memories[2]}, &c);
}
