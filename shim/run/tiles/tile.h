/* tile.h - launches in tiles: one kernel launch cut by work-groups, run by several workers at once.
 *
 * A launch that may be cut (tiles/cut.c: the verdict of kernels/footprint/cut.h) is given *blocks*, ranges
 * of work-groups along the cut dimension, and *parts*, one for each worker that takes part. A part is a
 * command of its own as far as a worker is concerned: it stands in the worker's heap and the thread that
 * holds the worker runs it. It takes one block after the other until none is left for it. Blocks may be
 * bound to a part or free for any part. Each runs the rewritten kernel (kernels/rewrite/rewrite.h) at offset
 * zero with the local size pinned.
 *
 *   ready ── every part into its worker's heap ── blocks taken, run, counted ── the last part ends ──▶ the
 *   command is done
 *
 * For the rest of run mode the launch stays one command: it starts with its first block and ends with its
 * last (profiling: START the earliest, END the latest), its dependences are those of the whole. Parts work
 * on one memory, or each brings the bytes of its blocks to its own (tiles/tile_memory.c).
 *
 * Before its first block a part sees to it that its worker has the code of all that it may be given, so that
 * a part that has begun can bring the launch to its end. A block that a worker cannot begin goes back and is
 * free for any part; that worker takes no more blocks of this kernel. When every part has failed before any
 * block has run, the launch runs whole at home; when some had run, home runs the rest. A block that fails
 * when it has begun is not run again: the others are, and the launch ends with that block's status.
 *
 * cw_run.lock guards all of it, except members that say "worker held": those belong to the thread that holds
 * the worker. */
#ifndef CW_RUN_TILE_H
#define CW_RUN_TILE_H

#include "../core/tile_types.h"
#include "../planner/legal.h"
#include "../planner/plan.h"

#define CW_RUN_TILE_BLOCKS 32 /* most that are bound beforehand */
#define CW_RUN_ANYBODY     UINT32_MAX
#define CW_RUN_TILE_HULLS  34  /* tiles that struct cw_run_tiles has room for */
#define CW_RUN_HIDDEN      120 /* bytes of the rewritten kernels' last argument */

struct cw_form;
struct cw_rewrite_tile;
struct cw_launch; /* analyzer/kernels/footprint/eval.h */

/* ---- may it be cut (tiles/cut.c); lock held */

/* Fills `cut` and returns NULL when launch `t` may be cut, into at least two work-groups; else the reason,
 * static words. */
const char *cw_run_cut_of(const struct cw_run_task *t, struct cw_run_cut *cut);
/* The tiles of a launch that is cut so: APART where they may run in several memories, as no two write the
 * same byte, and the bytes that one writes lie together, or they are merged; else TILE. */
enum cw_run_legal_scope cw_run_cut_scope(const struct cw_run_cut *cut);
/* The accesses of `n` tiles of `t`, which may be cut so: from[i] .. from[i + 1] - 1 are the work-groups of
 * tile i along cut->dim. Fills hulls[i * arguments + argument], in bytes of the argument's buffer. False:
 * memory is out. */
bool cw_run_cut_hulls(const struct cw_run_task *t, const struct cw_run_cut *cut, const int64_t *from, int n,
                      struct cw_arg_hulls *hulls);
/* With these accesses of all of it, the launch may read bytes that it writes. */
bool cw_run_cut_hulls_in_place(const struct cw_run_launch *l, const struct cw_arg_hulls *hulls);
/* Fills *launch, without a local size, and `args`, one for each argument (tiles/cut_hulls.c). */
void cw_run_cut_hulls_describe(const struct cw_run_launch *l, struct cw_launch_arg *args,
                               struct cw_launch *launch);

/* ---- cut launches (tiles/tile.c); lock held */

/* Cuts `t`, which waits for its window to be planned, into `n` blocks; `place` of each: where it is to run.
 * The pieces must follow each other and be all of it. False: they are not, or memory is out; it stays
 * whole. */
struct cw_run_piece {
    size_t first, groups;
    uint32_t place;
};
bool cw_run_tile_launch(struct cw_run_task *t, const struct cw_run_cut *cut, const struct cw_run_piece *piece,
                        uint32_t n);
/* Cuts `t` between the workers of these places, which take blocks as `share` gives them out. False: as above.
 */
bool cw_run_tile_shared(struct cw_run_task *t, const struct cw_run_cut *cut, struct cw_run_share *share,
                        const uint32_t *place, uint32_t n);
