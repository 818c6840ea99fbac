/* lift.c - integer values. See lift.h. */
#include "lift.h"

#include "builtin.h"
#include "eval.h"

#include <string.h>

enum { MAX_DEPTH = 4000 };

int cw_lift_argument(const struct cw_lift *l, LLVMValueRef v)
{
    if (!LLVMIsAArgument(v))
        return -1;
    for (int i = 0; i < l->m->args; i++)
        if (LLVMGetParam(l->function, (unsigned)i) == v)
            return i;
    return -1;
}

int cw_lift_loop_of(const struct cw_lift *l, LLVMValueRef v)
{
    int b = LLVMIsAInstruction(v) ? cw_cfg_block(l->cfg, LLVMGetInstructionParent(v)) : -1;
    return b < 0 ? -1 : l->cfg->loop_of[b];
}

int cw_lift_header(const struct cw_lift *l, LLVMValueRef phi, LLVMValueRef *start, LLVMValueRef *next)
{
    int b = cw_cfg_block(l->cfg, LLVMGetInstructionParent(phi)), loop = l->cfg->loop_of[b];
    if (loop < 0 || l->cfg->loop[loop].header != b || l->cfg->loop[loop].latch < 0 || LLVMCountIncoming(phi) != 2)
        return -1;
    unsigned late = cw_cfg_block(l->cfg, LLVMGetIncomingBlock(phi, 1)) == l->cfg->loop[loop].latch;
    if (cw_cfg_block(l->cfg, LLVMGetIncomingBlock(phi, late)) != l->cfg->loop[loop].latch)
        return -1;
    *next = LLVMGetIncomingValue(phi, late);
    *start = LLVMGetIncomingValue(phi, !late);
    return loop;
}

/* ---- integers */

static int width_of(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    unsigned w = LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
    return w <= 64 ? (int)w : 0;
}

static int opaque(struct cw_lift *l, LLVMValueRef v)
{
    int w = width_of(v);
    return cw_expr_opaque(&l->m->pool, w ? w : 64, cw_lift_loop_of(l, v));
}

static int operand(struct cw_lift *l, LLVMValueRef v, unsigned i, int lane)
{
    return cw_lift_value(l, LLVMGetOperand(v, i), lane);
}

static int binary(struct cw_lift *l, LLVMValueRef v, int lane, enum cw_expr_op op)
{
    int a = operand(l, v, 0, lane), b = operand(l, v, 1, lane);
    return cw_expr_binary(&l->m->pool, op, width_of(v), a, b);
}

static int subtract(struct cw_lift *l, LLVMValueRef v, int lane)
{
    int w = width_of(v), a = operand(l, v, 0, lane), b = operand(l, v, 1, lane);
    int minus = cw_expr_binary(&l->m->pool, CW_EXPR_MUL, w, b, cw_expr_const(&l->m->pool, w, -1));
    return cw_expr_binary(&l->m->pool, CW_EXPR_ADD, w, a, minus);
}

/* x << c is x * 2^c; (x << c) >> c (arithmetic) is the sign extension of the low bits. */
static int shift(struct cw_lift *l, LLVMValueRef v, int lane, enum cw_expr_op op)
{
    struct cw_expr_pool *p = &l->m->pool;
    int w = width_of(v), a = operand(l, v, 0, lane), b = operand(l, v, 1, lane);
    int64_t by = 0, factor = 0;
    if (cw_expr_is_const(p, b, &by) && by > 0 && by < w) {
        int64_t power = (int64_t)(UINT64_C(1) << by);
        struct cw_expr x = p->node[cw_expr_resolve(p, a)];
        if (op == CW_EXPR_SHL)
            return cw_expr_binary(p, CW_EXPR_MUL, w, a, cw_expr_const(p, w, power));
        if (op == CW_EXPR_ASHR && x.op == CW_EXPR_MUL && cw_expr_is_const(p, x.b, &factor) &&
            factor == cw_expr_wrap(power, w))
            return cw_expr_unary(p, CW_EXPR_SEXT, w, cw_expr_unary(p, CW_EXPR_TRUNC, w - (int)by, x.a));
    }
    return cw_expr_binary(p, op, w, a, b);
}

