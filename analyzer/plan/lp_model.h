/* lp_model.h - a linear program over a box, and lower bounds of its optimum that no solver can spoil.
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
#ifndef CW_LP_MODEL_H
#define CW_LP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../sched/status.h"

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

#endif
