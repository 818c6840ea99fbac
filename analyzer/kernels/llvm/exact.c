/* exact.c - see access.h. */

#include "../footprint/builtin.h"
#include "../footprint/reason.h"
#include "access.h"
#include "ir.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 256 }; /* that a kernel reaches */

struct look {
    LLVMValueRef function[FUNCTIONS];
    int n;
    const char *why;            /* the first reason against; NULL: none */
    unsigned floats;            /* enum cw_model_floats */
    unsigned sums, products;    /* of these precisions */
    bool computes, as_integers; /* floating-point operations; bits of such numbers that become integers */
};

/* ---- types */

static LLVMTypeRef element(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

static bool is_integer(LLVMTypeRef t)
{
    return LLVMGetTypeKind(element(t)) == LLVMIntegerTypeKind;
}

static bool is_float(LLVMTypeRef t)
{
    LLVMTypeKind kind = LLVMGetTypeKind(element(t));

    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static bool is_double(LLVMTypeRef t)
{
    return LLVMGetTypeKind(element(t)) == LLVMDoubleTypeKind;
}

static void refuse(struct look *l, const char *why)
{
    if (!l->why)
        l->why = why;
}

/* A number of this type takes part in an operation. */
static unsigned uses(struct look *l, LLVMTypeRef t)
{
    unsigned precision = is_double(t) ? CW_MODEL_DOUBLE : CW_MODEL_SINGLE;

    if (LLVMGetTypeKind(element(t)) == LLVMHalfTypeKind)
        refuse(l, cw_reason_half);
    else if (is_float(t))
        l->floats |= precision;
    else if (!is_integer(t))
        refuse(l, cw_reason_operation);
    return is_float(t) ? precision : 0;
}

/* ---- numbers that are divided by */

static bool is_size(LLVMValueRef v)
{
    size_t length;
    struct cw_builtin b;

    while (LLVMIsATruncInst(v) || LLVMIsAZExtInst(v) || LLVMIsASExtInst(v))
        v = LLVMGetOperand(v, 0);
    if (!LLVMIsACallInst(v) || !LLVMIsAFunction(LLVMGetCalledValue(v)))
        return false;
    b = cw_builtin_find(LLVMGetValueName2(LLVMGetCalledValue(v), &length));
    return b.kind == CW_BUILTIN_WORK_ITEM &&
           (b.op == CW_EXPR_LOCAL_SIZE || b.op == CW_EXPR_GLOBAL_SIZE || b.op == CW_EXPR_NUM_GROUPS ||
            b.op == CW_EXPR_ENQUEUED_LOCAL_SIZE);
}

/* Neither 0 nor -1. */
static bool is_usual(LLVMValueRef v)
{
    if (!LLVMIsAConstantInt(v))
        return false;
    return LLVMConstIntGetZExtValue(v) != 0 && LLVMConstIntGetSExtValue(v) != -1;
}

static bool may_divide(LLVMValueRef v)
{
    unsigned n = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind ? LLVMGetVectorSize(LLVMTypeOf(v)) : 0;
    bool all = n && LLVMIsAConstantDataSequential(v);

    for (unsigned i = 0; i < n && all; i++)
        all = is_usual(cw_ir_element(v, i));
    return n ? all : is_usual(v) || is_size(v);
}

/* ---- functions */

static bool is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(name, *list))
        list++;
    return *list != NULL;
}

static bool all_integers(LLVMValueRef call)
{
    bool all = is_integer(LLVMTypeOf(call));

    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        all &= is_integer(LLVMTypeOf(LLVMGetOperand(call, i)));
    return all;
}

/* Conversions that OpenCL C names: to the nearest, of numbers that the type holds. */
static void convert(struct look *l, LLVMValueRef call, const char *name)
{
    LLVMTypeRef to = LLVMTypeOf(call), from = LLVMTypeOf(LLVMGetOperand(call, 0));

    if (is_integer(to) && is_float(from))
        refuse(l, cw_reason_conversion);
    else if (!all_integers(call) && strstr(name, "_rt") && !strstr(name, "_rte"))
        refuse(l, cw_reason_rounding);
    l->computes |= uses(l, to) | uses(l, from);
}

