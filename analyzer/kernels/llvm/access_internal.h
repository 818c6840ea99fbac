/* access_internal.h - shared by access.c, effect.c and guard.c only. */
#ifndef CW_FOOTPRINT_ACCESS_INTERNAL_H
#define CW_FOOTPRINT_ACCESS_INTERNAL_H

#include "access.h"
#include "lift.h"

/* The conditions under which a block runs, computed once per block. */
struct block_guards {
    bool done;
    struct cw_guard_range guards;
    const char *doubt; /* loops left out */
};

struct reader {
    struct cw_model *m;
    struct cw_lift lift;
    struct cw_cfg cfg;
    struct block_guards *block;
    int *access_block; /* of each access of m: where it happens */
    int access_blocks; /* room in it */
    bool failed;
};

/* Appends the conjunction that `cond` == `want` stands for to m->guard. */
const struct block_guards *cw_guard_of_block(struct reader *r, int block);
/* All of `a`, then all of `b`. */
struct cw_guard_range cw_guard_append(struct reader *r, struct cw_guard_range a, struct cw_guard_range b);
/* Why the guards of a block do not decide alone whether something in it happens; NULL when they do. */
const char *cw_guard_doubt(struct reader *r, int block);
/* Fills m->loop and m->exit. */
void cw_guard_read_loops(struct reader *r);

/* branch.c */
/* Adds `a`, which happens in `block`, to the model. */
void cw_branch_add_access(struct reader *r, const struct cw_access *a, int block);
/* A store in all branches of conditions is a store before them: adds those. */
void cw_branch_join(struct reader *r);

/* ops.c */
/* Fills m->work, when all accesses have been read. */
void cw_ops_count_in(struct reader *r);

/* poll.c */
/* The kernel has a loop that ends by memory that others write. Its accesses have been read; the control flow
 * is reducible. */
bool cw_poll_has_loop(struct reader *r);

/* stored.c */
/* The node of a stored value of so many bytes that is the same in all work-items: of integers made of
 * constants and arguments, of a floating-point constant or argument (its bits), or a zero of any type; -1:
 * another one. (Others are not worth their expressions: think of a hash.) */
int cw_stored_value(struct reader *r, LLVMValueRef v, int64_t bytes);

/* Some bytes of the value that is stored may be those that were read from there, so that a compiler may leave
 * them out: a vector of which one element is set, a bit set in a number, a choice between old and new. */
bool cw_stored_keeps(struct reader *r, LLVMValueRef value, LLVMValueRef pointer);

struct cw_builtin; /* ../footprint/builtin.h */

/* pixel.c */
/* Adds the access of a call that reads or writes an image. */
void cw_pixel_access(struct reader *r, int block, LLVMValueRef call, const struct cw_builtin *b);
/* A call that may read and write any pixel of the images among its operands. */
void cw_pixel_hand_on(struct reader *r, LLVMValueRef call);

/* effect.c */
/* Adds the accesses of one instruction. */
void cw_effect_read_instruction(struct reader *r, LLVMValueRef instruction, int block);

#endif
