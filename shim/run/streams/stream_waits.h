/* stream_waits.h - a wait list of the program, as in-order queues mean it: who waits for an event of a
 * streamed queue waits for all commands before it. */
#ifndef CW_STREAM_WAITS_H
#define CW_STREAM_WAITS_H

#include "stream_event.h"

struct cw_stream_waits {
    cl_uint n; /* for the vendor, with `list` */
    const cl_event *list;
    cl_uint own, own_end; /* list[own, own_end): added by cw_stream_waits_open */
    bool bad;      /* the list is wrong, or memory is out: it is the program's, and others are in `few` */
    bool outside;  /* some event is not over, and is of no command of `q` */
    cl_uint added; /* events in `few` that are not in the list */
    cl_event few[32];
    cl_event *heap;
};

/* The wait list of a command on `q` (NULL: on a queue without streams). No lock held. Room for
 * CW_STREAM_MAX more events is left behind the list. */
void cw_stream_waits_open(struct cw_stream_waits *w, const struct cw_stream_queue *q, cl_uint n,
                          const cl_event *list);
/* Retains it. At most CW_STREAM_MAX. */
void cw_stream_waits_add(struct cw_stream_waits *w, cl_event event);
/* Where the vendor's function does not get all of it as a list (`no_list`: none): a barrier on `queue`
 * waits. */
void cw_stream_waits_before(const struct cw_stream_waits *w, cl_command_queue queue, bool no_list);
void cw_stream_waits_close(struct cw_stream_waits *w);

#endif
