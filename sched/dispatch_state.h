/* dispatch_state.h - the state of a simulated dispatch: nodes, and events in order of time. Not for
 * users of dispatch.h. */
#ifndef CW_DISPATCH_STATE_H
#define CW_DISPATCH_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "dispatch.h"
#include "dispatch_queue.h"

struct cw_dispatch_node {
    uint32_t parent, child, children,
        level;      /* children are numbered in a row; level 0 is the global master */
    uint32_t below; /* workers below */
    uint32_t epoch; /* counts its deaths; messages to or from an earlier epoch are stale */
    double free_at,
        served;   /* masters: when the server is free, how long it served; workers: when the run ends */
    double began; /* workers: the run */
    struct cw_dispatch_queue queue; /* masters: the work that it can give */
    struct cw_dispatch_queue batch; /* masters: results that it has not passed on */
    uint32_t results, held; /* masters: tasks in batch; tasks that it has been given and has no result of */
    struct cw_dispatch_range block; /* workers: the work that it runs, or has run without an answer yet */
    bool parked, sending,
        dead; /* its master owes it tasks; its message is on its way; workers: not back yet */
};

enum cw_dispatch_kind { SERVED, RAN, REVIVE, FAIL_WORKER, FAIL_MASTER };

struct cw_dispatch_event {
    double at;
    uint64_t order;
    uint32_t node, epoch, to_epoch; /* SERVED: the sender's and the receiver's when it was sent */
    enum cw_dispatch_kind kind;
};

struct cw_dispatch {
    const struct cw_dispatch_options *o;
    struct cw_dispatch_result *r;
    struct cw_dispatch_node *node;
    uint32_t nodes, masters, levels; /* levels of masters; workers are nodes masters .. nodes - 1 */
    uint32_t *holder;                /* per level below the top and task: its holder, CW_DISPATCH_NOBODY */
    uint8_t *taken;                  /* results taken at the global master, per task */
    struct cw_dispatch_event *heap;
    size_t events, room;
    uint64_t order, random, limit;
    uint32_t left;
    double now, half[2], work_s;
    bool no_memory;
};

/* Adds an event of `node`, which counts only as long as the node lives; memory: d->no_memory. Takes the
 * earliest one, the first posted on ties; there must be one. */
void cw_dispatch_post(struct cw_dispatch *d, enum cw_dispatch_kind kind, double at, uint32_t node,
                      uint32_t to_epoch);
struct cw_dispatch_event cw_dispatch_next(struct cw_dispatch *d);

#endif
