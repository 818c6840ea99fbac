/* help.c - threads of the program that run the commands that they wait for, or ask after. */
#include "../../door/dynamic_loader.h"
#include "../core/thread.h"
#include "../core/global_lock.h"
#include "../core/ready.h"
#include "../core/state.h"
#include "../memory/coherence.h"
#include "../tasks/callback.h"
#include "../tasks/foreign.h"
#include "../tiles/tile.h"
#include "../memory/spread.h"
#include "../workers/worker.h"
#include "window.h"

/* A thread of the program leaves helpers with a memory of their own to their workers: it could not help
 * elsewhere while a launch there takes long. */
static bool drives_itself(const struct cw_run_worker *l)
{
    return l->memory != CW_MEMORY_HOST && !l->home && !l->orphan;
}

/* The first command of `q`, up to number `last`, that is ready on an idle worker, or needs none; taken out of
 * the heap. `left`: only one that is left, and takes at most *left ns, which are taken from it. */
static struct cw_run_task *take_for(struct cw_run_queue *q, uint64_t last, struct cw_run_worker **worker,
                                    double *left)
{
    double ns = 0;

    for (uint32_t n = 0; n < cw_run.num_workers; n++) {
        struct cw_run_worker *l = &cw_run.workers[n];
        uint32_t best = l->num_ready;

        if (drives_itself(l) || (l->busy && l->memory == CW_MEMORY_HOST))
            continue;
        for (uint32_t i = 0; i < l->num_ready; i++) {
            const struct cw_run_task *t = l->heap[i];
            if ((l->busy && !cw_run_spread_read_is(t)) || t->queue != q || t->order.sequence > last ||
                !cw_run_worker_can_run(t) ||
                (best < l->num_ready && t->order.rank >= l->heap[best]->order.rank))
                continue;
            best = i;
            if (i == 0)
                break;
        }
        *worker = l;
        if (best == l->num_ready || (left && !(cw_run_short_task_is(l->heap[best], &ns) && ns <= *left)))
            continue;
        if (left)
            *left -= ns;
        return cw_run_ready_take(l, best);
    }
    return NULL;
}

bool cw_run_help_is_over(const void *what)
{
    const struct cw_run_until *u = what;

    return !u->queue->first || u->queue->first->order.sequence > u->sequence;
}

bool cw_run_help_one_is_over(const void *what)
{
    const struct cw_run_until *u = what;
    const struct cw_run_task *t = u->queue->first;

    while (t && t->order.sequence < u->sequence)
        t = t->links.next;
    return !t || t->order.sequence != u->sequence;
}

/* When the thread should look again at `q`, or at workers whose launches are late; 0: never. *again: at
 * once. */
static uint64_t time_to_look(const struct cw_run_queue *q, bool *again)
{
    uint64_t look = q ? cw_run_tile_late_look(q->first) : 0, late = 0;

    *again = false;
    if (CW_UNLIKELY(cw_run.far_workers))
        late = cw_run_relieve_look(again);
    return !look || (late && late < look) ? late : look;
}

/* Until something is done, or it is time to look (0: never). */
static void wait_until(uint64_t look_ns)
{
    uint64_t now = look_ns ? cw_run_global_lock_now_ns() : 0;

    cw_run_global_lock_wait(!look_ns ? 0 : look_ns > now ? look_ns - now : 1);
}

void cw_run_help(struct cw_run_queue *q, uint64_t last, bool (*over)(const void *), const void *what)
{
    struct cw_run_caller me;
    struct cw_run_worker *worker;
    struct cw_run_task *t;
    bool within;

    if (over(what))
        return;
    within = cw_dynamic_loader_is_here();
    if (within)
        cw_dynamic_loader_waits(true);
    cw_run_thread_caller_enter(&me);
    cw_run.waiters++;
    while (!over(what)) {
        cw_run_worker_take_ready();
        if (cw_run_foreign_is_due()) { /* before a command of this thread's, which may take long */
            cw_run_foreign_give_and_take();
        } else if (cw_run.retire_first && !cw_run.retirer) {
            cw_run_worker_retire();
        } else if (q && me.roomy && (t = take_for(q, last, &worker, NULL))) {
            cw_run_loop_run(worker, t, last);
        } else if (CW_UNLIKELY(cw_run_window_is_due())) {
            cw_run_window_step();
        } else if (cw_run_foreign_give_and_take()) {
            continue;
        } else if (!q || !cw_run_watch_parts(q->first)) {
            bool again;
            uint64_t look = time_to_look(q, &again);

            cw_run_loop_staff();
            cw_run_global_lock_kick();
            if (!again)
                wait_until(look);
        }
    }
    if (within)
        cw_dynamic_loader_waits(false);
    cw_run.waiters--;
    cw_run_thread_caller_leave(&me);
}

void cw_run_help_briefly(struct cw_run_queue *q, uint64_t last, double left)
{
    struct cw_run_caller me;
    struct cw_run_worker *worker;
    struct cw_run_task *t;

    if (!cw_run.ready_count)
        return;
    cw_run_worker_take_ready();
    cw_run_thread_caller_enter(&me);
    while (me.roomy && cw_run.ready_count && (t = take_for(q, last, &worker, &left)))
        cw_run_loop_run(worker, t, t->order.sequence);
    cw_run_thread_caller_leave(&me);
}

/* ---- callbacks */

static bool over_for_event(const void *what)
{
    return !((const struct cw_run_event *)what)->calls_due;
}

static bool over_for_queue(const void *what)
{
    const struct cw_run_until *u = what;

    return u->queue->calls_over >= u->sequence;
}

void cw_run_help_callbacks(struct cw_run_queue *q)
{
    struct cw_run_until until = {q, q->calls};

    if (cw_run_callback_is_due(q))
        cw_run_help(NULL, 0, over_for_queue, &until);
}

void cw_run_help_callbacks_on(struct cw_run_event *e)
{
    struct cw_run_until until = {e->queue, e->calls};

    if (!cw_run_callback_may_wait())
        return;
    if (e->what == CW_RUN_MANAGED && e->queue->in_order) /* bare, earlier callbacks have returned */
        cw_run_help(NULL, 0, over_for_queue, &until);
    else if (e->calls_due)
        cw_run_help(NULL, 0, over_for_event, e);
}
