/* content.c - copies from a buffer with a content size (PoCL's extension cl_pocl_content_size): of its bytes
 * only the first so many are there, and another buffer holds that number when the copy runs.
 *
 * PoCL 3.1 looks for the number at the place of a device by its own number, not by that of its memory, and
 * crashes for every device but the first of all that it has; helpers come before the program's own
 * (device_board.h). Where there are any, such a copy is a native kernel that does the same. Once the
 * program has asked for the function, all commands pass through.
 *
 * It names no buffer, and gets the addresses of maps: PoCL 3.1 gives it the wrong ones of buffers that no
 * managed command has used, and from 7.0 on none may be named twice, nor one that has sub-buffers. */

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

/* Bytes of one of the memories of a copy. */
struct mapped {
    cl_mem memory, own; /* own: a copy of the bytes, as the host may not map `memory`; NULL: it may */
    size_t offset, bytes;
    bool written;
    char *at; /* of the first of them; NULL: not mapped */
};

static bool may_map(const struct mapped *m)
{
    cl_mem_flags flags = 0, closed = CL_MEM_HOST_NO_ACCESS |
                                     (m->written ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);

    cw_next.clGetMemObjectInfo(m->memory, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    return !(flags & closed);
}

/* To or from m->own. By a rectangle: the vendor's copies of those heed no content size. */
static cl_int copy_own(const struct mapped *m, cl_command_queue queue, bool back, cl_uint n,
                       const cl_event *list, cl_event *event)
{
    const size_t there[3] = {m->offset}, here[3] = {0}, region[3] = {m->bytes, 1, 1};

    return back ? cw_native.clEnqueueCopyBufferRect(queue, m->own, m->memory, here, there, region, 0, 0, 0, 0,
                                                    n, list, event)
                : cw_native.clEnqueueCopyBufferRect(queue, m->memory, m->own, there, here, region, 0, 0, 0, 0,
                                                    n, list, event);
}

/* Sets m->at. The maps need not wait: an address stays. Adds to `list` the event that the address's first
 * user waits for. */
static cl_int map(struct mapped *m, cl_command_queue queue, const struct cw_run_native *x, cl_event *list,
                  cl_uint *n)
{
    cl_int err = CL_SUCCESS;

    if (!may_map(m)) {
        m->own = cw_native.clCreateBuffer(context_of(m->memory), CL_MEM_READ_WRITE, m->bytes, NULL, &err);
        if (err == CL_SUCCESS)
            err = copy_own(m, queue, false, x->n, x->list, &list[*n]);
        *n += err == CL_SUCCESS;
    }
    if (err == CL_SUCCESS)
        m->at = cw_native.clEnqueueMapBuffer(queue, m->own ? m->own : m->memory, CL_FALSE,
                                             m->written ? CL_MAP_WRITE : CL_MAP_READ, m->own ? 0 : m->offset,
                                             m->bytes, 0, NULL, NULL, &err);
    return err;
}

/* After *done, which is then the last event. */
static void unmap(const struct mapped *m, cl_command_queue queue, cl_event *done)
{
    cl_event before = *done;

    if (m->at)
        cw_native.clEnqueueUnmapMemObject(queue, m->own ? m->own : m->memory, m->at, !!before,
                                          before ? &before : NULL, NULL);
    if (m->own && m->written && before && copy_own(m, queue, true, 1, &before, done) == CL_SUCCESS)
        cw_native.clReleaseEvent(before);
    if (m->own)
        cw_native.clReleaseMemObject(m->own);
}

/* Memories: from, to, with the number. */
static cl_int copy_mapped(const struct cw_run_native *x, cl_command_queue queue, const cl_mem memories[3],
                          struct copy *c)
{
    struct mapped m[3] = {{.memory = memories[0], .offset = c->from_offset, .bytes = c->bytes},
                          {.memory = memories[1], .offset = c->to_offset, .bytes = c->bytes, .written = true},
                          {.memory = memories[2], .bytes = sizeof *c->content}};
    cl_event done = NULL, *list = calloc(x->n + 3, sizeof(cl_event));
    cl_int err = list ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    cl_uint n = x->n;

    for (cl_uint i = 0; list && i < x->n; i++)
        list[i] = x->list[i];
    for (int i = 0; i < 3 && err == CL_SUCCESS; i++)
        err = map(&m[i], queue, x, list, &n);
    if (err == CL_SUCCESS) {
        c->from = m[0].at - c->from_offset;
        c->to = m[1].at - c->to_offset;
        c->content = (const uint64_t *)(void *)m[2].at;
        err = cw_native.clEnqueueNativeKernel(queue, copy_content, c, sizeof *c, 0, NULL, NULL, n,
                                              n ? list : NULL, &done);
    }
    for (cl_uint i = x->n; i < n; i++)
        cw_native.clReleaseEvent(list[i]);
    for (int i = 0; i < 3; i++)
        unmap(&m[2 - i], queue, &done);
    if (x->event)
        *x->event = done;
    else if (done)
        cw_native.clReleaseEvent(done);
    free(list);
    return err;
}

cl_int cw_run_content_copy(struct cw_run_native *x, cl_command_queue queue, cl_mem from, cl_mem to,
                           size_t from_offset, size_t to_offset, size_t bytes)
{
    cl_mem memories[3] = {from, to};
    struct copy c = {.from_offset = from_offset, .to_offset = to_offset, .bytes = bytes};

    if (!find_root(&memories[0], &c.from_offset, bytes) || !find_root(&memories[1], &c.to_offset, bytes) ||
        !(memories[2] = size_of(separate ? from : memories[0])) ||
        !is_right(queue, memories[0], memories[1], c.from_offset, c.to_offset, bytes))
        return cw_native.clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, x->n, x->list,
                                             x->event);
    x->type = CL_COMMAND_COPY_BUFFER;
    if (separate) {
        memories[0] = from;
        memories[1] = to;
        c = (struct copy){.from_offset = from_offset, .to_offset = to_offset, .bytes = bytes};
    }
    return copy_mapped(x, queue, memories, &c);
}
