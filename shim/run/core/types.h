/* types.h - the commands and workers of run mode: cw_run.lock guards everything here, and in object_types.h,
 * unless it says otherwise.
 *
 * A *managed* command never reaches the program's own queue. It is a struct cw_run_task: a snapshot of
 * everything that it needs, its dependences (memory/byte_range.c: byte ranges of host memory;
 * tasks/dependence.c: events, barriers), and the program's event, which is a user event of the vendor made in
 * the program's context, so that every function that we do not know gets a real handle. Any other command is
 * *native* (api/native.c): it goes to the vendor at once, behind a user event that completes when the managed
 * commands before it have.
 *
 *   enqueued ── window closes ──▶ released ── waits == 0 ──▶ in a worker's heap ── executed ──▶ DONE
 *   DONE ── in queue order ──▶ RETIRED
 *
 * A task is linked completely within one critical section of the lock (core/global_lock.h).
 */
#ifndef CW_RUN_TYPES_H
#define CW_RUN_TYPES_H

#include <stddef.h>
#include <string.h>

#include "object_types.h"

#define CW_RUN_WANTED        16   /* programs that wait to be built on one worker */
#define CW_RUN_TIMER_TICKS   20   /* ages without work after which the timer sleeps */
#define CW_RUN_TIMER_AGES    16   /* that it waits at most while the program closes windows itself */
#define CW_RUN_WINDOW_LIMIT  4096 /* commands that are planned together; the others stay in the window */
#define CW_RUN_WATCH_AGES    1000 /* until it looks again whether a far launch never ends */
#define CW_RUN_WINDOW_AGE_NS 100000
#define CW_RUN_HELD_AGE_NS   50000000 /* of commands that wait behind some that cannot run */
#define CW_RUN_CHAOS_AGE_NS                                                                                  \
    5000000 /* under chaos, whose purpose is windows in which much may change places */
/* on the virtual clock: a host that stands still for a moment changes no plan */
#define CW_RUN_VIRTUAL_AGE_NS 100000000
#define CW_RUN_SHORT_TASK_OPS 1048576 /* that are over soon: a millisecond at worst */
#define CW_RUN_LONG_NS        1000000 /* kernels of this length gain nothing from being managed at home */

/* ---- commands */

enum cw_run_state {
    CW_RUN_LINKED,
    CW_RUN_RELEASED, /* its window has closed */
    CW_RUN_READY,
    CW_RUN_RUNNING,
    CW_RUN_DONE,
    CW_RUN_RETIRING,
    CW_RUN_RETIRED
};

/* What becomes of the memory of a task that is over. LEFT: nothing; a thread that never comes back may use
 * it. */
enum cw_run_storage { CW_RUN_FREED, CW_RUN_POOLED, CW_RUN_LEFT };

/* HOME: bytes have to be in the host's memory then, and nothing else is to be done */
enum cw_run_work { CW_RUN_NOTHING, CW_RUN_LAUNCH, CW_RUN_COPY, CW_RUN_FILL, CW_RUN_HOME };

struct cw_run_launch {
    struct cw_run_kernel *kernel;
    struct cw_run_arg *args;
    cl_uint dims;
    bool has_local, has_offset; /* has_offset: not all of it is 0 */
    bool any_local;             /* without a local size: any will do (cw_run_cutter_any_local) */
    /* a value equals the handle of a memory object, and may be a number: right at home only */
    bool unsure;
    size_t offset[3], global[3], local[3];
    /* the members below are this launch's alone: a part of it has its own (cw_run_launch_part) */
    cl_int vendor; /* what the vendor's call said that was to run it */
    bool begun;    /* a vendor has taken it: it may have changed memory */
    bool uncoded;  /* the helper's code for it is not there yet */
    bool has_run;  /* a planted fault ran it out of its turn */
    bool opens;    /* the memory objects that it needs are being made (memory/spread_space.c) */
    struct {
        uint32_t waits; /* how many of the task's waits are in batch number `number` */
        uint64_t number;
    } batch;
    struct {            /* workers/repeat.c */
        uint64_t sets;  /* of the kernel, when it was enqueued */
        uint64_t alike; /* cw_reach.id of a launch that is short with any data; 0: it may be long */
    } repeat;
    struct {
        bool wanted;      /* its time is to be measured */
        bool chained;     /* took_ns is its share of a batch */
        uint8_t whole;    /* it stays whole: the number of the reason (tuning/reasons.c); 0: not */
        uint64_t took_ns; /* where it was measured */
        uint64_t shape;   /* for the history; 0: none */
    } measure;
    struct cw_run_tiles *tiles; /* it is cut into them (tiles/tile.h); NULL: it is whole */
    struct {
        struct cw_run_tiles *of; /* it is one worker's part of a launch that is cut; NULL: it is none */
        bool able;               /* its device has the code of all blocks that it may get */
        uint32_t block;          /* of->block[] that it runs */
        uint32_t known;          /* accesses of the block that is bound to it; 0: not known */
    } part;
    struct {                      /* groups/group.h */
        struct cw_run_group *run; /* it is one worker's part of a group run */
        bool may;                 /* it may become a step of one when its turn comes */
    } group;
};

