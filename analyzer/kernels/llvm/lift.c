/* lift.c - integer values. See lift.h. */
#include "lift.h"

#include "../footprint/eval.h"
#include "ir.h"
#include "../footprint/builtin.h"

#include <string.h>
#include <stdlib.h>

enum { MAX_DEPTH = 4000, MAX_WAYS = 64 };

int cw_lift_argument(const struct cw_lift *l, LLVMValueRef v)
{
    if (!LLVMIsAArgument(v))
        return -1;
    for (int i = 0; i < l->m->args; i++)
        if (LLVMGetParam(l->function, (unsigned)i) == v)
            return i;
    return -1;
}

/* The innermost loop around an instruction, -1 none. */
static int lift_loop_of(const struct cw_lift *l, LLVMValueRef v)
{
    int b = LLVMIsAInstruction(v) ? cw_cfg_block(l->cfg, LLVMGetInstructionParent(v)) : -1;
    return b < 0 ? -1 : l->cfg->loop_of[b];
}

int cw_lift_header(const struct cw_lift *l, LLVMValueRef phi, LLVMValueRef *start, LLVMValueRef *next)
{
    int b = cw_cfg_block(l->cfg, LLVMGetInstructionParent(phi)), loop = l->cfg->loop_of[b];
    if (loop < 0 || l->cfg->loop[loop].header != b || l->cfg->loop[loop].latch < 0 ||
        LLVMCountIncoming(phi) != 2)
        return -1;
    unsigned late = cw_cfg_block(l->cfg, LLVMGetIncomingBlock(phi, 1)) == l->cfg->loop[loop].latch;
    if (cw_cfg_block(l->cfg, LLVMGetIncomingBlock(phi, late)) != l->cfg->loop[loop].latch)
        return -1;
    *next = LLVMGetIncomingValue(phi, late);
    *start = LLVMGetIncomingValue(phi, !late);
    return loop;
}

/* ---- integers */

/* Bits of an integer, or of an element of a vector of integers; 0 for other types and more than 64 bits. */
static int lift_width(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    unsigned w = LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
    return w <= 64 ? (int)w : 0;
}

static int lift_opaque(struct cw_lift *l, LLVMValueRef v)
{
    int w = lift_width(v);
    return cw_expr_opaque(&l->m->pool, w ? w : 64, lift_loop_of(l, v));
}

static int lift_operand(struct cw_lift *l, LLVMValueRef v, unsigned i, int element)
{
    return cw_lift_value(l, LLVMGetOperand(v, i), element);
}

static int lift_binary(struct cw_lift *l, LLVMValueRef v, int element, enum cw_expr_op op)
{
    int a = lift_operand(l, v, 0, element), b = lift_operand(l, v, 1, element);
    return cw_expr_binary(&l->m->pool, op, lift_width(v), a, b);
}

static int subtract(struct cw_lift *l, LLVMValueRef v, int element)
{
    int w = lift_width(v), a = lift_operand(l, v, 0, element), b = lift_operand(l, v, 1, element);
    int minus = cw_expr_binary(&l->m->pool, CW_EXPR_MUL, w, b, cw_expr_const(&l->m->pool, w, -1));
    return cw_expr_binary(&l->m->pool, CW_EXPR_ADD, w, a, minus);
}

