/* staging.h - transfers between pageable memory and devices whose memory the host cannot address, by way of
 * pinned memory.
 *
 * A vendor copies pageable memory on one thread, and holds the caller of a "non-blocking" transfer meanwhile.
 * Here a crew of threads copies between the program's memory and chunks of pinned memory, and the vendor
 * transfers the chunks. The program gets an event of the vendor's, of the vendor's own command in its own
 * queue. Devices with the trait CW_VENDOR_PINNED only; any other queue's transfers are the vendor's.
 *
 * Any thread, run mode's lock not held, unless said otherwise. No function changes errno. */
#ifndef CW_RUN_STAGING_H
#define CW_RUN_STAGING_H

#include "../../door/query.h"

#include <stddef.h>
#include <stdint.h>

struct cw_run_staging_queue;

/* Called by start(): reads --set staging. False: the setting is impossible, which has been said. */
bool cw_run_staging_start(const struct cw_options *options);

/* ---- drop-in functions: clEnqueueWriteBuffer and its kin, with their parameters, returns and events.
 *
 * The caller holds the turn of `queue` (below), or a lock of its own under which every command is enqueued
 * there. Queues that are not known, and transfers that gain nothing, go to cw_native. */
cl_int cw_run_staging_write(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t bytes, const void *host, cl_uint n, const cl_event *list, cl_event *event);
cl_int cw_run_staging_read(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t bytes, void *host, cl_uint n, const cl_event *list, cl_event *event);
cl_int cw_run_staging_write_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                 const size_t *buffer_origin, const size_t *host_origin, const size_t *region,
                                 size_t buffer_row, size_t buffer_slice, size_t host_row, size_t host_slice,
                                 const void *host, cl_uint n, const cl_event *list, cl_event *event);
cl_int cw_run_staging_read_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                const size_t *buffer_origin, const size_t *host_origin, const size_t *region,
                                size_t buffer_row, size_t buffer_slice, size_t host_row, size_t host_slice,
                                void *host, cl_uint n, const cl_event *list, cl_event *event);
cl_int cw_run_staging_write_image(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                  const size_t *origin, const size_t *region, size_t row, size_t slice,
                                  const void *host, cl_uint n, const cl_event *list, cl_event *event);
cl_int cw_run_staging_read_image(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                                 const size_t *region, size_t row, size_t slice, void *host, cl_uint n,
                                 const cl_event *list, cl_event *event);

/* Bytes that a transfer has at least which may go through the pool: of reads and writes, those that do not
 * block and those that do. Constant after the start. */
extern size_t cw_run_staging_least[2][2];
static inline bool cw_run_staging_is_small(size_t bytes, bool write, cl_bool blocking)
{
    return bytes < cw_run_staging_least[write][blocking != CL_FALSE];
}

/* Reads bytes of a buffer into memory of the program, and returns when they are there. `queue` is one of run
 * mode's, and waits for nothing; the buffer is of its context. The program reads in `of`, whose context gets
 * the pool if there is none. Returns the vendor's answer. */
cl_int cw_run_staging_read_by(cl_command_queue of, cl_command_queue queue, cl_mem buffer, size_t offset,
                              size_t bytes, void *host);

/* Puts these functions into a table of the vendor's, in place of its own. */
void cw_run_staging_fill(struct cw_dispatch *table);

/* ---- turns: a staged transfer is several of the vendor's commands, which no other command of the queue may
 * come between.
 *
 * Each call that enqueues on a queue is made between the two. NULL: the queue is not known, and there is
 * nothing to give. A caller that finds a transfer of another thread under way has the rest of it enqueued
 * before it goes on; it does not wait for the device. */
struct cw_run_staging_queue *cw_run_staging_turn_take(cl_command_queue queue);
void cw_run_staging_turn_give(struct cw_run_staging_queue *q);

/* From now on the vendor may get commands for which nobody takes a turn: every transfer is the vendor's,
 * and those under way have gone to it, or wait for their gates, when this returns. */
void cw_run_staging_unseen(void);

/* ---- objects of the program */

/* A context with a device of the trait has been made. */
void cw_run_staging_context_made(cl_context context);
void cw_run_staging_context_retained(cl_context context);
/* Called before the vendor is: after the program's last release of the context and of its queues the context
 * keeps no object of run mode's. */
void cw_run_staging_context_released(cl_context context);
/* References of run mode's objects that the vendor counts for the context. */
cl_uint cw_run_staging_context_hidden(cl_context context);

/* A queue of such a context, of any kind, the program's or (`own`) run mode's; `properties`:
 * CL_QUEUE_PROPERTIES. */
void cw_run_staging_queue_made(cl_context context, cl_device_id device, cl_command_queue queue,
                               cl_command_queue_properties properties, bool own);
void cw_run_staging_queue_retained(cl_command_queue queue);
/* Called before the vendor is. */
void cw_run_staging_queue_released(cl_command_queue queue);

/* References of run mode's that the vendor counts for a buffer or image. */
cl_uint cw_run_staging_notes_hidden(cl_mem memory);

/* The program maps a buffer, a part of one, or an image made of one: called before the vendor is. */
void cw_run_staging_notes_maps(cl_mem memory);
/* Bytes [low, high) of the host's memory that the program has mapped: they may be pinned already. Those whose
 * bytes streams have named, and the others, do not meet. */
struct cw_run_staging_map {
    uintptr_t low, high;
    uintptr_t region; /* named: they are its bytes from `offset` on (streams/stream_access.h) */
    uint64_t offset;
};
void cw_run_staging_notes_mapped(const void *address, size_t bytes, bool named, uintptr_t region,
                                 uint64_t offset);
/* The latest of these at `address` is undone. */
void cw_run_staging_notes_unmapped(const void *address, bool named);
/* How many of these overlap [low, high); *latest is set where there is one. */
uint32_t cw_run_staging_notes_meet(uintptr_t low, uintptr_t high, bool named,
                                   struct cw_run_staging_map *latest);

/* ---- answers about the events that the drop-in functions gave */

/* The time that profiling reports in place of the vendor's. False: the vendor's answer holds. */
bool cw_run_staging_notes_times_of(cl_event event, cl_profiling_info name, cl_ulong *ns);
/* Called before the program's release of an event goes to the vendor; and for each event that is new. */
void cw_run_staging_notes_release(cl_event event);
void cw_run_staging_notes_new(cl_event event);

/* ---- the end */

/* Threads end; transfers that have begun are finished, later ones are the vendor's. */
void cw_run_staging_stop(void);
void cw_run_staging_after_fork(void);
/* The line of the summary; returns its length, as snprintf does. */
int cw_run_staging_describe(char *text, unsigned size);

#endif
