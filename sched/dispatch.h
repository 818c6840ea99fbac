/* dispatch.h - multi-level dispatch (algorithm A9), simulated: a tree of masters hands tasks to workers.
 *
 * `levels` = 1: one master and its workers; 2: regional masters between; and so on. Every master has
 * `fan_out` children (the last ones fewer). A worker asks its master for `block` tasks, runs them, and
 * reports them with its next request; a master that is short asks its own for block x the workers below it. A
 * master serves one message after the other, `message_s` each, a request that it cannot serve stays open (the
 * child is parked). Messages take `latency_s`. A task takes task_s x U(1 - spread, 1 + spread), the same each
 * time it is run.
 *
 * Failures come at random, once in worker_mtbf_s per worker and master_mtbf_s per master (0: never). They are
 * noticed after `detect_s`. A worker's block goes to the tail of its master's queue and the worker starts
 * anew. For a master a child takes over: its own master queues, at the tail, the work that it had not passed
 * on and no node below still holds. The others announce the work that they hold and repeat messages without
 * an answer. The global master's successor reads the checkpoint, to which every report that the global master
 * served has gone. Late reports of the dead are stale and dropped. Masters do no work of their own (in
 * clweave a thread serves on).
 *
 * Deterministic in its options. O((tasks / block + workers) log workers), and O(tasks) for each failure of a
 * master. Thread-safety: none is needed, calls share nothing. */
#ifndef CW_DISPATCH_H
#define CW_DISPATCH_H

#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>

#include "status.h"
#include "dispatch_queue.h"

enum { CW_DISPATCH_LEVELS_MAX = 6 };

struct cw_dispatch_options {
    uint32_t workers; /* 1 to 2^24 */
    uint32_t levels;  /* of masters: 1 to CW_DISPATCH_LEVELS_MAX */
    uint32_t fan_out; /* children of a master below the top; the global master has as many as there must be */
    uint32_t tasks;   /* 1 to 2^28 */
    uint32_t block;   /* tasks that a worker asks for; >= 1 */
    double task_s, spread, message_s, latency_s;
    double worker_mtbf_s, master_mtbf_s, detect_s;
    uint64_t seed;
};

/* The defaults, as part of an initialiser. */
#define CW_DISPATCH_DEFAULTS .levels = 1, .block = 1, .spread = 0.5, .message_s = 1e-4, .latency_s = 1e-4

struct cw_dispatch_result {
    double seconds;    /* until the last result is at the global master */
    double throughput; /* tasks per second in the second and third quarter of the results: without start and
                          end */
    double idle;       /* share of the workers' time in all of it in which they run nothing */
    double lost_s;     /* work that was done in vain, per failure */
    uint64_t messages, stale, repeated; /* repeated: results of tasks that another had delivered */
    uint32_t worker_failures, master_failures, global_failures;
    uint32_t once;  /* tasks whose result was taken exactly once: all, or something is wrong */
    double busiest; /* share of its time that the busiest master served messages */
    double formula; /* throughput as queueing theory has it; cw_dispatch_formula */
};

/* Simulates. Errors: CW_ERR_INVALID (an option out of its range), CW_ERR_NOMEM, CW_ERR_LIMIT (failures come
 * faster than work is done). */
enum cw_status cw_dispatch_run(const struct cw_dispatch_options *o, struct cw_dispatch_result *r,
                               struct cw_error *err);

/* The state of a simulated dispatch: nodes, and events in order of time. Not for
 * users of dispatch.h. */

struct cw_dispatch_node {
    uint32_t parent, child, children,
        level;      /* children are numbered in a row; level 0 is the global master */
    uint32_t below; /* workers below */
    uint32_t epoch; /* counts its deaths; messages to or from an earlier epoch are stale */
    double free_at,
        served;   /* masters: when the server is free, how long it served; workers: when the run ends */
    double began; /* workers: the run */
    struct cw_dispatch_queue queue; /* masters: the work that it can give */
    struct cw_dispatch_queue batch; /* masters: results that it has not passed on */
    uint32_t results, held; /* masters: tasks in batch; tasks that it has been given and has no result of */
    struct cw_dispatch_range block; /* workers: the work that it runs, or has run without an answer yet */
    bool parked, sending,
        dead; /* its master owes it tasks; its message is on its way; workers: not back yet */
};

enum cw_dispatch_kind { SERVED, RAN, REVIVE, FAIL_WORKER, FAIL_MASTER };

struct cw_dispatch_event {
    double at;
    uint64_t order;
    uint32_t node, epoch, to_epoch; /* SERVED: the sender's and the receiver's when it was sent */
    enum cw_dispatch_kind kind;
};

struct cw_dispatch {
    const struct cw_dispatch_options *o;
    struct cw_dispatch_result *r;
    struct cw_dispatch_node *node;
    uint32_t nodes, masters, levels; /* levels of masters; workers are nodes masters .. nodes - 1 */
    uint32_t *holder;                /* per level below the top and task: its holder, CW_DISPATCH_NOBODY */
    uint8_t *taken;                  /* results taken at the global master, per task */
    struct cw_dispatch_event *heap;
    size_t events, capacity;
    uint64_t order, random, limit;
    uint32_t left;
    double now, half[2], work_s;
    bool no_memory;
};

#endif
