/* schedule.h - a policy's decisions: for each task where it runs, when, and how it is shared.
 *
 * A task runs whole on one device, or as several parts at once, each a contiguous range of its work-groups on
 * a device of its own. Times are in the graph's unit.
 *
 * Thread-safety: immutable once a policy has returned it. */
#ifndef CW_SCHEDULE_H
#define CW_SCHEDULE_H

#include "api.h"
#include "graph.h"
#include "platform.h"

CW_API_BEGIN

/* One device's part of a task. */
struct cw_part {
    uint32_t device;
    uint64_t first_group,
        groups;           /* work-groups of the slowest dimension; both 0 when the task has no group count */
    double share;         /* fraction of the task, the parts of a task sum to 1 */
    double start, finish; /* when it occupies the device */
};

struct cw_placement {
    double start, finish; /* of the task: earliest start and latest finish of its parts */
    uint32_t device;      /* of its first part */
    uint32_t parts;       /* 0: not placed, 1: whole, more: shared */
    uint32_t first_part;  /* shared tasks: into cw_schedule.part */
};

struct cw_schedule {
    uint32_t tasks, devices;
    struct cw_placement *task; /* per task */
    uint32_t *order;           /* the tasks in the order in which the policy placed them */
    uint32_t placed;           /* entries of `order` */
    struct cw_part *part;      /* parts of shared tasks */
    uint32_t parts, part_capacity;
    char note[200]; /* something the user should know ("planned in windows of ..."), or "" */
};

/* An empty schedule. NULL when memory is out. */
struct cw_schedule *cw_schedule_create(uint32_t tasks, uint32_t devices);
void cw_schedule_destroy(struct cw_schedule *s); /* NULL allowed */

/* Part `k` < task[i].parts of task `i`, also of a whole task. */
struct cw_part cw_schedule_part(const struct cw_schedule *s, const struct cw_graph *g, uint32_t i,
                                uint32_t k);

/* The latest finish; 0 when nothing is placed. */
double cw_schedule_makespan(const struct cw_schedule *s);

/* Which devices may share one task; decides which lower bound holds. */
enum cw_sharing { CW_SHARE_NEVER, CW_SHARE_CLASS, CW_SHARE_ALL };

/* Checks that `s` is a schedule of `g` on `p`: every task placed once and listed once in `order`; times
 * finite and not negative; parts on distinct devices that can run the task, allowed by `sharing` and
 * `splittable`, shares sum to 1 and groups cover 0 .. groups - 1 once; a part lasts at least its share of the
 * cost; no device runs two things at once; no part starts before its predecessors' data can have arrived from
 * the nearest of their parts; the makespan is not below `lower_bound`. Times are compared with a relative
 * tolerance of 1e-9 of the makespan. O(tasks x log tasks + edges x parts). Errors: CW_ERR_INVALID with the
 * first broken rule, CW_ERR_NOMEM. */
enum cw_status cw_schedule_check(const struct cw_schedule *s, const struct cw_graph *g,
                                 const struct cw_platform *p, enum cw_sharing sharing, double lower_bound,
                                 struct cw_error *err);

CW_API_END

#endif
