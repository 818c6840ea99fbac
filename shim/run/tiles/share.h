/* share.h - which launches of a planned window are cut, and between which devices; their shares are learnt.
 *
 * A launch is shared when workers stand idle while it would run, and when all of them together are expected
 * to finish it so much earlier that the hand-offs are paid (profit test). Workers of one processor's cores
 * are not counted twice: no more compute units share a launch than the machine has. For each kernel, shape
 * (sizes of one power of two are alike) and dimension a controller (sched/adaptive.h) learns how fast each
 * worker is, and gives out blocks while the launch runs. A launch that turned out to be no faster than whole
 * at home is left whole for a while, longer each time. The speeds of workers that are too slow for a part
 * are forgotten now and then, so that they are tried again: others may have used the machine. While a
 * compiler occupies a processor that is one fewer to share with, and the time of a launch then counts for
 * nothing.
 *
 * The rewritten kernels are built by a thread of their own, once a program has spent enough time on its
 * kernels at home.
 *
 * cw_run.lock guards all of it. */
#ifndef CW_RUN_SHARE_H
#define CW_RUN_SHARE_H

#include "../../../sched/adaptive.h"
#include "../planner/plan.h"
#include "tile.h"
#include <stddef.h>
#include <stdint.h>

struct cw_options;

struct cw_run_shared { /* a planned window */
    struct cw_run_task *const *task;
    const struct cw_run_plan *plan;
    const double *cost;       /* tasks x workers, all bytes that travel included */
    const double *alone_ns;   /* per task: at home, with all bytes there; 0: not known */
    const double *copying_ns; /* per worker: a part's copies to and from its memory, without their bytes */
    /* edges, and the bytes of each one, as those of struct cw_run_window; NULL: there is one memory */
    const uint32_t *pred_start, *pred;
    const double *pred_bytes;
    const struct cw_run_planner *planner;
    uint32_t tasks, workers;
    bool always; /* no profit test */
};

/* Settings; called by start(). */
void cw_run_share_start(const struct cw_options *options);

/* The models of the program's kernels are known: for GPUs, tiles of its launches are made ready, as the first
 * launch may be the only one. */
void cw_run_share_prepare(struct cw_run_program *p);

/* True when `t` takes long enough to be thought about. */
bool cw_run_share_wanted(const struct cw_run_task *t);

/* In the recorded log: why the launches of a window, from `first` on, are not thought about. */
void cw_run_share_explain(const struct cw_run_task *first);

/* The rewritten kernels are there for these places; otherwise they are going to be, if the program is worth
 * that. */
bool cw_run_share_built(const struct cw_run_task *t, const uint32_t *place, uint32_t n);

/* Cuts those launches of the window that gain by it. True: there are some. */
bool cw_run_share_window(const struct cw_run_shared *s);

/* The launch is cut into one block for each GPU, and launches like it are cut where this one is. */
bool cw_run_share_stays(const struct cw_run_tiles *x);

/* For tiles/tile.c. The next block for `part`: taken; none any more (or the blocks of `x` are bound from now
 * on); later, once another one has run. */
enum cw_run_taken cw_run_share_take(struct cw_run_tiles *x, const struct cw_run_task *part,
                                    struct cw_run_block *block);
/* How long the block that `part` has taken will take; 0: not known. */
double cw_run_share_expects_ns(const struct cw_run_tiles *x, const struct cw_run_task *part);
bool cw_run_share_by_blocks(void); /* --blocks sync, static, dispatch */
/* Tells the controller the times of earlier runs for launches like `t`, of so many groups; group_items is
 * set. */
void cw_run_share_recall(struct cw_run_share *h, const struct cw_run_task *t, size_t groups,
                         double overhead_ns);
/* Of a launch that is cut into so many groups. */
double cw_run_share_group_items(const struct cw_run_task *t, size_t groups);
/* Groups of `x` per ns at `place`, as measured; 0: not measured. */
double cw_run_share_speed(const struct cw_run_tiles *x, uint32_t place);
/* Keeps the measured speeds of a launch for later runs. */
void cw_run_share_keep(const struct cw_run_tiles *x);
/* Launches of this shape have not gained, or would not: for a while they are not cut. */
void cw_run_share_rests(struct cw_run_share *h);
/* When all parts have ended and something is left: as much of it as lies together. The one before has run. */
bool cw_run_share_rest(struct cw_run_tiles *x, struct cw_run_block *block);
void cw_run_share_has_run(struct cw_run_tiles *x, const struct cw_run_task *part, uint64_t ns);
void cw_run_share_lost(struct cw_run_tiles *x, const struct cw_run_task *part);
void cw_run_share_over(struct cw_run_tiles *x, uint64_t ns); /* the launch took so long; 0: it has failed */

