/* run.h - what the parts of run mode share: records of the program's objects, commands, lanes, one lock.
 *
 * A *managed* command never reaches the program's own queue. It is a struct cw_run_task: a snapshot of everything
 * that it needs, its dependences (run_range.c: byte ranges of host memory; run_link.c: events, barriers), and the
 * program's event, which is a user event of the vendor made in the program's context, so that every function that
 * we do not know gets a real handle. Any other command is *native* (run_native.c): it goes to the vendor at once,
 * behind a user event that completes when the managed commands before it have.
 *
 *   enqueued ── window closes ──▶ released ── waits == 0 ──▶ in a lane's heap ── executed ──▶ DONE ──▶ RETIRED
 *
 * Locks: one, cw_run.lock, over all that is declared here. Nothing of the vendor is called while it is held but
 * queries of an event's status and retains of events (PoCL calls back without a lock of its own, so these cannot
 * meet us from behind). cw_run_unlock first hands over what had to wait for the lock to be free: releases, and
 * callbacks on vendor events. A task is linked completely within one critical section.
 *
 * Lifetimes: a release by the program that would be the last one while commands still need the object is kept back
 * until they have retired (run_object.c); so nothing is retained per command and no reference count is off. */
#ifndef CW_RUN_H
#define CW_RUN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "device.h"
#include "dispatch.h"

#define CW_RUN_LANES         64   /* devices that this process may drive */
#define CW_RUN_WANTED        16   /* programs that wait to be built on one lane */
#define CW_RUN_TIMER_TICKS   20   /* ages without work after which the timer sleeps */
#define CW_RUN_WINDOW_LIMIT  4096 /* commands that wait before the window closes by itself */
#define CW_RUN_WINDOW_AGE_NS 100000
#define CW_RUN_LONG_NS       1000000 /* kernels of this length gain nothing from being managed at home */

/* ---- records: what is known of an object of the program, by its handle */

enum cw_run_kind { CW_RUN_CONTEXT, CW_RUN_QUEUE, CW_RUN_MEMORY, CW_RUN_PROGRAM, CW_RUN_KERNEL, CW_RUN_EVENT, CW_RUN_OPAQUE };

struct cw_run_record {
    const void *handle;
    struct cw_run_record *next; /* same bucket */
    enum cw_run_kind kind;
    uint32_t refs;  /* the program's */
    uint32_t busy;  /* ours: commands, and records that point here */
    bool held_back; /* the program's last release waits for busy to become 0 */
};

struct cw_run_place { /* where commands of one context can run: one per slot */
    struct cw_run_lane *lane;
    const struct cw_slot *slot;
    cl_context context;     /* home: the program's; helper: ours */
    cl_command_queue queue; /* ours; made by the first command, by whoever has the lane */
};

struct cw_run_context {
    struct cw_run_record r;
    struct cw_slots *slots;      /* NULL: nothing in this context is managed */
    struct cw_run_place *places; /* slots->n */
    _Atomic uint32_t own_queues; /* of ours in the program's context: hidden from its reference count */
    uint32_t events;             /* of managed commands: user events retain the context, others do not */
};

struct cw_run_queue {
    struct cw_run_record r;
    struct cw_run_context *context;
    bool managed, in_order, profiled, synchronous;
    uint32_t home;               /* index into context->places */
    struct cw_run_task *first, *last; /* not retired yet, in program order */
    struct cw_run_task *join;    /* what every later command waits for: a barrier, or inherited native work */
    uint64_t native_given;       /* native commands so far, counted before and after the vendor's call */
    uint64_t native_known;       /* up to here they are finished, or `join` waits for them */
    cl_event *gates;             /* native commands that an unset user event holds; retained */
    uint32_t num_gates, cap_gates;
    uint64_t last_end_ns;        /* END of the latest retired command */
    uint64_t calls, calls_over;  /* callbacks on its commands: begun to be due, returned */
};

