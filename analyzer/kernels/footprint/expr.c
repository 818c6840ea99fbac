/* expr.c - see expr.h. */
#include "expr.h"

#include <stdlib.h>
#include <string.h>

void cw_expr_pool_init(struct cw_expr_pool *p)
{
    memset(p, 0, sizeof *p);
}

void cw_expr_pool_finish(struct cw_expr_pool *p)
{
    free(p->node);
    free(p->bucket);
    memset(p, 0, sizeof *p);
}

int64_t cw_expr_wrap(int64_t value, int width)
{
    if (width >= 64)
        return value;
    uint64_t low = (uint64_t)value & ((UINT64_C(1) << width) - 1);
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((low ^ sign) - sign);
}

static uint64_t hash(const struct cw_expr *e)
{
    uint64_t h = e->op | (uint64_t)e->width << 8 | (uint64_t)e->dim << 16;
    const uint64_t part[] = {(uint32_t)e->a, (uint32_t)e->b, (uint32_t)e->c, (uint64_t)e->value};
    for (int i = 0; i < 4; i++) {
        h = (h ^ part[i]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return h;
}

static bool same(const struct cw_expr *x, const struct cw_expr *y)
{
    return x->op == y->op && x->width == y->width && x->dim == y->dim && x->a == y->a && x->b == y->b &&
           x->c == y->c && x->value == y->value;
}

static void insert(struct cw_expr_pool *p, int node)
{
    int mask = p->buckets - 1, i = (int)hash(&p->node[node]) & mask;
    while (p->bucket[i] >= 0)
        i = (i + 1) & mask;
    p->bucket[i] = node;
}

static bool grow(struct cw_expr_pool *p)
{
    int capacity = p->capacity ? 2 * p->capacity : 256;
    struct cw_expr *node = realloc(p->node, (size_t)capacity * sizeof *node);
    if (!node)
        return false;
    p->node = node;
    p->capacity = capacity;
    int *bucket = malloc((size_t)(2 * capacity) * sizeof *bucket);
    if (!bucket)
        return false;
    free(p->bucket);
    p->bucket = bucket;
    p->buckets = 2 * capacity;
    for (int i = 0; i < p->buckets; i++)
        bucket[i] = -1;
    for (int i = 0; i < p->n; i++)
        insert(p, i);
    return true;
}

int cw_expr_node(struct cw_expr_pool *p, struct cw_expr e)
{
    if (p->failed)
        return 0;
    if (p->buckets) {
        int mask = p->buckets - 1;
        for (int i = (int)hash(&e) & mask; p->bucket[i] >= 0; i = (i + 1) & mask)
            if (same(&p->node[p->bucket[i]], &e))
                return p->bucket[i];
    }
    if (p->n >= CW_EXPR_MAX_NODES || (p->n == p->capacity && !grow(p))) {
        p->failed = true;
        return 0;
    }
    p->node[p->n] = e;
    insert(p, p->n);
    return p->n++;
}

int cw_expr_const(struct cw_expr_pool *p, int width, int64_t value)
{
    return cw_expr_node(p, (struct cw_expr){.op = CW_EXPR_CONST,
                                            .width = (uint8_t)width,
                                            .a = -1,
                                            .b = -1,
                                            .c = -1,
                                            .value = cw_expr_wrap(value, width)});
}

int cw_expr_leaf(struct cw_expr_pool *p, enum cw_expr_op op, int width, int dim)
{
    return cw_expr_node(
        p, (struct cw_expr){
               .op = (uint8_t)op, .width = (uint8_t)width, .dim = (uint8_t)dim, .a = -1, .b = -1, .c = -1});
}

int cw_expr_arg(struct cw_expr_pool *p, int width, int arg, int64_t byte_offset)
{
    return cw_expr_node(
        p, (struct cw_expr){
               .op = CW_EXPR_ARG, .width = (uint8_t)width, .a = arg, .b = -1, .c = -1, .value = byte_offset});
}

int cw_expr_loop(struct cw_expr_pool *p, int loop)
{
    return cw_expr_node(p, (struct cw_expr){.op = CW_EXPR_LOOP, .width = 64, .a = loop, .b = -1, .c = -1});
}

int cw_expr_opaque(struct cw_expr_pool *p, int width, int loop)
{
    return cw_expr_node(
        p, (struct cw_expr){
               .op = CW_EXPR_OPAQUE, .width = (uint8_t)width, .a = p->opaques++, .b = loop, .c = -1});
}

int cw_expr_unary(struct cw_expr_pool *p, enum cw_expr_op op, int width, int a)
{
    int64_t v = 0;
    if (!p->failed && p->node[a].width == width)
        return a;
    if (op == CW_EXPR_TRUNC && cw_expr_is_const(p, a, &v))
        return cw_expr_const(p, width, v);
    return cw_expr_node(
        p, (struct cw_expr){.op = (uint8_t)op, .width = (uint8_t)width, .a = a, .b = -1, .c = -1});
}

int cw_expr_binary(struct cw_expr_pool *p, enum cw_expr_op op, int width, int a, int b)
{
    int64_t x = 0, y = 0;
    bool cx = cw_expr_is_const(p, a, &x), cy = cw_expr_is_const(p, b, &y);
    if (op == CW_EXPR_ADD || op == CW_EXPR_MUL) {
        if (cx && cy)
            return cw_expr_const(p, width,
                                 op == CW_EXPR_ADD ? (int64_t)((uint64_t)x + (uint64_t)y)
                                                   : (int64_t)((uint64_t)x * (uint64_t)y));
        int64_t neutral = op == CW_EXPR_ADD ? 0 : 1;
        if (cx && x == neutral)
            return b;
        if (cy && y == neutral)
            return a;
    }
    return cw_expr_node(
        p, (struct cw_expr){.op = (uint8_t)op, .width = (uint8_t)width, .a = a, .b = b, .c = -1});
}

int cw_expr_compare(struct cw_expr_pool *p, enum cw_expr_cmp cmp, int a, int b)
{
    return cw_expr_node(
        p, (struct cw_expr){.op = CW_EXPR_CMP, .width = 1, .dim = (uint8_t)cmp, .a = a, .b = b, .c = -1});
}

int cw_expr_select(struct cw_expr_pool *p, int width, int cond, int yes, int no)
{
    return cw_expr_node(
        p, (struct cw_expr){.op = CW_EXPR_SELECT, .width = (uint8_t)width, .a = cond, .b = yes, .c = no});
}

void cw_expr_forward(struct cw_expr_pool *p, int opaque, int meaning)
{
    /* the entry keeps its old hash: an OPAQUE is never looked up again, its serial number is unique */
    if (p->failed || cw_expr_resolve(p, meaning) == opaque)
        return;
    p->node[opaque].op = CW_EXPR_FORWARD;
    p->node[opaque].a = meaning;
}

int cw_expr_resolve(const struct cw_expr_pool *p, int node)
{
    while (!p->failed && p->node[node].op == CW_EXPR_FORWARD)
        node = p->node[node].a;
    return node;
}

bool cw_expr_is_const(const struct cw_expr_pool *p, int node, int64_t *value)
{
    node = cw_expr_resolve(p, node);
    if (p->failed || p->node[node].op != CW_EXPR_CONST)
        return false;
    *value = p->node[node].value;
    return true;
}

/* ---- operations */

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
