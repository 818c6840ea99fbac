/* stream_ways.h - the ways that spans went best in earlier runs of the program (streams/stream_worth.h), by
 * the kernel or transfer that they begin with. They spare the program trials, and are tried again as its own
 * decisions are. */
#ifndef CW_STREAM_WAYS_H
#define CW_STREAM_WAYS_H

#include <stdint.h>

#include "../../../analyzer/io/identity.h"
#include "stream_worth.h"

#define CW_STREAM_WAYS_KIND "streams 1" /* of the identity; another one when a record means something else */

/* Records of programs lie in `folder` ("": none do). `program`: a record of CW_STREAM_WAYS_BYTES. */
void cw_stream_ways_start(const struct cw_identity *program, const char *folder);
/* Reads the record, once. */
void cw_stream_ways_load(void);
/* Thread-safe. CW_STREAM_WAYS: not known. */
enum cw_stream_way cw_stream_ways_of(uint64_t begin);
void cw_stream_ways_decided(uint64_t begin, enum cw_stream_way way);
/* Writes the record if it has changed. */
void cw_stream_ways_stop(void);

#define CW_STREAM_WAYS_MOST  64
#define CW_STREAM_WAYS_BYTES (CW_STREAM_WAYS_MOST * sizeof(uint64_t))

#endif
