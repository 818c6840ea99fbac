/* effect.c - the effect of one instruction on the buffers. */
#include "access_internal.h"
#include "../footprint/builtin.h"
#include "../footprint/reason.h"
#include "access.h"

#include <string.h>

/* Whether an asynchronous copy is waited for.
 *
 * A kernel that ends without wait_group_events for a copy is undefined, and devices differ: PoCL copies at
 * once, Oclgrind copies at the wait. So only copies with a visible wait count as written for certain. Seen
 * means: within the copy's basic block, the event goes into one variable, and the wait names that variable
 * and one event (further ones would be unknown). In between the variable may only be given to a further copy,
 * which then shares the event. */

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

/* Whether the asynchronous copy (a call of async_work_group_copy or its strided sister) is seen to be waited
 * for. */
static bool wait_copy_is_awaited(LLVMValueRef copy)
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

/* An access in the making: kind, bytes and the like, everything but where. */
static void add_access(struct reader *r, int block, LLVMValueRef pointer, int extra_offset,
                       struct cw_access a)
{
    struct cw_places at = cw_place_lift_pointer(&r->lift, pointer);
    const char *own_doubt = a.doubt;
    for (int i = 0; i < at.n; i++) {
        struct cw_place p = at.v[i];
        if (p.base == CW_BASE_UNKNOWN)
            cw_model_unknown(r->m, a.kind, cw_reason_origin);
        if (p.base < 0 || r->m->arg[p.base].kind == CW_ARG_SCALAR)
            continue;
        if (r->m->arg[p.base].kind == CW_ARG_IMAGE) {
            r->m->arg[p.base].placed = r->m->arg[p.base].placed_reads = false;
            continue;
        }
        const struct block_guards *b = cw_guard_of_block(r, block);
        const char *doubt = cw_guard_doubt(r, block);
        a.arg = p.base;
        a.guards = b->guards;
        a.loop = r->cfg.loop_of[block];
        if (at.n > 1)
            doubt = cw_reason_several;
        a.doubt = own_doubt ? own_doubt : doubt;
        a.offset = p.offset;
        if (p.offset >= 0 && extra_offset >= 0)
            a.offset = cw_expr_binary(&r->m->pool, CW_EXPR_ADD, 64, p.offset, extra_offset);
        cw_branch_add_access(r, &a, block);
    }
}

static struct cw_access plain(unsigned kind, int64_t may, int64_t must)
{
    return (struct cw_access){.kind = kind,
                              .bytes_may = may,
                              .bytes_must = must,
                              .count = -1,
                              .stride = -1,
                              .atomic = cw_builtin_atomic("", 0),
                              .value = -1};
}

static int64_t may_bytes(struct reader *r, LLVMTypeRef t)
{
    return (int64_t)LLVMABISizeOfType(r->lift.layout, t);
}

static int64_t must_bytes(struct reader *r, LLVMTypeRef t)
{
    return (int64_t)LLVMStoreSizeOfType(r->lift.layout, t);
}

/* In flat memory a vector of three is stored as one of four, whose last element may be left out. */
static bool may_be_padded(struct reader *r, int block, LLVMTypeRef t)
{
    LLVMValueRef kernel = LLVMGetBasicBlockParent(r->cfg.block[block]);
    return cw_bitcode_is_flat(LLVMGetGlobalParent(kernel)) && LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
           LLVMGetVectorSize(t) == 4;
}

/* `value`: the stored value, NULL for a load */
static void whole_type(struct reader *r, int block, LLVMValueRef pointer, LLVMTypeRef t, LLVMValueRef value)
{
    struct cw_access a = plain(value ? CW_ACCESS_WRITE : CW_ACCESS_READ, may_bytes(r, t), must_bytes(r, t));
    if (value && a.bytes_may == a.bytes_must)
        a.value = cw_stored_value(r, value, a.bytes_may);
    if (LLVMGetTypeKind(t) == LLVMStructTypeKind || LLVMGetTypeKind(t) == LLVMArrayTypeKind ||
        may_be_padded(r, block, t))
        a.doubt = cw_reason_padding;
    else if (value && cw_stored_keeps(r, value, pointer))
        a.doubt = cw_reason_keeps;
    add_access(r, block, pointer, -1, a);
}

static void atomic(struct reader *r, int block, LLVMValueRef v, LLVMValueRef pointer, int64_t bytes,
                   const char *name, enum cw_merge merge)
{
    struct cw_access a = plain(CW_ACCESS_READ | CW_ACCESS_WRITE | CW_ACCESS_ATOMIC, bytes, bytes);
    a.atomic = name;
    a.merge = merge;
    a.result_used = LLVMGetFirstUse(v) != NULL;
    add_access(r, block, pointer, -1, a);
}

