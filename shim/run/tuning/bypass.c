/* bypass.c - queues that bypass the planner.
 *
 * A window that is planned and then runs at home as it was enqueued has cost something and gained nothing:
 * the vendor would have begun the first command while the program was still enqueueing the next. So a queue
 * whose latest windows were all of that kind gives its commands to the vendor as they come, for some
 * synchronisations; then a few windows are looked at again, and so on, less and less often. It changes sides
 * when nothing of it is unfinished, so that neither side has to wait for the other; only in a program that
 * waits for nothing it does not look for such a moment. All queues are native as long as there is nothing by
 * which they could gain (tuning/activation.c), and for good once the whole run falls behind its time without
 * helpers. Transfers that block, on a queue without unfinished commands, are done by the calling
 * thread meanwhile, which is quicker than any hand-over. */
#include "tuning.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/state.h"

static bool is_idle(const struct cw_run_queue *q)
{
    return !q->first && !q->join && q->native_given == q->native_known;
}

static bool may(const struct cw_run_queue *q)
{
    return q->managed && !cw_run.eager && !cw_run.chaos && !cw_run_fault_planted &&
           !cw_device_is_modelled(q->context->places[q->home].device);
}

/* A transfer that blocks behind native commands alone: the vendor goes from one to the other without waking
 * a thread. */
static bool follows_natives(const struct cw_run_queue *q)
{
    return q->native_given != q->native_known && !q->first && q->in_order && !cw_run.eager && !cw_run.chaos;
}

int cw_run_bypass_wanted(const struct cw_run_queue *q, bool blocking)
{
    bool bypassed = q->bypass.rest.until || !(cw_run.begun || cw_run.holds),
         behind = blocking && follows_natives(q);

    if (CW_LIKELY(!behind && (!bypassed || (blocking && is_idle(q)))))
        return -1;
    return !(cw_run.begun || cw_run.holds) ? CW_RUN_R_UNBEGUN
           : q->bypass.rest.until          ? CW_RUN_R_BYPASS
                                           : CW_RUN_R_BEHIND;
}

void cw_run_bypass_window(struct cw_run_queue *q, bool gained)
{
    if (!cw_run.begun)
        return; /* nothing could be gained */
    if (gained) {
        q->bypass.rest.poor = 0;
        q->bypass.rest.wait = 0;
    } else if (++q->bypass.rest.poor == CW_RUN_LOOK_EACH && !q->bypass.rest.until && !q->synchronous &&
               may(q)) {
        cw_run_trial_rest(&q->bypass.rest, CW_RUN_REST_SPANS, 0, 1);
    }
}

void cw_run_bypass_synchronised(struct cw_run_queue *q)
{
    struct cw_run_bypass_state *a = &q->bypass;

    q->context->watched = false;
    if (!is_idle(q)) {
        a->rest.until -= a->rest.until > 1;
        return;
    }
    if (cw_run_activation_has_ended() && may(q)) {
        a->rest.until = UINT64_MAX;
    } else if (a->copies != cw_run.copies) { /* there may be more to gain now */
        *a = (struct cw_run_bypass_state){.copies = cw_run.copies};
    } else if (cw_run_trial_passes(&a->rest)) {
        a->rest.poor = 0;
    } else if (a->rest.poor >= (a->rest.wait > 0 ? CW_RUN_TRIAL_AGAIN : CW_RUN_TRIAL_LOOKS) && may(q)) {
        cw_run_trial_rest(&a->rest, CW_RUN_REST_SPANS, 0, 1);
    }
}
