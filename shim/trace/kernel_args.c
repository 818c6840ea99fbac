#include <errno.h>
#include <stdlib.h>

#include "../../analyzer/record/trace.h"
#include "../door/lock.h"
#include "recorder.h"

/* The value that the program last set for one argument. */
struct arg_shadow {
    uint64_t value; /* VALUE up to 8 bytes; MEMORY, SAMPLER, QUEUE: the handle; SVM: the address */
    uint8_t *big;   /* VALUE over 8 bytes, owned */
    uint32_t size, id, big_capacity;
    uint8_t kind; /* enum cw_arg_kind */
    bool dirty;   /* changed since the kernel's latest record */
};

struct cw_kernel {
    cw_lock lock; /* enqueues of one kernel on several threads are legal */
    uint32_t count;
    uint32_t dirty_low, dirty_high; /* arguments outside [low, high) are clean */
    uint32_t segment;               /* of the latest record's thread */
    uint32_t recorded;              /* the generation of the log that has a record of it; 0: none */
    uint64_t latest; /* generation << 32 | thread number + 1 of the latest record; 0: none to build upon */
    bool indirect;
    uint8_t dims, has; /* the latest record's range; has: CW_LOG_K_LOCAL_NULL | _OFFSET | _TASK */
    size_t range[9];
    struct arg_shadow args[];
};

struct cw_kernel *cw_kernel_create(cl_kernel kernel)
{
    struct cw_kernel *k;
    cl_uint count = 0;

    if (cw_traced.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) != CL_SUCCESS)
        count = 0;
    k = calloc(1, sizeof *k + count * sizeof k->args[0]);
    if (k)
        k->count = count;
    return k;
}

void cw_kernel_destroy(struct cw_kernel *k)
{
    uint32_t i;

    for (i = 0; k && i < k->count; i++)
        free(k->args[i].big);
    free(k);
}

void cw_kernel_after_fork(struct cw_kernel *k)
{
    cw_lock_free(&k->lock); /* a thread that does not exist here may have held it */
}

static void mark_dirty(struct cw_kernel *k, uint32_t index)
{
    k->args[index].dirty = true;
    if (k->dirty_low >= k->dirty_high) {
        k->dirty_low = index;
        k->dirty_high = index + 1;
    } else if (index < k->dirty_low) {
        k->dirty_low = index;
    } else if (index >= k->dirty_high) {
        k->dirty_high = index + 1;
    }
}

/* Stores a small argument; only a change makes it dirty. */
static void set_small(struct cw_kernel *k, uint32_t index, enum cw_arg_kind kind, uint32_t size,
                      uint64_t value, uint32_t id)
{
    struct arg_shadow *a = &k->args[index];

    if (a->kind == kind && a->size == size && a->value == value && a->id == id)
        return;
    a->kind = (uint8_t)kind;
    a->size = size;
    a->value = value;
    a->id = id;
    mark_dirty(k, index);
}

static void set_big(struct cw_kernel *k, uint32_t index, uint32_t size, const void *value)
{
    struct arg_shadow *a = &k->args[index];
    int saved = errno;
    uint8_t *grown;

    if (a->kind == CW_ARG_VALUE && a->size == size && a->big && !memcmp(a->big, value, size))
        return;
    if (a->big_capacity < size) {
        grown = realloc(a->big, size);
        errno = saved;
        if (!grown) {
            cw_log_stop("out of memory");
            return;
        }
        a->big = grown;
        a->big_capacity = size;
    }
    memcpy(a->big, value, size);
    a->kind = CW_ARG_VALUE;
    a->size = size;
    mark_dirty(k, index);
}

/* A value of a handle's size that equals a live handle is that handle. */
static void set_word(struct cw_kernel *k, uint32_t index, uint64_t value)
{
    struct cw_object *o = cw_object_find_any((const void *)(uintptr_t)value);
    enum cw_arg_kind kind = CW_ARG_VALUE;

    if (CW_LIKELY(o)) {
        if (o->kind == CW_LOG_O_MEMORY)
            kind = CW_ARG_MEMORY;
        else if (o->kind == CW_LOG_O_SAMPLER)
            kind = CW_ARG_SAMPLER;
        else if (o->kind == CW_LOG_O_QUEUE)
            kind = CW_ARG_QUEUE;
        if (kind != CW_ARG_VALUE && CW_UNLIKELY(o->generation != cw_log_generation))
            cw_define((const void *)(uintptr_t)value, (enum cw_log_object)o->kind);
    }
    set_small(k, index, kind, 8, value, kind == CW_ARG_VALUE ? 0 : o->id);
}