/* A function of OpenCL C that makes numbers of numbers. */
static void numbers(struct look *l, LLVMValueRef call, const char *mangled)
{
    static const char *const integer[] = {"add_sat", "sub_sat", "hadd",     "rhadd",    "mul_hi",
                                          "mad_hi",  "mad_sat", "rotate",   "clz",      "ctz",
                                          "min",     "max",     "popcount", "upsample", "clamp",
                                          "any",     "all",     "select",   "shuffle",  NULL};
    /* PoCL's compiler takes abs(x) == 2147483648u for false, though that is abs(INT_MIN). */
    static const char *const absolute[] = {"abs", "abs_diff", NULL};
    static const char *const moves[] = {"select", "bitselect", "shuffle", "shuffle2", NULL};
    static const char *const floats[] = {
        "fabs",      "copysign",    "signbit", "isequal",       "isnotequal", "isgreater", "isgreaterequal",
        "isless",    "islessequal", "isnan",   "islessgreater", "isinf",      "isfinite",  "isnormal",
        "isordered", "isunordered", "floor",   "ceil",          "trunc",      "rint",      "round",
        "fma",       NULL};
    char name[64];

    if (!cw_builtin_plain_name(mangled, name, sizeof name)) {
        refuse(l, cw_reason_call);
        return;
    }
    if (!strncmp(name, "convert_", 8)) {
        convert(l, call, name);
        return;
    }
    if ((all_integers(call) && is_one_of(name, integer)) || is_one_of(name, moves))
        return;
    if (is_one_of(name, absolute)) {
        refuse(l, cw_reason_operation);
        return;
    }
    if (!is_one_of(name, floats) && !(is_double(LLVMTypeOf(call)) && !strcmp(name, "sqrt"))) {
        refuse(l, is_integer(LLVMTypeOf(call)) ? cw_reason_call : cw_reason_function);
        return;
    }
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        uses(l, LLVMTypeOf(LLVMGetOperand(call, i)));
    l->computes = true;
}

/* ---- padding, in which a compiler may leave anything: PoCL does for each local size as it comes */

static bool is_padded(LLVMTargetDataRef data, LLVMTypeRef t)
{
    unsigned long long bytes = 0;
    bool padded = false;

    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        return LLVMGetVectorSize(t) == 3;
    if (LLVMGetTypeKind(t) == LLVMArrayTypeKind)
        return is_padded(data, LLVMGetElementType(t));
    if (LLVMGetTypeKind(t) != LLVMStructTypeKind)
        return false;
    for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++) {
        padded |= is_padded(data, LLVMStructGetTypeAtIndex(t, i));
        bytes += LLVMABISizeOfType(data, LLVMStructGetTypeAtIndex(t, i));
    }
    return padded || bytes != LLVMABISizeOfType(data, t);
}

static bool is_private(LLVMValueRef pointer)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == 0;
}

static void store(struct look *l, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(v, 0));

    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind && LLVMGetVectorSize(t) == 3 &&
        !is_private(LLVMGetOperand(v, 1)))
        refuse(l, cw_reason_padding);
}

/* A structure of the kernel's own goes to memory. */
static void copy(struct look *l, LLVMValueRef call)
{
    LLVMValueRef from = LLVMGetOperand(call, 1);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetCalledValue(call));

    while (LLVMIsABitCastInst(from) || LLVMIsAGetElementPtrInst(from))
        from = LLVMGetOperand(from, 0);
    if (LLVMIsAAllocaInst(from) && !is_private(LLVMGetOperand(call, 0)) &&
        is_padded(LLVMGetModuleDataLayout(module), LLVMGetAllocatedType(from)))
        refuse(l, cw_reason_padding);
}

static void intrinsic(struct look *l, LLVMValueRef call, const char *name)
{
    static const char *const harmless[] = {"llvm.lifetime.", "llvm.dbg.",   "llvm.memcpy.", "llvm.memmove.",
                                           "llvm.memset.",   "llvm.assume", "llvm.expect.", NULL};
    const char *const *at = harmless;

    if (!strncmp(name, "llvm.fmuladd.", 13)) {
        l->sums |= uses(l, LLVMTypeOf(call));
        l->products |= l->sums;
        return;
    }
    if (!strncmp(name, "llvm.memcpy.", 12))
        copy(l, call);
    while (*at && strncmp(name, *at, strlen(*at)))
        at++;
    if (!*at)
        refuse(l, cw_reason_call);
}

