/* queue.h - the parts of clweave-farm-queue, the program that hands blocks of a farm's tasks to workers of
 * other machines. It is a child of the farm's master (farm_outside.h), and the manager of a Work Queue: a
 * block of tasks is one task there, of which it takes care until a worker or foreman has run it.
 *
 * The program alone is linked with Work Queue's library, whose licence (GPL 2) holds for it as a whole.
 * Thread-safety: one thread. */
#ifndef CW_QUEUE_H
#define CW_QUEUE_H

#include <cctools/work_queue.h>

#include "../farm_outside.h"
#include "../farm_link.h"

/* A block that was handed to Work Queue and has no results yet. */
struct cw_queue_block {
    struct cw_dispatch_range range;
    int task; /* Work Queue's number of it */
};

/* A file or folder that every task needs. */
struct cw_queue_file {
    const char *local, *remote; /* names here, and in the folder in which a task runs; borrowed */
    bool folder;
};

struct cw_queue {
    struct work_queue *work;
    struct cw_farm_plan plan;
    const char *version;
    uint32_t block; /* tasks; 0: by the time that they take */
    struct cw_queue_file *file;
    size_t files;
    const char *folder; /* for answers */
    struct cw_queue_block *out;
    size_t outs, capacity;
    double task_ns;    /* how long a task takes; 0: not known */
    double refused_s;  /* since when all blocks are refused by their workers; 0: they are not */
    char refused[256]; /* the last note about that */
};

/* ---- queue_files.c */

/* Finds the files that every task needs: `with`, and the words of the command that name files of this folder.
 * CW_ERR_NOTFOUND: one of `with` is not there; CW_ERR_NOMEM. */
enum cw_status cw_queue_files_find(struct cw_queue *q, char *const *with, size_t withs, struct cw_error *err);

/* Adds them to a task of Work Queue, and the files of this folder that the words of the block's tasks name.
 * False: out of memory. */
bool cw_queue_files_add(const struct cw_queue *q, struct work_queue_task *t, struct cw_dispatch_range range);

/* ---- queue_blocks.c */

/* Hands a block to Work Queue. False: out of memory. */
bool cw_queue_blocks_submit(struct cw_queue *q, struct cw_dispatch_range range);

/* How many tasks the next block should have. */
uint32_t cw_queue_blocks_size(const struct cw_queue *q);

/* A block that came back: its results are appended to `results`, or it is handed out once more, and `note`
 * of 256 bytes has text for the user ("": none). CW_ERR_*: the farm cannot go on. *done: there are
 * results. */
enum cw_status cw_queue_blocks_take(struct cw_queue *q, struct work_queue_task *t,
                                    struct cw_farm_bytes *results, bool *done, char note[256],
                                    struct cw_error *err);

/* Takes all blocks back from Work Queue. */
void cw_queue_blocks_cancel(struct cw_queue *q);

#endif
