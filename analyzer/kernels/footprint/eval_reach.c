/* eval_reach.c - the box in which an access can happen, and its offset there. */
#include "eval_internal.h"

#include <string.h>

static bool mixes_bases(struct cw_eval *e, const struct cw_poly *p)
{
    for (int d = 0; d < 3; d++)
        if (!e->by_group[d] && cw_poly_uses(p, VAR_GROUP + d, NULL))
            e->by_group[d] = e->restart = true;
    return e->restart;
}

/* Is the box that of the guards of `a` already? Neighbouring accesses often share them. In the basis of
 * groups much is dealt with worse than in that of global ids, which another access may do with, unless the
 * guards themselves ask for it. */
static bool box_fits(const struct cw_eval *e, const struct cw_access *a)
{
    return e->box_valid && e->box_guards.first == a->guards.first && e->box_guards.n == a->guards.n &&
           e->access_loop == a->loop && !e->basis_by_offset;
}

/* Narrows the box by the guards of `a`. TRI_MAYBE: start again, a loop or a basis turned out otherwise. */
static enum tri prepare(struct cw_eval *e, const struct cw_access *a)
{
    if (e->box_valid)
        return e->empty ? TRI_NO : TRI_YES;
    e->access_loop = a->loop;
    cw_eval_reset(e);
    for (int round = 0; round < 2; round++)
        for (int i = a->guards.first; i < a->guards.first + a->guards.n && !e->empty; i++) {
            e->stage = round ? a->guards.n : i - a->guards.first;
            e->empty |= cw_eval_narrow(e, e->m->guard[i]) == TRI_NO;
            if (e->restart)
                return TRI_MAYBE;
        }
    e->stage = a->guards.n;
    e->box_valid = !e->failed;
    e->box_guards = a->guards;
    return e->empty ? TRI_NO : TRI_YES;
}

/* One attempt; TRI_MAYBE when it must be repeated. */
static enum tri attempt(struct cw_eval *e, const struct cw_access *a, const struct cw_poly **offset)
{
    enum tri possible = prepare(e, a);
    if (possible != TRI_YES || e->failed)
        return e->failed ? TRI_MAYBE : possible;
    struct cw_poly simpler;
    *offset = cw_eval_node(e, a->offset, READ_SIGNED);
    e->also = NULL;
    if (cw_eval_undivide(e, *offset, &simpler)) {
        e->also = *offset;
        *offset = cw_eval_keep(e, &simpler);
    }
    if (e->restart)
        return TRI_MAYBE;
    if (mixes_bases(e, *offset)) {
        e->basis_by_offset = true;
        return TRI_MAYBE;
    }
    if (a->count >= 0) {
        (void)cw_eval_node(e, a->count, READ_UNSIGNED);
        (void)cw_eval_node(e, a->stride, READ_SIGNED);
    }
    return e->restart || e->failed ? TRI_MAYBE : TRI_YES;
}

/* Every try starts with the findings of the one before: loops without a bound, dimensions that want the basis
 * of groups. A box taken over from another access may also have used up the variables. */
enum tri cw_eval_reach(struct cw_eval *e, const struct cw_access *a, const struct cw_poly **offset)
{
    if (!box_fits(e, a)) {
        e->box_valid = e->tile_bound = e->basis_by_offset = false;
        memset(e->by_group, 0, sizeof e->by_group);
        for (int i = 0; i < e->m->loops; i++)
            e->loop[i] = LOOP_NEW;
    }
    for (int tries = 0; tries < e->m->loops + 6; tries++) {
        enum tri reached = attempt(e, a, offset);
        if (reached != TRI_MAYBE)
            return reached;
        e->box_valid = false;
    }
    return TRI_MAYBE;
}
