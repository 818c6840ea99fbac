/* disjunctive.h - the disjunctive graph of a schedule, and the effect of moving one task in it.
 *
 * A schedule of whole tasks is known by its device for each task and its order of tasks for each device: each
 * task then starts as soon as its data are there and the one before it on its device has ended. So the
 * makespan is the longest path in a graph with two kinds of arcs: the edges of the task graph, as long as
 * their transfers take between the two devices, and an arc from each task to the next one of its device (Roy
 * and Sussmann 1964).
 *   head(i)  the longest path to the start of i: when i starts
 *   tail(i)  the longest path from the end of i: the time that must pass after it
 * Task i is critical when head + cost + tail is the makespan.
 *
 * Moving one task (Mastrolilli and Gambardella, "Effective neighbourhood functions for the flexible job shop
 * problem", Journal of Scheduling 3, 2000): with task v taken out, heads and tails of the others follow in
 * one pass; then the makespan with v between any two neighbours of any device is the larger of the makespan
 * without v and of the longest path through v, which takes a handful of additions. It is exact, not an
 * estimate: v lies on no other path. A place is open to v when no task before it descends from v and none
 * behind it is an ancestor of v.
 *
 * Tasks that cost nothing where they run stand in no device's order, as they fit between any two
 * (timeline.h). Tasks that a plan holds already are not moved: they give release times, and devices are free
 * behind them.
 *
 * Thread-safety: none. */
#ifndef CW_DISJUNCTIVE_H
#define CW_DISJUNCTIVE_H

#include "plan.h"

/* The constraints that the placed tasks of a plan set for the others.
 *
 * Searches plan the rest of a graph many times over; for them a placed task is a moment at which its data are
 * on each device, and a device is free from its last placed task on (gaps before that are left to the list
 * schedulers).
 *
 * Thread-safety: none. */

struct cw_release {
    uint32_t devices;
    double *ready; /* tasks x devices: when the data of placed predecessors are there; NULL: 0 everywhere */
    double *avail; /* per device: when it is free */
    double latest; /* the last finish of a placed task */
};

/* Reads `plan` as it is now. Errors: CW_ERR_NOMEM; it is then empty. */
enum cw_status cw_release_init(struct cw_release *r, const struct cw_plan *plan, struct cw_error *err);
void cw_release_finish(struct cw_release *r); /* safe on a zeroed struct */

static inline double cw_release_ready(const struct cw_release *r, uint32_t task, uint32_t device)
{
    return r->ready ? r->ready[(size_t)task * r->devices + device] : 0;
}

struct cw_disjunctive {
    const struct cw_graph *graph;
    const struct cw_platform *platform;
    uint32_t *order, count; /* the tasks in a topological order of both kinds of arcs */
    uint32_t *device;       /* per task; CW_SCHED_NONE: not here (placed before, or taken out) */
    double *cost;           /* per task: on its device */
    double *head, *tail;    /* per task */
    double length;          /* the makespan, tasks placed before included */
    /* internal */
    uint32_t *prev, *next;      /* per task: neighbours in its device's order, CW_SCHED_NONE at the ends */
    uint32_t *first;            /* per device */
    struct cw_release release;  /* by the tasks that are not here */
    double *in_time, *out_time; /* per edge of pred, succ: data / bandwidth, or data when bandwidths differ */
    double *without_head, *without_tail; /* of the graph without the task taken out */
    double without_length;
    unsigned char *relation; /* per task, to the task taken out: ancestor, descendant or neither */
    double *arrive, *leave;  /* scratch, per device: longest path to, and from, the task on it */
    uint32_t *others;        /* scratch: tasks */
    uint64_t work;           /* looks at an edge, a task or a device so far */
};

/* Where a task would stand. */
struct cw_insertion {
    uint32_t device;
    uint32_t after; /* the task before it on that device; CW_SCHED_NONE: it is the first (or costs nothing) */
    double length;  /* the makespan */
    double through; /* the longest path through the task */
};

/* Makes room for schedules of the tasks that `plan` does not hold. Errors: CW_ERR_NOMEM; it is then empty. */
enum cw_status cw_disjunctive_init(struct cw_disjunctive *d, const struct cw_plan *plan,
                                   struct cw_error *err);
void cw_disjunctive_finish(struct cw_disjunctive *d); /* safe on a zeroed struct */

/* Takes over a schedule: `order` holds `count` tasks in a topological order that is also the order of tasks
 * on each device, device[i] says where task i runs (for the tasks in `order`). O(tasks + edges). */
void cw_disjunctive_load(struct cw_disjunctive *d, const uint32_t *order, uint32_t count,
                         const uint32_t *device);

/* Takes the task at order[at] out; at most one may be out. O(tasks + edges). */
void cw_disjunctive_take_out(struct cw_disjunctive *d, uint32_t at);

/* Calls `visit` for every place that is open to task `v`, which is out. Its device's places come in their
 * order. O(tasks + (edges of v + 1) x devices). */
typedef void cw_disjunctive_visit(void *context, const struct cw_insertion *place);
void cw_disjunctive_places(struct cw_disjunctive *d, uint32_t v, cw_disjunctive_visit *visit, void *context);

/* Puts `v`, which is out, at `place`, and computes heads and tails. O(tasks + edges). */
void cw_disjunctive_insert(struct cw_disjunctive *d, uint32_t v, const struct cw_insertion *place);

/* Puts `v`, which is out and was at order[at] on `device` behind `after`, back there. Heads and tails are
 * those of before. O(1). */
void cw_disjunctive_put_back(struct cw_disjunctive *d, uint32_t v, uint32_t device, uint32_t after);

/* ---- local search that moves critical tasks: tabu search over the disjunctive graph.
 *
 * After Mastrolilli and Gambardella (Journal of Scheduling 3, 2000): each step looks at every place that is
 * open to some of the critical tasks and makes the best move, be it better or worse than the current
 * schedule; a task may not come back to the device that it left for a while, unless that gives the shortest
 * schedule so far. After many steps without progress the search goes on from the best schedule with a few
 * tasks moved at random.
 *
 * Thread-safety: none. */

struct cw_reinsertion {
    struct cw_disjunctive d;
    uint32_t *order, *device; /* the best schedule: arguments of cw_disjunctive_load */
    double length;            /* its makespan */
    double least;             /* no schedule is shorter: the search stops there */
    uint64_t random;
    /* internal */
    uint64_t *banned_until; /* tasks x devices: a step */
    uint32_t *critical;     /* positions in d.order */
    uint64_t step;
};

/* Makes room. Errors: CW_ERR_NOMEM; it is then empty. */
enum cw_status cw_reinsertion_init(struct cw_reinsertion *r, const struct cw_plan *plan, uint64_t seed,
                                   struct cw_error *err);
void cw_reinsertion_finish(struct cw_reinsertion *r); /* safe on a zeroed struct */

/* Searches from a schedule (as in cw_disjunctive_load) until `work` looks at an edge, a task or a device are
 * spent or r->least is reached. The best of this and of earlier calls is kept. The first call must have count
 * >= 1. Deterministic in the calls made. */
void cw_reinsertion_search(struct cw_reinsertion *r, const uint32_t *order, uint32_t count,
                           const uint32_t *device, uint64_t work);

/* Places the best schedule in the plan, which must be as it was at cw_reinsertion_init. Errors: those of
 * cw_plan_place. */
enum cw_status cw_reinsertion_place(struct cw_reinsertion *r, struct cw_plan *plan, struct cw_error *err);

#endif
