/* stream_memory.h - the memory objects of streamed contexts. */
#ifndef CW_STREAM_MEMORY_H
#define CW_STREAM_MEMORY_H

#include "stream_object.h"

/* An object whose bytes are not looked at: a kernel that gets it closes the streams. Returns `memory`, which
 * may be NULL. */
cl_mem cw_stream_memory_odd(cl_context context, cl_mem memory);

/* The program has mapped bytes of a buffer, and lets go of them by cw_run_staging_notes_unmapped. */
void cw_stream_memory_mapped(cl_mem buffer, const void *address, size_t offset, size_t bytes);
/* The bytes of the one map that has that address. False: there is none, or there are several. */
bool cw_stream_memory_is_mapped(const void *address, struct cw_stream_bytes *to);

/* The bytes of host memory: where a map has given them to the program, those of the buffer. False: it is
 * some of both. */
bool cw_stream_memory_host(const void *host, size_t bytes, struct cw_stream_bytes *to);

#endif
