/* svm.c - shared virtual memory: allocations, and commands on them but maps (map.c). An allocation is a
 * memory object without a handle: kernels and commands name it by any address of it. */
#include "hooks.h"
#include "enqueue.h"
#include "memory.h"
#include "rectangle.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/state.h"
#include "../memory/byte_range.h"
#include "../tasks/dependence.h"
#include "../tasks/object.h"
#include "../tasks/task.h"

#include <stdlib.h>

/* ---- allocations */

static void free_maps(struct cw_run_memory *m)
{
    struct cw_run_map *map;

    while ((map = m->maps)) {
        m->maps = map->next;
        cw_run_record_unpin(&m->r);
        free(map);
    }
}

/* The program lets go of the allocation: its bytes stay until the commands under way that use them are over.
 * Its address leads to it until then. */
static void lets_go(struct cw_run_memory *m)
{
    m->r.held_back = true;
    cw_run_record_pin(&m->r);
    free_maps(m);
    cw_run_record_unpin(&m->r);
    cw_run_object_sweep();
}

/* The same, and no address leads to it from here on. `vendor`: the vendor's call is made with the last
 * use. */
static void ends(struct cw_run_memory *m, bool vendor)
{
    if (!vendor)
        m->svm->pointer = NULL;
    cw_run_byte_range_region_leave(m->region);
    lets_go(m);
}

/* The allocation that begins at `pointer`; NULL: none that is managed. */
static struct cw_run_memory *begins_at(const void *pointer)
{
    struct cw_run_memory *m = cw_run_memory_svm(pointer, 1);

    return m && m->address == pointer ? m : NULL;
}

static void remember(struct cw_run_context *c, cl_svm_mem_flags flags, size_t bytes, void *pointer)
{
    struct cw_run_svm *svm = malloc(sizeof *svm);
    struct cw_run_memory *m = svm ? cw_run_record_create_unnamed(CW_RUN_MEMORY) : NULL, *gone;

    if (!m) {
        free(svm);
        return;
    }
    while ((gone = begins_at(pointer)))
        ends(gone, false); /* unseen */
    *svm = (struct cw_run_svm){(cl_context)(uintptr_t)c->r.handle, pointer};
    m->svm = svm;
    m->context = c;
    cw_run_record_pin(&c->r);
    m->id = ++cw_run.memory_ids;
    m->root = m;
    m->flags = flags;
    m->address = pointer;
    m->bytes = bytes;
    m->own = true;
    m->region = cw_run_byte_range_region_create(pointer, bytes);
    m->managed = m->region;
    if (m->region) {
        m->region->root = m;
        return;
    }
    svm->pointer = NULL;
    cw_run_record_end(&m->r);
    cw_run_object_sweep();
}

void *cw_run_hook_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment)
{
    void *pointer = cw_native.clSVMAlloc(context, flags, bytes, alignment);
    struct cw_run_context *c;

    if (!pointer)
        return NULL;
    cw_run_global_lock_take();
    c = cw_run_record_find(context, CW_RUN_CONTEXT);
    if (c && flags & CL_MEM_SVM_ATOMICS && !c->watchable) {
        c->watchable = true;
        atomic_fetch_add(&cw_run_passing_held, 1);
    }
    if (c && c->devices && !c->places->device->memory && !cw_run.off)
        remember(c, flags, bytes, pointer);
    cw_run_global_lock_give();
    return pointer;
}

void cw_run_hook_clSVMFree(cl_context context, void *pointer)
{
    struct cw_run_memory *m;

    cw_run_global_lock_take();
    m = begins_at(pointer);
    if (m)
        ends(m, true);
    cw_run_global_lock_give();
    if (!m)
        cw_native.clSVMFree(context, pointer);
}

static struct cw_run_task *refuse(struct cw_run_enqueue *e)
{
    cw_run_enqueue_refuse(e, CW_RUN_R_CHECK);
    return NULL;
}

