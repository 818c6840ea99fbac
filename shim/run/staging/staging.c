/* staging.c - the drop-in functions: whether a transfer goes through the pool, and the transfers that
 * block. */
#include "staging.h"

#include "../../../analyzer/settings/options.h"
#include "../../device/device.h"
#include "../../door/clock.h"
#include "../../door/thread.h"
#include "../../door/log.h"
#include "../../trace/recorder.h"
#include "../core/thread.h"
#include "staging_choice.h"
#include "staging_count.h"
#include "staging_crew.h"
#include "staging_image.h"
#include "staging_later.h"
#include "staging_notes.h"
#include "staging_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK ((size_t)2 << 20)
#define LEAST (((size_t)8 << 20) + 1) /* bytes of a transfer that blocks; the vendor is as quick with fewer */
/* Of transfers that do not block: opening a gate takes .25 ms. */
#define LEAST_LATER_WRITE ((size_t)16 << 20)
#define LEAST_LATER_READ  ((size_t)32 << 20)
#define TURNS             3 /* tries to get a queue that other threads use, too */
#define LEAST_CHUNK       ((size_t)64 << 10)
#define SHARE             16             /* the pool takes that part of the machine's memory at most */
#define FORCED_CHUNK      ((size_t)4096) /* small, so that small transfers have many pieces */
enum { FORCED_THREADS = 3, MOST_THREADS = 64 };

static struct {
    bool forced;
    size_t chunk;
    struct cw_run_staging_choice choice; /* under the objects' lock */
    _Atomic uint64_t head_ns;            /* the shortest head so far; 0: there was none */
} staging = {.chunk = CHUNK};
static pthread_mutex_t *const lock = &cw_run_staging_objects_lock;

/* Threads by the setting; 0: off. False: it is impossible. */
static bool parse(const char *text, unsigned *threads)
{
    char *end;
    long n;

    if (!strcmp(text, "force"))
        *threads = FORCED_THREADS;
    else if (!strcmp(text, "off"))
        *threads = 0;
    else if (!strcmp(text, "auto"))
        *threads = cw_run_staging_choice_threads(cw_thread_processors());
    else {
        n = strtol(text, &end, 10);
        if (end == text || *end || n < 1 || n > MOST_THREADS)
            return false;
        *threads = (unsigned)n;
    }
    return true;
}

/* The pool takes so much of the machine's memory at most. */
static size_t chunk_for(unsigned threads)
{
    size_t pages = (size_t)sysconf(_SC_PHYS_PAGES), page = (size_t)sysconf(_SC_PAGESIZE), chunk = CHUNK;

    while (chunk > LEAST_CHUNK && 2 * chunk * threads > pages / SHARE * page)
        chunk /= 2;
    return chunk;
}

size_t cw_run_staging_least[2][2] = {{SIZE_MAX, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}};

bool cw_run_staging_start(const struct cw_options *options)
{
    static const size_t least[2][2] = {{LEAST_LATER_READ, LEAST}, {LEAST_LATER_WRITE, LEAST}};
    unsigned threads;

    if (!parse(options->staging, &threads)) {
        cw_log_error("CLWEAVE_STAGING is %s: auto, off, or 1 to %d threads are possible; passing every call "
                     "through unchanged",
                     options->staging, MOST_THREADS);
        return false;
    }
    staging.forced = !strcmp(options->staging, "force");
    staging.chunk = staging.forced ? FORCED_CHUNK : chunk_for(threads);
    threads = cw_limited() ? 0 : threads;
    for (int i = 0; threads && i < 4; i++)
        (&cw_run_staging_least[0][0])[i] = staging.forced ? 1 : (&least[0][0])[i];
    cw_run_staging_crew_configure(threads);
    return true;
}

/* A call of the program. */
struct call {
    struct cw_run_staging_job job;
    struct cw_run_staging_queue *queue;
    bool image; /* the shape comes in pixels */
    cl_bool blocking;
    cl_uint n;
    const cl_event *list;
    cl_event *event;
    size_t bytes;
    uint64_t given;           /* turns of the queue so far, with this call's own */
    bool alone;               /* no other turn was taken then: all of them have been enqueued */
    bool idle;                /* the queue has nothing under way, and the call waits for nothing */
    uint64_t vendor_since_ns; /* the vendor's call is to be measured from here on; 0: it is not */
};

/* The object's bytes are in the device's memory, and no address is known by which the host reaches
 * them: none of the program's own, and no map's. Parts need not show the flags of the whole. */
