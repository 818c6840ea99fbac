/* expr.h - integer expressions of a kernel, as a hash-consed graph.
 *
 * A node stands for one integer value of the kernel, `width` bits wide (1..64), the way LLVM sees it: bits
 * without a sign. Sharing makes "the same value" mean "the same node number", so that differences cancel
 * exactly. Nodes live in a pool and are named by their index; a node's operands have smaller indices except
 * through FORWARD, which is how the φ of a loop header gets its meaning after its loop has been read.
 *
 * Nothing here knows LLVM: a pool that was read back from a cache evaluates the same. Not thread-safe. */
#ifndef CW_FOOTPRINT_EXPR_H
#define CW_FOOTPRINT_EXPR_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

enum cw_expr_op {
    CW_EXPR_CONST,               /* value */
    CW_EXPR_GLOBAL_ID,           /* dim; the seven work-item functions are 64 bits wide */
    CW_EXPR_LOCAL_ID,            /* dim */
    CW_EXPR_GROUP_ID,            /* dim */
    CW_EXPR_GLOBAL_SIZE,         /* dim */
    CW_EXPR_LOCAL_SIZE,          /* dim */
    CW_EXPR_ENQUEUED_LOCAL_SIZE, /* dim */
    CW_EXPR_NUM_GROUPS,          /* dim */
    CW_EXPR_GLOBAL_OFFSET,       /* dim */
    CW_EXPR_WORK_DIM,            /* 32 bits */
    CW_EXPR_ARG,                 /* a = argument index, value = byte offset inside the argument */
    CW_EXPR_LOOP,                /* a = loop; how many iterations are complete, 64 bits */
    CW_EXPR_OPAQUE,  /* a = serial number, b = innermost loop of its definition or -1: any value of that width
                      */
    CW_EXPR_FORWARD, /* a = node that holds the meaning */
    CW_EXPR_ADD,     /* a, b; modulo 2^width, as MUL and TRUNC */
    CW_EXPR_MUL,
    CW_EXPR_TRUNC,
    CW_EXPR_ZEXT,
    CW_EXPR_SEXT,
    CW_EXPR_UDIV,
    CW_EXPR_SDIV,
    CW_EXPR_UREM,
    CW_EXPR_SREM,
    CW_EXPR_SHL,
    CW_EXPR_LSHR,
    CW_EXPR_ASHR,
    CW_EXPR_AND,
    CW_EXPR_OR,
    CW_EXPR_XOR,
    CW_EXPR_SMIN,
    CW_EXPR_SMAX,
    CW_EXPR_UMIN,
    CW_EXPR_UMAX,
    CW_EXPR_MUL24,  /* dim: 1 = signed; the implementation's choice outside of 24 bits (OpenCL C, integer
                       functions) */
    CW_EXPR_CMP,    /* dim = enum cw_expr_cmp; 1 bit */
    CW_EXPR_SELECT, /* a ? b : c; where ways meet a is OPAQUE */
};

enum cw_expr_cmp {
    CW_CMP_EQ,
    CW_CMP_NE,
    CW_CMP_UGT,
    CW_CMP_UGE,
    CW_CMP_ULT,
    CW_CMP_ULE,
    CW_CMP_SGT,
    CW_CMP_SGE,
    CW_CMP_SLT,
    CW_CMP_SLE
};

struct cw_expr {
    uint8_t op, width, dim;
    int32_t a, b, c; /* operands or as said above; -1 when unused */
    int64_t value;
};

struct cw_expr_pool {
    struct cw_expr *node;
    int n, capacity;
    int *bucket; /* open addressing, -1 = free */
    int buckets; /* power of two */
    int opaques;
    bool failed; /* memory ran out or the pool is full; every later node number is 0 and means nothing */
};

/* A pool holds at most this many nodes; more means that the kernel is too large to reason about. */
#define CW_EXPR_MAX_NODES 400000

void cw_expr_pool_init(struct cw_expr_pool *p);
void cw_expr_pool_finish(struct cw_expr_pool *p);

/* The node with exactly these contents, old or new. On failure sets p->failed and returns 0. */
int cw_expr_node(struct cw_expr_pool *p, struct cw_expr e);

int cw_expr_const(struct cw_expr_pool *p, int width, int64_t value);
int cw_expr_leaf(struct cw_expr_pool *p, enum cw_expr_op op, int width, int dim);
int cw_expr_arg(struct cw_expr_pool *p, int width, int arg, int64_t byte_offset);
int cw_expr_loop(struct cw_expr_pool *p, int loop);
/* A fresh node that equals nothing but itself, defined inside `loop` (-1: in none). */
int cw_expr_opaque(struct cw_expr_pool *p, int width, int loop);
int cw_expr_unary(struct cw_expr_pool *p, enum cw_expr_op op, int width, int a);
/* Folds constants of ADD and MUL, and x+0, x*1. */
int cw_expr_binary(struct cw_expr_pool *p, enum cw_expr_op op, int width, int a, int b);
int cw_expr_compare(struct cw_expr_pool *p, enum cw_expr_cmp cmp, int a, int b);
int cw_expr_select(struct cw_expr_pool *p, int width, int cond, int yes, int no);
/* Turns an OPAQUE node into a FORWARD to `meaning`. */
void cw_expr_forward(struct cw_expr_pool *p, int opaque, int meaning);

/* Follows FORWARD. */
int cw_expr_resolve(const struct cw_expr_pool *p, int node);
/* True and the signed value when the node is a constant. */
bool cw_expr_is_const(const struct cw_expr_pool *p, int node, int64_t *value);

/* `value` as a signed number of `width` bits. */
int64_t cw_expr_wrap(int64_t value, int width);

/* The name of each operation of an expression in files, and the members of a node that it
 * uses. */

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
