/* group.h - priority groups (algorithm A8): launches that follow each other run tile by tile, several steps
 * at once, so that the tiles of a group find their data in cache.
 *
 *   window closes ── mark ──▶ plain commands ── the first is ready ── gather ── plan ─┬─▶ a group
 *                                     nothing to gain: plain again ◀────────────────┘
 *
 * *The chain.* Launches of one in-order queue that follow each other there, each of which may be cut
 * (tiles/cut.c) and touches more than the last cache keeps for the next one, all released, at home. When its
 * window closes a launch is only marked (it stays at home, and is not shared); alone in its queue, or beside
 * such launches of other queues, it is not. When a marked launch is about to run, it and those behind it
 * whose only open dependences are on launches of this chain are gathered: so nothing that the chain waits for
 * can wait for the chain, and models and programs that came meanwhile count. Several windows that have closed
 * by then give one chain. A chain ends before a launch that is not marked, a transfer, a launch with a
 * callback before it, and at the command that a helping thread waits for.
 *
 * *Tiles and their readiness.* Each launch is cut into bands along its dimension (tiles/cut.c); its kernel's
 * model (form.h) gives the host addresses that each band reads and writes, so buffers that alias meet.
 * sched/groups.h derives the dependences between tiles (read after write, write after read, write after
 * write), their order and their workers. A tile is ready when all that it depends on have run. Where one
 * worker does it all, in an in-order queue, submitting in that order is enough; several workers count, under
 * the lock.
 *
 * *For all other code* each launch stays a command: it starts with its first tile; it is done, retired, and
 * its event complete when its last tile and the launches before it are. Each wait for one of them covers
 * all of its bytes: host synchronisation, maps, reads, native commands see nothing new. Profiling: a
 * launch starts no earlier than the one before ended, as in an in-order queue.
 *
 * *Events* in the queue itself add no new order. Waits for other queues, unset user events
 * (native) and barriers of out-of-order queues are edges of another kind, and keep a launch out until they
 * have come true.
 *
 * *Kernels* and their code are built beside the chain, which runs in plain order until they are there: some
 * launches at a time, the rest stays marked. So does a chain of which plain order's time is not known, which
 * its first launch shows.
 *
 * *Errors.* Before its first tile a worker makes sure that it has all code that any tile may need; when no
 * worker has, nothing has begun, and the chain runs plain. A tile that a worker refuses later is done by
 * another one; an error of the last one, or of a tile that has begun, becomes the status of its launch, and
 * the others go on, as in the vendor's queue.
 *
 * *Memory* that is out, or dependences that are not local, mean plain order. All workers of a group share the
 * host's memory.
 *
 * *Chaos* takes chains at random, cuts them into random bands, gives tiles to any workers and runs them in
 * any order that their dependences allow. The fault `order` runs a tile before one that it depends on.
 *
 * cw_run.lock guards all of it. */
#ifndef CW_RUN_GROUP_H
#define CW_RUN_GROUP_H

#include "../../../sched/groups.h"
#include "../tiles/tile.h"

struct cw_options;

#define CW_RUN_GROUP_STEPS 64 /* launches of one group run, at most */

/* One launch of a chain. */
struct cw_run_step {
    struct cw_run_task *task; /* NULL: it is done */
    struct cw_run_kernel *kernel;
    struct cw_run_cut cut;
    uint32_t tiles, left; /* that have not run */
    int64_t *from;        /* tile i: work-groups from[i] .. from[i + 1] - 1 along cut.dim */
    cl_int status;        /* of the first tile that failed */
    uint64_t start_ns;    /* of its first tile, on the clock of times[] */
};

enum cw_run_part_fate { CW_RUN_PART_NEW, CW_RUN_PART_ABLE, CW_RUN_PART_GONE };

enum cw_run_tile_state { CW_RUN_TILE_OPEN, CW_RUN_TILE_TAKEN, CW_RUN_TILE_OVER };

