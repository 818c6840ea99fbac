/* object_types.h - the records of the program's objects, by handle. cw_run.lock guards everything here unless
 * it says otherwise; see types.h, which includes it. */
#ifndef CW_RUN_OBJECT_TYPES_H
#define CW_RUN_OBJECT_TYPES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "../../../analyzer/io/identity.h"
#include "../../../analyzer/kernels/source/pocl_binary.h"
#include "../../device/device.h"
#include "../../door/query.h"
#include "../../door/registry.h"
#include "passing.h"
#include "reason.h"
#include "trial.h"

#define CW_RUN_WORKERS       64 /* devices that this process may drive */
#define CW_RUN_SAMPLER_KINDS 20 /* normalized or not, five addressing modes, two filters */

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
    struct cw_registry_entry *entry; /* NULL: the vendor has given the handle to another object */
    struct cw_run_record *next;      /* that has ended */
    enum cw_run_kind kind;
    uint32_t refs;  /* the program's */
    uint32_t busy;  /* ours: commands, and records that point here */
    bool held_back; /* the program's last release, unless the vendor has made it, waits for busy to be 0 */
    bool ended;     /* it is in cw_run_record_ended; busy: a list of its folder has led to it since */
};

struct cw_run_event_list { /* tasks/event_list.h */
    cl_event *of;
    size_t n, capacity;
};

struct cw_run_context_device { /* where commands of one context can run: one per device */
    struct cw_run_worker *worker;
    const struct cw_cl_device *device;
    cl_context context;     /* home: the program's; helper: ours */
    cl_command_queue queue; /* ours; made by the first command, worker held */
    /* ours, between a memory of the device's own and the host's; NULL: there is none. Any thread, made by one
     * that does not hold the lock */
    _Atomic(cl_command_queue) copies;
    cl_sampler samplers[CW_RUN_SAMPLER_KINDS]; /* ours, each made by a launch (core/sampler.h) */
};

struct cw_run_bypass_state {  /* tuning/bypass.c */
    struct cw_run_trial rest; /* synchronisations for which commands are native; poor: windows */
    uint32_t copies; /* cw_run.copies when it last looked: with more of them there may be more to gain */
    /* where other GPUs have not begun: time and commands of spans, each span half as much as the next */
    double span_ns, span_commands;
    double bare_ns;  /* of a command, in spans in which all passed; 0: none yet */
    uint64_t passed; /* commands since the last synchronisation */
};

struct cw_run_context {
    struct cw_run_record r;
    struct cw_context_devices *devices;   /* NULL: nothing in this context is managed */
    struct cw_run_context_device *places; /* devices->n */
    _Atomic uint32_t own_objects; /* run mode's queues and programs in the program's context: hidden from its
                                     reference count */
    bool watchable; /* an allocation that host and kernels may watch (CL_MEM_SVM_ATOMICS) was made in it */
    bool watched;   /* since the program has waited, the vendor got a kernel that may do so */
    struct cw_run_event_list own_events; /* user events, likewise */
    uint32_t events;       /* of managed commands: user events retain the context, others do not */
    uint32_t native_calls; /* of the vendor for native commands that threads are in */
    /* the least of their cw_run_native.after */
    uint64_t called_after;
    struct cw_run_bypass_state bypass; /* of all queues, where far devices help */
    uint32_t passing;                  /* queues that pass */
};

/* Native launches of a queue while helpers have not begun (windows/hold.c). */
struct cw_run_hold {
    cl_event first;           /* of the first since the program has waited; NULL: none */
    uint32_t launches;        /* since then */
    struct cw_run_trial rest; /* synchronisations for which it takes more to hold something */
};

struct cw_run_queue {
    struct cw_run_record r;
    struct cw_run_context *context;
    bool managed, in_order, profiled, synchronous;
    uint32_t home, home_worker;       /* index into context->places, and its worker's number */
    struct cw_run_task *first, *last; /* not retired yet, in program order */
    struct cw_run_task *join;         /* later commands wait for it: a barrier, or inherited native work */
    _Atomic uint64_t native_given;    /* native commands so far, counted before and after the vendor's call */
    uint64_t native_known;            /* up to here they are finished, or `join` waits for them */
    uint64_t native_barrier;          /* out of order: up to here later commands wait for them */
    uint32_t native_calls;            /* of the vendor for them that threads are in */
    struct cw_run_event_list own_events; /* of run mode's commands in it, hidden from its reference count */
    struct cw_run_event_list gates;      /* native commands that an unset user event holds */
    uint64_t last_end_ns;                /* END of the latest retired command */
    uint32_t events; /* of managed commands: user events do not retain the queue, others do */
    struct cw_run_bypass_state bypass;
    struct cw_run_passing passing;
    struct cw_run_hold hold;
    bool again;                      /* a launch is under way that is in no list (workers/repeat.c), ... */
    pthread_t again_by;              /* ... in this thread */
    uint64_t calls, calls_over;      /* callbacks that are for the callback thread: due so far, returned */
    struct cw_run_callback *natives; /* callbacks on native commands: not called yet, or not returned */
};

