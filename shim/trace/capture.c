/* capture.c - bytes of host memory, and those that non-blocking reads returned, into blobs. */
#include "capture.h"
#include "../door/lock_order.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* A non-blocking transfer whose host memory is still the vendor's. */
struct pending {
    struct pending *next;
    cl_event event;
    cl_command_queue queue;
    bool owned, profiled, write, late;
    bool lost; /* another one may write there before this one's end is seen */
    uint64_t seq;
    struct cw_layout layout;
};
static struct pending *transfers;
static pthread_mutex_t transfers_lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&transfers_lock, CAPTURE)

void cw_capture_after_fork(void)
{
    pthread_mutex_init(&transfers_lock, NULL);
    transfers = NULL; /* the parent's */
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

void cw_capture_data(uint64_t seq, const struct cw_layout *l)
{
    uint64_t offset, bytes;
    struct cw_rec r;

    if (!cw_capture_bytes(l, &offset, &bytes))
        return;
    cw_log_rec_begin(&r);
    cw_rec_s(&r, (int64_t)(seq - r.seq));
    cw_rec_u(&r, bytes);
    cw_rec_u(&r, offset);
    cw_log_rec_commit(&r, CW_LOG_DATA);
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
    for (struct pending *p = transfers; p && !any; p = p->next)
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
    for (struct pending *p = transfers; p; p = p->next) {
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

void cw_capture_later(cl_event event, bool owned, bool profiled, bool write, uint64_t seq,
                      const struct cw_capture_from *f, const struct cw_layout *l)
{
    int saved = errno;
    struct pending *p = malloc(sizeof *p);

    errno = saved;
    if (!p) {
        cw_log_stop("out of memory");
        if (owned)
            cw_traced.clReleaseEvent(event);
        return;
    }
    *p = (struct pending){NULL, event, f->queue, owned, profiled, write, f->late, f->lost, seq, *l};
    pthread_mutex_lock(&transfers_lock);
    p->next = transfers;
    transfers = p;
    pthread_mutex_unlock(&transfers_lock);
}

bool cw_capture_adopt(cl_event event)
{
    struct pending *p;

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
    struct pending **link, *p, *done = NULL;
    cl_int status;

    pthread_mutex_lock(&transfers_lock);
    for (link = &transfers; (p = *link);) {
        if (cw_traced.clGetEventInfo(p->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                     NULL) != CL_SUCCESS)
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
            cw_device_times_write(p->event, p->seq);
        if (p->owned)
            cw_traced.clReleaseEvent(p->event);
        free(p);
    }
}

void cw_capture_before_set(void)
{
    struct pending *p;
    cl_int status;

    pthread_mutex_lock(&transfers_lock);
    for (p = transfers; p; p = p->next)
        if (p->write && !p->late &&
            cw_traced.clGetEventInfo(p->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                     NULL) == CL_SUCCESS &&
            status >= CL_SUBMITTED)
            cw_capture_data(p->seq, &p->layout);
    pthread_mutex_unlock(&transfers_lock);
}

size_t cw_capture_element(cl_mem image)
{
    size_t bytes = 0;

    return cw_traced.clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS
               ? bytes
               : 0;
}