/* A group run. */
struct cw_run_group {
    uint32_t steps, next; /* launches; the first that is not done */
    struct cw_run_step step[CW_RUN_GROUP_STEPS];
    struct cw_groups plan;
    uint32_t *waits; /* of each tile, by its place in the plan: tiles that it still waits for */
    uint32_t *early; /* likewise: those of them that its own worker has taken, in the batch that it runs */
    uint8_t *state;  /* likewise, enum cw_run_tile_state */
    uint8_t *worker; /* likewise: index into part[] */
    uint32_t run, taken;  /* tiles that are over; that have ever been taken */
    uint32_t parts, left; /* workers; parts that have not ended */
    uint32_t preparing;   /* parts that look whether they have all code, for which no launch may be over */
    struct cw_run_task part[CW_RUN_WORKERS]; /* stand in the workers' heaps */
    /* by part, enum cw_run_part_fate: it has all kernels; it takes no more tiles */
    uint8_t fate[CW_RUN_WORKERS];
    uint32_t cursor[CW_RUN_WORKERS]; /* by part: all of its tiles before this one are taken */
    bool recorded;                   /* the log shall say where and when each tile runs */
    uint32_t first_group; /* then: the number of its first priority group in the process, from 1 on */
    bool in_turn; /* one asynchronous worker does it all: submitted tiles count as run, until the end */
    uint64_t began_ns, last_end_ns; /* last: END of the launch that was done last */
    struct cw_run_chain *chain;     /* the record of chains like this one */
    uint32_t variant;
    bool judged; /* there was a plan, or it was told why there cannot be one; it is no good */
    bool futile; /* likewise, of no way to run it */
    bool again;  /* some of its launches may be a group a little later */
};

/* ---- for windows/decide.c, windows/loop.c, api/launch.c, tiles/share.c */

/* Settings; called by start(). */
void cw_run_group_start(const struct cw_options *options);
/* Marks launches of a window that closes. */
enum cw_run_marked { CW_RUN_MARKED_NONE, CW_RUN_MARKED_SOME, CW_RUN_MARKED_ALL };
enum cw_run_marked cw_run_group_mark(struct cw_run_task *first);
/* A launch of `k` in `q`, of so many work-items, may be worth a group: it need not go native because it is
 * long. Once it was measured that such chains are as quick in plain order it may not, so that they cost
 * nothing any more. */
bool cw_run_group_may(const struct cw_run_queue *q, const struct cw_run_kernel *k, double items);
/* A program (struct cw_run_program) has models, or the history has been loaded: where chains of it ran as
 * groups in earlier runs, its rewritten form is built while the program prepares its data. */
void cw_run_group_history_foresee_group(void *program);
/* `t`, marked and taken off the heap of its home worker, would run now: becomes a group run with those behind
 * it, up to number `last`, or goes back to the heap, not marked any more, as the lock was given up meanwhile.
 * False: it is to run plain now; the lock was held all the time. */
bool cw_run_group_begin(struct cw_run_task *t, uint64_t last);
/* A part of a group run: it runs tiles until none is left for it or it has to wait (groups/group_run.c). */
void cw_run_group_run_part(struct cw_run_worker *l, struct cw_run_task *part);
/* Lines for the summary; returns the length. */
int cw_run_group_describe(char *text, unsigned size);

/* ---- inside */

/* How a chain is run. Variants of one family differ in `share` only. */
struct cw_run_variant {
    uint64_t
        cache_bytes; /* that the data of a group take: of each worker's groups, or (shared) of all workers'
                             together */
    uint32_t share;  /* a tile touches one part in so many of a worker's; 0: as --group-tile says */
    uint32_t family;
    bool shared, helpers; /* helpers: on the helpers, one core each; else at home */
};