/* memcpy, memmove, memset: operands destination, source or value, length */
static void memory_intrinsic(struct reader *r, int block, LLVMValueRef v, bool copies)
{
    LLVMValueRef n = LLVMGetOperand(v, 2);
    if (!LLVMIsAConstantInt(n)) {
        cw_model_unknown(r->m, CW_ACCESS_READ | CW_ACCESS_WRITE, cw_reason_length);
        return;
    }
    int64_t bytes = (int64_t)LLVMConstIntGetZExtValue(n);
    struct cw_access to = plain(CW_ACCESS_WRITE, bytes, bytes), from = plain(CW_ACCESS_READ, bytes, bytes);
    to.doubt = cw_reason_padding;
    if (copies)
        add_access(r, block, LLVMGetOperand(v, 1), -1, from);
    add_access(r, block, LLVMGetOperand(v, 0), -1, to);
}

static void intrinsic(struct reader *r, int block, LLVMValueRef v, const char *name)
{
    if (!strncmp(name, "llvm.memcpy.", 12) || !strncmp(name, "llvm.memmove.", 13))
        memory_intrinsic(r, block, v, true);
    else if (!strncmp(name, "llvm.memset.", 12))
        memory_intrinsic(r, block, v, false);
    else
        for (unsigned i = 0; i < LLVMGetNumArgOperands(v);
             i++) { /* e.g. masked loads; lifetime, assume touch none */
            bool pointer = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, i))) == LLVMPointerTypeKind;
            if (pointer && strncmp(name, "llvm.lifetime.", 14) && strncmp(name, "llvm.invariant.", 15))
                cw_model_unknown(r->m, CW_ACCESS_READ | CW_ACCESS_WRITE, cw_reason_call);
        }
}

/* vloadN(offset, p), vstoreN(data, offset, p): N elements from p + offset * N elements on. A compiler for a
 * processor hands a small vector over as one number of its size, and a large one in memory, whose address is
 * the first argument: the element is known by the name. */
static void vector_access(struct reader *r, int block, LLVMValueRef v, const struct cw_builtin *b)
{
    bool store = b->kind == CW_BUILTIN_VSTORE || b->kind == CW_BUILTIN_VSTORE_HALF;
    bool half = b->kind == CW_BUILTIN_VLOAD_HALF || b->kind == CW_BUILTIN_VSTORE_HALF;
    unsigned at = store || LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind; /* of the offset */
    int64_t element = half ? 2 : cw_builtin_pointee_bytes(b->params);
    struct cw_expr_pool *p = &r->m->pool;
    int index = cw_expr_unary(p, CW_EXPR_ZEXT, 64, cw_lift_value(&r->lift, LLVMGetOperand(v, at), -1));
    int offset = cw_expr_binary(p, CW_EXPR_MUL, 64, index, cw_expr_const(p, 64, element * b->element_stride));
    /* of a vector of three that is aligned as one of four, vendors may touch the fourth, too: PoCL stores a
     * zero there */
    struct cw_access a =
        plain(store ? CW_ACCESS_WRITE : CW_ACCESS_READ, element * b->element_stride, element * b->elements);
    if (b->element_stride != b->elements)
        a.doubt = cw_reason_padding;
    if (element)
        add_access(r, block, LLVMGetOperand(v, at + 1), offset, a);
    else
        cw_model_unknown(r->m, CW_ACCESS_READ | CW_ACCESS_WRITE, cw_reason_length);
}

/* async_work_group_copy(dst, src, n, event), strided: (dst, src, n, stride, event); the stride counts
 * elements of the global pointer, whichever of the two that is. All work-items of a group do the same copy.
 */
static void group_copy(struct reader *r, int block, LLVMValueRef v, const struct cw_builtin *b)
{
    struct cw_expr_pool *p = &r->m->pool;
    int64_t element = cw_builtin_pointee_bytes(b->params);
    int count = cw_expr_unary(p, CW_EXPR_ZEXT, 64, cw_lift_value(&r->lift, LLVMGetOperand(v, 2), -1));
    int stride = cw_expr_const(p, 64, element);
    if (element == 0) {
        cw_model_unknown(r->m, CW_ACCESS_READ | CW_ACCESS_WRITE, cw_reason_length);
        return;
    }
    if (b->kind == CW_BUILTIN_COPY_STRIDED)
        stride = cw_expr_binary(
            p, CW_EXPR_MUL, 64, stride,
            cw_expr_unary(p, CW_EXPR_ZEXT, 64, cw_lift_value(&r->lift, LLVMGetOperand(v, 3), -1)));
    for (unsigned i = 0; i < 2; i++) {
        struct cw_access a = plain(i ? CW_ACCESS_READ : CW_ACCESS_WRITE, element, element);
        a.count = count;
        a.stride = stride;
        if (strstr(b->params, "Dv3_"))
            a.doubt = cw_reason_padding;
        if (!wait_copy_is_awaited(v))
            a.doubt = cw_reason_wait;
        add_access(r, block, LLVMGetOperand(v, i), -1, a);
    }
}