/* How a buffer has been used in windows so far (windows/window_flow.c), where devices have memories of their
 * own. */
struct cw_run_habits {
    uint32_t launches; /* that used it, since another command wrote to it */
    uint32_t ahead;    /* that will in this window, until another one does */
    uint32_t written;  /* launches that wrote to it, since another command read it */
    uint32_t per_read; /* the same, when one read it last; 0: none has */
    uint32_t read_in;  /* the last window in which one read it: its number */
};

/* The series of cut launches of which the last wrote a buffer (tiles/tile_margin.c). */
struct cw_run_series {
    bool cut;         /* that launch was cut over several memories */
    uint64_t left[2]; /* work-items below and above each part that its device ran, too */
    uint32_t planned; /* launches that the margins fetched last were to save the next copies */
    uint32_t saved;   /* those that they have saved them so far */
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
    struct cw_run_series series;          /* likewise */
};

struct cw_run_access {
    struct cw_run_task *task;
    struct cw_run_region *region;
    uint64_t low, high; /* offsets there */
    struct cw_run_access *prev, *next;
    bool write;
    uint8_t commutes;  /* class of accesses that need no order between them (cw_reach_commute); 0: none */
    bool listed;       /* in the region's list; one that a later write covers is not */
    uint32_t promised; /* so many changes at the command's end have room in its region's extents */
    uint32_t rows;     /* of a rectangle whose rows count alone; 0: all bytes between low and high do */
    uint32_t ahead;    /* of a window: windows/window_flow.c */
    bool covers;       /* in the list of its region's spread: memory/spread_copy.c */
    bool beside; /* of a write: a part of the same launch writes these bytes in the memory that counts */
    bool twice;  /* of a write: other parts of the launch may write them beside it */
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
    struct cw_run_memory *at;       /* that the vendor counts it at: `of` or its root; it stays */
};

/* What the vendor is to free with the last use of an allocation of shared virtual memory. */
struct cw_run_svm {
    cl_context context;
    void *pointer; /* NULL: the program's own command frees it */
};