/* The same launch, of which nothing has run yet. */
static inline struct cw_run_launch cw_run_launch_part(const struct cw_run_launch *l)
{
    struct cw_run_launch part = {0};

    memcpy(&part, l, offsetof(struct cw_run_launch, vendor));
    return part;
}

/* Where bytes of a command begin: in a buffer, or in the program's own memory. */
struct cw_run_bytes {
    struct cw_run_memory *memory; /* pinned by the command; NULL: the program's own */
    uint64_t offset;              /* from the start of the (sub-)buffer, or from `host` */
    uint8_t *host;
};

/* Their address in the host's memory. */
static inline uint8_t *cw_run_bytes_address(const struct cw_run_bytes *b)
{
    return (b->memory ? b->memory->address : b->host) + b->offset;
}

struct cw_run_transfer { /* rectangles; plain copies have one row. Pitches in bytes */
    struct cw_run_bytes to, from;
    size_t region[3], to_row, to_slice, from_row, from_slice;
    bool straight; /* a read from several memories: memory/spread.h */
};

struct cw_run_fill {
    struct cw_run_bytes to;
    size_t bytes, pattern_bytes;
    uint8_t pattern[128];        /* of an image: the colour, as the program gave it */
    size_t origin[3], region[3]; /* of an image: in pixels */
};

/* Of commands that do nothing but need bytes in a memory. */
struct cw_run_home {
    struct cw_run_memory *mapped; /* pinned by the command; NULL: it is no map */
    struct cw_run_memory **of;    /* likewise: of a native command behind it that may touch them */
    uint32_t n;                   /* 0: no native command has asked for it */
    uint32_t memory;              /* that the bytes have to be in */
    uint64_t serves;              /* recorded number of the native command, as cw_run_task.order.recorded */
};

/* Low bits of a successor: when it may go on, and whether a failure is passed on to it. */
enum cw_run_edge { CW_RUN_DATA = 0, CW_RUN_AT_RETIRE = 1, CW_RUN_FAILS = 2, CW_RUN_EDGE_BITS = 3 };

struct cw_run_task {
    struct cw_run_queue *queue;          /* NULL: internal, or it never got there (tasks/dependence.c) */
    struct {                             /* lists that it is in */
        struct cw_run_task *prev, *next; /* its queue */
        struct cw_run_task *window, *done;
        struct cw_run_task *claims; /* NULL: it claims no bytes (memory/spread_claim.c) */
    } links;
    struct cw_run_queue *joins; /* later commands of this queue wait for it */
    struct cw_run_event *event; /* NULL: the program asked for none */
    cl_event gate;              /* a user event for native commands behind this one */
    enum cw_run_state state;
    enum cw_run_work work;
    enum cw_run_storage storage;
    bool gauged;        /* its end counts for the gain of plans (tuning/gain.c) */
    bool behind_native; /* waits, by events, for native work that is not over; known before its accesses */
    struct {
        cl_int status;
        cl_int failed; /* the status that a failed predecessor passed on */
        cl_int *told;  /* of a call that waits for it: gets its error; NULL: none waits */
    } outcome;
    uint32_t waits;
    struct {
        uint32_t worker; /* number */
        uint32_t place;  /* index into the context's places */
    } at;
    uint32_t index; /* in the window that was decided last with it: windows/decide.c */
    struct {
        uint64_t sequence; /* program order over all queues */
        uint64_t recorded; /* its number in the recorded log + 1; 0: it is not recorded */
        uint64_t rank;     /* lower runs first */
    } order;
    struct {
        uint64_t at[4];    /* queued, submit, start, end; on the clock of core/clock.h, as ready_ns */
        uint64_t ready_ns; /* released, and all that it waited for over */
        bool wanted;       /* at[] may be asked for */
    } time;
    struct {
        uintptr_t *to; /* tasks | enum cw_run_edge; room for 4, 8, 16 ... of them: core/edge.c */
        uint32_t n;
    } edges;
    struct {
        struct cw_run_access *of;
        uint32_t n;
    } accesses;
    union { /* by `work` */
        struct cw_run_launch launch;
        struct cw_run_transfer copy;
        struct cw_run_fill fill;
        struct cw_run_home home;
    };
};

