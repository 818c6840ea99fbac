/* memory.c - the bytes of memory objects, and buffers. The vendor gets CL_MEM_USE_HOST_PTR over run mode's
 * memory, so that every context works on the same bytes; queries show the program's own flags. */
#include "hooks.h"
#include "../core/image.h"
#include "memory.h"
#include "native.h"
#include "opaque.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../staging/staging.h"
#include "../memory/byte_range.h"
#include "../memory/spread.h"
#include "../tasks/reference_counts.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HOST_BITS (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)
#define KNOWN_BITS                                                                                           \
    (HOST_BITS | CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY |         \
     CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define ALIGN  128 /* the widest vector */
#define PAGE   4096
#define SPREAD 16384 /* buffers from here on begin at different places of a page */
#define STEP                                                                                                 \
    1664 /* 13 x 128: five in turn are 768 apart at least, and no two of thirty-two begin at one place */

/* The context, if its buffers are managed. */
static struct cw_run_context *managed_context(cl_context context)
{
    struct cw_run_context *c;

    cw_run_global_lock_take();
    c = cw_run_record_find(context, CW_RUN_CONTEXT);
    c = c && c->devices && !cw_run.off ? c : NULL;
    cw_run_global_lock_give();
    return c;
}

bool cw_run_memory_lies_in_another(const void *host, size_t bytes)
{
    cw_run_global_lock_take();
    bool lies = cw_run_byte_range_among(host, bytes);
    cw_run_global_lock_give();
    return lies;
}

/* Runs when the vendor lets go of the buffer, after the callbacks of the program. */
static void CL_CALLBACK free_bytes(cl_mem memory, void *bytes)
{
    (void)memory;
    free(bytes);
}

/* The bytes of a buffer, and in *block the pointer to free. Where none of the program's are copied
 * there, they are zero, as a vendor's mostly are: programs lean on that unknowingly, and bytes freed before
 * must not show. calloc clears only memory that was
 * used before.
 *
 * Kernels go through several buffers side by side. Were all to begin at the start of a page, element i of
 * each would lie in one set of the first cache, and a load from one would look to the processor like the
 * store to another just before it. */
uint8_t *cw_run_memory_bytes(size_t bytes, bool zero, void **block)
{
    static atomic_uint large;
    bool spread = bytes >= SPREAD;
    size_t align = spread ? PAGE : ALIGN,
           begin = spread ? (size_t)atomic_fetch_add(&large, 1) * STEP % PAGE : 0;
    size_t capacity = bytes + align;
    uint8_t *p = capacity < bytes ? NULL : zero ? calloc(1, capacity) : malloc(capacity);

    *block = p;
    if (!p)
        return NULL;
    return p + (align + begin - (uintptr_t)p % align) % align;
}

/* Lock held. */
static void remember(cl_mem memory, struct cw_run_context *c, cl_mem_flags flags, size_t bytes,
                     uint8_t *address, bool own, struct cw_run_image *image)
{
    struct cw_run_memory *m = cw_run_object_create(memory, CW_RUN_MEMORY);

    if (!m) {
        cw_run.off = true; /* kernels that get it would be taken for kernels without it */
        free(image);
        return;
    }
    m->image = image;
    m->context = c;
    m->id = ++cw_run.memory_ids;
    cw_run_record_pin(&c->r);
    m->root = m;
    m->flags = flags;
    m->address = address;
    m->bytes = bytes;
    m->own = own;
    m->region = own ? cw_run_byte_range_region_create(address, bytes) : &cw_run.host;
    m->offset = own ? 0 : (uintptr_t)address; /* the host's memory begins at 0 */
    m->managed = m->region;
    if (own && m->region)
        m->region->root = m;
    m->mirrors = calloc(CW_RUN_WORKERS, sizeof *m->mirrors);
    if (!m->mirrors)
        m->managed = false;
}

bool cw_run_memory_ours(cl_context context, cl_mem_flags flags)
{
    const struct cw_run_context *c = managed_context(context);

    return c && !c->places->device->memory && !(flags & ~(cl_mem_flags)KNOWN_BITS);
}

cl_mem_flags cw_run_memory_flags(cl_mem_flags flags)
{
    cl_mem_flags ours = (flags & ~(cl_mem_flags)HOST_BITS) | CL_MEM_USE_HOST_PTR;

    return flags ? ours : ours | CL_MEM_READ_WRITE; /* OpenCL's default */
}

bool cw_run_memory_keep(cl_mem memory, cl_context context, cl_mem_flags flags, size_t bytes, uint8_t *own,
                        void *block, struct cw_run_image *image)
{
    struct cw_run_context *c;

    if (cw_next.clSetMemObjectDestructorCallback(memory, free_bytes, block) != CL_SUCCESS) {
        cw_next.clReleaseMemObject(memory);
        return false;
    }
    cw_run_global_lock_take();
    c = cw_run_record_find(context, CW_RUN_CONTEXT);
    remember(memory, c, flags, bytes, own, true, image);
    cw_run_global_lock_give();
    return true;
}

bool cw_run_memory_keep_host(cl_mem memory, cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                             struct cw_run_image *image)
{
    struct cw_run_context *c;

    cw_run_global_lock_take();
    c = cw_run_record_find(context, CW_RUN_CONTEXT);
    remember(memory, c, flags, bytes, host, false, image);
    cw_run_global_lock_give();
    return true;
}

static cl_mem vendor_buffer(cl_context context, const cl_mem_properties *properties, bool with,
                            cl_mem_flags flags, size_t bytes, void *host, cl_int *err)
{
    return with ? cw_native.clCreateBufferWithProperties(context, properties, flags, bytes, host, err)
                : cw_native.clCreateBuffer(context, flags, bytes, host, err);
}

struct shadow {
    void *bytes;
    size_t size;
};

static void CL_CALLBACK free_shadow(cl_mem memory, void *data)
{
    struct shadow *s = data;

    (void)memory;
    munmap(s->bytes, s->size);
    free(s);
}

/* Room for the bytes of a buffer in the host's memory, which takes some when it is used. NULL: there is none.
 */
static struct shadow *shadow_of(size_t bytes)
{
    struct shadow *s = malloc(sizeof *s);
    void *capacity =
        s ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
          : MAP_FAILED;

    if (capacity == MAP_FAILED) {
        free(s);
        return NULL;
    }
    *s = (struct shadow){capacity, bytes};
    return s;
}

/* A buffer on a device with a memory of its own stays as the vendor makes it. */
static cl_mem create_far(cl_context context, cl_mem memory, cl_mem_flags flags, size_t bytes)
{
    struct shadow *s = memory ? shadow_of(bytes) : NULL;
    struct cw_run_memory *m;

    if (s && cw_next.clSetMemObjectDestructorCallback(memory, free_shadow, s) != CL_SUCCESS) {
        free_shadow(memory, s);
        s = NULL;
    }
    if (!s)
        return cw_run_opaque(memory, CW_RUN_R_MEMORY);
    cw_run_global_lock_take();
    remember(memory, cw_run_record_find(context, CW_RUN_CONTEXT), flags, bytes, s->bytes, true, NULL);
    m = cw_run_record_find(memory, CW_RUN_MEMORY);
    if (m && m->managed && !cw_run_spread_of(m->region))
        m->managed = false;
    cw_run_global_lock_give();
    return memory;
}

static cl_mem create(cl_context context, const cl_mem_properties *properties, bool with, cl_mem_flags flags,
                     size_t bytes, void *host, cl_int *err)
{
    struct cw_run_context *c = managed_context(context);
    bool plain = c && bytes && !(flags & ~(cl_mem_flags)KNOWN_BITS) && (!properties || !*properties);
    bool use = flags & CL_MEM_USE_HOST_PTR, copy = flags & CL_MEM_COPY_HOST_PTR;
    uint8_t *own = NULL;
    void *block = NULL;
    cl_mem memory;

    if (!plain || !!host != (use || copy) ||
        (use && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) ||
        (use && cw_run_memory_lies_in_another(host, bytes)))
        return cw_run_opaque(vendor_buffer(context, properties, with, flags, bytes, host, err),
                             CW_RUN_R_MEMORY);
    if (c->places->device->memory) {
        memory = vendor_buffer(context, properties, with, flags, bytes, host, err);
        return use ? cw_run_opaque(memory, CW_RUN_R_MEMORY) : create_far(context, memory, flags, bytes);
    }
    if (use) {
        memory = vendor_buffer(context, properties, with, flags, bytes, host, err);
    } else {
        own = cw_run_memory_bytes(bytes, !host, &block);
        memory = own ? vendor_buffer(context, properties, with, cw_run_memory_flags(flags), bytes, own, err)
                     : NULL;
        if (memory && host)
            memcpy(own, host, bytes);
        if (memory && cw_run_memory_keep(memory, context, flags, bytes, own, block, NULL))
            return memory;
        free(block); /* the vendor answers the program's own request */
        return cw_run_opaque(vendor_buffer(context, properties, with, flags, bytes, host, err),
                             CW_RUN_R_MEMORY);
    }
    if (!memory)
        return NULL;
    cw_run_global_lock_take();
    remember(memory, c, flags, bytes, host, false, NULL);
    cw_run_global_lock_give();
    return memory;
}

cl_mem cw_run_hook_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                                  cl_int *err)
{
    return create(context, NULL, false, flags, bytes, host, err);
}

