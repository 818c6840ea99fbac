/* figures.h - where the time of a traced run went, and the findings about it.
 *
 * Times of devices are on the device's clock, those of host threads on the host's; only `first` compares them
 * (explain.h). Figures that a trace has no times for are 0. */
#ifndef CW_FIGURES_H
#define CW_FIGURES_H

#include "../graph/graph_build.h"
#include "graph_summary.h"
#include "host_calls.h"
#include "../record/trace.h"
#include "../graph/trace_reach.h"
#include "explain.h"

/* Ways to use OpenCL that a trace shows, and that cost time or that the specification forbids. */

struct cw_habit {
    uint64_t count;
    uint32_t first; /* a command that shows it; CW_NONE: none */
};

struct cw_habits {
    /* clFinish with nothing of its queue under way since the last wait for all of it, or with a blocking
     * command of the same in-order queue right behind it, which waits for the same */
    struct cw_habit needless_finish;
    /* a clFinish between two launches of one in-order queue, next to each other on their thread: its order
     * alone keeps them apart. The host may have had other reasons */
    struct cw_habit finish_between;
    /* launches in work-groups of one item that the program asked for, of more than one item */
    struct cw_habit single_items;
    /* commands that wait for an event of another queue that was not flushed between its command and them:
     * they may wait for ever */
    struct cw_habit unflushed;
    /* polls (clGetEventInfo, callbacks) that saw the end of a command whose queue was not flushed between
     * that command and them: another vendor may never begin it */
    struct cw_habit polled;
    /* commands under way, as far as the trace says, when the program ended by itself: no host wait is behind
     * them, and no end of them was seen. None for parts of traces */
    struct cw_habit unawaited;
    /* transfers of CW_HABITS_PAGEABLE_BYTES and more between a device with a memory of its own and host
     * memory that is no mapped buffer */
    struct cw_habit pageable;
    uint64_t pageable_bytes;
};

enum { CW_HABITS_PAGEABLE_BYTES = 1 << 20 };

/* Fills `h`, from the trace's edges too. CW_ERR_NOMEM. O(commands + edges + waits), and per transfer the
 * number of maps under way. Thread-safety: reads `t` only. */
enum cw_status cw_habits_find(struct cw_habits *h, const struct cw_trace *t, struct cw_error *err);

/* How long devices and the host presumably waited for the vendor's compiler.
 *
 * Many vendors compile a kernel when it is launched first: between its submission and its start. No trace
 * says so, but it shows: the device was free, all that the launch depends on was over, and yet it began much
 * later than later launches of that device do. Others compile inside the call that enqueues it, which then
 * takes much longer than later ones. The result is a presumption: other reasons are possible. */

/* A time in which something was presumably compiled, on the host's clock (explain.h). */
struct cw_first_gap {
    int64_t begin, end;
};

struct cw_first_launches {
    uint64_t count;     /* first launches of a kernel (program and name) on a device that began that late */
    uint64_t late_ns;   /* devices were held up by them; summed over devices */
    uint64_t waited_ns; /* at least one host thread was in a call that waits for commands meanwhile */
    uint64_t calls, call_ns;   /* enqueues of first launches that took that long, and their times */
    struct cw_first_gap *gaps; /* of both kinds; owned. Those of late starts do not overlap each other */
    size_t gap_count;
};

/* A start is late from this on, and from so many times the mean of later launches on the device. */
enum { CW_FIRST_LATE_NS = 1000000, CW_FIRST_LATE_TIMES = 8 };

/* The same holds for calls; where there are no later ones, they take long from this on. */
enum { CW_FIRST_CALL_NS = 10000000 };

/* Fills `f`; finish it in any case. Late starts are 0 without device times, and for devices without later
 * launches, of which nothing can be said. Uses t->edges. CW_ERR_NOMEM. O(commands log commands + edges).
 * Thread-safety: reads `t` only. */
enum cw_status cw_first_launches_find(struct cw_first_launches *f, const struct cw_trace *t,
                                      struct cw_error *err);
void cw_first_launches_finish(struct cw_first_launches *f); /* safe on a zeroed struct */

/* Objects that the program made and had not released when it ended by itself, by kind. */

enum cw_leak_kind {
    CW_LEAK_CONTEXTS,
    CW_LEAK_QUEUES,
    CW_LEAK_BUFFERS, /* and sub-buffers */
    CW_LEAK_IMAGES,
    CW_LEAK_OTHER_MEMORY, /* pipes, SVM */
    CW_LEAK_SAMPLERS,
    CW_LEAK_PROGRAMS,
    CW_LEAK_KERNELS,
    CW_LEAK_EVENTS, /* of commands */
    CW_LEAK_USER_EVENTS,
    CW_LEAK_KINDS
};

struct cw_leak {
    uint64_t made, unreleased; /* kept: of these */
    uint64_t bytes;            /* of those kept; memory only */
    /* The place in the program's code that made most bytes of those kept, or else most of them, as
     * explain.h names it ("": not known); how many, their bytes. places: how many there are */
    char place[CW_CODE_PLACES_TEXT];
    uint64_t place_unreleased, place_bytes, places;
};

