/* staging_notes.c - records of events and of buffers in use, and the program's maps. */
#include "staging_notes.h"
#include "../../door/lock.h"
#include "../../door/lock_order.h"
#include "../../door/registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Records stay with their entries. */
enum { EVENT = CW_REGISTRY_STAGING + 2, BUFFER };

/* Of who makes and ends the records of buffers. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, STAGING_NOTES)

/* ---- times of events */

struct times {
    _Atomic cl_ulong ns[3]; /* queued, submit, start */
};
static atomic_bool has_times; /* some event has had some */

void cw_run_staging_notes_times(cl_event event, cl_event first)
{
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START};
    struct cw_registry_entry *e, *stale;
    struct times *t;
    cl_ulong ns[3];

    for (int i = 0; i < 3; i++)
        if (cw_next.clGetEventProfilingInfo(first, names[i], sizeof *ns, &ns[i], NULL) != CL_SUCCESS)
            return;
    atomic_store(&has_times, true);
    cw_run_staging_notes_new(event);
    e = cw_registry_claim(event, EVENT, sizeof *t, &stale);
    t = e ? cw_registry_record(e) : NULL;
    for (int i = 0; t && i < 3; i++)
        t->ns[i] = ns[i];
    if (t)
        cw_registry_publish(e, EVENT, t);
}

bool cw_run_staging_notes_times_of(cl_event event, cl_profiling_info name, cl_ulong *ns)
{
    const struct times *t;

    if (CW_LIKELY(!atomic_load(&has_times)) || name < CL_PROFILING_COMMAND_QUEUED ||
        name > CL_PROFILING_COMMAND_START)
        return false;
    t = cw_registry_find(event, EVENT);
    if (t)
        *ns = t->ns[name - CL_PROFILING_COMMAND_QUEUED];
    return t;
}

void cw_run_staging_notes_new(cl_event event)
{
    struct cw_registry_entry *e =
        CW_LIKELY(!atomic_load(&has_times)) ? NULL : cw_registry_entry(event, EVENT);

    if (e)
        cw_registry_end(e, EVENT);
}

void cw_run_staging_notes_release(cl_event event)
{
    cl_uint references = 0;

    if (CW_LIKELY(!atomic_load(&has_times)) || !cw_registry_find(event, EVENT))
        return;
    if (cw_next.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL) ==
            CL_SUCCESS &&
        references == 1)
        cw_run_staging_notes_new(event);
}

/* ---- maps */

struct map {
    struct map *next; /* an earlier one */
    struct cw_run_staging_map m;
};
static struct {
    struct map *first;
    _Atomic uint32_t n;
} maps[2]; /* those that streams have named, and the others */
static cw_lock map_lock;

void cw_run_staging_notes_mapped(const void *address, size_t bytes, bool named, uintptr_t region,
                                 uint64_t offset)
{
    struct map *map = malloc(sizeof *map);

    if (!map)
        return;
    map->m = (struct cw_run_staging_map){(uintptr_t)address, (uintptr_t)address + bytes, region, offset};
    cw_lock_take(&map_lock);
    map->next = maps[named].first;
    maps[named].first = map;
    maps[named].n++;
    cw_lock_free(&map_lock);
}

static __attribute__((noinline)) void take_out(uintptr_t low, bool named)
{
    struct map **at = &maps[named].first, *map;

    cw_lock_take(&map_lock);
    while (*at && (*at)->m.low != low)
        at = &(*at)->next;
    map = *at;
    if (map) {
        *at = map->next;
        maps[named].n--;
    }
    cw_lock_free(&map_lock);
    free(map);
}

void cw_run_staging_notes_unmapped(const void *address, bool named)
{
    if (CW_UNLIKELY(maps[named].n))
        take_out((uintptr_t)address, named);
}

uint32_t cw_run_staging_notes_meet(uintptr_t low, uintptr_t high, bool named,
                                   struct cw_run_staging_map *latest)
{
    uint32_t n = 0;

    if (CW_LIKELY(!maps[named].n))
        return 0;
    cw_lock_take(&map_lock);
    for (const struct map *map = maps[named].first; map; map = map->next)
        if (map->m.low < high && low < map->m.high && !n++)
            *latest = map->m;
    cw_lock_free(&map_lock);
    return n;
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
    struct cw_registry_entry *e, *stale;

    pthread_mutex_lock(&lock);
    e = cw_registry_entry(memory, BUFFER);
    if (!e && (e = cw_registry_claim(memory, BUFFER, sizeof(atomic_uint), &stale)))
        cw_registry_publish(e, BUFFER, cw_registry_record(e));
    if (e)
        ++*(atomic_uint *)cw_registry_record(e);
    pthread_mutex_unlock(&lock);
}

void cw_run_staging_notes_let_go(cl_mem memory)
{
    struct cw_registry_entry *e;

    pthread_mutex_lock(&lock);
    e = cw_registry_entry(memory, BUFFER);
    if (e && !--*(atomic_uint *)cw_registry_record(e))
        cw_registry_end(e, BUFFER);
    pthread_mutex_unlock(&lock);
}

cl_uint cw_run_staging_notes_hidden(cl_mem memory)
{
    const atomic_uint *held = cw_registry_find(memory, BUFFER);

    return held ? *held : 0;
}

void cw_run_staging_notes_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    cw_lock_free(&map_lock);
}
