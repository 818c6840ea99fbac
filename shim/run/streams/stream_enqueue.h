/* stream_enqueue.h - the frame of every hook that enqueues: which stream a command goes to, and what it waits
 * for. */
#ifndef CW_STREAM_ENQUEUE_H
#define CW_STREAM_ENQUEUE_H

#include "stream_waits.h"

/* A command, as far as streams care. */
struct cw_stream_use {
    uint32_t n;
    bool closes;    /* it waits for everything before it, and everything behind it waits for it */
    bool no_list;   /* the vendor's function has no wait list for it */
    bool hosted;    /* it may wait for the host */
    bool idle;      /* it closes, and uses no memory */
    bool visible;   /* the host can see what it has done without asking */
    bool reads;     /* it blocks until the host has its bytes */
    bool early;     /* a call that blocks may return when the host's bytes are copied: it, and commands before
                      * it, may be under way then */
    bool transfers; /* between the host's memory and an object: the function for it may be one of staging */
    bool polls;     /* a launch that may poll its bytes; set by cw_stream_version_pick */
    bool pixels;    /* it closes, and uses no memory but images and the host's */
    uint32_t groups; /* of a launch; 0: a transfer */
    struct cw_stream_kernel *kernel;
    const struct cw_stream_launch *launch; /* NULL: not known */
    struct cw_stream_bytes of[CW_STREAM_TOUCHES];
    cl_mem object[CW_STREAM_TOUCHES]; /* that the vendor gets instead; NULL: none (stream_version.h) */
    uint16_t arg[CW_STREAM_TOUCHES];  /* of a launch */
};

struct cw_stream_launch;

/* The touch of a command that closes the streams, and of one that uses nothing yet. */
void cw_stream_use_close(struct cw_stream_use *t);
void cw_stream_use_begin(struct cw_stream_use *t);
/* More than CW_STREAM_TOUCHES: the command closes. */
void cw_stream_use_add(struct cw_stream_use *t, const struct cw_stream_bytes *bytes);
/* The object for the vendor, where the i-th bytes are those of `memory`. */
static inline cl_mem cw_stream_use_memory(const struct cw_stream_use *t, uint32_t i, cl_mem memory)
{
    return i < t->n && t->object[i] ? t->object[i] : memory;
}

struct cw_stream_call {
    struct cw_stream_queue *q; /* pinned, its order held, between begin and end; NULL: not streamed */
    cl_command_queue queue;    /* these six are for the vendor */
    cl_bool blocking;
    cl_uint n;
    const cl_event *list;
    cl_event *event;
    cl_event made;
    bool by_event; /* the wait of a blocking command comes behind the vendor's call */
    bool closes;   /* it closes the streams */
    bool leaves;   /* streams are in vain for the queue */
    bool seated;   /* between cw_stream_seat_begin and cw_stream_seat_end */
    cl_event *program;
    uint32_t stream;
    cl_context context;                /* of `q` */
    cl_int refused;                    /* the vendor's error; CL_SUCCESS: none, or `q` is NULL */
    struct cw_run_staging_queue *turn; /* of `queue` */
    struct cw_stream_use *use;
    struct cw_stream_waits waits;
};

/* The vendor's call returns when the command is over, and with it all commands before it in its stream. */
static inline bool cw_stream_call_is_over(const struct cw_stream_call *c)
{
    return c->blocking && !c->use->early;
}

/* A command of the queue, with a wait list of `n` events, goes to the layer below, and no event that it waits
 * for needs more than the vendor's own wait. */
bool cw_stream_skips_of(cl_command_queue queue, cl_uint n, const cl_event *list);
static inline bool cw_stream_skips(cl_command_queue queue, cl_uint n, const cl_event *list)
{
    return CW_LIKELY(!cw_stream_object_in_use()) || cw_stream_skips_of(queue, n, list);
}

/* The functions that the command goes to: the vendor's, or those of the layer below. `use` stays until the
 * end, and says from here on which memory the command uses. */
const struct cw_dispatch *cw_stream_begin(struct cw_stream_call *c, cl_command_queue queue,
                                          struct cw_stream_use *use, cl_bool blocking, cl_uint n,
                                          const cl_event *list, cl_event *event);
/* Returns what the program gets for `err`. */
cl_int cw_stream_end(struct cw_stream_call *c, cl_int err);

/* As cw_stream_queue_leave_if_idle; versions of its context end before. Where these pay for a queue of the
 * context it stays: its commands go to stream 0. */
void cw_stream_leave_if_idle(struct cw_stream_queue *q);
/* A queue goes back to one stream for good: the vendor may get commands for it that no hook sees. */
void cw_stream_close_for_good(struct cw_stream_queue *q);

/* stream_closing.c: a command of an extension that goes to the vendor by a function of its own. No more is
 * known than that it touches memory: it closes the streams, and goes to c->queue with c->n, c->list and
 * c->event, before cw_stream_end(). False: the queue has no streams. */
bool cw_stream_closing_begin(struct cw_stream_call *c, struct cw_stream_use *t, cl_command_queue queue,
                             cl_uint n, const cl_event *list, cl_event *event);

#endif
