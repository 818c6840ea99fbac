/* graph_build.h - from a recorded command stream to a dependence graph (algorithms A1, A2).
 *
 * One sweep over the commands in the order of trace_read.h fills t->accesses (every command's slice) and
 * t->edges. Edges run forwards in that order, so the graph has no cycles by construction.
 *
 * Which edges bind a reordering: everything but kind CW_EDGE_QUEUE. An in-order queue chains its commands,
 * but where their memory does not meet the chain is implied by nothing and stays in the graph for reference
 * only.
 *
 * Control edges (control_flow.c, A1):
 *   queue    from the previous command of an in-order queue
 *   event    from the commands of a wait list, and from a map to its unmap
 *   barrier  into a barrier or a marker without a wait list from every exit of its queue (commands on which
 *            no later command of the queue depends yet); out of a barrier of an out-of-order queue to the
 *            commands that the queue is given afterwards
 *   host     into a host wait (clFinish, clWaitForEvents, a poll that saw completion, a blocking transfer)
 *            from the commands that it waits for, including the earlier exits of that in-order queue; out of
 *            the newest completed host waits to every later command. Host edges do not ask which thread
 *            waited: a wait that returned before a call of any thread began orders it. That is more order
 *            than the program may need, never less.
 *
 * Data edges (data_flow.c, A2, with byte ranges and all three hazards): for every byte the edge comes from
 * the nearest earlier commands; a write after reads depends on the reads and not again on the write before
 * them (implied). Launches that update bytes by atomic operations of one class (reach.h, cw_reach_commute)
 * have no edge between them for these bytes: each comes behind what the first of them comes behind, and the
 * next command of another kind behind all of them. Two commands of unordered queues that collide are a race
 * in the program; the recorded order is kept.
 *
 * Access modes of kernel arguments (access.c): read for `constant` parameters and `read_only` images,
 * write for `write_only` images; a pointer to const is read when kernel_params.h can prove from the recorded
 * source that the kernel has no way to write through it; all else is read-write. With kernel footprints
 * (options.reach) a launch reads and writes the byte ranges that its kernel's model gives for its sizes and
 * scalar arguments, of images those of the pixels; where the model knows no more than "anywhere" it is as
 * before. A command
 * with unknown_access, or a kernel that may touch buffers which are no argument (footprint/model.h, anywhere;
 * without a model source/cl_source.h), collides with every command of its context.
 *
 * A mere declaration (a const without that proof, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY) proves nothing:
 * programs break such promises and vendors let them. Where declarations say less than the proven modes the
 * sweep runs a second time with the declared ones, and t->edges is the union: edges that the second sweep
 * does not have are marked `unproven`. They bind like the others; the edges without the mark are those that
 * the program's author had in mind; pictures put them first.
 *
 * Host memory of reads, writes and maps counts as memory too (data_flow.c): transfers that meet there, or
 * meet a USE_HOST_PTR object or mapped memory, get data edges without a memory object, but for those that a
 * blocking call ordered.
 *
 * A user event that is set later than a command was enqueued holds that command and all that its in-order
 * queues were given behind it: an event edge each from the set (then `from` is higher than `to`).
 *
 * Sub-buffers are ranges of their root, buffers of USE_HOST_PTR (and SVM) alias where their host ranges meet,
 * images made from a buffer alias it. A rectangle counts as its rows when it has at most CW_ACCESS_MAX_ROWS
 * of them, else as the range from its first to its last byte; images likewise, in the order of their pixels.
 * Failed commands touch and order nothing. */
#ifndef CW_GRAPH_BUILD_H
#define CW_GRAPH_BUILD_H

#include "../record/trace.h"

struct cw_trace_reach; /* trace_reach.h */

struct cw_graph_options {
    /* believe every const and every CL_MEM_ flag: good for drawing, not for reordering */
    bool trust_declared;
    bool no_const; /* believe no const, not even a proven one (for checking the others) */
    /* which bytes launches reach; NULL: their buffers whole. Changed by its use */
    struct cw_trace_reach *reach;
};

/* Builds t->accesses and t->edges, replacing earlier ones. options NULL: all off. Returns CW_OK;
 * CW_ERR_NOMEM, or CW_ERR_LIMIT when there would be 2^32 accesses or edges (then the trace has neither). Time
 * O((commands + accesses) log accesses + edges). Thread-safety: the caller owns t. */
enum cw_status cw_graph_build(struct cw_trace *t, const struct cw_graph_options *options,
                              struct cw_error *err);

/* True when an edge restricts the order in which commands may run. */
bool cw_graph_edge_binds(const struct cw_edge *e);

/* "queue", "event" …; "RAW", "WAR", "WAW", or "" for CW_HAZARD_NONE. Static strings, "?" for values out of
 * range. */
const char *cw_graph_edge_kind_name(unsigned kind);
const char *cw_graph_hazard_name(unsigned hazard);

