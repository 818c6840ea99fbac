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
 * thread meanwhile, which is quicker than any hand-over.
 *
 * Where nothing of it is managed, the commands of such a queue pass (core/passing.h). Tracking resumes when
 * the program has waited for all of them and no other call came meanwhile. Devices with memories of their own
 * need the order of all commands of a context: its queues have one state, pass once all bytes are home, and
 * resume together. There no queue is planned before its spans have commands long enough for other GPUs, which
 * are not begun for less; the account of tuning/gpu_gain.c has what looks at them cost. */
#include "tuning.h"
#include <math.h>

#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/state.h"
#include "../memory/spread.h"

static struct cw_run_bypass_state *state_of(struct cw_run_queue *q)
{
    return cw_run.far_workers ? &q->context->bypass : &q->bypass;
}

static bool is_idle(const struct cw_run_queue *q)
{
    return !q->first && !q->join && q->native_given == q->native_known &&
           (!cw_run_passing_is(&q->passing) || cw_run_passing_is_quiet(&q->passing));
}

static bool may(const struct cw_run_queue *q)
{
    return q->managed && !cw_run.eager && !cw_run.chaos &&
           (!cw_run_fault_planted || cw_run_fault_planted == CW_RUN_FAULT_RESUMED) &&
           !cw_device_is_modelled(q->context->places[q->home].device);
}

/* A transfer that blocks behind native commands alone: the vendor goes from one to the other without waking
 * a thread. */
static bool follows_natives(const struct cw_run_queue *q)
{
    return q->native_given != q->native_known && !q->first && q->in_order && !cw_run.eager && !cw_run.chaos;
}

/* ---- passing */

/* Ends it, where all commands of `q` are over. */
static bool resume(struct cw_run_queue *q)
{
    if (CW_UNLIKELY(cw_run_fault_since(CW_RUN_FAULT_RESUMED)))
        cw_run_passing_end_early(&q->passing);
    else if (!is_idle(q) || q->native_calls || !cw_run_passing_end(&q->passing))
        return false;
    q->context->passing--;
    return true;
}

/* The same, for all queues of the context where there are far devices. */
static bool resume_all(struct cw_run_queue *q)
{
    struct cw_run_queue *other = NULL, *late = NULL;

    if (!cw_run.far_workers)
        return !cw_run_passing_is(&q->passing) || resume(q);
    while (!late && (other = cw_run_record_next(CW_RUN_QUEUE, other)))
        if (other->context == q->context && cw_run_passing_is(&other->passing) && !resume(other))
            late = other;
    return !late && !q->context->passing;
}

static bool are_home(const struct cw_run_context *c)
{
    struct cw_run_region *r = cw_run_spread_after(NULL);

    while (r && (r->root->context != c || cw_run_spread_is_at_rest(r)))
        r = cw_run_spread_after(r);
    return !r;
}

/* Devices on which a launch that polls may hold one of another queue: it is noted (planner/legal.c). */
static bool has_shared_devices(const struct cw_run_context *c)
{
    bool shared = c->devices->homes > 1;

    for (size_t i = 0; i < c->devices->n; i++)
        shared |= c->devices->device[i].kind == CW_DEVICE_KIND_SUBDEVICE;
    return shared;
}

void cw_run_bypass_pass(struct cw_run_queue *q)
{
    if (!state_of(q)->rest.until || cw_run_passing_is(&q->passing) || q->synchronous || q->first || q->join ||
        q->gates.n || q->again || !may(q) || cw_run.off || has_shared_devices(q->context))
        return;
    if (cw_run.far_workers && (cw_run.unfinished || !are_home(q->context)))
        return;
    q->context->passing++;
    cw_run_passing_begin(&q->passing, is_idle(q) && !q->native_calls, !cw_run.far_workers);
}

/* When the first of `n` calls would have begun, all of whose spans were like the one that was measured: the
 * latest; 0: not known. */
static uint64_t began_ns(const struct cw_run_passing *p, uint64_t n)
{
    uint64_t since = atomic_load(&p->since_ns), now = cw_run_global_lock_now_ns();
    uint64_t of = (atomic_load(&p->calls) - atomic_load(&p->first)) / CW_RUN_PASSING_CALL;

    return since && since < now && of && of < n ? now - (now - since) / of * n : since < now ? since : 0;
}

void cw_run_bypass_count(struct cw_run_queue *q)
{
    uint64_t more = cw_run_passing_count(&q->passing);

    if (!more)
        return;
    state_of(q)->passed += more;
    cw_run_gain_spoilt();
    cw_run_reasons_passed(more);
    cw_run_activation_passed(more, began_ns(&q->passing, more));
}

