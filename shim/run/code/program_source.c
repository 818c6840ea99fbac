/* program_source.c - see code/code.h. */
#include "code.h"

#include <stdlib.h>

#include "../../../analyzer/kernels/source/cl_source.h"

void cw_program_source_parse(struct cw_run_program *p)
{
    struct cw_cl_source *s = p->binary ? NULL : malloc(sizeof *s);

    if (p->binary) { /* its models say the rest */
        p->manageable = p->doubtful = p->source && p->copies && p->options;
        p->fixed_size = p->demands;
    }
    if (!s || !p->source || !cw_cl_source_init(s, p->source, p->options)) {
        free(s);
        p->parsed = true;
        return;
    }
    p->manageable = p->copies && p->options && !s->has_include;
    p->doubtful = p->manageable && cw_source_may_hide(s, p->options, p->context->devices->device[0].traits);
    p->watches = cw_source_watches(s);
    p->may_poll = cw_source_may_poll(s, p->options);
    p->fixed_size = cw_source_fixes_size(s);
    p->groups_told = p->manageable && !cw_source_results_vary(p->options);
    p->group_free = p->groups_told && !cw_source_sees_groups(s);
    p->tokens = s;
    p->parsed = true;
}

void cw_program_source_forget(struct cw_run_program *p)
{
    if (p->tokens)
        cw_cl_source_finish(p->tokens);
    free(p->tokens);
    p->tokens = NULL;
    p->parsed = p->manageable = p->group_free = p->groups_told = false;
}

void cw_program_source_trust(struct cw_run_program *p)
{
    if (!p->linked)
        return;
    p->source = p->linked;
    p->linked = NULL;
    cw_program_source_forget(p);
    cw_program_source_parse(p);
}