/* x & 0xffffffff is a conversion to 32 bits and back. */
static int mask(struct cw_lift *l, LLVMValueRef v, int lane)
{
    struct cw_expr_pool *p = &l->m->pool;
    int64_t bits = 0;
    int w = width_of(v), a = operand(l, v, 0, lane), b = operand(l, v, 1, lane);
    if (w == 64 && cw_expr_is_const(p, b, &bits) && bits == UINT32_MAX)
        return cw_expr_unary(p, CW_EXPR_ZEXT, 64, cw_expr_unary(p, CW_EXPR_TRUNC, 32, a));
    return cw_expr_binary(p, CW_EXPR_AND, w, a, b);
}

static int compare(struct cw_lift *l, LLVMValueRef v, int lane)
{
    if (!width_of(LLVMGetOperand(v, 0)))
        return opaque(l, v);
    int a = operand(l, v, 0, lane), b = operand(l, v, 1, lane);
    return cw_expr_compare(&l->m->pool, (enum cw_expr_cmp)(LLVMGetICmpPredicate(v) - LLVMIntEQ), a, b);
}

/* a < b ? a : b and its relatives are minima and maxima. */
static int select_value(struct cw_lift *l, LLVMValueRef v, int lane)
{
    struct cw_expr_pool *p = &l->m->pool;
    LLVMValueRef cond = LLVMGetOperand(v, 0);
    bool vector = LLVMGetTypeKind(LLVMTypeOf(cond)) == LLVMVectorTypeKind;
    int c = cw_lift_value(l, cond, vector ? lane : -1), yes = operand(l, v, 1, lane), no = operand(l, v, 2, lane);
    struct cw_expr x = p->node[cw_expr_resolve(p, c)];
    if (p->failed)
        return 0;
    bool straight = x.op == CW_EXPR_CMP && x.a == yes && x.b == no, crossed = x.op == CW_EXPR_CMP && x.a == no && x.b == yes;
    if (x.op == CW_EXPR_CMP && x.dim >= CW_CMP_UGT && (straight || crossed)) {
        bool is_signed = x.dim >= CW_CMP_SGT, greater = (x.dim - CW_CMP_UGT) % 4 < 2;
        bool max = greater == straight;
        return cw_expr_binary(p, is_signed ? (max ? CW_EXPR_SMAX : CW_EXPR_SMIN) : (max ? CW_EXPR_UMAX : CW_EXPR_UMIN),
                              width_of(v), yes, no);
    }
    return cw_expr_select(p, width_of(v), c, yes, no);
}

static int phi(struct cw_lift *l, LLVMValueRef v, int lane)
{
    struct cw_expr_pool *p = &l->m->pool;
    LLVMValueRef start, next;
    int b = cw_cfg_block(l->cfg, LLVMGetInstructionParent(v)), own = l->cfg->loop_of[b];
    if (own < 0 || l->cfg->loop[own].header != b) { /* where ways meet */
        int value = cw_lift_value(l, LLVMGetIncomingValue(v, 0), lane);
        for (unsigned i = 1; i < LLVMCountIncoming(v); i++)
            value = cw_expr_choice(p, width_of(v), value, cw_lift_value(l, LLVMGetIncomingValue(v, i), lane));
        return value;
    }
    int placeholder = opaque(l, v), loop = cw_lift_header(l, v, &start, &next);
    cw_lift_remember(l, v, lane, placeholder);
    if (loop < 0)
        return placeholder;
    int first = cw_lift_value(l, start, lane), after = cw_lift_value(l, next, lane);
    int step = cw_eval_step(l->m, after, placeholder, loop);
    if (step < 0)
        return placeholder;
    int w = width_of(v), k = cw_expr_unary(p, CW_EXPR_TRUNC, w, cw_expr_loop(p, loop));
    int meaning = cw_expr_binary(p, CW_EXPR_ADD, w, first, cw_expr_binary(p, CW_EXPR_MUL, w, step, k));
    cw_expr_forward(p, placeholder, meaning);
    return meaning;
}

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
        sum = cw_expr_binary(p, CW_EXPR_ADD, 64, sum, local ? id : cw_expr_binary(p, CW_EXPR_ADD, 64, id, minus));
    }
    return sum;
}