/* Other commands may come before the one that frees them: then they find the allocations as ever. */
static void all_let_go(cl_uint count, void *const *pointers)
{
    struct cw_run_memory *m;

    cw_run_global_lock_take();
    for (cl_uint i = 0; i < count; i++)
        if ((m = begins_at(pointers[i])))
            lets_go(m);
    cw_run_global_lock_give();
}

/* Some of them are allocations with records. */
static bool are_known(cl_uint count, void *const *pointers)
{
    bool known = false;

    cw_run_global_lock_take();
    for (cl_uint i = 0; pointers && i < count; i++)
        known |= begins_at(pointers[i]) != NULL;
    cw_run_global_lock_give();
    return known;
}

/* The vendor's command runs. */
static void CL_CALLBACK free_all(cl_command_queue queue, cl_uint count, void *pointers[], void *context)
{
    (void)queue;
    for (cl_uint i = 0; i < count; i++)
        cw_run_hook_clSVMFree(context, pointers[i]);
}

/* The command needs the allocations, so none is freed before it is over. */
static struct cw_run_task *free_task(struct cw_run_enqueue *e, cl_uint count, void *const *pointers)
{
    bool plain = count && pointers;
    struct cw_run_task *t;

    for (cl_uint i = 0; plain && i < count; i++) {
        const struct cw_run_memory *m = begins_at(pointers[i]);
        plain = m && m->context == e->queue->context;
    }
    t = plain && cw_run_enqueue_settle(e) ? cw_run_task_create(0, 0, count * sizeof *t->home.of) : NULL;
    if (!t)
        return refuse(e);
    e->type = CL_COMMAND_SVM_FREE;
    t->behind_native = cw_run_dependence_waits_native(e->queue, e->n, e->list);
    t->home.of = (struct cw_run_memory **)t->accesses.of;
    for (cl_uint i = 0; i < count; i++) {
        struct cw_run_memory *m = begins_at(pointers[i]);
        if (!m) /* settling may have given up the lock */
            continue;
        t->home.of[t->home.n++] = m;
        cw_run_record_pin(&m->r);
    }
    return t;
}

/* A function of the program's is called by the vendor, and frees the allocations as it likes. */
cl_int cw_run_hook_clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void *pointers[],
                                    void(CL_CALLBACK *function)(cl_command_queue, cl_uint, void *[], void *),
                                    void *data, cl_uint n, const cl_event *list, cl_event *event)
{
    bool may;
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t = NULL;
    cl_int err;

    may = cw_run_enqueue_begin(&e, queue, n, list, event, false);
    if (may && function)
        cw_run_enqueue_refuse(&e, CW_RUN_R_KIND);
    else if (may)
        t = free_task(&e, count, pointers);
    if (t) {
        err = cw_run_enqueue_commit(&e, t, false);
        if (err == CL_SUCCESS)
            all_let_go(count, pointers);
        return err;
    }
    cw_run_native_follow(&x, &e, CW_RUN_USE_ALL);
    if (!function && are_known(count, pointers) &&
        cw_next.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof data, &data, NULL) == CL_SUCCESS)
        function = free_all;
    err = cw_native.clEnqueueSVMFree(queue, count, pointers, function, data, x.n, x.list, x.event);
    return cw_run_native_end(&x, err);
}

/* ---- copies and fills */

/* The bytes of an allocation of the queue's context, or of other memory of the program's. False: the vendor
 * shall judge them. */
static bool find(const struct cw_run_enqueue *e, const void *pointer, size_t bytes, struct cw_run_bytes *b)
{
    struct cw_run_memory *m = cw_run_memory_svm(pointer, bytes);

    *b = m ? (struct cw_run_bytes){.memory = m, .offset = (uint64_t)((const uint8_t *)pointer - m->address)}
           : (struct cw_run_bytes){.host = (uint8_t *)(uintptr_t)pointer};
    return bytes &&
           (m ? m->context == e->queue->context : pointer && !cw_run_byte_range_among(pointer, bytes));
}

static struct cw_run_task *copy_task(struct cw_run_enqueue *e, uint8_t *to, const uint8_t *from, size_t bytes)
{
    struct cw_run_transfer c = {.region = {bytes, 1, 1}};
    struct cw_run_task *t;

