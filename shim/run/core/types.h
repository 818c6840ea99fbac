/* types.h - the records, commands and lanes of run mode, and the state that its lock protects: cw_run.lock
 * guards everything here unless it says otherwise.
 *
 * A *managed* command never reaches the program's own queue. It is a struct cw_run_task: a snapshot of
 * everything that it needs, its dependences (memory/byte_range.c: byte ranges of host memory;
 * tasks/dependence.c: events, barriers), and the program's event, which is a user event of the vendor made in
 * the program's context, so that every function that we do not know gets a real handle. Any other command is
 * *native* (api/native.c): it goes to the vendor at once, behind a user event that completes when the managed
 * commands before it have.
 *
 *   enqueued ── window closes ──▶ released ── waits == 0 ──▶ in a lane's heap ── executed ──▶ DONE
 *   DONE ── in queue order ──▶ RETIRED
 *
 * A task is linked completely within one critical section of the lock (core/global_lock.h).
 */
#ifndef CW_RUN_TYPES_H
#define CW_RUN_TYPES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "../../../analyzer/io/identity.h"
#include "../../device/device.h"
#include "../../door/dispatch.h"
#include "reason.h"

#define CW_RUN_LANES         64   /* devices that this process may drive */
#define CW_RUN_WANTED        16   /* programs that wait to be built on one lane */
#define CW_RUN_SAMPLER_KINDS 20   /* normalized or not, five addressing modes, two filters */
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
#define CW_RUN_BRIEF_OPS      1048576 /* that are over soon: a millisecond at worst */
#define CW_RUN_LONG_NS        1000000 /* kernels of this length gain nothing from being managed at home */

/* ---- records of the program's objects, by handle */

enum cw_run_kind {
    CW_RUN_CONTEXT,
    CW_RUN_QUEUE,
    CW_RUN_MEMORY,
    CW_RUN_PROGRAM,
    CW_RUN_KERNEL,
    CW_RUN_EVENT,
    CW_RUN_SAMPLER,
    CW_RUN_OPAQUE
};

struct cw_run_record {
    const void *handle;
    struct cw_run_record *next; /* same bucket */
    enum cw_run_kind kind;
    uint32_t refs;  /* the program's */
    uint32_t busy;  /* ours: commands, and records that point here */
    bool held_back; /* the program's last release waits for busy to become 0 */
};

struct cw_run_context_device { /* where commands of one context can run: one per slot */
    struct cw_run_worker *lane;
    const struct cw_cl_device *slot;
    cl_context context;     /* home: the program's; helper: ours */
    cl_command_queue queue; /* ours; made by the first command, worker held */
    /* ours, between a memory of the device's own and the host's; NULL: there is none. Any thread, made by one
     * that does not hold the lock */
    _Atomic(cl_command_queue) copies;
    cl_sampler samplers[CW_RUN_SAMPLER_KINDS]; /* ours, each made by a launch (core/sampler.h) */
};

struct cw_run_context {
    struct cw_run_record r;
    struct cw_context_devices *slots;     /* NULL: nothing in this context is managed */
    struct cw_run_context_device *places; /* slots->n */
    _Atomic uint32_t own_objects; /* run mode's queues and programs in the program's context: hidden from its
                                     reference count */
    uint32_t events;              /* of managed commands: user events retain the context, others do not */
    uint32_t native_calls;        /* of the vendor for native commands that threads are in */
    /* the least of their cw_run_native.after */
    uint64_t called_after;
    /* ours, for commands that do nothing (tasks/reference_counts.c); NULL: none yet */
    cl_command_queue idle_queue;
};

struct cw_run_aside { /* tuning/bypass.c */
    uint32_t poor;    /* windows with launches since the last that gained something */
    uint32_t left;    /* synchronisations for which commands are native; 0: they are managed */
    uint32_t span;    /* first value of `left`; 0: never */
    uint32_t copies;  /* cw_run.copies when it last looked: with more of them there may be more to gain */
};

