/* cfg.c - see lift.h. */
#include "lift.h"

#include <stdlib.h>
#include <string.h>

/* Block -> number, by address. */
struct cw_cfg_index {
    int n;
    struct {
        LLVMBasicBlockRef block;
        int number;
    } v[];
};

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (LLVMBasicBlockRef const *)a, y = (uintptr_t) * (LLVMBasicBlockRef const *)b;
    return (x > y) - (x < y);
}

/* The entry's number for `b`; every block of the function has one. */
static int *number_of(const struct cw_cfg *g, LLVMBasicBlockRef b)
{
    int lo = 0, hi = g->index->n - 1;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if ((uintptr_t)g->index->v[mid].block < (uintptr_t)b)
            lo = mid + 1;
        else
            hi = mid;
    }
    return &g->index->v[lo].number;
}

int cw_cfg_block(const struct cw_cfg *g, LLVMBasicBlockRef b)
{
    return *number_of(g, b);
}

static bool make_index(struct cw_cfg *g, LLVMValueRef function)
{
    unsigned all = LLVMCountBasicBlocks(function);
    g->index = malloc(sizeof *g->index + all * sizeof *g->index->v);
    g->block = calloc(all, sizeof *g->block);
    if (!g->index || !g->block)
        return false;
    g->index->n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        g->index->v[g->index->n].block = b;
        g->index->v[g->index->n++].number = -1;
    }
    qsort(g->index->v, all, sizeof *g->index->v, by_address);
    return true;
}

/* Depth-first without recursion; finished blocks fill g->block from the end. */
static bool number_blocks(struct cw_cfg *g, LLVMValueRef function)
{
    struct frame {
        LLVMBasicBlockRef block;
        unsigned next;
    } *stack = calloc((size_t)g->index->n, sizeof *stack);
    int depth = 0, done = g->index->n;
    if (!stack)
        return false;
    stack[depth++].block = LLVMGetEntryBasicBlock(function);
    *number_of(g, stack[0].block) = -2;
    while (depth) {
        struct frame *f = &stack[depth - 1];
        LLVMValueRef t = LLVMGetBasicBlockTerminator(f->block);
        if (f->next == LLVMGetNumSuccessors(t)) {
            g->block[--done] = f->block;
            depth--;
            continue;
        }
        LLVMBasicBlockRef s = LLVMGetSuccessor(t, f->next++);
        if (*number_of(g, s) == -1) {
            *number_of(g, s) = -2;
            stack[depth++] = (struct frame){.block = s};
        }
    }
    free(stack);
    g->n = g->index->n - done;
    memmove(g->block, g->block + done, (size_t)g->n * sizeof *g->block);
    for (int i = 0; i < g->n; i++)
        *number_of(g, g->block[i]) = i;
    return true;
}

static bool link_blocks(struct cw_cfg *g)
{
    int edges = 0;
    for (int b = 0; b < g->n; b++)
        edges += (int)LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(g->block[b]));
    g->succ_first = calloc((size_t)g->n + 1, sizeof(int));
    g->pred_first = calloc((size_t)g->n + 2, sizeof(int));
    g->succ = calloc((size_t)edges + 1, sizeof(int));
    g->pred = calloc((size_t)edges + 1, sizeof(int));
    if (!g->succ_first || !g->pred_first || !g->succ || !g->pred)
        return false;
    int at = 0;
    for (int b = 0; b < g->n; b++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(g->block[b]);
        g->succ_first[b] = at;
        for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++) {
            g->succ[at] = cw_cfg_block(g, LLVMGetSuccessor(t, i));
            g->pred_first[g->succ[at++] + 2]++;
        }
    }
    g->succ_first[g->n] = at;
    for (int b = 0; b < g->n; b++)
        g->pred_first[b + 1] += g->pred_first[b];
    for (int b = 0; b < g->n; b++)
        for (int i = g->succ_first[b]; i < g->succ_first[b + 1]; i++)
            g->pred[g->pred_first[g->succ[i] + 1]++] = b;
    return true;
}

/* One direction of the algorithm: `root` is numbered below (forwards) or above (backwards) all that it
 * dominates. */
static int intersect(const int *dom, int a, int b, bool backwards)
{
    while (a != b) {
        if ((a > b) != backwards)
            a = dom[a];
        else
            b = dom[b];
    }
    return a;
}

static void dominators(struct cw_cfg *g)
{
    for (int b = 0; b < g->n; b++)
        g->idom[b] = -1;
    g->idom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = 1; b < g->n; b++) {
            int dom = -1;
            for (int i = g->pred_first[b]; i < g->pred_first[b + 1]; i++) {
                int p = g->pred[i];
                if (g->idom[p] >= 0)
                    dom = dom < 0 ? p : intersect(g->idom, p, dom, false);
            }
            changed |= dom != g->idom[b];
            g->idom[b] = dom;
        }
    }
    g->idom[0] = -1;
}

/* Post-order of a depth-first search backwards from every block without successors: order[rank[b]] = b, rank
 * -1 for blocks from which no exit can be reached. Returns how many there are. `scratch` has room for 2 n. */
static int order_backwards(const struct cw_cfg *g, int *order, int *rank, int *scratch)
{
    int *stack = scratch, *next = scratch + g->n, done = 0, depth = 0;
    for (int b = 0; b < g->n; b++) {
        rank[b] = -1;
        next[b] = g->pred_first[b];
    }
    for (int root = 0; root < g->n; root++) {
        if (g->succ_first[root] != g->succ_first[root + 1])
            continue;
        stack[depth++] = root;
        rank[root] = -2;
        while (depth) {
            int b = stack[depth - 1];
            if (next[b] == g->pred_first[b + 1]) {
                order[done] = b;
                rank[b] = done++;
                depth--;
                continue;
            }
            int p = g->pred[next[b]++];
            if (rank[p] == -1) {
                rank[p] = -2;
                stack[depth++] = p;
            }
        }
    }
    return done;
}