static int work_item(struct cw_lift *l, LLVMValueRef v, enum cw_expr_op op)
{
    LLVMValueRef dim = LLVMGetOperand(v, 0);
    struct cw_expr_pool *p = &l->m->pool;
    bool size = op == CW_EXPR_GLOBAL_SIZE || op == CW_EXPR_LOCAL_SIZE || op == CW_EXPR_ENQUEUED_LOCAL_SIZE ||
                op == CW_EXPR_NUM_GROUPS;
    int leaf;
    if (!LLVMIsAConstantInt(dim))
        return opaque(l, v);
    unsigned long long d = LLVMConstIntGetZExtValue(dim);
    leaf = d < 3 ? cw_expr_leaf(p, op, 64, (int)d) : cw_expr_const(p, 64, size);
    return cw_expr_unary(p, CW_EXPR_TRUNC, width_of(v), leaf);
}

static int integer_function(struct cw_lift *l, LLVMValueRef v, int lane, const struct cw_builtin *b)
{
    struct cw_expr_pool *p = &l->m->pool;
    int w = width_of(v), x[3] = {0};
    for (unsigned i = 0; i < 3 && i < LLVMGetNumArgOperands(v); i++) {
        bool vector = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, i))) == LLVMVectorTypeKind;
        x[i] = operand(l, v, i, vector ? lane : -1);
    }
    enum cw_expr_op min = b->is_signed ? CW_EXPR_SMIN : CW_EXPR_UMIN, max = b->is_signed ? CW_EXPR_SMAX : CW_EXPR_UMAX;
    switch (b->kind) {
    case CW_BUILTIN_MIN:
        return cw_expr_binary(p, min, w, x[0], x[1]);
    case CW_BUILTIN_MAX:
        return cw_expr_binary(p, max, w, x[0], x[1]);
    case CW_BUILTIN_CLAMP:
        return cw_expr_binary(p, min, w, cw_expr_binary(p, max, w, x[0], x[1]), x[2]);
    default: {
        struct cw_expr e = {.op = CW_EXPR_MUL24, .width = (uint8_t)w, .dim = b->is_signed, .a = x[0], .b = x[1], .c = -1};
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
    } known[] = {{"llvm.smin.", CW_EXPR_SMIN}, {"llvm.smax.", CW_EXPR_SMAX}, {"llvm.umin.", CW_EXPR_UMIN},
                 {"llvm.umax.", CW_EXPR_UMAX}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(name, known[i].name, strlen(known[i].name)))
            return binary(l, v, lane, known[i].op);
    return opaque(l, v);
}

static int call(struct cw_lift *l, LLVMValueRef v, int lane)
{
    LLVMValueRef callee = LLVMGetCalledValue(v);
    if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) || LLVMIsAInvokeInst(v))
        return opaque(l, v);
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
        return opaque(l, v);
    }
}

/* A read-only by-value struct argument: its fields are scalars of the launch. */
static int load(struct cw_lift *l, LLVMValueRef v)
{
    struct cw_places at = cw_lift_pointer(l, LLVMGetOperand(v, 0));
    int64_t offset;
    if (at.n != 1 || at.v[0].base < 0 || at.v[0].offset < 0 || l->m->arg[at.v[0].base].kind != CW_ARG_SCALAR ||
        LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || width_of(v) % 8 ||
        !cw_expr_is_const(&l->m->pool, at.v[0].offset, &offset))
        return opaque(l, v);
    return cw_expr_arg(&l->m->pool, width_of(v), at.v[0].base, offset);
}

static int extract(struct cw_lift *l, LLVMValueRef v)
{
    LLVMValueRef index = LLVMGetOperand(v, 1);
    if (!LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index) > 15)
        return opaque(l, v);
    return operand(l, v, 0, (int)LLVMConstIntGetZExtValue(index));
}

static int insert(struct cw_lift *l, LLVMValueRef v, int lane)
{
    LLVMValueRef index = LLVMGetOperand(v, 2);
    if (!LLVMIsAConstantInt(index))
        return opaque(l, v);
    return (int)LLVMConstIntGetZExtValue(index) == lane ? operand(l, v, 1, -1) : operand(l, v, 0, lane);
}

static int shuffle(struct cw_lift *l, LLVMValueRef v, int lane)
{
    int from = LLVMGetMaskValue(v, (unsigned)lane), size = (int)LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
    if (from < 0) /* undefined */
        return opaque(l, v);
    return from < size ? operand(l, v, 0, from) : operand(l, v, 1, from - size);
}