/* Of a command of any kind: the tiles that it is cut into; the launch that it is a part of; NULL: there are
 * none. */
static inline struct cw_run_tiles *cw_run_tiles_of(const struct cw_run_task *t)
{
    return t->work == CW_RUN_LAUNCH ? t->launch.tiles : NULL;
}

static inline struct cw_run_tiles *cw_run_cut_launch_of(const struct cw_run_task *t)
{
    return t->work == CW_RUN_LAUNCH ? t->launch.part.of : NULL;
}

/* It is a launch that may become a step of a group run. */
static inline bool cw_run_is_group_candidate(const struct cw_run_task *t)
{
    return t->work == CW_RUN_LAUNCH && t->launch.group.may;
}

/* It does not run where its queue would. */
static inline bool cw_run_is_away(const struct cw_run_task *t)
{
    return t->at.worker != t->queue->home_worker;
}

static inline void cw_run_task_goes_home(struct cw_run_task *t)
{
    t->at.worker = t->queue->home_worker;
    t->at.place = t->queue->home;
}

/* The ids of a launch's work-items. */
struct cw_run_ndrange {
    cl_uint dims;
    const size_t *offset, *global, *local; /* offset, local: may be NULL */
};

/* A call of the program that enqueues a command (api/enqueue.h). */
struct cw_run_enqueue {
    cl_command_queue handle;
    struct cw_run_queue *queue;
    cl_uint n;
    const cl_event *list;
    cl_event *event, made;
    struct cw_run_context *context; /* that `made` is in */
    bool whole, blocking;
    cl_command_type type; /* of the command that is managed */
    bool launch;          /* of a kernel */
    bool straight;        /* a read of bytes that other devices' memories may have (memory/spread.h) */
    bool unlocked;        /* nothing is managed: the lock is not held, and the command is native */
    uint64_t passed;      /* in a `queue` that passes: of a call that ends all before it, as below; else 0 */
    bool ends;            /* blocks until the commands before it in an in-order queue are over */
    bool tracked;         /* does not pass: it ends what a managed command has begun */
    enum cw_run_reason why; /* for the native command */
    uint64_t now_ns;        /* of cw_run_once_ns(), likewise */
};

/* The memory that a native command may touch. The objects stay until cw_run_native_end(). */
struct cw_run_use {
    cl_uint n; /* memory objects that the command names */
    const cl_mem *memory;
    uint64_t written; /* bit i: memory[i] may be written; the last bit: and all behind it */
    /* of each of memory[], offset and bytes: it uses no others, and writes none that is not `written`. NULL:
     * not known */
    const size_t (*range)[2];
    cl_kernel kernel; /* a launch, which touches its arguments; NULL: none */
    bool all;         /* any bytes of the context */
    bool barrier;     /* later commands of the queue wait for this one */
};

/* A native command while it is handed to the vendor (api/native.h). */
struct cw_run_native {
    struct cw_run_queue *queue; /* NULL: nothing to do at the end */
    cl_uint n;
    const cl_event *list; /* the vendor's wait list */
    cl_event *event;      /* likewise */
    cl_event own_event, gate;
    cl_event *heap;
    cl_event few[8];
    cl_command_type type;
    bool gated, wanted, watched;
    bool unmarked;   /* it has no event: memory/native_use.h */
    uint64_t after;  /* number of the latest managed command that it is behind: memory/native_use.h */
    uint64_t home;   /* number of the command that brings bytes to the host's memory before it; 0: none */
    uint64_t given;  /* a call that blocks until this many native commands are over; 0: it does not */
    uint64_t now_ns; /* of cw_run_once_ns() */
    struct cw_run_exclusion *exclusion;
    const struct cw_run_use *use;      /* the caller's */
    struct cw_run_staging_queue *turn; /* staging/staging.h */
    bool staging;                      /* the call is made by one of its drop-in functions */
    bool passes;                       /* of a `queue`: core/passing.h */
    uint64_t passed; /* cw_run_passing_enter(); 0 where the call does not end all before it */
};

