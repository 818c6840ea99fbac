/* farm_result.h - the result of a task, and results one behind the other as bytes: in messages of workers and
 * in checkpoints. */
#ifndef CW_FARM_RESULT_H
#define CW_FARM_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a task ended; `value` of the result with it. */
enum cw_farm_end {
    CW_FARM_EXIT,    /* the exit status */
    CW_FARM_SIGNAL,  /* the signal that killed it */
    CW_FARM_TIMEOUT, /* 0 */
    CW_FARM_LARGE,   /* it wrote more than CW_FARM_OUTPUT_MAX bytes */
    CW_FARM_START,   /* errno: the program cannot be started */
    CW_FARM_WORKER   /* the signal that killed the worker that ran it; 0: none */
};

enum { CW_FARM_OUTPUT_MAX = 64 << 20 }; /* bytes that a task may write to either stream */

struct cw_farm_result {
    uint32_t task;
    uint32_t end; /* enum cw_farm_end */
    int32_t value;
    uint32_t out_bytes, errors_bytes; /* of standard output and standard error */
    uint32_t zero;
    uint64_t ns;              /* how long it ran */
    const char *out, *errors; /* not NUL-terminated; not owned; not part of the bytes' head */
};

/* Bytes that grow; a zeroed one is empty. */
struct cw_farm_bytes {
    char *v; /* owned */
    size_t used, capacity;
};

/* False: out of memory; nothing was added. */
bool cw_farm_result_add(struct cw_farm_bytes *b, const struct cw_farm_result *r);
bool cw_farm_result_add_bytes(struct cw_farm_bytes *b, const void *data, size_t n);

/* Takes the result at *p, and moves *p behind it; `out` and `errors` point there. False: the bytes before
 * `end` hold no whole result. */
bool cw_farm_result_next(const char **p, const char *end, struct cw_farm_result *r);

static inline bool cw_farm_result_failed(const struct cw_farm_result *r)
{
    return r->end != CW_FARM_EXIT || r->value != 0;
}

/* "ok", "exit status 3", "signal 9 (Killed)", "timeout", ...; in `text` of 80 bytes, which is returned. */
const char *cw_farm_result_word(const struct cw_farm_result *r, char text[80]);

#endif
