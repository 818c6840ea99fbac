/* figures.h - where the time of a traced run went, and the findings about it.
 *
 * Times of devices are on the device's clock, those of host threads on the host's; only `first` compares them
 * (device_clock.h). Figures that a trace has no times for are 0. */
#ifndef CW_FIGURES_H
#define CW_FIGURES_H

#include "../graph/critical_path.h"
#include "first_launches.h"
#include "graph_summary.h"
#include "habits.h"
#include "host_calls.h"
#include "leaks.h"
#include "memory_moves.h"
#include "outside.h"
#include "phases.h"
#include "../graph/races.h"
#include "shared_contexts.h"

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