/* One memory whose accesses are ordered among each other: an allocation of ours, or all other host memory. */
struct cw_run_region {
    uintptr_t low, high;
    struct cw_run_access *writes, *reads; /* of unfinished tasks */
};

struct cw_run_access {
    struct cw_run_task *task;
    struct cw_run_region *region; /* NULL: not in a list */
    uintptr_t low, high;
    struct cw_run_access *prev, *next;
    bool write;
};

struct cw_run_map {
    struct cw_run_map *next;
    uintptr_t low, high;
    cl_map_flags flags;
};

struct cw_run_memory {
    struct cw_run_record r;
    struct cw_run_context *context;
    struct cw_run_memory *root;  /* itself, or a sub-buffer's parent */
    bool managed;                /* a buffer whose bytes lie at `address` */
    bool own;                    /* root: the memory is ours */
    bool misaligned;             /* a sub-buffer that some device would refuse */
    cl_mem_flags flags;          /* as the program gave them, access flags inherited */
    uint8_t *address;
    size_t bytes;
    struct cw_run_region *region;
    struct cw_run_map *maps;     /* managed maps that are not unmapped yet */
    uint32_t root_maps;          /* of this memory and its sub-buffers, which the vendor counts at the root */
    cl_mem *mirrors;             /* by lane number; buffers of helpers' contexts over the same bytes */
};

/* A private copy of a program on a helper's lane. */
enum cw_run_copy_state {
    CW_RUN_COPY_NONE,
    CW_RUN_COPY_SOUGHT, /* the lane's worker is to look for what an earlier run has kept */
    CW_RUN_COPY_MISSED, /* there is nothing */
    CW_RUN_COPY_WANTED, /* the lane's worker is to build it */
    CW_RUN_COPY_READY,
    CW_RUN_COPY_FAILED
};

struct cw_run_program {
    struct cw_run_record r;
    struct cw_run_context *context;
    char *source, *options;      /* NULL source: nothing that we can read */
    uint64_t hash;               /* of both; 0: not known yet */
    double spent_ns;             /* on kernels at home */
    uint8_t copy[CW_RUN_LANES];  /* enum cw_run_copy_state, by lane number */
    _Atomic uint32_t own_kernels;/* clones of ours: hidden from its reference count */
    bool parsed;
    bool manageable;             /* nothing in the source forbids it */
    bool group_free;             /* results cannot depend on the local size */
    bool fixed_size;             /* a kernel demands a local size */
    struct cw_cl_source *tokens;
    cl_program *copies;          /* by lane number */
};

enum cw_run_arg_kind { CW_RUN_ARG_UNSET, CW_RUN_ARG_VALUE, CW_RUN_ARG_LOCAL, CW_RUN_ARG_POINTER };

struct cw_run_arg {
    enum cw_run_arg_kind kind;
    uint32_t size, capacity;
    union {
        uint64_t word;      /* VALUE up to 8 bytes */
        uint8_t *bytes;     /* VALUE over 8 bytes; owned by shadows, borrowed from the blob in tasks */
    };
    struct cw_run_memory *memory; /* in tasks: the buffer that the value names */
};

struct cw_run_trust {
    struct cw_run_trust *next;
    cl_device_id device;
    uint32_t dims;
    bool has_local;
    uint8_t uneven;         /* dimensions that the local size does not divide */
    size_t local[3];
    uint64_t local_bytes;   /* of local memory given as arguments */
};

struct cw_run_kernel {
    struct cw_run_record r;
    struct cw_run_program *program;
    char *name;
    uint32_t count;
    uint64_t hash;          /* of its program and name; 0: not known yet */
    bool indirect;          /* reaches memory that is no argument */
    bool offset_seen;       /* was launched with an offset: native from then on */
    bool parsed;
    uint8_t *modes;         /* enum cw_access_mode by argument; NULL until parsed */
    struct cw_run_arg *args;
    struct cw_run_trust *trusted;
    struct cw_run_flight *flight; /* NULL: not known */
    cl_kernel *clones;      /* by lane number: used by whoever has the lane */
    double *mean_ns;        /* by lane number: measured, 0: never */
    double batch_ns;        /* the same at home, in a batch */
    bool *broken;           /* by lane number: a launch failed there */
};

