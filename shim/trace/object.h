/* object.h - which object of the trace a program's handle is, at this moment.
 *
 * The registry's records of recording (door/registry.h): look-ups take no lock. An object is removed when the
 * program's last reference goes, before the vendor hears of it. Using a handle while another thread releases
 * it is the program's error in OpenCL too; it cannot crash the program, because objects are never freed: each
 * serves its entry, and so its kind, again. */
#ifndef CW_OBJECT_H
#define CW_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../analyzer/record/log_format.h"
#include "../door/registry.h"

enum cw_object_flags {
    CW_OBJECT_USER_EVENT = 1,
    CW_OBJECT_SEEN_COMPLETE = 2,    /* event: a completion was recorded */
    CW_OBJECT_PROFILED = 4,         /* queue, event: device times can be asked for */
    CW_OBJECT_HIDDEN_PROFILING = 8, /* queue: profiling is on because of us; the program must not see it */
    CW_OBJECT_OUT_OF_ORDER = 16,
    CW_OBJECT_UNKNOWN_EVENT = 32, /* event of a command that was not recorded */
    CW_OBJECT_USED = 64,          /* event: the program has waited for it, or asked about it */
    CW_OBJECT_SET = 128           /* user event: the program has set it */
};

struct cw_object {
    struct cw_registry_entry *entry;
    atomic_bool released;  /* the program has, and nothing has been said of later uses */
    uint8_t kind;          /* enum cw_log_object */
    _Atomic uint8_t flags; /* enum cw_object_flags */
    _Atomic uint32_t refs; /* the program's references; of one that it has released: the call site */
    uint32_t id; /* in the log; a user event's number; of a command's event: 1 of a kernel's first */
    _Atomic uint32_t generation; /* of the log that defines it */
    uint64_t seq; /* event: its command; memory, under capture_data: a bit for each queue that may use it */
    union {
        void *state;                  /* kernel: struct cw_kernel; queue: properties array */
        struct cw_known_build *build; /* program: its latest (programs/known_binaries.h) */
        struct cw_map_node *maps;     /* memory (maps.c) */
    };
    struct cw_tracked *tracked; /* memory, under capture_data (capture_memory.c) */
    const void *owner; /* event: its queue's handle; command buffer: its first queue's; memory, program,
                          queue: the context's; kernel: program's */
};

/* The object of `handle` if it is live and of `kind`, else NULL. NULL handles are found nowhere. Thread-safe.
 */
static inline struct cw_object *cw_object_find(const void *handle, enum cw_log_object kind)
{
    return cw_registry_find(handle, CW_REGISTRY_TRACE + kind);
}

/* The live object of `handle`, of any kind: two live ones never share an address. */
static inline struct cw_object *cw_object_find_any(const void *handle)
{
    return cw_registry_find_any(handle, CW_REGISTRY_TRACE);
}

static inline const void *cw_object_handle(const struct cw_object *o)
{
    return cw_registry_handle(o->entry);
}

/* True when the program has released its last reference to `handle`, an object of `kind`, and no live object
 * has that handle; *id and *seq are those of the object, *site the call site of that release + 1, or 0.
 * Answers so once. */
bool cw_object_take_released(const void *handle, enum cw_log_object kind, uint32_t *id, uint64_t *seq,
                             uint32_t *site);

/* Makes `handle` live with one reference, flags 0, state NULL, a fresh id of its kind (events: id 0) and the
 * current generation. A live object of the same handle (the vendor freed it behind our back) is replaced, its
 * state handed to `cw_define_object_dropped`. Returns NULL when memory is out. Thread-safe. */
struct cw_object *cw_object_insert(const void *handle, enum cw_log_object kind);

/* Ends an object and frees its state. NULL allowed. */
void cw_object_remove(struct cw_object *o);

/* Ends an object as cw_object_remove, because the program has released the object; site: as cw_callsite. */
void cw_object_remove_released(struct cw_object *o, uint32_t site);

/* Count references. Retaining an unknown handle only says that it lives. cw_object_release returns true when
 * that was the last one; the caller then removes the object. */
void cw_object_retain(const void *handle, enum cw_log_object kind);
bool cw_object_release(struct cw_object *o);

/* Calls visit(o, context) for every live object of `kind`. Others may come and go meanwhile. */
void cw_object_each(enum cw_log_object kind, void (*visit)(struct cw_object *o, void *context),
                    void *context);

/* Frees a kind's state; supplied by the recorder. */
void cw_define_object_dropped(enum cw_log_object kind, void *state);

#endif
