/* replay_groups.h - clweave replay --policy groups: the memory traffic of an order by priority groups.
 */
#ifndef CW_REPLAY_GROUPS_H
#define CW_REPLAY_GROUPS_H

#include "plan_source.h"

struct cw_replay_groups_options {
    const char *rule;                   /* "max", "skew", NULL: both */
    const char *cache;                  /* bytes, "16M"; NULL: half of this machine's last-level cache */
    const char *picture;                /* file; NULL: none */
    int64_t height, width, tiles, dims; /* -1: by the model; tiles per launch: CW_REPLAY_TILES */
    double reuse;                       /* -1: no bound */
    bool json, keep_waits;
};
enum { CW_REPLAY_TILES = 128 };

/* `wanted`: by --policy groups; else nothing of it may be given. Errors: CW_ERR_INVALID. */
enum cw_status cw_replay_groups_check(const struct cw_replay_groups_options *o, bool wanted,
                                      struct cw_error *err);

/* Orders the commands of `source` (its trace with accesses, or its graph) and prints the results. */
enum cw_status cw_replay_groups(const struct cw_replay_groups_options *o, struct cw_plan_source *source,
                                FILE *out, struct cw_error *err);

#endif
