/* staging_notes.c - three short lists, under one lock, and a set of buffers. */
#include "staging_notes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct note {
    struct note *next;
    const void *key; /* event, address or buffer */
    size_t bytes;    /* of a map; of a buffer: how often it is held */
    cl_ulong ns[3];  /* of an event: queued, submit, start */
};
struct list {
    struct note *first;
    _Atomic uint32_t n;
};

static struct list events, maps, buffers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Lock held. */
static struct note **find(struct list *list, const void *key)
{
    struct note **at = &list->first;

    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

/* Lock held. NULL: out of memory. */
static struct note *add(struct list *list, const void *key)
{
    struct note *n = calloc(1, sizeof *n);

    if (!n)
        return NULL;
    n->key = key;
    n->next = list->first;
    list->first = n;
    atomic_fetch_add(&list->n, 1);
    return n;
}

/* Lock held. */
static void take_out(struct list *list, struct note **at)
{
    struct note *n = *at;

    if (!n)
        return;
    *at = n->next;
    free(n);
    atomic_fetch_sub(&list->n, 1);
}

static void forget(struct list *list, const void *key)
{
    if (CW_LIKELY(!atomic_load(&list->n)))
        return;
    pthread_mutex_lock(&lock);
    take_out(list, find(list, key));
    pthread_mutex_unlock(&lock);
}

/* ---- times of events */

void cw_run_staging_notes_times(cl_event event, cl_event first)
{
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START};
    cl_ulong ns[3];
    struct note *n;

    for (int i = 0; i < 3; i++)
        if (cw_next.clGetEventProfilingInfo(first, names[i], sizeof *ns, &ns[i], NULL) != CL_SUCCESS)
            return;
    pthread_mutex_lock(&lock);
    n = *find(&events, event);
    n = n ? n : add(&events, event);
    for (int i = 0; n && i < 3; i++)
        n->ns[i] = ns[i];
    pthread_mutex_unlock(&lock);
}

bool cw_run_staging_notes_times_of(cl_event event, cl_profiling_info name, cl_ulong *ns)
{
    struct note *n;

    if (CW_LIKELY(!atomic_load(&events.n)) || name < CL_PROFILING_COMMAND_QUEUED ||
        name > CL_PROFILING_COMMAND_START)
        return false;
    pthread_mutex_lock(&lock);
    n = *find(&events, event);
    if (n)
        *ns = n->ns[name - CL_PROFILING_COMMAND_QUEUED];
    pthread_mutex_unlock(&lock);
    return n;
}

void cw_run_staging_notes_release(cl_event event)
{
    cl_uint references = 0;

    if (CW_LIKELY(!atomic_load(&events.n)))
        return;
    if (cw_next.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL) ==
            CL_SUCCESS &&
        references == 1)
        forget(&events, event);
}

void cw_run_staging_notes_new(cl_event event)
{
    forget(&events, event);
}

/* ---- maps */

void cw_run_staging_notes_mapped(const void *address, size_t bytes)
{
    struct note *n;

    pthread_mutex_lock(&lock);
    n = add(&maps, address);
    if (n)
        n->bytes = bytes;
    pthread_mutex_unlock(&lock);
}

void cw_run_staging_notes_unmapped(const void *address)
{
    forget(&maps, address);
}

bool cw_run_staging_notes_is_mapped(const void *address, size_t bytes)
{
    uintptr_t low = (uintptr_t)address, at;
    bool mapped = false;

    if (CW_LIKELY(!atomic_load(&maps.n)))
        return false;
    pthread_mutex_lock(&lock);
    for (const struct note *n = maps.first; n && !mapped; n = n->next) {
        at = (uintptr_t)n->key;
        mapped = low < at + n->bytes && at < low + bytes;
    }
    pthread_mutex_unlock(&lock);
    return mapped;
}

/* Buffers that were ever mapped, by a hash of their handles: no record has to go when a buffer does. */
static _Atomic uint64_t was_mapped[64];

cl_mem cw_run_staging_notes_root(cl_mem memory)
{
    cl_mem of = memory;

    while (cw_next.clGetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL) ==
               CL_SUCCESS &&
           of && of != memory)
        memory = of;
    return memory;
}

static uint64_t hash_of(cl_mem root)
{
    return ((uintptr_t)root >> 4) * 0x9e3779b97f4a7c15u;
}

static uint64_t bit_of(cl_mem root)
{
    return UINT64_C(1) << (hash_of(root) >> 58);
}

static _Atomic uint64_t *word_of(cl_mem root)
{
    return &was_mapped[hash_of(root) >> 52 & 63];
}

void cw_run_staging_notes_maps(cl_mem memory)
{
    cl_mem root = memory ? cw_run_staging_notes_root(memory) : NULL;

    if (root)
        atomic_fetch_or(word_of(root), bit_of(root));
}

bool cw_run_staging_notes_was_mapped(cl_mem root)
{
    return atomic_load(word_of(root)) & bit_of(root);
}

/* ---- buffers in use */

void cw_run_staging_notes_hold(cl_mem memory)
{
    struct note *n;

    pthread_mutex_lock(&lock);
    n = *find(&buffers, memory);
    n = n ? n : add(&buffers, memory);
    if (n)
        n->bytes++;
    pthread_mutex_unlock(&lock);
}

void cw_run_staging_notes_let_go(cl_mem memory)
{
    struct note **at;

    pthread_mutex_lock(&lock);
    at = find(&buffers, memory);
    if (*at && !--(*at)->bytes)
        take_out(&buffers, at);
    pthread_mutex_unlock(&lock);
}

cl_uint cw_run_staging_notes_hidden(cl_mem memory)
{
    struct note *n;
    cl_uint held;

    if (CW_LIKELY(!atomic_load(&buffers.n)))
        return 0;
    pthread_mutex_lock(&lock);
    n = *find(&buffers, memory);
    held = n ? (cl_uint)n->bytes : 0;
    pthread_mutex_unlock(&lock);
    return held;
}

void cw_run_staging_notes_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}
