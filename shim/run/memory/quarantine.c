/* quarantine.c - see memory/quarantine.h. */
#include "quarantine.h"
#include "../../door/lock_order.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../door/door.h"
#include "../core/context_device.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../core/thread.h"
#include "spread.h"

bool cw_run_quarantine_is_due(cl_int status)
{
    return status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY ||
           status == CL_DEVICE_NOT_AVAILABLE || status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

void cw_run_quarantine_begin(struct cw_run_worker *l, cl_int error, bool copy)
{
    if (l->quarantine.error || l->home)
        return;
    l->quarantine.error = error;
    l->quarantine.copy = copy;
    cw_run.quarantines++;
}

/* ---- reads that may never end */

/* One of them, and its thread; the last of the two that know of it frees it. */
struct reading {
    pthread_mutex_t lock;
    pthread_cond_t told;
    bool over;   /* the thread is done */
    bool leaves; /* the caller has gone */
    cl_int err;
    struct cw_run_instruction fetch;    /* at `place` */
    struct cw_run_context_device place; /* the context's records may go meanwhile */
    struct cw_cl_device device;         /* of `place` */
    uint8_t to[];
};

static void destroy(struct reading *r)
{
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->told);
    free(r);
}

static void *read_it(void *data)
{
    struct reading *r = data;
    cl_int err;
    bool leaves;

    cw_run_thread_becomes_worker(true);
    cw_door_depth = 1; /* as other threads of run mode */
    err = cw_run_instruction_transfer(&r->fetch, 1, NULL);
    cw_next.clReleaseMemObject(r->fetch.memory);
    pthread_mutex_lock(&r->lock);
    r->err = err;
    r->over = true;
    leaves = r->leaves;
    pthread_cond_signal(&r->told);
    pthread_mutex_unlock(&r->lock);
    if (leaves)
        destroy(r);
    return NULL;
}

/* The device has some time from the first read on that it is asked for after it has failed. */
static bool is_time_up(struct cw_run_worker *l)
{
    uint64_t none = 0;

    if (l->quarantine.error)
        atomic_compare_exchange_strong(&l->quarantine.until_ns, &none,
                                       cw_run_global_lock_now_ns() + CW_RUN_FAR_SAVE_NS);
    return cw_run_context_device_is_lost(l);
}

/* Until the thread is done. False: the time is up. The lock of `r` is held. */
static bool await(struct reading *r, struct cw_run_worker *l)
{
    const long slice_ns = 50000000;
    struct timespec until;

    while (!r->over && !is_time_up(l)) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += slice_ns;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_clockwait(&r->told, &r->lock, CLOCK_MONOTONIC, &until);
    }
    return r->over;
}

bool cw_run_quarantine_doubts(const struct cw_run_worker *l)
{
    uint64_t late = l->late_at_ns;

    return cw_run_context_device_has_failed(l) || (!l->home && late && cw_run_global_lock_now_ns() >= late);
}

cl_int cw_run_quarantine_read(const struct cw_run_instruction *fetch)
{
    const struct cw_run_context_device *p = fetch->place;
    struct reading *r = is_time_up(p->worker) ? NULL : malloc(sizeof *r + fetch->bytes);
    cl_int err = CL_DEVICE_NOT_AVAILABLE;
    pthread_t thread;
    bool over;

    if (!r)
        return err;
    *r = (struct reading){.fetch = *fetch, .place = *p, .device = *p->device};
    r->fetch.kind = CW_RUN_I_SAVE;
    r->fetch.place = &r->place;
    r->fetch.host = r->to;
    r->place.device = &r->device;
    pthread_mutex_init(&r->lock, NULL);
    cw_lock_order_add(&r->lock, CW_LOCK_QUARANTINE);
    pthread_cond_init(&r->told, NULL);
    cw_next.clRetainMemObject(fetch->memory);
    if (!cw_thread_try(&thread, read_it, r)) {
        cw_next.clReleaseMemObject(fetch->memory);
        destroy(r);
        return err;
    }
    pthread_detach(thread);
    pthread_mutex_lock(&r->lock);
    over = await(r, p->worker);
    r->leaves = !over;
    err = over ? r->err : err;
    pthread_mutex_unlock(&r->lock);
    if (err == CL_SUCCESS)
        memcpy(fetch->host, r->to, fetch->bytes);
    if (over)
        destroy(r);
    return err;
}

void cw_run_quarantine_leave(struct cw_run_worker *l)
{
    if (!l->quarantine.error || l->quarantine.left)
        return;
    l->quarantine.left = true;
    cw_run_spread_leave(l);
}

int cw_run_quarantine_describe(char *text, unsigned size)
{
    int used = 0;

    text[0] = 0;
    for (uint32_t i = 0; i < cw_run.num_workers && used + 128 < (int)size; i++) {
        const struct cw_run_worker *l = &cw_run.workers[i];

        if (l->quarantine.hung)
            used += snprintf(text + used, size - (unsigned)used,
                             "run: %s gets no more launches: %s there did not end\n", l->name,
                             l->quarantine.part ? "a part of one" : "one");
        else if (l->quarantine.error && l->context) /* else it was never opened */
            used += snprintf(text + used, size - (unsigned)used,
                             "run: %s gets no more launches: a %s failed there with %d\n", l->name,
                             l->quarantine.copy ? "copy" : "launch", l->quarantine.error);
    }
    if ((cw_run.counts.lost || cw_run.counts.deprived) && used + 128 < (int)size)
        used += snprintf(text + used, size - (unsigned)used,
                         "run: %llu bytes were lost with devices; %llu commands needed lost bytes\n",
                         (unsigned long long)cw_run.counts.lost, (unsigned long long)cw_run.counts.deprived);
    if ((cw_run.counts.relieved || cw_run.counts.parts_relieved) && used + 128 < (int)size)
        used += snprintf(
            text + used, size - (unsigned)used,
            "run: %llu launches went home from behind late ones; %llu parts of others left them\n",
            (unsigned long long)cw_run.counts.relieved, (unsigned long long)cw_run.counts.parts_relieved);
    return used;
}
