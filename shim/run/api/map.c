/* map.c - maps of managed buffers, images and shared virtual memory: the address is known at once, the order
 * is that of the commands. */
#include "hooks.h"

#include <stdlib.h>

#include "../../../analyzer/record/trace.h"
#include "enqueue.h"
#include "memory.h"
#include "native.h"
#include "rectangle.h"
#include "../core/image.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/state.h"
#include "../memory/byte_range.h"
#include "../staging/staging.h"
#include "../tasks/dependence.h"
#include "../tasks/task.h"

#define MAP_WRITES (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)

static bool may_map(const struct cw_run_memory *m, cl_map_flags flags, size_t offset, size_t bytes)
{
    if (!m || m->misaligned || !bytes || offset > m->bytes || bytes > m->bytes - offset)
        return false;
    if (flags != CL_MAP_READ && flags != CL_MAP_WRITE && flags != (CL_MAP_READ | CL_MAP_WRITE) &&
        flags != CL_MAP_WRITE_INVALIDATE_REGION)
        return false;
    if (flags & CL_MAP_READ && m->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS))
        return false;
    return !(flags & MAP_WRITES) || !(m->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS));
}

static struct cw_run_task *task(struct cw_run_enqueue *e, struct cw_run_memory *m, cl_command_type type,
                                uint64_t offset, size_t bytes, bool write)
{
    struct cw_run_task *t = cw_run_enqueue_settle(e) ? cw_run_task_create(1, 0, 0) : NULL;

    if (!t)
        return NULL;
    e->type = type;
    t->behind_native = cw_run_dependence_waits_native(e->queue, e->n, e->list);
    t->work = CW_UNLIKELY(cw_run.far_workers) ? CW_RUN_HOME : CW_RUN_NOTHING;
    t->home.mapped = m;
    cw_run_record_pin(&m->r);
    cw_run_byte_range_add_memory(e->queue, t, m, offset - m->offset, bytes, write);
    return t;
}

/* The vendor keeps the maps of a sub-buffer at it, not at its parent. */
static bool has_own_maps(const struct cw_run_memory *m)
{
    return cw_device_has(&m->context->devices->device[0], CW_VENDOR_SEPARATE_PARTS);
}

/* The object that the vendor counts a map at stays until it is unmapped, released or not. */
static void put_map(struct cw_run_memory *m, struct cw_run_map *map)
{
    map->of = m;
    map->at = has_own_maps(m) ? m : m->root;
    map->next = m->root->maps;
    __atomic_store_n(&m->root->maps, map, __ATOMIC_RELEASE);
    m->root->was_mapped = true;
    map->at->counted_maps++;
    cw_run_record_pin(&map->at->r);
}

/* The command that maps `bytes` bytes of `m`, a memory object or NULL; NULL: it is refused. */
static struct cw_run_task *map_task(struct cw_run_enqueue *e, struct cw_run_memory *m, cl_command_type type,
                                    cl_map_flags flags, size_t offset, size_t bytes, void **address)
{
    bool fine = may_map(m, flags, offset, bytes) && m->context == e->queue->context;
    struct cw_run_map *map = fine ? malloc(sizeof *map) : NULL;
    struct cw_run_task *t = map ? task(e, m, type, m->offset + offset, bytes, flags & MAP_WRITES) : NULL;

    if (!t) {
        free(map);
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
        return NULL;
    }
    *address = m->address + offset;
    *map = (struct cw_run_map){
        .address = *address, .offset = m->offset + offset, .bytes = bytes, .flags = flags};
    put_map(m, map);
    return t;
}

/* Where the latest map that begins at `address` is linked in: one of `m` itself before one of its parent or
 * another part, which only serves where the vendor keeps them all at the parent. NULL: there is none. */
static struct cw_run_map **find_map(struct cw_run_memory *m, const void *address)
{
    struct cw_run_map **found = NULL;

    for (struct cw_run_map **at = m ? &m->root->maps : NULL; at && *at; at = &(*at)->next) {
        if ((*at)->address != address)
            continue;
        if ((*at)->of == m)
            return at;
        found = found || has_own_maps(m) ? found : at;
    }
    return found;
}

/* Takes that map out, and lets the object go that it counts at; the caller frees it. */
static struct cw_run_map *take_map(struct cw_run_memory *m, const void *address)
{
    struct cw_run_map **at = find_map(m, address), *map = at ? *at : NULL;

    if (!map)
        return NULL;
    __atomic_store_n(at, map->next, __ATOMIC_RELEASE);
    map->at->counted_maps--;
    cw_run_object_unpin(&map->at->r); /* the last use of `m` here */
    return map;
}

