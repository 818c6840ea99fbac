/* tile_types.h - the records of cut launches (tiles/tile.h): cw_run.lock guards everything here, except
 * members that say "worker held": those belong to the thread that holds the worker. */
#ifndef CW_RUN_TILE_TYPES_H
#define CW_RUN_TILE_TYPES_H

#include "../../../analyzer/kernels/footprint/cut_verdict.h"
#include "../../../analyzer/kernels/rewrite/rewrite.h"
#include "types.h"

struct cw_adaptive;   /* sched/adaptive.h */
struct cw_arg_hulls;  /* analyzer/kernels/footprint/form.h */
struct cw_launch_arg; /* analyzer/kernels/footprint/eval.h */

/* How a launch is cut: tiles are ranges of `groups` work-groups along `dim`, with this local size. */
struct cw_run_cut {
    uint32_t dim;
    /* the last of them is smaller, and is launched by itself, with local size 1: the kernel cannot see it */
    bool ragged;
    size_t local[3], groups;
    /* of the model: on which memories its tiles may run, and the merges then */
    struct cw_cut_verdict verdict;
    bool merges; /* that tiles/tile_merge.c can make */
};

struct cw_run_block {
    size_t first, groups;
    uint32_t part;    /* number of the part that is to run it, or CW_RUN_ANYBODY */
    size_t margin[2]; /* units before and behind it that this part runs, too: tiles/tile_margin.c */
    bool taken;
};

struct cw_run_tiles {
    struct cw_run_task *whole;
    struct cw_run_cut cut;
    struct cw_run_cut fine;      /* where `several`: into units, of which bytes are known and margins are */
    size_t units;                /* in a work-group of `cut` */
    bool several;                /* its parts work in several memories: tiles/tile_memory.c */
    uint32_t parts, left;        /* there are; that have not ended */
    uint32_t blocks, run;        /* bound beforehand; that have run, of all */
    size_t done;                 /* work-groups that have run */
    bool inherits;               /* all parts have ended, one of them runs the rest */
    uint64_t began_ns, until_ns; /* when the blocks that run are expected to have run; 0: not known */
    double home_ns;              /* the launch at home, with all bytes there; 0: not known */
    bool is_first;               /* on one of its devices: its time has compiling in it */
    double whole_ns;             /* the same, with its bytes where they were; 0: not known */
    struct cw_run_share *share;  /* gives out blocks while it runs (tiles/share.h); NULL: all are bound */
    bool by_events; /* one thread runs all blocks, in the order of the model's time (tiles/tile_virtual.c) */
    uint64_t virtual_ns;        /* then: when the block is asked for, on the clock of cw_device_now_ns */
    bool again;                 /* a block may run twice: the launch reads no byte that it writes */
    cl_int status;              /* of the latest block that failed */
    cl_int spoilt;              /* of the first that failed when it had begun; 0: none */
    uint64_t times[4];          /* of all blocks: the earliest, END the latest */
    struct cw_run_block *block; /* those that are bound, then one for each part that has one of `share` */
    struct cw_run_task *part;
    struct cw_run_access *access;      /* of all parts, where `several`; and room for hulls */
    struct cw_run_tile_merges *merges; /* tiles/tile_merge.c; NULL: no two parts write the same byte */
    struct cw_arg_hulls *hulls;
    bool fetches;                 /* bytes were copied for some block */
    uint32_t fetching;            /* parts that copy, and have margins whose bytes other parts may write */
    struct cw_run_series series;  /* that it goes on, where `several` */
    struct cw_run_beside *beside; /* memory/spread.h */
};

/* The tiles of the launch work in several memories, and copy the bytes that they need themselves; so does a
 * read that is `straight`. */
static inline bool cw_run_tile_fetches_itself(const struct cw_run_task *t)
{
    const struct cw_run_tiles *x = cw_run_tiles_of(t);

    return x ? x->several : t->work == CW_RUN_COPY && t->copy.straight;
}