/* Native launches of a queue while helpers have not begun (tuning/hold.h). */
struct cw_run_hold {
    cl_event first;    /* of the first since the program has waited; NULL: none */
    uint32_t launches; /* since then */
    uint32_t left;     /* synchronisations for which nothing is held */
    uint32_t span;     /* first value of `left`; 0: never */
};

struct cw_run_queue {
    struct cw_run_record r;
    struct cw_run_context *context;
    bool managed, in_order, profiled, synchronous;
    uint32_t home;                    /* index into context->places */
    struct cw_run_task *first, *last; /* not retired yet, in program order */
    struct cw_run_task *join;         /* later commands wait for it: a barrier, or inherited native work */
    uint64_t native_given;            /* native commands so far, counted before and after the vendor's call */
    uint64_t native_known;            /* up to here they are finished, or `join` waits for them */
    uint64_t native_barrier;          /* out of order: up to here later commands wait for them */
    uint32_t native_calls;            /* of the vendor for them that threads are in */
    cl_event *gates;                  /* native commands that an unset user event holds; retained */
    uint32_t num_gates, cap_gates;
    uint64_t last_end_ns; /* END of the latest retired command */
    uint32_t events;      /* of managed commands: user events do not retain the queue, others do */
    struct cw_run_aside aside;
    struct cw_run_hold hold;
    bool again;                      /* a launch is under way that is in no list (tuning/repeat.h), ... */
    pthread_t again_by;              /* ... in this thread */
    uint64_t calls, calls_over;      /* callbacks that are for the callback thread: due so far, returned */
    struct cw_run_callback *natives; /* callbacks on native commands: not called yet, or not returned */
    uint32_t lasts;                  /* memory objects whose last command is one of the queue */
};

/* How a buffer has been used in windows so far (groups/window_flow.c), where devices have memories of their
 * own. */
struct cw_run_habits {
    uint32_t launches; /* that used it, since another command wrote to it */
    uint32_t ahead;    /* that will in this window, until another one does */
    uint32_t written;  /* launches that wrote to it, since another command read it */
    uint32_t per_read; /* the same, when one read it last; 0: none has */
    uint32_t read_in;  /* the last window in which one read it: its number */
};

/* Bytes whose accesses are ordered among each other: those of one allocation of run mode, or all other host
 * memory. A byte is named by its region and its offset there; in other host memory that is its address. */
struct cw_run_region {
    uintptr_t low, high;                  /* where they lie in the host's memory */
    struct cw_run_access *writes, *reads; /* of unfinished tasks */
    struct cw_run_memory *root;           /* the buffer that they are; NULL: other host memory */
    uint32_t writers;                     /* commands that claim bytes which they write (memory/spread.h) */
    struct cw_run_spread *spread;         /* memory/spread.h; NULL: all bytes have always been the host's */
    struct cw_run_habits habits;          /* where some device has a memory of its own */
};

struct cw_run_access {
    struct cw_run_task *task;
    struct cw_run_region *region;
    uint64_t low, high; /* offsets there */
    struct cw_run_access *prev, *next;
    bool write;
    bool listed;       /* in the region's list; one that a later write covers is not */
    uint32_t promised; /* so many changes at the command's end have room in its region's extents */
    uint32_t rows;     /* of a rectangle whose rows count alone; 0: all bytes between low and high do */
    uint32_t ahead;    /* of a window: groups/window_flow.c */
    bool covers;       /* in the list of its region's spread: memory/spread_copy.c */
    struct cw_run_access *next_cover;
    uint64_t sure,
        sure_end; /* of a write: offsets; all bytes of [sure, sure_end) are written. 0, 0: not known */
};

struct cw_run_map {
    struct cw_run_map *next;
    void *address;   /* that the program has got */
    uint64_t offset; /* in the region of the buffer */
    size_t bytes;
    cl_map_flags flags;
    const struct cw_run_memory *of; /* only to compare: it may be gone */
};