/* dom[] over ranks; the virtual exit has rank `done`, above all others. */
static void solve_backwards(const struct cw_cfg *g, const int *order, const int *rank, int done, int *dom)
{
    for (int i = 0; i < done; i++)
        dom[i] = -1;
    dom[done] = done;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = done - 1; i >= 0; i--) {
            int b = order[i], d = g->succ_first[b] == g->succ_first[b + 1] ? done : -1;
            for (int s = g->succ_first[b]; s < g->succ_first[b + 1]; s++) {
                int r = rank[g->succ[s]];
                if (r >= 0 && dom[r] >= 0)
                    d = d < 0 ? r : intersect(dom, r, d, true);
            }
            changed |= d != dom[i];
            dom[i] = d;
        }
    }
}

static bool postdominators(struct cw_cfg *g)
{
    size_t n = (unsigned)g->n;
    int *memory = malloc((5 * n + 1) * sizeof *memory);
    if (!memory)
        return false;
    int *order = memory, *rank = memory + n, *dom = memory + 2 * n, *scratch = memory + 3 * n + 1;
    int done = order_backwards(g, order, rank, scratch);
    solve_backwards(g, order, rank, done, dom);
    for (int b = 0; b < g->n; b++)
        g->ipdom[b] = -1;
    for (int i = 0; i < done; i++)
        g->ipdom[order[i]] = dom[i] < 0 ? -1 : dom[i] == done ? g->n : order[dom[i]];
    free(memory);
    return true;
}

bool cw_cfg_dominates(const struct cw_cfg *g, int a, int b)
{
    while (b > a)
        b = g->idom[b];
    return a == b;
}

bool cw_cfg_postdominates(const struct cw_cfg *g, int a, int b)
{
    while (b >= 0 && b < g->n && b != a)
        b = g->ipdom[b];
    return a == b;
}

bool cw_cfg_loop_contains(const struct cw_cfg *g, int loop, int block)
{
    int l = g->loop_of[block];
    while (l >= 0 && l != loop)
        l = g->loop[l].parent;
    return l >= 0;
}

/* Marks all blocks that reach `latch` without passing the header as members of `loop`, innermost wins because
 * inner loops are filled after outer ones. */
static bool fill_loop(struct cw_cfg *g, int loop, int latch)
{
    int header = g->loop[loop].header, depth = 0;
    bool *seen = calloc((size_t)g->n, sizeof *seen);
    int *stack = malloc((size_t)g->n * sizeof *stack);
    if (seen && stack) {
        seen[header] = true;
        g->loop_of[header] = loop;
        if (!seen[latch])
            stack[depth++] = latch;
        seen[latch] = true;
        while (depth) {
            int b = stack[--depth];
            g->loop_of[b] = loop;
            for (int i = g->pred_first[b]; i < g->pred_first[b + 1]; i++)
                if (!seen[g->pred[i]]) {
                    seen[g->pred[i]] = true;
                    stack[depth++] = g->pred[i];
                }
        }
    }
    bool ok = seen && stack;
    free(seen);
    free(stack);
    return ok;
}

static bool find_loops(struct cw_cfg *g)
{
    for (int b = 0; b < g->n; b++)
        g->loop_of[b] = -1;
    for (int h = 0; h < g->n; h++) { /* headers in reverse post-order: outer before inner */
        int latches = 0, around = g->loop_of[h], loop = g->loops;
        for (int i = g->pred_first[h]; i < g->pred_first[h + 1]; i++) {
            int p = g->pred[i];
            if (p < h)
                continue;
            if (!cw_cfg_dominates(g, h, p)) {
                g->irreducible = true;
                continue;
            }
            if (latches++ == 0)
                g->loop[g->loops++] = (struct cw_cfg_loop){.header = h, .parent = around};
            g->loop[loop].latch = latches == 1 ? p : -1;
            if (!fill_loop(g, loop, p))
                return false;
        }
    }
    for (int b = 0; b < g->n; b++)
        for (int i = g->succ_first[b]; i < g->succ_first[b + 1]; i++)
            for (int l = g->loop_of[b]; l >= 0; l = g->loop[l].parent)
                g->loop[l].exits += !cw_cfg_loop_contains(g, l, g->succ[i]);
    return true;
}

bool cw_cfg_init(struct cw_cfg *g, LLVMValueRef function)
{
    memset(g, 0, sizeof *g);
    bool ok = make_index(g, function) && number_blocks(g, function) && link_blocks(g);
    if (ok) {
        size_t n = (unsigned)g->n;
        g->idom = malloc(n * sizeof *g->idom);
        g->ipdom = malloc(n * sizeof *g->ipdom);
        g->loop_of = malloc(n * sizeof *g->loop_of);
        g->loop = calloc(n, sizeof *g->loop);
        ok = g->idom && g->ipdom && g->loop_of && g->loop;
    }
    if (ok) {
        dominators(g);
        ok = postdominators(g) && find_loops(g);
    }
    if (!ok)
        cw_cfg_finish(g);
    return ok;
}

void cw_cfg_finish(struct cw_cfg *g)
{
    free(g->index);
    free(g->block);
    free(g->succ_first);
    free(g->succ);
    free(g->pred_first);
    free(g->pred);
    free(g->idom);
    free(g->ipdom);
    free(g->loop_of);
    free(g->loop);
    memset(g, 0, sizeof *g);
}
