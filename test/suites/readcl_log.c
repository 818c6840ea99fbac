/* readcl_log.c - see readcl.h: reads on their way, hashes, the log. One lock for all of it. */
#include "readcl.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_DEPENDENCES 16
#define HASH_START       14695981039346656037u
#define HASH_FACTOR      1099511628211u

/* A queue as far as this layer saw it. */
struct queue {
    cl_command_queue handle; /* NULL: its slot is free */
    bool in_order;
    uint64_t enqueued; /* commands so far */
};

/* A command, named by its queue and its place there. */
struct command {
    struct queue *queue;
    uint64_t place;
    bool covers; /* complete: so is everything before it */
};

/* What an event stands for: its command first, then those in its wait list. */
struct event {
    cl_event handle;
    unsigned count;
    struct command commands[1 + MOST_DEPENDENCES];
};

struct pending {
    struct rd_line line;
    const char *call; /* static */
    struct rd_area area;
    struct queue *queue;
    uint64_t place;
    struct pending *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct queue
    *queues[4096]; /* by hash of the handle, linear probing; never freed, so pointers to them stay */
static struct event *events; /* likewise, grows */
static size_t event_slots, event_count;
static struct pending *pendings, **last_pending = &pendings;
static int log_fd = -1;
static _Atomic unsigned threads;
static _Thread_local unsigned my_thread, my_number;
static _Thread_local bool known_thread;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "libreadcl: %s\n", what);
    abort(); /* a witness that cannot work must not look like "nothing was read" */
}

static void child_starts_its_own_log(void)
{
    log_fd = -1;
    pthread_mutex_init(&lock, NULL);
}

__attribute__((format(printf, 1, 2))) static void write_line(const char *format, ...)
{
    char text[256];
    va_list list;
    if (log_fd < 0) {
        static bool registered;
        const char *folder = getenv("READCL_DIR");
        char path[4096];
        snprintf(path, sizeof path, "%s/%d.reads", folder ? folder : ".", (int)getpid());
        log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (log_fd < 0)
            give_up("cannot write in READCL_DIR");
        if (!registered)
            registered = pthread_atfork(NULL, NULL, child_starts_its_own_log) == 0;
    }
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (write(log_fd, text, (size_t)length) != length)
        give_up("cannot write the log");
}

struct rd_line rd_line(void)
{
    if (!known_thread) {
        known_thread = true;
        my_thread = threads++;
    }
    return (struct rd_line){my_thread, my_number++};
}

void rd_status(struct rd_line line, const char *call, cl_int status)
{
    if (status == CL_SUCCESS)
        return;
    pthread_mutex_lock(&lock);
    write_line("%03u %08u %s status %d\n", line.thread, line.number, call, status);
    pthread_mutex_unlock(&lock);
}

static uint64_t hash_of(uint64_t hash, const char *data, size_t bytes)
{
    for (; bytes >= 8; data += 8, bytes -= 8) {
        uint64_t word;
        memcpy(&word, data, 8);
        hash = (hash ^ word) * HASH_FACTOR;
        hash ^= hash >> 29;
    }
    for (; bytes; data++, bytes--)
        hash = (hash ^ (unsigned char)*data) * HASH_FACTOR;
    return hash;
}

/* The same of memory that the program may have freed meanwhile; false if it has. */
static bool hash_safely(uint64_t *hash, const char *data, size_t bytes)
{
    static char part[1 << 16]; /* under the lock */
    while (bytes) {
        size_t n = bytes < sizeof part ? bytes : sizeof part;
        struct iovec to = {part, n}, from = {(void *)data, n};
        if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)n)
            return false;
        *hash = hash_of(*hash, part, n);
        data += n;
        bytes -= n;
    }
    return true;
}

struct rd_area rd_bytes(const void *start, size_t bytes)
{
    return (struct rd_area){start, bytes, 1, bytes, 1, bytes};
}

/* Lock held. `safely`: the memory may be gone. */
static void log_area(struct rd_line line, const char *call, const struct rd_area *a, bool safely)
{
    uint64_t hash = HASH_START;
    size_t bytes = a->row_bytes * a->rows * a->slices;
    for (size_t s = 0; s < a->slices; s++)
        for (size_t r = 0; r < a->rows; r++) {
            const char *row = a->start + s * a->slice_pitch + r * a->row_pitch;
            if (!safely)
                hash = hash_of(hash, row, a->row_bytes);
            else if (!hash_safely(&hash, row, a->row_bytes)) {
                write_line("%03u %08u %s %zu unseen\n", line.thread, line.number, call, bytes);
                return;
            }
        }
    write_line("%03u %08u %s %zu %016" PRIx64 "\n", line.thread, line.number, call, bytes, hash);
}

void rd_arrived(struct rd_line line, const char *call, const struct rd_area *area)
{
    pthread_mutex_lock(&lock);
    log_area(line, call, area, false);
    pthread_mutex_unlock(&lock);
}