struct cw_run_memory {
    struct cw_run_record r;
    struct cw_run_context *context;
    struct cw_run_memory *root; /* itself, or a sub-buffer's parent */
    bool managed;
    struct cw_run_image *image; /* the image that the bytes form; NULL: a buffer */
    bool own;                   /* root: the memory is ours */
    struct cw_run_svm *svm;     /* an allocation of shared virtual memory, which has no handle; NULL: none */
    bool misaligned;            /* a sub-buffer that some device would refuse */
    cl_mem_flags flags;         /* as the program gave them, access flags inherited */
    uint8_t *address;           /* of its bytes in the host's memory */
    size_t bytes;
    _Atomic uint64_t id; /* a handle may come again, this does not; read without the lock */
    struct cw_run_region *region;
    uint64_t offset;                         /* of its first byte there */
    struct cw_run_memory *parts, *next_part; /* root: its sub-buffers, linked by next_part */
    uint64_t used; /* root: cw_run.sequence when it was last copied to or used in a device's own memory */
    struct cw_run_map *maps; /* root: managed ones of it and its sub-buffers that are not unmapped yet */
    uint32_t counted_maps;   /* that the vendor counts at it: CW_VENDOR_SEPARATE_PARTS */
    bool was_mapped;         /* root: the program may have an address of its bytes */
    /* by worker number; buffers of helpers' contexts over the same bytes. Made by a thread that does not hold
     * the lock, while others that do may look */
    _Atomic(cl_mem) *mirrors;
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

/* A source that a binary may be from (api/program_binary.c). */
struct cw_run_match {
    cl_device_id device;
    unsigned char build[CW_POCL_BINARY_BUILD]; /* the binary's */
    char *source, *text;                       /* text: of the binary (pocl_binary.h) */
};

struct cw_run_program {
    struct cw_run_record r;
    struct cw_run_context *context;
    char *source, *options; /* NULL source: nothing that we can read */
    char *given;            /* the source before its headers were put in; NULL: it has none */
    char *linked;           /* was linked of several: the `source` once it is known to compile; else NULL */
    char *compiled, *compiled_with; /* by clCompileProgram: the source with its headers, and options; NULL:
                                       not, or not known */
    char *built_with;       /* made of a binary: the options of the build that it is from; else NULL */
    uint32_t builds, built; /* builds and compilations begun; the number of that with these `options` */
    bool loaded;            /* made of a binary whose source is known */
    bool binary;  /* made of a binary whose source is not known: `source` is its text form (pocl_binary.h),
                     NULL if its format is not known */
    bool demands; /* ... some kernel of it demands a local size */
    struct cw_run_match *match;   /* a source that the binary may be from, with some options; else NULL */
    struct cw_key key;            /* of both (history.h); none: not known yet */
    uint8_t copy[CW_RUN_WORKERS]; /* enum cw_run_copy_state, by worker number */
    uint64_t sought_again;        /* bit l: on worker l, after another one has built it */
    uint64_t refused;             /* bit l: its first build on worker l has failed */
    struct cw_run_trial seek;     /* asked for: it is sought again then */
    struct cw_run_first_launch *warm[CW_RUN_WORKERS]; /* by worker number: code its vendor has compiled
                                                       (tuning/first_launch.c); NULL: nothing yet */
    cl_program cached;          /* whose kernels its kernels are (code/build_cache.h); NULL: its own */
    bool cached_bare;           /* it was built with NULL for options */
    bool cached_real;           /* the vendor has built it itself, too */
    double cached_saved_ns;     /* build time that the cache has saved */
    uint32_t kernels;           /* records of kernels */
    struct cw_run_known *known; /* of its kernels, by name */
    bool foreseen;              /* tuning/learn.c */
    bool gone; /* for the program, while we still work on it: hidden from its context's reference count */
    _Atomic uint32_t own_kernels; /* run mode's clones: hidden from its reference count */
    bool parsed;
    bool partly;      /* it was made or built for some devices of its context only */
    bool manageable;  /* its whole source is known */
    bool doubtful;    /* its text may have hidden effects: native until each kernel's model says */
    bool watches;     /* atomic operations or volatile accesses are in its text */
    bool may_poll;    /* some kernel may wait for memory that others write: each kernel's model says */
    bool group_free;  /* results cannot depend on the local size */
    bool groups_told; /* where they may, the models say of which kernels */
    bool fixed_size;  /* a kernel demands a local size, or may */
    struct cw_cl_source *tokens;
    bool models_came;             /* they, or the history, have: windows/window.c tells groups and tiles */
    struct cw_run_models *models; /* of its kernels; NULL: none, or not yet (models/program_models.h) */
    uint64_t models_job;          /* the job that may set them */
    cl_program *copies;           /* by worker number */
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
        uint64_t word;  /* VALUE up to 8 bytes; POINTER */
        uint8_t *bytes; /* VALUE over 8 bytes; owned by shadows, borrowed from the blob in tasks */
    };
    struct cw_run_memory *memory; /* in tasks: the buffer that the value names, or that the pointer is into */
};

/* The byte of its memory that an argument points to; of a memory object the first. */
static inline uint64_t cw_run_arg_start(const struct cw_run_arg *a)
{
    return a->kind == CW_RUN_ARG_POINTER ? a->word - (uintptr_t)a->memory->address : 0;
}

/* The last value of an argument of a private kernel. */
struct cw_run_set {
    uint64_t word, id; /* id: of the buffer, 0: none */
    uint32_t size;
    uint8_t kind; /* enum cw_run_arg_kind; UNSET: it has to be set */
};

/* Where a launch that is alone in its window went last: the next ones like it go there, too, for a while. */
struct cw_run_repeat_place {
    uint64_t shape;
    uint32_t home, worker, place, left, planned,
        copies;  /* left: launches; planned: how often; copies: cw_run.copies then */
    int verdict; /* enum cw_run_verdict */
    double home_ns, plan_ns;
    double alone_ns, error_ns; /* at home, with nothing before it, if it is `known` (tuning/gain.c) */
    bool known;
};

/* The launch that a kernel did last, if it was one that may be done at once when it comes again
 * (workers/repeat.c). */
struct cw_run_repeat {
    const struct cw_run_queue *queue;
    uint64_t sets, records; /* cw_run_kernel.sets, cw_run.records then: another number, and it is not the same
                               any more */
    cl_uint dims;
    bool has_local;
    size_t global[3], local[3];
    uint32_t worker, place, copies, left; /* left: times; 0: not known */
};

/* The time on one worker of launches that are alike in everything that their work depends on. */
struct cw_run_short_task {
    uint64_t id; /* cw_reach.id; 0: unused */
    uint32_t worker;
    double ns;
};