/* The record of chains of the same launches, kept between runs in the history. Times are of one launch. */
#define CW_RUN_VARIANTS 24
struct cw_run_chain {
    struct cw_run_chain *next;
    struct cw_identity id; /* the kinds of launches in it, and how many there are, about */
    struct cw_key key;     /* of that: the history's */
    uint32_t steps;
    const char *why;     /* static words: it never is a group; NULL */
    bool told;           /* the history has the time of plain order */
    uint32_t met;        /* how often, in this process */
    bool fits;           /* its data stay in cache anyhow */
    bool recalled;       /* the history's entries have been read */
    bool warm[2];        /* by `helpers`: it has run there, so that the vendor's compiler is done with it */
    double plain_ns;     /* at home, the least of late; 0: not known */
    uint32_t plain_runs; /* how often it was measured: by processes in which it ran, and by this one when it
                            was its turn */
    uint32_t doublings;  /* 2 to the power of it: how often anything was measured, about, in all processes */
    double ns[CW_RUN_VARIANTS]; /* measured as a group, the least of late; 0: never */
    uint32_t runs[CW_RUN_VARIANTS];
    /* a bit for each variant that this chain cannot be now as its kernels are not built yet */
    uint32_t unbuilt;
    bool promising[2];              /* by `helpers`: a plan was good */
    bool hopeless[CW_RUN_VARIANTS]; /* it cannot be run so, or its plan has said that nothing is gained */
    uint32_t workers;               /* that ran it last */
    uint8_t code[CW_RUN_WORKERS];   /* enum cw_run_copy_state of the vendor's code for its tiles, by worker */
    struct cw_run_trial seek;       /* the builder makes it: it is looked for again then */
};

/* The chain of these launches; NULL: memory is out. */
struct cw_run_chain *cw_run_group_choice_of(const struct cw_run_group *g);
/* How to run it now, but for the variants of which `tried` has a bit. False: plain, for the reason in *why.
 * (groups/group_choice.c) */
bool cw_run_group_choice_choose(struct cw_run_chain *c, const struct cw_run_group *g, uint32_t tried,
                                uint32_t *variant, const char **why);
/* How many ways there are, and each of them. (groups/group_variant.c) */
void cw_run_group_variant_start(const struct cw_options *options);
uint32_t cw_run_group_variant_all(void);
const struct cw_run_variant *cw_run_group_variant(uint32_t variant);
/* Half of the last cache, or as --group-tile says. */
uint64_t cw_run_group_variant_half_bytes(void);
/* A bit for each variant that needs the same kernels. */
uint32_t cw_run_group_variant_alike(uint32_t variant);
/* Bytes that a tile touches, about, with so many workers. */
uint64_t cw_run_group_variant_band(const struct cw_run_variant *v, uint32_t workers);
/* So many launches of the chain make a group now: fewer, as long as no way to run them was measured. */
uint32_t cw_run_group_choice_longest(const struct cw_run_chain *c);
/* So many of its `steps` launches run in plain order before the rest may become a group after all, as its
 * time is not known or its kernels are being built. */
uint32_t cw_run_group_choice_plain(const struct cw_run_chain *c, uint32_t steps);
/* `variant`, whose kernels are not built yet, was measured, or is the most promising way as long as none was:
 * other ways are not looked for. */
bool cw_run_group_choice_hopes(const struct cw_run_chain *c, uint32_t variant);
/* The places have the code that the vendor compiles for tiles of the group; else it is ordered. Lock held.
 * (groups/group_code.c) */
bool cw_run_group_code_is_there(struct cw_run_group *g, const uint32_t *place, uint32_t n);
bool cw_run_group_code_is_ordered(const struct cw_run_chain *c); /* some of it, for some worker */
/* `steps` launches have run so, in `ns`. */
void cw_run_group_choice_ran(struct cw_run_chain *c, uint32_t variant, uint32_t steps, double ns);

/* ---- measurements of earlier runs (groups/group_history.c) */

/* Fills `c` with it. False: there is nothing. */
bool cw_run_group_history_recall(struct cw_run_chain *c, uint32_t variants);
void cw_run_group_history_keep(struct cw_run_chain *c, uint32_t variant, double ns);
void cw_run_group_history_keep_warm(const struct cw_run_chain *c, bool helpers, double ns);
bool cw_run_group_history_keep_plain(struct cw_run_chain *c, double ns); /* false: there is no history yet */
void cw_run_group_history_keep_hopeless(const struct cw_run_chain *c, uint32_t variant);
/* Earlier runs, or this one, have found plans of chains of these programs good. */
bool cw_run_group_history_expects(const struct cw_run_group *g);
/* Tells later runs whether to build its kernels early. wanted: it ran as a group, or would have.
 */
void cw_run_group_history_foresee(const struct cw_run_group *g, bool wanted);
/* The mean time of a launch of these in plain order, as measured in this process or else earlier; 0:
 * some never was. *measured: in this process, all. */
double cw_run_group_history_plain_ns(const struct cw_run_group *g, bool *measured);

