/* compact.h - the compact form of a trace's commands (FORMAT.md): what its writer and its reader share.
 *
 * A command is a row of numbers. Its shape and its edges are numbers of earlier ones where they are the same
 * but for how far back the commands lie that they name. */
#ifndef CW_COMPACT_H
#define CW_COMPACT_H

#include "../io/json_in.h"
#include "../io/json_out.h"
#include "trace.h"

/* Members of a row: of times that are all 0 the last ones are left out. */
enum { CW_COMPACT_BARE = 2, CW_COMPACT_CALL = 4, CW_COMPACT_ALL = 8 };
/* Longer wait lists and lists of edges are not referred to, so that a few bytes do not make many. */
enum { CW_COMPACT_LIST_MAX = 256 };

/* A list of edges into one command. */
struct cw_compact_set {
    uint32_t command, wait; /* the command, the newest host wait before it */
    uint32_t first, count;  /* into t->edges */
};

/* A command whose return tells the host that others are over: edges from the newest one are told by that. */
bool cw_compact_is_wait(const struct cw_command *k);

/* How far back an edge into `command` begins; 0: at the newest host wait before it, `wait`. */
uint32_t cw_compact_back(uint32_t from, uint32_t command, uint32_t wait);
/* The inverse. */
uint32_t cw_compact_from(uint32_t back, uint32_t command, uint32_t wait);

/* Times from which those of the next row count. */
struct cw_compact_clock {
    uint64_t call_ns, queued_ns; /* of the newest command that has them */
};
void cw_compact_tick(struct cw_compact_clock *clock, const struct cw_command *k);

/* ---- writing */

struct cw_compact_out;

/* NULL: memory is out. `o` and `t` stay the caller's. */
struct cw_compact_out *cw_compact_out_create(const struct cw_trace *t, struct cw_json_out *o);
void cw_compact_out_destroy(struct cw_compact_out *c);

/* True when the rows hold the edges, so that the file has no others. */
bool cw_compact_out_has_edges(const struct cw_compact_out *c);

/* Writes the row of command `id`; they come in ascending order. False: memory is out. */
bool cw_compact_put(struct cw_compact_out *c, uint32_t id);

/* ---- reading */

struct cw_compact_in {
    CW_ARRAY(uint32_t) shapes; /* the first command of each */
    CW_ARRAY(struct cw_compact_set) sets;
    struct cw_compact_clock clock;
    uint32_t wait; /* newest host wait, CW_NONE */
};

/* Reads a row into command `id` of `t`, which is its last, and appends its edges. False after an error
 * (in->err). Ids that refer to nothing are for cw_trace_check to find. */
bool cw_compact_read(struct cw_compact_in *c, struct cw_json_in *in, struct cw_trace *t, uint32_t id);
void cw_compact_in_finish(struct cw_compact_in *c);

#endif
