/* worker.c - workers: one device, one command at a time, driven by its own or another thread. */
#include "../../door/lock_order.h"
#include "../core/clock.h"
#include "../tasks/event.h"
#include "../core/global_lock.h"
#include "../core/ready.h"
#include "../core/record.h"
#include "../core/state.h"
#include "../tasks/object.h"
#include "../tasks/task.h"
#include "worker.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/thread.h"
#include "../core/tile_types.h"
#include "../memory/coherence.h"
#include "../memory/quarantine.h"
#include "../memory/spread.h"
#include "../tuning/tuning.h"

struct cw_run_worker *cw_run_worker_of(const struct cw_cl_device *device)
{
    struct cw_run_worker *l;

    for (uint32_t i = 0; i < cw_run.num_workers; i++)
        if (cw_run.workers[i].device == device->device) {
            cw_run.workers[i].home |= device->home;
            cw_run.workers[i].units = device->compute_units; /* a sub-device may be another one by now */
            return &cw_run.workers[i];
        }
    if (cw_run.num_workers == CW_RUN_WORKERS)
        return NULL;
    l = &cw_run.workers[cw_run.num_workers];
    *l = (struct cw_run_worker){.number = cw_run.num_workers,
                                .device = device->device,
                                .home = device->home,
                                .class_name = device->class_name,
                                .kind = device->kind,
                                .speed = device->speed,
                                .pace = device->pace,
                                .memory = device->memory,
                                .far = device->far,
                                .in_call = cw_device_has(device, CW_VENDOR_IN_CALL),
                                .units = device->compute_units};
    memcpy(l->name, device->name, sizeof l->name);
    if (cw_run.reserved && !cw_run_ready_reserve_at(l, cw_run.reserved))
        return NULL;
    pthread_cond_init(&l->wake, NULL);
    pthread_cond_init(&l->look_ahead, NULL);
    pthread_mutex_init(&l->turn.lock, NULL);
    cw_lock_order_add(&l->turn.lock, CW_LOCK_TURN);
    pthread_cond_init(&l->turn.given, NULL);
    cw_run.num_workers++;
    if (l->memory != CW_MEMORY_HOST) {
        cw_run.far_workers++;
        if (cw_device_has(device, CW_VENDOR_PINNED) && cw_device_has(device, CW_VENDOR_OWN_MEMORY))
            cw_run.direct |= UINT64_C(1) << l->memory;
        cw_run.over = cw_run_spread_over;
    }
    return l;
}

static void push_parts(struct cw_run_task *t)
{
    struct cw_run_tiles *x = t->launch.tiles;

    t->state = CW_RUN_READY;
    for (uint32_t i = 0; i < x->parts; i++) { /* at most one for each worker: there is room */
        x->part[i].order.rank = t->order.rank;
        x->part[i].time.ready_ns = t->time.ready_ns;
        cw_run_ready_push(&x->part[i]);
    }
}

void cw_run_worker_ready(struct cw_run_task *t)
{
    if (CW_UNLIKELY(cw_run.workers[t->at.worker].quarantine.hung)) {
        cw_run_task_goes_home(t);
    }
    if (CW_LIKELY(!cw_run_tiles_of(t))) {
        cw_run_ready_push(t);
        return;
    }
    if (cw_run.far_workers && !cw_run_spread_claims(t))
        cw_run_ready_push(t); /* its worker claims and fetches its bytes before: cw_run_worker_fetch */
    else
        push_parts(t);
}

void cw_run_worker_take_ready(void)
{
    struct cw_run_task *t;

    while ((t = cw_run_ready_next()))
        cw_run_worker_ready(t);
}

void cw_run_worker_done(struct cw_run_task *t, cl_int status)
{
    bool gauged = t->gauged;

    cw_run_task_done(t, status);
    if (gauged)
        cw_run_gain_done(t);
    cw_run_worker_take_ready();
}

void cw_run_worker_retire(void)
{
    do {
        cw_run_worker_take_ready();
        cw_run_object_sweep(); /* before the lock is given up: counts of references are right */
    } while (cw_run_task_retire());
}

