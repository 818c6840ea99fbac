/* ways.c - which way control flow takes from a dominator to the block where ways meet. See lift.h.
 *
 * Between a block and its dominator lie branches, each with a condition. A walk from the dominator on turns
 * them into selections of the values that the ways end with, so a φ is as good as the nested "?:" that the
 * source may have had, and a block with several ways into it has one condition. The walk stays within one
 * iteration of the loop that is around both: there a condition is one value. Of an inner loop, and of a
 * switch, the walk knows the exits but not which is taken: that is one answer for all walks that ask. */
#include "lift.h"

#include <stdlib.h>

enum { MAX_DEPTH = 4000, NOT_YET = -2, NEVER = -1 };

struct walk {
    struct cw_lift *l;
    int from, to;
    int loop;         /* around both, -1 none */
    LLVMValueRef phi; /* of block `to`; NULL: whether the walk comes there is asked */
    int element, width;
    int *node; /* per block: the value of the walk from there, NEVER: it cannot come to `to` */
};

static int walk_block(struct walk *w, int block);

/* The φ's value on the way from `block`. */
static int incoming(struct walk *w, int block)
{
    for (unsigned i = 0; i < LLVMCountIncoming(w->phi); i++)
        if (LLVMGetIncomingBlock(w->phi, i) == w->l->cfg->block[block])
            return cw_lift_value(w->l, LLVMGetIncomingValue(w->phi, i), w->element);
    return NEVER;
}

static int walk_edge(struct walk *w, int block, int next)
{
    const struct cw_cfg *g = w->l->cfg;
    if (next == w->to)
        return w->phi ? incoming(w, block) : cw_expr_const(&w->l->m->pool, 1, 1);
    if (next != w->from && (w->loop < 0 || cw_cfg_loop_contains(g, w->loop, next)) &&
        cw_cfg_dominates(g, w->from, next))
        return walk_block(w, next);
    return w->phi ? NEVER : cw_expr_const(&w->l->m->pool, 1, 0);
}

/* `value` or, where a condition that is not known holds, `other`: way number `way` out of `block`. */
static int either(struct walk *w, int value, int other, int block, int way)
{
    LLVMValueRef key = LLVMBasicBlockAsValue(w->l->cfg->block[block]);
    int taken;
    if (value == other || other == NEVER)
        return value;
    if (value == NEVER)
        return other;
    if (!cw_lift_recall(w->l, key, way, &taken)) {
        taken = cw_expr_opaque(&w->l->m->pool, 1, w->loop);
        cw_lift_remember(w->l, key, way, taken);
    }
    return cw_lift_select(w->l, w->width, taken, other, value);
}

static int walk_branch(struct walk *w, int block)
{
    const struct cw_cfg *g = w->l->cfg;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(g->block[block]);
    int first = g->succ_first[block], ways = g->succ_first[block + 1] - first;
    int value = ways ? walk_edge(w, block, g->succ[first]) : walk_edge(w, block, w->from);
    if (LLVMIsABranchInst(t) && ways == 2) {
        int other = walk_edge(w, block, g->succ[first + 1]);
        if (value == other || other == NEVER)
            return value;
        return value == NEVER ? other
                              : cw_lift_select(w->l, w->width, cw_lift_value(w->l, LLVMGetCondition(t), -1),
                                               value, other);
    }
    for (int i = 1; i < ways; i++)
        value = either(w, value, walk_edge(w, block, g->succ[first + i]), block, -2 - 2 * i);
    return value;
}

/* Out of the loop that is around `block` and lies in w->loop. */
static int walk_loop(struct walk *w, int block)
{
    const struct cw_cfg *g = w->l->cfg;
    int loop = g->loop_of[block], value = NEVER, n = 0;
    while (g->loop[loop].parent != w->loop)
        loop = g->loop[loop].parent;
    for (int b = g->loop[loop].header; b < g->n; b++) {
        if (!cw_cfg_loop_contains(g, loop, b))
            continue;
        for (int i = g->succ_first[b]; i < g->succ_first[b + 1]; i++)
            if (!cw_cfg_loop_contains(g, loop, g->succ[i])) {
                int other = walk_edge(w, b, g->succ[i]);
                value = either(w, value, other, g->loop[loop].header, -3 - 2 * n++);
            }
    }
    return value != NEVER || w->phi ? value : cw_expr_const(&w->l->m->pool, 1, 0);
}

static int walk_block(struct walk *w, int block)
{
    if (w->node[block] != NOT_YET)
        return w->node[block];
    if (w->l->depth > MAX_DEPTH)
        return cw_expr_opaque(&w->l->m->pool, w->width, w->loop);
    w->l->depth++;
    w->node[block] = w->l->cfg->loop_of[block] == w->loop ? walk_branch(w, block) : walk_loop(w, block);
    w->l->depth--;
    return w->node[block];
}

static int walk(struct walk *w)
{
    const struct cw_cfg *g = w->l->cfg;
    int value = NEVER;
    w->from = g->idom[w->to];
    w->loop = g->loop_of[w->to];
    if (w->loop >= 0 && g->loop[w->loop].header == w->to)
        w->loop = g->loop[w->loop].parent;
    w->node = malloc((size_t)(unsigned)g->n * sizeof *w->node);
    for (int b = 0; w->node && b < g->n; b++)
        w->node[b] = NOT_YET;
    if (w->node && w->from >= 0)
        value = walk_block(w, w->from);
    w->l->failed |= !w->node;
    free(w->node);
    return value == NEVER ? cw_expr_opaque(&w->l->m->pool, w->width, w->loop) : value;
}

int cw_ways_value(struct cw_lift *l, LLVMValueRef phi, int element, int width)
{
    struct walk w = {.l = l,
                     .to = cw_cfg_block(l->cfg, LLVMGetInstructionParent(phi)),
                     .phi = phi,
                     .element = element,
                     .width = width};
    return walk(&w);
}

int cw_ways_condition(struct cw_lift *l, int block)
{
    struct walk w = {.l = l, .to = block, .width = 1};
    return walk(&w);
}
