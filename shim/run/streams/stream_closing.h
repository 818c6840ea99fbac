/* stream_closing.h - commands of extensions that go to the vendor by functions of their own. */
#ifndef CW_STREAM_CLOSING_H
#define CW_STREAM_CLOSING_H

#include "stream_enqueue.h"

/* Such a command, of which no more is known than that it touches memory: it closes the streams, and goes to
 * c->queue with c->n, c->list and c->event, before cw_stream_end(). False: the queue has no
 * streams. */
bool cw_stream_closing_begin(struct cw_stream_call *c, struct cw_stream_use *t, cl_command_queue queue,
                             cl_uint n, const cl_event *list, cl_event *event);

#endif
