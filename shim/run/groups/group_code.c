/* group_code.c - the vendor's code for the tiles of a chain, compiled beside everything else before a worker
 * needs it: a worker that compiles it amid a group keeps all others waiting. See groups/group.h. */
#include "group.h"

#include <stdlib.h>
#include <string.h>

#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/state.h"
#include "../core/thread.h"
#include "../tiles/share.h"
#include "../tuning/tuning.h"

#define KERNELS 8 /* more of one chain have their code compiled by its workers */

/* Code to compile: copies of launches, as the chain may be over by then. */
struct code {
    struct cw_run_chain *chain;
    struct cw_run_context_device *place; /* of the context of a pinned program */
    bool helpers;                        /* of the variant */
    bool compiles;                       /* the rule allows it; else the builder is asked */
    uint32_t n;
    struct {
        struct cw_run_launch launch; /* whose kernel and program are pinned */
        struct cw_run_cut cut;
        size_t width; /* of a tile, in work-groups */
    } of[KERNELS];
};

static void finish(struct code *code)
{
    for (uint32_t i = 0; i < code->n; i++) {
        cw_run_object_unpin(&code->of[i].launch.kernel->program->r);
        cw_run_object_unpin(&code->of[i].launch.kernel->r);
        free(code->of[i].launch.args);
    }
    free(code);
}

/* A compiler asks for the kinds and sizes of arguments only. NULL: memory is out, or one is an image. */
static struct cw_run_arg *copy_args(const struct cw_run_launch *l)
{
    static struct cw_run_memory buffer;
    struct cw_run_arg *args = calloc((size_t)l->kernel->count + 1, sizeof *args);

    for (uint32_t i = 0; args && i < l->kernel->count; i++) {
        if (l->args[i].memory && l->args[i].memory->image) {
            free(args);
            return NULL;
        }
        args[i].kind = l->args[i].kind;
        args[i].size = l->args[i].size;
        args[i].sampler = l->args[i].sampler;
        args[i].memory = l->args[i].memory ? &buffer : NULL;
    }
    return args;
}

static bool has(const struct code *code, const struct cw_run_step *s)
{
    for (uint32_t i = 0; i < code->n; i++)
        if (code->of[i].launch.kernel == s->kernel && code->of[i].cut.dim == s->cut.dim &&
            !memcmp(code->of[i].cut.local, s->cut.local, sizeof s->cut.local))
            return true;
    return false;
}

/* The kinds of launches in `g`; NULL: there is nothing to compile, or it cannot be done here. */
static struct code *collect(const struct cw_run_group *g, uint32_t workers)
{
    uint64_t band = cw_run_group_variant_band(cw_run_group_variant(g->variant), workers);
    struct code *code = calloc(1, sizeof *code);

    for (uint32_t i = 0; code && i < g->steps && code->n < KERNELS; i++) {
        const struct cw_run_step *s = &g->step[i];
        uint64_t bytes = cw_run_group_plan_bytes(s);
        struct cw_run_arg *args;

        if (has(code, s))
            continue;
        args = copy_args(&s->task->launch);
        if (!args) {
            finish(code);
            return NULL;
        }
        code->of[code->n].launch = s->task->launch;
        code->of[code->n].launch.args = args;
        code->of[code->n].cut = s->cut;
        if (bytes > band)
            code->of[code->n].width = 1 + (size_t)((double)s->cut.groups * (double)band / (double)bytes);
        code->n++;
        cw_run_record_pin(&s->kernel->r);
        cw_run_record_pin(&s->kernel->program->r);
    }
    return code;
}

/* Lock not held. */
static void compile(void *data)
{
    struct code *code = data;
    double begin = cw_thread_cpu_ns();
    bool all = true;

    for (uint32_t i = 0; i < code->n; i++) {
        size_t groups = code->of[i].cut.groups, width = code->of[i].width ? code->of[i].width : groups;
        const struct cw_run_block tile[] = {{.groups = width}, {.first = groups - 1, .groups = 1}};

        for (size_t k = 0; k < sizeof tile / sizeof *tile; k++)
            all &= cw_run_tile_submit_compile(&code->of[i].launch, code->place, &code->of[i].cut, &tile[k],
                                              code->compiles);
    }
    cw_run_global_lock_take();
    code->chain->code[code->place->worker->number] = all ? CW_RUN_COPY_READY : CW_RUN_COPY_MISSED;
    if (code->compiles)
        cw_run_learn_ended(cw_thread_cpu_ns() - begin);
    if (!all)
        cw_run_account.learns++;
    else if (!cw_run_group_code_is_ordered(code->chain)) /* the chain may be over: later processes know */
        cw_run_group_history_keep_warm(code->chain, code->helpers, 1);
    finish(code);
    cw_run_global_lock_give();
}

/* Has it compiled, or asks for it; its next state. */
static enum cw_run_copy_state order(struct cw_run_group *g, struct cw_run_context_device *place, uint32_t n)
{
    struct code *code = collect(g, n);

    if (!code)
        return CW_RUN_COPY_FAILED; /* the workers compile it */
    code->chain = g->chain;
    code->place = place;
    code->helpers = cw_run_group_variant(g->variant)->helpers;
    code->compiles = cw_run_learn_begins(CW_RUN_LEARN_BUILD);
    if (cw_run_tile_build_beside(g->step[0].kernel->program, compile, code))
        return CW_RUN_COPY_WANTED;
    if (code->compiles)
        cw_run_learn_ended(0);
    finish(code);
    return CW_RUN_COPY_FAILED;
}

bool cw_run_group_code_is_there(struct cw_run_group *g, const uint32_t *place, uint32_t n)
{
    struct cw_run_context *c = g->step[0].task->queue->context;
    bool helpers = cw_run_group_variant(g->variant)->helpers, *warm = &g->chain->warm[helpers];
    bool all = true, good = true, due;

    if (cw_run_group_settings.always || cw_run.all || *warm)
        return true;
    due = cw_run_trial_seeks(&g->chain->seek, cw_run_global_lock_now_ns());
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *state = &g->chain->code[c->places[place[i]].worker->number];

        if (*state == CW_RUN_COPY_NONE || (*state == CW_RUN_COPY_MISSED && due))
            *state = order(g, &c->places[place[i]], n);
        all &= *state == CW_RUN_COPY_READY || *state == CW_RUN_COPY_FAILED;
        good &= *state == CW_RUN_COPY_READY;
    }
    if (good)
        cw_run_group_history_keep_warm(g->chain, helpers, 1);
    *warm = good; /* its first run has no compiler in it */
    return all;
}

bool cw_run_group_code_is_ordered(const struct cw_run_chain *c)
{
    return memchr(c->code, CW_RUN_COPY_WANTED, sizeof c->code) ||
           memchr(c->code, CW_RUN_COPY_MISSED, sizeof c->code);
}