static void atomic(struct look *l, LLVMValueRef v, enum cw_merge merge)
{
    refuse(l, merge == CW_MERGE_NONE || LLVMGetFirstUse(v) ? cw_reason_atomic : l->why);
}

static void reach(struct look *l, LLVMValueRef f)
{
    for (int i = 0; i < l->n; i++)
        if (l->function[i] == f)
            return;
    if (l->n < FUNCTIONS)
        l->function[l->n++] = f;
    else
        refuse(l, cw_reason_large);
}

static void builtin(struct look *l, LLVMValueRef v, const char *name)
{
    static const char *const fences[] = {
        "mem_fence", "read_mem_fence", "write_mem_fence", "atomic_work_item_fence", "prefetch", NULL};
    struct cw_builtin b = cw_builtin_find(name);
    char plain[64];

    switch (b.kind) {
    case CW_BUILTIN_WORK_ITEM: /* get_global_size(3) is 1, but PoCL 3.1 says 0 */
        if (!LLVMIsAConstantInt(LLVMGetOperand(v, 0)) || LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0)) > 2)
            refuse(l, cw_reason_operation);
        break;
    case CW_BUILTIN_WORK_DIM:
    case CW_BUILTIN_GLOBAL_LINEAR_ID:
    case CW_BUILTIN_LOCAL_LINEAR_ID:
    case CW_BUILTIN_VLOAD:
    case CW_BUILTIN_VSTORE:
    case CW_BUILTIN_WAIT:
    case CW_BUILTIN_BARRIER:
        break;
    case CW_BUILTIN_COPY:
    case CW_BUILTIN_COPY_STRIDED:
        if (strstr(b.params, "Dv3_"))
            refuse(l, cw_reason_padding);
        break;
    case CW_BUILTIN_ATOMIC:
        atomic(l, v, cw_builtin_merge(&b));
        break;
    case CW_BUILTIN_PRINTF:
        refuse(l, cw_reason_printf);
        break;
    case CW_BUILTIN_PURE:
        if (!cw_builtin_plain_name(name, plain, sizeof plain) || !is_one_of(plain, fences))
            refuse(l, cw_reason_device);
        break;
    case CW_BUILTIN_READ_IMAGE:
    case CW_BUILTIN_IMAGE_SIZE:
        refuse(l, cw_reason_device);
        break;
    case CW_BUILTIN_WRITE_IMAGE:
        refuse(l, cw_reason_image);
        break;
    case CW_BUILTIN_MUL24:
    case CW_BUILTIN_MAD24:
        refuse(l, cw_reason_24);
        break;
    case CW_BUILTIN_VLOAD_HALF:
    case CW_BUILTIN_VSTORE_HALF:
        refuse(l, cw_reason_half);
        break;
    default:
        numbers(l, v, name);
    }
}

static void call(struct look *l, LLVMValueRef v)
{
    LLVMValueRef f = LLVMGetCalledValue(v);
    size_t length;
    const char *name;

    if (!LLVMIsAFunction(f)) {
        refuse(l, LLVMIsAInlineAsm(f) ? cw_reason_assembly : cw_reason_indirect);
        return;
    }
    name = LLVMGetValueName2(f, &length);
    if (!strncmp(name, "llvm.", 5))
        intrinsic(l, v, name);
    else if (!LLVMIsDeclaration(f))
        reach(l, f);
    else
        builtin(l, v, name);
}

/* ---- instructions */

static void compute(struct look *l, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(v, 0));
    unsigned precision = uses(l, t);

    l->computes = true;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMFAdd:
    case LLVMFSub:
        l->sums |= precision;
        break;
    case LLVMFMul:
        l->products |= precision;
        break;
    case LLVMFDiv:
        if (!is_double(t))
            refuse(l, cw_reason_division);
        break;
    default:
        break;
    }
}

static void cast(struct look *l, LLVMValueRef v)
{
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(v, 0)), to = LLVMTypeOf(v);

    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMBitCast:
        l->as_integers |= is_float(from) && is_integer(to);
        break;
    case LLVMSIToFP:
    case LLVMUIToFP:
        uses(l, to);
        break;
    case LLVMFPExt:
    case LLVMFPTrunc:
        uses(l, from);
        uses(l, to);
        l->computes = true;
        break;
    case LLVMFPToSI:
    case LLVMFPToUI:
        refuse(l, cw_reason_conversion);
        break;
    default: /* PtrToInt, IntToPtr */
        refuse(l, cw_reason_address);
    }
}