/* A part has left the heap of `l`, and runs. Lock given up meanwhile. */
void cw_run_tile_part_run(struct cw_run_worker *l, struct cw_run_task *part);
/* A part has left the heap of a worker that does not come to it: it takes no block, and those that are bound
 * to it are free for any part. */
void cw_run_tile_part_leaves(struct cw_run_task *part);
/* Runs the block that `part` has taken, and returns its status, as cw_run_execute_command (workers/execute.c)
 * does. Worker held, lock not held. */
cl_int cw_run_tile_execute(struct cw_run_task *part);
/* Runs blocks of `part`, which has left the heap of `l`, until none is left for it, and hands out those of
 * other parts that need no thread of their own. Lock given up meanwhile. (tiles/tile_crew.c) */
void cw_run_tile_crew_run(struct cw_run_worker *l, struct cw_run_task *part);
/* The thread that does never comes back from a block of `part`, which may use all of the launch for ever. */
void cw_run_tile_crew_hangs(struct cw_run_task *part);
/* The same on the virtual clock, for all parts at once. Only where cw_run_tile_virtual_may says so: the
 * launch is shared while it runs, and the workers of its parts have nothing else to do.
 * (tiles/tile_virtual.c)
 */
void cw_run_tile_virtual_run(struct cw_run_task *part);
bool cw_run_tile_virtual_may(const struct cw_run_tiles *x, const struct cw_run_task *part);
/* Under chaos: cuts it anywhere, for any workers. */
void cw_run_tile_chaos_cut(struct cw_run_task *t);

/* ---- for tiles/tile_crew.c; lock held */

/* Gives `part` its next block. */
enum cw_run_taken { CW_RUN_TAKEN, CW_RUN_TAKEN_NONE, CW_RUN_TAKEN_LATER };
enum cw_run_taken cw_run_tile_part_take(struct cw_run_tiles *x, struct cw_run_task *part);
/* It has run, and taken `ns` (0: not known). */
void cw_run_tile_part_has_run(struct cw_run_tiles *x, const struct cw_run_task *part, uint64_t ns);
/* It has failed: the worker runs no more of this kernel. Other parts run the blocks that it has not begun. A
 * block that had begun may have changed memory, and a kernel that reads its own output must not run there
 * again: the launch has failed. */
void cw_run_tile_part_fails(struct cw_run_tiles *x, const struct cw_run_task *part, cl_int status);
/* A part has nothing to do any more. The last one ends the launch, or has it run whole: `x` is no more. */
void cw_run_tile_part_ends(struct cw_run_tiles *x);
/* The bytes of its block cannot be where `part` works: other parts run the block. `lost`: with that error
 * they cannot be at home either, and the launch fails. */
void cw_run_tile_part_refuses(struct cw_run_tiles *x, struct cw_run_task *part, cl_int lost);
/* For a thread that is about to wait for `t`, which may be NULL: DSPs that are late with their blocks of it
 * are stopped, where those may run again, and others run them. Returns the time of the next look,
 * on the clock of cw_run_global_lock_now_ns; 0: there is no need. (tiles/tile_late.c) */
uint64_t cw_run_tile_late_look(const struct cw_run_task *t);
/* For `again` of struct cw_run_tiles: a block of `t` may run twice. */
bool cw_run_tile_late_may_run_again(const struct cw_run_task *t, const struct cw_run_cut *cut);
/* Something has changed: parts that wait for others ask again. */
void cw_run_tile_parts_wake(struct cw_run_tiles *x);

/* ---- running (tiles/tile_submit.c, tiles/tile_program.c); worker held, lock not held */

/* Hands the block that `part` has taken to its device. *queue: to be finished. `event`: as the vendor takes
 * it. */
cl_int cw_run_tile_submit(struct cw_run_task *part, cl_command_queue *queue, cl_event *event);
/* True when the place has the code that block `b` of a launch which is cut so needs, compiled now if need be.
 * Worker held, lock not held. */
bool cw_run_tile_submit_has_code(const struct cw_run_launch *l, struct cw_run_context *c,
                                 struct cw_run_context_device *p, const struct cw_run_cut *cut,
                                 const struct cw_run_block *b);
/* That code is in the vendor's cache; else the builder is asked for it, or (`compiles`) it is compiled
 * now. The rewritten program is built there. The worker need not be held. `l`: of its arguments kinds and
 * sizes count. */