struct cw_run_memory {
    struct cw_run_record r;
    struct cw_run_context *context;
    struct cw_run_memory *root; /* itself, or a sub-buffer's parent */
    bool managed;
    struct cw_run_image *image; /* the image that the bytes form; NULL: a buffer */
    bool own;                   /* root: the memory is ours */
    bool misaligned;            /* a sub-buffer that some device would refuse */
    cl_mem_flags flags;         /* as the program gave them, access flags inherited */
    uint8_t *address;           /* of its bytes in the host's memory */
    size_t bytes;
    _Atomic uint64_t id; /* a handle may come again, this does not; read without the lock */
    struct cw_run_region *region;
    uint64_t offset;                         /* of its first byte there */
    struct cw_run_memory *parts, *next_part; /* root: its sub-buffers, linked by next_part */
    uint64_t used; /* root: cw_run.sequence when it was last copied to or used in a device's own memory */
    /* root: managed maps of it and its sub-buffers that are not unmapped yet; each keeps it */
    struct cw_run_map *maps;
    uint32_t root_maps; /* how many, which the vendor counts at the root */
    bool was_mapped;    /* root: the program may have an address of its bytes */
    /* by lane number; buffers of helpers' contexts over the same bytes. Made by a thread that does not hold
     * the lock, while others that do may look */
    _Atomic(cl_mem) *mirrors;
    /* root: of the last command on it, if that is managed (tasks/reference_counts.h); busy */
    struct cw_run_queue *last;
    uint64_t last_sequence; /* that command's */
    /* root in a device's own memory: retained; of the last command on it, if that is native. Copies of run
     * mode take its place in the vendor's eyes */
    cl_event native_last;
    bool settled; /* root: the vendor does not take a native command for the last one */
};

/* The state of a helper program on a helper's worker. */
enum cw_run_copy_state {
    CW_RUN_COPY_NONE,
    CW_RUN_COPY_SOUGHT, /* the worker is to look into the helper cache */
    CW_RUN_COPY_MISSED, /* there is nothing */
    CW_RUN_COPY_ASKED,  /* the worker is to look once more, and else to ask for it (builds/later_builds.h) */
    CW_RUN_COPY_WANTED, /* the worker is to build it */
    CW_RUN_COPY_READY,
    CW_RUN_COPY_FAILED
};

struct cw_run_program {
    struct cw_run_record r;
    struct cw_run_context *context;
    char *source, *options; /* NULL source: nothing that we can read */
    char *given;            /* the source before its headers were put in; NULL: it has none */
    char *linked;           /* was linked of several: the `source` once it is known to compile; else NULL */
    char *compiled, *compiled_with; /* by clCompileProgram: the source with its headers, and options; NULL:
                                       not, or not known */
    char *built_with; /* made of a binary: the options of the build that it is from; else NULL */
    bool loaded;      /* made of a binary whose source is known */
    bool binary;  /* made of a binary whose source is not known: `source` is its text form (pocl_binary.h),
                     NULL if its format is not known */
    bool demands; /* ... some kernel of it demands a local size */
    struct cw_run_match *match; /* a source that the binary may be from, with some options; else NULL */
    struct cw_key key;          /* of both (history_key.h); none: not known yet */
    uint8_t copy[CW_RUN_LANES]; /* enum cw_run_copy_state, by lane number */
    uint64_t sought_again;      /* bit l: on lane l, after another one has built it */
    uint64_t seek_at_ns, seek_after_ns; /* asked for: sought again then, and the next time so much later */
    struct cw_run_first_launch *warm[CW_RUN_LANES]; /* by lane number: code its vendor has compiled
                                                       (tuning/first_launch.h); NULL: nothing yet */
    cl_program kept;            /* whose kernels its kernels are (builds/build_cache.h); NULL: its own */
    bool kept_bare;             /* it was built with NULL for options */
    bool kept_real;             /* the vendor has built it itself, too */
    double kept_saved_ns;       /* build time that the cache has saved */
    uint32_t kernels;           /* records of kernels */
    struct cw_run_known *known; /* of its kernels, by name */
    bool foreseen;              /* tuning/foresee.h */
    bool gone; /* for the program, while we still work on it: hidden from its context's reference count */
    _Atomic uint32_t own_kernels; /* run mode's clones: hidden from its reference count */
    bool parsed;
    bool partly;     /* it was made or built for some devices of its context only */
    bool manageable; /* its whole source is known */
    bool doubtful;   /* something in it may have hidden effects: each kernel's model says */
    bool group_free; /* results cannot depend on the local size */
    bool fixed_size; /* a kernel demands a local size, or may */
    struct cw_cl_source *tokens;
    struct cw_run_models *models; /* of its kernels; NULL: none, or not yet (models/program_models.h) */
    uint64_t models_job;          /* the job that may set them */
    cl_program *copies;           /* by lane number */
    /* for launches in tiles (tiles/tile_program.c); NULL: none was wanted */
    struct cw_run_rewritten *rewritten;
};

