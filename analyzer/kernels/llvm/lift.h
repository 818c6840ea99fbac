/* lift.h - LLVM values to expressions, LLVM pointers to places. */
#ifndef CW_FOOTPRINT_LIFT_H
#define CW_FOOTPRINT_LIFT_H

#include "../footprint/model.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>

/* Where a pointer points: into the buffer of argument `base` (>= 0), or one of these. */
enum { CW_BASE_PRIVATE = -1 /* private, local or program constant: no buffer */, CW_BASE_UNKNOWN = -2 };

struct cw_place {
    int base;
    int offset; /* node, 64 bits, bytes; -1: not known */
};

/* A pointer may be one of several places (select, φ). */
enum { CW_MAX_PLACES = 6 };

struct cw_places {
    int n;
    struct cw_place v[CW_MAX_PLACES];
};

struct cw_lift_remembered;

struct cw_lift {
    struct cw_model *m;
    const struct cw_cfg *cfg;
    LLVMTargetDataRef layout;
    LLVMValueRef function;
    struct cw_lift_remembered *remembered;
    int depth;
    bool pointers_failed; /* no place of the kernel can be trusted */
    bool failed;          /* out of memory */
};

bool cw_lift_init(struct cw_lift *l, struct cw_model *m, const struct cw_cfg *cfg, LLVMTargetDataRef layout,
                  LLVMValueRef function);
void cw_lift_finish(struct cw_lift *l);

/* The expression of an integer value, or of element `element` of a vector of integers (-1: not a vector). A
 * value that is no integer, or is computed from one, is OPAQUE (of the value's width, at least 1). */
int cw_lift_value(struct cw_lift *l, LLVMValueRef v, int element);

/* `yes` where the bit `c` is set, else `no`: nodes of `width` bits. */
int cw_lift_select(struct cw_lift *l, int width, int c, int yes, int no);

/* ways.c: the value that φ `phi`, which is no loop's header's, has once its block is reached; and whether
 * `block`, not the entry, is reached once its immediate dominator is, in the same iteration of the loops
 * around both (one bit). */
int cw_ways_value(struct cw_lift *l, LLVMValueRef phi, int element, int width);
int cw_ways_condition(struct cw_lift *l, int block);

/* All places that a pointer may point to. */
struct cw_places cw_place_lift_pointer(struct cw_lift *l, LLVMValueRef v);

/* The module has variables of program scope, which are no program constants. */
bool cw_place_has_variables(LLVMModuleRef module);
/* The instruction accesses one, or has its address, which it may hand on. */
bool cw_place_names_variable(LLVMValueRef instruction);

/* Number of a kernel argument, -1 when v is none. */
int cw_lift_argument(const struct cw_lift *l, LLVMValueRef v);

/* The loop whose header φ `phi` belongs to, with the values from before and from the end of an iteration; -1
 * when it is no such φ or the loop has not the plain shape (one latch). */
int cw_lift_header(const struct cw_lift *l, LLVMValueRef phi, LLVMValueRef *start, LLVMValueRef *next);

/* Remembered results, by value and element; elements below -1 are the caller's. */
bool cw_lift_recall(const struct cw_lift *l, LLVMValueRef v, int element, int *node);
void cw_lift_remember(struct cw_lift *l, LLVMValueRef v, int element, int node);

/* Shared by lift.c and lift.c only. */

/* ---- control flow of one LLVM function: dominators, post-dominators, natural loops.
 *
 * LLVM's C API has none of these. Blocks are numbered in reverse post-order from the entry (0); blocks that
 * cannot be reached have no number. Dominators after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
 * Algorithm". */

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
