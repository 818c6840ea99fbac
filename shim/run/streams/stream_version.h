/* stream_version.h - versions of buffers: memory for a command that overwrites bytes which earlier
 * commands may still use, so that it need not wait for them.
 *
 * A version is a buffer of run mode as large as the program's, in the same context. Of each byte of a
 * buffer with versions it is known which of them, or the program's own (version 0), have it
 * (memory/extents.h). A command uses one version of each buffer: one that has all bytes which it may
 * read, or may write without doing so surely; bytes that this version lacks are copied to it first, on
 * the device. A command that needs none of the bytes may get a version that nothing uses, where it
 * would have to wait for the latest one. Streams order commands by the memory that they really use
 * (stream_place.h), so this one is free of all before it.
 *
 * Bytes come home to the program's own memory for commands whose bytes are not known, and before
 * anything may reach them by other ways: maps, sub-buffers, images over them, which end the buffer's
 * versions; commands of a second queue on the same buffer do, too. All versions of a context end with a
 * command that may wait for the host, or for another queue; with a second thread that enqueues, or clones a
 * kernel; with a queue that has no streams; with callbacks.
 *
 * A launch that may wait for a word which the host or another queue writes has the program's own memory, and
 * no command behind it gets a version of its buffers until it is over.
 *
 * The order of the queue that gave a buffer its versions guards them. */
#ifndef CW_STREAM_VERSION_H
#define CW_STREAM_VERSION_H

#include "stream_enqueue.h"

/* Before the command's order is taken: ends versions that it may not see. No lock held. */
void cw_stream_version_before(struct cw_stream_call *c);
/* The versions that the command uses: from here on c->use names their memory. c->closes and its way
 * (stream_worth.h) are decided. Order and lock held. */
void cw_stream_version_pick(struct cw_stream_call *c);
/* The vendor has taken it: notes what it writes. Order held. */
void cw_stream_version_done(struct cw_stream_call *c);
/* Behind cw_stream_end(): the vendor had no memory for the command, and versions that held some are gone:
 * it can be tried again. No lock held. */
bool cw_stream_version_again(const struct cw_stream_call *c);

/* The program is about to clone the kernel. While another thread enqueues it, the vendor's may have versions
 * for arguments: they end, and the clone gets the program's own buffers. No lock held. */
void cw_stream_version_cloned(cl_kernel kernel);
/* Other ways to the bytes of a buffer begin: they are at home when this returns, and stay there. No lock
 * held. */
void cw_stream_version_leave(cl_mem buffer);
/* It has no record any more, and its last release goes to the vendor next. No lock held. */
void cw_stream_version_gone(cl_mem buffer);
/* All versions of the context end for good. Returns when their bytes are at home. No lock held. */
void cw_stream_version_end(struct cw_stream_context *x);
/* A queue was made: they end where it has no streams. */
void cw_stream_version_queue_made(cl_context context, cl_command_queue queue);
/* The same for those of a queue, which the program lets go. */
void cw_stream_version_queue_ends(struct cw_stream_queue *q);
/* Where versions of a context hold memory: they end. False: there are none. No lock held. */
bool cw_stream_version_yield(cl_context context);

/* One line for the summary; returns its length, 0 where no version was given. */
int cw_stream_version_describe(char *text, unsigned size);

#endif
