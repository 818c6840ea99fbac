/* native_use.h - native commands that may still use a buffer: the vendor runs them on the host's bytes, in an
 * order that only events show, so no copy of the buffer may take its place before they are over. Kept where
 * some device has a memory of its own. Lock held. */
#ifndef CW_RUN_NATIVE_USE_H
#define CW_RUN_NATIVE_USE_H

#include "../core/types.h"

/* A native command of `q` with this event of the vendor's may use the bytes of `r`; NULL: of any buffer of
 * its context. `event` NULL: it is unmarked. `q` is in order then, has given the vendor the command when
 * q->native_given is `given`, and a marker behind it will tell of it. `after`: number of the latest managed
 * command that it is behind wherever both use a byte (they were enqueued, and bytes come home between the
 * two). False: memory is out. */
bool cw_run_native_use_add(const struct cw_run_region *r, struct cw_run_queue *q, cl_event event,
                           uint64_t given, uint64_t after);

/* The queue has unmarked commands that are not known to be over. */
bool cw_run_native_use_is_unmarked(const struct cw_run_queue *q);

/* Such a queue of the context other than `but`, to which no thread gives a command; NULL: there is none. */
struct cw_run_queue *cw_run_native_use_unmarked(const struct cw_run_context *c,
                                                const struct cw_run_queue *but);

/* The event tells of the unmarked commands of `q` up to `given`. */
void cw_run_native_use_marked(const struct cw_run_queue *q, uint64_t given, cl_event marker);

/* All of them are over. */
bool cw_run_native_use_is_over(const struct cw_run_region *r);

/* `t` may use the bytes of `r` elsewhere: all of them are over, or behind it. */
bool cw_run_native_use_lets(const struct cw_run_region *r, const struct cw_run_task *t);

/* Threads are about to give the vendor native commands on buffers of the task's context, and `t` is not
 * before all of them. */
bool cw_run_native_use_begins(const struct cw_run_task *t);

/* Lets go of the events of those that are over. */
void cw_run_native_use_settle(void);

/* References to the event, for the count that the program sees. */
uint32_t cw_run_native_use_references(cl_event event);

/* The region, the queue or the context goes. */
void cw_run_native_use_forget(const void *gone);

#endif
