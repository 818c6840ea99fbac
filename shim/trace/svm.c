#include <errno.h>

#include "../../analyzer/io/address_map.h"
#include "../../analyzer/record/trace.h"
#include "../door/lock.h"
#include "recorder.h"

static struct cw_address_map live; /* of each: its id + 1 */
static cw_lock svm_lock;

void cw_svm_remove(const void *address, const struct cw_caller *caller)
{
    struct cw_thread *t = caller ? cw_log_thread() : NULL;
    struct cw_rec r;
    uintptr_t id;
    uint32_t site;

    cw_lock_take(&svm_lock);
    id = (uintptr_t)cw_address_map_remove(&live, (uintptr_t)address);
    cw_lock_free(&svm_lock);
    if (!id)
        return;
    site = t ? cw_callsite_leaf(t, *caller) : 0;
    cw_log_rec_begin(&r);
    cw_rec_u(&r, CW_LOG_O_MEMORY);
    cw_rec_u(&r, id - 1);
    cw_rec_u(&r, cw_now_ns());
    cw_rec_u(&r, site);
    cw_log_rec_commit(&r, CW_LOG_RELEASE);
}

/* An allocation with some of these bytes, whose end was not seen, at *start. */
static bool meets(const void *address, size_t bytes, uint64_t *start)
{
    bool found;

    cw_lock_take(&svm_lock);
    found = cw_address_map_find(&live, (uintptr_t)address, bytes, start);
    cw_lock_free(&svm_lock);
    return found;
}

void cw_svm_add(cl_context context, void *address, size_t bytes, cl_svm_mem_flags flags)
{
    struct cw_object *o = cw_object_insert(address, CW_LOG_O_MEMORY); /* for its id */
    int saved = errno;
    struct cw_rec r;
    uint64_t gone;
    bool ok;

    if (!o)
        return;
    while (meets(address, bytes, &gone))
        cw_svm_remove((void *)(uintptr_t)gone, NULL);
    cw_lock_take(&svm_lock);
    ok = cw_address_map_add(&live, (uintptr_t)address, bytes, (void *)((uintptr_t)o->id + 1));
    cw_lock_free(&svm_lock);
    if (!ok)
        cw_log_stop("out of memory");
    cw_log_rec_begin(&r);
    cw_rec_u(&r, o->id);
    cw_rec_u(&r, CW_MEM_SVM);
    cw_rec_u(&r, cw_known_id(context, CW_LOG_O_CONTEXT));
    cw_rec_u(&r, 0);
    cw_rec_u(&r, 0);
    cw_rec_u(&r, bytes);
    cw_rec_u(&r, flags);
    cw_rec_u(&r, (uint64_t)(uintptr_t)address);
    cw_rec_u(&r, 0);
    cw_log_rec_commit(&r, CW_LOG_MEMORY);
    cw_object_remove(o); /* it is found by address range, and must not be taken for a cl_mem */
    errno = saved;
}

uint64_t cw_svm_id(const void *address, uint64_t *offset)
{
    uint64_t id, start = 0;

    cw_lock_take(&svm_lock);
    id = (uintptr_t)cw_address_map_find(&live, (uintptr_t)address, 1, &start);
    cw_lock_free(&svm_lock);
    *offset = id ? (uintptr_t)address - start : 0;
    return id;
}

void cw_svm_after_fork(void)
{
    cw_lock_free(&svm_lock);
    live = (struct cw_address_map){0}; /* the child's log does not describe them */
}
