/* policy_scls.c - SCLS: by rank, where a task finishes first with the transfers to its successors counted.
 * See scls.h. */
#include "scls.h"

const struct cw_policy cw_policy_scls = {
    .name = "scls",
    .title = "by rank, earliest finish plus the transfers that follow",
    .source = "Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .takes = CW_SCLS_TAKES,
    .plan = cw_scls_plan,
};
