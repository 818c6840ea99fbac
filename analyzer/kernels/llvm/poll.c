/* poll.c - whether a kernel has a loop that ends by memory that others write: the host, commands of other
 * queues, other work-items.
 *
 * A loop polls where a condition that ends it comes of memory that every iteration reads at one address, and
 * of nothing that the loop itself changes. A volatile or atomic read polls at changing addresses, too, and
 * where it decides whether the loop comes to such a condition: a compiler may keep the result of another
 * read. Operations that change the memory or the value of the next iteration poll nothing: counters, retries
 * of a compare-exchange, values that the loop stores there itself. */
#include "access_internal.h"

#include "../footprint/builtin.h"
#include "ir.h"

#include <string.h>

enum {
    MOST_DEPTH = 4000, /* of values that are made of each other */
    VALUES = -16,      /* cw_lift_remember(): the kinds of values in loop 0; of loop 1 in VALUES - 2 ... */
    VARIABLES = VALUES - 1 /* of variables, and so on */
};

/* What a value is to a loop. */
enum kind {
    FIXED,   /* the same in all iterations */
    CARRIED, /* from the iteration before, otherwise fixed */
    VARYING,
    READ,   /* read anew at one address, and fixed otherwise */
    WATCHED /* the same, by a volatile or atomic read */
};

struct poll {
    struct reader *r;
    int loop, depth;
};

static enum kind kind_of(struct poll *p, LLVMValueRef v);

static bool is_read(enum kind k)
{
    return k >= READ;
}

static enum kind larger(enum kind a, enum kind b)
{
    return a > b ? a : b;
}

static bool is_in_loop(const struct poll *p, LLVMValueRef v)
{
    int block = LLVMIsAInstruction(v) ? cw_cfg_block(&p->r->cfg, LLVMGetInstructionParent(v)) : -1;

    return block >= 0 && cw_cfg_loop_contains(&p->r->cfg, p->loop, block);
}

/* Of an operation whose result needs all of its operands. */
static enum kind of_all(enum kind a, enum kind b)
{
    return a == VARYING || b == VARYING ? VARYING : larger(a, b);
}

static enum kind operation(struct poll *p, LLVMValueRef v)
{
    enum kind all = FIXED;
    bool carried = false;

    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++) {
        LLVMValueRef x = LLVMGetOperand(v, (unsigned)i);
        enum kind k = LLVMIsAFunction(x) ? FIXED : kind_of(p, x);

        carried |= k == CARRIED;
        all = of_all(all, k);
    }
    return carried && !is_read(all) ? VARYING : all;
}

/* ---- memory */

/* The variable or argument that an address was made from. */
static LLVMValueRef origin(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) ||
           LLVMIsAAddrSpaceCastInst(pointer) || LLVMIsAConstantExpr(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

static bool is_buffer(struct poll *p, LLVMValueRef pointer)
{
    struct cw_places at = cw_place_lift_pointer(&p->r->lift, pointer);
    bool buffer = at.n == 0;

    for (int i = 0; i < at.n && !buffer; i++)
        buffer = at.v[i].base != CW_BASE_PRIVATE &&
                 (at.v[i].base < 0 || p->r->m->arg[at.v[i].base].kind != CW_ARG_SCALAR);
    return buffer;
}

/* Both pointers are one address in one buffer. */
static bool same_address(struct poll *p, LLVMValueRef a, LLVMValueRef b)
{
    struct cw_places x = cw_place_lift_pointer(&p->r->lift, a), y = cw_place_lift_pointer(&p->r->lift, b);

    return a == b || (x.n == 1 && y.n == 1 && x.v[0].base >= 0 && x.v[0].base == y.v[0].base &&
                      x.v[0].offset >= 0 && x.v[0].offset == y.v[0].offset);
}

/* The next instruction of the loop behind `v`; NULL: the first one, and none. */
static LLVMValueRef next_in_loop(const struct poll *p, LLVMValueRef v)
{
    const struct cw_cfg *g = &p->r->cfg;
    LLVMValueRef next = v ? LLVMGetNextInstruction(v) : NULL;
    int b = v ? cw_cfg_block(g, LLVMGetInstructionParent(v)) + 1 : 0;

    for (; !next && b < g->n; b++)
        next = cw_cfg_loop_contains(g, p->loop, b) ? LLVMGetFirstInstruction(g->block[b]) : NULL;
    return next;
}

/* The loop stores something new there in its iterations. */
static bool is_changed(struct poll *p, LLVMValueRef pointer)
{
    bool changed = false;

    for (LLVMValueRef v = next_in_loop(p, NULL); v && !changed; v = next_in_loop(p, v))
        changed = LLVMIsAStoreInst(v) && same_address(p, LLVMGetOperand(v, 1), pointer) &&
                  !is_read(kind_of(p, LLVMGetOperand(v, 0))) && kind_of(p, LLVMGetOperand(v, 0)) != FIXED;
    return changed;
}

static enum kind read_at(struct poll *p, LLVMValueRef pointer, bool watched)
{
    enum kind at = kind_of(p, pointer);

    if (watched)
        return WATCHED;
    return (at == FIXED || is_read(at)) && !is_changed(p, pointer) ? larger(at, READ) : VARYING;
}

/* The kind of the bytes that the call, store or atomic operation `v` leaves in the variable. */
static enum kind left_by(struct poll *p, LLVMValueRef v, LLVMValueRef variable)
{
    enum kind found = FIXED;
    bool names = false;

    if (!LLVMIsAStoreInst(v) && !LLVMIsACallInst(v) && !LLVMIsAAtomicRMWInst(v))
        return FIXED;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++) {
        LLVMValueRef x = LLVMGetOperand(v, (unsigned)i);
        bool pointer = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMPointerTypeKind && !LLVMIsAFunction(x);
        enum kind k = LLVMIsAFunction(x) || (pointer && origin(x) == variable) ? FIXED
                      : pointer && LLVMIsACallInst(v) && is_buffer(p, x)       ? read_at(p, x, false)
                                                                               : kind_of(p, x);
        names |= pointer && origin(x) == variable;
        found = is_read(k) ? larger(found, k) : found;
    }
    return names ? found : FIXED;
}