static bool is_of_device(cl_mem memory)
{
    cl_mem root = cw_run_staging_notes_root(memory);
    cl_mem_flags flags = 0;

    return cw_next.clGetMemObjectInfo(root, CL_MEM_FLAGS, sizeof flags, &flags, NULL) == CL_SUCCESS &&
           !(flags & CL_MEM_USE_HOST_PTR) &&
           !(flags & CL_MEM_ALLOC_HOST_PTR && cw_run_staging_notes_was_mapped(root));
}

/* The region lies in the buffer. */
static bool find_shape(cl_mem buffer, struct cw_run_staging_shape *s)
{
    cl_mem_object_type type = 0;
    size_t bytes = 0;

    return cw_next.clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof type, &type, NULL) == CL_SUCCESS &&
           type == CL_MEM_OBJECT_BUFFER &&
           cw_next.clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS &&
           cw_run_staging_pieces_check(s, bytes);
}

/* The buffer or image is one of the queue's context, and the region lies in it. */
static bool is_far(struct call *c)
{
    cl_mem memory = c->job.memory;
    cl_context context = NULL;

    return cw_next.clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL) == CL_SUCCESS &&
           context == c->queue->context->handle && is_of_device(memory) &&
           (c->image ? cw_run_staging_image_shape(memory, &c->job.shape) : find_shape(memory, &c->job.shape));
}

static void look_at_turns(struct call *c)
{
    c->given = atomic_load(&c->queue->given);
    c->alone = atomic_load(&c->queue->calls) <= 1;
}

static bool is_mapped(const void *host, size_t bytes)
{
    struct cw_run_staging_map m;

    return cw_run_staging_notes_meet((uintptr_t)host, (uintptr_t)host + bytes, false, &m);
}

/* The transfer may go through a pool. What is wrong about a call the vendor finds. */
static bool may_stage(struct call *c, cl_command_queue queue)
{
    if (!c->job.host || !c->job.memory || !c->n != !c->list ||
        cw_run_staging_is_small(cw_run_staging_pieces_bytes(&c->job.shape) *
                                    (c->image ? CW_RUN_STAGING_PIXEL : 1),
                                c->job.write, c->blocking))
        return false;
    c->queue = cw_run_staging_objects_may_open() ? cw_run_staging_objects_queue(queue) : NULL;
    if (!c->queue || !c->queue->context || !is_far(c))
        return false;
    look_at_turns(c);
    c->idle = !c->n && c->queue->in_order && atomic_load(&c->queue->idle) + 1 == c->given;
    c->bytes = cw_run_staging_pieces_bytes(&c->job.shape);
    return !cw_run_staging_is_small(c->bytes, c->job.write, c->blocking) &&
           !is_mapped(c->job.host, cw_run_staging_pieces_host_span(&c->job.shape));
}

static size_t pool_bytes(void)
{
    return 2 * cw_run_staging_crew_threads() * staging.chunk;
}

/* With the transfers so far a pool would have paid. */
static bool has_missed(const struct call *c)
{
    bool pays;

    pthread_mutex_lock(lock);
    pays = cw_run_staging_choice_missed(&staging.choice, c->bytes, pool_bytes());
    pthread_mutex_unlock(lock);
    return pays;
}

static bool makes_pool(const struct call *c)
{
    return cw_run_staging_pool_make(c->queue->context, c->queue->device, staging.chunk,
                                    cw_run_staging_crew_threads()) &&
           cw_run_staging_pool_enter();
}

/* There is no pool: it is made once the transfers so far would have paid for it, at once where this one pays
 * alone. A write that does not block holds its caller, too: until NVIDIA has read the pageable memory. */
static bool lacks_pool(const struct call *c)
{
    unsigned seats = cw_run_staging_crew_threads();
    bool holds = c->blocking || c->job.write,
         pays = holds && cw_run_staging_choice_pays_alone(c->bytes, pool_bytes());

    if ((staging.forced || pays) && makes_pool(c))
        return false;
    if (has_missed(c) && cw_run_staging_pool_is_wanted())
        cw_run_staging_later_wants_pool(c->queue->context, c->queue->device, staging.chunk, seats);
    return true;
}

/* What a head costs where it waits for nothing. */
static void took_head(uint64_t ns)
{
    uint64_t least = atomic_load(&staging.head_ns);

    while ((!least || ns < least) && !atomic_compare_exchange_weak(&staging.head_ns, &least, ns))
        ;
}

/* Waits as the transfer would. Out of order that is for its list alone: a blocking call may wait for all
 * other commands of the queue too (PoCL), which may wait for this transfer. */