/* The memory object, or, if there is none, the allocation of shared virtual memory. */
static struct cw_run_memory *memory_of(cl_mem memory, const void *address)
{
    return memory ? cw_run_memory_any(memory) : cw_run_memory_svm(address, 1);
}

/* The map that was made at `address` has not come about. Returns NULL. Lock not held. */
static void *unmapped(cl_mem memory, const void *address)
{
    cw_run_global_lock_take();
    free(take_map(memory_of(memory, address), address));
    cw_run_global_lock_give();
    return NULL;
}

/* The command that was to undo `map` is refused: it is as if it had never been enqueued. Lock not held. */
static void mapped_still(cl_mem memory, const void *address, struct cw_run_map *map)
{
    struct cw_run_memory *m;

    cw_run_global_lock_take();
    m = memory_of(memory, address);
    if (m)
        put_map(m, map);
    else
        free(map);
    cw_run_global_lock_give();
}

/* Enqueues `t`, which maps `memory` at `address`. Returns the program's address. Lock held, given up. */
static void *commit(struct cw_run_enqueue *e, struct cw_run_task *t, cl_mem memory, cl_bool blocking,
                    void *address, cl_int *err)
{
    cl_int status = cw_run_enqueue_commit(e, t, blocking);

    if (err)
        *err = status;
    return status == CL_SUCCESS ? address : unmapped(memory, address);
}

void *cw_run_hook_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                     cl_map_flags flags, size_t offset, size_t bytes, cl_uint n,
                                     const cl_event *list, cl_event *event, cl_int *err)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;
    void *address = NULL;
    cl_int status;

    if (cw_run_enqueue_begin_transfer(&e, queue, n, list, event, blocking, false, false) &&
        (t = map_task(&e, cw_run_memory_buffer(buffer), CL_COMMAND_MAP_BUFFER, flags, offset, bytes,
                      &address)))
        return commit(&e, t, buffer, blocking, address, err);
    cw_run_native_follow(&x, &e, CW_RUN_USE(1, &buffer, flags != CL_MAP_READ));
    if (x.turn)
        cw_run_staging_notes_maps(buffer);
    address = cw_native.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, x.n, x.list,
                                           x.event, &status);
    cw_run_native_end(&x, status);
    if (x.turn && address)
        cw_run_staging_notes_mapped(address, bytes, false, 0, 0);
    if (err)
        *err = status;
    return address;
}

/* The same of an image, with its pitches for the program. The vendor demands room for a slice pitch where
 * there are slices. */
static struct cw_run_task *map_image_task(struct cw_run_enqueue *e, cl_mem image, cl_map_flags flags,
                                          const size_t *origin, const size_t *region, size_t *row,
                                          size_t *slice, void **address)
{
    struct cw_run_rectangle_part part;
    struct cw_run_task *t;

    if (!row || !cw_run_rectangle_find_part(e, &part, image, 0, origin, region) ||
        (!slice && part.memory->image->slice_told)) {
        cw_run_enqueue_refuse(e, cw_run_memory_why(image));
        return NULL;
    }
    t = map_task(e, part.memory, CL_COMMAND_MAP_IMAGE, flags, part.side.start, part.side.span, address);
    if (!t)
        return NULL;
    *row = part.memory->image->row;
    if (slice)
        *slice = part.memory->image->slice_told;
    return t;
}

void *cw_run_hook_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                    cl_map_flags flags, const size_t *origin, const size_t *region,
                                    size_t *row, size_t *slice, cl_uint n, const cl_event *list,
                                    cl_event *event, cl_int *err)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;
    void *address = NULL;
    cl_int status;

    if (cw_run_enqueue_begin_transfer(&e, queue, n, list, event, blocking, false, false) &&
        (t = map_image_task(&e, image, flags, origin, region, row, slice, &address)))
        return commit(&e, t, image, blocking, address, err);
    cw_run_native_follow(&x, &e, CW_RUN_USE(1, &image, flags != CL_MAP_READ));
    if (x.turn)
        cw_run_staging_notes_maps(image);
    address = cw_native.clEnqueueMapImage(queue, image, blocking, flags, origin, region, row, slice, x.n,
                                          x.list, x.event, &status);
    cw_run_native_end(&x, status);
    if (err)
        *err = status;
    return address;
}

/* The vendor cannot unmap a map unknown to it: a marker takes its place in the queue. Lock held unless
 * e->unlocked, given up. */