/* x << c is x * 2^c; (x << c) >> c (arithmetic) is the sign extension of the low bits. */
static int shift(struct cw_lift *l, LLVMValueRef v, int element, enum cw_expr_op op)
{
    struct cw_expr_pool *p = &l->m->pool;
    int w = lift_width(v), a = lift_operand(l, v, 0, element), b = lift_operand(l, v, 1, element);
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
static int mask(struct cw_lift *l, LLVMValueRef v, int element)
{
    struct cw_expr_pool *p = &l->m->pool;
    int64_t bits = 0;
    int w = lift_width(v), a = lift_operand(l, v, 0, element), b = lift_operand(l, v, 1, element);
    if (w == 64 && cw_expr_is_const(p, b, &bits) && bits == UINT32_MAX)
        return cw_expr_unary(p, CW_EXPR_ZEXT, 64, cw_expr_unary(p, CW_EXPR_TRUNC, 32, a));
    return cw_expr_binary(p, CW_EXPR_AND, w, a, b);
}

/* ~x is -1 - x. */
static int exclusive_or(struct cw_lift *l, LLVMValueRef v, int element)
{
    struct cw_expr_pool *p = &l->m->pool;
    int64_t bits = 0;
    int w = lift_width(v), a = lift_operand(l, v, 0, element), b = lift_operand(l, v, 1, element);
    if (w > 1 && cw_expr_is_const(p, b, &bits) && bits == -1)
        return cw_expr_binary(p, CW_EXPR_ADD, w, b, cw_expr_binary(p, CW_EXPR_MUL, w, a, b));
    return cw_expr_binary(p, CW_EXPR_XOR, w, a, b);
}

/* clang joins "first <= i && i < end" into one unsigned comparison of i - first, which wraps below first. It
 * becomes two signed ones again: x is below n, unsigned, where 0 <= x < n. */
static int between(struct cw_expr_pool *p, enum cw_expr_cmp cmp, int a, int b)
{
    struct cw_expr x = p->node[cw_expr_resolve(p, a)];
    int64_t first = 0, end = 0;
    bool below = cmp == CW_CMP_ULT;
    int w = x.width, zero;
    if ((!below && cmp != CW_CMP_UGT) || w < 8 || x.op != CW_EXPR_ADD || !cw_expr_is_const(p, b, &end) ||
        end < 0 || !((cw_expr_is_const(p, x.a, &first) || cw_expr_is_const(p, x.b, &first)) && first < 0))
        return -1;
    zero = cw_expr_const(p, w, 0);
    return cw_expr_binary(p, below ? CW_EXPR_AND : CW_EXPR_OR, 1,
                          cw_expr_compare(p, below ? CW_CMP_SGE : CW_CMP_SLT, a, zero),
                          cw_expr_compare(p, below ? CW_CMP_SLT : CW_CMP_SGT, a, b));
}

static int compare(struct cw_lift *l, LLVMValueRef v, int element)
{
    struct cw_expr_pool *p = &l->m->pool;
    enum cw_expr_cmp cmp = (enum cw_expr_cmp)(LLVMGetICmpPredicate(v) - LLVMIntEQ);
    int two;
    if (!lift_width(LLVMGetOperand(v, 0)))
        return lift_opaque(l, v);
    int a = lift_operand(l, v, 0, element), b = lift_operand(l, v, 1, element);
    two = between(p, cmp, a, b);
    return two >= 0 ? two : cw_expr_compare(p, cmp, a, b);
}

/* ~a, of one bit. */
static int negated(struct cw_expr_pool *p, int a)
{
    static const uint8_t opposite[] = {
        [CW_CMP_EQ] = CW_CMP_NE,   [CW_CMP_NE] = CW_CMP_EQ,   [CW_CMP_UGT] = CW_CMP_ULE,
        [CW_CMP_UGE] = CW_CMP_ULT, [CW_CMP_ULT] = CW_CMP_UGE, [CW_CMP_ULE] = CW_CMP_UGT,
        [CW_CMP_SGT] = CW_CMP_SLE, [CW_CMP_SGE] = CW_CMP_SLT, [CW_CMP_SLT] = CW_CMP_SGE,
        [CW_CMP_SLE] = CW_CMP_SGT};
    struct cw_expr x = p->node[cw_expr_resolve(p, a)];
    int64_t bit = 0;
    if (cw_expr_is_const(p, a, &bit))
        return cw_expr_const(p, 1, !bit);
    if (x.op == CW_EXPR_CMP)
        return cw_expr_compare(p, (enum cw_expr_cmp)opposite[x.dim], x.a, x.b);
    if (x.op == CW_EXPR_XOR && cw_expr_is_const(p, x.b, &bit) && bit)
        return x.a;
    return cw_expr_binary(p, CW_EXPR_XOR, 1, a, cw_expr_const(p, 1, 1));
}

/* A choice between a bit and a constant is a conjunction, or the opposite of one. */
static int select_bit(struct cw_expr_pool *p, int c, int yes, int no)
{
    int64_t bit = 0, other;
    if (cw_expr_is_const(p, yes, &bit) && cw_expr_is_const(p, no, &other) && bit != other)
        return bit ? c : negated(p, c);
    if (cw_expr_is_const(p, yes, &bit))
        return bit ? cw_expr_binary(p, CW_EXPR_OR, 1, c, no)
                   : cw_expr_binary(p, CW_EXPR_AND, 1, negated(p, c), no);
    if (cw_expr_is_const(p, no, &bit))
        return bit ? cw_expr_binary(p, CW_EXPR_OR, 1, negated(p, c), yes)
                   : cw_expr_binary(p, CW_EXPR_AND, 1, c, yes);
    return cw_expr_select(p, 1, c, yes, no);
}

/* a < b ? a : b and its relatives are minima and maxima. */
int cw_lift_select(struct cw_lift *l, int width, int c, int yes, int no)
{
    struct cw_expr_pool *p = &l->m->pool;
    if (p->failed)
        return 0;
    struct cw_expr x = p->node[cw_expr_resolve(p, c)];
    bool straight = x.op == CW_EXPR_CMP && x.a == yes && x.b == no,
         crossed = x.op == CW_EXPR_CMP && x.a == no && x.b == yes;
    if (yes == no)
        return yes;
    if (width == 1)
        return select_bit(p, c, yes, no);
    if (x.op == CW_EXPR_CMP && x.dim >= CW_CMP_UGT && (straight || crossed)) {
        bool is_signed = x.dim >= CW_CMP_SGT, greater = (x.dim - CW_CMP_UGT) % 4 < 2;
        bool max = greater == straight;
        return cw_expr_binary(
            p, is_signed ? (max ? CW_EXPR_SMAX : CW_EXPR_SMIN) : (max ? CW_EXPR_UMAX : CW_EXPR_UMIN), width,
            yes, no);
    }
    return cw_expr_select(p, width, c, yes, no);
}

static int select_value(struct cw_lift *l, LLVMValueRef v, int element)
{
    LLVMValueRef cond = LLVMGetOperand(v, 0);
    bool vector = LLVMGetTypeKind(LLVMTypeOf(cond)) == LLVMVectorTypeKind;
    int c = cw_lift_value(l, cond, vector ? element : -1), yes = lift_operand(l, v, 1, element),
        no = lift_operand(l, v, 2, element);
    return cw_lift_select(l, lift_width(v), c, yes, no);
}

static int phi(struct cw_lift *l, LLVMValueRef v, int element)
{
    struct cw_expr_pool *p = &l->m->pool;
    LLVMValueRef start, next;
    int b = cw_cfg_block(l->cfg, LLVMGetInstructionParent(v)), own = l->cfg->loop_of[b];
    if (own < 0 || l->cfg->loop[own].header != b)
        return LLVMCountIncoming(v) > MAX_WAYS ? lift_opaque(l, v)
                                               : cw_ways_value(l, v, element, lift_width(v));
    int placeholder = lift_opaque(l, v), loop = cw_lift_header(l, v, &start, &next);
    cw_lift_remember(l, v, element, placeholder);
    if (loop < 0)
        return placeholder;
    int first = cw_lift_value(l, start, element), after = cw_lift_value(l, next, element);
    int step = cw_eval_step(l->m, after, placeholder, loop);
    if (step < 0)
        return placeholder;
    int w = lift_width(v), k = cw_expr_unary(p, CW_EXPR_TRUNC, w, cw_expr_loop(p, loop));
    int meaning = cw_expr_binary(p, CW_EXPR_ADD, w, first, cw_expr_binary(p, CW_EXPR_MUL, w, step, k));
    cw_expr_forward(p, placeholder, meaning);
    return meaning;
}

/* A read-only by-value struct argument: its fields are scalars of the launch. */
static int load(struct cw_lift *l, LLVMValueRef v)
{
    struct cw_places at = cw_place_lift_pointer(l, LLVMGetOperand(v, 0));
    int64_t offset;
    if (at.n != 1 || at.v[0].base < 0 || at.v[0].offset < 0 ||
        l->m->arg[at.v[0].base].kind != CW_ARG_SCALAR || l->m->arg[at.v[0].base].changed ||
        LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || lift_width(v) % 8 ||
        !cw_expr_is_const(&l->m->pool, at.v[0].offset, &offset))
        return lift_opaque(l, v);
    return cw_expr_arg(&l->m->pool, lift_width(v), at.v[0].base, offset);
}

static int extract(struct cw_lift *l, LLVMValueRef v)
{
    LLVMValueRef index = LLVMGetOperand(v, 1);
    if (!LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index) > 15)
        return lift_opaque(l, v);
    return lift_operand(l, v, 0, (int)LLVMConstIntGetZExtValue(index));
}