struct cw_run_sampler {
    struct cw_run_record r;
    uint32_t what; /* its kind (core/sampler.h) */
};

/* A memory object that is not managed. */
struct cw_run_opaque {
    struct cw_run_record r;
    enum cw_run_reason why; /* for launches that get it, and commands on it */
};

enum cw_run_arg_kind { CW_RUN_ARG_UNSET, CW_RUN_ARG_VALUE, CW_RUN_ARG_LOCAL, CW_RUN_ARG_POINTER };

struct cw_run_arg {
    enum cw_run_arg_kind kind;
    uint8_t sampler; /* VALUE: 1 + the kind of the sampler that the word names (core/sampler.h); 0: none */
    uint32_t size, capacity;
    union {
        uint64_t word;  /* VALUE up to 8 bytes */
        uint8_t *bytes; /* VALUE over 8 bytes; owned by shadows, borrowed from the blob in tasks */
    };
    struct cw_run_memory *memory; /* in tasks: the buffer that the value names */
};

/* The last value of an argument of a private kernel. */
struct cw_run_set {
    uint64_t word, id; /* id: of the buffer, 0: none */
    uint32_t size;
    uint8_t kind; /* enum cw_run_arg_kind; UNSET: it has to be set */
};

/* Where a launch that is alone in its window went last: the next ones like it go there, too, for a while. */
struct cw_run_repeat_place {
    uint64_t shape;
    uint32_t home, lane, place, left, planned,
        copies;  /* left: launches; planned: how often; copies: cw_run.copies then */
    int verdict; /* enum cw_run_verdict */
    double home_ns, plan_ns;
    double alone_ns, error_ns; /* at home, with nothing before it, if it is `known` (tuning/gain.h) */
    bool known;
};

/* The launch that a kernel did last, if it was one that may be done at once when it comes again
 * (tuning/repeat.h). */
struct cw_run_repeat {
    const struct cw_run_queue *queue;
    uint64_t sets, records; /* cw_run_kernel.sets, cw_run.records then: another number, and it is not the same
                               any more */
    cl_uint dims;
    bool has_local;
    size_t global[3], local[3];
    uint32_t lane, place, copies, left; /* left: times; 0: not known */
};

/* The time on one worker of launches that are alike in everything that their work depends on. */
struct cw_run_short_task {
    uint64_t id; /* cw_reach.id; 0: unused */
    uint32_t lane;
    double ns;
};

/* What is known of the kernels of one name of a program: some programs make a kernel for each launch. */
struct cw_run_known {
    struct cw_run_known *next; /* of the program */
    char *name;
    uint32_t refs;                   /* the program's list, and kernels */
    struct cw_run_limits *limits;    /* by place of homes (models/acceptance.h); NULL: not asked for yet */
    struct cw_run_trust *trusted;    /* likewise */
    struct cw_run_exclusion *flight; /* NULL: not known */
    struct cw_run_reacher *reacher;  /* byte ranges (models/reach.c); NULL: not asked yet */
    struct cw_run_cutter *cutter;    /* models/cutter.h; NULL: not asked for yet */
    uint64_t judged_job;             /* the program's models_job whose model said `hidden`; 0: none yet */
    bool hidden;                     /* it has effects that no argument shows (models/effects.c) */
    uint32_t *launches;              /* by lane number */
    /* by lane number: kinds of launches with code (builds/compiler_resources.c) */
    struct cw_run_kinds *loaded;
    double *mean_ns; /* by lane number: measured, 0: never */
    bool *broken;    /* by lane number: a launch failed there */
    double batch_ns; /* mean_ns at home, in a batch */
    uint8_t granted; /* trials beyond the budget so far */
    uint64_t owed;   /* bit l: lane l has run nothing but a first launch, whose time says nothing */
    /* no helper runs it before, as its code is being made (workers/execute.c); 0: any */
    uint64_t code_at_ns;
    uint64_t code_after_ns;     /* ... and it is looked for again so much later */
    double unpriced_items;      /* of launches whose time at home is not counted yet (tuning/perf_model.h) */
    double home_ns, home_items; /* of the largest launch at home: the least of late; 0: none */
};

