/* stream_seat.h - contexts of several devices: a buffer that a command needs and another device had last.
 *
 * Where the driver moves buffers slowly between devices of one context (trait MIGRATES_SLOWLY: 256 MiB take
 * .24 s), run mode moves them. It reads the bytes on the one device into pinned memory, tells the driver that
 * the buffer moves without its contents (CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED), and writes them on the
 * other: three commands in queues of run mode, before the program's command, which waits for them by a
 * barrier. No thread, and nothing waits in the call.
 *
 * The driver moves it where the latest commands on it may wait for the host, or are not known; where the
 * program maps it, or has sub-buffers of it; where it was moved twice after the latest write, as devices that
 * read the same bytes may all have them. */
#ifndef CW_STREAM_SEAT_H
#define CW_STREAM_SEAT_H

#include "stream_enqueue.h"

/* The command goes to c->queue next: moves what it touches there. Until cw_stream_seat_end, called for every
 * call that has begun, no other thread's command moves these buffers. Order held, lock not. */
void cw_stream_seat_begin(struct cw_stream_call *c);
void cw_stream_seat_end(struct cw_stream_call *c, cl_int err);

/* Commands of the context may go unseen, or memory is shared: its buffers stay with the driver. */
void cw_stream_seat_unseen(struct cw_stream_context *c);
/* Likewise this one, as the host or a sub-buffer may reach its bytes. NULL is ignored. */
void cw_stream_seat_leave(struct cw_stream_memory *m);

/* For cw_stream_object_free. */
void cw_stream_seat_free_memory(void *memory);
void cw_stream_seat_free_context(void *context);

/* One line for the summary; returns its length, 0 where nothing was moved. */
int cw_stream_seat_describe(char *text, unsigned size);

#endif
