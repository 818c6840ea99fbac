/* critical_path.h - the longest chain of binding edges in a trace's graph, and how much time every other
 * command has to spare.
 *
 * Commands that race (races.h) stay in their recorded order, as in plans of the graph: the program lacks that
 * order, and would need it.
 *
 * A command weighs its device time, or 1 when chains are to be measured in commands. Host pseudo-commands,
 * and commands that were refused or failed, weigh nothing; they stand in the chain that they make. Where
 * commands lack times, all lengths are those of the others: at least so much. */
#ifndef CW_CRITICAL_PATH_H
#define CW_CRITICAL_PATH_H

#include "../record/trace.h"

enum cw_weight { CW_WEIGHT_TIME, CW_WEIGHT_COUNT };

struct cw_critical_path {
    uint64_t length;       /* of the chain, ns or commands; 0 when nothing weighs anything */
    uint64_t work;         /* of all commands together */
    uint64_t without_host; /* length of the longest chain without the program's waits (CW_EDGE_HOST) */
    /* without these, and without the order of commands that write memory which others before them use
     * (WAR, WAW): a chain that results, events and barriers ask for */
    uint64_t without_reuse;
    uint32_t *chain; /* command ids, first to last; owned */
    size_t chain_count;
    uint64_t *slack; /* per command: by how much it may be late without making the chain longer; owned */
    uint64_t width;  /* most enqueued commands of one distance (in edges) from the start: a measure of
                        parallelism */
};

/* Fills `p` from the binding edges of `t`; finish it in any case. Returns CW_OK; CW_ERR_CYCLE when the edges
 * have one; CW_ERR_NOMEM. O(commands + edges). Thread-safety: reads `t` only. */
enum cw_status cw_critical_path_init(struct cw_critical_path *p, const struct cw_trace *t,
                                     enum cw_weight weight, struct cw_error *err);
void cw_critical_path_finish(struct cw_critical_path *p); /* safe on a zeroed struct */

#endif