void cw_kernel_set_arg(struct cw_kernel *k, cl_uint index, size_t size, const void *value)
{
    uint64_t word = 0;

    if (index >= k->count || size > UINT32_MAX)
        return;
    if (!value) {
        set_small(k, index, CW_ARG_LOCAL, (uint32_t)size, 0, 0);
    } else if (size == 8) {
        memcpy(&word, value, 8);
        set_word(k, index, word);
    } else if (size == 4) {
        memcpy(&word, value, 4);
        set_small(k, index, CW_ARG_VALUE, 4, word, 0);
    } else if (size < 8) {
        memcpy(&word, value, size);
        set_small(k, index, CW_ARG_VALUE, (uint32_t)size, word, 0);
    } else {
        set_big(k, index, (uint32_t)size, value);
    }
}

void cw_kernel_set_svm(struct cw_kernel *k, cl_uint index, const void *address)
{
    uint64_t offset;

    if (index < k->count)
        set_small(k, index, CW_ARG_SVM, 8, (uint64_t)(uintptr_t)address,
                  (uint32_t)cw_svm_id(address, &offset));
}

void cw_kernel_set_indirect(struct cw_kernel *k)
{
    k->indirect = true;
}

void cw_kernel_copy_args(struct cw_kernel *to, struct cw_kernel *from)
{
    struct arg_shadow *a;
    uint32_t i;

    to->indirect = from->indirect;
    for (i = 0; i < from->count && i < to->count; i++) {
        a = &from->args[i];
        if (a->kind == CW_ARG_VALUE && a->size > 8)
            set_big(to, i, a->size, a->big);
        else if (a->kind != CW_ARG_UNSET)
            set_small(to, i, (enum cw_arg_kind)a->kind, a->size, a->value, a->id);
    }
}

static void encode_arg(struct cw_rec *r, uint32_t index, const struct arg_shadow *a)
{
    bool short_value = a->kind == CW_ARG_VALUE && a->size >= 1 && a->size <= 8;

    cw_rec_u(r, index);
    cw_rec_u(r, a->kind | (short_value ? a->size << 4 : 0));
    switch (a->kind) {
    case CW_ARG_VALUE:
        if (CW_LIKELY(short_value)) {
            cw_rec_word(r, a->value, a->size);
            break;
        }
        cw_rec_u(r, a->size);
        cw_log_rec_bytes(r, a->size > 8 ? a->big : (const uint8_t *)&a->value, a->size);
        break;
    case CW_ARG_LOCAL:
        cw_rec_u(r, a->size);
        break;
    case CW_ARG_SVM:
        cw_log_rec_bytes(r, &a->value, 8);
        cw_rec_u(r, a->id);
        break;
    default:
        cw_rec_u(r, (uint64_t)a->id + 1);
        break;
    }
}

/* After a fork the child's log has to describe the arguments that the parent set. */
static void define_args(const struct cw_kernel *k)
{
    struct cw_object *o;
    uint32_t i;

    for (i = 0; i < k->count; i++) {
        o = k->args[i].kind == CW_ARG_MEMORY || k->args[i].kind == CW_ARG_SAMPLER
                ? cw_object_find_any((const void *)(uintptr_t)k->args[i].value)
                : NULL;
        if (o && o->id == k->args[i].id && o->generation != cw_log_generation)
            cw_define((const void *)(uintptr_t)k->args[i].value, (enum cw_log_object)o->kind);
    }
}

static void encode_args(struct cw_rec *r, struct cw_kernel *k, bool full)
{
    uint32_t i, n = 0, low = full ? 0 : k->dirty_low, high = full ? k->count : k->dirty_high;

    for (i = low; i < high; i++)
        n += full ? k->args[i].kind != CW_ARG_UNSET : k->args[i].dirty;
    cw_rec_u(r, n);
    for (i = low; i < high; i++) {
        if (full ? k->args[i].kind != CW_ARG_UNSET : k->args[i].dirty)
            encode_arg(r, i, &k->args[i]);
        k->args[i].dirty = false;
    }
    k->dirty_low = k->dirty_high = 0;
}

