/* replay_groups.h - clweave replay --policy groups: the memory traffic of an order by priority groups.
 */
#ifndef CW_REPLAY_GROUPS_H
#define CW_REPLAY_GROUPS_H

#include "plan_source.h"

struct cw_replay_groups_options {
    const char *rule;    /* "max", "skew", NULL: both */
    const char *picture; /* file; NULL: none */
    double reuse;        /* -1: no bound */
    bool json, keep_waits;
    /* of cw_replay_groups_parse; 0: height and width by the model */
    uint64_t height, width, tiles, dims, cache;
};

/* Sets the options of "height=3,width=2,tiles=64,dims=2,cache=16M", and the default of each that is not there
 * (--list-policies explains them). Errors: CW_ERR_INVALID (no such option, a value out of its range, or
 * `reuse` is); CW_ERR_NOMEM. */
enum cw_status cw_replay_groups_parse(const char *text, struct cw_replay_groups_options *o,
                                      struct cw_error *err);

/* Orders the commands of `source` (its trace with accesses, or its graph) and prints the results. */
enum cw_status cw_replay_groups(const struct cw_replay_groups_options *o, struct cw_plan_source *source,
                                FILE *out, struct cw_error *err);

#endif
