/* selection.h - a part of a trace, as the commands of the tool name it: --from, --to, --commands, --windows,
 * --kernel. Every one that is given must hold of a command.
 *
 *   --from TIME, --to TIME   the call that enqueued it began in [from, to) behind the start of recording
 *   --commands A..B          its number is in A to B, both included; "A..", "..B" and "A" as well
 *   --windows A..B           likewise the window that it lies in. Window 0 ends with the first call that
 *                            blocks (clFinish, clWaitForEvents, a blocking transfer or map), window 1 with
 *                            the second
 *   --kernel RE              it launches a kernel whose name the extended regular expression matches. Waits,
 *                            markers and barriers stay, too, where they join two such launches or more
 *
 * The graph of a selection keeps the order of the whole one: where the whole graph has a path from one
 * command to another through left-out ones alone, the selection's has an edge, or a path. */
#ifndef CW_SELECTION_H
#define CW_SELECTION_H

#include "../record/trace.h"

/* The options as they were given; NULL: not given. */
struct cw_selection {
    const char *from, *to, *kernel, *commands, *windows;
};

/* True when one of them is given. */
bool cw_selection_given(const struct cw_selection *s);

/* Looks at the options alone. CW_ERR_INVALID, with a message that names the option: no time, no range, a
 * range that ends before it begins, no regular expression. */
enum cw_status cw_selection_check(const struct cw_selection *s, struct cw_error *err);

/* Sets in[command] to 1 for the commands that `s` names, which has no `kernel`, else to 0. CW_ERR_INVALID,
 * CW_ERR_NOTFOUND. */
enum cw_status cw_selection_mark(const struct cw_trace *t, const struct cw_selection *s, uint8_t *in,
                                 struct cw_error *err);

/* Makes `t` the part of it that `s` names; nothing happens where no option is given. Commands and edges get
 * new ids (cw_trace_command_number says the old ones), objects keep theirs, calls are those of the part's
 * time, and the process says what was selected. CW_ERR_INVALID as above; CW_ERR_NOTFOUND when nothing is
 * selected, with a message that says what the trace has; CW_ERR_LIMIT when the part's graph would have too
 * many edges; CW_ERR_CYCLE, CW_ERR_NOMEM. After a failure `t` is still to be finished. */
enum cw_status cw_selection_apply(struct cw_trace *t, const struct cw_selection *s, struct cw_error *err);

/* The graph of a part of a trace's commands.
 *
 * Edges between commands that stay are kept as they are. Where a path of binding edges leads from one to
 * another through left-out commands alone, an edge stands for it: of kind `path`; of kind `host` when
 * every such path has a host edge on it. It is unproven when every such path has an unproven edge. Where
 * two of these are true of different paths, two edges stand for them. An edge of kind `queue` stands for a
 * chain of them. What other edges imply is left out, so that long chains of left-out commands do not make
 * an edge for every pair: from one kept command to another a path leads in the new graph exactly where one
 * leads in the old one. */

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

/* A trace without some of its commands. */

#endif
