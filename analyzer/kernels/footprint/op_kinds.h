/* op_kinds.h - kinds of operations, and how many of each a launch has: all that cost models need to know of
 * kernels. */
#ifndef CW_FOOTPRINT_OP_KINDS_H
#define CW_FOOTPRINT_OP_KINDS_H

#include <stdint.h>

/* Kinds of operations, with their names. Vectors count each element. */
#define CW_OP_LIST(X)                                                                                        \
    X(INTEGER, "integer")           /* also comparisons, selections, index arithmetic */                     \
    X(DIVISION, "integer division") /* and remainder */                                                      \
    X(SINGLE, "single")             /* floating point of up to 32 bits */                                    \
    X(DOUBLE, "double")                                                                                      \
    X(SINGLE_FMA, "single fma") /* a * b + c */                                                              \
    X(DOUBLE_FMA, "double fma")                                                                              \
    X(SPECIAL, "special function") /* division, square root, sine ... */                                     \
    X(LOAD, "load")                /* from global or constant memory */                                      \
    X(LOAD_BYTES, "bytes loaded")                                                                            \
    X(STORE, "store")                                                                                        \
    X(STORE_BYTES, "bytes stored")                                                                           \
    X(LOCAL, "local access")                                                                                 \
    X(ATOMIC, "atomic")                                                                                      \
    X(BARRIER, "barrier")                                                                                    \
    X(BRANCH, "branch") /* conditional */

enum cw_op {
#define X(id, name) CW_OP_##id,
    CW_OP_LIST(X)
#undef X
        CW_OPS
};

/* The operations of a launch, for callers that know launches only (reach.h). */
struct cw_work_ops {
    double per_item[CW_OPS];
    double groups, group_items; /* work-groups, work-items in one; 0: not known */
    double group_bytes; /* bytes of global memory that a group touches, each counted once; 0: not known */
};

/* Floating-point operations of a launch: additions, multiplications, comparisons, conversions; a division and
 * a function such as sine count as one, a fused multiply-add as two. */
struct cw_ops_floats {
    double single; /* of up to 32 bits */
    double twice;  /* of 64 bits */
};

/* What a launch does, by the model of its kernel. A reason (static text, or it outlives this) stands where
 * something is not known. */
struct cw_launch_work {
    double single, twice; /* floating-point operations of up to 32 bits, of 64 bits */
    uint64_t bytes;       /* that it reads and writes in buffers, each once, at most */
    const char *no_flops, *no_bytes;
};

#endif
