/* launch_parts.c - see plan_graph.h. */
#include "plan_graph.h"

#include <stdlib.h>

#include "../kernels/footprint/tiler.h"

struct cw_launch_parts {
    const struct cw_trace *trace;
    struct cw_trace_reach *reach;
    struct cw_tiler **tiler; /* per kernel; NULL: not needed yet */
    struct cw_tiler_place *place;
};

struct cw_launch_parts *cw_launch_parts_create(const struct cw_trace *t, struct cw_trace_reach *reach)
{
    struct cw_launch_parts *p = calloc(1, sizeof *p);
    uint32_t args = 0;

    if (!p)
        return NULL;
    for (size_t i = 0; i < t->commands.count; i++)
        args = t->commands.v[i].args.count > args ? t->commands.v[i].args.count : args;
    *p = (struct cw_launch_parts){.trace = t, .reach = reach};
    p->tiler = calloc(t->kernels.count + 1, sizeof *p->tiler);
    p->place = calloc((size_t)args + 1, sizeof *p->place);
    if (p->tiler && p->place)
        return p;
    cw_launch_parts_destroy(p);
    return NULL;
}

void cw_launch_parts_destroy(struct cw_launch_parts *p)
{
    if (!p)
        return;
    for (size_t k = 0; p->tiler && k < p->trace->kernels.count; k++)
        cw_tiler_destroy(p->tiler[k]);
    free(p->tiler);
    free(p->place);
    free(p);
}

/* Which buffers of the launch are parts of one. */
static void find_places(struct cw_launch_parts *p, const struct cw_command *c)
{
    for (uint32_t i = 0; i < c->args.count; i++) {
        const struct cw_t_arg *a = &p->trace->args.v[c->args.first + i];
        uint64_t offset = 0;

        p->place[i] = (struct cw_tiler_place){0};
        if ((a->kind != CW_ARG_MEMORY && a->kind != CW_ARG_SVM) || a->memory >= p->trace->memory.count)
            continue;
        p->place[i].allocation = (uint64_t)cw_trace_memory_root(p->trace, a->memory, &offset) + 1;
        p->place[i].base = (int64_t)offset;
    }
}

uint64_t cw_launch_parts_groups(struct cw_launch_parts *p, const struct cw_command *c)
{
    const struct cw_model *model = cw_trace_reach_model(p->reach, p->trace, c->kernel);
    struct cw_reach_launch l;

    if (!model || c->unknown_access || c->elsewhere || !cw_trace_reach_describe(p->reach, p->trace, c, &l))
        return 1;
    if (!p->tiler[c->kernel] && !(p->tiler[c->kernel] = cw_tiler_create(model)))
        return 1;
    find_places(p, c);
    return cw_tiler_groups(p->tiler[c->kernel], &l, p->place);
}

bool cw_launch_parts_ops(struct cw_launch_parts *p, const struct cw_command *c, struct cw_work_ops *ops)
{
    struct cw_reacher *reacher = c->kernel < p->reach->kernels ? p->reach->kernel[c->kernel] : NULL;
    const struct cw_work_ops *known;
    struct cw_reach_launch l;

    known =
        reacher && cw_trace_reach_describe(p->reach, p->trace, c, &l) ? cw_reacher_ops(reacher, &l) : NULL;
    if (known)
        *ops = *known;
    return known;
}

/* NULL, or why the bytes are not known. */
static const char *count_bytes(struct cw_reacher *r, const struct cw_reach_launch *l, uint64_t *bytes)
{
    const struct cw_reach *reach = cw_reacher_launch(r, l, 0);

    *bytes = 0;
    for (uint32_t i = 0; i < l->args; i++)
        if (l->arg[i].kind == CW_REACH_OTHER || l->arg[i].kind == CW_REACH_IMAGE) /* ranges of pixels */
            return "it has images or other arguments of unknown bytes";
    if (!reach)
        return "its arguments or sizes are not those of the model";
    for (uint32_t i = 0; i < reach->n; i++) {
        if (reach->piece[i].unknown)
            return "an index depends on data";
        *bytes += reach->piece[i].end - reach->piece[i].begin;
    }
    return NULL;
}

void cw_launch_parts_work(struct cw_launch_parts *p, const struct cw_command *c, const char *without,
                          struct cw_launch_work *work)
{
    struct cw_reacher *reacher = c->kernel < p->reach->kernels ? p->reach->kernel[c->kernel] : NULL;
    struct cw_reach_launch l;
    struct cw_ops_floats floats;

    *work = (struct cw_launch_work){.no_flops = without, .no_bytes = without};
    if (!reacher)
        return;
    if (!cw_trace_reach_describe(p->reach, p->trace, c, &l)) {
        work->no_flops = work->no_bytes = "its arguments are not recorded";
        return;
    }
    work->no_bytes = count_bytes(reacher, &l, &work->bytes);
    work->no_flops = cw_reacher_floats(reacher, &l, &floats);
    work->single = floats.single;
    work->twice = floats.twice;
}