bool cw_run_tile_submit_compile(const struct cw_run_launch *l, struct cw_run_context_device *p,
                                const struct cw_run_cut *cut, const struct cw_run_block *b, bool compiles);
/* Hands over block `b` of any launch that is cut so. `part`: whose block it is; NULL: of a group. */
cl_int cw_run_tile_submit_range(const struct cw_run_launch *l, const struct cw_run_task *part,
                                struct cw_run_context *c, struct cw_run_context_device *p,
                                const struct cw_run_cut *cut, const struct cw_run_block *b,
                                cl_command_queue *queue, cl_event *event);
/* The code generator of the place may round otherwise in another text: its tiles are launches of the kernel
 * itself at an offset. */
bool cw_run_tile_program_by_offset(const struct cw_run_context_device *place);
/* Tiles at the place are launches of the kernel itself at an offset, which gives it all ids that it sees. */
bool cw_run_tile_program_is_itself(struct cw_run_kernel *k, const struct cw_run_context_device *place);
/* The rewritten kernel at a place, with its arguments in k->tiled->set; *hidden: it takes the hidden
 * argument. NULL: it cannot be had there. */
cl_kernel cw_run_tile_program_on(struct cw_run_kernel *k, struct cw_run_context_device *place, bool *hidden);
/* cw_isolated_launch_ahead() for a launch of it, or of its form for rows (builds/isolated_compiler.h). Worker
 * held. */
cl_int cw_run_tile_program_ahead(const struct cw_run_launch *l, struct cw_run_context_device *place,
                                 const struct cw_run_ndrange *r, bool by_rows);
/* Likewise cw_isolated_launch_knows(). */
bool cw_run_tile_program_knows(const struct cw_run_launch *l, struct cw_run_context_device *place,
                               const struct cw_run_ndrange *r, bool by_rows);
/* Its form for rows, with those in row_set; NULL: there is none. */
cl_kernel cw_run_tile_program_rows_on(struct cw_run_kernel *k, struct cw_run_context_device *place);
/* Whether it has that form. Rewrites the program first, but does not wait for a build that is under way: then
 * it is not *known. The worker need not be held. */
bool cw_run_tile_program_has_rows(struct cw_run_kernel *k, bool *known);
/* Rewrites `p` and loads it for a place, whose worker runs none of it yet, or, where there is no binary,
 * builds it (the place's state is CW_RUN_COPY_WANTED) or asks the builder for the binary. True: it was
 * built. */
bool cw_run_tile_program_build(struct cw_run_program *p, uint32_t place);
/* Rewrites `p` and asks the builder for the binary. */
void cw_run_tile_program_ask(struct cw_run_program *p, uint32_t place);
/* A binary was asked for a while ago, and is to be sought again, ever less often. Lock held. */
bool cw_run_tile_program_is_due(struct cw_run_program *p, const struct cw_run_worker *l);
/* How far that is (enum cw_run_copy_state); NULL: memory is out, or there are no models. Lock held. */
uint8_t *cw_run_tile_program_state(struct cw_run_program *p, const struct cw_run_worker *l);

/* ---- rows (tiles/tile_rows.c) */

struct cw_rw_rows;

/* Reads --set rows, before the first program is rewritten. */
void cw_run_tile_rows_start(const struct cw_options *options);
bool cw_run_tile_rows_off(void); /* --set rows=off: no kernel gets a form for rows. Any thread. */
/* For cw_rewrite_in.rows (rewrite.h), with a program's models as its context. Any thread. */
bool cw_run_tile_rows_wanted(void *models, const char *kernel, const struct cw_rw_rows *form, uint64_t key);
/* How a block is launched in the kernel's form for rows. */
struct cw_run_rows {
    cl_int2 size; /* the hidden argument behind the tile */
    size_t global[3];
};
/* False: it cannot be, or should not at `p`. `global`: of the block. */
bool cw_run_tile_rows_of(const struct cw_rewrite_tile *tile, const size_t global[3],
                         const struct cw_run_context_device *p, struct cw_run_rows *rows);
/* Why the rewriter refuses the kernel; NULL: it does not, or has not been asked yet. Lock held. */
const char *cw_run_tile_program_refuses(const struct cw_run_kernel *k);

