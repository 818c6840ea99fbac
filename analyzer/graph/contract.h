/* contract.h - the graph of a part of a trace's commands.
 *
 * Edges between commands that stay are kept as they are. Where a path of binding edges leads from one to
 * another through left-out commands alone, an edge stands for it: of kind `path`; of kind `host` when
 * every such path has a host edge on it. It is unproven when every such path has an unproven edge. Where
 * two of these are true of different paths, two edges stand for them. An edge of kind `queue` stands for a
 * chain of them. What other edges imply is left out, so that long chains of left-out commands do not make
 * an edge for every pair: from one kept command to another a path leads in the new graph exactly where one
 * leads in the old one. */
#ifndef CW_CONTRACT_H
#define CW_CONTRACT_H

#include "../record/trace.h"

enum cw_contract_keep {
    CW_CONTRACT_DROP,
    CW_CONTRACT_KEEP,
    CW_CONTRACT_JOIN /* stays when two kept commands or more lead to it: so fewer edges say the same */
};

/* Replaces t->edges by the edges between commands that stay; ids are those of the whole trace, edges in no
 * order. keep[command]: enum cw_contract_keep; in the end each is DROP or KEEP. CW_ERR_LIMIT when there would
 * be more than CW_CONTRACT_EDGES new ones, CW_ERR_CYCLE, CW_ERR_NOMEM. */
enum cw_status cw_contract(struct cw_trace *t, uint8_t *keep, struct cw_error *err);

enum { CW_CONTRACT_EDGES = 1 << 24 };

#endif
