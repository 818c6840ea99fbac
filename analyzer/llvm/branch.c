/* branch.c - accesses with the blocks they happen in, and stores that both branches of a condition make. */
#include "access_internal.h"

#include <stdlib.h>

enum { MAX_PAIRED = 2000 }; /* accesses that are compared with each other */

void cw_branch_add_access(struct reader *r, const struct cw_access *a, int block)
{
    struct cw_model *m = r->m;
    int before = m->accesses;
    if (m->accesses == r->access_blocks) {
        int room = r->access_blocks ? 2 * r->access_blocks : 64;
        int *wider = realloc(r->access_block, (size_t)(unsigned)room * sizeof *wider);
        if (!wider) {
            r->failed = true;
            return;
        }
        r->access_block = wider;
        r->access_blocks = room;
    }
    if (!cw_model_add_access(m, a))
        r->failed = true;
    else if (m->accesses > before)
        r->access_block[before] = block;
}

/* The block that ends with a condition whose two branches begin with blocks `a` and `b`, each reached from
 * there only; -1 when there is none. */
static int condition_of(const struct cw_cfg *g, int a, int b)
{
    int from = g->idom[a];
    if (a == b || from < 0 || from != g->idom[b] || g->succ_first[from + 1] - g->succ_first[from] != 2)
        return -1;
    for (int i = 0; i < 2; i++) {
        int to = g->succ[g->succ_first[from] + i];
        if ((to != a && to != b) || g->pred_first[to + 1] - g->pred_first[to] != 1)
            return -1;
    }
    return from;
}

/* The same bytes, and nothing but conditions makes either of them doubtful. */
static bool same_store(struct reader *r, int i, int j)
{
    const struct cw_access *a = &r->m->access[i], *b = &r->m->access[j];
    return a->doubt == cw_guard_doubt(r, r->access_block[i]) &&
           b->doubt == cw_guard_doubt(r, r->access_block[j]) && a->kind == CW_ACCESS_WRITE &&
           b->kind == CW_ACCESS_WRITE && a->arg == b->arg && a->offset >= 0 && a->offset == b->offset &&
           a->bytes_may == b->bytes_may && a->bytes_must == b->bytes_must && a->count < 0 && b->count < 0 &&
           a->loop == b->loop;
}

void cw_branch_join(struct reader *r)
{
    struct cw_model *m = r->m;
    for (int i = 0; i < m->accesses && i < MAX_PAIRED && !r->failed; i++)
        for (int j = 0; j < i; j++) {
            struct cw_access a = m->access[i];
            int from = condition_of(&r->cfg, r->access_block[i], r->access_block[j]);
            if (from < 0 || !same_store(r, i, j) || a.loop != r->cfg.loop_of[from])
                continue;
            if (a.value != m->access[j].value)
                a.value = -1;
            a.guards = cw_guard_of_block(r, from)->guards;
            a.doubt = cw_guard_doubt(r, from);
            cw_branch_add_access(r, &a, from);
        }
}