/* Memory of the work-item or work-group: is it filled with something that the loop polls? */
static enum kind own_memory(struct poll *p, LLVMValueRef pointer)
{
    LLVMValueRef variable = origin(pointer);
    int known, form = VARIABLES - 2 * p->loop;
    enum kind found = VARYING;

    if (cw_lift_recall(&p->r->lift, variable, form, &known))
        return (enum kind)known;
    cw_lift_remember(&p->r->lift, variable, form, VARYING);
    for (LLVMValueRef v = next_in_loop(p, NULL); v; v = next_in_loop(p, v))
        found = larger(found, left_by(p, v, variable));
    cw_lift_remember(&p->r->lift, variable, form, found);
    return found;
}

static enum kind load(struct poll *p, LLVMValueRef v)
{
    LLVMValueRef pointer = LLVMGetOperand(v, 0);

    if (!is_buffer(p, pointer))
        return own_memory(p, pointer);
    return read_at(p, pointer, cw_ir_is_watched(v) || LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic);
}

/* ---- atomic operations */

static bool is_zero(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && LLVMIsNull(v);
}

/* `operand`: the number that it adds, sets, or compares with. NULL: it has none. */
static enum kind atomic(struct poll *p, LLVMValueRef pointer, const char *name, LLVMValueRef operand)
{
    bool sums = strstr(name, "add") || strstr(name, "sub") || strstr(name, "xor");
    bool counts = strstr(name, "inc") || strstr(name, "dec");
    bool compares = strstr(name, "cmpxchg"), reads = strstr(name, "load");
    enum kind at = kind_of(p, pointer);

    if (!is_buffer(p, pointer))
        return own_memory(p, pointer);
    if (counts || (sums && !is_zero(operand)) || (operand && !sums && kind_of(p, operand) != FIXED))
        return VARYING;
    return at == FIXED || is_read(at) || reads || (sums && !compares) ? WATCHED : VARYING;
}

static const char *name_of(LLVMAtomicRMWBinOp op)
{
    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
    case LLVMAtomicRMWBinOpXor:
        return "add";
    case LLVMAtomicRMWBinOpFAdd:
    case LLVMAtomicRMWBinOpFSub:
    case LLVMAtomicRMWBinOpNand:
        return "inc";
    default:
        return "or";
    }
}

static enum kind call(struct poll *p, LLVMValueRef v)
{
    LLVMValueRef f = LLVMGetCalledValue(v);
    size_t length;
    struct cw_builtin b = cw_builtin_find(LLVMIsAFunction(f) ? LLVMGetValueName2(f, &length) : "");
    bool vector = b.kind == CW_BUILTIN_VLOAD || b.kind == CW_BUILTIN_VLOAD_HALF;
    enum kind all;

    if (b.kind == CW_BUILTIN_ATOMIC) /* of C11's the expected value is in memory: as if it were fixed */
        return atomic(p, LLVMGetOperand(v, 0), b.name,
                      LLVMGetNumArgOperands(v) > 1 && !strstr(b.name, "compare") ? LLVMGetOperand(v, 1)
                                                                                 : NULL);
    all = operation(p, v);
    if (vector && !is_buffer(p, LLVMGetOperand(v, 1)))
        return own_memory(p, LLVMGetOperand(v, 1));
    vector |= !strncmp(b.name, "read_image", 10);
    return vector && all == FIXED ? READ : all;
}

/* ---- values */