/* Bytes of the cache that a processor has for itself, and of the last one, which it shares.
 * (groups/cache_size.c) */
struct cw_run_caches {
    uint64_t own_bytes, last_bytes;
};
void cw_run_cache_size_read(struct cw_run_caches *c);

/* Fills g->plan for these workers; false, with the reason in *why: not so. Lock given up meanwhile: no
 * other thread has the launches. (groups/group_plan.c) */
bool cw_run_group_plan(struct cw_run_group *g, const struct cw_run_variant *v, uint32_t workers,
                       const char **why);
/* Bytes that all launches of the chain touch together, each byte once for a launch. */
uint64_t cw_run_group_plan_bytes(const struct cw_run_step *s);
/* A random number below n, under chaos. */
uint32_t cw_run_group_below(uint32_t n);
void cw_run_group_free(struct cw_run_group *g);

/* Counts for the summary. */
struct cw_run_group_counts {
    uint64_t made, launches, tiles, groups, refused;
};
extern struct cw_run_group_counts cw_run_group_counts;
void cw_run_group_plain(const char *why); /* static words: a chain that was looked at runs plain */

struct cw_run_group_settings {
    bool on, always; /* always: no profit test */
    enum cw_groups_rule rule;
    double reuse; /* theta; 0: no bound, but one on the traffic that a group saves */
};
extern struct cw_run_group_settings cw_run_group_settings;

/* Launches that one device was handed together end together: each gets its share of the time. */
void cw_run_group_times_share(struct cw_run_group *g);
/* Which tile is next (groups/group_take.c). */
#define CW_RUN_NO_TILE     UINT32_MAX
#define CW_RUN_GROUP_BATCH 16 /* tiles that a synchronous worker takes at a time */
/* Index of the part. */
uint32_t cw_run_group_take_number(const struct cw_run_group *g, const struct cw_run_task *part);
/* The first tile of part `p` that may run; CW_RUN_NO_TILE: *more says whether there is one that has to wait.
 */
uint32_t cw_run_group_take_next(struct cw_run_group *g, uint32_t p, bool *more);
/* Takes tiles that a worker does one after the other, in its own thread, some at a time; returns how many.
 * *more: as above. */
uint32_t cw_run_group_take(struct cw_run_group *g, const struct cw_run_task *part,
                           uint32_t batch[CW_RUN_GROUP_BATCH], bool *more);
/* Tile `i` has not begun: it is open again. */
void cw_run_group_take_back(struct cw_run_group *g, uint32_t i);
/* How tile `i`, taken or not, bears on those of its own worker, which may be in one batch with it. */
void cw_run_group_take_expect(struct cw_run_group *g, uint32_t i, bool taken);

/* For the recorded log: `g` begins; its tile `i` ran on `part` meanwhile; the device to which all tiles
 * were handed has done them, in the order of the plan but under chaos, so that each gets an equal share of
 * the time. */
void cw_run_group_times_record_begins(struct cw_run_group *g);
void cw_run_group_times_record(const struct cw_run_group *g, const struct cw_run_task *part, uint32_t i,
                               uint64_t start_ns, uint64_t end_ns);
void cw_run_group_times_record_in_turn(const struct cw_run_group *g);

/* ---- group_cache: plans of chains, kept between runs beside the rewritten programs: planning takes about a
 * microsecond a tile.
 *
 * A plan says nothing of addresses, and is the same wherever a chain's memory lies: so before it is made,
 * memory moves to places that depend on the chain alone. Plans are kept once such a chain was measured; not
 * under chaos. */

/* Moves `step`'s accesses to such places. False: it stays where it is, as memory of the chain overlaps, or
 * something lies outside of it; a plan of it cannot be kept. */
bool cw_run_group_cache_settle(const struct cw_run_group *g, struct cw_groups_step *step);
/* The identity of a plan's input; the caller's to finish. */
struct cw_identity cw_run_group_name(const struct cw_groups_step *step, uint32_t steps,
                                     const struct cw_groups_options *options);
/* The plan of that which an earlier run has kept: *out is as cw_groups_make() has made it there, and not
 * checked. */
bool cw_run_group_cache_load(const struct cw_identity *id, struct cw_groups *out);
void cw_run_group_cache_store(const struct cw_identity *id, const struct cw_groups *plan);

#endif
