/* capture.c - bytes of host memory, and those that non-blocking reads returned, into blobs. */
#include "capture.h"
#include "../door/lock_order.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* A non-blocking transfer whose host memory is still the vendor's. */
struct cw_capture_pending {
    struct cw_capture_pending *next;
    cl_event event; /* NULL: the vendor's call has not returned */
    cl_command_queue queue;
    bool owned, profiled, write, late;
    bool lost; /* another one may write there before this one's end is seen */
    uint64_t seq;
    struct cw_layout layout;
};
static struct cw_capture_pending *transfers;
static pthread_mutex_t transfers_lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&transfers_lock, CAPTURE)

void cw_capture_after_fork(void)
{
    pthread_mutex_init(&transfers_lock, NULL);
    transfers = NULL; /* the parent's */
    cw_capture_gates_after_fork();
    cw_capture_host_after_fork();
    cw_capture_memory_after_fork();
}

/* The layout's bytes without padding; free the result. NULL when memory is out. */
static char *pack(const struct cw_layout *l, size_t row_pitch, size_t slice_pitch)
{
    char *packed = malloc(l->row_bytes * l->rows * l->slices), *to = packed;
    size_t row, slice;

    for (slice = 0; packed && slice < l->slices; slice++)
        for (row = 0; row < l->rows; row++, to += l->row_bytes)
            memcpy(to, (const char *)l->base + slice * slice_pitch + row * row_pitch, l->row_bytes);
    return packed;
}

bool cw_capture_bytes(const struct cw_layout *l, uint64_t *offset, uint64_t *bytes)
{
    size_t row_pitch = l->row_pitch ? l->row_pitch : l->row_bytes;
    size_t slice_pitch = l->slice_pitch ? l->slice_pitch : l->rows * row_pitch;
    size_t n = l->row_bytes * l->rows * l->slices;
    bool packed = (l->rows <= 1 || row_pitch == l->row_bytes) &&
                  (l->slices <= 1 || slice_pitch == l->rows * l->row_bytes);
    int saved = errno;
    char *copy;
    bool ok;

    *bytes = 0;
    if (!l->base || !n)
        return false;
    copy = packed ? NULL : pack(l, row_pitch, slice_pitch);
    errno = saved;
    if (!packed && !copy) {
        cw_log_stop("out of memory");
        return false;
    }
    ok = cw_log_blob(packed ? l->base : copy, n, offset);
    free(copy);
    *bytes = ok ? n : 0;
    return ok;
}

static void write_data(uint64_t seq, uint64_t offset, uint64_t bytes)
{
    struct cw_rec r;

    cw_log_rec_begin(&r);
    cw_rec_s(&r, (int64_t)(seq - r.seq));
    cw_rec_u(&r, bytes);
    cw_rec_u(&r, offset);
    cw_log_rec_commit(&r, CW_LOG_DATA);
}

void cw_capture_data(uint64_t seq, const struct cw_layout *l)
{
    uint64_t offset, bytes;

    if (cw_capture_bytes(l, &offset, &bytes))
        write_data(seq, offset, bytes);
}

/* Behind the last byte, padding included. */
static const char *end_of(const struct cw_layout *l)
{
    size_t row = l->row_pitch ? l->row_pitch : l->row_bytes;
    size_t slice = l->slice_pitch ? l->slice_pitch : l->rows * row;

    return (const char *)l->base + (l->slices - 1) * slice + (l->rows - 1) * row + l->row_bytes;
}

static bool is_empty(const struct cw_layout *l)
{
    return !l->base || !l->row_bytes || !l->rows || !l->slices;
}

/* Also of rows that lie between each other. */
static bool overlap(const struct cw_layout *a, const struct cw_layout *b)
{
    return !is_empty(a) && !is_empty(b) && (const char *)a->base < end_of(b) &&
           (const char *)b->base < end_of(a);
}

static bool meets_any(const struct cw_layout *l)
{
    bool any = false;

    pthread_mutex_lock(&transfers_lock);
    for (struct cw_capture_pending *p = transfers; p && !any; p = p->next)
        any = overlap(&p->layout, l);
    pthread_mutex_unlock(&transfers_lock);
    return any;
}

void cw_capture_meet(struct cw_capture_from *f, cl_command_queue queue, bool read, const struct cw_layout *l)
{
    struct cw_object *o = cw_object_find(queue, CW_LOG_O_QUEUE);
    bool in_order = o && !(o->flags & CW_OBJECT_OUT_OF_ORDER);

    *f = (struct cw_capture_from){.queue = queue};
    if (CW_LIKELY(!meets_any(l)))
        return;
    cw_capture_finished(); /* those that are complete by now */
    pthread_mutex_lock(&transfers_lock);
    for (struct cw_capture_pending *p = transfers; p; p = p->next) {
        if (!overlap(&p->layout, l) || (p->write && !(read && p->late)))
            continue;
        if (read) {
            p->lost = true;
            f->lost |= !p->write && !(in_order && p->queue == queue);
        } else {
            f->late = true;
        }
    }
    pthread_mutex_unlock(&transfers_lock);
}

