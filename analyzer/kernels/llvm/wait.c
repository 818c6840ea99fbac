/* wait.c - whether an asynchronous copy is waited for.
 *
 * A kernel that ends without wait_group_events for a copy is undefined, and devices differ: PoCL copies at
 * once, Oclgrind copies at the wait. So only copies with a visible wait count as written for certain. Seen
 * means: within the copy's basic block, the event goes into one variable, and the wait names that variable
 * and one event (further ones would be unknown). In between the variable may only be given to a further copy,
 * which then shares the event. */
#include "access_internal.h"

#include "../footprint/builtin.h"

/* The variable that a pointer to an event was made from. */
static LLVMValueRef variable(LLVMValueRef pointer)
{
    while (LLVMIsABitCastInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

static enum cw_builtin_kind kind_of(LLVMValueRef v)
{
    LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
    size_t length;
    return f && LLVMIsAFunction(f) ? cw_builtin_find(LLVMGetValueName2(f, &length)).kind : CW_BUILTIN_UNKNOWN;
}

/* Whether `v` is a copy that shares the event `event`, which `from` holds. */
static bool shares(LLVMValueRef v, LLVMValueRef event, LLVMValueRef from)
{
    enum cw_builtin_kind kind = kind_of(v);
    if (kind != CW_BUILTIN_COPY && kind != CW_BUILTIN_COPY_STRIDED)
        return false;
    LLVMValueRef given = LLVMGetOperand(v, LLVMGetNumArgOperands(v) - 1);
    return given == event || (LLVMIsALoadInst(given) && variable(LLVMGetOperand(given, 0)) == from);
}

bool cw_wait_copy_is_awaited(LLVMValueRef copy)
{
    LLVMValueRef event = copy, at = NULL;
    for (LLVMValueRef v = LLVMGetNextInstruction(copy); v; v = LLVMGetNextInstruction(v)) {
        if (LLVMIsAStoreInst(v)) {
            LLVMValueRef to = variable(LLVMGetOperand(v, 1)), stored = LLVMGetOperand(v, 0);
            if (!at && stored == event)
                at = LLVMIsAAllocaInst(to) ? to : NULL;
            else if (at && to == at && !shares(stored, event, at))
                return false;
            else if (at && to == at)
                event = stored;
        } else if (kind_of(v) == CW_BUILTIN_WAIT && at && variable(LLVMGetOperand(v, 1)) == at) {
            LLVMValueRef n = LLVMGetOperand(v, 0);
            return LLVMIsAConstantInt(n) && LLVMConstIntGetSExtValue(n) == 1;
        }
    }
    return false;
}
