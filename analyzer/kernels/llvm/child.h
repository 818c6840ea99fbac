/* child.h - runs a program and collects its output. */
#ifndef CW_FOOTPRINT_CHILD_H
#define CW_FOOTPRINT_CHILD_H

#include "../../../sched/status.h"

#include <stddef.h>

struct cw_bytes {
    char *data; /* followed by a zero byte that does not count */
    size_t n, capacity;
};

struct cw_child_output {
    struct cw_bytes out, err;
    int exit_status; /* 128 + signal when it was killed */
};

/* Starts the first of `candidates` (NULL-ended, looked up in PATH) that exists, with argv (argv[0] is filled
 * in, NULL at the end); standard input is shared. Returns when it has ended. The child dies with the calling
 * thread's process. CW_ERR_NOTFOUND when none exists; CW_ERR_IO; CW_ERR_NOMEM; CW_ERR_LIMIT beyond 64 MiB of
 * output. */
enum cw_status cw_child_run(const char *const *candidates, const char **argv, struct cw_child_output *out,
                            struct cw_error *err);
void cw_child_output_finish(struct cw_child_output *out);

/* Reads from fd once; appends. 1 more may come, 0 end of file, -1 error (errno) or too much (EFBIG). */
int cw_child_read_bytes(struct cw_bytes *b, int fd);

#endif
