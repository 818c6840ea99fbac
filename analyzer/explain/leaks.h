/* leaks.h - objects that the program made and had not released when it ended by itself, by kind. */
#ifndef CW_LEAKS_H
#define CW_LEAKS_H

#include "code_places.h"

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

struct cw_leak {
    uint64_t made, kept; /* kept: of these */
    uint64_t bytes;      /* of those kept; memory only */
    /* The place in the program's code that made most bytes of those kept, or else most of them, as
     * code_places.h names it ("": not known); how many, their bytes. places: how many there are */
    char place[CW_CODE_PLACES_TEXT];
    uint64_t place_kept, place_bytes, places;
};

struct cw_leaks {
    struct cw_leak kind[CW_LEAK_KINDS];
    uint64_t kept; /* of all kinds */
};

/* Counts. CW_ERR_NOMEM. O(n log n) in objects, commands and calls. Thread-safety: reads `t` only. */
enum cw_status cw_leaks_count(struct cw_leaks *l, const struct cw_trace *t, struct cw_error *err);

/* "buffer": one of that kind. */
const char *cw_leaks_name(enum cw_leak_kind kind);

#endif