static void out_pointer(struct reader *r, int block, LLVMValueRef v, const struct cw_builtin *b)
{
    LLVMValueRef pointer = LLVMGetOperand(v, LLVMGetNumArgOperands(v) - 1);
    int64_t bytes = cw_builtin_pointee_bytes(b->params);
    if (bytes == 0)
        cw_model_unknown(r->m, CW_ACCESS_WRITE, cw_reason_call);
    struct cw_access a = plain(CW_ACCESS_WRITE, bytes, bytes);
    a.doubt = cw_reason_math;
    add_access(r, block, pointer, -1, a);
}

/* Compare-exchange has a second pointer: the expected value, read and written. */
static void atomic_function(struct reader *r, int block, LLVMValueRef v, const struct cw_builtin *b)
{
    int64_t bytes = cw_builtin_pointee_bytes(b->params);
    if (!strncmp(b->name, "atomic_flag", 11))
        bytes = 4;
    if (bytes == 0)
        cw_model_unknown(r->m, CW_ACCESS_READ | CW_ACCESS_WRITE, cw_reason_call);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(v); i++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, i))) == LLVMPointerTypeKind)
            atomic(r, block, v, LLVMGetOperand(v, i), bytes, b->name, cw_builtin_merge(b));
}

static bool has_no_effect(LLVMValueRef function)
{
    unsigned readnone = LLVMGetEnumAttributeKindForName("readnone", 8),
             memory = LLVMGetEnumAttributeKindForName("memory", 6);
    if (readnone && LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, readnone))
        return true;
    LLVMAttributeRef a =
        memory ? LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, memory) : NULL;
    return a && LLVMGetEnumAttributeValue(a) == 0; /* memory(none), LLVM 16 on */
}

/* Why a function without a body is not understood. clang calls those of pipes __read_pipe_2 and the like. */
static const char *unknown_function(const char *name)
{
    bool queue =
        strstr(name, "enqueue_kernel") || strstr(name, "get_default_queue") || strstr(name, "ndrange_");
    return strstr(name, "_pipe") ? cw_reason_pipe : queue ? cw_reason_enqueue : cw_reason_call;
}

/* It may do anything with what it gets. */
static void call_unknown(struct reader *r, LLVMValueRef v, const char *why)
{
    cw_pixel_hand_on(r, v);
    cw_model_unknown(r->m, CW_ACCESS_READ | CW_ACCESS_WRITE, why);
}

static void call(struct reader *r, int block, LLVMValueRef v)
{
    LLVMValueRef f = LLVMGetCalledValue(v);
    unsigned both = CW_ACCESS_READ | CW_ACCESS_WRITE;
    if (!LLVMIsAFunction(f)) {
        call_unknown(r, v, LLVMIsAInlineAsm(f) ? cw_reason_assembly : cw_reason_indirect);
        return;
    }
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    if (!strncmp(name, "llvm.", 5)) {
        if (!has_no_effect(f))
            intrinsic(r, block, v, name);
        return;
    }
    if (!LLVMIsDeclaration(f)) {
        call_unknown(r, v, cw_reason_call);
        return;
    }
    struct cw_builtin b = cw_builtin_find(name);
    switch (b.kind) {
    case CW_BUILTIN_UNKNOWN:
        cw_pixel_hand_on(r, v);
        if (!has_no_effect(f))
            cw_model_unknown(r->m, both, unknown_function(name));
        break;
    case CW_BUILTIN_VLOAD:
    case CW_BUILTIN_VSTORE:
    case CW_BUILTIN_VLOAD_HALF:
    case CW_BUILTIN_VSTORE_HALF:
        vector_access(r, block, v, &b);
        break;
    case CW_BUILTIN_ATOMIC:
        atomic_function(r, block, v, &b);
        break;
    case CW_BUILTIN_COPY:
    case CW_BUILTIN_COPY_STRIDED:
        group_copy(r, block, v, &b);
        break;
    case CW_BUILTIN_OUT_POINTER:
        out_pointer(r, block, v, &b);
        break;
    case CW_BUILTIN_BARRIER:
        r->m->barriers = true;
        break;
    case CW_BUILTIN_PRINTF:
        r->m->prints = true;
        break;
    case CW_BUILTIN_READ_IMAGE:
    case CW_BUILTIN_WRITE_IMAGE:
        cw_pixel_access(r, block, v, &b);
        break;
    case CW_BUILTIN_IMAGE_SIZE:
        break;
    default:
        cw_pixel_hand_on(r, v);
        break;
    }
}