static bool wait_for_head(const struct call *c, uint8_t *cell, cl_event *head)
{
    bool in_order = c->queue->in_order;

    if (cw_run_staging_crew_head(&c->job, c->queue->handle, in_order, cell, c->n, c->list, head) !=
        CL_SUCCESS)
        return false;
    if (in_order || cw_next.clWaitForEvents(1, head) == CL_SUCCESS)
        return true;
    cw_next.clReleaseEvent(*head);
    return false;
}

/* Crew and queue are this transfer's alone. The head comes first: the vendor checks it, and it waits as the
 * transfer would. An idle queue needs none, unless its times are asked for. False: they are not to be had, or
 * the vendor refuses the call. */
static bool has_turn(struct call *c, uint8_t *cell, cl_event *head)
{
    bool waits = !c->idle || (c->queue->profiled && c->event);
    uint64_t since;

    for (int i = 0; i < TURNS; i++) {
        look_at_turns(c);
        *head = NULL;
        since = cw_now_ns();
        if ((waits || i) && !wait_for_head(c, cell, head))
            return false;
        if (*head)
            took_head(cw_now_ns() - since);
        if (c->alone && cw_run_staging_crew_take(staging.forced)) {
            if (cw_run_staging_objects_open(c->queue, &c->job, c->given))
                return true;
            cw_run_staging_crew_give();
        }
        if (*head)
            cw_next.clReleaseEvent(*head);
    }
    return false;
}

static void measured(const struct call *c, enum cw_run_staging_way way, uint64_t since_ns)
{
    double ns = (double)(cw_now_ns() - since_ns), vendor_ns;

    pthread_mutex_lock(lock);
    cw_run_staging_choice_measured(&staging.choice, c->job.write, c->bytes, way, ns);
    vendor_ns = cw_run_staging_choice_vendor_ns(&staging.choice, c->job.write, c->bytes);
    pthread_mutex_unlock(lock);
    if (way == CW_RUN_STAGING_STAGED)
        cw_run_staging_count(c->job.write, c->bytes, ns, vendor_ns);
}

/* The calling thread waits for the queue, has it to itself, and takes part in the transfer. The pool is
 * entered. */
static bool transfer(struct call *c, uint8_t *cell)
{
    cl_event head, last = NULL;
    uint64_t since;
    bool done;

    c->job.queue = c->queue->handle;
    c->job.turn = c->queue;
    if (!has_turn(c, cell, &head))
        return false;
    since = cw_now_ns();
    done = cw_run_staging_crew_run(&c->job, &last);
    cw_run_staging_crew_give();
    if (done)
        measured(c, CW_RUN_STAGING_STAGED, since - (head ? atomic_load(&staging.head_ns) : 0));
    if (done)
        cw_run_staging_notes_new(last);
    if (done && c->event && c->queue->profiled)
        cw_run_staging_notes_times(last, head);
    if (head)
        cw_next.clReleaseEvent(head);
    if (done && c->event)
        *c->event = last;
    else if (done)
        cw_next.clReleaseEvent(last);
    return done;
}

static bool blocks(struct call *c)
{
    uint8_t *cell = cw_run_staging_pool_cell();
    bool done = cell && transfer(c, cell);

    if (cell)
        cw_run_staging_pool_cell_free(cell);
    return done;
}

/* The vendor's way is measured, too: from an empty queue, as the other one is. Out of order, a marker without
 * a list would wait for commands that the transfer passes. */
static void watch_vendor(struct call *c)
{
    cl_event event;

    if (c->idle)
        c->vendor_since_ns = cw_now_ns();
    if (c->idle || (!c->queue->in_order && !c->n) ||
        cw_next.clEnqueueMarkerWithWaitList(c->queue->handle, c->n, c->list, &event) != CL_SUCCESS)
        return;
    if (cw_next.clWaitForEvents(1, &event) == CL_SUCCESS)
        c->vendor_since_ns = cw_now_ns();
    cw_next.clReleaseEvent(event);
}

static enum cw_run_staging_way choose(const struct call *c, bool *settled)
{
    enum cw_run_staging_way way = CW_RUN_STAGING_STAGED;

    *settled = false;
    if (staging.forced)
        return way;
    pthread_mutex_lock(lock);
    if (c->blocking) {
        way = cw_run_staging_choice_next(&staging.choice, c->job.write, c->bytes);
        *settled = cw_run_staging_choice_settled(&staging.choice, c->job.write, c->bytes);
    } else {
        way = cw_run_staging_choice_best(&staging.choice, c->job.write, c->bytes);
    }
    pthread_mutex_unlock(lock);
    return way;
}

