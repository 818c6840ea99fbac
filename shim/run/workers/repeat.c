/* repeat.c - see workers/worker.h. */
#include "worker.h"

#include <string.h>

#include "../tuning/tuning.h"
#include "../core/fault.h"
#include "../core/thread.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/state.h"

bool cw_run_repeat_elsewhere(const struct cw_run_queue *q)
{
    return q->again && !cw_run.forked &&
           !pthread_equal(q->again_by, pthread_self()); /* a callback in it is not waited for */
}

static struct cw_run_queue *wait_for_turn(cl_command_queue queue)
{
    struct cw_run_queue *q;
    int cancel;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* it would take the lock with it */
    cw_run.waiters++;
    while ((q = cw_run_record_find(queue, CW_RUN_QUEUE)) && cw_run_repeat_elsewhere(q))
        cw_run_global_lock_wait(0);
    cw_run.waiters--;
    pthread_setcancelstate(cancel, NULL);
    return q;
}

struct cw_run_queue *cw_run_repeat_turn(cl_command_queue queue)
{
    struct cw_run_queue *q = cw_run_record_find(queue, CW_RUN_QUEUE);

    return CW_UNLIKELY(q && q->again) ? wait_for_turn(queue) : q;
}

static bool is_same(const struct cw_run_repeat *a, const struct cw_run_ndrange *r)
{
    if (!r->global || a->dims != r->dims || a->has_local != !!r->local)
        return false;
    for (cl_uint i = 0; i < r->dims; i++)
        if (a->global[i] != r->global[i] || (r->local && a->local[i] != r->local[i]) ||
            (r->offset && r->offset[i]))
            return false;
    return true;
}

/* Nothing is known to have changed since then, and no other command runs. */
static bool may(const struct cw_run_enqueue *e, const struct cw_run_kernel *k)
{
    const struct cw_run_repeat *a = &k->again;
    const struct cw_run_queue *q = e->queue;

    return a->queue == q && !e->n && !e->event && a->sets == k->sets && a->records == cw_run.records &&
           a->copies == cw_run.copies && !cw_run.spreads && !cw_run.unfinished && !cw_run.running &&
           !q->join && q->native_given == q->native_known && !q->native_calls && cw_run.threads &&
           !cw_run.ending && !cw_run_global_lock_has_releases() && !cw_run.workers[a->worker].busy &&
           !cw_run.workers[a->worker].building;
}

/* Lock held; given up meanwhile. */
static cl_int run(struct cw_run_queue *q, struct cw_run_kernel *k, const struct cw_run_ndrange *r)
{
    struct cw_run_worker *l = &cw_run.workers[k->again.worker];
    cl_command_queue queue = q->context->places[k->again.place].queue;
    cl_kernel clone = k->clones[l->number];
    cl_int err;

    cw_run_record_pin(&q->r);
    cw_run_record_pin(&k->r);
    cw_run.sequence++;
    q->again = l->busy = true;
    q->again_by = pthread_self();
    cw_run.running++;
    cw_run.unfinished++;
    cw_run_global_lock_give();
    err = cw_next.clEnqueueNDRangeKernel(queue, clone, r->dims, NULL, r->global, r->local, 0, NULL, NULL);
    cw_run_global_lock_take();
    cw_run.unfinished--;
    cw_run.running--;
    q->again = l->busy = false;
    if (CW_UNLIKELY(err != CL_SUCCESS))
        k->again.left = 0;
    cw_run_object_unpin(&k->r);
    cw_run_object_unpin(&q->r);
    cw_run_global_lock_tell();
    return err;
}

static void count(bool done, bool moved)
{
    cw_run.counts.managed += done;
    cw_run.counts.launches += done;
    cw_run.counts.retired += done;
    cw_run.counts.again += done;
    cw_run.counts.moved += done && moved;
}

enum cw_run_repeat_answer cw_run_repeat_launch(const struct cw_run_enqueue *e, struct cw_run_kernel *k,
                                               const struct cw_run_ndrange *r)
{
    struct cw_run_repeat *a = &k->again;
    struct cw_run_caller me;
    struct cw_run_side *side;
    enum cw_run_repeat_answer what = CW_RUN_NOT_AGAIN;
    uint64_t now = 0;
    bool moved;

    if (!a->left || !may(e, k) || !is_same(a, r))
        return CW_RUN_NOT_AGAIN;
    cw_run_thread_caller_enter(&me);
    side = cw_run_exclusion_side(k, e->queue->context->places[a->place].device->home);
    if (me.roomy && cw_run_exclusion_enter(side, r)) {
        a->left--;
        moved = a->worker != e->queue->context->places[e->queue->home].worker->number;
        cw_run_activation_enqueued(&now);
        what = run(e->queue, k, r) == CL_SUCCESS ? CW_RUN_DONE_AGAIN : CW_RUN_REFUSED;
        cw_run_exclusion_leave(side);
        count(what == CW_RUN_DONE_AGAIN, moved);
    }
    cw_run_thread_caller_leave(&me);
    return what;
}

/* One whole launch of an in-order queue, without an event or profiling. */
static bool is_plain(const struct cw_run_task *t)
{
    return !t->event && !t->gate && !t->time.wanted && !t->behind_native && !t->outcome.failed &&
           !t->launch.tiles && !t->launch.group.may && !t->joins && !t->launch.has_offset &&
           t->queue->in_order;
}

/* It would go there if it were planned. */
static bool is_settled(const struct cw_run_task *t)
{
    const struct cw_run_repeat_place *m = &t->launch.kernel->repeat_place;

    return cw_run.num_workers < 2 || (m->left && m->shape == t->launch.measure.shape &&
                                      m->worker == t->at.worker && m->place == t->at.place);
}

void cw_run_repeat_learn(const struct cw_run_task *t)
{
    struct cw_run_kernel *k = t->launch.kernel;
    double ns;

    k->again.left = 0;
    if (!is_plain(t) || t->launch.repeat.sets != k->sets || !is_settled(t) || cw_run.chaos ||
        cw_run_fault_planted || !cw_run_short_task_is(t, &ns) || ns > CW_RUN_SHORT_TASK_NS)
        return;
    k->again = (struct cw_run_repeat){.queue = t->queue,
                                      .sets = t->launch.repeat.sets,
                                      .records = cw_run.records,
                                      .dims = t->launch.dims,
                                      .has_local = t->launch.has_local,
                                      .worker = t->at.worker,
                                      .place = t->at.place,
                                      .copies = cw_run.copies,
                                      .left = CW_RUN_LOOK_EACH - 1};
    memcpy(k->again.global, t->launch.global, sizeof k->again.global);
    memcpy(k->again.local, t->launch.local, sizeof k->again.local);
}