static size_t slot_of(const void *handle, size_t slots)
{
    return (size_t)(((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 32) % slots;
}

static struct queue *queue_of(cl_command_queue handle)
{
    const size_t slots = sizeof queues / sizeof *queues;
    size_t at = slot_of(handle, slots);
    for (size_t tried = 0; queues[at] && queues[at]->handle != handle; at = (at + 1) % slots)
        if (++tried == slots)
            give_up("too many queues");
    if (!queues[at]) {
        cl_command_queue_properties properties = 0;
        queues[at] = calloc(1, sizeof **queues);
        if (!queues[at])
            give_up("out of memory");
        rd_next->clGetCommandQueueInfo(handle, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
        *queues[at] = (struct queue){.handle = handle,
                                     .in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)};
    }
    return queues[at];
}

void rd_queue_made(cl_command_queue handle)
{
    cl_command_queue_properties properties = 0;
    rd_next->clGetCommandQueueInfo(handle, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    pthread_mutex_lock(&lock);
    queue_of(handle)->in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    pthread_mutex_unlock(&lock);
}

/* The slot of an event, or the free one where it would be. */
static struct event *event_slot(cl_event handle)
{
    size_t at = slot_of(handle, event_slots);
    while (events[at].handle && events[at].handle != handle)
        at = (at + 1) % event_slots;
    return &events[at];
}

static void grow_events(void)
{
    struct event *old = events;
    size_t old_slots = event_slots;
    event_slots = old_slots ? 2 * old_slots : 1024;
    events = calloc(event_slots, sizeof *events);
    if (!events)
        give_up("out of memory");
    for (size_t i = 0; i < old_slots; i++)
        if (old[i].handle)
            *event_slot(old[i].handle) = old[i];
    free(old);
}

uint64_t rd_enqueued(cl_command_queue queue, cl_event event, bool covers, cl_uint waits,
                     const cl_event *wait_list)
{
    pthread_mutex_lock(&lock);
    struct queue *q = queue_of(queue);
    uint64_t place = ++q->enqueued;
    struct event made = {event, 1, {{q, place, covers || q->in_order}}};
    for (cl_uint i = 0; i < waits && events && made.count <= MOST_DEPENDENCES; i++) {
        const struct event *waited = event_slot(wait_list[i]);
        if (waited->handle)
            made.commands[made.count++] = waited->commands[0];
    }
    if (event) {
        if (2 * event_count >= event_slots)
            grow_events();
        struct event *slot = event_slot(event);
        event_count += !slot->handle;
        *slot = made;
    }
    pthread_mutex_unlock(&lock);
    return place;
}

void rd_pending(struct rd_line line, const char *call, const struct rd_area *area, cl_command_queue queue,
                uint64_t place)
{
    struct pending *p = malloc(sizeof *p);
    if (!p)
        give_up("out of memory");
    pthread_mutex_lock(&lock);
    *p = (struct pending){line, call, *area, queue_of(queue), place, NULL};
    *last_pending = p;
    last_pending = &p->next;
    pthread_mutex_unlock(&lock);
}

/* Lock held: logs what is pending of `done`. */
static void finished(const struct command *done)
{
    struct pending **at = &pendings;
    while (*at) {
        struct pending *p = *at;
        bool arrived =
            p->queue == done->queue && (done->covers ? p->place <= done->place : p->place == done->place);
        if (!arrived) {
            at = &p->next;
            continue;
        }
        log_area(p->line, p->call, &p->area, true);
        *at = p->next;
        free(p);
    }
    last_pending = at;
}

void rd_unmapped(const void *start)
{
    pthread_mutex_lock(&lock);
    struct pending **at = &pendings, *p;
    while ((p = *at) && (p->area.start != start || !strstr(p->call, "Map")))
        at = &p->next;
    if (p) {
        write_line("%03u %08u %s %zu undone\n", p->line.thread, p->line.number, p->call,
                   p->area.row_bytes * p->area.rows * p->area.slices);
        if (!(*at = p->next))
            last_pending = at;
        free(p);
    }
    pthread_mutex_unlock(&lock);
}

void rd_queue_finished(cl_command_queue queue)
{
    pthread_mutex_lock(&lock);
    finished(&(struct command){queue_of(queue), UINT64_MAX, true});
    pthread_mutex_unlock(&lock);
}

void rd_place_finished(cl_command_queue queue, uint64_t place)
{
    pthread_mutex_lock(&lock);
    struct queue *q = queue_of(queue);
    finished(&(struct command){q, place, q->in_order});
    pthread_mutex_unlock(&lock);
}

void rd_event_finished(cl_event event)
{
    pthread_mutex_lock(&lock);
    struct event *e = events ? event_slot(event) : NULL;
    for (unsigned i = 0; pendings && e && e->handle && i < e->count; i++)
        finished(&e->commands[i]);
    pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void log_the_rest(void)
{
    pthread_mutex_lock(&lock);
    for (struct pending *p = pendings; p; p = p->next)
        write_line("%03u %08u %s %zu unseen\n", p->line.thread, p->line.number, p->call,
                   p->area.row_bytes * p->area.rows * p->area.slices);
    pthread_mutex_unlock(&lock);
}
