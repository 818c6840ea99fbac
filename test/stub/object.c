/* object.c - what all objects of the null driver have in common. */
#include "nullcl.h"

#include <sys/mman.h>

#define ARENA       ((void *)0x7ea000000000)
#define ARENA_BYTES ((size_t)64 << 20)

struct _cl_platform_id *nullcl_platforms;
struct _cl_device_id (*nullcl_devices)[MAX_DEVICES];
unsigned nullcl_num_platforms, nullcl_num_devices;
bool nullcl_internal;

static char *arena;
static atomic_size_t arena_used;
static bool from_arena; /* all objects, not only platforms and devices */

static void *arena_take(size_t size)
{
    size_t at = atomic_fetch_add(&arena_used, (size + 255) & ~(size_t)255);
    return at + size <= ARENA_BYTES ? arena + at : NULL;
}

void *nullcl_new(enum kind kind, size_t size)
{
    struct object *o = from_arena ? arena_take(size) : calloc(1, size);
    if (!o)
        return NULL;
    o->dispatch = &nullcl_dispatch;
    o->kind = kind;
    o->refs = 1;
    return o;
}

void nullcl_delete(void *object)
{
    struct object *o = object;
    if (!o)
        return;
    o->kind = 0;
    if (!from_arena)
        free(o);
}

bool nullcl_is(const void *object, enum kind kind)
{
    return object && ((const struct object *)object)->kind == kind;
}

cl_int nullcl_retain(void *object, enum kind kind, cl_int invalid)
{
    if (!nullcl_is(object, kind))
        return invalid;
    atomic_fetch_add_explicit(&((struct object *)object)->refs, 1, memory_order_relaxed);
    return CL_SUCCESS;
}

cl_int nullcl_release(void *object, enum kind kind, cl_int invalid, bool *last)
{
    *last = false;
    if (!nullcl_is(object, kind))
        return invalid;
    *last = atomic_fetch_sub_explicit(&((struct object *)object)->refs, 1, memory_order_acq_rel) == 1;
    return CL_SUCCESS;
}

cl_int nullcl_reply(const void *value, size_t size, size_t room, void *to, size_t *size_ret)
{
    if (to && room < size)
        return CL_INVALID_VALUE;
    if (to && size)
        memcpy(to, value, size);
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}

void *nullcl_fail(cl_int *errcode_ret, cl_int code)
{
    if (errcode_ret)
        *errcode_ret = code;
    return NULL;
}

static unsigned setting(const char *name, unsigned value, unsigned most)
{
    const char *text = getenv(name);
    unsigned long n = text ? strtoul(text, NULL, 10) : value;
    return n < 1 ? value : n > most ? most : (unsigned)n;
}

void nullcl_fill_objects(void)
{
    nullcl_num_platforms = setting("NULLCL_PLATFORMS", 1, MAX_PLATFORMS);
    nullcl_num_devices = setting("NULLCL_DEVICES", 1, MAX_DEVICES);
    nullcl_internal = getenv("NULLCL_INTERNAL") != NULL;
    from_arena = getenv("NULLCL_LOG") != NULL;
    arena =
        mmap(ARENA, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED)
        abort();
    nullcl_platforms = arena_take(MAX_PLATFORMS * sizeof *nullcl_platforms);
    nullcl_devices = arena_take(MAX_PLATFORMS * sizeof *nullcl_devices);
    for (unsigned p = 0; p < MAX_PLATFORMS; p++) {
        nullcl_platforms[p] = (struct _cl_platform_id){{&nullcl_dispatch, K_PLATFORM, 1}, p};
        for (unsigned d = 0; d < MAX_DEVICES; d++)
            nullcl_devices[p][d] =
                (struct _cl_device_id){{&nullcl_dispatch, K_DEVICE, 1}, &nullcl_platforms[p], d};
    }
}
