/* stream_queue.h - the streams of one in-order queue of the program.
 *
 * Stream 0 is the program's queue, the others are queues of run mode in the same context, for the same
 * device, with the same properties. Commands of the queue are numbered from 1 in the order of their
 * enqueues. A *mark* of a stream is an event that is complete when all commands there up to a number are.
 *
 * Commands up to the *floor* are over when any command behind it is: everything that begins later waits
 * for it. */
#ifndef CW_STREAM_QUEUE_H
#define CW_STREAM_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "../../door/handoff.h"
#include "stream_object.h"
#include "stream_worth.h"

struct cw_stream_mark {
    uint64_t number;
    cl_event event; /* retained */
};

struct cw_stream {
    cl_command_queue queue;
    uint64_t last;    /* number of its latest command; 0: none */
    uint64_t over;    /* up to this number its commands are over */
    uint64_t visible; /* number of the latest command whose end the program can see without waiting for it */
    uint64_t passed;  /* a blocking command behind them has returned, which need not have waited for them */
    bool dirty;       /* it has commands that nothing has flushed */
    struct cw_stream_mark *marks; /* by ascending number, all behind `over` */
    uint32_t num_marks, cap_marks;
};

/* What a command needs (write: may write) of a buffer's bytes. */
struct cw_stream_span {
    uint64_t low, high;
    bool write;
};

#define CW_STREAM_SPANS_FEW 48 /* of a command, where they are told apart */

/* The version of a buffer that a command uses. */
struct cw_stream_pick {
    struct cw_stream_versions *versions;
    uint32_t version;
    uint32_t first, end; /* of the spans */
};

/* Of the command that holds the order. */
struct cw_stream_picks {
    uint32_t n, num_spans;
    bool asked; /* what a launch reaches, by its model */
    const struct cw_reach *reach;
    struct cw_stream_pick of[CW_STREAM_TOUCHES];
    struct cw_stream_span span[CW_STREAM_SPANS_FEW + 2 * CW_STREAM_TOUCHES];
};

struct cw_stream_queue {
    struct cw_stream_object o;
    struct cw_stream_context *context; /* pinned */
    cl_context vendor_context;
    cl_device_id device;
    cl_command_queue_properties properties;
    pthread_mutex_t order; /* of commands: held from the choice of a stream to the end of the vendor's call */
    pthread_mutex_t
        lock;         /* of everything below; no call is made with it that may wait. Taken behind `order` */
    uint32_t units;   /* compute units of the device */
    uint32_t n, most; /* streams that there are, and may be */
    uint64_t number, floor; /* the latest command's */
    pthread_t owner;        /* of the first command */
    bool hosted;            /* its commands may wait for the host, or several threads use it */
    bool crowded;           /* not all accesses are remembered: the next command closes */
    bool closed;            /* everything goes to stream 0 from now on */
    bool left;              /* its commands go to the vendor as bare from now on */
    struct cw_stream of[CW_STREAM_MAX];
    struct cw_stream_accesses accesses;
    uint64_t random;                                    /* chaos */
    struct cw_stream_event *events_first, *events_last; /* alive, in the order of their commands */
    uint64_t end_ns;  /* least START that the next event may show; its lock is that of the events' times */
    bool calls_first; /* bare, waits end when callbacks have returned */
    struct cw_stream_callback *callbacks;          /* that have not been called, in the order of commands */
    uint64_t called;                               /* callbacks on commands up to this number are due */
    bool calling;                                  /* a thread is calling them */
    pthread_cond_t calls;                          /* no thread is calling them any more */
    uint32_t own_refs;                             /* of the context, by the queues of run mode */
    cl_command_queue view;                         /* markers whose ends call callbacks; NULL: none yet */
    _Atomic(struct cw_stream_versions *) versions; /* that it gave (streams/stream_version.h); order */
    struct cw_stream_picks picks;                  /* order */
    uint64_t unseen; /* number of the latest launch whose bytes are not known; order */
    struct cw_stream_worth worth;
};

