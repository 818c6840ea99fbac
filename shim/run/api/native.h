/* native.h - native commands: they go to the vendor at once, behind a user event that completes when the
 * managed commands before them have. */
#ifndef CW_RUN_API_NATIVE_H
#define CW_RUN_API_NATIVE_H

#include "../core/passing.h"
#include "../core/record.h"
#include "../core/types.h"
#include "../staging/staging.h"
#include "../tuning/tuning.h"

/* The memory that a command touches; lives until the end of the enclosing block. */
#define CW_RUN_USE(count, objects, writes)                                                                   \
    (&(const struct cw_run_use){.n = (count), .memory = (objects), .written = (writes)})
#define CW_RUN_USE_RANGE(object, offset, bytes, writes)                                                      \
    (&(const struct cw_run_use){                                                                             \
        .n = 1, .memory = &(object), .written = (writes), .range = &(const size_t[2]){(offset), (bytes)}})
#define CW_RUN_USE_COPY(from, from_offset, to, to_offset, bytes)                                             \
    (&(const struct cw_run_use){.n = 2,                                                                      \
                                .memory = (const cl_mem[]){(from), (to)},                                    \
                                .written = 2,                                                                \
                                .range =                                                                     \
                                    (const size_t[2][2]){{(from_offset), (bytes)}, {(to_offset), (bytes)}}})
#define CW_RUN_USE_KERNEL(launched) (&(const struct cw_run_use){.kernel = (launched)})
#define CW_RUN_USE_NOTHING          (&(const struct cw_run_use){.n = 0})
#define CW_RUN_USE_ALL              (&(const struct cw_run_use){.all = true})
#define CW_RUN_USE_BARRIER          (&(const struct cw_run_use){.barrier = true})

/* The record of a queue, to whose commands run mode may have to do something; NULL: it has none. No lock
 * needed. */
static inline struct cw_run_queue *cw_run_native_queue(cl_command_queue queue)
{
    return cw_run_record_had_queue() ? cw_run_record_find(queue, CW_RUN_QUEUE) : NULL;
}

/* Returns cw_run_passing_enter(), or 0 where this command of `q` does not pass: a transfer that blocks, with
 * nothing under way, which the calling thread does itself; what waits for managed commands, or may wait for
 * user events. */
uint64_t cw_run_native_enters_passing(struct cw_run_queue *q, cl_uint n, const cl_event *list, bool blocking);
static inline uint64_t cw_run_native_passes(struct cw_run_queue *q, cl_uint n, const cl_event *list,
                                            bool blocking)
{
    if (n || blocking || atomic_load_explicit(&cw_run_passing_held, memory_order_relaxed) ||
        !atomic_load_explicit(&q->passing.since_ns, memory_order_relaxed))
        return cw_run_passing_is(&q->passing) ? cw_run_native_enters_passing(q, n, list, blocking) : 0;
    return cw_run_passing_enter(&q->passing);
}

/* `blocking`: the bare call would block. `whole`: the command waits for everything before it. `use` stays
 * until the end. Lock not held. */
void cw_run_native_begin(struct cw_run_native *x, cl_command_queue queue, cl_uint n, const cl_event *list,
                         cl_event *event, bool blocking, bool whole, enum cw_run_reason why,
                         const struct cw_run_use *use);
/* The same for a command that was refused (api/enqueue.h): the lock is held unless e->unlocked, and given
 * up. */
void cw_run_native_enter(struct cw_run_native *x, const struct cw_run_enqueue *e,
                         const struct cw_run_use *use);
/* The same for a command that needs no lock: of a queue without a record, or of `passing`, which has been
 * entered. `passed`: where the call ends all before it, cw_run_passing_enter(), else 0. */
static inline void cw_run_native_bypass(struct cw_run_native *x, cl_command_queue queue, cl_uint n,
                                        const cl_event *list, cl_event *event, struct cw_run_queue *passing,
                                        uint64_t passed)
{
    x->queue = passing;
    x->n = n;
    x->list = list;
    x->event = event;
    x->staging = false;
    x->type = 0;
    if (CW_LIKELY(!passing)) {
        atomic_fetch_add_explicit(&cw_run_reasons_bypassed, 1, memory_order_relaxed);
    } else {
        x->passes = true;
        x->passed = passed;
        x->given = passed ? passing->native_given : 0;
    }
    x->turn = cw_run_staging_turn_take(queue);
}
static inline void cw_run_native_follow(struct cw_run_native *x, const struct cw_run_enqueue *e,
                                        const struct cw_run_use *use)
{
    if (CW_LIKELY(e->unlocked)) {
        cw_run_native_bypass(x, e->handle, e->n, e->list, e->event, e->queue, e->queue ? e->passed : 0);
    } else {
        cw_run_native_enter(x, e, use);
        x->turn = cw_run_staging_turn_take(e->handle);
    }
}
cl_int cw_run_native_leave(struct cw_run_native *x, cl_int status);
/* The program has waited for `q`, which passed: for the calls up to `passed`, of which its own is under way
 * still if it is `inside`, and for `given` other native commands. Lock not held. */
void cw_run_native_waited(struct cw_run_queue *q, uint64_t passed, bool inside, uint64_t given);
static inline cl_int cw_run_native_end(struct cw_run_native *x, cl_int status)
{
    cw_run_staging_turn_give(x->turn);
    if (CW_LIKELY(!x->queue && !x->event))
        return status;
    if (x->event || !x->passes || x->passed)
        return cw_run_native_leave(x, status);
    cw_run_passing_leave(&x->queue->passing);
    return status;
}

/* ---- native_bytes: the bytes that a native command uses. Lock held. */

/* It may use bytes of memory objects; all that it may use are of memory objects that it names. */
bool cw_run_native_bytes_any(const struct cw_run_use *use);
bool cw_run_native_bytes_named(const struct cw_run_use *use);
/* They come home: at once, or by a command of the queue, whose number x->home is then. The lock is given up
 * meanwhile. */
void cw_run_native_bytes_bring_home(struct cw_run_native *x);
/* All managed commands are waited for, and all bytes come home. The lock is given up meanwhile. */
void cw_run_native_bytes_all_home(void);
/* Notes that the command, which the vendor has taken, may use them. */
void cw_run_native_bytes_note(const struct cw_run_native *x);

#endif