/* A vendor event that managed commands wait for. */
struct cw_run_foreign {
    struct cw_run_foreign *next, *prev_open, *next_open; /* next: of those that the vendor does not know */
    cl_event event;                                      /* retained */
    struct cw_run_task *task; /* internal: is done when the event is. NULL: the event is over */
    bool registered;          /* the vendor knows of us */
};

/* ---- workers: one device, one command at a time, run by its thread or by a program's thread that waits */

struct cw_run_watch {
    _Atomic uint32_t pushed;  /* changes when something becomes ready on the worker */
    uint64_t until_ns;        /* so long its thread watches before it sleeps; 0: it does not */
    struct cw_run_trial rest; /* times that it does not; poor: times that nothing has come */
};

/* Why no launch goes to a device of its own memory any more. */
struct cw_run_quarantine {
    _Atomic cl_int error;      /* of the first command that failed there; 0: none has */
    bool copy;                 /* that was a copy between its memory and the host's */
    _Atomic bool fails;        /* a launch there has, which is not told yet; set while it has the turn */
    _Atomic bool hung;         /* that never ended: the worker's thread is lost in it */
    bool part;                 /* that was a block of a cut launch */
    bool left;                 /* what it alone had has been saved, or is lost */
    _Atomic uint64_t until_ns; /* it has so long to give bytes back; 0: it has not been asked yet */
};

/* Held by one thread at a time, which may never give it back. */
struct cw_run_turn {
    pthread_mutex_t lock;
    pthread_cond_t given;
    bool taken;
};

struct cw_run_worker {
    uint32_t number;
    cl_device_id device;
    uint64_t recorded; /* the device's id in the recorded log + 1; 0: not known */
    char name[24];
    const char *class_name;
    enum cw_device_kind kind;
    double speed;
    double pace; /* of its device */
    cl_uint units;
    bool home;                       /* some program context has it */
    bool in_call;                    /* CW_VENDOR_IN_CALL */
    uint32_t memory;                 /* that it works on: 0 the host's (memory/coherence.h) */
    const struct cw_far_memory *far; /* of its own memory; NULL: it has none */
    uint64_t far_bytes;              /* of buffers there */
    /* when the launch that runs there is late (workers/late.c); 0: none runs, or that is not looked at */
    _Atomic uint64_t late_at_ns;
    uint64_t began_ns, hung_ns; /* when it began, and how long it takes at most; hung_ns 0: likewise */
    struct cw_run_task *runs; /* the launch that the vendor runs there, where that is looked at; else NULL */
    struct cw_run_quarantine quarantine; /* memory/quarantine.h */
    /* of the vendor's calls that run commands on a device that runs them inside the call (CW_VENDOR_IN_CALL)
     * and has a memory of its own, to and from which other threads copy. Innermost */
    struct cw_run_turn turn;
    /* copies to and from its memory that no command waits for yet (memory/spread_ahead.h), and the one
     * that is made */
    struct cw_run_ahead *ahead, *ahead_now;
    bool has_ahead; /* the thread that makes them is there */
    pthread_t copies_ahead;
    pthread_cond_t look_ahead;
    _Atomic uint64_t link_free_ns; /* when a modelled link has made its copies */
    cl_context context;            /* of a helper: ours, made by its first command */
    cl_command_queue queue;        /* in that context */
    bool busy, has_thread, asleep, quit;
    bool blocked;  /* its ready commands must not overlap with running ones (workers/exclusion.c) */
    bool building; /* its thread is occupied with a compiler */
    bool opens;    /* its thread is to make its context, before a command needs it */
    bool orphan;   /* it can have no thread: the timer runs its commands */
    pthread_t thread;
    pthread_cond_t wake;
    struct cw_run_task **heap;
    uint32_t num_ready;
    uint64_t busy_until_ns;    /* guess, for planning */
    uint64_t virtual_end_ns;   /* virtual clock: of its last command */
    struct cw_run_watch watch; /* workers/watch.c */
    /* to be built here when there is nothing else to do; busy */
    struct cw_run_program *wanted[CW_RUN_WANTED];
    uint32_t num_wanted;
};

#endif