/* Launches that must not overlap wait for each other (workers/exclusion.c); parts do not. */
static bool may_overlap(const struct cw_run_task *t)
{
    return t->work != CW_RUN_LAUNCH || t->launch.part.of || t->launch.group.run || cw_run_exclusion_may(t);
}

bool cw_run_worker_can_run(const struct cw_run_task *t)
{
    return may_overlap(t) && !(CW_UNLIKELY(cw_run.far_workers) && !cw_run_spread_may_claim(t));
}

struct cw_run_task *cw_run_worker_take_first(struct cw_run_worker *l)
{
    uint32_t best = l->num_ready;

    if (cw_run_worker_can_run(l->heap[0]))
        return cw_run_ready_take(l, 0);
    for (uint32_t i = 1; i < l->num_ready; i++)
        if (cw_run_worker_can_run(l->heap[i]) &&
            (best == l->num_ready || l->heap[i]->order.rank < l->heap[best]->order.rank))
            best = i;
    l->blocked = best == l->num_ready;
    return l->blocked ? NULL : cw_run_ready_take(l, best);
}

/* ---- running */

/* True when a command of its queue that the program enqueued earlier has not started. */
static bool overtakes(const struct cw_run_task *t)
{
    const struct cw_run_task *p = t->links.prev;

    while (p && p->work == CW_RUN_NOTHING)
        p = p->links.prev;
    return p && p->state < CW_RUN_RUNNING;
}

/* A helper refused the launch, so it has not run: home runs it. A launch that failed later may have written
 * already, and a kernel that updates data in place must not run twice: that is an error of the command. */
static void back_home(struct cw_run_worker *l, struct cw_run_task *t)
{
    t->launch.kernel->known->broken[l->number] |= !t->launch.uncoded && !l->quarantine.error;
    cw_run.counts.moved -= t->launch.uncoded;
    t->launch.uncoded = false;
    t->launch.kernel->repeat_place.left = 0;
    cw_run_task_goes_home(t);
    cw_run_spread_release(t);
    cw_run_worker_ready(t);
}

void cw_run_worker_starts(struct cw_run_task *t)
{
    t->state = CW_RUN_RUNNING;
    if (t->time.wanted) {
        t->time.at[2] = cw_run_clock_now_ns();
        if (t->time.at[2] < t->time.at[1])
            t->time.at[2] = t->time.at[1];
    }
    cw_run.counts.reordered += overtakes(t);
    cw_run.counts.moved += t->work == CW_RUN_LAUNCH && cw_run_is_away(t);
    cw_run_event_progress(t);
}

/* A batch ended before its turn. A helper that refused the one before refuses it, too. */
static void not_run(const struct cw_run_worker *l, struct cw_run_task *t)
{
    bool away = t->work == CW_RUN_LAUNCH && cw_run_is_away(t);

    t->state = CW_RUN_RELEASED;
    cw_run_spread_release(t);
    cw_run.counts.moved -= away;
    if (away && t->launch.kernel->known->broken[l->number]) {
        cw_run_task_goes_home(t);
    }
    if (!t->waits)
        cw_run_worker_ready(t);
}

/* A launch that has failed at a helper may run at home: it has not begun, or all that it may have written is
 * as before elsewhere. */
static bool is_as_before(struct cw_run_worker *l, struct cw_run_task *t)
{
    bool begun = t->launch.begun;

    if (l->memory == CW_MEMORY_HOST)
        return !begun;
    if (cw_run_quarantine_is_due(t->launch.vendor))
        cw_run_quarantine_begin(l, t->launch.vendor, false);
    t->launch.uncoded |= t->launch.vendor == CL_MEM_OBJECT_ALLOCATION_FAILURE;
    t->launch.begun = false;
    return !begun || cw_run_spread_failed(t);
}