struct cw_run_kernel {
    struct cw_run_record r;
    struct cw_run_program *program;
    struct cw_run_known *known; /* shared with the others of its name; NULL: memory is out */
    char *name;
    uint32_t count;
    struct cw_key key; /* of its program and name (history_key.h); none: not known yet */
    bool indirect;     /* reaches memory that is no argument */
    bool parsed;
    uint8_t *modes;                  /* enum cw_access_mode by argument; NULL until parsed */
    uint8_t *kinds;                  /* enum cw_param_kind by argument; NULL until parsed */
    uint64_t kinds_job;              /* program->models_job of the models that have told more of them */
    struct cw_run_arg *args;         /* small ones are set without the lock (api/kernel.c) */
    _Atomic uint64_t sets;           /* how often one was set; lock not needed */
    struct cw_run_exclusion *flight; /* NULL: not known */
    cl_kernel *clones;               /* by lane number: used with the worker held */
    struct cw_run_set **set;         /* by lane number: the arguments of the clone; NULL: none yet */
    struct cw_run_repeat_place memo;
    struct cw_run_repeat again;
    struct cw_run_short_task brief[4]; /* workers/short_task.c */
    uint8_t next_brief;
    uint64_t tile_broken;  /* bit by lane number: a tile failed there, ... */
    uint64_t tile_uncoded; /* ... as its code was not there; looked for again then, and next so much later */
    uint64_t tile_code_at_ns, tile_code_after_ns;
    struct {                       /* tuning/left.h */
        double items, ns;          /* launches of so many or fewer are native; for so long */
        uint64_t until_ns, window; /* the last one that had a launch of it */
        uint8_t waits; /* in so many windows in a row one was to be cut and the code was not there ... */
        bool waiting;  /* ... and in this one */
    } left;
    double ungrouped; /* launches of so many work-items or fewer gain nothing as groups (groups/group.h) */
    bool grouped;     /* some do */
    struct cw_run_tiled *tiled; /* for launches in tiles (tiles/tile.h); NULL: none was considered */
};

/* CALLED: of a native command, with callbacks that take their turn among those on managed ones. */
enum cw_run_event_kind { CW_RUN_MANAGED, CW_RUN_USER, CW_RUN_GATED, CW_RUN_CALLED };

struct cw_run_callback {
    struct cw_run_callback *next;
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
    cl_int type, status;
    struct cw_run_event *event;
    struct cw_run_queue *queue;
    bool counted;    /* in queue->calls */
    uint64_t number; /* of those that are due: which native ones must return before, by their `before` */
    uint64_t before; /* native: must return before that number is called; 0: none waits for it */
    uint64_t begun;  /* native: cw_run.sequence + 1 when the vendor's thread called it; 0: not yet */
};

struct cw_run_event {
    struct cw_run_record r;
    enum cw_run_event_kind what;
    struct cw_run_queue *queue;
    struct cw_run_task *task; /* until it retires */
    cl_command_type type;
    cl_command_type shown; /* GATED: answered instead of the vendor's type; 0: not */
    cl_int status;         /* MANAGED: once retired; USER: CL_SUBMITTED until it is set */
    uint64_t times[4];     /* queued, submit, start, end */
    struct cw_run_callback *callbacks;
    uint32_t calls_due; /* callbacks that have not returned */
    uint64_t calls;     /* MANAGED, over: queue->calls with its own callbacks */
    bool asked;         /* the program has seen that it was not over */
    uint64_t sequence;  /* MANAGED: the command's */
};

