/* run_batch.c - launches that follow each other on one asynchronous device, handed to it in one go. */
#include "run_fault.h"

#define LONGEST_NS 500000 /* of a batch: the first of it is seen to be over when the last is */

static bool may_start(const struct cw_run_task *t)
{
    const struct cw_run_place *p = &t->queue->context->places[t->place];

    return t->work == CW_RUN_LAUNCH && p->slot->home && !p->slot->synchronous && !p->slot->dsp && !t->failed &&
           !cw_run_fault_planted && !cw_device_clock_is_virtual();
}

/* Measured, and short. */
static double expected_ns(const struct cw_run_task *t)
{
    double together = t->launch.kernel->batch_ns, alone = t->launch.kernel->mean_ns[t->lane];

    return together > 0 ? together : alone > 0 ? alone : LONGEST_NS;
}

static bool may_follow(const struct cw_run_task *first, const struct cw_run_task *s, uint64_t last)
{
    return s->work == CW_RUN_LAUNCH && s->state == CW_RUN_LINKED && s->released && s->batched == s->waits &&
           s->queue == first->queue && s->sequence <= last && s->lane == first->lane && s->place == first->place && !s->failed &&
           cw_run_flight_may(s);
}

uint32_t cw_run_batch_gather(struct cw_run_task *t, uint64_t last, struct cw_run_task *batch[CW_RUN_BATCH])
{
    double ns = may_start(t) ? expected_ns(t) : LONGEST_NS;
    uint64_t number = ++cw_run.batches;
    uint32_t n = 1;

    batch[0] = t;
    cw_run_flight_begin(t);
    for (uint32_t i = 0; i < n && ns < LONGEST_NS; i++)
        for (uint32_t j = 0; j < batch[i]->num_successors; j++) {
            uintptr_t bits = batch[i]->successors[j] & CW_RUN_EDGE_BITS;
            struct cw_run_task *s = (struct cw_run_task *)(batch[i]->successors[j] & ~(uintptr_t)CW_RUN_EDGE_BITS);

            if (!s || bits & CW_RUN_AT_RETIRE)
                continue;
            s->batched = s->batch == number ? s->batched + 1 : 1;
            s->batch = number;
            if (n == CW_RUN_BATCH || ns >= LONGEST_NS || !may_follow(t, s, last))
                continue;
            ns += expected_ns(s);
            s->state = CW_RUN_RUNNING;
            cw_run_flight_begin(s);
            batch[n++] = s;
        }
    return n;
}

/* One kernel's launches took `ns`: what one takes when it need not be waited for. */
static void learn(struct cw_run_task *const *batch, uint32_t n, uint64_t ns)
{
    struct cw_run_kernel *k = batch[0]->launch.kernel;
    double each = (double)ns / n;

    for (uint32_t i = 1; i < n; i++)
        if (batch[i]->launch.kernel != k)
            return;
    cw_run_lock();
    k->batch_ns = k->batch_ns > 0 && k->batch_ns * 1.05 < each ? k->batch_ns * 1.05 : each;
    cw_run_unlock();
}

void cw_run_batch_execute(struct cw_run_task *const *batch, uint32_t n)
{
    cl_command_queue queue = NULL;
    uint64_t start = cw_run_now_ns();
    cl_int err;

    for (uint32_t i = 0; i < n; i++)
        batch[i]->status = cw_run_submit(batch[i], &queue);
    err = queue ? cw_next.clFinish(queue) : CL_SUCCESS;
    learn(batch, n, cw_run_now_ns() - start);
    for (uint32_t i = 0; i < n; i++) {
        if (batch[i]->timed)
            batch[i]->times[3] = cw_run_now_ns();
        if (batch[i]->status == CL_SUCCESS)
            batch[i]->status = err;
    }
}