    if (!find(e, to, bytes, &c.to) || !find(e, from, bytes, &c.from) ||
        (to < from + bytes && from < to + bytes) ||
        !(t = cw_run_rectangle_task(e, CL_COMMAND_SVM_MEMCPY, CW_RUN_COPY)))
        return refuse(e);
    t->copy = c;
    cw_run_rectangle_add_access(e, t, &t->copy.from, bytes, false);
    cw_run_rectangle_add_access(e, t, &t->copy.to, bytes, true);
    return t;
}

cl_int cw_run_hook_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
                                      size_t bytes, cl_uint n, const cl_event *list, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin_transfer(&e, queue, n, list, event, blocking, false, true) &&
        (t = copy_task(&e, to, from, bytes)))
        return cw_run_enqueue_commit(&e, t, blocking);
    cw_run_native_follow(&x, &e, CW_RUN_USE_ALL);
    return cw_run_native_end(
        &x, cw_native.clEnqueueSVMMemcpy(queue, blocking, to, from, bytes, x.n, x.list, x.event));
}

static struct cw_run_task *fill_task(struct cw_run_enqueue *e, void *to, const void *pattern,
                                     size_t pattern_bytes, size_t bytes)
{
    struct cw_run_fill f = {.bytes = bytes, .pattern_bytes = pattern_bytes};
    struct cw_run_task *t;

    if (!find(e, to, bytes, &f.to) || !f.to.memory || !pattern || !pattern_bytes ||
        pattern_bytes > sizeof f.pattern || pattern_bytes & (pattern_bytes - 1) ||
        (uintptr_t)to % pattern_bytes || bytes % pattern_bytes ||
        !(t = cw_run_rectangle_task(e, CL_COMMAND_SVM_MEMFILL, CW_RUN_FILL)))
        return refuse(e);
    memcpy(f.pattern, pattern, pattern_bytes);
    t->fill = f;
    cw_run_rectangle_add_access(e, t, &t->fill.to, bytes, true);
    return t;
}

cl_int cw_run_hook_clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern,
                                       size_t pattern_bytes, size_t bytes, cl_uint n, const cl_event *list,
                                       cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, false) &&
        (t = fill_task(&e, to, pattern, pattern_bytes, bytes)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE_ALL);
    return cw_run_native_end(
        &x, cw_native.clEnqueueSVMMemFill(queue, to, pattern, pattern_bytes, bytes, x.n, x.list, x.event));
}

/* ---- migration: the host's memory is where all devices work */

static struct cw_run_task *migrate_task(struct cw_run_enqueue *e, cl_uint count, const void **pointers,
                                        const size_t *bytes, cl_mem_migration_flags flags)
{
    bool plain = count && pointers && !(flags & ~(cl_mem_migration_flags)CL_MIGRATE_MEM_OBJECT_HOST);
    struct cw_run_task *t;

    for (cl_uint i = 0; plain && i < count; i++) {
        const struct cw_run_memory *m = cw_run_memory_svm(pointers[i], bytes && bytes[i] ? bytes[i] : 1);
        plain = m && m->context == e->queue->context;
    }
    t = plain ? cw_run_rectangle_task(e, CL_COMMAND_SVM_MIGRATE_MEM, CW_RUN_NOTHING) : NULL;
    return t ? t : refuse(e);
}

cl_int cw_run_hook_clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint count, const void **pointers,
                                          const size_t *bytes, cl_mem_migration_flags flags, cl_uint n,
                                          const cl_event *list, cl_event *event)
{
    struct cw_run_enqueue e;
    struct cw_run_native x;
    struct cw_run_task *t;

    if (cw_run_enqueue_begin(&e, queue, n, list, event, false) &&
        (t = migrate_task(&e, count, pointers, bytes, flags)))
        return cw_run_enqueue_commit(&e, t, false);
    cw_run_native_follow(&x, &e, CW_RUN_USE_ALL);
    return cw_run_native_end(
        &x, cw_native.clEnqueueSVMMigrateMem(queue, count, pointers, bytes, flags, x.n, x.list, x.event));
}
