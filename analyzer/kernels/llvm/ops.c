/* ops.c - the instructions of a kernel, counted for cost models. */
#include "access_internal.h"

#include "../footprint/builtin.h"

#include <string.h>

static unsigned elements_of(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

static bool is_double(LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMDoubleTypeKind;
}

static void add(struct cw_ops *w, enum cw_op op, unsigned n)
{
    w->count[op] += n;
}

static void count_float(struct cw_ops *w, LLVMTypeRef t, bool fma)
{
    if (fma)
        add(w, is_double(t) ? CW_OP_DOUBLE_FMA : CW_OP_SINGLE_FMA, elements_of(t));
    else
        add(w, is_double(t) ? CW_OP_DOUBLE : CW_OP_SINGLE, elements_of(t));
}

/* `bytes` through `pointer`; private memory is taken for registers. */
static void count_memory(struct cw_ops *w, LLVMValueRef pointer, unsigned bytes, bool store)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    if (space == 3) {
        add(w, CW_OP_LOCAL, 1);
    } else if (space != 0) {
        add(w, store ? CW_OP_STORE : CW_OP_LOAD, 1);
        add(w, store ? CW_OP_STORE_BYTES : CW_OP_LOAD_BYTES, bytes);
    }
}

static bool is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(name, *list))
        list++;
    return *list != NULL;
}

/* A function of OpenCL C that returns numbers: cheap ones are one operation per element. */
static void count_function(struct cw_ops *w, LLVMValueRef v, const char *mangled)
{
    static const char *const cheap[] = {
        "fabs",     "fmin",    "fmax",    "floor", "ceil",       "round",  "trunc",  "rint",   "mix",
        "step",     "sign",    "clamp",   "min",   "max",        "dot",    "cross",  "select", "bitselect",
        "copysign", "degrees", "radians", "fdim",  "smoothstep", "maxmag", "minmag", NULL};
    static const char *const fused[] = {"mad", "fma", NULL};
    char name[64];
    LLVMTypeRef t = LLVMTypeOf(v), element = t;
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        element = LLVMGetElementType(t);
    if (LLVMGetTypeKind(element) == LLVMVoidTypeKind || !cw_builtin_plain_name(mangled, name, sizeof name) ||
        !strncmp(name, "get_", 4))
        return;
    if (LLVMGetTypeKind(element) == LLVMIntegerTypeKind)
        add(w, CW_OP_INTEGER, elements_of(t));
    else if (is_one_of(name, fused))
        count_float(w, t, true);
    else if (is_one_of(name, cheap) || !strncmp(name, "convert_", 8))
        count_float(w, t, false);
    else
        add(w, CW_OP_SPECIAL, elements_of(t));
}

static void count_call(struct cw_ops *w, LLVMValueRef v, LLVMTargetDataRef layout)
{
    LLVMValueRef f = LLVMGetCalledValue(v);
    size_t length;
    const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &length) : "";
    if (!strncmp(name, "llvm.fmuladd.", 13) || !strncmp(name, "llvm.fma.", 9)) {
        count_float(w, LLVMTypeOf(v), true);
        return;
    }
    if (!strncmp(name, "llvm.", 5)) {
        if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind)
            add(w, CW_OP_INTEGER, elements_of(LLVMTypeOf(v)));
        return;
    }
    struct cw_builtin b = cw_builtin_find(name);
    switch (b.kind) {
    case CW_BUILTIN_VLOAD:
    case CW_BUILTIN_VLOAD_HALF:
        count_memory(w, LLVMGetOperand(v, 1), (unsigned)LLVMABISizeOfType(layout, LLVMTypeOf(v)), false);
        break;
    case CW_BUILTIN_VSTORE:
    case CW_BUILTIN_VSTORE_HALF:
        count_memory(w, LLVMGetOperand(v, 2),
                     (unsigned)LLVMABISizeOfType(layout, LLVMTypeOf(LLVMGetOperand(v, 0))), true);
        break;
    case CW_BUILTIN_COPY: /* the group's elements are about as many as its work-items */
    case CW_BUILTIN_COPY_STRIDED:
        add(w, CW_OP_LOCAL, 1);
        for (unsigned i = 0; i < 2; i++)
            if (LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(v, i))) != 3)
                count_memory(w, LLVMGetOperand(v, i), (unsigned)cw_builtin_pointee_bytes(b.params), i == 0);
        break;
    case CW_BUILTIN_ATOMIC:
        add(w, CW_OP_ATOMIC, 1);
        break;
    case CW_BUILTIN_BARRIER:
        add(w, CW_OP_BARRIER, 1);
        break;
    case CW_BUILTIN_WORK_ITEM:
    case CW_BUILTIN_WORK_DIM:
    case CW_BUILTIN_GLOBAL_LINEAR_ID:
    case CW_BUILTIN_LOCAL_LINEAR_ID:
        break;
    default:
        count_function(w, v, name);
        break;
    }
}

