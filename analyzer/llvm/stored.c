/* stored.c - values that all work-items store alike. See access_internal.h. */
#include "access_internal.h"

/* An integer that is made of constants and arguments alone, by a few operations. */
static bool is_uniform(LLVMValueRef v, int depth)
{
    enum { DEPTH = 4 };
    static const bool known[] = {[LLVMAdd] = true,  [LLVMSub] = true,   [LLVMMul] = true,  [LLVMUDiv] = true,
                                 [LLVMSDiv] = true, [LLVMURem] = true,  [LLVMSRem] = true, [LLVMShl] = true,
                                 [LLVMLShr] = true, [LLVMAShr] = true,  [LLVMAnd] = true,  [LLVMOr] = true,
                                 [LLVMXor] = true,  [LLVMTrunc] = true, [LLVMZExt] = true, [LLVMSExt] = true};
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind)
        return false;
    if (LLVMIsAConstantInt(v) || LLVMIsAArgument(v))
        return true;
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
    bool fits = op < sizeof known / sizeof *known && known[op] && depth < DEPTH;
    for (unsigned i = 0; fits && i < (unsigned)LLVMGetNumOperands(v); i++)
        fits = is_uniform(LLVMGetOperand(v, i), depth + 1);
    return fits;
}

int cw_stored_value(struct reader *r, LLVMValueRef v, int64_t bytes)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMTypeKind kind = LLVMGetTypeKind(t);
    bool real = kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind;
    int arg = real ? cw_lift_argument(&r->lift, v) : -1;
    if (LLVMIsConstant(v) && LLVMIsNull(v))
        return cw_expr_const(&r->m->pool, bytes < 8 ? 8 * (int)bytes : 64, 0);
    if (arg >= 0)
        return cw_expr_arg(&r->m->pool, 8 * (int)bytes, arg, 0);
    if (real && LLVMIsAConstantFP(v)) {
        t = LLVMIntTypeInContext(LLVMGetTypeContext(t), 8 * (unsigned)bytes);
        v = LLVMConstBitCast(v, t);
    }
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || bytes > 8 ||
        LLVMGetIntTypeWidth(t) != 8 * (unsigned)bytes || !is_uniform(v, 0))
        return -1;
    return cw_lift_value(&r->lift, v, -1);
}