static void ends(struct cw_run_worker *l, struct cw_run_task *t, cl_int status, bool alone)
{
    cw_run_exclusion_end(t);
    if (CW_UNLIKELY(status == CW_RUN_NOT_RUN)) {
        not_run(l, t);
        return;
    }
    if (t->work == CW_RUN_LAUNCH) {
        cw_run_perf_model_measured(t, status);
        cw_run_short_task_measured(t);
        if (alone && status == CL_SUCCESS)
            cw_run_repeat_learn(t);
        /* its private kernel may have other arguments now */
        else
            t->launch.kernel->again.left = 0;
    }
    if (status < 0 && t->work == CW_RUN_LAUNCH && cw_run_is_away(t) && !t->outcome.failed &&
        is_as_before(l, t)) {
        t->launch.begun = false;
        back_home(l, t);
        return;
    }
    cw_run_worker_done(t, status);
}

/* All of the first launches of a kernel, some of the later ones. */
static bool is_measured(const struct cw_run_task *t)
{
    uint32_t n = t->launch.kernel->known->launches[t->at.worker]++;

    return n < CW_RUN_LOOK_EACH || n % CW_RUN_SAMPLE == 0;
}

/* The device had no memory for the launch, which has not run. Others' buffers leave it, and then it is tried
 * once more. */
static bool has_more_space(struct cw_run_worker *l, const struct cw_run_task *t, cl_int status)
{
    return CW_UNLIKELY(status == CL_MEM_OBJECT_ALLOCATION_FAILURE) && l->memory != CW_MEMORY_HOST &&
           !(t->work == CW_RUN_LAUNCH && t->launch.begun) && cw_run_spread_make_space(l, t);
}

/* What running the launch has told of it. */
static void hear(struct cw_run_task *t, const struct cw_run_task *run)
{
    t->launch.vendor = run->launch.vendor;
    t->launch.begun = run->launch.begun;
    t->launch.uncoded = run->launch.uncoded;
    t->launch.part.able = run->launch.part.able;
    t->launch.measure.took_ns = run->launch.measure.took_ns;
    memcpy(t->time.at, run->time.at, sizeof t->time.at);
}

struct cw_run_task *cw_run_worker_begins(struct cw_run_worker *l, struct cw_run_task *t,
                                         struct cw_run_task *copy)
{
    bool watched = l->hung_ns;

    if (watched)
        *copy = *t;
    l->runs = watched ? t : NULL;
    cw_run_global_lock_give();
    return watched ? copy : t;
}

void cw_run_worker_ended(struct cw_run_worker *l, struct cw_run_task *t, const struct cw_run_task *run)
{
    cw_run_global_lock_take();
    if (run != t && !l->quarantine.hung)
        hear(t, run);
    l->runs = NULL;
}

static cl_int execute(struct cw_run_worker *l, struct cw_run_task *t)
{
    struct cw_run_task copy, *run = cw_run_worker_begins(l, t, &copy);
    cl_int status = cw_run_execute_command(run);

    cw_run_worker_ended(l, t, run);
    return status;
}

struct cw_run_task *cw_run_worker_leave_behind(struct cw_run_worker *l)
{
    struct cw_run_task *t = l->runs;

    cw_run_quarantine_begin(l, CL_OUT_OF_RESOURCES, false);
    l->quarantine.part = t->launch.part.of;
    l->quarantine.hung = l->quit = true; /* it stays busy: no other thread drives it */
    l->runs = NULL;
    cw_run.running--;
    cw_run_wanted_nothing(l);
    t->storage = CW_RUN_LEFT; /* with its arguments */
    cw_run_record_pin(&t->launch.kernel->r);
    cw_run_record_pin(&t->queue->r);
    t->launch.begun = true;
    t->launch.vendor = CL_OUT_OF_RESOURCES;
    if (t->launch.part.of)
        return t;
    ends(l, t, CL_OUT_OF_RESOURCES, false);
    return NULL;
}

