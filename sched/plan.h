/* plan.h - a schedule under construction: the machinery that list schedulers share.
 *
 * A policy asks when a task could run (cw_plan_ready, cw_plan_choose), places it (cw_plan_place,
 * cw_plan_place_parts) and may take back its last placement (cw_plan_undo). A plan may start with tasks
 * already placed: a policy places the others.
 *
 * EST with insertion: the first start >= ready such that the device is idle for the whole cost; without: no
 * earlier than the device's last finish. EFT = EST + cost (Topcuoglu et al. 2002, equations 5 and 6).
 *
 * Thread-safety: none; a plan belongs to one thread. */
#ifndef CW_PLAN_H
#define CW_PLAN_H

#include "api.h"
#include "schedule.h"
#include "timeline.h"

CW_API_BEGIN

struct cw_plan {
    const struct cw_graph *graph;
    const struct cw_platform *platform;
    struct cw_schedule *schedule; /* the tasks placed so far */
    struct cw_timeline *timeline; /* one per device */
    uint32_t *tie_rank; /* among equal finish times the device with the lowest tie_rank wins; = device id */
    double *ready;      /* scratch of cw_plan_choose: one per device */
    uint64_t seed;      /* for policies that draw random numbers */
    uint64_t
        tries; /* schedules that a genetic search may make; UINT64_MAX at the start: as its options say */
    bool insertion;         /* search gaps; true at the start */
    struct cw_world *world; /* dynamic policies: where things really happen (simulate.h); NULL: as planned */
};

/* Where and when a task can run. */
struct cw_choice {
    uint32_t device;
    double start, finish;
};

/* An empty plan for `g` on `p`, which must outlive it. Errors: CW_ERR_INVALID (the graph has costs for
 * another number of devices), CW_ERR_LIMIT (times could pass the range of a double), CW_ERR_NOMEM; the plan
 * is then empty. */
enum cw_status cw_plan_init(struct cw_plan *plan, const struct cw_graph *g, const struct cw_platform *p,
                            struct cw_error *err);
void cw_plan_finish(struct cw_plan *plan); /* safe on a zeroed struct */

/* Says that device `p` is busy from 0 until `until` with something that is not of this graph, as when a plan
 * is made while earlier work still runs; before any task is placed on it. Errors: CW_ERR_INVALID (not a time;
 * the device has tasks before), CW_ERR_NOMEM. */
enum cw_status cw_plan_occupy(struct cw_plan *plan, uint32_t p, double until, struct cw_error *err);

/* When the data of all predecessors of `task` can be on device `p`; 0 for an entry task. Predecessors that
 * are not placed count for nothing (lookahead places a task before all its parents are there). When its last
 * part has finished, a shared predecessor's data are at hand on every device that took part, and travel to
 * others from the nearest of these (a reconstruction: it gives the speedups of the HXDSP paper's table 2). */
double cw_plan_ready(const struct cw_plan *plan, uint32_t task, uint32_t p);

/* The same for all devices at once: ready[0 .. devices - 1]. Each predecessor is looked up once. */
void cw_plan_ready_everywhere(const struct cw_plan *plan, uint32_t task, double *ready);

/* The start of `length` on device `p` not before `ready`, by insertion or behind the last. */
double cw_plan_start(const struct cw_plan *plan, uint32_t p, double ready, double length);

/* The device that finishes `task` first, among those that can run it: least finish + bias, then least
 * tie_rank. bias: one per device, or NULL for none (PEFT's OCT, SCLS's outgoing communication).
 * O(predecessors x devices + devices x log periods). */
struct cw_choice cw_plan_choose(struct cw_plan *plan, uint32_t task, const double *bias);

/* The same from the answer of cw_plan_ready_everywhere for `task`. O(devices x log periods). */
struct cw_choice cw_plan_choose_from(const struct cw_plan *plan, uint32_t task, const double *ready,
                                     const double *bias);

/* Places `task` whole as chosen. Errors: CW_ERR_INVALID (placed already, or the device is not idle then),
 * CW_ERR_NOMEM. */
enum cw_status cw_plan_place(struct cw_plan *plan, uint32_t task, const struct cw_choice *choice,
                             struct cw_error *err);

/* Places `task` as `count` >= 2 parts, copied. Errors as cw_plan_place; on error nothing is placed. */
enum cw_status cw_plan_place_parts(struct cw_plan *plan, uint32_t task, const struct cw_part *parts,
                                   uint32_t count, struct cw_error *err);

/* Takes back the task placed last. Errors: CW_ERR_INVALID (nothing is placed), CW_ERR_NOMEM. */
enum cw_status cw_plan_undo(struct cw_plan *plan, struct cw_error *err);

/* Places order[0 .. count - 1], each where it finishes first. Errors as cw_plan_place. */
enum cw_status cw_plan_place_in_order(struct cw_plan *plan, const uint32_t *order, uint32_t count,
                                      struct cw_error *err);

CW_API_END

#endif
