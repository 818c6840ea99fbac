/* lift_internal.h - shared by lift.c and lift_call.c only. */
#ifndef CW_FOOTPRINT_LIFT_INTERNAL_H
#define CW_FOOTPRINT_LIFT_INTERNAL_H

#include "lift.h"

/* Bits of an integer, or of an element of a vector of integers; 0 for other types and more than 64 bits. */
int cw_lift_width(LLVMValueRef v);
/* A fresh node for a value that nothing is known about. */
int cw_lift_opaque(struct cw_lift *l, LLVMValueRef v);
int cw_lift_operand(struct cw_lift *l, LLVMValueRef v, unsigned i, int lane);
int cw_lift_binary(struct cw_lift *l, LLVMValueRef v, int lane, enum cw_expr_op op);
int cw_lift_call(struct cw_lift *l, LLVMValueRef v, int lane);

#endif
