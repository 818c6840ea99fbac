/* content.h - the extension cl_pocl_content_size. Lock not held. */
#ifndef CW_RUN_CONTENT_H
#define CW_RUN_CONTENT_H

#include "../core/types.h"

/* There has been a buffer with a content size. */
extern bool cw_run_content_any;

/* The function for the program in place of the vendor's clSetContentSizeBufferPoCL; and
 * clEnqueueCopyBuffer with the content size of `from` heeded. */
void *cw_run_content(void *vendor);
cl_int cw_run_content_copy(struct cw_run_native *x, cl_command_queue queue, cl_mem from, cl_mem to,
                           size_t from_offset, size_t to_offset, size_t bytes);

#endif
