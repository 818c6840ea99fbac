/* farm_link.h - messages between a master and a worker, over any stream: a worker and the program that
 * hands tasks to other machines (farm_outside.h) have one end of a pair of sockets.
 *
 *     REPORT  worker to master   how many tasks it asks for (0: none yet) and, in the upper half, how many
 *                                processes are below it (0: itself alone); then results
 *     NOTE    worker to master   text for the user
 *     FAILED  worker to master   text for the user; it cannot work, nor can a successor
 *     WORK    master to worker   a range of tasks
 *     END     master to worker   there are no more tasks
 *     JOIN    worker to master   over a new link: the ranges of tasks that it holds
 *     WELCOME master to worker   the answer, with the epoch that begins
 *
 * A regional master is a worker to its own master. Each carries the worker's epoch. Thread-safety: a link
 * belongs to one thread. */
#ifndef CW_FARM_LINK_H
#define CW_FARM_LINK_H

#include "farm_result.h"

enum cw_farm_kind {
    CW_FARM_REPORT = 1,
    CW_FARM_WORK,
    CW_FARM_NO_MORE,
    CW_FARM_NOTE,
    CW_FARM_FAILED,
    CW_FARM_JOIN = 16,
    CW_FARM_WELCOME
};

struct cw_farm_frame {
    uint32_t magic, kind, epoch, zero;
    uint64_t bytes; /* of the payload */
};

/* Sends a message of two pieces (the second may be NULL, 0 bytes); waits for room. False: the other end is
 * gone. No SIGPIPE comes. */
bool cw_farm_link_send(int fd, enum cw_farm_kind kind, uint32_t epoch, const void *data, size_t bytes,
                       const void *more, size_t more_bytes);

enum cw_farm_received { CW_FARM_FULL, CW_FARM_EMPTY, CW_FARM_CLOSED, CW_FARM_NOMEM };

/* The received bytes: `bytes` from `at` on. A zeroed inbox is empty. */
struct cw_farm_inbox {
    struct cw_farm_bytes bytes;
    size_t at;
};

/* Reads once from fd; waits unless fd is set not to. EMPTY: nothing came, or a signal. */
enum cw_farm_received cw_farm_link_read(int fd, struct cw_farm_inbox *in);

/* Takes the first whole message. *payload holds until the next read. FULL: there was one; EMPTY: none yet;
 * CLOSED: the bytes are no message. */
enum cw_farm_received cw_farm_link_next(struct cw_farm_inbox *in, struct cw_farm_frame *f,
                                        const char **payload);

#endif
