/* stream_object.h - records of the objects of streamed contexts, by handle.
 *
 * A record lives from the call that makes the object to the program's last release. Only handles that have a
 * record are taken for objects. No function takes a lock; any thread. */
#ifndef CW_STREAM_OBJECT_H
#define CW_STREAM_OBJECT_H

#include <stdatomic.h>

#include "stream_access.h"

#include "../../door/query.h"
#include "../../programs/known_binaries.h"
#include "../../door/registry.h"

enum cw_stream_kind {
    CW_STREAM_CONTEXT,
    CW_STREAM_QUEUE,
    CW_STREAM_MEMORY,
    CW_STREAM_PROGRAM,
    CW_STREAM_KERNEL,
    CW_STREAM_EVENT,
    CW_STREAM_KINDS
};

struct cw_stream_object {
    const void *handle;
    struct cw_registry_entry *entry; /* its pins: run mode's, and one while the record is found */
    enum cw_stream_kind kind;
    atomic_bool found; /* by the handle */
    atomic_uint refs;  /* the program's */
};

#define CW_STREAM_USERS   8  /* queues that use one buffer */
#define CW_STREAM_CLOSERS 16 /* commands under way whose bytes are not known */

struct cw_stream_areas;
struct cw_stream_versions;
struct cw_run_models;
struct cw_model;
struct cw_reacher;
struct cw_reach_arg;
struct cw_reach;

struct cw_stream_context {
    struct cw_stream_object o;
    /* streams/stream_seat.h, whose lock guards what follows */
    atomic_bool seated; /* it has several devices, and their buffers are looked after */
    struct cw_stream_areas *areas;
    uint32_t in_call;                   /* threads that enqueue commands whose bytes are not known */
    cl_event closer[CW_STREAM_CLOSERS]; /* retained */
    uint32_t num_closers;
    _Atomic uint32_t queues;   /* of the program, made so far */
    _Atomic uint32_t waits;    /* of the program, for commands of its queues */
    atomic_bool left;          /* streams gained nothing for a queue: later queues get none */
    _Atomic uint32_t own_refs; /* references of run mode's objects, which the program does not see */
    /* streams/stream_version.h */
    atomic_bool renames;                          /* buffers may have versions */
    atomic_bool pays;                             /* versions gain for a queue: each queue is looked after */
    _Atomic uintptr_t thread;                     /* that has enqueued; 0: none has */
    _Atomic uint32_t versioned;                   /* buffers that have versions */
    _Atomic uint64_t version_bytes, version_most; /* of all versions, and at most; most 0: not asked yet */
};

struct cw_stream_user {
    cl_command_queue queue; /* the vendor's; only to compare */
    cl_event event;         /* of its latest command on the buffer; retained */
    bool hosted;            /* it may wait for the host */
};

/* Where a buffer was used last. */
struct cw_stream_seat {
    cl_device_id device; /* NULL: nowhere yet */
    bool stays;          /* run mode never moves it */
    bool written, dirty; /* ever; since it was moved here */
    uint32_t moves;      /* since it was written */
    uint32_t in_call;    /* threads that enqueue commands which use it: it stays meanwhile */
    cl_event arrival;    /* of its bytes here, retained; NULL: they are here */
    uint32_t n;
    struct cw_stream_user user[CW_STREAM_USERS];
};

struct cw_stream_memory {
    struct cw_stream_object o;
    struct cw_stream_seat seat; /* of a buffer that is in no other buffer */
    struct cw_stream_bytes bytes;
    bool plain;              /* a buffer or an image; else a pipe, or memory that something else shares */
    bool image;              /* its bytes are one, whichever it is */
    atomic_bool fixed;       /* its bytes may be reached without its handle, or by two queues: no versions */
    _Atomic uintptr_t queue; /* the first that used it where the context has several; only to compare */
    struct cw_stream_versions *versions; /* order of the queue that gave them */
    bool host_sees;                      /* the host may see its bytes without a command */
};

struct cw_stream_program {
    struct cw_stream_object o;
    char *source;              /* NULL: not known */
    cw_known_latest build;     /* NULL: not known */
    bool loaded;               /* made of a binary: `build` is the one that it is from */
    struct cw_cl_source *text; /* of its build; NULL: not known, or not all of its effects show */
    bool may_poll;             /* by the text: see cw_stream_model_may_poll */
    bool shown;                /* made of binaries, all of whose effects arguments show */
    uint64_t job;              /* that makes its models; 0: none */
    _Atomic(struct cw_run_models *) models; /* NULL: not there, or not yet */
};

