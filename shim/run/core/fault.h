/* fault.h - faults that tests plant, to prove that they would notice: CLWEAVE_FAULT=KIND:N, only under the
 * policy chaos or with everything managed (but alike). KIND: drop, the Nth launch is not run; swap, the Nth
 * launch that another waits for runs after that one; stale, the Nth launch sees zeros in place of its data;
 * early, the Nth event is complete before its command is; late, the Nth launch that a helper has run counts
 * as failed; fail, home refuses the Nth launch; narrow, from the Nth on the ranges that launches are said
 * to reach (models/reach.h) end one element of four bytes too early; unseen, from the Nth on accesses of
 * images and of shared virtual memory order no command. Of tiles (tiles/tile.h): naive, from the Nth on they
 * see the ids that a global offset alone would give them; half, the Nth is not run; twice, the Nth is run
 * twice; offset, from the Nth on of those that have a global offset it is forgotten; local, the Nth has half
 * the local size that it
 * should have; refuse, from the Nth on helpers take neither them nor launches; order, the Nth tile of a
 * group run that another one depends on runs after that; unbuilt, rewritten programs cannot be built from
 * the Nth on; unmade, the Nth build of a program for a helper fails. Of staged
 * transfers (staging/staging.h): uncopied, the Nth piece is transferred, or counts as
 * transferred, before it is there; short, the Nth transfer lacks its last piece; open, the Nth that does
 * not block counts as over before it is; unpinned, there is no pinned memory. Of streams
 * (streams/stream_enqueue.h): loose, from the Nth on waits of a stream for another are left out; soon,
 * likewise those of reads. Of versions of buffers (streams/stream_version.h): hasty, unnoted and unfetched as
 * below; tight, from the Nth on there is no memory for one.
 * Of devices' own memories (memory/spread.h): unfetched, the Nth copy is left out;
 * unmerged, the Nth one of bytes that join others (tiles/tile_merge.c) is; unnoted, what the Nth command has
 * written there counts as not written; unsaved, from the Nth on bytes that a device alone has are given up
 * with its memory; hasty, from the Nth on all that a command may write counts as surely written; heedless,
 * from the Nth on commands do not wait for copies ahead of the bytes that they write; rash, from the Nth on
 * such copies do not wait for commands that write; beyond, from the Nth on as many bytes again count as
 * written by margins (tiles/tile_margin.c) as are. Of the first
 * device that has a memory of its own, where blocks of cut launches count, too: dead, from the Nth launch
 * there on all launches and copies fail; garbage, the Nth launch fails when it has written anything where
 * it may write; full, from the Nth launch on one that is not alone with its buffers there gets no memory,
 * and two attempts get none in any case; unbrought, the Nth copy back fails; tight, the Nth copy to it
 * finds no memory there; slow, the Nth launch takes two seconds more; hung, the Nth one never ends; mute,
 * from the Nth launch on launches fail, and copies never end. Of instructions (core/instruction.h), and
 * transfers in the host's memory: omit, the Nth is left out. Of quiet waits (core/quiet_wait.h): brisk, the
 * Nth returns before its commands are over. Of queues that pass (core/passing.h), in any way of running:
 * resumed, from the Nth on transfers that block resume tracking with commands under way. Of caches: alike,
 * all keys are the same, for any N and way of running. Unbuilt, unmade, refuse, unpinned and alike must
 * change nothing, nor must garbage, full, unbrought, tight, slow and hung, but for garbage and hung over
 * the only copy of bytes that its launch needs. */
#ifndef CW_RUN_FAULT_H
#define CW_RUN_FAULT_H

#include "types.h"

