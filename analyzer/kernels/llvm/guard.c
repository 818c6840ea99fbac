/* guard.c - when a block runs, and when a loop goes on.
 *
 * A block's guards are the branch conditions on its way down the dominator tree. They are necessary. They are
 * also sufficient, unless the block is where several ways meet without being all of them, or lies in a loop
 * that can be left in more than one place: then the doubt says so. */
#include "access_internal.h"

#include "../footprint/reason.h"

#include <stddef.h>

static int value_of(const struct cw_expr_pool *p, int node)
{
    int64_t v = 0;
    return cw_expr_is_const(p, node, &v) ? (int)(v & 1) : -1;
}

static void guard_add_condition(struct reader *r, int cond, bool want)
{
    const struct cw_expr_pool *p = &r->m->pool;
    cond = cw_expr_resolve(p, cond);
    struct cw_expr x = p->node[cond];
    if (p->failed || value_of(p, cond) == want)
        return;
    if ((x.op == CW_EXPR_AND && want) || (x.op == CW_EXPR_OR && !want)) {
        guard_add_condition(r, x.a, want);
        guard_add_condition(r, x.b, want);
    } else if (x.op == CW_EXPR_XOR && value_of(p, x.b) == 1) {
        guard_add_condition(r, x.a, !want);
    } else if (!cw_model_add_guard(r->m, cond, want)) {
        r->failed = true;
    }
}

/* Exactly one edge leads into `block`, and it comes from `from`. */
static bool only_from(const struct cw_cfg *g, int block, int from)
{
    return g->pred_first[block + 1] - g->pred_first[block] == 1 && g->pred[g->pred_first[block]] == from;
}

/* The guard that the step from `dom` down to `block` adds; NULL or the doubt that it leaves. */
static const char *step_down(struct reader *r, int dom, int block)
{
    const struct cw_cfg *g = &r->cfg;
    if (cw_cfg_postdominates(g, block, dom))
        return NULL;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(g->block[dom]);
    if (!only_from(g, block, dom)) {
        guard_add_condition(r, cw_ways_condition(&r->lift, block), true);
        return NULL;
    }
    if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t))
        return cw_reason_switch;
    int cond = cw_lift_value(&r->lift, LLVMGetCondition(t), -1);
    guard_add_condition(r, cond, LLVMGetSuccessor(t, 0) == g->block[block]);
    return NULL;
}

struct cw_guard_range cw_guard_append(struct reader *r, struct cw_guard_range a, struct cw_guard_range b)
{
    struct cw_guard_range all = {r->m->guards, a.n + b.n};
    for (int i = 0; i < all.n; i++) { /* by value: the array may move */
        struct cw_guard g = r->m->guard[i < a.n ? a.first + i : b.first + i - a.n];
        if (!cw_model_add_guard(r->m, g.node, g.want))
            r->failed = true;
    }
    return all;
}

const struct block_guards *cw_guard_of_block(struct reader *r, int block)
{
    struct block_guards *b = &r->block[block];
    if (b->done)
        return b;
    b->done = true;
    int dom = r->cfg.idom[block];
    const struct block_guards *up = dom >= 0 ? cw_guard_of_block(r, dom) : NULL;
    struct cw_model *m = r->m;
    int first = m->guards;
    if (up)
        (void)cw_guard_append(r, up->guards, (struct cw_guard_range){0, 0});
    const char *doubt = up ? up->doubt : NULL, *step = dom >= 0 ? step_down(r, dom, block) : NULL;
    b->doubt = doubt ? doubt : step;
    if (up && m->guards - first == up->guards.n) { /* nothing new: share */
        m->guards = first;
        b->guards = up->guards;
    } else {
        b->guards = (struct cw_guard_range){first, m->guards - first};
    }
    return b;
}

const char *cw_guard_doubt(struct reader *r, int block)
{
    for (int l = r->cfg.loop_of[block]; l >= 0; l = r->cfg.loop[l].parent)
        if (r->cfg.loop[l].exits != 1)
            return cw_reason_exits;
    return cw_guard_of_block(r, block)->doubt;
}

/* The edge b -> successor `leaving` leaves the loop; the test is part of every iteration. */
static void add_exit(struct reader *r, int loop, int b, int leaving)
{
    struct cw_model *m = r->m;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(r->cfg.block[b]);
    int latch = r->cfg.loop[loop].latch;
    if (latch < 0 || !cw_cfg_dominates(&r->cfg, b, latch) || !LLVMIsABranchInst(t) || !LLVMIsConditional(t) ||
        r->cfg.loop_of[b] != loop)
        return;
    struct cw_exit x = {.loop = loop, .stay = {.first = m->guards}};
    guard_add_condition(r, cw_lift_value(&r->lift, LLVMGetCondition(t), -1),
                        LLVMGetSuccessor(t, 0) != r->cfg.block[leaving]);
    x.stay.n = m->guards - x.stay.first;
    if (!cw_model_add_exit(m, &x))
        r->failed = true;
}

void cw_guard_read_loops(struct reader *r)
{
    const struct cw_cfg *g = &r->cfg;
    for (int l = 0; l < g->loops; l++) {
        r->m->loop[l].parent = g->loop[l].parent;
        r->m->loop[l].exits = g->loop[l].exits;
    }
    for (int b = 0; b < g->n; b++)
        for (int i = g->succ_first[b]; i < g->succ_first[b + 1]; i++)
            for (int l = g->loop_of[b]; l >= 0; l = g->loop[l].parent)
                if (!cw_cfg_loop_contains(g, l, g->succ[i]))
                    add_exit(r, l, b, g->succ[i]);
}