/* Blocks between the dominator of `block` and it decide which value a φ has there. */
static enum kind deciding(struct poll *p, int block)
{
    const struct cw_cfg *g = &p->r->cfg;
    enum kind found = FIXED;

    for (int i = g->pred_first[block]; i < g->pred_first[block + 1]; i++)
        for (int b = g->pred[i]; b >= 0 && cw_cfg_loop_contains(g, p->loop, b); b = g->idom[b]) {
            LLVMValueRef t = LLVMGetBasicBlockTerminator(g->block[b]);
            if (LLVMGetNumSuccessors(t) > 1)
                found = larger(found, kind_of(p, LLVMGetOperand(t, 0)));
            if (b == g->idom[block])
                break;
        }
    return found;
}

/* One of several values, by a condition: a read one polls, and so does a read condition where the values do
 * not vary, are conditions themselves, or the read is a watched one. */
static enum kind chosen(LLVMValueRef v, enum kind values, enum kind condition)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    bool logical = LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 1;

    if (is_read(condition) && (condition == WATCHED || logical || values != VARYING))
        return larger(values, condition);
    return values == FIXED && !is_read(condition) ? condition : values;
}

static enum kind phi(struct poll *p, LLVMValueRef v)
{
    int block = cw_cfg_block(&p->r->cfg, LLVMGetInstructionParent(v));
    bool header = p->r->cfg.loop[p->loop].header == block;
    enum kind values = FIXED;

    for (unsigned i = 0; i < LLVMCountIncoming(v); i++) {
        int from = cw_cfg_block(&p->r->cfg, LLVMGetIncomingBlock(v, i));
        if (from >= 0 && (!header || cw_cfg_loop_contains(&p->r->cfg, p->loop, from)))
            values = larger(values, kind_of(p, LLVMGetIncomingValue(v, i)));
    }
    return header ? values : chosen(v, values, deciding(p, block));
}

static enum kind compute(struct poll *p, LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
        return load(p, v);
    case LLVMCall:
        return call(p, v);
    case LLVMPHI:
        return phi(p, v);
    case LLVMSelect:
        return chosen(v, larger(kind_of(p, LLVMGetOperand(v, 1)), kind_of(p, LLVMGetOperand(v, 2))),
                      kind_of(p, LLVMGetOperand(v, 0)));
    case LLVMAnd:
    case LLVMOr:
        return larger(kind_of(p, LLVMGetOperand(v, 0)), kind_of(p, LLVMGetOperand(v, 1)));
    case LLVMAtomicRMW:
        return atomic(p, LLVMGetOperand(v, 0), name_of(LLVMGetAtomicRMWBinOp(v)), LLVMGetOperand(v, 1));
    case LLVMAtomicCmpXchg:
        return atomic(p, LLVMGetOperand(v, 0), "cmpxchg", LLVMGetOperand(v, 1));
    case LLVMAlloca:
        return FIXED;
    default:
        return operation(p, v);
    }
}

static enum kind kind_of(struct poll *p, LLVMValueRef v)
{
    int known, form = VALUES - 2 * p->loop;
    enum kind k;

    if (!is_in_loop(p, v))
        return FIXED;
    if (cw_lift_recall(&p->r->lift, v, form, &known))
        return (enum kind)known;
    if (p->depth > MOST_DEPTH)
        return VARYING;
    cw_lift_remember(&p->r->lift, v, form, CARRIED);
    p->depth++;
    k = compute(p, v);
    p->depth--;
    cw_lift_remember(&p->r->lift, v, form, k);
    return k;
}

/* ---- exits */

static enum kind condition_of(struct poll *p, int block)
{
    LLVMValueRef t = LLVMGetBasicBlockTerminator(p->r->cfg.block[block]);

    return LLVMGetNumSuccessors(t) > 1 ? kind_of(p, LLVMGetOperand(t, 0)) : FIXED;
}

/* The loop is left behind `block`. */
static bool leaves_by_read(struct poll *p, int block)
{
    const struct cw_cfg *g = &p->r->cfg;
    bool polls = is_read(condition_of(p, block));

    for (int b = g->idom[block]; b >= 0 && !polls && cw_cfg_loop_contains(g, p->loop, b); b = g->idom[b])
        polls = condition_of(p, b) == WATCHED && !cw_cfg_postdominates(g, block, b);
    return polls;
}

bool cw_poll_has_loop(struct reader *r)
{
    const struct cw_cfg *g = &r->cfg;
    bool polls = false;

    for (int b = 0; b < g->n; b++)
        for (int i = g->succ_first[b]; i < g->succ_first[b + 1]; i++)
            for (int l = g->loop_of[b]; l >= 0 && !polls; l = g->loop[l].parent)
                polls = !cw_cfg_loop_contains(g, l, g->succ[i]) && leaves_by_read(&(struct poll){r, l, 0}, b);
    return polls;
}