enum cw_run_fault {
    CW_RUN_FAULT_NONE,
    CW_RUN_FAULT_DROP,
    CW_RUN_FAULT_SWAP,
    CW_RUN_FAULT_STALE,
    CW_RUN_FAULT_EARLY,
    CW_RUN_FAULT_NARROW,
    CW_RUN_FAULT_UNSEEN,
    CW_RUN_FAULT_NAIVE,
    CW_RUN_FAULT_HALF,
    CW_RUN_FAULT_TWICE,
    CW_RUN_FAULT_LOCAL,
    CW_RUN_FAULT_REFUSE,
    CW_RUN_FAULT_UNBUILT,
    CW_RUN_FAULT_UNMADE,
    CW_RUN_FAULT_LATE,
    CW_RUN_FAULT_ORDER,
    CW_RUN_FAULT_FAIL,
    CW_RUN_FAULT_OFFSET,
    CW_RUN_FAULT_UNCOPIED,
    CW_RUN_FAULT_SHORT,
    CW_RUN_FAULT_OPEN,
    CW_RUN_FAULT_UNPINNED,
    CW_RUN_FAULT_LOOSE,
    CW_RUN_FAULT_SOON,
    CW_RUN_FAULT_UNFETCHED,
    CW_RUN_FAULT_UNNOTED,
    CW_RUN_FAULT_UNSAVED,
    CW_RUN_FAULT_HASTY,
    CW_RUN_FAULT_HEEDLESS,
    CW_RUN_FAULT_RASH,
    CW_RUN_FAULT_BEYOND,
    CW_RUN_FAULT_DEAD,
    CW_RUN_FAULT_GARBAGE,
    CW_RUN_FAULT_FULL,
    CW_RUN_FAULT_UNBROUGHT,
    CW_RUN_FAULT_TIGHT,
    CW_RUN_FAULT_SLOW,
    CW_RUN_FAULT_HUNG,
    CW_RUN_FAULT_MUTE,
    CW_RUN_FAULT_UNMERGED,
    CW_RUN_FAULT_OMIT,
    CW_RUN_FAULT_BRISK,
    CW_RUN_FAULT_RESUMED,
    CW_RUN_FAULT_ALIKE
};

/* Called by start(). any: every kind may be planted, not only alike, which changes nothing. False: `text`
 * names no fault, which has been logged. */
bool cw_run_fault_start(const char *text, bool any);

/* True when the planted fault is `kind` and this is its turn. Lock held. */
bool cw_run_fault_now(enum cw_run_fault kind);

/* The same for faults that stay from their turn on. */
bool cw_run_fault_since(enum cw_run_fault kind);
/* Both where the lock is not held. */
bool cw_run_fault_asks_now(enum cw_run_fault kind);
bool cw_run_fault_asks_since(enum cw_run_fault kind);
/* By `kind`, or omit, this is left out. Lock not held. */
bool cw_run_fault_omits(enum cw_run_fault kind);

/* How much a range of `bytes` is to be cut short. Lock held. */
size_t cw_run_fault_narrow(size_t bytes);

/* One line for stderr at the end: whether the fault that was asked for has happened. Returns its length, 0
 * when none was asked for. A test that finds everything the same proves nothing otherwise. */
int cw_run_fault_describe(char *text, size_t size);

bool cw_run_fault_cuts(void); /* launches are cut as if no fault were planted, or because of it */
extern enum cw_run_fault cw_run_fault_planted; /* constant after start() */

/* The successor that shall run before `t`, which then counts as run; NULL. Lock held. */
struct cw_run_task *cw_run_fault_swap(struct cw_run_task *t);

/* Of devices' own memories. What a copy from the memory of `l`, with `home`, or to it has to fail with; else
 * CL_SUCCESS. */
cl_int cw_run_fault_copy(const struct cw_run_worker *l, bool home);
/* A copy from or to the memory of `l`, which has failed: does not return if it never ends. */
void cw_run_fault_mute(const struct cw_run_worker *l);
/* The launch that runs at `l` may be the one that never ends. Lock held. */
bool cw_run_fault_hangs(const struct cw_run_worker *l);
/* What the launch, which is about to run, has to end with instead; else CL_SUCCESS. */
cl_int cw_run_fault_launch(struct cw_run_task *t);
/* The launch has run well; the planted fault says with which status it ends. Callers of the three do not hold
 * the lock. */
cl_int cw_run_fault_launched(struct cw_run_task *t);

/* Zeros the data of `t`, and undoes that where the launch has not written. Lock not held. */
void cw_run_fault_stale_begin(const struct cw_run_task *t, uint8_t **saved);
void cw_run_fault_stale_end(const struct cw_run_task *t, uint8_t **saved);

#endif