/* The range in one row: global, local, offset; unused dimensions zero. Returns the flags of the parts that
 * are present. */
static uint8_t flatten(const struct cw_range *range, size_t flat[9])
{
    cl_uint i, dims = range->work_dim <= 3 ? range->work_dim : 0;
    uint8_t has = range->task ? CW_LOG_K_TASK : 0;

    memset(flat, 0, 9 * sizeof flat[0]);
    for (i = 0; i < dims; i++) {
        flat[i] = range->global ? range->global[i] : 0;
        flat[3 + i] = range->local ? range->local[i] : 0;
        flat[6 + i] = range->offset ? range->offset[i] : 0;
        has |= flat[6 + i] ? CW_LOG_K_OFFSET : 0;
    }
    return has | (range->local ? 0 : CW_LOG_K_LOCAL_NULL);
}

static void encode_range(struct cw_rec *r, uint8_t dims, uint8_t has, const size_t flat[9])
{
    uint8_t i;

    cw_rec_u(r, dims);
    for (i = 0; i < dims; i++)
        cw_rec_u(r, flat[i]);
    for (i = 0; i < dims && !(has & CW_LOG_K_LOCAL_NULL); i++)
        cw_rec_u(r, flat[3 + i]);
    for (i = 0; i < dims && has & CW_LOG_K_OFFSET; i++)
        cw_rec_u(r, flat[6 + i]);
}

void cw_kernel_each_memory(const struct cw_object *kernel, void (*visit)(cl_command_queue, cl_mem),
                           cl_command_queue queue)
{
    struct cw_kernel *k = kernel ? kernel->state : NULL;

    if (!k)
        return;
    cw_lock_take(&k->lock);
    for (uint32_t i = 0; i < k->count; i++)
        if (k->args[i].kind == CW_ARG_MEMORY)
            visit(queue, (cl_mem)(uintptr_t)k->args[i].value);
    cw_lock_free(&k->lock);
}

/* No record of the kernel, with its heads, is longer. */
static size_t most_bytes(const struct cw_kernel *k)
{
    size_t bytes = CW_REC_INLINE + 9 * 10;

    for (uint32_t i = 0; i < k->count; i++)
        bytes += 24 + (k->args[i].kind == CW_ARG_VALUE ? k->args[i].size : 0);
    return bytes;
}

bool cw_kernel_encode(struct cw_rec *r, struct cw_object *kernel, const struct cw_range *range,
                      struct cw_thread *t)
{
    struct cw_kernel *k = kernel ? kernel->state : NULL;
    uint64_t me = (uint64_t)cw_log_generation << 32 | (t->number + 1);
    bool nested = t->depth > 1, full, same, known;
    uint8_t dims = range->work_dim <= 3 ? (uint8_t)range->work_dim : 0;
    size_t flat[9];
    uint8_t has = flatten(range, flat);

    cw_rec_u(r, kernel ? (uint64_t)kernel->id + 1 : 0);
    if (!k) {
        cw_rec_u(r, CW_LOG_K_FULL | CW_LOG_K_NESTED | has);
        encode_range(r, dims, has, flat);
        cw_rec_u(r, 0);
        return true;
    }
    cw_lock_take(&k->lock);
    if (CW_UNLIKELY(cw_log_is_limited()))
        cw_log_thread_space(t, most_bytes(k), r);
    full = nested || k->latest != me || (cw_log_is_limited() && k->segment != t->segment);
    known = !full || k->recorded == cw_log_generation;
    if (CW_UNLIKELY(!known)) {
        define_args(k);
        k->recorded = cw_log_generation;
    }
    same = !full && dims == k->dims && has == k->has && !memcmp(flat, k->range, sizeof flat);
    cw_rec_u(r, has | (full ? CW_LOG_K_FULL : 0) | (nested ? CW_LOG_K_NESTED : 0) |
                    (same ? CW_LOG_K_SAME_RANGE : 0));
    if (!same) {
        encode_range(r, dims, has, flat);
        k->dims = dims;
        k->has = has;
        memcpy(k->range, flat, sizeof flat);
    }
    encode_args(r, k, full);
    k->latest = nested ? 0 : me;
    k->segment = t->segment;
    if (k->indirect)
        r->flags |= CW_LOG_E_UNKNOWN_ACCESS;
    cw_lock_free(&k->lock);
    return known;
}