/* What is known of the kernels of one name of a program: some programs make a kernel for each launch. */
struct cw_run_known {
    struct cw_run_known *next; /* of the program */
    char *name;
    uint32_t refs;                      /* the program's list, and kernels */
    struct cw_run_limits *limits;       /* by place of homes (models/acceptance.h); NULL: not asked for yet */
    struct cw_run_trust *trusted;       /* likewise */
    struct cw_run_exclusion *exclusion; /* NULL: not known */
    struct cw_run_reacher *reacher;     /* byte ranges (models/reach.c); NULL: not asked yet */
    struct cw_run_cutter *cutter;       /* models/cutter.h; NULL: not asked for yet */
    uint64_t judged_job;                /* the program's models_job whose model said these; 0: none yet */
    bool hidden;                        /* it has effects that no argument shows (models/effects.c) ... */
    bool elsewhere;                     /* ... and may touch memory that is no argument's */
    bool polls;                         /* it waits in a loop for memory that others write (the same) */
    uint64_t exact_job;                 /* likewise, for the next two (models/exact.c) */
    const char *inexact; /* static words: why its results may differ on other code; NULL: they do not */
    unsigned floats;     /* enum cw_model_floats: what they need */
    uint32_t *launches;  /* by worker number */
    /* by worker number: kinds of launches with code (code/compiler_kinds.c) */
    struct cw_run_kinds *loaded;
    double *mean_ns; /* by worker number: measured, 0: never */
    bool *broken;    /* by worker number: a launch failed there */
    double batch_ns; /* mean_ns at home, in a batch */
    uint8_t granted; /* trials beyond the budget so far */
    uint64_t owed;   /* bit l: worker l has run nothing but a first launch, whose time says nothing */
    /* no helper runs it before, as its code is being made (workers/execute.c); 0: any */
    struct cw_run_trial code;
    double unpriced_items;      /* of launches whose time at home is not counted yet (tuning/perf_model.c) */
    double home_ns, home_items; /* of the largest launch at home: the least of late; 0: none */
};

struct cw_run_kernel {
    struct cw_run_record r;
    struct cw_run_program *program;
    struct cw_run_known *known; /* shared with the others of its name; NULL: memory is out */
    char *name;
    uint32_t count;
    struct cw_key key; /* of its program and name (history.h); none: not known yet */
    bool indirect;     /* its arguments are not known */
    bool pointed;      /* the program has named memory that it may reach through pointers */
    bool parsed;
    uint8_t *modes;                     /* enum cw_access_mode by argument; NULL until parsed */
    uint8_t *kinds;                     /* enum cw_param_kind by argument; NULL until parsed */
    uint64_t kinds_job;                 /* program->models_job of the models that have told more of them */
    struct cw_run_arg *args;            /* small ones are set without the lock (api/kernel.c) */
    _Atomic uint64_t sets;              /* how often one was set; lock not needed */
    struct cw_run_exclusion *exclusion; /* NULL: not known */
    cl_kernel *clones;                  /* by worker number: used with the worker held */
    struct cw_run_set **set;            /* by worker number: the arguments of the clone; NULL: none yet */
    struct cw_run_repeat_place repeat_place;
    struct cw_run_repeat again;
    struct cw_run_short_task short_task[4]; /* workers/short_task.c */
    uint8_t next_short_task;
    uint64_t tile_broken;          /* bit by worker number: a tile failed there, ... */
    uint64_t tile_uncoded;         /* ... as its code was not there; ... */
    struct cw_run_trial tile_code; /* ... it is looked for again then */
    struct {                       /* tuning/left.c */
        double items;              /* launches of so many work-items or fewer are native for a while */
        struct cw_run_trial rest; /* poor: windows in a row where the code of one to be cut was missing ... */
        bool waiting;             /* ... and in this one */
        uint64_t window;          /* the last one that had a launch of it */
        double lacks_ns;          /* GPUs that have not begun would save so much of a launch */
    } left;
    double ungrouped; /* launches of so many work-items or fewer gain nothing as groups (groups/group.h) */
    bool grouped;     /* some do */
    struct cw_run_tiled *tiled; /* for launches in tiles (tiles/tile.h); NULL: none was considered */
};

/* NOTED: of a native command that a user event holds, or whose type the vendor does not know. CALLED: of a
 * native command, with callbacks that take their turn among those on managed ones. */
enum cw_run_event_kind { CW_RUN_MANAGED, CW_RUN_USER, CW_RUN_NOTED, CW_RUN_CALLED };

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
    cl_command_type type;     /* NOTED: 0: as the vendor says */
    cl_int status;            /* MANAGED: once retired; USER: CL_SUBMITTED until it is set */
    uint64_t times[4];        /* queued, submit, start, end */
    struct cw_run_callback *callbacks;
    uint32_t calls_due; /* callbacks that have not returned */
    uint64_t calls;     /* MANAGED, over: queue->calls with its own callbacks */
    bool asked;         /* the program has seen that it was not over */
};

#endif
