/* memory.h - buffers. */
#ifndef CW_RUN_API_MEMORY_H
#define CW_RUN_API_MEMORY_H

#include "../core/types.h"

/* A managed memory object of any kind, a managed buffer, or a managed image that is not made of a buffer;
 * else NULL. Lock held. */
struct cw_run_memory *cw_run_memory_any(cl_mem handle);
struct cw_run_memory *cw_run_memory_buffer(cl_mem handle);
struct cw_run_memory *cw_run_memory_image(cl_mem handle);
/* The allocation of shared virtual memory that has the `bytes` bytes at `address`, all of them; NULL: none
 * that is managed. Lock held. */
struct cw_run_memory *cw_run_memory_svm(const void *address, size_t bytes);
/* Why a command on `memory` is native: it is not managed, commands on it are not (an image made of a buffer),
 * or the vendor has to judge. Lock held. */
enum cw_run_reason cw_run_memory_why(cl_mem memory);

/* Memory objects over run mode's bytes; lock not held. True when one with these flags may be. */
bool cw_run_memory_ours(cl_context context, cl_mem_flags flags);
/* The flags that the vendor gets in place of `flags`. */
cl_mem_flags cw_run_memory_flags(cl_mem_flags flags);
/* Aligned bytes, and in *block the pointer to free; NULL: memory is out. The program's own bytes are copied
 * there only when the vendor has taken the call: in a wrong one, which only gets an error, there may be fewer
 * than it says. */
uint8_t *cw_run_memory_bytes(size_t bytes, bool zero, void **block);
/* `memory` is over such `bytes` at `own`, and owns `block` and `image` (NULL: a buffer) from now on. False:
 * it has been released, and owns nothing. */
bool cw_run_memory_keep(cl_mem memory, cl_context context, cl_mem_flags flags, size_t bytes, uint8_t *own,
                        void *block, struct cw_run_image *image);
/* `memory`, an image over the program's bytes at `host`, owns `image` from now on. True. */
bool cw_run_memory_keep_host(cl_mem memory, cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                             struct cw_run_image *image);
/* The vendor alone knows the bytes of an image in `buffer`: where some device has a memory of its own,
 * commands on the buffer and its parts are native from here on. Lock not held. */
void cw_run_memory_stays_home(cl_mem buffer);
/* `memory`, an image in the first `bytes` bytes of `buffer`, owns `image` from now on. False: the buffer is
 * not managed, and nothing has happened. */
bool cw_run_memory_keep_part(cl_mem memory, cl_mem buffer, cl_mem_flags flags, size_t bytes,
                             struct cw_run_image *image);
/* The program's `bytes` bytes at `host` are mapped ones of another memory object. One over them would outlive
 * them, and meet the other one in every command. */
bool cw_run_memory_lies_in_another(const void *host, size_t bytes);

#endif
