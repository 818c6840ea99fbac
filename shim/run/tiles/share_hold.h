/* share_hold.h - GPUs keep their shares of launches, so that few bytes move: a launch is cut where launches like
 * it were cut, or where the bytes lie that it writes, as launches of another kernel have left them there.
 *
 * cw_run.lock guards all of it. */
#ifndef CW_RUN_SHARE_HOLD_H
#define CW_RUN_SHARE_HOLD_H

#include "share.h"

/* share[k]: of part k, by the speeds that are known; they sum to 1. Replaced by the shares that stand, where
 * these take hardly longer. */
void cw_run_share_hold(const struct cw_run_tiles *x, double share[CW_RUN_LANES]);

#endif