/* The thread that loads and builds rewritten programs (tiles/tile_build.c). True: `p` has one on `place`.
 * Else, where that is `worth` it, a binary is sought; where there is none it is built here, if `build` and if
 * that may begin (tuning/learn.c), and the builder is asked for it (builds/later_builds.h). */
bool cw_run_tile_build_is_done(struct cw_run_program *p, uint32_t place, bool worth, bool build);
/* True where it is at all of `n` places, may be found there, or may be built now. Lock held. */
bool cw_run_tile_build_may(struct cw_run_program *p, const uint32_t *place, uint32_t n);
void cw_run_tile_build_stop(void); /* at exit, lock not held */

/* That thread is going to run body(data), lock not held, with `p` pinned; not when the process ends first.
 * False: it cannot. Lock held. */
bool cw_run_tile_build_beside(struct cw_run_program *p, void (*body)(void *data), void *data);

/* ---- share_hold: GPUs keep their shares of launches, so that few bytes move: a launch is cut where launches
 * like it were cut, or where the bytes lie that it changes in place, as launches of another kernel have left
 * them there. */

/* share[k]: of part k, by the speeds that are known; they sum to 1. Replaced by the shares that stand.
 * speed[k]: groups per ns of part k; 0: not known. byte_ns: of a byte from one GPU to another. */
void cw_run_share_hold(const struct cw_run_tiles *x, const double speed[CW_RUN_WORKERS], double byte_ns,
                       double share[CW_RUN_WORKERS]);

/* ---- share_idle: the workers that have nothing to do while a launch of a planned window runs: by the plan,
 * and by the parts of launches that were given to them since. */

struct cw_run_share_idle;

/* Of window `s`, which outlives it; O(tasks log tasks). The caller closes it. NULL: memory is out. */
struct cw_run_share_idle *cw_run_share_idle_open(const struct cw_run_shared *s);
void cw_run_share_idle_close(struct cw_run_share_idle *idle); /* NULL allowed */
/* `worker` has nothing else to do while task `i` runs. O(log tasks). */
bool cw_run_share_idle_is(const struct cw_run_share_idle *idle, uint32_t i, uint32_t worker);
/* `worker` gets a part of task `i`. The latest 16 parts of a worker are remembered. */
void cw_run_share_idle_take(struct cw_run_share_idle *idle, uint32_t i, uint32_t worker);

/* ---- tile_margin: margins: work-items beyond its block that a part of a launch in several memories runs,
 * too.
 *
 * A stencil's part needs bytes that its neighbours' parts have written in the launch before: each launch
 * copies them, which takes as long for one row as for some. With margins the part copies more of them,
 * once, and computes in the next launches by itself what it would have to copy:
 *
 *     launch           copies            runs
 *     1                reach * 4 units   its block and 3 * reach units on each side
 *     2                nothing           its block and 2 * reach
 *     3                nothing           its block and 1 * reach
 *     4                nothing           its block
 *     5                reach * 4 units   ...
 *
 * What a part writes in its margins, other parts write in their blocks, in their memories: the same bytes,
 * if the launch reads none that it writes, as its work-items write each byte once. When all of it has ended
 * well these bytes are valid in the part's memory, too (tiles/tile_memory.c), so the next launch finds what
 * it needs there. Nothing else of the protocol changes: whatever comes between two launches, and other
 * kernels, and the host, is seen in where bytes are valid.
 *
 * A launch that has to copy anyhow begins margins, for so many launches as its kernel's record says; the
 * others have margins as far as they need no copies for them. The record is doubled each time the margins
 * were used up, up to where more work-groups would cost more than copies, which is measured; where they
 * saved fewer it falls back to those for a while, longer each time; not where the launch is cut elsewhere
 * than the one before, which is none of the program's doing. The series goes from launch to launch with
 * the buffers (cw_run_region.series): several kernels may be in it, and several series in a queue.
 *
 * A unit is a row of work-items, of a kernel that cannot tell how its work-groups are: margins are launches
 * of their own then. Else it is a work-group. */

/* Settings; called by start(). */
void cw_run_tile_margin_start(const struct cw_options *options);
/* Fills the margins of the blocks of `x`, all bound, none of which has begun; x->series goes on. */
void cw_run_tile_margin_find(struct cw_run_tiles *x);
/* Under chaos: draws them, where they may be; below(n) is a number below n. */
void cw_run_tile_margin_draw(struct cw_run_tiles *x, size_t (*below)(size_t n));

#endif