static void prepare(struct call *c)
{
    unsigned threads = cw_run_staging_crew_threads();
    size_t piece =
        staging.forced ? FORCED_CHUNK : cw_run_staging_choice_piece(c->bytes, staging.chunk, &threads);

    cw_run_staging_crew_prepare(&c->job, piece, threads);
}

/* A call that blocks is over, and with it all before it: so the queue is idle if no call has come since. */
static void is_idle(const struct call *c)
{
    if (c->queue->in_order && c->given && c->alone)
        atomic_store(&c->queue->idle, c->given);
}

/* The pool is entered. */
static bool try(struct call *c)
{
    bool done = false, settled;

    prepare(c);
    if (choose(c, &settled) == CW_RUN_STAGING_STAGED)
        done = c->blocking ? blocks(c)
                           : cw_run_staging_later_enqueue(c->queue, &c->job, c->n, c->list, c->event);
    else if (c->blocking && !settled)
        watch_vendor(c);
    if (!done || c->blocking)
        cw_run_staging_pool_exit();
    if (done && c->blocking)
        is_idle(c);
    if (done)
        cw_device_times_went(0, c->bytes);
    return done;
}

/* True: the transfer has been enqueued, or, if it blocks, is over. False: the vendor's function is to be
 * called. A thread that is cancelled meanwhile would take crew and turn with it. */
static bool stage(struct call *c, cl_command_queue queue)
{
    bool done = false;
    int saved = errno, cancel;

    if (!may_stage(c, queue))
        return false;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (cw_run_staging_pool_enter() || !lacks_pool(c))
        done = try(c);
    else
        c->vendor_since_ns = c->blocking && c->idle ? cw_now_ns() : 0;
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
    return done;
}

/* The vendor has returned `err`. */
static cl_int by_vendor(const struct call *c, cl_int err)
{
    if (c->queue && c->queue->context && c->blocking && err == CL_SUCCESS)
        is_idle(c);
    if (c->vendor_since_ns && err == CL_SUCCESS)
        measured(c, CW_RUN_STAGING_VENDOR, c->vendor_since_ns);
    if (err == CL_SUCCESS && c->event)
        cw_run_staging_notes_new(*c->event);
    return err;
}

static struct call plain(bool write, cl_mem memory, cl_bool blocking, size_t offset, size_t bytes,
                         const void *host, cl_uint n, const cl_event *list, cl_event *event)
{
    return (struct call){.job = {.write = write,
                                 .memory = memory,
                                 .host = (uint8_t *)(uintptr_t)host,
                                 .shape = {.region = {bytes, 1, 1}, .buffer.origin = {offset, 0, 0}}},
                         .blocking = blocking,
                         .n = n,
                         .list = list,
                         .event = event};
}

#define PLAIN(name, writes, constness, vendor)                                                               \
    cl_int name(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,        \
                constness void *host, cl_uint n, const cl_event *list, cl_event *event)                      \
    {                                                                                                        \
        struct call c = plain(writes, buffer, blocking, offset, bytes, host, n, list, event);                \
        return stage(&c, queue) ? CL_SUCCESS                                                                 \
                                : by_vendor(&c, cw_native.vendor(queue, buffer, blocking, offset, bytes,     \
                                                                 host, n, list, event));                     \
    }
PLAIN(cw_run_staging_write, true, const, clEnqueueWriteBuffer)
PLAIN(cw_run_staging_read, false, , clEnqueueReadBuffer)

/* False: a pointer is missing. */
static bool rectangle(struct call *c, const size_t *buffer_origin, const size_t *host_origin,
                      const size_t *region)
{
    if (!buffer_origin || !host_origin || !region)
        return false;
    c->job.rect = true;
    memcpy(c->job.shape.region, region, sizeof c->job.shape.region);
    memcpy(c->job.shape.buffer.origin, buffer_origin, sizeof c->job.shape.buffer.origin);
    memcpy(c->job.shape.host.origin, host_origin, sizeof c->job.shape.host.origin);
    return true;
}

