/* reach.c - see models/reach.h. */
#include "reach.h"
#include "../core/tile_types.h"

#include <stdlib.h>

#include "../../door/thread.h"
#include "program_models.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/state.h"

#define DEAR_NS 50000 /* of a kernel whose evaluations take longer hulls are enough */

struct cw_run_reacher {
    struct cw_run_models *models;
    struct cw_reacher *reacher; /* NULL: there is no model that says something */
    struct cw_reach_arg *args;
};

void cw_run_reach_free(struct cw_run_known *known)
{
    struct cw_run_reacher *r = known->reacher;

    known->reacher = NULL;
    if (!r)
        return;
    cw_reacher_destroy(r->reacher);
    free(r->args);
    cw_run_program_models_release(r->models);
    free(r);
}

/* For the models that the program has now. NULL: out of memory. */
static struct cw_run_reacher *reacher_of(struct cw_run_kernel *k)
{
    struct cw_run_reacher *r = k->known->reacher;
    const struct cw_model *m;

    if (r && r->models == k->program->models)
        return r;
    cw_run_reach_free(k->known);
    r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    k->known->reacher = r;
    r->models = k->program->models;
    r->models->refs++;
    m = cw_model_set_find(&r->models->set, k->name);
    r->args = calloc(k->count + 1, sizeof *r->args);
    r->reacher = m && r->args ? cw_reacher_create(m, CW_RUN_REACH_PIECES) : NULL;
    return r;
}

/* A value of a handle's size may be a buffer, NULL or a number; the model says which is meant. The buffer
 * that it would name has been looked up by then. */
static struct cw_reach_arg describe(const struct cw_run_arg *a, bool is_buffer)
{
    if (a->kind == CW_RUN_ARG_LOCAL)
        return (struct cw_reach_arg){.kind = CW_REACH_LOCAL};
    if (a->kind == CW_RUN_ARG_POINTER && (a->memory || !a->word))
        return (struct cw_reach_arg){.kind = CW_REACH_BUFFER,
                                     .bytes = a->memory ? a->memory->bytes : 0,
                                     .start = a->memory ? cw_run_arg_start(a) : 0};
    if (a->kind != CW_RUN_ARG_VALUE || a->sampler)
        return (struct cw_reach_arg){.kind = CW_REACH_OTHER};
    if (a->memory && a->memory->image)
        return (struct cw_reach_arg){.kind = CW_REACH_OTHER};
    if (a->memory || (is_buffer && a->size == sizeof(cl_mem) && !a->word))
        return (struct cw_reach_arg){.kind = CW_REACH_BUFFER, .bytes = a->memory ? a->memory->bytes : 0};
    return (struct cw_reach_arg){.kind = CW_REACH_SCALAR,
                                 .bytes = a->size,
                                 .value = a->size > 8 ? a->bytes : (const unsigned char *)&a->word};
}

/* False: there is no model that says something. Fills *l. */
static bool describe_launch(struct cw_run_kernel *k, const struct cw_run_arg *args, cl_uint dims,
                            const size_t *offset, const size_t *global, const size_t *local,
                            struct cw_reach_launch *l)
{
    struct cw_run_reacher *r = k->program->models && k->known ? reacher_of(k) : NULL;

    *l = (struct cw_reach_launch){.work_dim = dims, .args = k->count};
    if (!r || !r->reacher)
        return false;
    for (uint32_t i = 0; i < k->count; i++)
        r->args[i] = describe(&args[i], cw_reacher_is_buffer(r->reacher, i));
    for (cl_uint d = 0; d < dims && d < 3; d++) {
        l->offset[d] = offset ? offset[d] : 0;
        l->global[d] = global[d];
        l->local[d] = local ? local[d] : 0;
    }
    l->arg = r->args;
    return true;
}

struct question {
    struct cw_run_kernel *kernel;
    cl_uint dims;
    const size_t *offset, *global, *local;
    const struct cw_reach *answer;
    struct cw_work_ops *ops;
    bool known;
};

static void reach(void *question)
{
    struct question *q = question;
    struct cw_reach_launch l;

    if (describe_launch(q->kernel, q->kernel->args, q->dims, q->offset, q->global, q->local, &l))
        q->answer = cw_reacher_launch(q->kernel->known->reacher->reacher, &l, DEAR_NS);
}

const struct cw_reach *cw_run_reach(struct cw_run_kernel *k, cl_uint dims, const size_t *offset,
                                    const size_t *global, const size_t *local)
{
    struct question q = {k, dims, offset, global, local, NULL, NULL, false};

    if (k->program->models)
        cw_roomy(reach, &q);
    return q.answer;
}

bool cw_run_reach_ops(struct cw_run_kernel *k, const struct cw_run_arg *args, cl_uint dims,
                      const size_t *global, const size_t *local, bool wait, struct cw_work_ops *ops)
{
    const struct cw_work_ops *known;
    struct cw_reach_launch l;

    if (wait)
        cw_run_program_models_wait(k->program);
    known = describe_launch(k, args, dims, NULL, global, local, &l)
                ? cw_reacher_ops(k->known->reacher->reacher, &l)
                : NULL;
    if (known)
        *ops = *known;
    return known;
}

bool cw_run_reach_task_ops(const struct cw_run_task *t, bool wait, struct cw_work_ops *ops)
{
    const struct cw_run_launch *l = &t->launch;

    if (t->work != CW_RUN_LAUNCH || !cw_device_by_operations() ||
        !cw_run_reach_ops(l->kernel, l->args, l->dims, l->global, l->has_local ? l->local : NULL, wait, ops))
        return false;
    ops->groups *= cw_run_tile_share(t);
    return true;
}

static void native_ops(void *question)
{
    struct question *q = question;

    q->known = cw_run_reach_ops(q->kernel, q->kernel->args, q->dims, q->global, q->local, true, q->ops);
}

bool cw_run_reach_native_ops(cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local,
                             struct cw_work_ops *ops)
{
    struct question q = {NULL, dims, NULL, global, local, NULL, ops, false};

    cw_run_global_lock_take();
    q.kernel =
        cw_run.forked || dims < 1 || dims > 3 || !global ? NULL : cw_run_record_find(kernel, CW_RUN_KERNEL);
    if (q.kernel)
        cw_roomy(native_ops, &q);
    cw_run_global_lock_give();
    return q.known;
}