enum cw_run_event_kind { CW_RUN_MANAGED, CW_RUN_USER, CW_RUN_GATED };

struct cw_run_callback {
    struct cw_run_callback *next;
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
    cl_int type, status;
    struct cw_run_event *event;
};

struct cw_run_event {
    struct cw_run_record r;
    enum cw_run_event_kind what;
    struct cw_run_queue *queue;
    struct cw_run_task *task;  /* until it retires */
    cl_command_type type;
    cl_command_type shown;     /* GATED: answered instead of the vendor's type; 0: not */
    cl_int status;             /* MANAGED: once retired; USER: CL_SUBMITTED until it is set */
    uint64_t times[4];         /* queued, submit, start, end */
    struct cw_run_callback *callbacks;
    uint32_t calls_due;        /* callbacks that have not returned */
};

/* ---- commands */

enum cw_run_state { CW_RUN_LINKED, CW_RUN_READY, CW_RUN_RUNNING, CW_RUN_DONE, CW_RUN_RETIRING, CW_RUN_RETIRED };

enum cw_run_work { CW_RUN_NOTHING, CW_RUN_LAUNCH, CW_RUN_COPY, CW_RUN_FILL };

struct cw_run_launch {
    struct cw_run_kernel *kernel;
    struct cw_run_arg *args;
    cl_uint dims;
    bool has_local;
    size_t global[3], local[3];
};

struct cw_run_copy { /* rectangles; plain copies have one row. Pitches in bytes */
    uint8_t *to;
    const uint8_t *from;
    size_t region[3], to_row, to_slice, from_row, from_slice;
};

struct cw_run_fill {
    uint8_t *to;
    size_t bytes, pattern_bytes;
    uint8_t pattern[128];
};

/* Low bits of a successor: when it may go on, and whether a failure is passed on to it. */
enum cw_run_edge { CW_RUN_DATA = 0, CW_RUN_AT_RETIRE = 1, CW_RUN_FAILS = 2, CW_RUN_EDGE_BITS = 3 };

struct cw_run_task {
    struct cw_run_queue *queue; /* NULL: internal */
    struct cw_run_task *prev, *next; /* in its queue */
    struct cw_run_task *window_next, *done_next;
    struct cw_run_queue *joins; /* later commands of this queue wait for it */
    struct cw_run_memory *memories[2]; /* buffers of a transfer */
    struct cw_run_event *event; /* NULL: the program asked for none */
    cl_event gate;              /* a user event for native commands behind this one */
    cl_command_type type;
    enum cw_run_state state;
    enum cw_run_work work;
    bool released;              /* its window has closed */
    bool has_run;               /* a planted fault ran it out of its turn */
    bool tainted;               /* waits, by events, for native work that is not finished */
    cl_int failed;              /* status that what it waited for gave it */
    cl_int status;
    uint32_t waits;
    uint32_t batched;           /* how many of these are in batch number `batch` */
    uint64_t batch;
    uint32_t lane, home_lane;   /* numbers */
    uint32_t place;             /* index into the context's places */
    uint32_t window, index;     /* the window that it was in, and where (run_decide.c) */
    uint64_t shape;             /* of a launch, for the history; 0: none */
    uint64_t sequence;          /* program order over all queues */
    uint64_t rank;              /* lower runs first */
    uint64_t times[4];
    uint64_t ready_ns;          /* released, and all that it waited for over; on the clock of times[] */
    uintptr_t *successors;      /* tasks | enum cw_run_edge */
    uint32_t num_successors, cap_successors;
    uint32_t num_accesses;
    struct cw_run_access *accesses;
    union {
        struct cw_run_launch launch;
        struct cw_run_copy copy;
        struct cw_run_fill fill;
    };
};