cl_mem cw_run_hook_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                                cl_mem_flags flags, size_t bytes, void *host, cl_int *err)
{
    return create(context, properties, true, flags, bytes, host, err);
}

static bool misaligned(const struct cw_run_context *c, size_t origin)
{
    cl_uint bits;

    for (size_t i = 0; i < c->devices->n; i++) {
        bits = 0;
        cw_next.clGetDeviceInfo(c->devices->device[i].device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits,
                                &bits, NULL);
        if (bits < 8 || origin % (bits / 8))
            return true;
    }
    return false;
}

/* The part of `bytes` bytes from `origin` on of a managed buffer. NULL: it is none, or memory is out. Lock
 * held. */
static struct cw_run_memory *remember_part(cl_mem memory, cl_mem parent, cl_mem_flags flags, size_t origin,
                                           size_t bytes)
{
    struct cw_run_memory *root = cw_run_record_find(parent, CW_RUN_MEMORY),
                         *m = root && root->managed && !root->image
                                  ? cw_run_object_create(memory, CW_RUN_MEMORY)
                                  : NULL;

    if (!m)
        return NULL;
    m->context = root->context;
    m->id = ++cw_run.memory_ids;
    m->root = root;
    m->next_part = root->parts;
    root->parts = m;
    cw_run_record_pin(&root->r);
    m->flags =
        flags | (flags & KNOWN_BITS & ~(cl_mem_flags)HOST_BITS ? 0 : root->flags & ~(cl_mem_flags)HOST_BITS);
    m->flags |= root->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS);
    m->address = root->address + origin;
    m->bytes = bytes;
    m->region = root->region;
    m->offset = root->offset + origin;
    m->mirrors = calloc(CW_RUN_WORKERS, sizeof *m->mirrors);
    m->managed = m->mirrors;
    return m;
}