#define RECT(name, writes, constness, vendor)                                                                \
    cl_int name(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,        \
                const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,     \
                size_t host_row, size_t host_slice, constness void *host, cl_uint n, const cl_event *list,   \
                cl_event *event)                                                                             \
    {                                                                                                        \
        struct call c = plain(writes, buffer, blocking, 0, 0, host, n, list, event);                         \
        c.job.shape.buffer.row = buffer_row;                                                                 \
        c.job.shape.buffer.slice = buffer_slice;                                                             \
        c.job.shape.host.row = host_row;                                                                     \
        c.job.shape.host.slice = host_slice;                                                                 \
        if (rectangle(&c, buffer_origin, host_origin, region) && stage(&c, queue))                           \
            return CL_SUCCESS;                                                                               \
        return by_vendor(&c, cw_native.vendor(queue, buffer, blocking, buffer_origin, host_origin, region,   \
                                              buffer_row, buffer_slice, host_row, host_slice, host, n, list, \
                                              event));                                                       \
    }
RECT(cw_run_staging_write_rect, true, const, clEnqueueWriteBufferRect)
RECT(cw_run_staging_read_rect, false, , clEnqueueReadBufferRect)

#define IMAGE(name, writes, constness, vendor)                                                               \
    cl_int name(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,                \
                const size_t *region, size_t row, size_t slice, constness void *host, cl_uint n,             \
                const cl_event *list, cl_event *event)                                                       \
    {                                                                                                        \
        static const size_t zero[3];                                                                         \
        struct call c = plain(writes, image, blocking, 0, 0, host, n, list, event);                          \
        c.image = true;                                                                                      \
        c.job.shape.host.row = row;                                                                          \
        c.job.shape.host.slice = slice;                                                                      \
        if (rectangle(&c, origin, zero, region) && stage(&c, queue))                                         \
            return CL_SUCCESS;                                                                               \
        return by_vendor(                                                                                    \
            &c, cw_native.vendor(queue, image, blocking, origin, region, row, slice, host, n, list, event)); \
    }
IMAGE(cw_run_staging_write_image, true, const, clEnqueueWriteImage)
IMAGE(cw_run_staging_read_image, false, , clEnqueueReadImage)

/* ---- reads by queues of run mode's own */

/* The pool is entered; it is made at once where it pays. */
static bool has_pool(const struct call *c)
{
    return c->queue && c->queue->context &&
           (cw_run_staging_pool_enter() || ((staging.forced || has_missed(c)) && makes_pool(c)));
}

/* The pool is entered, and left. */
static bool read_by_own(struct call *c)
{
    bool settled, done = false;
    uint64_t since;

    prepare(c);
    c->blocking = false; /* by the better way: the vendor's is not tried for its time alone */
    if (choose(c, &settled) == CW_RUN_STAGING_STAGED && cw_run_staging_crew_take(true)) {
        since = cw_now_ns();
        done = cw_run_staging_crew_run(&c->job, NULL);
        cw_run_staging_crew_give();
        if (done)
            measured(c, CW_RUN_STAGING_STAGED, since);
    }
    cw_run_staging_pool_exit();
    return done;
}

cl_int cw_run_staging_read_by(cl_command_queue of, cl_command_queue queue, cl_mem buffer, size_t offset,
                              size_t bytes, void *host)
{
    struct call c = plain(false, buffer, CL_TRUE, offset, bytes, host, 0, NULL, NULL);
    bool done;
    int saved = errno, cancel;

    c.bytes = bytes;
    c.job.queue = queue;
    c.queue = cw_run_staging_objects_queue(of);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    done = !cw_run_staging_is_small(bytes, false, CL_TRUE) && !is_mapped(host, bytes) &&
           cw_run_staging_pieces_check(&c.job.shape, offset + bytes) && has_pool(&c) && read_by_own(&c);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
    return done ? CL_SUCCESS
                : cw_next.clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, bytes, host, 0, NULL, NULL);
}

void cw_run_staging_fill(struct cw_dispatch *table)
{
    table->clEnqueueWriteBuffer = cw_run_staging_write;
    table->clEnqueueReadBuffer = cw_run_staging_read;
    table->clEnqueueWriteBufferRect = cw_run_staging_write_rect;
    table->clEnqueueReadBufferRect = cw_run_staging_read_rect;
    table->clEnqueueWriteImage = cw_run_staging_write_image;
    table->clEnqueueReadImage = cw_run_staging_read_image;
}

void cw_run_staging_unseen(void)
{
    cw_run_staging_objects_open_no_more();
}

void cw_run_staging_stop(void)
{
    cw_run_staging_later_stop();
    cw_run_staging_crew_stop();
}

void cw_run_staging_after_fork(void)
{
    cw_run_staging_objects_after_fork();
    cw_run_staging_notes_after_fork();
    cw_run_staging_count_after_fork();
    cw_run_staging_pool_after_fork();
    cw_run_staging_crew_after_fork();
    cw_run_staging_later_after_fork();
}
