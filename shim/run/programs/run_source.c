/* run_source.c - what the source of a program says of it: may its launches be managed at all, can its kernels see their local
 * size. By its tokens, before any compiler is asked. See run.h. */
#include "../run.h"

#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/kernel/cl_source.h"
#include "../../../analyzer/kernel/cl_variables.h"

static bool begins(const struct cw_cl_token *t, const char *const *words)
{
    for (; t->kind == CW_CL_IDENTIFIER && *words; words++)
        if (t->length >= strlen(*words) && !memcmp(t->text, *words, strlen(*words)))
            return true;
    return false;
}

static bool any(const struct cw_cl_source *s, const char *const *words)
{
    for (size_t i = 0; i < s->count; i++)
        if (begins(&s->tokens[i], words))
            return true;
    for (size_t i = 0; i < s->macro_count_tokens; i++)
        if (begins(&s->macro_tokens[i], words))
            return true;
    return false;
}

/* Side effects that no argument shows: output, other queues, pipes, assembly. */
static const char *const forbidden[] = {"printf", "enqueue_", "pipe",      "read_pipe", "write_pipe",
                                        "asm",    "__asm",    "ndrange_t", NULL};
/* By these a kernel can see its local size. */
static const char *const by_group[] = {"get_local_",
                                       "get_group_",
                                       "get_num_groups",
                                       "get_enqueued_",
                                       "get_num_sub",
                                       "get_sub_group",
                                       "get_max_sub",
                                       "barrier",
                                       "work_group_",
                                       "sub_group_",
                                       "local",
                                       "__local",
                                       "async_work_group",
                                       "wait_group",
                                       "reqd_work_group_size",
                                       NULL};
/* What keeps a device from choosing the size by the range alone. */
static const char *const demanding[] = {"reqd_work_group_size", "work_group_size_hint", "vec_type_hint", NULL};

static bool nothing_forbids(const struct cw_cl_source *s, const char *options)
{
    return !s->has_include && !any(s, forbidden) && !cw_cl_has_variables(s, options);
}

bool cw_run_source_manageable(const char *source, const char *options)
{
    struct cw_cl_source s;
    bool manageable = cw_cl_source_init(&s, source, options) && nothing_forbids(&s, options);

    cw_cl_source_finish(&s);
    return manageable;
}

void cw_run_program_parse(struct cw_run_program *p)
{
    struct cw_cl_source *s = malloc(sizeof *s);

    if (!s || !p->source || !cw_cl_source_init(s, p->source, p->options)) {
        free(s);
        p->parsed = true;
        return;
    }
    p->manageable = p->copies && p->options && nothing_forbids(s, p->options);
    p->fixed_size = s->has_paste || any(s, demanding);
    p->group_free = p->manageable && !s->has_paste && !any(s, by_group);
    p->tokens = s;
    p->parsed = true;
}
