/* byte_range.h - the order of commands by the bytes that they use, each named by a region and an offset there
 * (struct cw_run_region). Lock held. */
#ifndef CW_RUN_BYTE_RANGE_H
#define CW_RUN_BYTE_RANGE_H

#include "../../../analyzer/kernels/footprint/reach.h"
#include "../core/types.h"

/* The region and the offset of a byte of the program's. */
struct cw_run_region *cw_run_byte_range_region_at(const void *address, uint64_t *offset);
bool cw_run_byte_range_among(const void *address,
                             size_t bytes); /* any of these bytes lie in run mode's buffers */
struct cw_run_region *cw_run_byte_range_region_create(void *address, size_t bytes);
/* No address leads to it any more: its bytes are freed when the commands under way that use them are over. */
void cw_run_byte_range_region_leave(const struct cw_run_region *r);
void cw_run_byte_range_region_destroy(struct cw_run_region *r);
/* A number that no other byte of any region has; neighbours in a region are neighbours. */
static inline uint64_t cw_run_byte_range_number(const struct cw_run_region *r, uint64_t offset)
{
    return r->low + offset;
}
/* `t`, which is to go into `q`, reads or writes `bytes` bytes of `r` from `low` on: it is ordered behind
 * every command that meets them. t->behind_native is known. */
void cw_run_byte_range_add_access(const struct cw_run_queue *q, struct cw_run_task *t,
                                  struct cw_run_region *r, uint64_t low, size_t bytes, bool write);
/* Of the access added last, if it is a write: `bytes` bytes from `low` on are surely written. */
void cw_run_byte_range_is_sure(struct cw_run_task *t, uint64_t low, uint64_t bytes);
/* The same for `bytes` bytes of `m` from `offset` on. */
void cw_run_byte_range_add_memory(const struct cw_run_queue *q, struct cw_run_task *t,
                                  const struct cw_run_memory *m, uint64_t offset, size_t bytes, bool write);
/* The same for a piece of a launch's reach in its argument `m`. Where all devices work in one memory, pieces
 * that commute are not ordered: atomic operations act on the same bytes, whichever device makes them. */
void cw_run_byte_range_add_piece(const struct cw_run_queue *q, struct cw_run_task *t,
                                 const struct cw_run_memory *m, const struct cw_reach_piece *p);
/* Unfinished commands use bytes of `r` behind which a command of `q` would be ordered. */
bool cw_run_byte_range_is_used(const struct cw_run_queue *q, const struct cw_run_region *r);
void cw_run_byte_range_remove_accesses(struct cw_run_task *t);

#endif