void cw_run_worker_run_command(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last)
{
    struct cw_run_task *batch[CW_RUN_BATCH];
    cl_int status = CL_COMPLETE;
    uint32_t n;

    l->busy = true;
    cw_run.running++;
    n = cw_run_batch_gather(t, last, batch);
    if (CW_UNLIKELY(l->memory != CW_MEMORY_HOST))
        cw_run_late_begins(l, t, n == 1);
    for (uint32_t i = 0; i < n; i++)
        cw_run_worker_starts(batch[i]);
    for (uint32_t i = 0;
         i < n && (n == 1 || cw_device_has(t->queue->context->places[t->at.place].device, CW_VENDOR_IN_CALL));
         i++)
        if (t->work == CW_RUN_LAUNCH)
            batch[i]->launch.measure.wanted = is_measured(batch[i]);
    if (n > 1) {
        cw_run_global_lock_give();
        cw_run_batch_execute(batch, n);
        cw_run_global_lock_take();
    } else if (!t->outcome.failed) {
        do
            status = execute(l, t);
        while (!l->quarantine.hung && has_more_space(l, t, status));
    }
    if (CW_UNLIKELY(l->quarantine.hung))
        return; /* another thread has seen to it */
    cw_run_late_ends(l);
    l->busy = false;
    cw_run.running--;
    for (uint32_t i = 0; i < n; i++)
        ends(l, batch[i], n > 1 ? batch[i]->outcome.status : status, n == 1);
    cw_run_worker_retire();
}

void cw_run_worker_run_read(struct cw_run_task *t)
{
    cl_int status = t->outcome.failed;

    cw_run_spread_fetch(t); /* of a command that fetches its bytes itself this is only its claim */
    cw_run_worker_starts(t);
    if (status >= 0) {
        cw_run_global_lock_give();
        status = cw_run_execute_command(t);
        cw_run_global_lock_take();
    }
    cw_run_worker_done(t, status);
    cw_run_worker_retire();
}

void cw_run_worker_save_all(void)
{
    for (uint32_t i = 0; i < cw_run.num_workers; i++) {
        struct cw_run_worker *l = &cw_run.workers[i];

        if (!l->quarantine.error || (l->busy && !l->quarantine.hung))
            continue;
        l->busy = true;
        cw_run_quarantine_leave(l);
        l->busy = l->quarantine.hung;
    }
}

/* It cannot run at home either: bytes that it needs are lost, or memory is out. */
static void fails(struct cw_run_task *t, cl_int error)
{
    t->outcome.failed = error;
    cw_run_spread_lost(t);
}

/* The program's own GPU waits for bytes that others have, for a launch. */
static bool waits_for_gpus(const struct cw_run_worker *l, const struct cw_run_task *t)
{
    return cw_run.direct >> l->memory & 1 && l->home &&
           (t->work == CW_RUN_LAUNCH || t->work == CW_RUN_HOME) && !cw_run_tile_fetches_itself(t) &&
           cw_run_spread_is_with_others(t, l->memory);
}

static cl_int fetch_bytes(const struct cw_run_worker *l, struct cw_run_task *t)
{
    uint64_t begin = waits_for_gpus(l, t) ? cw_run_global_lock_now_ns() : 0;
    cl_int err = cw_run_spread_fetch(t);

    if (begin)
        cw_run_gpu_gain_waited((double)(cw_run_global_lock_now_ns() - begin));
    return err;
}

bool cw_run_worker_fetch(struct cw_run_worker *l, struct cw_run_task *t)
{
    bool away = t->work == CW_RUN_LAUNCH && cw_run_is_away(t);
    bool cut = cw_run_tiles_of(t); /* no part of it is in a heap yet */
    cl_int err;

    t->state = CW_RUN_RUNNING; /* no other thread looks for it in the heap */
    l->busy = true;
    cw_run.running++;
    err = l->quarantine.error ? CL_DEVICE_NOT_AVAILABLE : fetch_bytes(l, t);
    cw_run.running--;
    l->busy = false;
    t->state = CW_RUN_READY;
    if (err != CL_SUCCESS && away) {
        t->launch.uncoded = true; /* it has not run, and this says nothing of its kernel */
        cw_run.counts.moved++;
        back_home(l, t);
        return false;
    }
    if (err != CL_SUCCESS)
        fails(t, err);
    if (cut)
        push_parts(t);
    if (!cut && !may_overlap(t)) { /* another one has begun meanwhile */
        cw_run_ready_push(t);
        return false;
    }
    return !cut;
}