/* Every device does the same. */
static bool is_plain(LLVMOpcode op)
{
    static const LLVMOpcode plain[] = {LLVMAdd,
                                       LLVMSub,
                                       LLVMMul,
                                       LLVMShl,
                                       LLVMLShr,
                                       LLVMAShr,
                                       LLVMAnd,
                                       LLVMOr,
                                       LLVMXor,
                                       LLVMICmp,
                                       LLVMSelect,
                                       LLVMPHI,
                                       LLVMBr,
                                       LLVMSwitch,
                                       LLVMRet,
                                       LLVMAlloca,
                                       LLVMGetElementPtr,
                                       LLVMTrunc,
                                       LLVMZExt,
                                       LLVMSExt,
                                       LLVMAddrSpaceCast,
                                       LLVMExtractElement,
                                       LLVMInsertElement,
                                       LLVMShuffleVector,
                                       LLVMExtractValue,
                                       LLVMInsertValue,
                                       LLVMUnreachable,
                                       LLVMFreeze,
                                       LLVMFence};

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i] == op)
            return true;
    return false;
}

static void look_at(struct look *l, LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFCmp:
        compute(l, v);
        break;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        if (!may_divide(LLVMGetOperand(v, 1)))
            refuse(l, cw_reason_by_zero);
        break;
    case LLVMBitCast:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPExt:
    case LLVMFPTrunc:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        cast(l, v);
        break;
    case LLVMLoad:
        if (LLVMGetVolatile(v))
            refuse(l, cw_reason_volatile);
        break;
    case LLVMStore:
        store(l, v);
        break;
    case LLVMAtomicRMW:
        atomic(l, v,
               is_integer(LLVMTypeOf(v)) && LLVMGetAtomicRMWBinOp(v) != LLVMAtomicRMWBinOpXchg &&
                       LLVMGetAtomicRMWBinOp(v) != LLVMAtomicRMWBinOpNand
                   ? CW_MERGE_ADD
                   : CW_MERGE_NONE);
        break;
    case LLVMCall:
        call(l, v);
        break;
    case LLVMAtomicCmpXchg:
        refuse(l, cw_reason_atomic);
        break;
    default:
        if (!is_plain(LLVMGetInstructionOpcode(v)))
            refuse(l, cw_reason_operation);
    }
}

/* ---- kernels */

static void judge(struct look *l)
{
    for (int i = 0; i < l->n; i++)
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(l->function[i]); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
                look_at(l, v);
    if (l->sums & l->products)
        refuse(l, cw_reason_fused);
    if (l->computes && l->as_integers)
        refuse(l, cw_reason_bits);
}

static const char words[] = "clweave-inexact", number[] = "clweave-floats";

static void set(LLVMValueRef kernel, const char *key, const char *value)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));

    LLVMAddAttributeAtIndex(
        kernel, LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(c, key, (unsigned)strlen(key), value, (unsigned)strlen(value)));
}

void cw_exact_mark(LLVMModuleRef module, bool binary)
{
    static const char *const digit[] = {"0", "1", "2", "3"};
    struct look *l = malloc(sizeof *l);

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!cw_bitcode_is_kernel(f))
            continue;
        if (l)
            *l = (struct look){.function = {f}, .n = 1, .why = binary ? cw_reason_binary : NULL};
        if (l && !binary)
            judge(l);
        set(f, words, !l ? cw_reason_large : l->why ? l->why : "");
        set(f, number, digit[l ? l->floats & 3 : 3]);
    }
    free(l);
}

static const char *get(LLVMValueRef kernel, const char *key, unsigned *length)
{
    LLVMAttributeRef a =
        LLVMGetStringAttributeAtIndex(kernel, LLVMAttributeFunctionIndex, key, (unsigned)strlen(key));

    *length = 0;
    return a ? LLVMGetStringAttributeValue(a, length) : NULL;
}

void cw_exact_read(struct cw_model *m, LLVMValueRef kernel)
{
    unsigned length;
    const char *text = get(kernel, words, &length), *why = text ? cw_reason_find(text, length) : NULL;

    m->inexact = text && !length ? NULL : why ? why : cw_reason_call;
    text = get(kernel, number, &length);
    m->floats = length == 1 ? (unsigned)(*text - '0') : CW_MODEL_SINGLE | CW_MODEL_DOUBLE;
}
