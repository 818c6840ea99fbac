/* tilecl_private.h - shared by tilecl_program.c and tilecl_check.c. */
#ifndef TILECL_PRIVATE_H
#define TILECL_PRIVATE_H

#include "tilecl.h"

#include "../../analyzer/footprint/model_file.h"

struct private_program {
    cl_program original,
        rewritten[2]; /* one per device: PoCL 3.1 aborts when launches of one kernel with different
                         widths are in flight on two devices; other options make another kernel */
    struct cw_model_set models;
    bool has_models;
    int verdict[MAX_KERNELS]; /* enum cw_rewrite_verdict */
};

/* The private context: two devices, a queue each. */
struct side {
    cl_context context;
    cl_device_id device[2];
    cl_command_queue queue[2];
};
extern struct side side;

/* Copies of a launch's buffers, and how it is cut. */
enum { MAX_TILES = 64 };

struct copy {
    cl_mem theirs, ours, parent;
    size_t bytes, origin;
    unsigned char *before, *expected, *memory;
    bool owner; /* of memory: not a sub-buffer of another copy */
};

struct work {
    struct kernel_record *k;
    const struct launch *l;
    struct copy copy[MAX_ARGS];
    size_t copies;
    cl_kernel original, rewritten[2];
    int dim;
    size_t groups, at[MAX_TILES + 1]; /* boundaries, in groups along dim */
    size_t tiles, order[MAX_TILES];
    bool as_is;
};

#endif
