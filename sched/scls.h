/* scls.h - SCLS: list scheduling that looks at the transfers behind a task; for the policies scls and hscgs.
 *
 * Zhao, Li, Wang, Computer Engineering and Design 2014(9), after Wang, Gu, Wang, Zhao, ICA3PP 2012. */
#ifndef CW_SCLS_H
#define CW_SCLS_H

#include "policy.h"

/* Places every task that is not placed yet, by descending priority, after those of its ancestors that are not
 * placed.
 *   priority  rank_u, or with option down-rank rank_u + rank_d
 *   device    least finish + max over successors j of d_ij / B_m, B_m the mean bandwidth from m to the
 *             others; with option mean-transfer the mean over successors
 * Errors: CW_ERR_NOMEM, those of cw_plan_place. */
enum cw_status cw_scls_plan(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err);

/* The options that it takes. */
#define CW_SCLS_TAKES (CW_TAKES(insertion) | CW_TAKES(down_rank) | CW_TAKES(mean_transfer))

#endif