struct cw_leaks {
    struct cw_leak kind[CW_LEAK_KINDS];
    uint64_t unreleased; /* of all kinds */
};

/* Counts. CW_ERR_NOMEM. O(n log n) in objects, commands and calls. Thread-safety: reads `t` only. */
enum cw_status cw_leaks_count(struct cw_leaks *l, const struct cw_trace *t, struct cw_error *err);

/* "buffer": one of that kind. */
const char *cw_leaks_name(enum cw_leak_kind kind);

/* Launches that surely touch bytes outside of a buffer: where accesses are clipped to the object
 * (graph/access.c) the graph does not show them. */

struct cw_outside {
    uint64_t launches; /* that do so; 0: the rest says nothing */
    /* of the first of them */
    uint32_t command;
    struct cw_reach_outside touched;
    uint64_t size; /* of the buffer */
};

/* The copies between memories that run mode made (struct cw_t_move): how many bytes went
 * where, and for how long commands waited for them. */

/* Of one device: [0] from the host's memory to its own, [1] back. */
struct cw_device_moves {
    uint64_t copies[2], bytes[2];
};

struct cw_memory_moves {
    struct cw_device_moves *devices; /* per device of the trace; owned */
    uint64_t bytes[CW_MOVE_KINDS];   /* by enum cw_move_why */
    uint64_t run_ns;    /* from the start of the first command or copy to the end of the last one */
    uint64_t waited_ns; /* of these, some command's bytes were on their way, and it began later */
};

/* The device whose memory is not the host's, and in *home whether the bytes went to the host's. CW_NONE: the
 * trace names no device. */
uint32_t cw_memory_moves_device(const struct cw_t_move *m, bool *home);

/* Fills `to`; finish it in any case. CW_ERR_NOMEM. O(moves log moves + commands). Thread-safety: reads `t`
 * only. */
enum cw_status cw_memory_moves_measure(struct cw_memory_moves *to, const struct cw_trace *t,
                                       struct cw_error *err);
void cw_memory_moves_finish(struct cw_memory_moves *m); /* safe on a zeroed struct */

/* Contexts of several devices: whether these ever work at once, and the buffers that
 * go to and fro between them.
 *
 * Times of different devices are compared on the host's clock (explain.h). */

struct cw_shared_contexts {
    /* The context whose devices never work at once, and lose most by that; CW_NONE: there is none. */
    uint32_t alone;
    uint32_t devices; /* of it that have run commands */
    uint64_t busy_ns; /* of them, one after the other */
    uint64_t lost_ns; /* by so much all would be over earlier, had each command begun as soon as it could */
    bool by_host;     /* only if they had been handed over earlier, too; else the vendor kept them waiting */

    /* Uses of a buffer by another device than the one before, where one of the two has a memory of its own:
     * the vendor moves all of the buffer. */
    uint64_t moves, moved_bytes, moved_objects;
    uint32_t most_moved; /* the memory object with the most moves; CW_NONE: there is none */
};

/* From so much lost time on, devices that never work at once are named: of the time that they work, 1 in
 * this many; and ns. */
enum { CW_ALONE_SHARE = 20, CW_ALONE_NS = 100000 };

/* Fills `s`. Uses t->edges and t->accesses. CW_ERR_NOMEM. O(commands log commands + edges + accesses).
 * Thread-safety: reads `t` only. */
enum cw_status cw_shared_contexts_find(struct cw_shared_contexts *s, const struct cw_trace *t,
                                       struct cw_error *err);

/* The run's time by phase: at each moment of it one, so that their times sum up to the whole.
 *
 * Of several that go on at a moment the first of enum cw_phase counts. Device times are put on the host's
 * clock (explain.h). */

enum cw_phase {
    CW_PHASE_KERNELS,   /* a kernel runs */
    CW_PHASE_TRANSFERS, /* another command runs */
    CW_PHASE_BUILD,     /* a call builds, compiles or links a program */
    CW_PHASE_FIRST,     /* presumably the vendor compiles for a first launch */
    CW_PHASE_SETUP,     /* a call makes or releases objects, or asks for platforms and devices */
    CW_PHASE_WAITING,   /* a call waits for commands */
    CW_PHASE_CALLS,     /* other calls of OpenCL that are recorded */
    CW_PHASE_HOST,      /* none of these */
    CW_PHASES
};

struct cw_phases {
    uint64_t ns[CW_PHASES];
    /* of the run: from the beginning of the recording to its end; of a part of it, the part's; of a trace
     * that has lost its older commands (--limit), from the first one that is there */
    uint64_t total_ns;
    /* kernels and transfers are missing: no command has times. Then waiting is also for them */
    bool no_device_times; /* or not of all commands: kernels and transfers are in the other phases */
    /* set-up and builds are missing: the trace has only commands. Then host is also for them */
    bool no_calls;
};

/* Fills `p`. CW_ERR_NOMEM. O(n log n) in commands and calls. Thread-safety: reads `t` only. */
enum cw_status cw_phases_measure(struct cw_phases *p, const struct cw_trace *t,
                                 const struct cw_first_launches *first, struct cw_error *err);

