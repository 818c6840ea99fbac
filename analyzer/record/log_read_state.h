/* log_read_state.h - the state of the log reader, shared by its parts: log_read.c (file, segments, order),
 * log_objects.c (definitions), log_commands.c (commands), log_links.c (references to commands by sequence
 * number), log_follow.c (a log that grows, record by record, without the third). */
#ifndef CW_LOG_READ_STATE_H
#define CW_LOG_READ_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "log_read.h"
#include "log_format.h"

/* Bounds-checked reading of a log's numbers. A cursor that meets something impossible becomes
 * `bad` and answers zeros from then on, so that decoders check once per record. */

struct cw_cursor {
    const uint8_t *p, *end;
    bool bad;
};

static inline uint64_t cw_cursor_u(struct cw_cursor *c)
{
    uint64_t v = 0;
    unsigned shift = 0;

    while (c->p < c->end && shift < 64) {
        uint8_t byte = *c->p++;

        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return v;
        shift += 7;
    }
    c->bad = true;
    c->p = c->end;
    return 0;
}

static inline int64_t cw_cursor_s(struct cw_cursor *c)
{
    return cw_log_unzigzag(cw_cursor_u(c));
}

/* A number that must fit in 32 bits. */
static inline uint32_t cw_cursor_u32(struct cw_cursor *c)
{
    uint64_t v = cw_cursor_u(c);

    if (v > UINT32_MAX)
        c->bad = true;
    return c->bad ? 0 : (uint32_t)v;
}

/* The count of things that follow, each at least one byte long. */
static inline uint32_t cw_cursor_count(struct cw_cursor *c)
{
    uint64_t v = cw_cursor_u(c);

    if (v > (uint64_t)(c->end - c->p))
        c->bad = true;
    return c->bad ? 0 : (uint32_t)v;
}

/* The next n bytes; NULL when there are not that many. */
static inline const uint8_t *cw_cursor_bytes(struct cw_cursor *c, uint64_t n)
{
    const uint8_t *p = c->p;

    if (c->bad || n > (uint64_t)(c->end - c->p)) {
        c->bad = true;
        return NULL;
    }
    c->p += n;
    return p;
}

/* More in a log is damage, and would take memory, or time, out of proportion to it. Vendors have a few KiB
 * for all arguments of a kernel, and Linux has some 65,000 mappings for a process. */
enum { CW_LOG_MAX_KERNEL_ARGS = 4096, CW_LOG_MAX_MODULES = 65536, CW_LOG_MAX_FUNCTIONS = 4096 };

/* A stretch of one thread's records. */
struct cw_log_segment {
    uint32_t thread, number;
    uint64_t seq, time_ns; /* bases */
    const uint8_t *p, *end;
};

/* The renumbering of one kind of object: ids[k] is the log's id of the trace's object k, ascending. */
struct cw_log_ids {
    uint32_t *ids;
    uint32_t *dense; /* trace id of ids[k]; NULL: k itself */
    size_t count;
};

/* One definition record. */
struct cw_log_def {
    uint32_t kind, id;     /* enum cw_log_kind */
    struct cw_cursor body; /* after the id */
};

/* A memory object is made, or an object of any kind is released. */
struct cw_log_life {
    uint64_t seq;
    uint32_t id, kind; /* the log's; enum cw_log_object */
    uint32_t site;     /* of a release, its call site + 1; 0: not known */
    bool released;
};

/* CW_LOG_STALE */
struct cw_log_stale {
    uint64_t event, command; /* sequence numbers + 1; 0: none */
};

/* Things that name a command by its sequence number, resolved when all commands are known. */
struct cw_log_wait_ref {
    uint64_t seq; /* of a command; for a user event of its creation */
    uint32_t how; /* enum cw_log_wait */
};
struct cw_log_times {
    uint64_t seq, at[4];
    int32_t exec_status;
    uint32_t device;
    bool ran; /* run mode says so, which counts more than the program's own queries */
};
struct cw_log_went {
    uint64_t seq, staged;
    uint32_t stream; /* 0: the record says nothing of it */
};
struct cw_log_whole {
    uint64_t seq;
    const char *why;
};
struct cw_log_data {
    uint64_t seq, order; /* order: sequence of the record itself; the latest counts */
    struct cw_blob blob;
};
struct cw_log_user {
    uint64_t event_seq; /* of its creation */
    uint64_t set_seq;   /* of the clSetUserEventStatus, UINT64_MAX: never set */
};

struct cw_log_kernel_state {
    uint32_t thread, count; /* count: entries of args */
    bool valid, dirty;      /* dirty: `slice` is not the current arguments */
    struct cw_t_arg *args;
    struct cw_slice slice;
    uint8_t dims;
    bool local_null;
    uint64_t range[9];
};

