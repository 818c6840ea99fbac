/* staging_pool.h - the pinned memory of the process: chunks for pieces, and cells for a few bytes.
 *
 * One mapped CL_MEM_ALLOC_HOST_PTR buffer in a context of the program; transfers of every context use it.
 * It goes when the program releases that context, and may be made again in another. */
#ifndef CW_RUN_STAGING_POOL_H
#define CW_RUN_STAGING_POOL_H

#include "staging_objects.h"

/* A cell: bytes for the tail of a transfer, and behind them as many for its head. */
enum { CW_RUN_STAGING_TAIL = 64, CW_RUN_STAGING_CELL = 2 * CW_RUN_STAGING_TAIL };

/* Makes the pool: two chunks of `chunk` bytes for each of `seats` threads. False: not to be had, now or
 * later; or there is one. Blocks for as long as pinning takes. */
bool cw_run_staging_pool_make(struct cw_run_staging_context *c, cl_device_id device, size_t chunk,
                              unsigned seats);

/* Between a true enter and a leave the pool stays. False: there is none. */
bool cw_run_staging_pool_enter(void);
void cw_run_staging_pool_exit(void);
/* None was made yet, and one may be. */
bool cw_run_staging_pool_is_wanted(void);

/* After an enter: chunk `k`, 0 or 1, of a seat. */
uint8_t *cw_run_staging_pool_chunk(unsigned seat, unsigned k);

/* After an enter, which the caller keeps for as long as it has the cell: one that is free; NULL: none is. */
uint8_t *cw_run_staging_pool_cell(void);
void cw_run_staging_pool_cell_free(uint8_t *cell);

/* The program has released the context: a pool in it goes, at once or after its last user. */
void cw_run_staging_pool_leave(struct cw_run_staging_context *c);

void cw_run_staging_pool_after_fork(void);

#endif
