/* lp_solver.h - the one door to a linear programming library.
 *
 * The library is Clp of COIN-OR (package coinor-libclp1; Eclipse Public License, which lets programs under
 * other licences use it), loaded when it is first needed: clweave builds and runs without it and says so
 * where it would have helped.
 *
 * Thread-safety: safe from several threads. */
#ifndef CW_LP_SOLVER_H
#define CW_LP_SOLVER_H

#include "lp_model.h"

/* Fills dual[0 .. rows - 1] with the duals of an optimum of `lp`, or of where `iterations` steps led: a guess
 * for cw_lp_safe_bound, no more is promised. *finished: it is an optimum by the solver's own tolerances.
 * Errors: CW_ERR_UNSUPPORTED (the library is not installed, or not as expected), CW_ERR_NOMEM. Deterministic
 * but for the machine's arithmetic. */
enum cw_status cw_lp_solve(const struct cw_lp *lp, int iterations, double *dual, bool *finished,
                           struct cw_error *err);

#endif