static bool remember_sub(cl_mem memory, cl_mem parent, cl_mem_flags flags, const cl_buffer_region *region)
{
    struct cw_run_memory *m;

    cw_run_global_lock_take();
    m = remember_part(memory, parent, flags, region->origin, region->size);
    if (m)
        m->misaligned = misaligned(m->context, region->origin);
    cw_run_global_lock_give();
    return m;
}

void cw_run_memory_stays_home(cl_mem buffer)
{
    struct cw_run_memory *root;

    cw_run_global_lock_take();
    root = cw_run_record_find(buffer, CW_RUN_MEMORY);
    root = root ? root->root : NULL;
    if (root && cw_run.far_workers) {
        cw_run_record_pin(&root->r);
        cw_run_native_bytes_all_home();
        root->managed = false;
        for (struct cw_run_memory *part = root->parts; part; part = part->next_part)
            part->managed = false;
        cw_run_object_unpin(&root->r);
    }
    cw_run_global_lock_give();
}

bool cw_run_memory_keep_part(cl_mem memory, cl_mem buffer, cl_mem_flags flags, size_t bytes,
                             struct cw_run_image *image)
{
    struct cw_run_memory *m;

    cw_run_global_lock_take();
    m = remember_part(memory, buffer, flags, 0, bytes);
    if (m)
        m->image = image;
    cw_run_global_lock_give();
    return m;
}

cl_mem cw_run_hook_clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void *info, cl_int *err)
{
    cl_mem memory = cw_native.clCreateSubBuffer(parent, flags, type, info, err);

    if (memory && type == CL_BUFFER_CREATE_TYPE_REGION && info && remember_sub(memory, parent, flags, info))
        return memory;
    return cw_run_opaque(memory, CW_RUN_R_MEMORY);
}

struct cw_run_memory *cw_run_memory_svm(const void *address, size_t bytes)
{
    uint64_t offset;
    const struct cw_run_region *r = cw_run_byte_range_region_at(address, &offset);

    return r->root && r->root->svm && bytes <= r->root->bytes - offset ? r->root : NULL;
}

struct cw_run_memory *cw_run_memory_any(cl_mem handle)
{
    struct cw_run_memory *m = cw_run_record_find(handle, CW_RUN_MEMORY);

    return m && m->managed ? m : NULL;
}

struct cw_run_memory *cw_run_memory_buffer(cl_mem handle)
{
    struct cw_run_memory *m = cw_run_memory_any(handle);

    return m && !m->image ? m : NULL;
}

