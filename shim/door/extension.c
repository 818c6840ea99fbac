/* extension.c - functions that programs ask for by name.
 *
 * A hooked extension function gets a wrapper instead of the vendor's pointer. Platforms may have different
 * functions of one name and the caller's arguments do not always say which platform is meant, so there are
 * CW_SLOTS wrappers per function, each with a vendor's pointer of its own; a program with more different ones
 * gets the bare pointer. A core function that is asked for by name gets the door's entry, which finds the
 * vendor by the objects. */
#include "door.h"

#include <stddef.h>
#include <string.h>

#include "log.h"

#define CW_SLOTS 4

/* ---- wrappers: next[slot] is written once, before the wrapper's address is given out */

#define SLOT(ret, name, slot, params, args)                                                                  \
    static ret slot_##slot##_##name params                                                                   \
    {                                                                                                        \
        __typeof__(&name) next = __atomic_load_n(&next_##name[slot], __ATOMIC_ACQUIRE);                      \
        if (CW_UNLIKELY(cw_door_depth) && !cw_nested_by_application(__builtin_return_address(0)))            \
            return next args;                                                                                \
        CW_DOOR_ENTER;                                                                                       \
        return cw_door_hooks_ext()->name(next, CW_UNPAREN args);                                             \
    }
#define CW_EXT(ret, name, since, fail, handle, params, args)                                                 \
    static __typeof__(&name) next_##name[CW_SLOTS];                                                          \
    SLOT(ret, name, 0, params, args)                                                                         \
    SLOT(ret, name, 1, params, args)                                                                         \
    SLOT(ret, name, 2, params, args)                                                                         \
    SLOT(ret, name, 3, params, args)
#include "api.inc"

struct extension {
    const char *name;
    size_t hook; /* offset in struct cw_ext_hooks */
    void **next; /* [CW_SLOTS] */
    void *wrappers[CW_SLOTS];
};

static const struct extension extensions[] = {
#define CW_EXT(ret, name, since, fail, handle, params, args)                                                 \
    {#name,                                                                                                  \
     offsetof(struct cw_ext_hooks, name),                                                                    \
     (void **)next_##name,                                                                                   \
     {(void *)slot_0_##name, (void *)slot_1_##name, (void *)slot_2_##name, (void *)slot_3_##name}},
#include "api.inc"
};

static const struct {
    const char *name;
    size_t entry; /* offset in struct cw_dispatch */
} core[] = {
#define ROW_0(name)
#define ROW_1(name)                                          {#name, offsetof(struct cw_dispatch, name)},
#define CW_API(ret, name, since, fail, handle, params, args) ROW_##handle(name)
#include "api.inc"
};

static void *wrap_extension(const struct extension *e, void *vendor)
{
    const struct cw_ext_hooks *hooks = cw_door_hooks_ext();
    if (!hooks || !*(void **)((const char *)hooks + e->hook))
        return cw_door_unseen(e->name, vendor);
    for (int i = 0; i < CW_SLOTS; i++) {
        void *expected = NULL;
        if (__atomic_compare_exchange_n(&e->next[i], &expected, vendor, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE) ||
            expected == vendor)
            return e->wrappers[i];
    }
    cw_log_warning("%s: more than %d platforms have different ones; calls of the others are not seen",
                   e->name, CW_SLOTS);
    return cw_door_unseen(e->name, vendor);
}

/* The pointer that the program gets for the vendor's pointer `vendor` under `name`. */
static void *wrap(const char *name, void *vendor)
{
    if (!vendor || !name)
        return vendor;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (!strcmp(extensions[i].name, name))
            return wrap_extension(&extensions[i], vendor);
    for (size_t i = 0; i < sizeof core / sizeof *core; i++)
        if (!strcmp(core[i].name, name)) {
            void *entry = *(void **)((const char *)cw_door_entries() + core[i].entry);
            return entry ? entry : vendor;
        }
    return cw_door_unseen(name, vendor);
}

void *cw_extension_address(const char *name)
{
    return wrap(name, cw_next.clGetExtensionFunctionAddress(name));
}

void *cw_extension_address_for_platform(cl_platform_id platform, const char *name)
{
    return wrap(name, cw_next.clGetExtensionFunctionAddressForPlatform(platform, name));
}