static int insert(struct cw_lift *l, LLVMValueRef v, int element)
{
    LLVMValueRef index = LLVMGetOperand(v, 2);
    if (!LLVMIsAConstantInt(index))
        return lift_opaque(l, v);
    return (int)LLVMConstIntGetZExtValue(index) == element ? lift_operand(l, v, 1, -1)
                                                           : lift_operand(l, v, 0, element);
}

static int shuffle(struct cw_lift *l, LLVMValueRef v, int element)
{
    int from = LLVMGetMaskValue(v, (unsigned)element),
        size = (int)LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
    if (from < 0) /* undefined */
        return lift_opaque(l, v);
    return from < size ? lift_operand(l, v, 0, from) : lift_operand(l, v, 1, from - size);
}

static int lift_call(struct cw_lift *l, LLVMValueRef v, int element);

static int instruction(struct cw_lift *l, LLVMValueRef v, int element)
{
    static const enum cw_expr_op same_op[] = {
        [LLVMAdd] = CW_EXPR_ADD,   [LLVMMul] = CW_EXPR_MUL,   [LLVMUDiv] = CW_EXPR_UDIV,
        [LLVMSDiv] = CW_EXPR_SDIV, [LLVMURem] = CW_EXPR_UREM, [LLVMSRem] = CW_EXPR_SREM,
        [LLVMOr] = CW_EXPR_OR,
    };
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op < sizeof same_op / sizeof *same_op && same_op[op])
        return lift_binary(l, v, element, same_op[op]);
    switch (op) {
    case LLVMSub:
        return subtract(l, v, element);
    case LLVMShl:
        return shift(l, v, element, CW_EXPR_SHL);
    case LLVMLShr:
        return shift(l, v, element, CW_EXPR_LSHR);
    case LLVMAShr:
        return shift(l, v, element, CW_EXPR_ASHR);
    case LLVMAnd:
        return mask(l, v, element);
    case LLVMXor:
        return exclusive_or(l, v, element);
    case LLVMTrunc:
        return cw_expr_unary(&l->m->pool, CW_EXPR_TRUNC, lift_width(v), lift_operand(l, v, 0, element));
    case LLVMZExt:
        return cw_expr_unary(&l->m->pool, CW_EXPR_ZEXT, lift_width(v), lift_operand(l, v, 0, element));
    case LLVMSExt:
        return cw_expr_unary(&l->m->pool, CW_EXPR_SEXT, lift_width(v), lift_operand(l, v, 0, element));
    case LLVMFreeze:
        return lift_operand(l, v, 0, element);
    case LLVMICmp:
        return compare(l, v, element);
    case LLVMSelect:
        return select_value(l, v, element);
    case LLVMPHI:
        return phi(l, v, element);
    case LLVMCall:
        return lift_call(l, v, element);
    case LLVMLoad:
        return element < 0 ? load(l, v) : lift_opaque(l, v);
    case LLVMExtractElement:
        return extract(l, v);
    case LLVMInsertElement:
        return element < 0 ? lift_opaque(l, v) : insert(l, v, element);
    case LLVMShuffleVector:
        return element < 0 ? lift_opaque(l, v) : shuffle(l, v, element);
    default:
        return lift_opaque(l, v);
    }
}