/* A vendor event that managed commands wait for. */
struct cw_run_foreign {
    struct cw_run_foreign *next; /* in to_register */
    struct cw_run_foreign *prev_open, *next_open;
    cl_event event;           /* retained */
    struct cw_run_task *task; /* internal: is done when the event is. NULL: the event is over */
    bool registered;          /* the vendor knows of us */
};

/* ---- lanes: one device, one command at a time, driven by its worker or by a program's thread that waits */

struct cw_run_lane {
    uint32_t number;
    cl_device_id device;
    char name[24];
    const char *class_name;
    enum cw_slot_kind kind;
    double speed;
    cl_uint units;
    bool home;               /* some program context has it */
    cl_context context;      /* of a helper: ours, made by whoever has the lane first */
    cl_command_queue queue;  /* in that context */
    bool busy, has_worker, asleep, quit;
    bool blocked;            /* what is ready must not overlap with what runs elsewhere (run_flight.c) */
    bool building;           /* its worker is occupied with a compiler */
    pthread_t worker;
    pthread_cond_t wake;
    struct cw_run_task **heap;
    uint32_t num_ready, cap_ready;
    uint64_t busy_until_ns;  /* guess, for planning */
    struct cw_run_program *wanted[CW_RUN_WANTED]; /* to be built here when there is nothing else to do; busy */
    uint32_t num_wanted;
};

/* ---- the whole */

struct cw_run_counts {
    uint64_t managed, launches, moved, reordered, windows, retired;
    uint64_t native[16]; /* by enum cw_run_reason */
};

#define CW_RUN_REASONS(X)                                                                                    \
    X(CW_RUN_R_FIRST, "first launch of its kind")                                                            \
    X(CW_RUN_R_LONG, "long kernel, no gain from managing")                                                   \
    X(CW_RUN_R_GATED, "behind a user event")                                                                 \
    X(CW_RUN_R_SOURCE, "kernel that cannot be read or has side effects")                                     \
    X(CW_RUN_R_ARGUMENT, "argument that is no plain buffer")                                                 \
    X(CW_RUN_R_OFFSET, "global offset")                                                                      \
    X(CW_RUN_R_KIND, "kind of command that is not managed")                                                  \
    X(CW_RUN_R_CHECK, "left to the vendor to check")                                                         \
    X(CW_RUN_R_DEVICE, "context or queue that is not managed")                                               \
    X(CW_RUN_R_OFF, "run mode switched off")

enum cw_run_reason {
#define X(id, text) id,
    CW_RUN_REASONS(X)
#undef X
        CW_RUN_REASON_COUNT
};

struct cw_run_state_all {
    pthread_mutex_t lock;
    pthread_cond_t done;  /* something has retired */
    pthread_cond_t timer; /* there is something for the timer, which sleeps */
    bool timer_asleep, timer_wanted, quit, threads;
    bool ready;           /* start() has succeeded */
    bool forked;          /* we are the child of a fork */
    bool off;             /* everything new is native: fork, a function that we do not know */
    bool all;             /* CLWEAVE_MANAGE_ALL */
    bool chaos;
    uint64_t random;
    uint64_t batches;
    uint64_t sequence;
    struct cw_run_task *window_first, *window_last;
    uint32_t window_count;
    uint64_t window_since_ns;
    struct cw_run_task *retire_first, *retire_last; /* linked by window_next */
    bool retiring;
    uint32_t waiters;
    uint32_t unfinished;  /* managed commands that have not retired */
    uint32_t running;
    uint32_t preparing;   /* lanes that build a helper's copy of a program */
    struct cw_run_lane lanes[CW_RUN_LANES];
    uint32_t num_lanes;
    struct cw_run_foreign *to_register; /* by cw_run_unlock */
    struct cw_run_foreign *open;        /* all whose event is not over */
    struct cw_run_region host;
    struct cw_run_counts counts;
};
extern struct cw_run_state_all cw_run;

