/* address.c - addresses that a kernel hands on: they become numbers, or lie in memory. */
#include "access_internal.h"

#include "../footprint/builtin.h"
#include "access.h"

#include <string.h>

static bool is_pointer(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMPointerTypeKind;
}

/* The one base of all that the pointer may point to; CW_BASE_UNKNOWN: there are several. */
static int base_of(struct reader *r, LLVMValueRef pointer)
{
    struct cw_places at = cw_place_lift_pointer(&r->lift, pointer);
    int base = at.n ? at.v[0].base : CW_BASE_UNKNOWN;

    for (int i = 1; i < at.n; i++)
        if (at.v[i].base != base)
            base = CW_BASE_UNKNOWN;
    return base;
}

/* The pointer may lead to a buffer: private and local memory have address spaces of their own, where a module
 * has several (events are in the private one). */
static bool is_buffer(struct reader *r, LLVMValueRef pointer)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));

    if (LLVMIsNull(pointer) || LLVMIsUndef(pointer))
        return false;
    if ((space == 0 || space == 3) && !cw_bitcode_is_flat(LLVMGetGlobalParent(r->lift.function)))
        return false;
    return base_of(r, pointer) != CW_BASE_PRIVATE;
}

static bool is_address_as_number(LLVMValueRef v)
{
    return (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMPtrToInt) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMPtrToInt);
}

/* Both pointers lie in one buffer, so that their distance and order are those of offsets. */
static bool are_of_one(struct reader *r, LLVMValueRef a, LLVMValueRef b)
{
    int base = base_of(r, a);

    return base != CW_BASE_UNKNOWN && base == base_of(r, b);
}

/* The number is used for distances within one buffer alone, or compared with such. */
static bool is_distance(struct reader *r, LLVMValueRef number)
{
    for (LLVMUseRef u = LLVMGetFirstUse(number); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u), a, b;
        LLVMOpcode op = LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMRet;
        if (op != LLVMSub && op != LLVMICmp)
            return false;
        a = LLVMGetOperand(user, 0);
        b = LLVMGetOperand(user, 1);
        if (op == LLVMICmp && (LLVMIsNull(a) || LLVMIsNull(b)))
            continue;
        if (!is_address_as_number(a) || !is_address_as_number(b) ||
            !are_of_one(r, LLVMGetOperand(a, 0), LLVMGetOperand(b, 0)))
            return false;
    }
    return true;
}

/* Which of two buffers lies first differs; whether they are the same place does not. */
static bool compares(struct reader *r, LLVMValueRef v)
{
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    LLVMIntPredicate how = LLVMGetICmpPredicate(v);

    return is_pointer(LLVMTypeOf(a)) && how != LLVMIntEQ && how != LLVMIntNE && !are_of_one(r, a, b);
}

/* A pointer, or a vector or structure that may have one. */
static bool has_pointer(LLVMTypeRef t, int depth)
{
    bool found = depth > 8;

    switch (LLVMGetTypeKind(t)) {
    case LLVMPointerTypeKind:
        return true;
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind:
        return found || has_pointer(LLVMGetElementType(t), depth + 1);
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(t) && !found; i++)
            found = has_pointer(LLVMStructGetTypeAtIndex(t, i), depth + 1);
        return found;
    default:
        return false;
    }
}

static bool is_stored_address(struct reader *r, LLVMValueRef value)
{
    LLVMTypeRef t = LLVMTypeOf(value);

    if (LLVMIsNull(value) || LLVMIsUndef(value))
        return false;
    return is_pointer(t) ? is_buffer(r, value) : has_pointer(t, 0);
}

/* A function without effects and of no known meaning may make a number of a pointer. */
static bool asks(struct reader *r, LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    size_t length;
    bool found = false;

    if (!LLVMIsAFunction(f) || !strncmp(LLVMGetValueName2(f, &length), "llvm.lifetime.", 14) ||
        cw_builtin_find(LLVMGetValueName2(f, &length)).kind != CW_BUILTIN_UNKNOWN ||
        LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && !found; i++)
        found = is_pointer(LLVMTypeOf(LLVMGetOperand(call, i))) && is_buffer(r, LLVMGetOperand(call, i));
    return found;
}

/* An operand that is a constant expression of an address. */
static bool has_constant_address(struct reader *r, LLVMValueRef v)
{
    bool found = false;

    for (int i = 0; i < LLVMGetNumOperands(v) && !found; i++) {
        LLVMValueRef x = LLVMGetOperand(v, (unsigned)i);
        found = LLVMIsAConstantExpr(x) && is_address_as_number(x) && is_buffer(r, LLVMGetOperand(x, 0));
    }
    return found;
}

void cw_address_read_instruction(struct reader *r, LLVMValueRef v)
{
    bool found = has_constant_address(r, v);

    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPtrToInt:
        found |= has_pointer(LLVMTypeOf(LLVMGetOperand(v, 0)), 0) &&
                 (!is_pointer(LLVMTypeOf(LLVMGetOperand(v, 0))) || is_buffer(r, LLVMGetOperand(v, 0))) &&
                 !is_distance(r, v);
        break;
    case LLVMStore:
        found |= is_stored_address(r, LLVMGetOperand(v, 0));
        break;
    case LLVMAtomicRMW:
        found |= is_stored_address(r, LLVMGetOperand(v, 1));
        break;
    case LLVMAtomicCmpXchg:
        found |= is_stored_address(r, LLVMGetOperand(v, 1)) || is_stored_address(r, LLVMGetOperand(v, 2));
        break;
    case LLVMICmp:
        found |= compares(r, v);
        break;
    case LLVMCall:
        found |= asks(r, v);
        break;
    default:
        break;
    }
    r->m->addresses |= found;
}
