/* leaks.h - objects that the program made and had not released when it ended by itself, by kind. */
#ifndef CW_LEAKS_H
#define CW_LEAKS_H

#include "../trace/trace.h"

enum cw_leak_kind {
    CW_LEAK_CONTEXTS,
    CW_LEAK_QUEUES,
    CW_LEAK_BUFFERS, /* and sub-buffers */
    CW_LEAK_IMAGES,
    CW_LEAK_OTHER_MEMORY, /* pipes, SVM */
    CW_LEAK_SAMPLERS,
    CW_LEAK_PROGRAMS,
    CW_LEAK_KERNELS,
    CW_LEAK_EVENTS, /* of commands */
    CW_LEAK_USER_EVENTS,
    CW_LEAK_KINDS
};

struct cw_leaks {
    struct cw_leak {
        uint64_t made, kept; /* kept: of these */
        uint64_t bytes;      /* of those kept; memory only */
        uint32_t first;      /* of those kept, its id (of an event: its command's); CW_NONE: not known */
        struct cw_slice
            callsite; /* where that one was made, into the trace's addresses; count 0: not known */
    } kind[CW_LEAK_KINDS];
    uint64_t kept; /* of all kinds */
};

/* Counts. O(objects + commands + calls). Thread-safety: reads `t` only. */
void cw_leaks_count(struct cw_leaks *l, const struct cw_trace *t);

/* "buffer": one of that kind. */
const char *cw_leaks_name(enum cw_leak_kind kind);

#endif