/* Takes the event's reference over where `p` owns it. */
static struct cw_capture_pending *add_pending(const struct cw_capture_pending *p)
{
    int saved = errno;
    struct cw_capture_pending *added = malloc(sizeof *added);

    errno = saved;
    if (!added) {
        cw_log_stop("out of memory");
        if (p->owned)
            cw_traced.clReleaseEvent(p->event);
        return NULL;
    }
    *added = *p;
    added->next = transfers;
    transfers = added;
    return added;
}

void cw_capture_later(cl_event event, bool owned, bool profiled, bool write, uint64_t seq,
                      const struct cw_capture_from *f, const struct cw_layout *l)
{
    const struct cw_capture_pending p = {NULL,  event,   f->queue, owned, profiled,
                                         write, f->late, f->lost,  seq,   *l};

    pthread_mutex_lock(&transfers_lock);
    add_pending(&p);
    pthread_mutex_unlock(&transfers_lock);
}

struct cw_capture_pending *cw_capture_hold(struct cw_enqueue *e, const struct cw_capture_from *f,
                                           const struct cw_layout *l)
{
    const struct cw_capture_pending p = {.queue = f->queue, .write = true, .seq = e->r.seq, .layout = *l};
    struct cw_capture_pending *added;

    if (!e->event)
        e->event = &e->own;
    pthread_mutex_lock(&transfers_lock);
    added = add_pending(&p);
    cw_capture_data(p.seq, l); /* behind this, each setting of a user event stores them again */
    pthread_mutex_unlock(&transfers_lock);
    return added;
}

static void remove_pending(struct cw_capture_pending *p)
{
    struct cw_capture_pending **link;

    for (link = &transfers; *link != p; link = &(*link)->next)
        ;
    *link = p->next;
    free(p);
}

void cw_capture_held(struct cw_capture_pending *p, struct cw_enqueue *e, cl_int status)
{
    if (!p)
        return;
    pthread_mutex_lock(&transfers_lock);
    if (status == CL_SUCCESS) {
        p->event = *e->event;
        p->owned = !e->wanted;
        p->profiled = e->queue && e->queue->flags & CW_OBJECT_PROFILED;
        e->own = p->owned ? NULL : e->own; /* the reference is that of p */
    } else {
        remove_pending(p);
    }
    pthread_mutex_unlock(&transfers_lock);
}

bool cw_capture_adopt(cl_event event)
{
    struct cw_capture_pending *p;

    cw_capture_finished();
    pthread_mutex_lock(&transfers_lock);
    for (p = transfers; p && (p->event != event || p->owned); p = p->next)
        ;
    if (p)
        p->owned = true;
    pthread_mutex_unlock(&transfers_lock);
    return p != NULL;
}

/* The lock is held while bytes are copied: another thread that learns of the completion must not change them
 * yet. */
void cw_capture_finished(void)
{
    struct cw_capture_pending **link, *p, *done = NULL;
    cl_int status;

    pthread_mutex_lock(&transfers_lock);
    for (link = &transfers; (p = *link);) {
        status = CL_QUEUED;
        if (p->event && cw_traced.clGetEventInfo(p->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                                 &status, NULL) != CL_SUCCESS)
            status = -1;
        if (status > CL_COMPLETE) {
            link = &p->next;
            continue;
        }
        if (status == CL_COMPLETE && (!p->write || p->late) && !p->lost)
            cw_capture_data(p->seq, &p->layout);
        *link = p->next;
        p->next = done;
        done = p;
    }
    pthread_mutex_unlock(&transfers_lock);
    while ((p = done)) {
        done = p->next;
        if (p->owned && p->profiled)
            cw_device_times_write(p->event, p->seq, false);
        if (p->owned)
            cw_traced.clReleaseEvent(p->event);
        free(p);
    }
}

/* The vendor has not begun the command. */
static bool still_waits(const struct cw_capture_pending *p)
{
    cl_int status;

    return !p->event || (cw_traced.clGetEventInfo(p->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                                  &status, NULL) == CL_SUCCESS &&
                         status >= CL_SUBMITTED);
}

/* Bytes of mapped memory belong to the device from the moment at which the unmap runs. */
void cw_capture_before_set(void)
{
    uint64_t offset, bytes;

    pthread_mutex_lock(&transfers_lock);
    for (struct cw_capture_pending *p = transfers; p; p = p->next)
        if (p->write && !p->late && still_waits(p) && cw_capture_bytes(&p->layout, &offset, &bytes) &&
            still_waits(p))
            write_data(p->seq, offset, bytes);
    pthread_mutex_unlock(&transfers_lock);
}

size_t cw_capture_element(cl_mem image)
{
    size_t bytes = 0;

    return cw_traced.clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS
               ? bytes
               : 0;
}
