/* window_flow.h - the bytes that the commands of a window take from each other, and those that lie somewhere
 * before it, for a planner of several memories. Lock held. */
#ifndef CW_RUN_WINDOW_FLOW_H
#define CW_RUN_WINDOW_FLOW_H

#include "../core/types.h"
#include "../planner/flow.h"
#include "../planner/plan.h"

/* As struct cw_run_window's fields of these names. A zeroed struct is empty; used again for each window. */
struct cw_run_window_flow {
    double *pred_bytes;
    uint32_t *piece_start;
    struct cw_plan_piece *piece;
    /* per command: bytes that it writes and that, as before, the host is going to read behind this window */
    double *back;
    uint32_t tasks, backs, edges, pieces; /* internal: room */
    uint32_t window;                      /* internal: its number */
    uint32_t n;                           /* internal: pieces so far */
    struct cw_run_flow flow;              /* internal: of one command */
};

/* A native command uses the buffer: a launch (`launch`), or another one; `writes`: to it. */
void cw_run_window_flow_native(struct cw_run_region *r, bool launch, bool writes);

/* Fills *f for the `count` >= 1 commands task[0] to task[count - 1], whose dependences are as those of struct
 * cw_run_window, each row in ascending order. False: memory is out. */
bool cw_run_window_flow_find(struct cw_run_window_flow *f, struct cw_run_task *const *task, uint32_t count,
                             const uint32_t *pred_start, const uint32_t *pred);

#endif