static cl_int unmap_natively(const struct cw_run_enqueue *e, cl_command_queue queue, cl_mem memory,
                             void *address)
{
    bool ours = !e->unlocked && find_map(memory_of(memory, address), address);
    struct cw_run_native x;
    cl_int err;

    cw_run_native_follow(&x, e, CW_RUN_USE(!ours && memory, &memory, 1));
    if (!ours && memory)
        return cw_run_native_end(
            &x, cw_native.clEnqueueUnmapMemObject(queue, memory, address, x.n, x.list, x.event));
    if (!ours)
        return cw_run_native_end(&x, cw_native.clEnqueueSVMUnmap(queue, address, x.n, x.list, x.event));
    x.type = memory ? CL_COMMAND_UNMAP_MEM_OBJECT : CL_COMMAND_SVM_UNMAP;
    err = cw_native.clEnqueueMarkerWithWaitList(queue, x.n, x.list, x.event);
    if (err == CL_SUCCESS) {
        cw_run_global_lock_take();
        free(take_map(memory_of(memory, address), address));
        cw_run_global_lock_give();
    }
    return cw_run_native_end(&x, err);
}

/* The command, and in *taken its map, which is out; NULL: it is refused. */
static struct cw_run_task *unmap_task(struct cw_run_enqueue *e, struct cw_run_memory *m, cl_command_type type,
                                      const void *address, struct cw_run_map **taken)
{
    struct cw_run_map **found;
    struct cw_run_task *t = NULL;

    if (m && m->context == e->queue->context && cw_run_enqueue_settle(e) && (found = find_map(m, address)))
        t = task(e, m, type, (*found)->offset, (*found)->bytes, (*found)->flags & MAP_WRITES);
    if (!t) {
        cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
        return NULL;
    }
    /* the bytes are as the program has left them, in the host's memory */
    cw_run_byte_range_is_sure(t, (*found)->offset, (*found)->bytes);
    *taken = take_map(m, address);
    return t;
}

/* A managed command may have mapped some of it. Lock not needed. */
static bool is_mapped(cl_command_queue queue, cl_mem memory)
{
    const struct cw_run_memory *m;

    if (CW_LIKELY(!cw_run_native_queue(queue)) || !memory)
        return !memory;
    m = cw_run_memory_any(memory);
    return m && __atomic_load_n(&m->root->maps, __ATOMIC_ACQUIRE);
}

static cl_int unmap(cl_command_queue queue, cl_mem memory, cl_command_type type, void *address, cl_uint n,
                    const cl_event *list, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_map *map;
    struct cw_run_task *t;
    cl_int status;

    if (cw_run_enqueue_begin_as(&e, queue, n, list, event,
                                (struct cw_run_enqueue){.tracked = is_mapped(queue, memory)}) &&
        (t = unmap_task(&e, memory_of(memory, address), type, address, &map))) {
        status = cw_run_enqueue_commit(&e, t, false);
        if (status == CL_SUCCESS)
            free(map);
        else
            mapped_still(memory, address, map);
        return status;
    }
    return unmap_natively(&e, queue, memory, address);
}

cl_int cw_run_hook_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *address, cl_uint n,
                                           const cl_event *list, cl_event *event)
{
    cw_run_staging_notes_unmapped(address, false);
    if (CW_UNLIKELY(!memory)) { /* the vendor knows the error */
        struct cw_run_native x;
        cw_run_native_begin(&x, queue, n, list, event, false, false, CW_RUN_R_CHECK, CW_RUN_USE_NOTHING);
        return cw_run_native_end(
            &x, cw_native.clEnqueueUnmapMemObject(queue, memory, address, x.n, x.list, x.event));
    }
    return unmap(queue, memory, CL_COMMAND_UNMAP_MEM_OBJECT, address, n, list, event);
}

/* ---- shared virtual memory: what the host has is the allocation itself, at its address */

cl_int cw_run_hook_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags,
                                   void *pointer, size_t bytes, cl_uint n, const cl_event *list,
                                   cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_memory *m;
    struct cw_run_task *t;
    void *address;
    cl_int status;

    if (cw_run_enqueue_begin_transfer(&e, queue, n, list, event, blocking, false, false)) {
        m = cw_run_memory_svm(pointer, bytes);
        t = map_task(&e, m, CL_COMMAND_SVM_MAP, flags, m ? (size_t)((uint8_t *)pointer - m->address) : 0,
                     bytes, &address);
        if (t) {
            commit(&e, t, NULL, blocking, pointer, &status);
            return status;
        }
    }
    cw_run_native_follow(&x, &e, CW_RUN_USE_ALL);
    return cw_run_native_end(
        &x, cw_native.clEnqueueSVMMap(queue, blocking, flags, pointer, bytes, x.n, x.list, x.event));
}

cl_int cw_run_hook_clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint n, const cl_event *list,
                                     cl_event *event)
{
    return unmap(queue, NULL, CL_COMMAND_SVM_UNMAP, pointer, n, list, event);
}
