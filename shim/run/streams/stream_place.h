/* stream_place.h - which stream a command goes to, and what it waits for, by the bytes that it uses.
 * Lock of the queue held in all of these; where a command comes of it, its order, too. */
#ifndef CW_STREAM_PLACE_H
#define CW_STREAM_PLACE_H

#include "stream_enqueue.h"

/* need[s]: the command waits for those of stream s up to that number. */
void cw_stream_place_needs(struct cw_stream_queue *q, const struct cw_stream_use *t, bool closes,
                           uint64_t need[CW_STREAM_MAX]);
/* The stream of a command that does not close; makes it if need be. */
uint32_t cw_stream_place_choose(struct cw_stream_queue *q, const struct cw_stream_use *t,
                                const uint64_t need[CW_STREAM_MAX]);
/* The marks that a command on `stream` waits for join its wait list. */
void cw_stream_place_waits(struct cw_stream_queue *q, const struct cw_stream_use *t, uint32_t stream,
                           uint64_t need[CW_STREAM_MAX], struct cw_stream_waits *w);
/* The vendor has taken it: what it uses, and what waits for it from now on. Returns its number. */
uint64_t cw_stream_place_note(struct cw_stream_queue *q, const struct cw_stream_use *t, bool closes,
                              uint32_t stream);

#endif
