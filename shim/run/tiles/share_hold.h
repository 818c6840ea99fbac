/* share_hold.h - GPUs keep their shares of launches, so that few bytes move: a launch is cut where launches
 * like it were cut, or where the bytes lie that it changes in place, as launches of another kernel have left
 * them there.
 *
 * cw_run.lock guards all of it. */
#ifndef CW_RUN_SHARE_HOLD_H
#define CW_RUN_SHARE_HOLD_H

#include "share.h"

/* share[k]: of part k, by the speeds that are known; they sum to 1. Replaced by the shares that stand.
 * speed[k]: groups per ns of part k; 0: not known. byte_ns: of a byte from one GPU to another. */
void cw_run_share_hold(const struct cw_run_tiles *x, const double speed[CW_RUN_WORKERS], double byte_ns,
                       double share[CW_RUN_WORKERS]);

#endif