static int constant(struct cw_lift *l, LLVMValueRef v, int element)
{
    if (element >= 0) {
        LLVMValueRef c = LLVMIsAConstantVector(v)       ? LLVMGetOperand(v, (unsigned)element)
                         : LLVMIsAConstantDataVector(v) ? cw_ir_element(v, (unsigned)element)
                                                        : NULL;
        if (!c && LLVMIsNull(v))
            return cw_expr_const(&l->m->pool, lift_width(v), 0);
        return c ? cw_lift_value(l, c, -1) : lift_opaque(l, v);
    }
    if (!LLVMIsAConstantInt(v))
        return lift_opaque(l, v);
    return cw_expr_const(&l->m->pool, lift_width(v), (int64_t)LLVMConstIntGetZExtValue(v));
}

static int argument(struct cw_lift *l, LLVMValueRef v, int element)
{
    int a = cw_lift_argument(l, v), w = lift_width(v);
    if (a < 0 || w % 8)
        return lift_opaque(l, v);
    return cw_expr_arg(&l->m->pool, w, a, element < 0 ? 0 : (int64_t)element * w / 8);
}

int cw_lift_value(struct cw_lift *l, LLVMValueRef v, int element)
{
    int node;
    if (cw_lift_recall(l, v, element, &node))
        return node;
    bool vector = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
    if (!lift_width(v) || vector != (element >= 0) || l->depth > MAX_DEPTH) {
        node = lift_opaque(l, v);
    } else {
        l->depth++;
        node = LLVMIsAInstruction(v) ? instruction(l, v, element)
               : LLVMIsAArgument(v)  ? argument(l, v, element)
                                     : constant(l, v, element);
        l->depth--;
    }
    cw_lift_remember(l, v, element, node);
    return node;
}