void cw_run_bypass_waited(struct cw_run_queue *q, uint64_t calls)
{
    struct cw_run_passing *p = &q->passing;

    cw_run_bypass_count(q);
    cw_run_passing_measure(p, ++p->full < CW_RUN_LOOK_EACH);
    atomic_store(&p->full_ns, cw_run_global_lock_now_ns());
    cw_run_passing_waited(p, calls);
}

/* ---- whether commands are native */

int cw_run_bypass_wanted(struct cw_run_queue *q, bool blocking)
{
    bool behind = blocking && follows_natives(q), bypassed;

    if (cw_run_passing_is(&q->passing) && (!blocking || cw_run.far_workers || !resume(q)))
        return CW_RUN_R_BYPASS;
    if (CW_UNLIKELY(cw_run.far_workers && q->context->passing))
        return CW_RUN_R_BYPASS;
    bypassed = state_of(q)->rest.until || !(cw_run.begun || cw_run.holds);

    if (CW_LIKELY(!behind && (!bypassed || (blocking && is_idle(q)))))
        return -1;
    return !(cw_run.begun || cw_run.holds) ? CW_RUN_R_UNBEGUN
           : state_of(q)->rest.until       ? CW_RUN_R_BYPASS
                                           : CW_RUN_R_BEHIND;
}

/* So many windows without a gain are enough. */
static uint32_t looks(const struct cw_run_bypass_state *a)
{
    return a->rest.wait > 0 ? CW_RUN_TRIAL_AGAIN : CW_RUN_TRIAL_LOOKS;
}

void cw_run_bypass_window(struct cw_run_queue *q, bool gained)
{
    struct cw_run_bypass_state *a = state_of(q);
    uint32_t most = cw_run_gpu_begin_is_awaited(q->context) ? looks(a) : CW_RUN_LOOK_EACH;

    if (!cw_run.begun)
        return; /* nothing could be gained */
    if (gained) {
        a->rest.poor = 0;
        a->rest.wait = 0;
    } else if (++a->rest.poor >= most && !a->rest.until && !q->synchronous && may(q)) {
        cw_run_trial_rest(&a->rest, CW_RUN_REST_SPANS, 0, 1);
    }
}

void cw_run_bypass_queue_made(struct cw_run_queue *q)
{
    struct cw_run_bypass_state *a = state_of(q);

    if (may(q) && !a->rest.until && cw_run_gpu_begin_is_awaited(q->context) && !cw_run_gpu_begin_paid())
        a->rest.until = 1;
    cw_run_bypass_pass(q);
}

/* The program has waited: a span more. */
static void add_span(struct cw_run_bypass_state *a, bool passed)
{
    uint32_t n;
    double ns = cw_run_activation_span(&n);

    if (!n)
        return;
    a->span_ns = a->span_ns / 2 + ns;
    a->span_commands = a->span_commands / 2 + n;
    if (passed)
        a->bare_ns = a->span_ns / a->span_commands;
    if (a->bare_ns > 0)
        cw_run_gpu_gain_looked(passed ? ns : n * a->bare_ns, ns);
}

/* The context has other GPUs that have not begun, and commands too short for them. */
static bool is_too_short(const struct cw_run_queue *q, struct cw_run_bypass_state *a)
{
    bool passed = a->passed > 0, is_long;

    a->passed = 0;
    if (!cw_run_gpu_begin_is_awaited(q->context) || !may(q))
        return false;
    add_span(a, passed);
    is_long = a->span_commands > 0 && a->span_ns >= CW_RUN_TILES_NS * a->span_commands;
    if (is_long)
        cw_run_gpu_begin_may_pay();
    return !is_long || cw_run_gpu_gain_rests();
}

void cw_run_bypass_synchronised(struct cw_run_queue *q)
{
    struct cw_run_bypass_state *a = state_of(q);
    bool is_short = is_too_short(q, a);
    uint64_t waits;

    if (cw_run_passing_is(&q->passing) && a->rest.until > 1 && a->rest.until < UINT64_MAX) {
        waits = atomic_exchange(&q->passing.waits, 0);
        a->rest.until -= waits < a->rest.until ? waits : a->rest.until - 1;
    }
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
    } else if (a->rest.poor >= looks(a) && may(q)) {
        cw_run_trial_rest(&a->rest, CW_RUN_REST_SPANS, 0, 1);
    }
    if (!a->rest.until && (is_short || (q->context->passing && !resume_all(q))))
        a->rest.until = 1;
    cw_run_bypass_pass(q);
}
