/* lp_bound.h - a lower bound of the makespan by linear programming.
 *
 * Relaxation of the exact model of whole tasks (../sched/bounds.h has the simple bounds that it contains):
 *     min T   over   x[i][p] in [0, 1] (share of task i on device p), s[i] (its start), y[e] (edge e leaves a
 *                    memory)
 *     sum_p x[i][p] = 1                                            each task runs
 *     s[j] >= s[i] + sum_p W[i][p] x[i][p] + c[e] y[e]             for each edge e = (i, j)
 *     y[e] >= sum_{p in m} (x[i][p] - x[j][p])                     for each memory m
 *     T >= s[i] + sum_p (W + OCT)[i][p] x[i][p]                    what follows i on p, transfers exact
 *     s[i] >= sum_p H[i][p] x[i][p]                                what comes before i on p, likewise
 *     T >= sum_i W[i][p] x[i][p]                                   each device does its work
 * c[e] is the least transfer time of e between two memories. x[i][p] = 0 where H + W + OCT exceeds HEFT's
 * makespan: no shortest schedule has that.
 *
 * Tasks that devices may share: the duration is a column D[i] >= W[i][p] x[i][p] for each p, at least the
 * time of the best share, and where only devices of a class may share D[i] >= sum_p C[i][p] x[i][p], C the
 * time that p's class takes together; edges from or to such tasks carry no transfer, since the nearest part
 * may be at hand.
 *
 * The bound is that of cw_lp_safe_bound, so it holds with any tolerances of the solver. */
#ifndef CW_LP_BOUND_H
#define CW_LP_BOUND_H

#include "../../sched/schedule.h"
#include "../../sched/bounds.h"
#include "../../sched/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- a linear program over a box, and lower bounds of its optimum that no solver can spoil.
 *
 *     min c x   with   low_i <= a_i x <= high_i for each row,   l <= x <= u, all finite.
 *
 * Weak duality over the box (Neumaier and Shcherbina, "Safe bounds in linear and mixed-integer linear
 * programming", Mathematical Programming 99, 2004): for any numbers y, one per row,
 *     sum_i (y_i > 0 ? y_i low_i : y_i high_i) + sum_j min(r_j l_j, r_j u_j),   r = c - y A,
 * is not above the optimum. A solver's answer is only a good guess of y: wrong or unfinished, it makes the
 * bound weaker, never false.
 *
 * Thread-safety: none. */

/* Growing arrays; a zeroed struct is an empty program. When memory runs out `failed` is set and everything
 * further is ignored: ask once, at the end. */
struct cw_lp {
    uint32_t columns, rows, entries;
    double *cost, *lower, *upper; /* per column */
    double *low, *high;           /* per row; -INFINITY, INFINITY: none */
    uint32_t *row_start;          /* rows + 1 */
    uint32_t *column;             /* per entry, row by row */
    double *value;                /* per entry */
    uint32_t column_space, row_space, entry_space;
    bool failed;
};

void cw_lp_finish(struct cw_lp *lp); /* safe on a zeroed struct */

/* Adds a column lower <= x <= upper, both finite. Returns its number. */
uint32_t cw_lp_add_column(struct cw_lp *lp, double cost, double lower, double upper);

/* Begins a row; cw_lp_add_entry fills it until the next begins. A column may come more than once. */
void cw_lp_add_row(struct cw_lp *lp, double low, double high);
void cw_lp_add_entry(struct cw_lp *lp, uint32_t column, double value);

/* The bound above for y = dual[0 .. rows - 1], less the most that rounding may have added. A y_i that asks
 * for a side that its row does not have counts as 0. -INFINITY when memory is out or a dual is no number.
 * O(entries). */
double cw_lp_safe_bound(const struct cw_lp *lp, const double *dual);

/* ---- the solver: Clp of COIN-OR (package coinor-libclp1; Eclipse Public License, which lets programs under
 * other licences use it), loaded when it is first needed. clweave builds and runs without it and says so
 * where it would have helped. Safe from several threads. */

/* Fills dual[0 .. rows - 1] with the duals of an optimum of `lp`, or of where `iterations` steps led: a guess
 * for cw_lp_safe_bound, no more is promised. *finished: it is an optimum by the solver's own tolerances.
 * Errors: CW_ERR_UNSUPPORTED (the library is not installed, or not as expected), CW_ERR_NOMEM. Deterministic
 * but for the machine's arithmetic. */
enum cw_status cw_lp_solve(const struct cw_lp *lp, int iterations, double *dual, bool *finished,
                           struct cw_error *err);

/* ---- the bound */

/* By default programs of more entries, which take more than some tenths of a second, are not solved. */
enum { CW_LP_BOUND_ENTRIES = 12000 };

struct cw_lp_bound {
    double bound;     /* no schedule is shorter; 0 when it was skipped */
    bool solved;      /* false: skipped */
    char reason[160]; /* why it was skipped, or "" */
};

/* Computes the bound for schedules of `g` on `p` whose tasks may be shared as `sharing` says. Skipped, with a
 * reason: programs of more than `entries_max` entries, a library that is not installed. Errors: CW_ERR_NOMEM,
 * CW_ERR_LIMIT (as cw_plan_init). Thread-safe. */
enum cw_status cw_lp_bound_compute(const struct cw_graph *g, const struct cw_platform *p,
                                   enum cw_sharing sharing, uint32_t entries_max, struct cw_lp_bound *bound,
                                   struct cw_error *err);

/* Fills the empty program `lp` with that relaxation, times over *unit (HEFT's makespan, so that the optimum
 * is in [0, 1]); at most about `entries_max` entries, CW_ERR_UNSUPPORTED when they do not do. Errors besides:
 * as above. For tests and cw_lp_bound_compute. */
enum cw_status cw_lp_bound_model(const struct cw_graph *g, const struct cw_platform *p,
                                 enum cw_sharing sharing, uint32_t entries_max, struct cw_lp *lp,
                                 double *unit, struct cw_error *err);

/* The lower bounds that reports name: those of ../sched/bounds.h and the linear program's.
 *
 * Thread-safety: none. */

/* Which of the bounds is the largest; the simplest on ties. */
enum cw_bound_kind { CW_BOUND_PATH, CW_BOUND_OCT, CW_BOUND_AREA, CW_BOUND_ENERGY, CW_BOUND_LP };

/* "critical path", "oct", "area", "energy", "lp". */
const char *cw_plan_bound_kind_name(enum cw_bound_kind kind);

/* The bounds known of one graph: a linear program is solved once for all policies that share alike. Zeroed
 * and with entries_max set it is ready. */
struct cw_plan_bounds {
    uint32_t entries_max; /* larger programs are skipped; 0: all are */
    struct cw_lp_bound lp[CW_SHARE_ALL + 1];
    bool known[CW_SHARE_ALL + 1];
};

/* The lower bound of one plan. */
struct cw_plan_bound {
    double best; /* no schedule whose tasks are shared that way is shorter */
    enum cw_bound_kind kind;
    struct cw_lp_bound lp;
};

/* Finds the best bound from `simple`, which are those of `g` on `p` under `sharing`, and the linear program.
 * bounds NULL: without the latter. Errors: CW_ERR_NOMEM. */
enum cw_status cw_plan_bound_find(struct cw_plan_bound *bound, struct cw_plan_bounds *bounds,
                                  const struct cw_bounds *simple, const struct cw_graph *g,
                                  const struct cw_platform *p, enum cw_sharing sharing, struct cw_error *err);

/* entries_max for --lp on, off, auto or NULL (auto). */
uint32_t cw_plan_bounds_entries(const char *choice);

#endif
