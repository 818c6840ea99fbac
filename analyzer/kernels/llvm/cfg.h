/* cfg.h - control flow of one LLVM function: dominators, post-dominators, natural loops.
 *
 * LLVM's C API has none of these. Blocks are numbered in reverse post-order from the entry (0); blocks that
 * cannot be reached have no number. Dominators after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
 * Algorithm". */
#ifndef CW_FOOTPRINT_CFG_H
#define CW_FOOTPRINT_CFG_H

#include <llvm-c/Core.h>
#include <stdbool.h>

struct cw_cfg_loop {
    int header, latch; /* block numbers; latch -1 when there are several */
    int parent;        /* -1: outermost */
    int exits;         /* edges that leave it */
};

struct cw_cfg {
    int n;
    LLVMBasicBlockRef *block;
    int *succ_first, *succ; /* successors of b: succ[succ_first[b]] .. succ[succ_first[b + 1] - 1] */
    int *pred_first, *pred;
    int *idom;                /* of the entry: -1 */
    int *ipdom;               /* n = the virtual exit; -1 when no exit can be reached */
    int *loop_of;             /* innermost loop around a block, -1 none */
    struct cw_cfg_loop *loop; /* inner loops after outer ones */
    int loops;
    bool irreducible; /* there is a cycle with two entries: loops mean nothing */
    struct cw_cfg_index *index;
};

/* Reads `function`, which has a body. False without memory (then nothing needs to be finished). */
bool cw_cfg_init(struct cw_cfg *g, LLVMValueRef function);
void cw_cfg_finish(struct cw_cfg *g);

/* The number of a block, -1 when it cannot be reached. */
int cw_cfg_block(const struct cw_cfg *g, LLVMBasicBlockRef b);
bool cw_cfg_dominates(const struct cw_cfg *g, int a, int b);
/* Every way from `b` to an exit passes `a`. */
bool cw_cfg_postdominates(const struct cw_cfg *g, int a, int b);
bool cw_cfg_loop_contains(const struct cw_cfg *g, int loop, int block);

#endif