/* ---- parts: launches that a policy shares (planner/plan.h): may they have parts, and cutting them so.
 *
 * Other policies give each launch to one worker, and idle workers may join it while it runs (tiles/share.h).
 * The plan of a policy that shares by itself, as HDGEFT, is kept: each part is one block, bound to its
 * worker. cw_run.lock held. */

/* The work-groups that `t` may be cut into for any of the workers where it may run (bit by worker number);
 * 1: it stays whole. */
uint64_t cw_run_parts_groups(struct cw_run_task *t, uint64_t workers);
/* Cuts `t` into the parts of task `i` of `plan`. False: memory is out, or it may be cut so no longer; it
 * stays whole. */
bool cw_run_parts_cut(struct cw_run_task *t, const struct cw_run_plan *plan, uint32_t i);

/* ---- tile_memory: blocks of a cut launch in several memories: before a block runs, the bytes that it needs
 * become valid in the memory of its part; afterwards those that it may have written are valid there alone
 * (memory/coherence.h). The launch itself copies nothing. Lock held. */

/* Sets x->several where the parts of `x`, which all are there, work in several memories. False: they may
 * not, or memory is out. */
bool cw_run_tile_memory_make(struct cw_run_tiles *x);
/* Bytes of block `b`, which is bound to a part and has not been taken, or of its margins, are not where the
 * part works: they would be copied. Leaves out margins that may not be. */
bool cw_run_tile_memory_lacks(struct cw_run_tiles *x, struct cw_run_block *b);
/* Makes the bytes of the block that `part` has taken valid in its memory. Lock given up meanwhile. False:
 * the block must not run there; *lost: at home neither, with that error. */
bool cw_run_tile_memory_fetch(struct cw_run_task *part, cl_int *lost);
/* The block has ended with `status`. False: it has failed, and may run again elsewhere. */
bool cw_run_tile_memory_over(struct cw_run_task *part, cl_int status);
/* The launch has ended with `status`: what margins have written counts, and its buffers go on with its
 * series. */
void cw_run_tile_memory_end(struct cw_run_tiles *x, cl_int status);
/* A line for the summary: launches whose parts work in several memories, and how many of them copied. Returns
 * its length. */
int cw_run_tile_memory_describe(char *text, unsigned size);
/* The launch is not cut any more: it runs at home. */
void cw_run_tile_memory_give_up(struct cw_run_tiles *x);

/* ---- tile_merge: arguments of a launch in several memories that more than one tile writes.
 *
 * The verdict of the model (kernels/footprint/cut_verdict.h) names them: integer atomics of one kind, stores
 * of one value, and writes that mesh. Before the first block their bytes become valid in the host's memory
 * alone, where they are kept as they were. Each block works on memory of its own in their place, which begins
 * with these bytes. What it has made of them goes into the host's memory when it has ended:
 *
 *   ADD  + (v - was)     XOR  ^ (v ^ was)     AND, OR, MIN, MAX  that operation with v
 *   DIFF  every byte of v that is not as it was
 *
 * So a block that fails has changed nothing, and may run elsewhere. */

#define CW_RUN_MERGE_BYTES ((size_t)64 << 20) /* of all such arguments of a launch, at most */

/* The launch's tiles may work in several memories if they are merged so. Lock held. */
bool cw_run_tile_merge_may(const struct cw_run_launch *l, const struct cw_cut_verdict *v);
/* Bytes of the buffers that are merged then. Lock held. */
size_t cw_run_tile_merge_bytes(const struct cw_run_launch *l, const struct cw_cut_verdict *v);
/* Makes x->merges, if the launch needs it. False: it cannot, or memory is out. Lock held. */
bool cw_run_tile_merge_make(struct cw_run_tiles *x);
void cw_run_tile_merge_free(struct cw_run_tiles *x);
/* Argument `arg` is merged. */
bool cw_run_tile_merge_is(const struct cw_run_tiles *x, uint32_t arg);
/* The block that `part` has taken has memory of its own for these arguments. False: there is none. Worker
 * held; lock held, given up meanwhile. */
bool cw_run_tile_merge_begin(struct cw_run_task *part);
/* Sets these arguments of the kernel of `part`, whose others are set as `set` says. Worker held, lock not
 * held. */
cl_int cw_run_tile_merge_set(const struct cw_run_task *part, cl_kernel kernel, struct cw_run_set *set);
/* The block of `part` has run: its results join the others. Worker held; lock held, given up meanwhile. */
cl_int cw_run_tile_merge_collect(struct cw_run_task *part);

#endif