struct cw_run_memory *cw_run_memory_image(cl_mem handle)
{
    struct cw_run_memory *m = cw_run_memory_any(handle);

    return m && m->image && !cw_run_image_lies_in_buffer(m->image) ? m : NULL;
}

enum cw_run_reason cw_run_memory_why(cl_mem memory)
{
    const struct cw_run_opaque *o = cw_run_record_find(memory, CW_RUN_OPAQUE);
    const struct cw_run_memory *m = cw_run_memory_any(memory);

    return o                                                        ? o->why
           : m && m->image && cw_run_image_lies_in_buffer(m->image) ? CW_RUN_R_MEMORY
                                                                    : CW_RUN_R_CHECK;
}

/* References of memory that is not managed, which no command pins, are counted without the lock. */
cl_int cw_run_hook_clRetainMemObject(cl_mem memory)
{
    struct cw_run_opaque *o = cw_run_record_find(memory, CW_RUN_OPAQUE);
    cl_int err;

    if (!o && cw_run_record_take_back(memory, CW_RUN_MEMORY))
        return CL_SUCCESS;
    err = cw_native.clRetainMemObject(memory);
    if (err == CL_SUCCESS && o)
        __atomic_fetch_add(&o->r.refs, 1, __ATOMIC_RELAXED);
    else if (err == CL_SUCCESS)
        cw_run_record_retained(memory, CW_RUN_MEMORY);
    return err;
}

cl_int cw_run_hook_clReleaseMemObject(cl_mem memory)
{
    struct cw_run_opaque *o = cw_run_record_find(memory, CW_RUN_OPAQUE);

    if (!o)
        return cw_run_object_release(memory, CW_RUN_MEMORY) ? cw_native.clReleaseMemObject(memory)
                                                            : CL_SUCCESS;
    if (!__atomic_sub_fetch(&o->r.refs, 1, __ATOMIC_ACQ_REL))
        cw_run_object_release(memory, CW_RUN_OPAQUE);
    return cw_native.clReleaseMemObject(memory);
}

/* Corrects the vendor's answer to the program's own flags, pointer and maps. Lock held. */
static void correct(const struct cw_run_memory *m, cl_mem_info name, void *to)
{
    cl_mem_flags flags;
    cl_uint count;
    void *none = NULL;

    switch (name) {
    case CL_MEM_FLAGS:
        memcpy(&flags, to, sizeof flags);
        if (m->root->own && flags & CL_MEM_USE_HOST_PTR)
            flags = (flags & ~(cl_mem_flags)CL_MEM_USE_HOST_PTR) | (m->root->flags & HOST_BITS);
        memcpy(to, &flags, sizeof flags);
        break;
    case CL_MEM_HOST_PTR:
        if (m->root->own)
            memcpy(to, &none, sizeof none);
        break;
    case CL_MEM_MAP_COUNT:
        memcpy(&count, to, sizeof count);
        count += m->counted_maps;
        memcpy(to, &count, sizeof count);
        break;
    default:
        break;
    }
}

static void count_references(cl_mem memory, void *to)
{
    const struct cw_run_memory *m;
    struct cw_run_recount r;
    cl_uint count;

    for (cw_run_recount_read(&r); cw_run_recount_again(&r);) {
        cw_next.clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL);
        m = cw_run_record_find(memory, CW_RUN_MEMORY);
        count += m ? cw_run_reference_counts_of_memory(m) : 0;
        count -= cw_run_staging_notes_hidden(memory);
    }
    memcpy(to, &count, sizeof count);
}

/* The buffer that an image was made of, whose flags and pointer the vendor hands on to it; NULL: it was made
 * of none. */
static cl_mem made_of(cl_mem image)
{
    cl_mem buffer = NULL;

    if (cw_next.clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof buffer, &buffer, NULL) != CL_SUCCESS)
        buffer = NULL;
    return buffer;
}

cl_int cw_run_hook_clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t capacity, void *to,
                                      size_t *bytes)
{
    cl_int err = cw_native.clGetMemObjectInfo(memory, name, capacity, to, bytes);
    struct cw_run_memory *m;
    cl_mem buffer;

    if (err != CL_SUCCESS || !to)
        return err;
    if (name == CL_MEM_REFERENCE_COUNT) {
        count_references(memory, to);
        return err;
    }
    buffer = name == CL_MEM_FLAGS || name == CL_MEM_HOST_PTR ? made_of(memory) : NULL;
    cw_run_global_lock_take();
    m = cw_run_record_find(buffer ? buffer : memory, CW_RUN_MEMORY);
    if (m)
        correct(m, name, to);
    cw_run_global_lock_give();
    return err;
}
