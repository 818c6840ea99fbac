/* outside.h - launches that surely touch bytes outside of a buffer: where accesses are clipped to the object
 * (graph/access.c) the graph does not show them. */
#ifndef CW_OUTSIDE_H
#define CW_OUTSIDE_H

#include "../graph/trace_reach.h"

struct cw_outside {
    uint64_t launches; /* that do so; 0: the rest says nothing */
    /* of the first of them */
    uint32_t command;
    struct cw_reach_outside touched;
    uint64_t size; /* of the buffer */
};

/* Looks at command `id` of the trace, if it is a launch of which the models say enough. */
void cw_outside_look(struct cw_outside *o, const struct cw_trace *t, uint32_t id,
                     struct cw_trace_reach *reach);

#endif
