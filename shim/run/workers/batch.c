/* batch.c - launches that follow each other on one device, handed to it in one go. */
#include "../core/fault.h"
#include "../memory/spread.h"
#include "../../../sched/whole.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "worker.h"

static const struct cw_run_context_device *place_of(const struct cw_run_task *t)
{
    return &t->queue->context->places[t->at.place];
}

/* Its callbacks run when it starts or ends, before the next one does. */
static bool is_watched(const struct cw_run_task *t)
{
    return t->event && t->event->callbacks;
}

/* The longest time of a batch that begins with `t`; 0: none begins there. */
static double longest_ns(const struct cw_run_task *t)
{
    const struct cw_cl_device *device = place_of(t)->device;

    if (t->work != CW_RUN_LAUNCH || cw_device_is_modelled(device) || t->outcome.failed || is_watched(t) ||
        cw_run_fault_planted || cw_device_clock_is_virtual())
        return 0;
    return cw_device_has(device, CW_VENDOR_IN_CALL) ? CW_RUN_BATCH_AT_ONCE_NS
           : device->home                           ? CW_RUN_BATCH_NS
                                                    : 0;
}

/* Measured, and short. */
static double expected_ns(const struct cw_run_task *t)
{
    double together =
        cw_device_has(place_of(t)->device, CW_VENDOR_IN_CALL) ? 0 : t->launch.kernel->known->batch_ns;
    double alone = t->launch.kernel->known->mean_ns[t->at.worker];

    return together > 0 ? together : alone > 0 ? alone : CW_RUN_BATCH_NS;
}

static bool may_follow(const struct cw_run_task *first, struct cw_run_task *s, uint64_t last)
{
    return s->work == CW_RUN_LAUNCH && s->state == CW_RUN_RELEASED && s->launch.batch.waits == s->waits &&
           s->queue == first->queue && s->order.sequence <= last && s->at.worker == first->at.worker &&
           s->at.place == first->at.place && !s->outcome.failed && !s->launch.tiles && !s->launch.group.may &&
           !is_watched(s) && cw_run_exclusion_may(s) && !(cw_run.far_workers && !cw_run_spread_claims(s));
}

uint32_t cw_run_batch_gather(struct cw_run_task *t, uint64_t last, struct cw_run_task *batch[CW_RUN_BATCH])
{
    double longest = longest_ns(t), ns = longest > 0 ? expected_ns(t) : 0;
    uint64_t number = ++cw_run.batches;
    uint32_t n = 1;

    batch[0] = t;
    cw_run_exclusion_begin(t);
    for (uint32_t i = 0; i < n && ns < longest; i++)
        for (uint32_t j = 0; j < batch[i]->edges.n; j++) {
            uintptr_t bits = batch[i]->edges.to[j] & CW_RUN_EDGE_BITS;
            struct cw_run_task *s =
                (struct cw_run_task *)(batch[i]->edges.to[j] & ~(uintptr_t)CW_RUN_EDGE_BITS);

            if (!s || bits & CW_RUN_AT_RETIRE || s->work != CW_RUN_LAUNCH)
                continue;
            s->launch.batch.waits = s->launch.batch.number == number ? s->launch.batch.waits + 1 : 1;
            s->launch.batch.number = number;
            if (n == CW_RUN_BATCH || ns >= longest || !may_follow(t, s, last))
                continue;
            ns += expected_ns(s);
            s->state = CW_RUN_RUNNING;
            cw_run_exclusion_begin(s);
            batch[n++] = s;
        }
    return n;
}

/* The launches took `ns` together: each its share by its expected time. */
static void learn(struct cw_run_task *const *batch, uint32_t n, uint64_t ns)
{
    double all = 0, factor;

    cw_run_global_lock_take();
    for (uint32_t i = 0; i < n; i++)
        all += expected_ns(batch[i]);
    factor = (double)ns / all;
    for (uint32_t i = 0; i < n; i++) {
        batch[i]->launch.measure.took_ns = cw_whole_from(expected_ns(batch[i]) * factor, ns);
        batch[i]->launch.measure.chained = true;
    }
    cw_run_global_lock_give();
}

/* Where enqueueing runs them. Launches behind one that a helper refuses have to wait until home has run that
 * one. */
static void one_by_one(struct cw_run_task *const *batch, uint32_t n)
{
    uint32_t i = 0;

    do {
        batch[i]->outcome.status = cw_run_execute_command(batch[i]);
    } while (batch[i]->outcome.status == CL_SUCCESS && ++i < n);
    for (i++; i < n; i++)
        batch[i]->outcome.status = CW_RUN_NOT_RUN;
}

/* They were told to start together, and each began when the one before it was over. */
static void one_after_another(struct cw_run_task *const *batch, uint32_t n, bool shares)
{
    for (uint32_t i = 0; batch[0]->time.wanted && i < n && batch[i]->outcome.status != CW_RUN_NOT_RUN; i++) {
        if (i && batch[i]->time.at[2] < batch[i - 1]->time.at[3])
            batch[i]->time.at[2] = batch[i - 1]->time.at[3];
        if (shares)
            batch[i]->time.at[3] = batch[i]->time.at[2] + batch[i]->launch.measure.took_ns;
    }
}

void cw_run_batch_execute(struct cw_run_task *const *batch, uint32_t n)
{
    cl_command_queue queue = NULL;
    uint64_t start;
    cl_int err;

    if (cw_device_has(place_of(batch[0])->device, CW_VENDOR_IN_CALL)) {
        one_by_one(batch, n);
        one_after_another(batch, n, false);
        return;
    }
    start = cw_run_global_lock_now_ns();
    for (uint32_t i = 0; i < n; i++)
        batch[i]->outcome.status = cw_run_execute_submit(batch[i], &queue);
    err = queue ? cw_next.clFinish(queue) : CL_SUCCESS;
    learn(batch, n, cw_run_global_lock_now_ns() - start);
    for (uint32_t i = 0; i < n; i++) {
        if (batch[i]->time.wanted)
            batch[i]->time.at[3] = cw_run_global_lock_now_ns();
        if (batch[i]->outcome.status == CL_SUCCESS)
            batch[i]->outcome.status = err;
    }
    one_after_another(batch, n, true);
}