/* ---- the lock and what waits for it to be free (run_lock.c) */
void cw_run_lock(void);
void cw_run_unlock(void);
void cw_run_unlock_in_callback(void); /* hands nothing over: for callbacks of the vendor */
enum cw_run_garbage { CW_RUN_DROP_MEMORY, CW_RUN_DROP_QUEUE, CW_RUN_DROP_KERNEL, CW_RUN_DROP_PROGRAM, CW_RUN_DROP_EVENT,
                      CW_RUN_DROP_CONTEXT, CW_RUN_DROP_BLOCK, CW_RUN_COMPLETE_EVENT };
/* Releases `handle` (BLOCK: frees it) once the lock is free. Lock held. NULL is ignored. */
void cw_run_drop(enum cw_run_garbage what, void *handle);
bool cw_run_has_garbage(void);

/* Something has failed. PoCL 3.1 calls nobody back whose event fails, so all events that are waited for are looked at.
 * Lock held. */
void cw_run_failures(void);
/* `f` is one of those events from now on. Lock held. */
void cw_run_follow(struct cw_run_foreign *f);

/* Time on the clock that the vendor's profiling uses. */
uint64_t cw_run_now_ns(void);

/* ---- records (run_object.c); lock held unless said */
void *cw_run_find(const void *handle, enum cw_run_kind kind);
/* Makes a zeroed record of `bytes` with one reference, replacing a stale one. NULL: out of memory. */
void *cw_run_record(const void *handle, enum cw_run_kind kind, size_t bytes);
void cw_run_busy(struct cw_run_record *r);
void cw_run_idle(struct cw_run_record *r);
/* The program's retain and release; lock not held. */
bool cw_run_take_back(const void *handle, enum cw_run_kind kind); /* a release is undone: no vendor call */
void cw_run_retained(const void *handle, enum cw_run_kind kind);
bool cw_run_release(const void *handle, enum cw_run_kind kind); /* true: the caller makes the vendor's call */
/* What the vendor counts too many for `r`: a release that is kept back. */
uint32_t cw_run_hidden_references(const struct cw_run_record *r);

/* ---- memory ranges (run_range.c); lock held */
struct cw_run_region *cw_run_region_at(const void *address);
struct cw_run_region *cw_run_region_create(void *address, size_t bytes);
void cw_run_region_destroy(struct cw_run_region *r);
void cw_run_touch(struct cw_run_task *t, struct cw_run_region *r, const void *address, size_t bytes, bool write);
void cw_run_untouch(struct cw_run_task *t);

/* ---- commands (run_task.c, run_link.c) */

/* A command with room for `accesses` ranges, `args` kernel arguments and `blob` bytes behind them. NULL: out of memory. */
struct cw_run_task *cw_run_task_create(uint32_t accesses, uint32_t args, size_t blob);
void cw_run_task_destroy(struct cw_run_task *t); /* only one that was never linked, or has retired */
/* False: out of memory. */
bool cw_run_depend(struct cw_run_task *before, struct cw_run_task *after, enum cw_run_edge edge);

/* What the events of a wait list are to a command of `q`. */
enum cw_run_waits { CW_RUN_WAITS_FINE, CW_RUN_WAITS_GATED, CW_RUN_WAITS_ODD };
enum cw_run_waits cw_run_waits_look(const struct cw_run_queue *q, cl_uint n, const cl_event *list);

/* True when an unset user event holds a native command of `q`. */
bool cw_run_queue_gated(struct cw_run_queue *q);

/* Why the next command of `q` must be native, whatever it is, or -1. */
int cw_run_admit(struct cw_run_queue *q, cl_uint n, const cl_event *list);

/* Native commands of `q` so far become something that later ones can wait for. Gives up the lock meanwhile. False: the
 * vendor refused, or memory is out. */
bool cw_run_take_in_natives(struct cw_run_queue *q);

/* Puts the command into its queue and the window, with the edges from queue and wait list; accesses must have been
 * touched already. `event`: a fresh user event for the program, or NULL. */
void cw_run_link(struct cw_run_queue *q, struct cw_run_task *t, cl_uint n, const cl_event *list, bool whole, cl_event event);
void cw_run_task_done(struct cw_run_task *t, cl_int status);
void cw_run_retire(void);

