/* byte_range.h - the order of commands by the bytes of host memory that they use. Lock held. */
#ifndef CW_RUN_BYTE_RANGE_H
#define CW_RUN_BYTE_RANGE_H

#include "../core/types.h"

struct cw_run_region *cw_run_byte_range_region_at(const void *address);
bool cw_run_byte_range_among(const void *address,
                             size_t bytes); /* any of these bytes are a buffer's of ours */
struct cw_run_region *cw_run_byte_range_region_create(void *address, size_t bytes);
void cw_run_byte_range_region_destroy(struct cw_run_region *r);
/* `t`, which is to go into `q`, reads or writes these bytes: it is ordered behind whoever meets them.
 * t->tainted is known. */
void cw_run_byte_range_add_access(const struct cw_run_queue *q, struct cw_run_task *t,
                                  struct cw_run_region *r, const void *address, size_t bytes, bool write);
void cw_run_byte_range_remove_accesses(struct cw_run_task *t);

#endif
