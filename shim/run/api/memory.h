/* memory.h - buffers. */
#ifndef CW_RUN_API_MEMORY_H
#define CW_RUN_API_MEMORY_H

#include "../core/types.h"

struct cw_run_memory *cw_run_memory_buffer(cl_mem handle); /* a managed one, or NULL; lock held */
void cw_run_memory_free(void *record);                     /* of a struct cw_run_object_ops */

/* Memory objects over run mode's bytes; lock not held. True when one with these flags may be. */
bool cw_run_memory_ours(cl_context context, cl_mem_flags flags);
/* The flags that the vendor gets in place of `flags`. */
cl_mem_flags cw_run_memory_flags(cl_mem_flags flags);
/* Aligned bytes, those at `from` or zeros, and in *block the pointer to free; NULL: memory is out. */
uint8_t *cw_run_memory_bytes(size_t bytes, const void *from, void **block);
/* `memory` is over such `bytes` at `own`, and owns `block` and `image` (NULL: a buffer) from now on. False:
 * it has been released, and owns nothing. */
bool cw_run_memory_keep(cl_mem memory, cl_context context, cl_mem_flags flags, size_t bytes, uint8_t *own,
                        void *block, struct cw_run_image *image);

#endif