/* ---- commands */

enum cw_run_state {
    CW_RUN_LINKED,
    CW_RUN_READY,
    CW_RUN_RUNNING,
    CW_RUN_DONE,
    CW_RUN_RETIRING,
    CW_RUN_RETIRED
};

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
};

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
};

struct cw_run_fill {
    struct cw_run_bytes to;
    size_t bytes, pattern_bytes;
    uint8_t pattern[128];        /* of an image: the colour, as the program gave it */
    size_t origin[3], region[3]; /* of an image: in pixels */
};

struct cw_run_home {           /* beside cw_run_task.memories */
    struct cw_run_memory **of; /* pinned by the command */
    uint32_t n;
};

/* Low bits of a successor: when it may go on, and whether a failure is passed on to it. */
enum cw_run_edge { CW_RUN_DATA = 0, CW_RUN_AT_RETIRE = 1, CW_RUN_FAILS = 2, CW_RUN_EDGE_BITS = 3 };

struct cw_run_work_ops; /* core/work_ops.h */

struct cw_run_task {
    const struct cw_run_work_ops *ops;
    struct cw_run_queue *queue;          /* NULL: internal */
    struct {                             /* lists that it is in */
        struct cw_run_task *prev, *next; /* its queue */
        struct cw_run_task *window, *done, *claims;
    } links;
    struct cw_run_queue *joins;        /* later commands of this queue wait for it */
    struct cw_run_memory *memories[2]; /* buffers of a transfer */
    struct cw_run_event *event;        /* NULL: the program asked for none */
    cl_event gate;                     /* a user event for native commands behind this one */
    cl_command_type type;
    enum cw_run_state state;
    enum cw_run_work work;
    bool released; /* its window has closed */
    bool has_run;  /* a planted fault ran it out of its turn */
    bool uncoded;  /* the helper's code for it is not there yet */
    bool begun;    /* a vendor has taken the launch: it may have changed memory */
    bool pooled;
    bool left;     /* a thread that never comes back may use it: its memory is not given back */
    bool given_up; /* never got into its queue: only keeps the order until its edges have come true */
    bool native;   /* a HOME in front of a native command, which finds the bytes there */
    bool ahead;    /* copies ahead of it were asked for (memory/spread_ahead.h) */
    bool claims;   /* its bytes must not be used in another memory until it is over (memory/spread.h) */
    bool apart;    /* its tiles work in several memories, and copy what they need themselves */
    bool early;    /* it is in a heap to claim and fetch its bytes, before ops->ready puts its parts there */
    bool tainted;  /* waits, by events, for native work that is not finished; known before its accesses are */
    struct {
        cl_int status;
        cl_int failed; /* the status that a failed predecessor passed on */
        cl_int vendor; /* of a launch: what the vendor's call said that was to run it */
        cl_int *told;  /* of a call that waits for it: gets the error if its bytes are lost; else NULL */
    } outcome;
    uint32_t waits;
    struct {
        uint32_t waits; /* how many of these are in batch number `number` */
        uint64_t number;
    } batch;
    struct {
        uint32_t lane, home; /* numbers */
        uint32_t place;      /* index into the context's places */
        uint32_t memory;     /* that its bytes have to be in; of launches: that of their worker */
    } at;
    struct {
        uint32_t number, index; /* the window that it was in, and where */
    } window;
    struct {            /* tuning/repeat.h */
        uint64_t sets;  /* of the launch's kernel, when it was enqueued */
        uint64_t alike; /* cw_reach.id of a launch that is short with any data; 0: it may be long */
    } repeat;
    struct {
        uint64_t sequence; /* program order over all queues */
        uint64_t recorded; /* its number in the recorded log + 1; 0: it is not recorded */
        uint64_t serves;   /* the same of the native command behind it */
        uint64_t rank;     /* lower runs first */
    } order;
    struct {
        uint64_t at[4];    /* queued, submit, start, end; on the clock of core/clock.h, as ready_ns */
        uint64_t ready_ns; /* released, and all that it waited for over */
        bool wanted;       /* at[] may be asked for */
    } time;
    struct {              /* a launch */
        bool wanted;      /* the launch's time is to be measured */
        bool chained;     /* took_ns is its share of a batch */
        bool gauged;      /* its end counts for the gain of plans (tuning/gain.h) */
        uint8_t whole;    /* it stays whole: the number of the reason (tuning/reasons.h); 0: not */
        uint64_t took_ns; /* where it was measured */
        uint64_t shape;   /* for the history; 0: none */
    } measure;
    struct {
        uintptr_t *to; /* tasks | enum cw_run_edge */
        uint32_t n, cap;
    } edges;
    struct {
        struct cw_run_access *of;
        uint32_t n;
    } accesses;
    struct {                          /* tiles/tile.h */
        struct cw_run_tiles *launch;  /* the launch is cut */
        struct cw_run_tiles *part_of; /* it is one lane's part of a launch that is */
        bool able;                    /* of a part: its device has the code of all blocks that it may get */
    } tile;
    struct {                      /* groups/group.h */
        struct cw_run_group *run; /* it is one lane's part of a group run */
        bool may;                 /* it may become a step of one when its turn comes */
    } group;
    union {
        struct cw_run_launch launch;
        struct cw_run_transfer copy;
        struct cw_run_fill fill;
        struct cw_run_home home;
    };
};

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
    bool launch;            /* of a kernel */
    enum cw_run_reason why; /* for the native command */
    uint64_t now_ns;        /* of cw_run_once_ns(), likewise */
};