/* The expressions lifted already, by value and vector element. */

struct cw_lift_remembered {
    size_t n, buckets; /* power of two */
    struct remembered_entry {
        LLVMValueRef v; /* NULL: free */
        int element, node;
    } * entry;
};

static struct remembered_entry *find(struct remembered_entry *entry, size_t buckets, LLVMValueRef v,
                                     int element)
{
    size_t mask = buckets - 1;
    size_t i =
        (((uintptr_t)v >> 4) * UINT64_C(0x9E3779B97F4A7C15) + (size_t)(element + 8) * 7919) >> 20 & mask;
    while (entry[i].v && (entry[i].v != v || entry[i].element != element))
        i = (i + 1) & mask;
    return &entry[i];
}

bool cw_lift_init(struct cw_lift *l, struct cw_model *m, const struct cw_cfg *cfg, LLVMTargetDataRef layout,
                  LLVMValueRef function)
{
    *l = (struct cw_lift){.m = m, .cfg = cfg, .layout = layout, .function = function};
    l->remembered = calloc(1, sizeof *l->remembered);
    if (l->remembered) {
        l->remembered->buckets = 1024;
        l->remembered->entry = calloc(l->remembered->buckets, sizeof *l->remembered->entry);
    }
    if (l->remembered && l->remembered->entry)
        return true;
    cw_lift_finish(l);
    return false;
}

void cw_lift_finish(struct cw_lift *l)
{
    if (l->remembered)
        free(l->remembered->entry);
    free(l->remembered);
    l->remembered = NULL;
}

bool cw_lift_recall(const struct cw_lift *l, LLVMValueRef v, int element, int *node)
{
    const struct remembered_entry *e = find(l->remembered->entry, l->remembered->buckets, v, element);
    *node = e->node;
    return e->v != NULL;
}