static bool is_integer(LLVMOpcode op)
{
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP:
        return true;
    default:
        return false;
    }
}

static void count_instruction(struct cw_ops *w, LLVMValueRef v, LLVMTargetDataRef layout)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        add(w, CW_OP_DIVISION, elements_of(t));
        break;
    case LLVMGetElementPtr:
        add(w, CW_OP_INTEGER, !LLVMIsAConstant(LLVMGetOperand(v, (unsigned)LLVMGetNumOperands(v) - 1)));
        break;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFNeg:
        count_float(w, t, false);
        break;
    case LLVMFCmp:
        count_float(w, LLVMTypeOf(LLVMGetOperand(v, 0)), false);
        break;
    case LLVMFDiv:
    case LLVMFRem:
        add(w, CW_OP_SPECIAL, elements_of(t));
        break;
    case LLVMLoad:
        count_memory(w, LLVMGetOperand(v, 0), (unsigned)LLVMABISizeOfType(layout, t), false);
        break;
    case LLVMStore:
        count_memory(w, LLVMGetOperand(v, 1),
                     (unsigned)LLVMABISizeOfType(layout, LLVMTypeOf(LLVMGetOperand(v, 0))), true);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        add(w, CW_OP_ATOMIC, 1);
        break;
    case LLVMBr:
        add(w, CW_OP_BRANCH, LLVMIsConditional(v));
        break;
    case LLVMSwitch:
        add(w, CW_OP_BRANCH, 1);
        break;
    case LLVMCall:
        count_call(w, v, layout);
        break;
    default:
        add(w, CW_OP_INTEGER, is_integer(LLVMGetInstructionOpcode(v)) * elements_of(t));
        break;
    }
}

/* Does some edge from `block` leave the loop around it? Such conditions have been read with the loop. */
static bool ends_loop(const struct cw_cfg *g, int block)
{
    for (int i = g->succ_first[block]; i < g->succ_first[block + 1] && g->loop_of[block] >= 0; i++)
        if (!cw_cfg_loop_contains(g, g->loop_of[block], g->succ[i]))
            return true;
    return false;
}

/* The nearest block at or above `block` in the dominator tree whose guards are known, or cost nothing to
 * know: conditions that no access needed are not read for an estimate's sake. */
static int known_block(struct reader *r, int block)
{
    enum { ENOUGH = 20000 }; /* guards */
    int up = r->cfg.idom[block];
    if (r->block[block].done)
        return block;
    if (up >= 0) {
        int above = known_block(r, up);
        bool free = cw_cfg_postdominates(&r->cfg, block, up) || ends_loop(&r->cfg, up);
        if (above != up || !free || r->m->guards > ENOUGH)
            return above;
    }
    (void)cw_guard_of_block(r, block);
    return block;
}

void cw_ops_count_in(struct reader *r)
{
    for (int b = 0; b < r->cfg.n && !r->failed; b++) {
        int known = known_block(r, b);
        struct cw_ops w = {.guards = r->block[known].guards, .loop = r->cfg.loop_of[b]};
        uint32_t sum = 0;
        w.doubt = r->block[known].doubt != NULL || !cw_cfg_postdominates(&r->cfg, b, known);
        for (LLVMValueRef v = LLVMGetFirstInstruction(r->cfg.block[b]); v; v = LLVMGetNextInstruction(v))
            count_instruction(&w, v, r->lift.layout);
        for (int i = 0; i < CW_OPS; i++)
            sum += w.count[i];
        if (sum && !cw_model_add_ops(r->m, &w))
            r->failed = true;
    }
}
