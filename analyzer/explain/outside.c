/* outside.c - see figures.h. */
#include "figures.h"

void cw_outside_look(struct cw_outside *o, const struct cw_trace *t, uint32_t id,
                     struct cw_trace_reach *reach)
{
    const struct cw_command *k = &t->commands.v[id];
    const struct cw_reach *r = k->status == 0 ? cw_trace_reach_launch(reach, t, k) : NULL;
    const struct cw_t_arg *a = r && r->outside.end > r->outside.first && r->outside.arg < k->args.count
                                   ? &t->args.v[k->args.first + r->outside.arg]
                                   : NULL;

    if (!a || a->kind != CW_ARG_MEMORY || a->memory >= t->memory.count || o->launches++)
        return;
    o->command = id;
    o->touched = r->outside;
    o->size = t->memory.v[a->memory].size;
}
