/* place.c - pointers. See lift.h. */
#include "lift.h"

#include "../footprint/eval.h"

static void add(struct cw_places *to, struct cw_place p)
{
    for (int i = 0; i < to->n; i++) {
        if (to->v[i].base == p.base && to->v[i].offset == p.offset)
            return;
        if (to->v[i].base == CW_BASE_UNKNOWN)
            return;
    }
    if (p.base == CW_BASE_UNKNOWN || to->n == CW_MAX_PLACES) {
        to->n = 1;
        to->v[0] = (struct cw_place){CW_BASE_UNKNOWN, -1};
        return;
    }
    to->v[to->n++] = p;
}

static struct cw_places one(int base, int offset)
{
    return (struct cw_places){1, {{base, offset}}};
}

static struct cw_places argument(struct cw_lift *l, LLVMValueRef v)
{
    int a = cw_lift_argument(l, v);
    if (a < 0)
        return one(CW_BASE_UNKNOWN, -1);
    switch (l->m->arg[a].kind) {
    case CW_ARG_GLOBAL:
    case CW_ARG_CONSTANT:
    case CW_ARG_SCALAR: /* a struct by value */
        return one(a, cw_expr_const(&l->m->pool, 64, 0));
    case CW_ARG_LOCAL:
        return one(CW_BASE_PRIVATE, -1);
    default:
        return one(CW_BASE_UNKNOWN, -1);
    }
}

/* index * bytes, 64 bits, an index of another width being sign-extended. */
static int scaled(struct cw_lift *l, LLVMValueRef index, unsigned long long bytes)
{
    struct cw_expr_pool *p = &l->m->pool;
    int node = cw_lift_value(l, index, -1);
    enum cw_expr_op cast = !p->failed && p->node[node].width < 64 ? CW_EXPR_SEXT : CW_EXPR_TRUNC;
    int64_t value = 0;
    node = cw_expr_is_const(p, node, &value) ? cw_expr_const(p, 64, value) : cw_expr_unary(p, cast, 64, node);
    return cw_expr_binary(p, CW_EXPR_MUL, 64, node, cw_expr_const(p, 64, (int64_t)bytes));
}

/* The byte offset that a getelementptr adds; -1 when it is not understood. */
static int gep_offset(struct cw_lift *l, LLVMValueRef v)
{
    struct cw_expr_pool *p = &l->m->pool;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(v);
    int sum = cw_expr_const(p, 64, 0);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(v); i++) {
        LLVMValueRef index = LLVMGetOperand(v, i);
        int part;
        if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind)
            return -1;
        if (i == 1) {
            part = scaled(l, index, LLVMABISizeOfType(l->layout, type));
        } else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            part = cw_expr_const(p, 64, (int64_t)LLVMOffsetOfElement(l->layout, type, field));
            type = LLVMStructGetTypeAtIndex(type, field);
        } else {
            type = LLVMGetElementType(type);
            part = scaled(l, index, LLVMABISizeOfType(l->layout, type));
        }
        sum = cw_expr_binary(p, CW_EXPR_ADD, 64, sum, part);
    }
    return sum;
}

static struct cw_places shifted(struct cw_lift *l, LLVMValueRef v)
{
    struct cw_places from = cw_place_lift_pointer(l, LLVMGetOperand(v, 0)), to = {0};
    bool needed = false;
    for (int i = 0; i < from.n; i++)
        needed |= from.v[i].base >= 0;
    int offset = needed ? gep_offset(l, v) : -1;
    for (int i = 0; i < from.n; i++) {
        struct cw_place p = from.v[i];
        if (p.base >= 0)
            p.offset = p.offset < 0 || offset < 0
                           ? -1
                           : cw_expr_binary(&l->m->pool, CW_EXPR_ADD, 64, p.offset, offset);
        add(&to, p);
    }
    return to;
}

static void add_all(struct cw_places *to, struct cw_places from)
{
    for (int i = 0; i < from.n; i++)
        add(to, from.v[i]);
}

/* The one buffer that all places lie in; UNKNOWN when there are several. */
static int common_base(const struct cw_places *p)
{
    int base = p->n ? p->v[0].base : CW_BASE_UNKNOWN;
    for (int i = 1; i < p->n; i++)
        if (p->v[i].base != base)
            return CW_BASE_UNKNOWN;
    return base;
}

/* p += step in a loop: the offset is a counter like any other. That the pointer stays in the buffer where
 * it starts is assumed while `next` is followed (element -3 remembers the buffer, element -2 the offset's
 * placeholder). Expressions remembered meanwhile may rest on that, so when it proves wrong every pointer
 * of the kernel is given up. An offset that is not known, or another one by another way, is any of the
 * buffer. */
