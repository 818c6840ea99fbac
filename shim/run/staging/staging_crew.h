/* staging_crew.h - one transfer through the pool: its pieces are copied by several threads, and
 * transferred by the vendor. */
#ifndef CW_RUN_STAGING_CREW_H
#define CW_RUN_STAGING_CREW_H

#include "staging_objects.h"
#include "staging_pieces.h"

/* A transfer. The caller fills in the first group, and zeros the rest. */
struct cw_run_staging_job {
    bool write, rect; /* rect: by the vendor's functions for rectangles */
    cl_mem memory;    /* a buffer, or, where shape.pixel is set, an image */
    uint8_t *host;    /* the program's pointer; only read by a write */
    struct cw_run_staging_shape shape;

    cl_command_queue queue; /* that the pieces go to: nobody else's but by cw_run_staging_crew_hurry() */
    struct cw_run_staging_queue *turn; /* the record of that queue when it is the program's, else NULL */
    struct cw_run_staging_cut cut;
    unsigned threads;             /* that take part, at most */
    size_t next, limit, enqueued; /* pieces: handed out, to be handed out at most, given to the vendor */
    bool rest, rest_done;         /* the pieces from `next` on are being, or have been, enqueued */
    bool short_turn;              /* the turn ends by itself within some calls of the vendor's */
    cl_int error;                 /* the first one */
    cl_event last;                /* of the last piece */
    pthread_t owner;
};

/* Threads per transfer by --set staging, the calling one among them; 0: staging is off. */
unsigned cw_run_staging_crew_threads(void);
void cw_run_staging_crew_configure(unsigned threads);

/* The crew serves one transfer at a time. False: `wait` is not set and it is busy, or the process ends. */
bool cw_run_staging_crew_take(bool wait);
void cw_run_staging_crew_give(void);

/* Cuts the job; before its turn is opened. `piece`: bytes, at most those of a chunk. `threads`: so many at
 * most take part. */
void cw_run_staging_crew_prepare(struct cw_run_staging_job *job, size_t piece, unsigned threads);

/* Transfers all of the job's bytes; returns when that is over. The caller has the crew, has entered the pool
 * and, where job->turn is set, has opened the turn, which this closes. False: some
 * piece was not transferred; the transfer is to be done again as a whole. `last`: the event of the last
 * piece, the caller's; NULL: not wanted. */
bool cw_run_staging_crew_run(struct cw_run_staging_job *job, cl_event *last);

/* Enqueues the head of a transfer, which waits as the transfer would and changes nothing: a read of a few
 * bytes into `memory`, CW_RUN_STAGING_TAIL bytes. */
cl_int cw_run_staging_crew_head(const struct cw_run_staging_job *job, cl_command_queue queue,
                                cl_bool blocking, uint8_t *memory, cl_uint n, const cl_event *list,
                                cl_event *event);

/* Enqueues a piece between `memory`, where it lies without gaps, and the job's memory object; non-blocking.
 * Returns the vendor's answer. */
cl_int cw_run_staging_crew_enqueue(const struct cw_run_staging_job *job, cl_command_queue queue,
                                   cl_bool blocking, const struct cw_run_staging_piece *p, uint8_t *memory,
                                   cl_uint n, const cl_event *list, cl_event *event);

/* Transfers all of the job's bytes by one blocking call of the vendor's on job->queue; returns its answer. */
cl_int cw_run_staging_crew_whole(const struct cw_run_staging_job *job);

/* Another thread wants to enqueue on `q`: the rest of the transfer there goes to the vendor at once. Returns
 * when it has. */
void cw_run_staging_crew_hurry(struct cw_run_staging_queue *q);
/* The transfer is this thread's own. */
bool cw_run_staging_crew_is_ours(struct cw_run_staging_queue *q, const struct cw_run_staging_job *job);

void cw_run_staging_crew_stop(void);
void cw_run_staging_crew_after_fork(void);

#endif
