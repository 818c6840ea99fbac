/* expr_op.c - see expr.h. */
#include "expr.h"

#include <string.h>

enum {
    W = CW_EXPR_HAS_WIDTH,
    D = CW_EXPR_HAS_DIM,
    A = CW_EXPR_HAS_A,
    B = CW_EXPR_HAS_B,
    C = CW_EXPR_HAS_C,
    V = CW_EXPR_HAS_VALUE
};

static const struct cw_expr_op_info info[] = {
    [CW_EXPR_CONST] = {"const", W | V, 0, 0, 0},
    [CW_EXPR_GLOBAL_ID] = {"gid", D, 0, 64, 3},
    [CW_EXPR_LOCAL_ID] = {"lid", D, 0, 64, 3},
    [CW_EXPR_GROUP_ID] = {"grp", D, 0, 64, 3},
    [CW_EXPR_GLOBAL_SIZE] = {"gsz", D, 0, 64, 3},
    [CW_EXPR_LOCAL_SIZE] = {"lsz", D, 0, 64, 3},
    [CW_EXPR_ENQUEUED_LOCAL_SIZE] = {"elsz", D, 0, 64, 3},
    [CW_EXPR_NUM_GROUPS] = {"ngrp", D, 0, 64, 3},
    [CW_EXPR_GLOBAL_OFFSET] = {"off", D, 0, 64, 3},
    [CW_EXPR_WORK_DIM] = {"dims", 0, 0, 32, 0},
    [CW_EXPR_ARG] = {"arg", W | A | V, 0, 0, 0},
    [CW_EXPR_LOOP] = {"loop", A, 0, 64, 0},
    [CW_EXPR_OPAQUE] = {"any", W | B, 0, 0, 0},
    [CW_EXPR_FORWARD] = {NULL, 0, 0, 0, 0},
    [CW_EXPR_ADD] = {"+", W | A | B, A | B, 0, 0},
    [CW_EXPR_MUL] = {"*", W | A | B, A | B, 0, 0},
    [CW_EXPR_TRUNC] = {"trunc", W | A, A, 0, 0},
    [CW_EXPR_ZEXT] = {"zext", W | A, A, 0, 0},
    [CW_EXPR_SEXT] = {"sext", W | A, A, 0, 0},
    [CW_EXPR_UDIV] = {"udiv", W | A | B, A | B, 0, 0},
    [CW_EXPR_SDIV] = {"sdiv", W | A | B, A | B, 0, 0},
    [CW_EXPR_UREM] = {"urem", W | A | B, A | B, 0, 0},
    [CW_EXPR_SREM] = {"srem", W | A | B, A | B, 0, 0},
    [CW_EXPR_SHL] = {"shl", W | A | B, A | B, 0, 0},
    [CW_EXPR_LSHR] = {"lshr", W | A | B, A | B, 0, 0},
    [CW_EXPR_ASHR] = {"ashr", W | A | B, A | B, 0, 0},
    [CW_EXPR_AND] = {"and", W | A | B, A | B, 0, 0},
    [CW_EXPR_OR] = {"or", W | A | B, A | B, 0, 0},
    [CW_EXPR_XOR] = {"xor", W | A | B, A | B, 0, 0},
    [CW_EXPR_SMIN] = {"smin", W | A | B, A | B, 0, 0},
    [CW_EXPR_SMAX] = {"smax", W | A | B, A | B, 0, 0},
    [CW_EXPR_UMIN] = {"umin", W | A | B, A | B, 0, 0},
    [CW_EXPR_UMAX] = {"umax", W | A | B, A | B, 0, 0},
    [CW_EXPR_MUL24] = {"mul24", W | D | A | B, A | B, 0, 2},
    [CW_EXPR_CMP] = {"cmp", D | A | B, A | B, 1, 10},
    [CW_EXPR_SELECT] = {"select", W | A | B | C, A | B | C, 0, 0},
};

const struct cw_expr_op_info *cw_expr_op_info(unsigned op)
{
    return op < sizeof info / sizeof *info ? &info[op] : NULL;
}

int cw_expr_op_find(const char *name, size_t n)
{
    for (unsigned i = 0; i < sizeof info / sizeof *info; i++)
        if (info[i].name && strlen(info[i].name) == n && !memcmp(info[i].name, name, n))
            return (int)i;
    return -1;
}
