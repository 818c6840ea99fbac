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

/* The load is from the place where `pointer` points. */
static bool is_same_place(struct reader *r, LLVMValueRef load, LLVMValueRef pointer)
{
    LLVMValueRef from = LLVMGetOperand(load, 0);
    struct cw_places a, b;

    if (from == pointer)
        return true;
    a = cw_place_lift_pointer(&r->lift, from);
    b = cw_place_lift_pointer(&r->lift, pointer);
    return a.n == 1 && b.n == 1 && a.v[0].base >= 0 && a.v[0].base == b.v[0].base &&
           (a.v[0].offset == b.v[0].offset || a.v[0].offset < 0 || b.v[0].offset < 0);
}

struct walk {
    LLVMValueRef pointer, phi[16]; /* those that have been looked at */
    int phis, left;                /* left: values that may still be looked at */
};

/* Notes a φ. False: it has been looked at (*seen), or there is no room. */
static bool enters(struct walk *w, LLVMValueRef phi, bool *seen)
{
    *seen = false;
    for (int i = 0; i < w->phis && !*seen; i++)
        *seen = w->phi[i] == phi;
    if (*seen || w->phis == sizeof w->phi / sizeof *w->phi)
        return false;
    w->phi[w->phis++] = phi;
    return true;
}

static bool keeps(struct reader *r, LLVMValueRef v, struct walk *w)
{
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
    unsigned first = op == LLVMSelect, n = 0;
    bool seen;

    if (--w->left < 0)
        return true;
    switch (op) {
    case LLVMLoad:
        return is_same_place(r, v, w->pointer);
    case LLVMPHI:
        if (!enters(w, v, &seen))
            return !seen;
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
            if (keeps(r, LLVMGetIncomingValue(v, i), w))
                return true;
        return false;
    case LLVMSelect:
        n = 3;
        break;
    case LLVMInsertElement:
    case LLVMInsertValue:
    case LLVMShuffleVector:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        n = 2;
        break;
    case LLVMExtractElement:
    case LLVMExtractValue:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMBitCast:
    case LLVMFreeze:
        n = 1;
        break;
    default:
        break;
    }
    for (unsigned i = first; i < n; i++)
        if (keeps(r, LLVMGetOperand(v, i), w))
            return true;
    return false;
}

bool cw_stored_keeps(struct reader *r, LLVMValueRef value, LLVMValueRef pointer)
{
    struct walk w = {.pointer = pointer, .left = 256};

    return keeps(r, value, &w);
}