/* The share of its launch that the task does: above 0, at most 1. */
static inline double cw_run_tile_share(const struct cw_run_task *t)
{
    const struct cw_run_tiles *x = cw_run_cut_launch_of(t);

    return x ? (double)x->block[t->launch.part.block].groups / (double)x->cut.groups : 1;
}

/* The number of the memory that part `k` works in. */
static inline uint32_t cw_run_tile_memory(const struct cw_run_tiles *x, uint32_t k)
{
    return x->whole->queue->context->places[x->part[k].at.place].device->memory;
}

/* Margins (tiles/tile_margin.c) of one kernel's launches of one shape. */
struct cw_run_margins {
    uint32_t launches;        /* between two copies; 0: not one yet */
    struct cw_run_trial rest; /* copies for which that is not doubled after it was too many, `poor` times */
    uint32_t held;            /* the share's times_held at the last of them */
    /* units before and behind a block that wrote what it reads, when that was looked at last */
    uint32_t reach[2];
};

/* Measurements of one kernel's launches of about one shape, cut along one dimension. By place: of the
 * kernel's context. */
struct cw_run_share {
    struct cw_run_share *next;
    uint64_t shape; /* cw_run_costs_shape_about() */
    uint32_t dim, home;
    struct cw_adaptive *control;
    double group_items; /* work-items of the controller's groups: those of launches may be more or less */
    struct cw_run_tiles *holder; /* the launch that the controller is giving out; NULL: none */
    double whole_ns;             /* the latest that was looked at, at home; 0: not known */
    double cut_ns;               /* the least of late; 0: not known */
    uint32_t cuts;               /* cut launches */
    struct cw_run_trial rest;    /* so long they are left whole */
    uint64_t seen;               /* places that have run tiles of it: the vendor compiles the first */
    double *held;             /* GPUs: of each place, the share of the launch that it had last; NULL: none */
    struct cw_run_trial look; /* launches until they are looked at */
    uint32_t times_held;      /* so often they have changed */
    double byte_ns;           /* GPUs: of a byte from one to another */
    double lost_ns;           /* GPUs: of late, by launches that were cut where their bytes lay */
    double copying_ns;        /* GPUs: of a part's copies, without their bytes; the most of all */
    double copies_ns; /* of late: so much longer a launch takes of which a part copies bytes; 0: not known */
    double copying;   /* the share of cut launches, of late, of which a part has copied bytes */
    struct cw_run_margins margins;
};

/* A kernel's state for running in tiles. */
struct cw_run_tiled {
    struct cw_launch_arg *args;
    cl_kernel *clones;       /* by worker number, worker held: rewritten */
    struct cw_run_set **set; /* by worker number, worker held: their arguments */
    cl_kernel *rows; /* by worker number, worker held: the same with a work-item for each row (rewrite.h) */
    struct cw_run_set **row_set;
    struct cw_run_share *shares; /* by shape: the devices' shares */
};

/* The rewritten program of a program (tiles/tile_program.c). */
struct cw_run_rewritten {
    /* it is locked for as long as a build takes */
    struct cw_rewrite_out out;    /* immutable once `made` */
    struct cw_run_models *models; /* whose kernels are those of `out`, in their order */
    bool made;
    cl_program program[CW_RUN_WORKERS]; /* once `tried`, under `rewriting` */
    bool tried[CW_RUN_WORKERS];
    bool refused[CW_RUN_WORKERS];             /* its first build there has failed */
    bool loaded[CW_RUN_WORKERS];              /* of a binary */
    bool rowless[CW_RUN_WORKERS];             /* without the forms for rows */
    bool hopeless[CW_RUN_WORKERS];            /* there is going to be no binary */
    uint8_t state[CW_RUN_WORKERS];            /* enum cw_run_copy_state */
    struct cw_run_trial seek[CW_RUN_WORKERS]; /* asked for: it is sought again then */
};

#endif
