/* host_calls.h - the program's calls of OpenCL, by function: how many, how long, which failed.
 *
 * Commands and host actions count as calls of the functions that made them, beside the trace's own `calls`.
 */
#ifndef CW_HOST_CALLS_H
#define CW_HOST_CALLS_H

#include <stdint.h>

#include "../record/trace.h"
#include "command_times.h"

struct cw_host_call {
    const char *name;        /* the trace's, or static */
    uint64_t calls, failed;  /* failed: of these */
    struct cw_spread spread; /* of the calls whose time was taken */
};

/* Calls of one function that failed with one error. */
struct cw_host_failure {
    const char *name;
    int32_t status;
    uint64_t calls;
    /* of the first one, where known: the program or the kernel that it was for, the argument's index */
    uint32_t program, kernel;
    int32_t argument;         /* -1 */
    struct cw_slice callsite; /* into the trace's addresses */
    bool question;            /* the function only asks for information (clGet...) */
};

/* The most builds of one source (program text or binary) with the same options. */
struct cw_host_same_builds {
    uint64_t builds;          /* 1: all differ; 0: none has a program that is known */
    struct cw_slice callsite; /* of the first one, into the trace's addresses */
};

struct cw_host_calls {
    struct cw_host_call *rows; /* owned; most time first, then most calls */
    size_t row_count;
    struct cw_host_failure *failures; /* owned; questions last, then in order of the first */
    size_t failure_count;
    uint64_t calls, failed;                      /* sums */
    uint64_t builds, build_ns, longest_build_ns; /* of clBuildProgram, clCompileProgram, clLinkProgram */
    struct cw_host_same_builds same;
    uint32_t longest_build; /* the program of the longest one; CW_NONE: not known */
};

/* Fills `h`; finish it in any case. CW_ERR_NOMEM. O(n log n) in calls and commands. Thread-safety: reads `t`
 * only. */
enum cw_status cw_host_calls_init(struct cw_host_calls *h, const struct cw_trace *t, struct cw_error *err);
void cw_host_calls_finish(struct cw_host_calls *h); /* safe on a zeroed struct */

/* True for the functions that build programs. */
bool cw_host_calls_is_build(const char *name);

/* The specification's names of OpenCL's errors. */

/* "CL_INVALID_VALUE"; "error -1234" for an unknown one, in `text` of 32 bytes. Thread-safe. */
const char *cw_error_names_of(int32_t status, char text[32]);

#endif
