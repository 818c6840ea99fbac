#include <errno.h>
#include <stdlib.h>

#include "../../analyzer/record/trace.h"
#include "../door/lock.h"
#include "recorder.h"

struct allocation {
    uintptr_t start, end;
    uint32_t id;
};
static struct allocation *list; /* live ones, any order: programs have few */
static size_t count, capacity;
static cw_lock svm_lock;

static bool append(struct allocation a)
{
    size_t more = capacity ? 2 * capacity : 64;
    struct allocation *grown = list;

    if (count == capacity) {
        grown = realloc(list, more * sizeof *list);
        if (!grown)
            return false;
        list = grown;
        capacity = more;
    }
    list[count++] = a;
    return true;
}

void cw_svm_add(cl_context context, void *address, size_t bytes, cl_svm_mem_flags flags)
{
    struct cw_object *o = cw_object_insert(address, CW_LOG_O_MEMORY); /* for its id */
    int saved = errno;
    struct cw_rec r;
    bool ok;

    if (!o)
        return;
    cw_lock_take(&svm_lock);
    ok = append((struct allocation){(uintptr_t)address, (uintptr_t)address + bytes, o->id});
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

void cw_svm_remove(const void *address)
{
    uint32_t id = 0;
    struct cw_rec r;
    bool found = false;
    size_t i;

    cw_lock_take(&svm_lock);
    for (i = 0; i < count && !found; i++)
        if (list[i].start == (uintptr_t)address) {
            found = true;
            id = list[i].id;
            list[i] = list[--count];
        }
    cw_lock_free(&svm_lock);
    if (!found)
        return;
    cw_log_rec_begin(&r);
    cw_rec_u(&r, CW_LOG_O_MEMORY);
    cw_rec_u(&r, id);
    cw_rec_u(&r, cw_now_ns());
    cw_log_rec_commit(&r, CW_LOG_RELEASE);
}

uint64_t cw_svm_id(const void *address, uint64_t *offset)
{
    uint64_t id = 0;
    size_t i;

    *offset = 0;
    cw_lock_take(&svm_lock);
    for (i = 0; i < count && !id; i++)
        if ((uintptr_t)address >= list[i].start && (uintptr_t)address < list[i].end) {
            id = (uint64_t)list[i].id + 1;
            *offset = (uintptr_t)address - list[i].start;
        }
    cw_lock_free(&svm_lock);
    return id;
}

void cw_svm_after_fork(void)
{
    cw_lock_free(&svm_lock);
    count = 0; /* the child's log does not describe them */
}