/* ---- commands that touch the same bytes with no order between them.
 *
 * A data edge keeps the recorded order of two commands that meet in memory. The program has asked for that
 * order only where a path of queue, event, barrier or host edges leads from the one to the other; elsewhere
 * either may run first, or both at once. */

struct cw_races {
    /* per edge of the trace: true for a data edge of such a pair; NULL: there is none. Owned */
    bool *edge;
    uint64_t count; /* of these edges */
    uint32_t first; /* the first of these that is certain, else the first one; CW_NONE: there is none */
    bool certain;   /* the commands of `first` are known to move these bytes: they are transfers or fills */
};

/* Fills `r`; finish it in any case. Edges that rest on doubt (unproven), and those without a memory object,
 * are taken as ordered. So is what a long search does not settle. CW_ERR_NOMEM. O(commands + edges).
 * Thread-safety: reads `t` only. */
enum cw_status cw_races_find(struct cw_races *r, const struct cw_trace *t, struct cw_error *err);
void cw_races_finish(struct cw_races *r); /* safe on a zeroed struct */

/* ---- the longest chain of binding edges in a trace's graph, and how much time every other
 * command has to spare.
 *
 * Commands that race stay in their recorded order, as in plans of the graph: the program lacks that order,
 * and would need it.
 *
 * A command weighs its device time, or 1 when chains are to be measured in commands. Host pseudo-commands,
 * and commands that were refused or failed, weigh nothing; they stand in the chain that they make. Where
 * commands lack times, all lengths are those of the others: at least so much. */

enum cw_weight { CW_WEIGHT_TIME, CW_WEIGHT_COUNT };

struct cw_critical_path {
    uint64_t length;       /* of the chain, ns or commands; 0 when nothing weighs anything */
    uint64_t work;         /* of all commands together */
    uint64_t without_host; /* length of the longest chain without the program's waits (CW_EDGE_HOST) */
    /* without these, and without the order of commands that write memory which others before them use
     * (WAR, WAW): a chain that results, events and barriers ask for */
    uint64_t without_reuse;
    uint64_t results; /* with the waits, without that order */
    uint32_t *chain;  /* command ids, first to last; owned */
    size_t chain_count;
    uint64_t *slack; /* per command: by how much it may be late without making the chain longer; owned */
    uint64_t width;  /* most enqueued commands of one distance (in edges) from the start: a measure of
                        parallelism */
};

/* Fills `p` from the binding edges of `t`; finish it in any case. Returns CW_OK; CW_ERR_CYCLE when the edges
 * have one; CW_ERR_NOMEM. O(commands + edges). Thread-safety: reads `t` only. */
enum cw_status cw_critical_path_init(struct cw_critical_path *p, const struct cw_trace *t,
                                     enum cw_weight weight, struct cw_error *err);
void cw_critical_path_finish(struct cw_critical_path *p); /* safe on a zeroed struct */

/* ---- how short the longest chain would be if buffers had versions: copies that take turns.
 *
 * A command that surely overwrites bytes, and reads none of them, stores to the next copy of them, and later
 * commands find them there. So it waits for users of what that copy held before, instead of the users of the
 * bytes that it replaces (WAR, WAW). Commands that update in place, or may leave bytes as they are, stay in
 * the copy where they find the bytes. Only buffers and images without host memory of the program's,
 * sub-buffers and images on them have copies. It is a bound: to carry over bytes from copy to copy costs
 * nothing here. */

enum { CW_VERSION_STEPS = 5 /* 1, 2, 4, 8, 16 copies */, CW_VERSIONS_MAX = 1024 };

struct cw_versions {
    uint64_t length[CW_VERSION_STEPS]; /* of the longest chain, as in cw_critical_path; the first: as it is */
    uint64_t results;                  /* without the order of WAR and WAW: copies leave no shorter chain */
    /* of the steps of the longest chain as it is: */
    uint64_t steps, reuse; /* all; those that WAR and WAW alone make */
    uint32_t memory;       /* the object that makes most of those, CW_NONE: there are none */
    uint64_t memory_reuse; /* as many */
};

/* `p` is the critical path of `t` by the same weight. Lengths are all p->length where memory that is used
 * again makes no step of it, and for parts of traces. CW_ERR_NOMEM, CW_ERR_LIMIT, CW_ERR_CYCLE. Five times
 * cw_graph_build's time. */
enum cw_status cw_versions_measure(struct cw_versions *v, const struct cw_trace *t,
                                   const struct cw_critical_path *p, enum cw_weight weight,
                                   struct cw_error *err);

/* Replaces t->edges by those with so many copies of each buffer, for plans: the program itself has one. Not
 * for parts of traces. Errors as above. */
enum cw_status cw_versions_apply(struct cw_trace *t, uint32_t copies, struct cw_error *err);

#endif
