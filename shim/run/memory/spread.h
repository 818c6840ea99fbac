/* spread.h - buffers whose bytes lie in several memories: the host's, and those of devices that have one of
 * their own (cw_run_worker.memory). The protocol is that of memory/coherence.h.
 *
 * Only buffers whose bytes are run mode's own leave the host's memory, and only with a launch that runs on
 * such a device. As long as cw_run.far_workers is 0 nothing here is called. All functions but
 * cw_run_spread_read need the lock. */
#ifndef CW_RUN_SPREAD_H
#define CW_RUN_SPREAD_H

#include "../core/types.h"
#include "extents.h"

/* Whether the launch may run where the bytes have to be copied: it reaches no memory that the program may
 * touch without a command (CL_MEM_USE_HOST_PTR, mapped), and no image. */
bool cw_run_spread_may(const struct cw_run_launch *l);

/* All bytes that the command may touch are valid in the memory of its worker. */
bool cw_run_spread_is_here(const struct cw_run_task *t);

/* No command that is not ordered with `t` has claimed bytes of its in another memory. A ready command that
 * may not claim its bytes stays in its heap. */
bool cw_run_spread_may_claim(const struct cw_run_task *t);

/* If all its bytes are here and it may claim them it does, and true. */
bool cw_run_spread_claims(struct cw_run_task *t);

/* It claims them no more, if it did: it is over, or runs elsewhere. */
void cw_run_spread_release(struct cw_run_task *t);

/* Claims them, which it may, makes them so, and makes room for the change at the command's end. An error:
 * memory is out, or a device does not give bytes back; the command must not run here. Worker held; lock
 * held, given up meanwhile. */
cl_int cw_run_spread_fetch(struct cw_run_task *t);

/* Its two halves, for parts of one launch that copy bytes which others of them may write: first they all
 * gather. cover: copies of bytes that the command writes have to be over, and no other one begins before
 * its end. */
cl_int cw_run_spread_gather(struct cw_run_task *t);
void cw_run_spread_cover(struct cw_run_task *t);

/* Until a copy or a command is over. The lock is given up meanwhile. */
void cw_run_spread_wait(void);
/* Bytes [low, high) of the buffer, which launch `t` has claimed to write, are valid in the host's memory
 * then, and there alone: it may work on them there. False: native commands use them, or some are lost. Lock
 * held, given up meanwhile. */
bool cw_run_spread_come_to_host(const struct cw_run_task *t, struct cw_run_region *r, uint64_t low,
                                uint64_t high);

/* The command is over: what it may have written, with success or with an error after it had begun, is
 * valid in the memory of its worker alone, and it claims nothing any more. */
void cw_run_spread_over(struct cw_run_task *t);

/* The command has failed and may have written. True: its bytes are as before in another memory, but for
 * those that it surely writes, so it may run again there. False: all that it may have written is lost. */
bool cw_run_spread_failed(struct cw_run_task *t);

/* Bytes that the command needs are not valid in the memory of its worker: they would be copied. */
bool cw_run_spread_lacks(const struct cw_run_task *t);

/* Bytes that the command needs are in memories of helpers alone: neither in `memory`, which is that of the
 * program's own device, nor in the host's. */
bool cw_run_spread_is_with_others(const struct cw_run_task *t, uint32_t memory);

/* Other memories than that of its worker have all bytes that the command needs. */
bool cw_run_spread_is_elsewhere(const struct cw_run_task *t);

/* The command, which has not run, will not. */
void cw_run_spread_abandon(struct cw_run_task *t);

/* The command could not run as bytes that it needs are lost: so are those that it was to write. */
void cw_run_spread_lost(struct cw_run_task *t);

/* What is valid in the memory of `l` alone goes home, and then nothing is valid there; what the device does
 * not give back is lost. Worker held; lock held, given up meanwhile. */
void cw_run_spread_leave(struct cw_run_worker *l);

/* Buffers that the command does not use leave the memory of `l`, its worker. True: some have. Likewise. */
bool cw_run_spread_make_space(struct cw_run_worker *l, const struct cw_run_task *t);

/* The first part of [low, high) of buffer `r` of which all bytes are valid in the same memories; false: it is
 * empty. */
bool cw_run_spread_part(const struct cw_run_region *r, uint64_t low, uint64_t high, struct cw_extent *part);

/* Where the bytes of the buffer are valid; made by the first call, when all of them are valid in the
 * memory of the context's own device. NULL: memory is out. */
struct cw_run_spread *cw_run_spread_of(struct cw_run_region *r);

/* The region of a buffer that has left the host's memory, behind `r` in a list of them all; NULL: the first,
 * behind the last one. */
struct cw_run_region *cw_run_spread_after(const struct cw_run_region *r);

/* All bytes of the buffer are valid where native commands find them and there alone, and no managed command
 * uses any. */
bool cw_run_spread_is_at_rest(const struct cw_run_region *r);

/* All bytes of buffer `r`, which has left the host's memory, become valid where native commands find them,
 * and there alone, but for those that a device does not give back. No command on them may be under way.
 * Returns the buffer to look at next in the list of cw_run_spread_after(), which is the first one where
 * `r` has moved; NULL: none. Lock held, given up meanwhile. */
struct cw_run_region *cw_run_spread_come_home(struct cw_run_region *r);

/* All bytes of all buffers become valid in the host's memory, and there alone, but for those that a device
 * does not give back. No command on them may be under way. Lock held, given up meanwhile. */
void cw_run_spread_all_home(void);

/* One line for the summary: bytes between memories, by the kind of their need. Returns its length, 0 where
 * there were none. */
int cw_run_spread_describe(char *text, unsigned size);

/* The buffer goes: frees what is known of it. Lock held. NULL is ignored. */
void cw_run_spread_free(struct cw_run_spread *s);

/* ---- spread_read.c: reads of the program, each piece straight from the device that has it to the program's
 * memory. Where bytes are valid stays as it is. */

/* Such a read: a CW_RUN_COPY of one row from a buffer to memory of the program, which is `straight`. It needs
 * no device: a thread that waits for it runs it also while its worker runs another command. */
static inline bool cw_run_spread_read_is(const struct cw_run_task *t)
{
    return t->work == CW_RUN_COPY && t->copy.straight;
}

/* Does it, and returns its status; lock not held. */
cl_int cw_run_spread_read(struct cw_run_task *t);

/* Bytes [low, high) of the buffer may be in other devices' memories when the commands so far are over, and
 * are so many that such a read gains. */
bool cw_run_spread_read_pays(const struct cw_run_region *r, uint64_t low, uint64_t high);

/* ---- spread_beside.c: bytes that a part of a launch has written in its memory, and another part in the
 * memory where they count until the launch is over (tiles/tile_margin.c). Then they are valid in both, unless
 * something else has come there meanwhile. */

struct cw_run_beside;

/* The part, which has run, wrote such bytes: all its accesses that say so go into the launch's list. Where
 * memory is out they are left out. */
void cw_run_spread_beside_add(struct cw_run_beside **list, const struct cw_run_task *part);

/* The launch is over, or goes: frees the list. `counts`: it ended well. */
void cw_run_spread_beside_end(struct cw_run_beside *list, bool counts);

#endif