struct cw_log_reader {
    struct cw_trace *t;
    struct cw_error *err;
    const char *path;
    const uint8_t *base;
    size_t size;
    CW_ARRAY(struct cw_log_segment) segments;
    CW_ARRAY(struct cw_log_def) defs;
    CW_ARRAY(struct cw_log_life) lives;
    struct cw_log_ids ids[CW_LOG_OBJECTS];
    struct cw_slice *callsites; /* by number, into t->addresses */
    size_t callsite_count;
    struct cw_log_kernel_state *kernels; /* by trace id; NULL: kernels' arguments are not read */
    /* parallel to t->commands until links are resolved: the wait list's slice is of `waits` here */
    CW_ARRAY(struct cw_log_wait_ref) waits;
    CW_ARRAY(uint64_t) map_seqs; /* parallel to t->transfers: sequence of the map + 1 */
    CW_ARRAY(struct cw_log_times) times;
    CW_ARRAY(struct cw_log_went) went;
    CW_ARRAY(struct cw_log_whole) whole;
    CW_ARRAY(uint64_t) part_seqs; /* of the commands of the trace's parts */
    CW_ARRAY(uint64_t) plan_seqs; /* and of its plans */
    CW_ARRAY(uint64_t) move_seqs; /* of the commands of the trace's moves, + 1; 0: none */
    CW_ARRAY(struct cw_log_data) data;
    CW_ARRAY(struct cw_log_stale) stale; /* parallel to the trace's */
    CW_ARRAY(uint64_t) unreleased;       /* sequence numbers of commands whose events the program kept */
    bool ended;                          /* it is known which objects the program kept */
    const char **functions;              /* names, by number; NULL where the log has none */
    size_t function_count;
    CW_ARRAY(struct cw_log_user) users;
    uint64_t last_ns;
};

/* A record as it is read from a segment. */
struct cw_log_record {
    uint32_t kind;
    uint64_t seq;
    struct cw_cursor body; /* after kind and delta seq */
    const uint8_t *start;
};

/* Opens the regular file r->path and sets r->size; *fd -1 after CW_ERR_IO. */
enum cw_status cw_log_open(struct cw_log_reader *r, int *fd);
/* CW_OK, CW_ERR_FORMAT, CW_ERR_VERSION. */
enum cw_status cw_log_check_header(struct cw_log_reader *r, const struct cw_log_header *h);

/* Takes the next record from [s->p, s->end); `rec->kind` 0 at the end. Advances s->seq. CW_ERR_FORMAT. */
enum cw_status cw_log_next_record(struct cw_log_reader *r, struct cw_log_segment *s,
                                  struct cw_log_record *rec);
/* The thread and the bases of `s`, from a CW_LOG_THREAD record. */
void cw_log_begin_segment(struct cw_log_segment *s, struct cw_log_record *rec);

/* Frees all that `r` owns; the trace stays. */
void cw_log_finish(struct cw_log_reader *r);

/* CW_ERR_FORMAT with the offset of `where`. */
enum cw_status cw_log_malformed(struct cw_log_reader *r, const uint8_t *where, const char *what);
enum cw_status cw_log_nomem(struct cw_log_reader *r);

/* The string at `c`, of the trace; NULL: memory is out. */
const char *cw_log_string(struct cw_log_reader *r, struct cw_cursor *c);

/* Trace id of the log's reference `ref` (id + 1, 0: none), CW_NONE when the log does not define it. */
uint32_t cw_log_resolve(const struct cw_log_reader *r, enum cw_log_object kind, uint64_t ref);

/* Reads a call site + 1, or 0, where a record that may be without has one. */
static inline uint64_t cw_log_site(struct cw_cursor *c)
{
    return !c->bad && c->p < c->end ? cw_cursor_u(c) : 0;
}

/* The addresses of call site number `site` - 1; empty where there is none. */
static inline struct cw_slice cw_log_callsite(const struct cw_log_reader *r, uint64_t site)
{
    return site && site <= r->callsite_count ? r->callsites[site - 1] : (struct cw_slice){0, 0};
}

/* The use of a released memory object (CW_NONE: of another one) by a command (CW_NONE: by a call). */
static inline struct cw_t_stale cw_log_stale_of(uint32_t memory, uint32_t command, uint32_t thread)
{
    return (struct cw_t_stale){.context = CW_NONE,
                               .queue = CW_NONE,
                               .memory = memory,
                               .sampler = CW_NONE,
                               .program = CW_NONE,
                               .kernel = CW_NONE,
                               .event = CW_NONE,
                               .command = command,
                               .thread = thread};
}

/* Reads a blob. */
struct cw_blob cw_log_get_blob(struct cw_cursor *c);

/* Pass 1: fills the trace's objects from r->defs. */
enum cw_status cw_log_read_objects(struct cw_log_reader *r);

/* Reads one definition of a device, queue or kernel, whose trace id is that of the log; the objects between
 * it and the last one are empty. In place of cw_log_read_objects. CW_ERR_NOMEM. */
enum cw_status cw_log_define(struct cw_log_reader *r, struct cw_log_def *d);

/* Pass 2, one record of a kind from CW_LOG_KERNEL_COMMAND to CW_LOG_STATUS, CW_LOG_DATA or CW_LOG_CALL; `s`
 * carries the time base. */
enum cw_status cw_log_read_command(struct cw_log_reader *r, struct cw_log_segment *s,
                                   struct cw_log_record *rec);

/* Pass 3: orders commands by sequence and resolves references to them. */
enum cw_status cw_log_link(struct cw_log_reader *r);

#endif
