/* status.h - one status type for every module, with its message.
 *
 * Every fallible function of clweave returns an enum cw_status. Zero is success. Details that a person needs
 * (the file, the position, the remedy) travel beside it in a struct cw_error. */
#ifndef CW_STATUS_H
#define CW_STATUS_H

#include <stdarg.h>
#include <stddef.h>

#include "api.h"

CW_API_BEGIN

#define CW_STATUS_LIST(X)                                                                                    \
    X(CW_OK, "ok")                                                                                           \
    X(CW_ERR_NOMEM, "out of memory")                                                                         \
    X(CW_ERR_IO, "input/output error")                                                                       \
    X(CW_ERR_FORMAT, "malformed input")                                                                      \
    X(CW_ERR_VERSION, "unsupported format version")                                                          \
    X(CW_ERR_INVALID, "invalid argument")                                                                    \
    X(CW_ERR_CYCLE, "the graph has a cycle")                                                                 \
    X(CW_ERR_INFEASIBLE, "a task can run on no device")                                                      \
    X(CW_ERR_LIMIT, "a size limit was exceeded")                                                             \
    X(CW_ERR_NOTFOUND, "not found")                                                                          \
    X(CW_ERR_UNSUPPORTED, "not supported")                                                                   \
    X(CW_ERR_VENDOR, "the OpenCL implementation reported an error")                                          \
    X(CW_ERR_MISMATCH, "results differ")

enum cw_status {
#define X(id, text) id,
    CW_STATUS_LIST(X)
#undef X
};

/* A message for people. Callers zero it; the first failing function fills it; later ones may prefix it. */
struct cw_error {
    enum cw_status status;
    char text[480]; /* one line, without the final newline */
};

/* Static string for `s` ("unknown status" for a value outside the list). Thread-safe. */
const char *cw_status_string(enum cw_status s);

/* Stores `status` and the formatted message in `err` (NULL allowed) unless it already holds an error, and
 * returns `status`, so that `return cw_error_set(err, CW_ERR_IO, "cannot open %s: ...", path)` reads well. */
enum cw_status cw_error_set(struct cw_error *err, enum cw_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

CW_API_END

#endif