static enum cw_merge merge_of(LLVMValueRef v)
{
    switch (LLVMGetAtomicRMWBinOp(v)) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
        return CW_MERGE_ADD;
    case LLVMAtomicRMWBinOpAnd:
        return CW_MERGE_AND;
    case LLVMAtomicRMWBinOpOr:
        return CW_MERGE_OR;
    case LLVMAtomicRMWBinOpXor:
        return CW_MERGE_XOR;
    case LLVMAtomicRMWBinOpMin:
        return CW_MERGE_SMIN;
    case LLVMAtomicRMWBinOpMax:
        return CW_MERGE_SMAX;
    case LLVMAtomicRMWBinOpUMin:
        return CW_MERGE_UMIN;
    case LLVMAtomicRMWBinOpUMax:
        return CW_MERGE_UMAX;
    default:
        return CW_MERGE_NONE;
    }
}

/* ---- work-groups */

/* In the names of functions that tell of work-groups, or act in them, and of vendors' own such. */
static const char *const of_groups[] = {"group", "local", "barrier", "lane", "simd", NULL};

static bool is_of_groups(LLVMValueRef f)
{
    char plain[64];
    size_t length;
    const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &length) : "";
    bool found = false;

    if (!strncmp(name, "llvm.", 5))
        return false;
    if (!LLVMIsAFunction(f) || !LLVMIsDeclaration(f) || !cw_builtin_plain_name(name, plain, sizeof plain) ||
        (cw_builtin_find(name).kind == CW_BUILTIN_UNKNOWN && !has_no_effect(f)))
        return true;
    for (int i = 0; of_groups[i] && !found; i++)
        found = strcasestr(plain, of_groups[i]);
    return found;
}

/* The value names a variable, which may be a work-group's. */
static bool is_variable(LLVMValueRef v, int depth)
{
    bool parts = LLVMIsAConstantExpr(v) || LLVMIsAConstantVector(v) || LLVMIsAConstantStruct(v) ||
                 LLVMIsAConstantArray(v);
    bool found = LLVMIsAGlobalVariable(v) && !LLVMIsGlobalConstant(v);
    int n = parts ? LLVMGetNumOperands(v) : 0;

    for (int i = 0; i < n && !found; i++)
        found = !depth || is_variable(LLVMGetOperand(v, (unsigned)i), depth - 1);
    return found;
}

static bool sees_groups(LLVMValueRef v)
{
    bool call = LLVMIsACallInst(v), found = call && is_of_groups(LLVMGetCalledValue(v));
    int n = LLVMGetNumOperands(v) - call;

    for (int i = 0; i < n && !found; i++)
        found = is_variable(LLVMGetOperand(v, (unsigned)i), 4);
    return found;
}

void cw_effect_read_instruction(struct reader *r, LLVMValueRef v, int block)
{
    r->m->groups |= sees_groups(v);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
        whole_type(r, block, LLVMGetOperand(v, 0), LLVMTypeOf(v), NULL);
        break;
    case LLVMStore:
        whole_type(r, block, LLVMGetOperand(v, 1), LLVMTypeOf(LLVMGetOperand(v, 0)), LLVMGetOperand(v, 0));
        break;
    case LLVMAtomicRMW:
        atomic(r, block, v, LLVMGetOperand(v, 0), may_bytes(r, LLVMTypeOf(v)),
               cw_builtin_atomic("atomicrmw", 9), merge_of(v));
        break;
    case LLVMAtomicCmpXchg:
        atomic(r, block, v, LLVMGetOperand(v, 0), may_bytes(r, LLVMTypeOf(LLVMGetOperand(v, 1))),
               cw_builtin_atomic("cmpxchg", 7), CW_MERGE_NONE);
        break;
    case LLVMVAArg:
    case LLVMInvoke:
    case LLVMCallBr:
        cw_model_unknown(r->m, CW_ACCESS_READ | CW_ACCESS_WRITE, cw_reason_call);
        break;
    case LLVMCall:
        call(r, block, v);
        break;
    default:
        break;
    }
}
