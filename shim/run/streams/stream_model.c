/* stream_model.c - see streams/stream_model.h. */
#include "stream_model.h"

#include <stdlib.h>

#include "../../door/thread.h"
#include "../core/global_lock.h"
#include "../models/program_models.h"
#include "../models/reach.h"

#define DEAR_NS 50000 /* of a kernel whose evaluations take longer hulls are enough */

/* Run mode's lock held. */
static bool take(const void *program, uint64_t number, struct cw_run_models *m)
{
    struct cw_stream_program *p = cw_stream_object_pin(program, CW_STREAM_PROGRAM);
    bool taken = p && p->job == number;

    if (taken)
        atomic_store(&p->models, m);
    if (p)
        cw_stream_object_unpin(p);
    return taken;
}

void cw_stream_model_want(struct cw_stream_program *p, bool wait)
{
    cl_program program = (cl_program)(uintptr_t)p->o.handle;
    cl_device_id devices[CW_RUN_WORKERS];
    struct cw_known_build *build = p->job || !p->text ? NULL : cw_known_build_read(&p->build);
    size_t bytes = 0;

    if (!build)
        return;
    if (cw_next.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes) != CL_SUCCESS)
        bytes = 0;
    cw_run_global_lock_take();
    p->job = cw_run_program_models_get(program, build->source ? build->source : p->source, build->options,
                                       devices, bytes / sizeof *devices, take);
    if (p->job && wait)
        cw_run_program_models_wait_for(p->job);
    if (!p->job)
        p->job = UINT64_MAX; /* there will be none */
    cw_run_global_lock_give();
    cw_known_build_drop(build);
}

void cw_stream_model_forget(struct cw_stream_program *p)
{
    cw_run_program_models_release(atomic_exchange(&p->models, NULL));
    p->job = 0;
}

void cw_stream_model_renew(struct cw_stream_program *p, bool wait)
{
    cw_run_global_lock_take(); /* models of the build before may be about to come */
    cw_stream_model_forget(p);
    cw_run_global_lock_give();
    if (wait)
        cw_stream_model_want(p, true);
}

void cw_stream_model_free_kernel(struct cw_stream_kernel *k)
{
    cw_reacher_destroy(k->reacher);
    cw_run_program_models_release(k->models);
    free(k->reached);
    free(k->name);
    if (k->program)
        cw_stream_object_unpin(k->program);
}

/* The models may have come since the last launch. */
static bool find_model(struct cw_stream_kernel *k)
{
    struct cw_run_models *m =
        k->model || !k->program ? NULL : atomic_load_explicit(&k->program->models, memory_order_acquire);

    if (!m)
        return k->model;
    k->model = cw_model_set_find(&m->set, k->name);
    if (!k->model || (uint32_t)k->model->args != k->count) {
        k->model = NULL;
        return false;
    }
    m->refs++;
    k->models = m;
    k->reached = calloc(k->count + 1, sizeof *k->reached);
    k->reacher = k->reached ? cw_reacher_create(k->model, CW_RUN_REACH_PIECES) : NULL;
    for (uint32_t i = 0; i < k->count && k->reacher; i++)
        k->args[i].commutes = cw_reacher_commutes(k->reacher, i);
    return true;
}

bool cw_stream_model_may_poll(struct cw_stream_kernel *k)
{
    return find_model(k) ? k->model->polls : !k->program || k->program->may_poll;
}

static bool is_null(const struct cw_stream_arg *a)
{
    for (uint32_t i = 0; i < a->size; i++)
        if (a->value[i])
            return false;
    return a->size == sizeof(cl_mem);
}

/* OTHER: the program has set an argument of another kind than the model's. */
static struct cw_reach_arg describe(const struct cw_stream_arg *a, enum cw_arg_kind kind)
{
    bool buffer = kind == CW_ARG_GLOBAL || kind == CW_ARG_CONSTANT;

    if (kind == CW_ARG_LOCAL && a->local)
        return (struct cw_reach_arg){.kind = CW_REACH_LOCAL};
    if (kind == CW_ARG_SCALAR && a->size <= CW_STREAM_VALUE)
        return (struct cw_reach_arg){.kind = CW_REACH_SCALAR, .bytes = a->size, .value = a->value};
    if (buffer && (a->bytes.high || is_null(a)))
        return (struct cw_reach_arg){.kind = CW_REACH_BUFFER, .bytes = a->bytes.high - a->bytes.low};
    return (struct cw_reach_arg){.kind = CW_REACH_OTHER};
}

struct question {
    struct cw_stream_kernel *k;
    const struct cw_stream_launch *l;
    const struct cw_reach *answer;
};

static void reach(void *question)
{
    struct question *q = question;
    struct cw_stream_kernel *k = q->k;
    struct cw_reach_launch l = {.work_dim = q->l->dims, .arg = k->reached, .args = k->count};

    for (uint32_t i = 0; i < k->count; i++)
        k->reached[i] = describe(&k->args[i], k->model->arg[i].kind);
    for (cl_uint d = 0; d < q->l->dims; d++) {
        l.global[d] = q->l->global[d];
        l.local[d] = q->l->local ? q->l->local[d] : 0;
        l.offset[d] = q->l->offset ? q->l->offset[d] : 0;
    }
    q->answer = cw_reacher_launch(k->reacher, &l, DEAR_NS);
}

const struct cw_reach *cw_stream_model_reach(struct cw_stream_kernel *k, const struct cw_stream_launch *l)
{
    struct question q = {k, l, NULL};

    if (find_model(k) && k->reacher && l->global && l->dims >= 1 && l->dims <= 3)
        cw_roomy(reach, &q);
    return q.answer;
}