/* The memory that a native command may touch. The objects stay until cw_run_native_end(). */
struct cw_run_touch {
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
    uint64_t after;  /* number of the latest managed command that it is behind: memory/native_use.h */
    uint64_t home;   /* number of the command that brings bytes to the host's memory before it; 0: none */
    uint64_t given;  /* a call that blocks until this many native commands are over; 0: it does not */
    uint64_t now_ns; /* of cw_run_once_ns() */
    struct cw_run_exclusion *flight;
    const struct cw_run_touch *touch;  /* the caller's */
    struct cw_run_staging_queue *turn; /* staging/staging.h */
    bool staging;                      /* the call is made by one of its drop-in functions */
};

/* A vendor event that managed commands wait for. */
struct cw_run_foreign {
    struct cw_run_foreign *next, *prev_open, *next_open; /* next: in to_register */
    cl_event event;                                      /* retained */
    struct cw_run_task *task; /* internal: is done when the event is. NULL: the event is over */
    bool registered;          /* the vendor knows of us */
    void (*hand_over)(struct cw_run_foreign *f); /* once the lock is free; `f` may be gone then */
};

/* ---- lanes: one device, one command at a time, driven by its worker or by a program's thread that waits */

struct cw_run_watch {
    _Atomic uint32_t pushed; /* changes when something becomes ready on the lane */
    uint64_t until_ns;       /* so long its worker watches before it sleeps; 0: it does not */
    uint32_t missed, skipped;
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
    /* when the launch that runs there is late (workers/late.h); 0: none runs, or that is not looked at */
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
    bool busy, has_worker, asleep, quit;
    bool blocked;  /* its ready commands must not overlap with running ones (workers/exclusion.c) */
    bool building; /* its worker is occupied with a compiler */
    bool opens;    /* its worker is to make its context, before a command needs it */
    bool orphan;   /* it can have no thread: the timer runs its commands */
    pthread_t worker;
    pthread_cond_t wake;
    struct cw_run_task **heap;
    uint32_t num_ready;
    uint64_t busy_until_ns;    /* guess, for planning */
    uint64_t virtual_end_ns;   /* virtual clock: of its last command */
    struct cw_run_watch watch; /* workers/watch.h */
    /* to be built here when there is nothing else to do; busy */
    struct cw_run_program *wanted[CW_RUN_WANTED];
    uint32_t num_wanted;
};

#endif
