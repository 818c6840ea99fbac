/* native.h - native commands: they go to the vendor at once, behind a user event that completes when the
 * managed commands before them have. */
#ifndef CW_RUN_API_NATIVE_H
#define CW_RUN_API_NATIVE_H

#include "../core/types.h"

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

/* `blocking`: the bare call would block. `whole`: the command waits for everything before it. `use` stays
 * until the end. Lock not held. */
void cw_run_native_begin(struct cw_run_native *x, cl_command_queue queue, cl_uint n, const cl_event *list,
                         cl_event *event, bool blocking, bool whole, enum cw_run_reason why,
                         const struct cw_run_use *use);
/* The same for a command that was refused (below): the lock is held unless e->unlocked, and given up. */
struct cw_run_enqueue;
void cw_run_native_follow(struct cw_run_native *x, const struct cw_run_enqueue *e,
                          const struct cw_run_use *use);
cl_int cw_run_native_end(struct cw_run_native *x, cl_int status);

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
