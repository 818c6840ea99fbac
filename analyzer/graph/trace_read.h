/* trace_read.h - reads traces, JSON (FORMAT.md) or the library's binary log, together with their graph;
 * converts logs to JSON. */
#ifndef CW_TRACE_READ_H
#define CW_TRACE_READ_H

#include "../record/trace.h"
#include "../record/trace_fields.h"

/* Fills `t` (initialised, empty) from `path`, which is a JSON trace or a binary log (told apart by their
 * first bytes). A log's graph is built; a JSON trace comes with its own. Everything is checked: types,
 * ranges, ids that refer to nothing, cycles. Messages say "<file>:<line>:<column>: <fault>".
 *
 * Returns CW_OK, CW_ERR_IO (cannot be read), CW_ERR_FORMAT, CW_ERR_VERSION, CW_ERR_CYCLE, CW_ERR_LIMIT,
 * CW_ERR_NOMEM. After a failure `t` is still to be finished. Time O(file size). Thread-safe. */
enum cw_status cw_trace_load(struct cw_trace *t, const char *path, struct cw_error *err);

/* The same, but a log gets no graph yet. *log: whether it is one. */
enum cw_status cw_trace_load_bare(struct cw_trace *t, const char *path, bool *log, struct cw_error *err);

/* The same from JSON text in memory; `name` stands for the file in messages. */
enum cw_status cw_trace_load_text(struct cw_trace *t, const char *name, const char *text, size_t length,
                                  struct cw_error *err);

/* Reads the binary log `log_path`, builds its graph and saves it as `json_path`. Prints nothing, ends
 * nothing; for the library at a program's exit as well. Returns CW_OK, CW_ERR_NOMEM, CW_ERR_IO,
 * CW_ERR_FORMAT, CW_ERR_VERSION, CW_ERR_LIMIT. Thread-safe. */
enum cw_status cw_trace_convert(const char *log_path, const char *json_path, struct cw_error *err);

/* Whether a trace that came from a file makes sense. */

/* Where a check failed. */
struct cw_trace_place {
    enum cw_section section;
    size_t index; /* SIZE_MAX: no single element is to blame */
};

/* Checks that every id refers to something, sub-buffers lie in their parents and parents come before their
 * children, accesses lie in their objects, and edges form no cycle. On failure `place` names the element and
 * `err` the fault (CW_ERR_FORMAT, CW_ERR_CYCLE, CW_ERR_NOMEM). */
enum cw_status cw_trace_check(const struct cw_trace *t, struct cw_trace_place *place, struct cw_error *err);

/* The order in which a recorded stream takes effect.
 *
 * Recorded order is enqueue order, which is an order of execution unless a command waits for a user event
 * that is set after the command was enqueued: it, and the commands queued behind it, run after the set. The
 * sweep order is the stable topological order (lowest id first) of queue order, wait lists, barriers and
 * markers of out-of-order queues, and clFinish after its queue. */

/* Sets *order to a malloc'ed array of all command ids in sweep order, or to NULL when that is simply 0, 1, 2
 * … (nearly always). Ids on a cycle, which only a lying trace has, come last. CW_ERR_NOMEM. */
enum cw_status cw_sweep_order(const struct cw_trace *t, uint32_t **order, struct cw_error *err);

/* Fills order[0..commands-1] with all command ids in the stable topological order (lowest id first) of
 * t->edges. Returns CW_ERR_CYCLE, naming a command on a cycle, or CW_ERR_NOMEM. O(commands + edges) when all
 * edges go from a lower to a higher id, else with a factor of log commands. */
enum cw_status cw_sweep_topological_order(const struct cw_trace *t, uint32_t *order, struct cw_error *err);

#endif
