/* capture.h - contents of memory for `replay --execute` (option capture_data).
 *
 * Contents go to the trace's data file (OUT.data) as blobs: bytes without header or padding, found by
 * {offset, size} in the trace (struct cw_blob of analyzer/record/trace.h). They are packed: `slices` x `rows`
 * rows of row_bytes each, without the pitches of host memory; image rows are region[0] pixels. Captured are:
 *   initial   CL_MEM_COPY_HOST_PTR and CL_MEM_USE_HOST_PTR objects: the host memory when they were made
 *   final     root objects (no sub-buffers, no images made from buffers): read back when the program's last
 *             reference to the object and to everything made from it is gone, or at exit. Nothing is read
 *             back while commands on the object may wait for a user event that is not set, or from inside an
 *             event callback (it could block for ever): size 0 then means unknown
 *   data      writes, and unmaps of maps for writing: the bytes that the host's memory holds when the command
 *             may run, which is behind the setting of the user events that hold it back (size 0: an unmap of
 *             bytes that an unfinished read brings); reads and blocking maps for reading: the bytes the
 *             program got, also of non-blocking reads, unless other reads of the same bytes may come first:
 *             size 0
 *   host writes  USE_HOST_PTR objects, root only: the bytes that the program changed between the moment at
 *             which all queues were known to be idle and the next enqueue, in blocks of 4096 bytes (images:
 *             the whole object)
 * Capturing blocks where the bare call would not: at the last release of a memory object or of a queue; for
 * seconds at most where a kernel may wait in a loop for the program's next call.
 *
 * Callers check cw_recorder.capture_data first; without it none of this runs. Thread-safe. */
#ifndef CW_CAPTURE_H
#define CW_CAPTURE_H

#include "recorder.h"

/* Host memory of a transfer. A pitch of 0 means packed. */
struct cw_layout {
    const void *base; /* first byte of the first row */
    size_t row_bytes, rows, slices, row_pitch, slice_pitch;
};

/* Stores the bytes; returns false when nothing was stored (no bytes, or an error that stopped recording). */
bool cw_capture_bytes(const struct cw_layout *l, uint64_t *offset, uint64_t *bytes);

/* Writes the bytes as the data of command `seq`. */
void cw_capture_data(uint64_t seq, const struct cw_layout *l);

/* How the host memory of a transfer can be captured beside others that are under way there. */
struct cw_capture_from {
    cl_command_queue queue;
    bool lost; /* a read: another one may write there later */
    bool late; /* a write: a read brings its bytes, so they are there when the write is complete */
};

/* A read or a write at `l` is about to be given to `queue`. Captures the bytes that finished reads have
 * brought there. Where this is a read, the bytes that unfinished reads bring there are
 * not captured. Sets *f. */
void cw_capture_meet(struct cw_capture_from *f, cl_command_queue queue, bool read, const struct cw_layout *l);

/* A non-blocking read (its bytes at `l` are stored when `event` is complete, unless it is lost), or a late
 * write. owned: the recorder holds a reference to `event`. */
void cw_capture_later(cl_event event, bool owned, bool profiled, bool write, uint64_t seq,
                      const struct cw_capture_from *f, const struct cw_layout *l);

/* The non-blocking write or unmap `e` is about to be given to the vendor, and a user event may hold it back:
 * its bytes at `l` are stored now, and again before each setting of a user event until it runs, as the
 * program may change them. Asks for the command's event. cw_capture_held must follow. NULL: out of memory,
 * which has stopped recording. */
struct cw_capture_pending *cw_capture_hold(struct cw_enqueue *e, const struct cw_capture_from *f,
                                           const struct cw_layout *l);

/* Behind cw_enqueue_returned: the vendor has taken the command (CL_SUCCESS), or refused it. NULL allowed. */
void cw_capture_held(struct cw_capture_pending *p, struct cw_enqueue *e, cl_int status);

/* Before a user event is set: stores again the bytes that held commands are about to send. */
void cw_capture_before_set(void);

/* The program's last release of `event`: true when a pending transfer took the reference over. */
bool cw_capture_adopt(cl_event event);

/* Called when the host may have seen completions: stores the bytes that finished reads returned. */
void cw_capture_finished(void);

/* Bytes of a pixel of `image`, 0 unknown. */
size_t cw_capture_element(cl_mem image);

/* ---- capture_memory.c */

/* A memory object was made: its initial contents, where it has some. Pitches: of host_ptr, images only. */
void cw_capture_created(cl_mem memory, const void *host_ptr, size_t row_pitch, size_t slice_pitch);

/* The program's last release of `memory`, before the vendor hears of it: final contents. */
void cw_capture_released(struct cw_object *memory);

/* At the end of the program: final contents of everything that lives. */
void cw_capture_exit(void);

/* A command of `queue` may use `memory`; NULL: every object. */
void cw_capture_used(cl_command_queue queue, cl_mem memory);

/* This thread enters (1) or leaves (-1) an event callback. */
void cw_capture_in_callback(int change);

/* The last release of `queue`: waits for its commands, if that cannot take for ever. */
void cw_capture_queue_released(cl_command_queue queue);

/* ---- capture_gates.c: the queues whose commands may wait for user events that are not set */

/* A command with this wait list is about to be given to `queue`. */
void cw_capture_gate(cl_command_queue queue, cl_uint waits, const cl_event *wait_list);

/* The program has set the user event of entry `o`. */
void cw_capture_gate_set(struct cw_object *o);

/* May commands of `queue` wait for a user event that is not set? */
bool cw_capture_gated(cl_command_queue queue);

/* ---- capture_gates.c */

/* A program is made of these strings, as of clCreateProgramWithSource; strings NULL, count 1: of something
 * that is not read. */
void cw_capture_program(cl_uint count, const char **strings, const size_t *lengths);
/* Waits for the commands of `queue`. False: they have not ended, and may wait for the program. */
bool cw_capture_finish(cl_command_queue queue);

/* ---- capture_host.c: CL_MEM_USE_HOST_PTR */

/* Watches the host memory of an object, until before the vendor's release. NULL: memory is out, or it was. */
struct cw_watch *cw_capture_host_watch(cl_mem memory, const struct cw_layout *l, bool image);
void cw_capture_host_unwatch(struct cw_watch *w);

/* Before an enqueue: records the bytes that the program changed. */
void cw_capture_host_writes(void);

/* A command was given to `queue`; the host knows that `queue` has finished everything up to `seq` (in-order
 * queues), or everything at all (UINT64_MAX). */
void cw_capture_queue_busy(cl_command_queue queue, uint64_t seq);
void cw_capture_queue_idle(cl_command_queue queue, uint64_t seq);

void cw_capture_after_fork(void);
void cw_capture_gates_after_fork(void);
void cw_capture_host_after_fork(void);
void cw_capture_memory_after_fork(void);

#endif
