/* farm_block.h - a block of tasks on its way to another machine, and its results on the way back.
 *
 * A block is a plan of its own, with one list and a try for each task, behind a head with clweave's
 * version and a CRC-32. `clweave farm block` runs it there; its checkpoint is the answer. Task t of the
 * block is task first + t of the farm. Thread-safety: const calls may run side by side. */
#ifndef CW_FARM_BLOCK_H
#define CW_FARM_BLOCK_H

#include "../../sched/dispatch_queue.h"
#include "farm_checkpoint.h"

/* The block of the tasks `range` as bytes, malloc'ed for the caller; NULL: out of memory. version: at most 23
 * bytes. */
void *cw_farm_block_pack(const struct cw_farm_plan *p, struct cw_dispatch_range range, const char *version,
                         size_t *bytes);

/* Reads a block into *p, which the caller finishes in any case. CW_ERR_VERSION: it is of a farm of another
 * version, which the text names; CW_ERR_FORMAT: it is damaged, or no block; CW_ERR_NOMEM. */
enum cw_status cw_farm_block_unpack(struct cw_farm_plan *p, const void *data, size_t bytes,
                                    const char *version, struct cw_error *err);

/* Appends the results of the answer `path` to `results`, with the farm's numbers, and the time that the tasks
 * took to *ns. CW_ERR_FORMAT: the answer is damaged, or of other tasks than `range`; CW_ERR_IO, CW_ERR_NOMEM.
 * Then nothing is appended. */
enum cw_status cw_farm_block_results(const char *path, struct cw_dispatch_range range,
                                     struct cw_farm_bytes *results, uint64_t *ns, struct cw_error *err);

#endif
