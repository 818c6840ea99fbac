/* stream_event.h - events of streamed commands, as an in-order queue shows them: a command is over when
 * all commands before it are, too. */
#ifndef CW_STREAM_EVENT_H
#define CW_STREAM_EVENT_H

#include "stream_queue.h"

struct cw_stream_event {
    struct cw_stream_object o;
    struct cw_stream_queue *queue; /* pinned */
    uint32_t stream;
    uint64_t number;
    uint64_t tails[CW_STREAM_MAX];       /* commands before it that its own end does not imply, by stream */
    _Atomic uint32_t seats;              /* references to the event that streams/stream_seat.c has */
    uint64_t recorded;                   /* as a recorded command: its sequence number + 1; 0: it is none */
    bool over;                           /* they are over; lock of the queue */
    bool timed;                          /* start_ns and end_ns are known */
    uint64_t least_ns, start_ns, end_ns; /* least START that it may show; START and END that it shows */
    struct cw_stream_event *prev, *next; /* of the queue */
};

/* The command `number` on `stream` has that event. Lock of the queue held. */
void cw_stream_event_made(struct cw_stream_queue *q, cl_event event, uint32_t stream, uint64_t number);
void cw_stream_event_free(void *object);
/* All commands before it are over; asks the vendor. Lock of the queue held. */
bool cw_stream_event_before_is_over(struct cw_stream_event *e);

/* Appends events, each retained, that are complete when all commands before `e` are. *n of at most
 * CW_STREAM_MAX. Flushes the streams. Takes the lock of the queue. */
void cw_stream_event_before(struct cw_stream_event *e, cl_event *list, cl_uint *n);

/* ---- stream_callback.c: the program's callbacks on them, in the order of the commands
 *
 * A callback on command k is due when all commands up to k are over: a marker that waits for them tells. The
 * vendor's thread that learns of it calls all callbacks that are due, one after another.
 *
 * The program has set a callback on an event: threads of the vendor may run its code. */
bool cw_stream_callback_any(void);

/* Where the vendor does so bare: waits until callbacks on commands of `q` up to `number` that are due have
 * returned; not in a callback. Lock not held. */
void cw_stream_callback_wait(struct cw_stream_queue *q, uint64_t number);

#endif