/* A task that is done when every unretired command of `q` has retired. NULL: none is, or out of memory. */
struct cw_run_task *cw_run_join_queue(struct cw_run_queue *q);

/* The private queue of a place; whoever has the lane makes it. Helpers' contexts serve all contexts of the program. NULL:
 * the vendor made none. Lane held, lock not held. (run_execute.c) */
cl_command_queue cw_run_place_queue(struct cw_run_context *c, struct cw_run_place *p);

/* The private copy of `p` on a helper's `place`; lane held, lock not held. The first takes only what an earlier run has
 * kept, the second builds. (run_copy.c) */
bool cw_run_copy_load(struct cw_run_program *p, struct cw_run_place *place);
cl_program cw_run_program_copy(struct cw_run_program *p, struct cw_run_place *place); /* NULL: cannot be built */

/* ---- window and lanes (run_window.c, run_lane.c); lock held. Closing plans the window, for which it may give up the
 * lock: what was found before must be found again, or be busy */
void cw_run_window_close(void);
bool cw_run_window_is_due(void); /* it is old enough, and nothing runs */
void cw_run_ready(struct cw_run_task *t);
struct cw_run_lane *cw_run_lane_of(const struct cw_slot *slot);
void cw_run_lane_signal(struct cw_run_lane *l);
/* Helps with the commands of `q` (NULL: only waits) up to number `last` until over(what). Gives up the lock meanwhile. */
void cw_run_help(struct cw_run_queue *q, uint64_t last, bool (*over)(const void *), const void *what);
void cw_run_threads_start(void);
void cw_run_kick(void); /* wakes the workers of lanes that have something to do */

/* True when `t` may run at `p` (its own home included) without any difference that the program could see. Lock held.
 * (run_move.c) */
bool cw_run_may_move(const struct cw_run_task *t, const struct cw_run_place *p);
/* True when some helper may run launches of `k` from `q`. Lock held. */
bool cw_run_may_leave(const struct cw_run_queue *q, const struct cw_run_kernel *k, bool has_local);
extern bool cw_run_relaxed; /* --numerics=relaxed; constant after start() */

/* For cw_run_help: everything of `queue` up to number `sequence` has retired. */
struct cw_run_until {
    const struct cw_run_queue *queue;
    uint64_t sequence;
};
bool cw_run_is_over(const void *until);

/* Runs a command on its lane; lock not held. Returns its status. (run_execute.c) */
cl_int cw_run_execute(struct cw_run_task *t);

/* Commands that follow each other on an asynchronous device are handed to it together, since an in-order queue keeps
 * their order without a pause. Puts up to CW_RUN_BATCH launches into `batch`, the first is `t`: of these, those behind it
 * wait for nothing else, and are of t's queue and not after `last`. Returns their number. Lock held. (run_batch.c) */
#define CW_RUN_BATCH 256
uint32_t cw_run_batch_gather(struct cw_run_task *t, uint64_t last, struct cw_run_task *batch[CW_RUN_BATCH]);
/* Runs them; statuses and times are set. Lock not held. */
void cw_run_batch_execute(struct cw_run_task *const *batch, uint32_t n);
/* Hands a launch to its device (run_execute.c); the lane is held. *queue: to be finished. */
cl_int cw_run_submit(struct cw_run_task *t, cl_command_queue *queue);

/* ---- launches that must not overlap (run_flight.c); lock held */
struct cw_run_flight *cw_run_flight_of(const struct cw_run_kernel *k);
bool cw_run_flight_may(const struct cw_run_task *t); /* it may run now */
/* The kernel was launched natively, the latest of `q`'s native commands; and whether `t` may leave home, where it could
 * meet such a launch. */
void cw_run_flight_native(struct cw_run_kernel *k, const struct cw_run_queue *q, cl_uint dims, const size_t *global);
bool cw_run_flight_may_move(const struct cw_run_task *t);
void cw_run_flight_begin(const struct cw_run_task *t);
void cw_run_flight_end(const struct cw_run_task *t);