/* Locks under which the vendor is called: callbacks that it makes inside such a call are handed over. */
static inline void cw_stream_lock(pthread_mutex_t *lock)
{
    cw_handoff_holds++;
    pthread_mutex_lock(lock);
}
static inline bool cw_stream_trylock(pthread_mutex_t *lock)
{
    bool taken = pthread_mutex_trylock(lock) == 0;

    cw_handoff_holds += taken;
    return taken;
}
static inline void cw_stream_unlock(pthread_mutex_t *lock)
{
    pthread_mutex_unlock(lock);
    cw_handoff_holds--;
}

/* Totals of the process, for the summary. */
struct cw_stream_counts {
    atomic_ullong commands, beside_first; /* on streams; of these, not on stream 0 */
    atomic_ullong waits, closed;          /* of a stream for another; commands that closed several streams */
    /* Of the commands; of these, whose bytes are not known, and that fill their device at least twice. */
    atomic_ullong launches, unseen, filling;
    atomic_uint queues, most;    /* with streams; the most streams of one queue */
    atomic_uint left;            /* queues that have left streams */
    atomic_ullong spans, fanned; /* with a measured time; of these, with commands beside stream 0 */
    /* Of fanned spans whose kind is known bare, too: their time, and the time that they take bare. */
    atomic_ullong beside_ns, bare_ns;
};
extern struct cw_stream_counts cw_stream_counts;

/* A queue was made in a streamed context; nothing happens for others. `most` streams. */
void cw_stream_queue_made(cl_context context, cl_device_id device, cl_command_queue queue);
void cw_stream_queue_free(void *object);
/* Later queues of the context may have streams, or get none any more. */
void cw_stream_queue_context(struct cw_stream_context *c, bool begins);
extern atomic_uint cw_stream_queue_contexts; /* whose later queues may have streams */
/* A queue has streams, or a later one may have. No lock needed. */
static inline bool cw_stream_queue_may_come(void)
{
    return atomic_load_explicit(&cw_stream_queue_contexts, memory_order_relaxed) || cw_stream_object_in_use();
}
/* The program's last release comes next. Lock not held. */
void cw_stream_queue_leaves(struct cw_stream_queue *q);

/* The queue leaves streams for good, where nothing is under way beside stream 0, no callback is to come, and
 * run mode does not look after the buffers of its context: it has no record any more, and goes to the layer
 * below. Nothing happens while another thread enqueues. Neither order nor lock held; the caller has a pin. */
void cw_stream_queue_leave_if_idle(struct cw_stream_queue *q);

/* Waits for all commands before blocking ones that have returned. Lock not held. */
void cw_stream_queue_catch_up(void *queue, void *unused);

/* Lock held from here on. */

/* Below n. */
uint32_t cw_stream_queue_lot(struct cw_stream_queue *q, uint32_t n);

/* An event that is complete when the commands of stream `s` up to `number` are; borrowed until the lock is
 * given up. NULL: they are over. Makes a marker where there is no mark. */
cl_event cw_stream_queue_mark(struct cw_stream_queue *q, uint32_t s, uint64_t number);
/* The event of the latest command of the stream, as a mark; retains it. */
void cw_stream_queue_mark_by(struct cw_stream_queue *q, uint32_t s, cl_event event);
/* References to that event that the program does not see. */
cl_uint cw_stream_queue_holds(const struct cw_stream_queue *q, cl_event event);
/* They are over; asks the vendor. */
bool cw_stream_queue_is_over(struct cw_stream_queue *q, uint32_t s, uint64_t number);
/* The program has waited for them. */
void cw_stream_queue_reached(struct cw_stream_queue *q, uint32_t s, uint64_t number);
/* All streams but `but`. */
void cw_stream_queue_flush(struct cw_stream_queue *q, uint32_t but);
/* A queue of run mode in the context of `q`, which the program does not see. NULL: the vendor has none. */
cl_command_queue cw_stream_queue_make(struct cw_stream_queue *q, cl_command_queue_properties properties);
/* The stream has a queue; makes it if need be. */
bool cw_stream_queue_has(struct cw_stream_queue *q, uint32_t s);

#endif