#define CW_STREAM_VALUE 64 /* bytes of an argument that is known by its value */

struct cw_stream_arg {
    struct cw_stream_bytes bytes; /* high 0: no memory */
    bool odd;                     /* memory whose bytes are not known */
    bool host_sees;
    uint8_t mode;     /* enum cw_access_mode, by the source */
    uint8_t commutes; /* by the model: struct cw_stream_bytes */
    bool local;       /* local memory, of any size */
    uint32_t size;
    uint8_t value[CW_STREAM_VALUE];
};

struct cw_stream_kernel {
    struct cw_stream_object o;
    bool shown;  /* its arguments show all that it touches */
    bool points; /* it may touch shared virtual memory */
    uint32_t count;
    struct cw_stream_arg *args;
    struct cw_stream_program *program; /* pinned */
    char *name;
    const struct cw_model *model; /* of `models`; NULL: none, or not looked up yet */
    struct cw_run_models *models;
    struct cw_reacher *reacher;
    struct cw_reach_arg *reached; /* the arguments, as it takes them */
};

/* True from the first streamed context on. */
bool cw_stream_object_any(void);
/* Records that are found. A thread that has a handle from its maker sees the record counted. */
extern atomic_uint cw_stream_object_num[CW_STREAM_KINDS];
static inline bool cw_stream_object_has(enum cw_stream_kind kind)
{
    return atomic_load_explicit(&cw_stream_object_num[kind], memory_order_relaxed);
}
/* Some queue has streams, or an event of one that had is alive. A thread that got neither may rely on
 * false. */
static inline bool cw_stream_object_in_use(void)
{
    return cw_stream_object_has(CW_STREAM_QUEUE) || cw_stream_object_has(CW_STREAM_EVENT);
}

/* Makes a zeroed record of `bytes` bytes with one reference, and forgets a stale one. NULL: memory is out. */
void *cw_stream_object_create(const void *handle, enum cw_stream_kind kind, size_t bytes);
/* The same with a record of the caller's, from malloc(), whose fields behind the first are filled in: other
 * threads find it from here on. NULL: memory is out, and the record is freed; or it was NULL. */
void *cw_stream_object_add(struct cw_stream_object *o, const void *handle, enum cw_stream_kind kind);
static inline void *cw_stream_object_find(const void *handle, enum cw_stream_kind kind)
{
    return cw_stream_object_has(kind) ? cw_registry_find(handle, CW_REGISTRY_STREAM + kind) : NULL;
}
void cw_stream_object_pin_again(void *object);
void cw_stream_object_finish(struct cw_stream_object *o); /* its last pin has gone */
static inline void cw_stream_object_unpin(void *object)
{
    struct cw_stream_object *o = object;

    if (CW_UNLIKELY(cw_registry_unpin(o->entry)))
        cw_stream_object_finish(o);
}
/* As cw_stream_object_find, and the record stays until it is unpinned. */
static inline void *cw_stream_object_pin(const void *handle, enum cw_stream_kind kind)
{
    struct cw_registry_entry *e =
        cw_stream_object_has(kind) ? cw_registry_entry(handle, CW_REGISTRY_STREAM + kind) : NULL;

    if (!e || !cw_registry_pin(e))
        return NULL;
    if (CW_LIKELY(cw_registry_handle(e) == handle))
        return cw_registry_record(e);
    cw_stream_object_unpin(cw_registry_record(e)); /* the entry is another handle's by now */
    return NULL;
}
void cw_stream_object_retained(const void *handle, enum cw_stream_kind kind);
/* The handle is unknown from here on, also while the program has references. */
void cw_stream_object_forget(const void *handle, enum cw_stream_kind kind);
/* To be called before the vendor's release, which may give the handle away. True: it was the last one. */
bool cw_stream_object_released(const void *handle, enum cw_stream_kind kind);
/* Pins every record of a kind, calls `function`, and unpins it. */
void cw_stream_object_each(enum cw_stream_kind kind, void (*function)(void *object, void *data), void *data);
/* In a forked child: nothing is streamed any more. */
void cw_stream_object_forget_all(void);
/* Frees the members of a record of that kind; set at the start. */
extern void (*cw_stream_object_free[CW_STREAM_KINDS])(void *object);

/* ---- stream_kernel.c */
void cw_stream_kernel_free_program(void *object);
void cw_stream_kernel_free(void *object);

/* It may touch shared virtual memory from now on. */
void cw_stream_kernel_points(cl_kernel kernel);

#endif
