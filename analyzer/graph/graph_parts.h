/* graph_parts.h - the parts of graph_build.h. */
#ifndef CW_GRAPH_PARTS_H
#define CW_GRAPH_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../io/address_map.h"
#include "../record/trace.h"
#include "graph_build.h"
#include "trace_reach.h"

/* ---- edge_list.c: the edges into one command while the sweep looks at it: collected, merged, then appended
 * to the trace in the order (from, kind, hazard, memory). */

/* For qsort: by (to, from, kind, hazard, memory), the order of cw_trace.edges. */
int cw_edge_compare(const void *a, const void *b);

struct cw_edge_list {
    CW_ARRAY(struct cw_edge) pending;
    bool failed; /* memory ran out; cw_edge_list_flush reports it */
};

/* Notes an edge from -> to. Ignored when from is CW_NONE or to itself. */
void cw_edge_list_add(struct cw_edge_list *l, uint32_t from, uint32_t to, enum cw_edge_kind kind);
void cw_edge_list_add_data(struct cw_edge_list *l, uint32_t from, uint32_t to, enum cw_hazard hazard,
                           uint32_t memory, uint64_t bytes);

/* Appends the noted edges to t->edges, equal ones merged with their bytes added, and empties the list.
 * CW_ERR_NOMEM, CW_ERR_LIMIT. */
enum cw_status cw_edge_list_flush(struct cw_edge_list *l, struct cw_trace *t, struct cw_error *err);
void cw_edge_list_finish(struct cw_edge_list *l);

/* One sweep over the commands of `t` in `order` (NULL: of their ids), whose accesses are filled: it makes
 * t->edges. `declared`, `versions`: as for cw_data_flow_create. CW_ERR_NOMEM, CW_ERR_LIMIT. */
enum cw_status cw_graph_sweep(struct cw_trace *t, const uint32_t *order, bool declared, uint32_t versions,
                              struct cw_error *err);

/* ---- control_flow.c: algorithm A1: the order that queues, wait lists, barriers and host waits impose. */

struct cw_control_flow;

/* True when host wait `wait` (a blocking transfer, too) had returned when `k` was called. A thread calls
 * nothing while it waits, so among its own calls the order is enough. */
static inline bool cw_host_wait_returned(const struct cw_command *wait, const struct cw_command *k)
{
    return wait->thread == k->thread || wait->call_end_ns <= k->call_begin_ns;
}

/* State for a sweep over t's commands. NULL when memory is out. */
struct cw_control_flow *cw_control_flow_create(const struct cw_trace *t);
void cw_control_flow_destroy(struct cw_control_flow *c);

/* Adds the control edges into command `id` to `edges`. Call for every command in order, cw_control_flow_leave
 * after its data edges are known. */
void cw_control_flow_enter(struct cw_control_flow *c, uint32_t id, struct cw_edge_list *edges);

/* Makes `id` known to later commands. `edges` holds all edges into it: their sources are no exits of their
 * queues any more. False when memory is out. */
bool cw_control_flow_leave(struct cw_control_flow *c, uint32_t id, const struct cw_edge_list *edges);

/* ---- data_flow.c: algorithm A2 with byte ranges: the last writer and the readers after it, per range of
 * each memory. */

struct cw_data_flow;

/* State for a sweep over t's commands; works out which memory objects share bytes. `declared`: accesses count
 * as they are declared, not as they can be proven. `versions`: so many copies of each buffer take turns; 1:
 * the program's alone. NULL when memory is out. */
struct cw_data_flow *cw_data_flow_create(const struct cw_trace *t, bool declared, uint32_t versions);
void cw_data_flow_destroy(struct cw_data_flow *d);

/* Adds the data edges into command `id` (its accesses must be filled) and makes its accesses known to later
 * ones. False when memory is out. */
bool cw_data_flow_command(struct cw_data_flow *d, uint32_t id, struct cw_edge_list *edges);

/* ---- data_flow.c: which bytes of host memory a transfer reads or writes, and a map shows.
 *
 * An in-order queue may be all that orders two transfers that meet there (a read, then a write of the bytes
 * read), so a reordering has to know. Addresses are those that the program gave or was given. */

/* Rows of `bytes` each at start + z * slice_pitch + y * row_pitch, y < rows, z < slices. */
struct cw_host_range {
    uint64_t start, bytes, rows, slices, row_pitch, slice_pitch;
    uint32_t mode; /* enum cw_access_mode: a read of a device writes host memory */
    bool mapped;   /* the range of a map or unmap, which no byte of is accessed by the command itself */
};

/* ---- allocations.c: which allocation a pointer argument points into, when its command was enqueued. */