/* "kernels", "first launches", ... */
const char *cw_phases_name(enum cw_phase phase);

/* A device's run from the start of its first command to the end of its last. */
struct cw_device_figures {
    uint64_t commands;      /* with times */
    uint64_t without_times; /* that have run there, too: then it was busy for longer than busy_ns, perhaps */
    uint64_t span_ns;
    uint64_t busy_ns; /* of these, at least one command ran */
    uint64_t sum_ns;  /* of all commands' times: above busy_ns where commands overlap */
    /* of launches that run mode cut: parts that ran there, whose times take the place of the launches', and
     * the least, mean and largest share that they were of their launches, 0 to 1 */
    uint64_t parts;
    double least_share, mean_share, most_share;
};

enum { CW_FIGURES_MEMORY_KINDS = CW_MEM_SVM + 1 };

/* Memory objects of one kind that the program made. */
struct cw_memory_figures {
    uint64_t objects, bytes;
};

struct cw_figures {
    uint64_t run_ns;     /* the whole that shares of the run are of: phases.total_ns */
    uint64_t span_ns;    /* from the first enqueue to the end of the last call or command */
    uint64_t blocked_ns; /* of host threads, in calls that wait for commands; summed over threads */
    uint64_t waited_ns;  /* at least one thread was in such a call */
    uint64_t blocking_calls;
    uint64_t kernels, short_kernels;  /* launches with times; those under CW_SHORT_KERNEL_NS */
    uint64_t kernel_ns, short_ns;     /* their times */
    struct cw_first_launches first;   /* the waiting that was presumably for the vendor's compiler */
    struct cw_host_calls calls;       /* the program's calls, by function */
    struct cw_phases phases;          /* the run's time */
    struct cw_habits habits;          /* ways to use OpenCL that cost time */
    struct cw_races races;            /* commands that meet in memory with no order */
    struct cw_leaks leaks;            /* objects that the program did not release */
    struct cw_shared_contexts shared; /* contexts of several devices */
    struct cw_outside outside;        /* as the caller has found it; cw_figures_init has none */
    uint64_t host_bytes, host_ns, host_transfers; /* reads, writes, maps: between host and memory objects */
    bool host_bytes_at_most; /* with maps, or rectangles with the gaps between their rows */
    uint64_t waits_only; /* enqueued commands that nothing binding precedes but that stood behind others in a
                            queue */
    uint64_t unused_objects,
        unused_bytes; /* memory objects that no command touches (sub-buffers count for their parent) */
    struct cw_memory_figures memory[CW_FIGURES_MEMORY_KINDS]; /* by enum cw_mem_kind */
    uint64_t refused;                                         /* enqueues that the vendor refused */
    uint64_t failed;                                          /* commands that failed later */
    bool of_run;               /* run mode decided where and when commands ran */
    uint64_t managed;          /* then: commands that it managed */
    uint64_t streamed, beside; /* commands that run mode gave to streams; of these, not to the first one */
    uint64_t streams;          /* that have commands, of all queues */
    uint64_t staged, staged_bytes; /* transfers that run mode sent through pinned memory */
    struct cw_memory_moves moves;  /* copies between memories that run mode made */
    uint64_t manageable; /* launches of a kind that run mode manages: compiled from source by PoCL, no
                            SVM, no pipes */
    bool streamable;     /* commands ran on a GPU for which run mode has streams and staged transfers */
    struct cw_device_figures *devices; /* per device of the trace; owned */
    size_t device_count;
};

enum { CW_SHORT_KERNEL_NS = 20000 };

/* Fills `f`; finish it in any case. CW_ERR_NOMEM. O(commands log commands + edges). Thread-safety: reads `t`
 * only. */
enum cw_status cw_figures_init(struct cw_figures *f, const struct cw_trace *t, struct cw_error *err);
void cw_figures_finish(struct cw_figures *f); /* safe on a zeroed struct */

/* One finding, in words, with the remedy. */
enum cw_finding_kind { CW_FINDING_NOTE, CW_FINDING_HINT, CW_FINDING_TROUBLE };
struct cw_finding {
    enum cw_finding_kind kind;
    char title[100], text[800]; /* UTF-8, one line each */
};
enum { CW_FINDINGS_MAX = 29 };

/* "2 of 3 buffers (4 KiB), 1 of 1 context": the kinds of objects that were kept. */
void cw_findings_leaks(const struct cw_leaks *leaks, char text[300]);

/* "main.c:57 (30 of 33, 30 MiB; of 2 places)": where most of one kind were made; "" where it is not known. */
void cw_findings_leak_place(const struct cw_leak *leak, char text[200]);

/* Writes at most CW_FINDINGS_MAX findings, troubles first, into `out`; returns how many. `path` is of weight
 * CW_WEIGHT_TIME when the trace has device times, else of CW_WEIGHT_COUNT. */
size_t cw_findings(struct cw_finding out[CW_FINDINGS_MAX], const struct cw_trace *t,
                   const struct cw_graph_summary *s, const struct cw_figures *f,
                   const struct cw_critical_path *path);

#endif
