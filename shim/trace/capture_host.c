/* capture_host.c - bytes that the program writes into CL_MEM_USE_HOST_PTR objects without OpenCL calls.
 *
 * Device and host write to the same bytes (always so on CPU devices). Only bytes that change while every
 * queue is known to be idle is the host's: block hashes are taken when the last busy queue becomes idle, and
 * compared at the next enqueue. */
#include "capture.h"
#include "../door/lock_order.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#define BLOCK      4096
#define MAX_QUEUES 256

struct cw_watch {
    struct cw_watch *next;
    cl_mem memory;
    struct cw_layout layout;
    bool image;
    size_t bytes, blocks;
    uint64_t hashes[];
};
static struct cw_watch *watches;
static struct {
    cl_command_queue queue;
    uint64_t first, latest; /* since it was idle */
} busy[MAX_QUEUES];         /* queues with commands that the host has not seen finished */
static size_t busy_count;
static bool overflow; /* more busy queues than fit: never idle again */
static bool watching; /* hashes are those of an idle moment, and no enqueue has come since */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, CAPTURE_HOST)

void cw_capture_host_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    busy_count = 0;
}

static size_t block_bytes(const struct cw_watch *w, size_t block)
{
    if (w->image)
        return w->bytes;
    return w->bytes - block * BLOCK < BLOCK ? w->bytes - block * BLOCK : BLOCK;
}

/* Eight bytes at a time: contents are compared often. */
static uint64_t hash_bytes(uint64_t hash, const uint8_t *p, size_t n)
{
    uint64_t word;

    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return cw_define_hash(hash, p, n);
}

/* Reads through the kernel: a program may free the memory before the object, which never hurt it without us.
 * Memory that is gone counts as unchanged. */
static uint64_t hash_block(const struct cw_watch *w, size_t block)
{
    const uint8_t *p = (const uint8_t *)w->layout.base + (w->image ? 0 : block * BLOCK);
    uint8_t copy[BLOCK];
    size_t left = block_bytes(w, block), n;
    uint64_t hash = CW_FNV_START;
    struct iovec to, from;
    ssize_t got;
    int saved = errno;

    for (; left; left -= n, p += n) {
        n = left < sizeof copy ? left : sizeof copy;
        to = (struct iovec){copy, n};
        from = (struct iovec){(void *)(uintptr_t)p, n};
        got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
        if (got < 0 && errno != EFAULT) { /* a sandbox forbids it */
            hash = hash_bytes(hash, p, n);
        } else if (got != (ssize_t)n) {
            hash = w->hashes[block];
            break;
        } else {
            hash = hash_bytes(hash, copy, n);
        }
    }
    errno = saved;
    return hash;
}

static void take_hashes(struct cw_watch *w)
{
    size_t i;

    for (i = 0; i < w->blocks; i++)
        w->hashes[i] = hash_block(w, i);
}

/* Bytes from the layout's base to its end, padding included. */
static size_t span(const struct cw_layout *l)
{
    size_t row = l->row_pitch ? l->row_pitch : l->row_bytes,
           slice = l->slice_pitch ? l->slice_pitch : l->rows * row;

    return (l->slices - 1) * slice + (l->rows - 1) * row + l->row_bytes;
}

struct cw_watch *cw_capture_host_watch(cl_mem memory, const struct cw_layout *l, bool image)
{
    size_t bytes = span(l), blocks = image ? 1 : (bytes + BLOCK - 1) / BLOCK;
    int saved = errno;
    struct cw_watch *w = calloc(1, sizeof *w + blocks * sizeof w->hashes[0]);

    errno = saved;
    if (!w) {
        cw_log_stop("out of memory");
        return NULL;
    }
    w->memory = memory;
    w->layout = *l;
    w->image = image;
    w->bytes = bytes;
    w->blocks = blocks;
    take_hashes(w);
    pthread_mutex_lock(&lock);
    w->next = watches;
    watches = w;
    watching = watching || !busy_count;
    pthread_mutex_unlock(&lock);
    return w;
}

void cw_capture_host_unwatch(struct cw_watch *w)
{
    struct cw_watch **link;

    if (!w)
        return;
    pthread_mutex_lock(&lock);
    for (link = &watches; *link != w; link = &(*link)->next)
        ;
    *link = w->next;
    pthread_mutex_unlock(&lock);
    free(w);
}

static void write_changed(struct cw_watch *w, size_t first, size_t end)
{
    struct cw_transfer t = {.dst = w->memory, .dst_offset = w->image ? 0 : first * BLOCK};
    struct cw_layout l = w->layout;

    if (!w->image) {
        l = (struct cw_layout){(const char *)w->layout.base + first * BLOCK, 0, 1, 1, 0, 0};
        l.row_bytes = (end - 1 - first) * BLOCK + block_bytes(w, end - 1);
    }
    if (!cw_capture_bytes(&l, &t.data_offset, &t.data_bytes))
        return;
    t.bytes = t.data_bytes;
    cw_enqueue_host_write_record(&t);
}

static void compare(struct cw_watch *w)
{
    size_t i, first = w->blocks;
    uint64_t hash;

    for (i = 0; i < w->blocks; i++) {
        hash = hash_block(w, i);
        if (hash != w->hashes[i] && first == w->blocks)
            first = i;
        if (hash == w->hashes[i] && first != w->blocks) {
            write_changed(w, first, i);
            first = w->blocks;
        }
        w->hashes[i] = hash;
    }
    if (first != w->blocks)
        write_changed(w, first, w->blocks);
}

void cw_capture_host_writes(void)
{
    struct cw_watch *w;

    pthread_mutex_lock(&lock);
    if (watching)
        for (w = watches; w; w = w->next)
            compare(w);
    watching = false;
    pthread_mutex_unlock(&lock);
}

void cw_capture_queue_busy(cl_command_queue queue, uint64_t seq)
{
    size_t i;

    pthread_mutex_lock(&lock);
    for (i = 0; i < busy_count && busy[i].queue != queue; i++)
        ;
    overflow = overflow || i == MAX_QUEUES;
    if (i < MAX_QUEUES) {
        if (i == busy_count) {
            busy[i].queue = queue;
            busy[i].first = seq;
        }
        busy[i].latest = seq;
        busy_count = i == busy_count ? i + 1 : busy_count;
    }
    pthread_mutex_unlock(&lock);
}

void cw_capture_queue_idle(cl_command_queue queue, uint64_t seq)
{
    struct cw_object *o = cw_object_find(queue, CW_LOG_O_QUEUE);
    struct cw_watch *w;
    bool alone;
    size_t i;

    pthread_mutex_lock(&lock);
    for (i = 0; i < busy_count && busy[i].queue != queue; i++)
        ;
    /* out of order, one command's end says nothing about others */
    alone = i == busy_count || seq == UINT64_MAX || (o && !(o->flags & CW_OBJECT_OUT_OF_ORDER)) ||
            busy[i].first == busy[i].latest;
    if (i < busy_count && busy[i].latest <= seq && alone) {
        busy[i] = busy[--busy_count];
        if (!busy_count && !overflow) {
            for (w = watches; w; w = w->next)
                take_hashes(w);
            watching = true;
        }
    }
    pthread_mutex_unlock(&lock);
}
