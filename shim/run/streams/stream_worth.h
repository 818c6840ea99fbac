/* stream_worth.h - whether the streams of a queue pay.
 *
 * A *span* goes from the first command after a synchronisation to the next one: nothing of the queue is
 * under way, or the program has waited for half of the span's commands. On a queue whose commands the
 * program never waits for, waits for those of other queues of the context count. A span goes to stream
 * 0 as bare, or fans out, or does so with versions of buffers, where these would spare a command a
 * wait. The ways are tried on spans that begin alike; the one that takes least time stays for a while,
 * and the others are tried again ever less often. What earlier runs have found is taken at first
 * (streams/stream_ways.h). After 64 spans in a row of which none fanned out as the quicker way, streams
 * are in vain for the queue; 16 of a single launch count as one. In vain, too, when they have lost 5 ms
 * and 5 % of all spans: by the time of spans that is known both ways, else by the
 * events and the work that they cost. So a program that seldom waits leaves, though no span tells anything.
 */
#ifndef CW_STREAM_WORTH_H
#define CW_STREAM_WORTH_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/trial.h"

#define CW_STREAM_SPANS 16 /* kinds of spans that a queue remembers */

/* Spans that begin with the same kind of command, and have about as many. */
enum cw_stream_way { CW_STREAM_BARE, CW_STREAM_FANS, CW_STREAM_RENAMES, CW_STREAM_WAYS };

struct cw_stream_kind_of_span {
    uint64_t key;
    uint32_t commands;
    uint32_t tried[CW_STREAM_WAYS];   /* how often */
    uint64_t best_ns[CW_STREAM_WAYS]; /* of these */
    struct cw_run_trial rest;         /* spans until the losers are tried again */
    enum cw_stream_way way;           /* the winner, while it rests */
    bool wishes;                      /* versions would have spared a command a wait */
};

struct cw_stream_worth {
    bool open;                 /* a span is under way */
    bool fans, renames;        /* it fans out; and buffers get versions (streams/stream_version.h) */
    bool looks, wished;        /* whether versions would help is asked; they would */
    bool made;                 /* a stream was made in it, which takes time */
    bool launches;             /* it has launches */
    bool waited;               /* the program has waited for commands of the queue */
    uint32_t commands, beside; /* of the span; of these, not on stream 0 */
    uint32_t waits;            /* of the program in the context, before the span */
    uint32_t vain;             /* since a span that fanned out as the quicker way; 16 for each */
    double time_ns, lost_ns;   /* of all spans; by streams so far, below 0: gained */
    double cost_ns;            /* what the span that is under way is thought to cost */
    uint64_t begin, key;       /* what its first command is; of its kind */
    uint64_t begin_ns, first;  /* first: number of its first command */
    struct cw_stream_kind_of_span kind[CW_STREAM_SPANS];
};

struct cw_stream_queue;
struct cw_stream_use;

/* Lock of the queue held in all of these. */

/* A command comes. True: its span fans out. */
bool cw_stream_worth_comes(struct cw_stream_queue *q, const struct cw_stream_use *t);
/* It would gain by a stream of its own: it leaves room on the device. */
bool cw_stream_worth_fans_out(const struct cw_stream_queue *q, const struct cw_stream_use *t);
/* The program has waited for the queue's commands up to `number`. */
void cw_stream_worth_synchronised(struct cw_stream_queue *q, uint64_t number);
/* Run mode has made an event that the program did not ask for. */
void cw_stream_worth_marked(struct cw_stream_queue *q);
/* Streams are in vain: each command goes to stream 0 from here on. */
bool cw_stream_worth_is_vain(const struct cw_stream_queue *q);

#endif
