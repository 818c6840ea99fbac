/* moldable.h - list scheduling of moldable tasks: from an order and a mode per task to a schedule, fast.
 *
 * A task may run whole on one device, where it fits first (insertion), or be shared by devices that are free
 * behind the last task of each. Its mode says which of these are tried; the one that finishes first is taken
 * (whole, then the lowest device on ties). It is the decoder of a search, so it keeps arrays
 * of periods instead of trees and allocates nothing.
 *
 * Data move as in plan.h: a shared task's output is at hand on every device that took part when its last part
 * has ended.
 *
 * Thread-safety: none. */
#ifndef CW_MOLDABLE_H
#define CW_MOLDABLE_H

#include "disjunctive.h"
#include "schedule.h"

/* Modes of a task on q devices: shared by all that may or whole, shared within a class or whole, whole;
 * CW_MOLDABLE_ON + p: whole on device p; CW_MOLDABLE_ON + q - 2 + k: shared by at most k devices (2 <= k <
 * q), those that are free first, or whole. */
enum { CW_MOLDABLE_FREE, CW_MOLDABLE_CLASS, CW_MOLDABLE_WHOLE, CW_MOLDABLE_ON };

/* How many modes there are. */
static inline uint32_t cw_moldable_modes(uint32_t devices)
{
    return CW_MOLDABLE_ON + devices + (devices > 2 ? devices - 2 : 0);
}

/* At most this many devices. */
enum { CW_MOLDABLE_DEVICES_MAX = 64 };

struct cw_moldable {
    const struct cw_graph *graph;
    const struct cw_platform *platform;
    enum cw_sharing sharing;
    double overhead; /* the time that each device beyond the first adds to all parts */
    double length;   /* of the schedule that was decoded last: the makespan, tasks placed before included */
    struct cw_placement *task; /* that schedule; first_part counts in `part` */
    struct cw_part *part;      /* room for tasks x devices */
    uint32_t parts;
    uint64_t work; /* looks at an edge, a task or a device so far */
    /* internal */
    struct cw_release release;
    uint64_t *at_hand;        /* per task: bit p: its output is on device p without travelling */
    uint64_t *memory;         /* per device: the devices that share its memory */
    double *in_time;          /* per edge of pred: data / bandwidth when there is but one, else data */
    bool uniform;             /* one bandwidth, one latency */
    double *period;           /* devices x tasks pairs (start, end) in order of time */
    uint32_t *periods;        /* per device */
    double *ready, *avail;    /* per device */
    struct cw_part *trial[2]; /* per device */
};

/* Makes room for the tasks that `plan` does not hold. Errors: CW_ERR_UNSUPPORTED (too many devices),
 * CW_ERR_NOMEM; it is then empty. */
enum cw_status cw_moldable_init(struct cw_moldable *m, const struct cw_plan *plan, enum cw_sharing sharing,
                                double overhead, struct cw_error *err);
void cw_moldable_finish(struct cw_moldable *m); /* safe on a zeroed struct */

/* Schedules order[0 .. count - 1] (topological; all tasks that the plan does not hold) by mode[task]. A mode
 * that a task cannot have (shared though it may not be, on a device that cannot run it) counts as
 * CW_MOLDABLE_FREE. Returns false when the schedule reaches `limit` or more: it is then not finished.
 * O(edges x devices + tasks x (devices + periods passed)). */
bool cw_moldable_decode(struct cw_moldable *m, const uint32_t *order, uint32_t count, const uint32_t *mode,
                        double limit);

/* Places the decoded schedule in the plan, which must be as it was at cw_moldable_init. Errors: those of
 * cw_plan_place. */
enum cw_status cw_moldable_place(const struct cw_moldable *m, const uint32_t *order, uint32_t count,
                                 struct cw_plan *plan, struct cw_error *err);

/* Sharing one task between devices that become free at different times.
 *
 * Each device d takes part from its start on, at speed 1 / cost: all end together at the level F that solves
 *     sum over d of max(0, F - start[d]) / cost[d] = 1,
 * as water finds its level in a vessel with steps. Whole work-groups: each device gets as many as it finishes
 * by then, the rest go, one after the other, to the device that would finish one more first; no other
 * allocation of whole groups ends earlier.
 *
 * Thread-safety: pure functions. */

/* Fills share, groups and finish of part[0 .. count - 1] (count >= 1) from their `device` and `start`, which
 * must ascend; costs are those of cost[device], > 0 and finite. groups 0: divisible without limit. Parts that
 * get nothing are taken out, the order of the others stays. first_group is left to the caller. Returns how
 * many are left, >= 1. */
uint32_t cw_water_fill(struct cw_part *part, uint32_t count, const double *cost, uint64_t groups);

/* ---- local search over the order and the modes of moldable tasks.
 *
 * Each step moves one task in the order, between its last predecessor and its first successor, or gives it
 * another mode (moldable.h), and decodes the whole. Late acceptance (Burke and Bykov, EJOR 258, 2017): a
 * schedule that is no longer than the one of some steps ago stays.
 *
 * Thread-safety: none. */

enum { CW_SHARE_SEARCH_LATE = 32 };

struct cw_share_search {
    struct cw_moldable m;
    uint32_t *order, *mode, count; /* the best schedule: arguments of cw_moldable_decode */
    double length;                 /* its makespan; INFINITY before the first start */
    double least;                  /* no schedule is shorter: the search stops there */
    uint64_t random;
    /* internal */
    uint32_t *now_order, *now_mode, *position;
    double now_length, late[CW_SHARE_SEARCH_LATE];
};

/* Makes room. Errors: as cw_moldable_init. */
enum cw_status cw_share_search_init(struct cw_share_search *s, const struct cw_plan *plan,
                                    enum cw_sharing sharing, double overhead, uint64_t seed,
                                    struct cw_error *err);
void cw_share_search_finish(struct cw_share_search *s); /* safe on a zeroed struct */

/* Decodes an order with modes, and keeps it when it is the best so far. */
void cw_share_search_start(struct cw_share_search *s, const uint32_t *order, uint32_t count,
                           const uint32_t *mode);

/* Searches from the best so far until `work` looks at an edge, a task or a device are spent or s->least is
 * reached. Deterministic in the calls made. */
void cw_share_search_run(struct cw_share_search *s, uint64_t work);

/* Places the best schedule in the plan, which must be as it was at cw_share_search_init. Errors: those of
 * cw_plan_place. */
enum cw_status cw_share_search_place(struct cw_share_search *s, struct cw_plan *plan, struct cw_error *err);

#endif
