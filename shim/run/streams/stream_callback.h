/* stream_callback.h - the program's callbacks on events of streamed commands, in the order of the commands.
 *
 * A callback on command k is due when all commands up to k are over: a marker that waits for them tells. The
 * vendor's thread that learns of it calls all callbacks that are due, one after another. */
#ifndef CW_STREAM_CALLBACK_H
#define CW_STREAM_CALLBACK_H

#include "stream_event.h"

/* The program has set a callback on an event: threads of the vendor may run its code. */
bool cw_stream_callback_any(void);

/* Where the vendor does so bare: waits until callbacks on commands of `q` up to `number` that are due have
 * returned; not in a callback. Lock not held. */
void cw_stream_callback_wait(struct cw_stream_queue *q, uint64_t number);

#endif
