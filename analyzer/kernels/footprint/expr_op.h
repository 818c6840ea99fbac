/* expr_op.h - the name of each operation of an expression in files, and the members of a node that it
 * uses. */
#ifndef CW_FOOTPRINT_EXPR_OP_H
#define CW_FOOTPRINT_EXPR_OP_H

#include "expr.h"

#include <stddef.h>

/* Members of struct cw_expr, in the order in which files list them behind the name. */
enum cw_expr_member {
    CW_EXPR_HAS_WIDTH = 1, /* else the operation fixes it */
    CW_EXPR_HAS_DIM = 2,
    CW_EXPR_HAS_A = 4,
    CW_EXPR_HAS_B = 8,
    CW_EXPR_HAS_C = 16,
    CW_EXPR_HAS_VALUE = 32,
};

struct cw_expr_op_info {
    const char *name;  /* NULL: occurs in no file */
    unsigned members;  /* enum cw_expr_member */
    unsigned operands; /* those of a, b, c that are nodes */
    int width;         /* of operations without HAS_WIDTH */
    int dims;          /* dim is 0 .. dims - 1 */
};

/* NULL for numbers that are no operation. Static. */
const struct cw_expr_op_info *cw_expr_op_info(unsigned op);

/* The operation called by the n bytes at `name`, or -1. */
int cw_expr_op_find(const char *name, size_t n);

#endif
