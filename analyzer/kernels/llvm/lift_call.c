/* lift_call.c - calls that return integers: work-item functions, integer functions, intrinsics. */
#include "lift.h"

#include "../footprint/builtin.h"

#include <string.h>

static int linear_id(struct cw_lift *l, bool local)
{
    struct cw_expr_pool *p = &l->m->pool;
    int sum = cw_expr_const(p, 64, 0);
    for (int d = 2; d >= 0; d--) {
        int size = cw_expr_leaf(p, local ? CW_EXPR_LOCAL_SIZE : CW_EXPR_GLOBAL_SIZE, 64, d);
        int id = cw_expr_leaf(p, local ? CW_EXPR_LOCAL_ID : CW_EXPR_GLOBAL_ID, 64, d);
        int offset = cw_expr_leaf(p, CW_EXPR_GLOBAL_OFFSET, 64, d);
        int minus = cw_expr_binary(p, CW_EXPR_MUL, 64, offset, cw_expr_const(p, 64, -1));
        sum = cw_expr_binary(p, CW_EXPR_MUL, 64, sum, size);
        sum = cw_expr_binary(p, CW_EXPR_ADD, 64, sum,
                             local ? id : cw_expr_binary(p, CW_EXPR_ADD, 64, id, minus));
    }
    return sum;
}

static int work_item(struct cw_lift *l, LLVMValueRef v, enum cw_expr_op op)
{
    LLVMValueRef dim = LLVMGetOperand(v, 0);
    struct cw_expr_pool *p = &l->m->pool;
    unsigned long long d = LLVMIsAConstantInt(dim) ? LLVMConstIntGetZExtValue(dim) : 3;
    /* The specification has answers for dimensions beyond the third, but vendors have others (PoCL 3.1:
     * get_num_groups(3) is 0, Oclgrind: get_local_size too). */
    if (d >= 3)
        return cw_lift_opaque(l, v);
    return cw_expr_unary(p, CW_EXPR_TRUNC, cw_lift_width(v), cw_expr_leaf(p, op, 64, (int)d));
}

static int integer_function(struct cw_lift *l, LLVMValueRef v, int lane, const struct cw_builtin *b)
{
    struct cw_expr_pool *p = &l->m->pool;
    int w = cw_lift_width(v), x[3] = {0};
    for (unsigned i = 0; i < 3 && i < LLVMGetNumArgOperands(v); i++) {
        bool vector = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, i))) == LLVMVectorTypeKind;
        x[i] = cw_lift_operand(l, v, i, vector ? lane : -1);
    }
    enum cw_expr_op min = b->is_signed ? CW_EXPR_SMIN : CW_EXPR_UMIN,
                    max = b->is_signed ? CW_EXPR_SMAX : CW_EXPR_UMAX;
    switch (b->kind) {
    case CW_BUILTIN_MIN:
        return cw_expr_binary(p, min, w, x[0], x[1]);
    case CW_BUILTIN_MAX:
        return cw_expr_binary(p, max, w, x[0], x[1]);
    case CW_BUILTIN_CLAMP:
        return cw_expr_binary(p, min, w, cw_expr_binary(p, max, w, x[0], x[1]), x[2]);
    default: {
        struct cw_expr e = {
            .op = CW_EXPR_MUL24, .width = (uint8_t)w, .dim = b->is_signed, .a = x[0], .b = x[1], .c = -1};
        int product = cw_expr_node(p, e);
        return b->kind == CW_BUILTIN_MAD24 ? cw_expr_binary(p, CW_EXPR_ADD, w, product, x[2]) : product;
    }
    }
}

static int intrinsic(struct cw_lift *l, LLVMValueRef v, int lane, const char *name)
{
    static const struct {
        const char *name;
        enum cw_expr_op op;
    } known[] = {{"llvm.smin.", CW_EXPR_SMIN},
                 {"llvm.smax.", CW_EXPR_SMAX},
                 {"llvm.umin.", CW_EXPR_UMIN},
                 {"llvm.umax.", CW_EXPR_UMAX}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(name, known[i].name, strlen(known[i].name)))
            return cw_lift_binary(l, v, lane, known[i].op);
    return cw_lift_opaque(l, v);
}

int cw_lift_call(struct cw_lift *l, LLVMValueRef v, int lane)
{
    LLVMValueRef callee = LLVMGetCalledValue(v);
    if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) || LLVMIsAInvokeInst(v))
        return cw_lift_opaque(l, v);
    size_t length;
    const char *name = LLVMGetValueName2(callee, &length);
    if (!strncmp(name, "llvm.", 5))
        return intrinsic(l, v, lane, name);
    struct cw_builtin b = cw_builtin_find(name);
    switch (b.kind) {
    case CW_BUILTIN_WORK_ITEM:
        return work_item(l, v, b.op);
    case CW_BUILTIN_WORK_DIM:
        return cw_expr_leaf(&l->m->pool, CW_EXPR_WORK_DIM, 32, 0);
    case CW_BUILTIN_GLOBAL_LINEAR_ID:
    case CW_BUILTIN_LOCAL_LINEAR_ID:
        return linear_id(l, b.kind == CW_BUILTIN_LOCAL_LINEAR_ID);
    case CW_BUILTIN_MIN:
    case CW_BUILTIN_MAX:
    case CW_BUILTIN_CLAMP:
    case CW_BUILTIN_MUL24:
    case CW_BUILTIN_MAD24:
        return integer_function(l, v, lane, &b);
    default:
        return cw_lift_opaque(l, v);
    }
}
