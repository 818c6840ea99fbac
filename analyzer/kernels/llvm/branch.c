/* branch.c - accesses with the blocks they happen in, and stores that all branches of conditions make. */
#include "access_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PAIRED = 2000 }; /* accesses that are compared with each other */

void cw_branch_add_access(struct reader *r, const struct cw_access *a, int block)
{
    struct cw_model *m = r->m;
    int before = m->accesses;
    if (m->accesses == r->access_blocks) {
        int capacity = r->access_blocks ? 2 * r->access_blocks : 64;
        int *wider = realloc(r->access_block, (size_t)(unsigned)capacity * sizeof *wider);
        if (!wider) {
            r->failed = true;
            return;
        }
        r->access_block = wider;
        r->access_blocks = capacity;
    }
    if (!cw_model_add_access(m, a))
        r->failed = true;
    else if (m->accesses > before)
        r->access_block[before] = block;
}

/* The block from which the ways to `a` and to `b` part. */
static int common_dominator(const struct cw_cfg *g, int a, int b)
{
    while (a != b) /* reverse post-order: a dominator has the smaller number */
        if (a > b)
            a = g->idom[a];
        else
            b = g->idom[b];
    return a;
}

/* Every way from `from`, which dominates them, passes `a` or `b` before it comes to an end or to `from` or a
 * block before it again. `seen`, `todo`: room for all blocks. */
static bool passes_one(const struct cw_cfg *g, int from, int a, int b, bool *seen, int *todo)
{
    int n = 1;
    memset(seen, 0, (size_t)(unsigned)g->n * sizeof *seen);
    todo[0] = from;
    while (n) {
        int block = todo[--n];
        if (g->succ_first[block] == g->succ_first[block + 1])
            return false;
        for (int i = g->succ_first[block]; i < g->succ_first[block + 1]; i++) {
            int to = g->succ[i];
            if (to == a || to == b || seen[to])
                continue;
            if (to == from || !cw_cfg_dominates(g, from, to))
                return false;
            seen[to] = true;
            todo[n++] = to;
        }
    }
    return true;
}

/* The block behind which one of `a` and `b` runs under every condition; -1: there is none. */
static int branches_of(const struct cw_cfg *g, int a, int b)
{
    size_t n = (size_t)(unsigned)g->n;
    int from = common_dominator(g, a, b);
    bool *seen = from == a || from == b ? NULL : calloc(n, sizeof *seen);
    int *todo = seen ? calloc(n, sizeof *todo) : NULL;
    bool always = todo && passes_one(g, from, a, b, seen, todo);
    free(seen);
    free(todo);
    return always ? from : -1;
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

/* The guards of block `from`, and those that access `i` has beside its own block's. */
static struct cw_guard_range guards_from(struct reader *r, int from, int i)
{
    struct cw_model *m = r->m;
    struct cw_guard_range of_block = cw_guard_of_block(r, from)->guards, all = m->access[i].guards;
    int own = cw_guard_of_block(r, r->access_block[i])->guards.n;
    if (all.n == own)
        return of_block;
    return cw_guard_append(r, of_block, (struct cw_guard_range){all.first + own, all.n - own});
}

void cw_branch_join(struct reader *r)
{
    struct cw_model *m = r->m;
    for (int i = 0; i < m->accesses && i < MAX_PAIRED && !r->failed; i++)
        for (int j = 0; j < i; j++) {
            struct cw_access a = m->access[i];
            int from =
                same_store(r, i, j) ? branches_of(&r->cfg, r->access_block[i], r->access_block[j]) : -1;
            if (from < 0 || a.loop != r->cfg.loop_of[from])
                continue;
            if (a.value != m->access[j].value)
                a.value = -1;
            a.guards = guards_from(r, from, i);
            a.doubt = cw_guard_doubt(r, from);
            cw_branch_add_access(r, &a, from);
        }
}
