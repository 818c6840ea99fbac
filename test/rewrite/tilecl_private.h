/* tilecl_private.h - shared by tilecl_program.c and tilecl_check.c. */
#ifndef TILECL_PRIVATE_H
#define TILECL_PRIVATE_H

#include "tilecl.h"

#include "../../analyzer/kernels/footprint/model_file.h"

struct private_program {
    cl_program original,
        rewritten[2]; /* one per device: PoCL 3.1 aborts when launches of one kernel with different
                         widths are in flight on two devices; other options make another kernel */
    struct cw_model_set models;
    bool has_models;
    int verdict[MAX_KERNELS]; /* enum cw_rewrite_verdict */
    bool rows[MAX_KERNELS];
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
    cl_kernel original, rewritten[2], rows[2]; /* rows: NULL, or the form in which every other tile is run */
    int dim;
    size_t groups, at[MAX_TILES + 1]; /* boundaries, in groups along dim */
    size_t tiles, order[MAX_TILES];
    bool as_is;
};

/* tilecl_rows.c. The work-items of `t`, `size` of them, one for each row; parts: rows are cut in three. */
struct cw_rewrite_tile;
cl_kernel tilecl_rows_kernel(cl_program rewritten, const char *name);
bool tilecl_run_rows(struct work *w, const struct cw_rewrite_tile *t, const size_t *size, int device,
                     bool parts);

#endif