static struct cw_places header(struct cw_lift *l, LLVMValueRef v, int loop, LLVMValueRef start,
                               LLVMValueRef next)
{
    struct cw_expr_pool *p = &l->m->pool;
    struct cw_places from = cw_place_lift_pointer(l, start);
    int base = common_base(&from);
    cw_lift_remember(l, v, -3, base);
    if (base == CW_BASE_UNKNOWN)
        return one(base, -1);
    int placeholder = cw_expr_opaque(p, 64, loop);
    cw_lift_remember(l, v, -2, placeholder);
    struct cw_places after = cw_place_lift_pointer(l, next);
    if (common_base(&after) != base) {
        cw_lift_remember(l, v, -3, CW_BASE_UNKNOWN);
        l->pointers_failed = true;
        return one(CW_BASE_UNKNOWN, -1);
    }
    bool counts = base >= 0 && from.n == 1 && from.v[0].offset >= 0 && after.n == 1 && after.v[0].offset >= 0;
    int step = counts ? cw_eval_step(l->m, after.v[0].offset, placeholder, loop) : -1;
    if (step < 0) /* somewhere in the same buffer */
        return one(base, placeholder);
    int moved = cw_expr_binary(p, CW_EXPR_MUL, 64, step, cw_expr_loop(p, loop));
    cw_expr_forward(p, placeholder, cw_expr_binary(p, CW_EXPR_ADD, 64, from.v[0].offset, moved));
    return one(base, placeholder);
}

static struct cw_places phi(struct cw_lift *l, LLVMValueRef v)
{
    LLVMValueRef start, next;
    int placeholder, base, b = cw_cfg_block(l->cfg, LLVMGetInstructionParent(v)), own = l->cfg->loop_of[b];
    if (cw_lift_recall(l, v, -3, &base))
        return one(base, base >= 0 && cw_lift_recall(l, v, -2, &placeholder) ? placeholder : -1);
    int loop = cw_lift_header(l, v, &start, &next);
    if (loop >= 0)
        return header(l, v, loop, start, next);
    if (own >= 0 && l->cfg->loop[own].header == b)
        return one(CW_BASE_UNKNOWN, -1);
    struct cw_places to = {0};
    for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
        add_all(&to, cw_place_lift_pointer(l, LLVMGetIncomingValue(v, i)));
    return to;
}

/* In flat memory: a variable of local memory is the one that has no value at the beginning. */
static bool is_variable(LLVMValueRef v)
{
    LLVMValueRef value = LLVMGetInitializer(v);
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(v));
    return space == 1 || (space == 0 && !LLVMIsGlobalConstant(v) && !(value && LLVMIsUndef(value)));
}

bool cw_place_has_variables(LLVMModuleRef module)
{
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
        if (is_variable(v))
            return true;
    return false;
}

/* Looks into a table of constants, and into the objects that its pointers name. */
static bool names_variable(LLVMValueRef v, int depth)
{
    if (LLVMIsAGlobalVariable(v)) {
        if (is_variable(v))
            return true;
        v = LLVMGetInitializer(v);
    }
    if (!v || !LLVMIsAConstant(v) || LLVMIsAFunction(v))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (depth > 16 || names_variable(LLVMGetOperand(v, (unsigned)i), depth + 1))
            return true;
    return false;
}

bool cw_place_names_variable(LLVMValueRef instruction)
{
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
        if (names_variable(LLVMGetOperand(instruction, (unsigned)i), 0))
            return true;
    return false;
}

static struct cw_places global(LLVMValueRef v)
{
    return one(LLVMIsAFunction(v) ? CW_BASE_UNKNOWN : CW_BASE_PRIVATE, -1);
}

static struct cw_places follow(struct cw_lift *l, LLVMValueRef v)
{
    if (LLVMIsAArgument(v))
        return argument(l, v);
    if (LLVMIsAGlobalVariable(v) || LLVMIsAFunction(v))
        return global(v);
    if (LLVMIsNull(v) || LLVMIsUndef(v))
        return one(CW_BASE_PRIVATE, -1); /* to touch it is undefined */
    LLVMOpcode op;
    if (LLVMIsAInstruction(v))
        op = LLVMGetInstructionOpcode(v);
    else if (LLVMIsAConstantExpr(v))
        op = LLVMGetConstOpcode(v);
    else
        return one(CW_BASE_UNKNOWN, -1);
    switch (op) {
    case LLVMAlloca:
        return one(CW_BASE_PRIVATE, -1);
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
        return cw_place_lift_pointer(l, LLVMGetOperand(v, 0));
    case LLVMGetElementPtr:
        return shifted(l, v);
    case LLVMPHI:
        return phi(l, v);
    case LLVMSelect: {
        struct cw_places to = cw_place_lift_pointer(l, LLVMGetOperand(v, 1));
        add_all(&to, cw_place_lift_pointer(l, LLVMGetOperand(v, 2)));
        return to;
    }
    default: /* loaded from memory, made from an integer, returned by a function ... */
        return one(CW_BASE_UNKNOWN, -1);
    }
}

struct cw_places cw_place_lift_pointer(struct cw_lift *l, LLVMValueRef v)
{
    if (l->depth > 1000 || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
        return one(CW_BASE_UNKNOWN, -1);
    l->depth++;
    struct cw_places p = follow(l, v);
    l->depth--;
    return p;
}