/* The allocations that live at one command, by address: an address may come again after a free. Where an old
 * trace does not say which of two lived when, their addresses lead to none. */
struct cw_allocations {
    struct cw_address_map live; /* of each: its id + 1 */
    uint32_t *made, *released;  /* ids of allocations, in the order in which they came and went */
    size_t count, ended, next_made, next_released;
    bool *doubtful; /* per memory object */
};

/* `a` is the caller's, and zeroed; finish it even after a failure. False when memory is out. O(n log n). */
bool cw_allocations_init(struct cw_allocations *a, const struct cw_trace *t);
void cw_allocations_finish(struct cw_allocations *a);
/* The allocation that has the byte at `address` when command `command` is enqueued; CW_NONE: none is known.
 * Commands are asked for in ascending order. False when memory is out. */
bool cw_allocations_find(struct cw_allocations *a, const struct cw_trace *t, uint32_t command,
                         uint64_t address, uint32_t *memory);

/* ---- access.c: which bytes of which memory objects a command touches, from its parameters. */

/* A rectangle of more rows than this is taken as one range. */
enum { CW_ACCESS_MAX_ROWS = 64 };

/* Parameter modes of all kernels of a trace, parsed once. */
struct cw_access_table {
    uint32_t *first;   /* per kernel: index into modes of its parameter 0 */
    uint8_t *modes;    /* enum cw_access_mode: proven */
    uint8_t *declared; /* the same when every const is believed */
    struct cw_allocations allocations;
    struct cw_trace_reach *reach; /* NULL: launches touch buffers whole */
    bool trust;                   /* declared accesses count as proven: drawing only */
    bool *hidden;                 /* per program: its kernels may share variables that are no arguments */
    bool *addresses;              /* per program: its kernels may keep addresses in memory, by its text */
};

/* Parses the kernels' sources. `table` is the caller's; finish it even after a failure (CW_ERR_NOMEM). */
enum cw_status cw_access_table_init(struct cw_access_table *table, const struct cw_trace *t,
                                    const struct cw_graph_options *options, struct cw_error *err);
void cw_access_table_finish(struct cw_access_table *table);

/* Appends the accesses of command `id` to t->accesses and sets its slice, and the memory of its pointer
 * arguments. Commands come in ascending order. Ranges are clipped to the object
 * and never empty. Returns CW_ERR_NOMEM when memory is out. */
enum cw_status cw_access_fill(struct cw_trace *t, struct cw_access_table *table, uint32_t id,
                              struct cw_error *err);

/* For every byte of one memory: which command wrote it last, or which updates did that commute, and which
 * have read it since.
 *
 * The bytes [0, 2^64-1) are always covered by disjoint segments in a treap, so an access costs O(log
 * segments) plus the segments that it meets. Reader lists are shared between the parts of a segment that was
 * cut. */

/* Nodes of all maps of a sweep; freed in one go. */
struct cw_interval_pool;
struct cw_segment;
struct cw_reader;

struct cw_interval_map {
    struct cw_segment *root; /* NULL: nothing accessed yet */
};

/* Readers of a segment since its last write, newest first: the last of `command` is the newest. */
enum { CW_READERS = 4 };
struct cw_reader {
    struct cw_reader *next;
    uint32_t lists; /* segments and readers that it is the next of */
    uint32_t count;
    uint32_t command[CW_READERS];
};

/* The commands that used a segment before: those that wrote it, and those that have read it since. */
struct cw_segment_users {
    uint32_t writer;                 /* CW_NONE: nothing has written there, or the updates have */
    const struct cw_reader *updates; /* NULL: the writer has */
    const struct cw_reader *readers;
};

/* Called for each segment that an access meets, in ascending order, before the access changes it. */
typedef void cw_segment_visit(void *context, uint64_t bytes, const struct cw_segment_users *before);

struct cw_interval_pool *cw_interval_pool_create(void);
void cw_interval_pool_destroy(struct cw_interval_pool *p);

/* Notes that `command` reads (writes) bytes [lo, hi) and visits the earlier entries there. lo < hi. False
 * when memory is out. */
bool cw_interval_map_read(struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t lo, uint64_t hi,
                          uint32_t command, cw_segment_visit *visit, void *context);
bool cw_interval_map_write(struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t lo, uint64_t hi,
                           uint32_t command, cw_segment_visit *visit, void *context);
/* The same of a command that updates the bytes, in any order with others of class `commutes` (reach.h); 0: it
 * reads them. `visit` sees none of those others. */
bool cw_interval_map_update(struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t lo, uint64_t hi,
                            uint32_t command, uint8_t commutes, cw_segment_visit *visit, void *context);

#endif
