/* stream_access.h - which commands of a queue have touched which bytes, and on which stream the latest of
 * them are.
 *
 * Commands of one stream run in their order, so a conflict is a stream and a number: the command with that
 * number on that stream, and all before it there, must be over first.
 *
 * Pure. The caller serialises the calls for one list. */
#ifndef CW_STREAM_ACCESS_H
#define CW_STREAM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#define CW_STREAM_MAX      8   /* streams of one queue */
#define CW_STREAM_ACCESSES 128 /* that a list holds; more are not remembered */
#define CW_STREAM_TOUCHES  40  /* of one command; with more it closes */

/* Bytes [low, high) of a region: the host's memory (0), or a buffer that is in no other buffer. */
struct cw_stream_bytes {
    uintptr_t region;
    uint64_t low, high;
    bool write;
    bool sure;        /* of a write: of each byte */
    bool polled;      /* the command may wait until the host, or another queue, writes some of them */
    uint8_t commutes; /* a class of atomic operations (cw_reach_commute); 0: others */
};

struct cw_stream_access {
    struct cw_stream_bytes bytes;
    uint64_t number; /* of the command */
    uint32_t stream;
};

struct cw_stream_accesses {
    uint32_t n;
    struct cw_stream_access of[CW_STREAM_ACCESSES];
};

/* Raises need[stream] to the latest number there with which `bytes` conflict. `over`, by stream: commands up
 * to that number are over, and forgotten. */
void cw_stream_access_conflicts(struct cw_stream_accesses *a, const struct cw_stream_bytes *bytes,
                                const uint64_t over[CW_STREAM_MAX], uint64_t need[CW_STREAM_MAX]);

/* Command `number` on `stream`, which waits for all that conflicts with it, touches `bytes`. False: the list
 * is full. */
bool cw_stream_access_add(struct cw_stream_accesses *a, const struct cw_stream_bytes *bytes, uint32_t stream,
                          uint64_t number);

/* A command that is not over may poll bytes of the region. */
bool cw_stream_access_is_polled(const struct cw_stream_accesses *a, uintptr_t region,
                                const uint64_t over[CW_STREAM_MAX]);

#endif