/* ---- times (run_timing.c) */

/* The same, sets times[3] and, where the device's times are modelled, waits for the modelled end and sets times[1] to
 * times[3]. */
cl_int cw_run_execute_timed(struct cw_run_task *t);

/* What the command costs by. */
struct cw_work cw_run_work_of(const struct cw_run_task *t);

/* Now, on the clock of times[]; and that the program has waited for something that was over at `event_ns`. */
uint64_t cw_run_event_now_ns(void);
void cw_run_reached(uint64_t event_ns);

/* ---- events (run_event.c, run_callback.c) */
void cw_run_event_progress(struct cw_run_task *t);
void cw_run_callbacks_push(struct cw_run_event *e, cl_int reached, cl_int status);
/* Waits for the callbacks that are due: of a queue, which is busy, or of an event, which is. Lock held, given up
 * meanwhile. Does nothing inside a callback. */
void cw_run_callbacks_wait(struct cw_run_queue *q);
void cw_run_callbacks_wait_event(struct cw_run_event *e);
void cw_run_event_free(struct cw_run_event *e);

/* ---- native commands (run_native.c) */
struct cw_run_native {
    struct cw_run_queue *queue; /* NULL: nothing to do at the end */
    cl_uint n;
    const cl_event *list;       /* what the vendor gets */
    cl_event *event;            /* likewise */
    cl_event own_event, gate;
    cl_event *heap;
    cl_event few[8];
    cl_command_type type;
    bool gated, wanted;
};
/* `blocking`: the bare call would block. `whole`: the command waits for everything before it. Lock not held. */
void cw_run_native_begin(struct cw_run_native *x, cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event,
                         bool blocking, bool whole, enum cw_run_reason why);
cl_int cw_run_native_end(struct cw_run_native *x, cl_int status);

/* ---- memory, programs, kernels */
struct cw_run_memory *cw_run_buffer(cl_mem handle);           /* a managed one, or NULL; lock held */
void cw_run_memory_free(struct cw_run_memory *m);
void cw_run_program_free(struct cw_run_program *p);
void cw_run_kernel_free(struct cw_run_kernel *k);
void cw_run_context_free(struct cw_run_context *c);
void cw_run_queue_free(struct cw_run_queue *q);
void cw_run_program_parse(struct cw_run_program *p);
cl_mem cw_run_memory_on(struct cw_run_memory *m, const struct cw_run_place *p); /* lane held, lock not held */
cl_kernel cw_run_kernel_on(struct cw_run_kernel *k, struct cw_run_place *p);
void cw_run_kernel_points(cl_kernel kernel, cl_uint index); /* its argument is a bare pointer; lock not held */

/* ---- the frame of every enqueue hook (run_enqueue.c) */
struct cw_run_enqueue {
    cl_command_queue handle;
    struct cw_run_queue *queue;
    cl_uint n;
    const cl_event *list;
    cl_event *event, made;
    bool whole;
    enum cw_run_reason why; /* for the native command */
};
/* True: the lock is held and the command may be managed; end with cw_run_commit or cw_run_refuse. False: it is native. */
bool cw_run_begin(struct cw_run_enqueue *e, cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event,
                  bool whole);
/* The command is fine and will be managed: takes in what native commands before it left behind, for which it may give
 * up the lock for a while. False: it must be native. */
bool cw_run_settle(struct cw_run_enqueue *e);
/* Gives up the lock; the command is native. Returns false. */
bool cw_run_refuse(struct cw_run_enqueue *e, enum cw_run_reason why);
/* Enqueues `t`, gives up the lock, and waits for the command when `blocking`. */
cl_int cw_run_commit(struct cw_run_enqueue *e, struct cw_run_task *t, bool blocking);

/* ---- end of the process (run_end.c) */
void cw_run_drain(void);
void cw_run_register_exit(void);
void cw_run_summary(void);

#endif