void cw_lift_remember(struct cw_lift *l, LLVMValueRef v, int element, int node)
{
    struct cw_lift_remembered *m = l->remembered;
    if (2 * m->n >= m->buckets) {
        struct remembered_entry *wider = calloc(2 * m->buckets, sizeof *wider);
        if (!wider) {
            l->failed = true;
            return;
        }
        for (size_t i = 0; i < m->buckets; i++)
            if (m->entry[i].v)
                *find(wider, 2 * m->buckets, m->entry[i].v, m->entry[i].element) = m->entry[i];
        free(m->entry);
        m->entry = wider;
        m->buckets *= 2;
    }
    struct remembered_entry *e = find(m->entry, m->buckets, v, element);
    m->n += !e->v;
    *e = (struct remembered_entry){v, element, node};
}

/* Calls that return integers: work-item functions, integer functions, intrinsics. */

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
        return lift_opaque(l, v);
    return cw_expr_unary(p, CW_EXPR_TRUNC, lift_width(v), cw_expr_leaf(p, op, 64, (int)d));
}

static int integer_function(struct cw_lift *l, LLVMValueRef v, int element, const struct cw_builtin *b)
{
    struct cw_expr_pool *p = &l->m->pool;
    int w = lift_width(v), x[3] = {0};
    for (unsigned i = 0; i < 3 && i < LLVMGetNumArgOperands(v); i++) {
        bool vector = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, i))) == LLVMVectorTypeKind;
        x[i] = lift_operand(l, v, i, vector ? element : -1);
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

static int intrinsic(struct cw_lift *l, LLVMValueRef v, int element, const char *name)
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
            return lift_binary(l, v, element, known[i].op);
    return lift_opaque(l, v);
}

/* get_image_width and the like: of the launch's image (struct cw_image_shape). */
static int image_size(struct cw_lift *l, LLVMValueRef v, int element, const struct cw_builtin *b)
{
    static const char *const names[] = {"get_image_width", "get_image_height", "get_image_depth",
                                        "get_image_array_size", "get_image_dim"};
    struct cw_expr_pool *p = &l->m->pool;
    int arg = cw_lift_argument(l, LLVMGetOperand(v, 0)), d = 0;
    while (d < 5 && strcmp(b->name, names[d]))
        d++;
    d = d == 4 ? element : d == 3 ? (strstr(b->params, "image1d") ? 1 : 2) : d;
    if (arg < 0 || l->m->arg[arg].kind != CW_ARG_IMAGE || d < 0 || d > 3)
        return lift_opaque(l, v);
    return d == 3 ? cw_expr_const(p, lift_width(v), 0)
                  : cw_expr_unary(p, CW_EXPR_TRUNC, lift_width(v), cw_expr_arg(p, 64, arg, 8 * d));
}

/* A fresh node for a value that nothing is known about. */
static int lift_call(struct cw_lift *l, LLVMValueRef v, int element)
{
    LLVMValueRef callee = LLVMGetCalledValue(v);
    if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) || LLVMIsAInvokeInst(v))
        return lift_opaque(l, v);
    size_t length;
    const char *name = LLVMGetValueName2(callee, &length);
    if (!strncmp(name, "llvm.", 5))
        return intrinsic(l, v, element, name);
    struct cw_builtin b = cw_builtin_find(name);
    switch (b.kind) {
    case CW_BUILTIN_WORK_ITEM:
        return work_item(l, v, b.op);
    case CW_BUILTIN_WORK_DIM:
        return cw_expr_leaf(&l->m->pool, CW_EXPR_WORK_DIM, 32, 0);
    case CW_BUILTIN_GLOBAL_LINEAR_ID:
    case CW_BUILTIN_LOCAL_LINEAR_ID:
        return linear_id(l, b.kind == CW_BUILTIN_LOCAL_LINEAR_ID);
    case CW_BUILTIN_IMAGE_SIZE:
        return image_size(l, v, element, &b);
    case CW_BUILTIN_MIN:
    case CW_BUILTIN_MAX:
    case CW_BUILTIN_CLAMP:
    case CW_BUILTIN_MUL24:
    case CW_BUILTIN_MAD24:
        return integer_function(l, v, element, &b);
    default:
        return lift_opaque(l, v);
    }
}
