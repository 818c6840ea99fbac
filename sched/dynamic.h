/* dynamic.h - dynamic policies, simulated event by event inside a plan.
 *
 * A dynamic scheduler decides while the program runs: it sees the tasks whose predecessors have finished, and
 * which devices are idle, and never the future. The simulation keeps a clock. Two things happen at a moment,
 * in this order:
 *   1. Tasks whose last predecessor has finished by then become ready, in the order of their ids, or highest
 * rank_u first. The policy either assigns a task to a device at once, where it runs behind the device's
 * earlier tasks, or leaves it in a queue.
 *   2. Each device that is idle asks the policy for a task from the queues.
 * A device starts a task when the data have arrived; it waits for them, as StarPU's workers do without
 * prefetch. Then the clock moves on to the next moment at which either can happen.
 *
 * In a plan with a world (simulate.h) costs vary, links are shared and devices die: policies count on planned
 * costs and see past events. A task whose device dies before it is done is ready again at that moment.
 *
 * Tasks that the plan holds already count as running or finished; devices are idle once their last task has
 * ended (dynamic policies do not fill gaps). Deterministic in (plan, seed). O((tasks + edges) x devices +
 * tasks x log tasks), and a scan of the queue when a device cannot run its head. Thread-safety: none. */
#ifndef CW_DYNAMIC_H
#define CW_DYNAMIC_H

#include "plan.h"
#include "rank.h"
#include "task_heap.h"
#include "simulate.h"

/* Dynamic policies in a world where things do not take what they should (plan->world): the
 * tasks of devices, their real ends, and the ends that a policy, which does not know these, has to expect.
 * For dynamic.c only.
 *
 * Thread-safety: none. */

struct cw_dynamic;

struct cw_dynamic_live {
    struct cw_live_task {
        double begin, end; /* really; of a task that a death ends: until then */
        uint32_t next;     /* the next task of the device */
    } * task;
    struct cw_live_device {
        double avail;         /* when it is really done with all that it was given */
        uint32_t first, last; /* the tasks that it has not finished; CW_SCHED_NONE: none */
    } * device;
};

struct cw_dynamic {
    struct cw_plan *plan;
    double now;
    uint64_t random; /* state of cw_random_*; seeded from the plan */
    uint32_t turn;   /* for policies that deal out in turn; 0 at the start */
    uint32_t *
        freed; /* per task: the device of the predecessor that finishes last, CW_SCHED_NONE for entry tasks */
    struct cw_task_heap *queue; /* one per device, then the common one */
    /* internal */
    const struct cw_dynamic_rules *rules;
    const void *context;
    struct cw_ranks ranks;
    /* tasks whose predecessors are all placed, by the moment at which they are ready */
    struct cw_task_heap event;
    struct cw_task_heap due; /* those that are ready by now, in the order in which they arrive */
    int64_t *event_key, *queue_key;
    double *ready;     /* per task: latest finish of the predecessors placed so far */
    uint32_t *waiting; /* per task: predecessors that are not placed */
    uint32_t *asking;  /* the devices in the order in which they ask */
    int64_t arrivals;
    struct cw_dynamic_live live; /* in a world that is not as planned (plan->world); else zeroed */
};

struct cw_dynamic_rules {
    /* The device that `task`, ready now, is assigned to at once. NULL: tasks wait in queues. */
    uint32_t (*assign)(struct cw_dynamic *d, uint32_t task, const void *context);
    /* The number of the queue where `task`, ready now, waits. NULL: the common one. */
    uint32_t (*enqueue)(struct cw_dynamic *d, uint32_t task, const void *context);
    /* The number of the queue from which idle `device` takes, CW_SCHED_NONE: it stays idle. NULL: the common
     * one. */
    uint32_t (*source)(struct cw_dynamic *d, uint32_t device, const void *context);
    /* Whether `device` may run `task`, which it can. NULL: yes. */
    bool (*may)(const struct cw_dynamic *d, uint32_t task, uint32_t device, const void *context);
    bool by_priority; /* arrivals of one moment and queues by rank_u; else by id, and first come, first served
                       */
    bool shuffled;    /* several idle devices ask in random order, else by id */
};

/* Places every task that is not placed yet by `rules`. Errors: CW_ERR_NOMEM, those of cw_plan_place; in a
 * world CW_ERR_INFEASIBLE (every device that may run a task has died). */
enum cw_status cw_dynamic_plan(struct cw_plan *plan, const struct cw_dynamic_rules *rules,
                               const void *context, struct cw_error *err);

/* True when `device` can run `task` and the rules allow it. */
bool cw_dynamic_may(const struct cw_dynamic *d, uint32_t task, uint32_t device);

/* The device that may run `task` and finishes it first (cw_dynamic_start + cost), tie_rank on ties. */
uint32_t cw_dynamic_earliest(const struct cw_dynamic *d, uint32_t task, bool transfers);

/* The position in queue `k` of the first task that `device` may run, CW_SCHED_NONE when there is none. */
uint32_t cw_dynamic_find(const struct cw_dynamic *d, uint32_t k, uint32_t device);

/* ---- a world less orderly than plans take it to be, for simulate.c (plans made before) and dynamic.c
 * (policies that decide as events happen). simulate.h defines noise, contention and failures. Not public.
 *
 * Thread-safety: none; a world belongs to one simulation. */

struct cw_world {
    const struct cw_platform *platform;
    const struct cw_simulate_options *options;
    struct cw_simulate_result *result; /* counts waited, moved, lost as they happen */
    double *dies;                      /* per device: when it does; INFINITY: never */
    double *link; /* devices x devices, by first device of each memory: when it is free again */
};

/* A world at time 0; `o` and `r`, which is zeroed, must outlive it. Errors: CW_ERR_INVALID (an option out of
 * its range), CW_ERR_NOMEM; the world is then empty. */
enum cw_status cw_world_init(struct cw_world *w, const struct cw_platform *p,
                             const struct cw_simulate_options *o, struct cw_simulate_result *r,
                             struct cw_error *err);
void cw_world_finish(struct cw_world *w); /* safe on a zeroed struct */

/* The real time of a planned `length` of `task` on `device`: the same for every caller, at any time.
 */
double cw_world_length(const struct cw_world *w, double length, uint32_t task, uint32_t device);

/* When `data`, at hand on device `from` since `since`, are on device `to`. `book`: the link is used, and
 * waiting counted. */
double cw_world_arrival(struct cw_world *w, double data, uint32_t from, uint32_t to, double since, bool book);

/* Writes makespan and the number of deaths before it into the result. */
void cw_world_end(struct cw_world *w, double makespan);

#endif