static int instruction(struct cw_lift *l, LLVMValueRef v, int lane)
{
    static const enum cw_expr_op same_op[] = {
        [LLVMAdd] = CW_EXPR_ADD,   [LLVMMul] = CW_EXPR_MUL,   [LLVMUDiv] = CW_EXPR_UDIV,
        [LLVMSDiv] = CW_EXPR_SDIV, [LLVMURem] = CW_EXPR_UREM, [LLVMSRem] = CW_EXPR_SREM,
        [LLVMOr] = CW_EXPR_OR,     [LLVMXor] = CW_EXPR_XOR,
    };
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op < sizeof same_op / sizeof *same_op && same_op[op])
        return binary(l, v, lane, same_op[op]);
    switch (op) {
    case LLVMSub:
        return subtract(l, v, lane);
    case LLVMShl:
        return shift(l, v, lane, CW_EXPR_SHL);
    case LLVMLShr:
        return shift(l, v, lane, CW_EXPR_LSHR);
    case LLVMAShr:
        return shift(l, v, lane, CW_EXPR_ASHR);
    case LLVMAnd:
        return mask(l, v, lane);
    case LLVMTrunc:
        return cw_expr_unary(&l->m->pool, CW_EXPR_TRUNC, width_of(v), operand(l, v, 0, lane));
    case LLVMZExt:
        return cw_expr_unary(&l->m->pool, CW_EXPR_ZEXT, width_of(v), operand(l, v, 0, lane));
    case LLVMSExt:
        return cw_expr_unary(&l->m->pool, CW_EXPR_SEXT, width_of(v), operand(l, v, 0, lane));
    case LLVMFreeze:
        return operand(l, v, 0, lane);
    case LLVMICmp:
        return compare(l, v, lane);
    case LLVMSelect:
        return select_value(l, v, lane);
    case LLVMPHI:
        return phi(l, v, lane);
    case LLVMCall:
        return call(l, v, lane);
    case LLVMLoad:
        return lane < 0 ? load(l, v) : opaque(l, v);
    case LLVMExtractElement:
        return extract(l, v);
    case LLVMInsertElement:
        return lane < 0 ? opaque(l, v) : insert(l, v, lane);
    case LLVMShuffleVector:
        return lane < 0 ? opaque(l, v) : shuffle(l, v, lane);
    default:
        return opaque(l, v);
    }
}

static int constant(struct cw_lift *l, LLVMValueRef v, int lane)
{
    if (lane >= 0) {
        LLVMValueRef c = LLVMIsAConstantVector(v) ? LLVMGetOperand(v, (unsigned)lane)
                         : LLVMIsAConstantDataVector(v) ? LLVMGetElementAsConstant(v, (unsigned)lane) : NULL;
        if (!c && LLVMIsNull(v))
            return cw_expr_const(&l->m->pool, width_of(v), 0);
        return c ? cw_lift_value(l, c, -1) : opaque(l, v);
    }
    if (!LLVMIsAConstantInt(v))
        return opaque(l, v);
    return cw_expr_const(&l->m->pool, width_of(v), (int64_t)LLVMConstIntGetZExtValue(v));
}

static int argument(struct cw_lift *l, LLVMValueRef v, int lane)
{
    int a = cw_lift_argument(l, v), w = width_of(v);
    if (a < 0 || w % 8)
        return opaque(l, v);
    return cw_expr_arg(&l->m->pool, w, a, lane < 0 ? 0 : (int64_t)lane * w / 8);
}

int cw_lift_value(struct cw_lift *l, LLVMValueRef v, int lane)
{
    int node;
    if (cw_lift_recall(l, v, lane, &node))
        return node;
    bool vector = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
    if (!width_of(v) || vector != (lane >= 0) || l->depth > MAX_DEPTH) {
        node = opaque(l, v);
    } else {
        l->depth++;
        node = LLVMIsAInstruction(v) ? instruction(l, v, lane)
               : LLVMIsAArgument(v)  ? argument(l, v, lane)
                                     : constant(l, v, lane);
        l->depth--;
    }
    cw_lift_remember(l, v, lane, node);
    return node;
}
