/* pixel.c - the pixels that a call reads or writes: see struct cw_image_shape.
 *
 * Coordinates that are integers name one pixel. Floating-point ones of a sampler that clamps and does not
 * normalise are followed where they are integers of the kernel plus constants. The sampler may touch the
 * pixel that they lie in and, as vendors compute with fewer bits, its neighbours. Anything else may touch all
 * of the image. Reads outside of the image touch its edge, or nothing. */
#include "../footprint/builtin.h"
#include "../footprint/reason.h"
#include "access_internal.h"
#include "ir.h"

#include <math.h>
#include <string.h>

/* A floating-point value: its floor is `low` (node, 64 bits) or one of the `slack` integers above it.
 * Coordinates from 2^22 on lie outside of every image, so what single precision loses there does not show. */
struct span {
    int low, slack;
    bool integral; /* it is an integer */
    bool constant; /* its value is known: a sum with it loses no more than it does itself */
};

enum { MAX_DEPTH = 8, MAX_SLACK = 64, MAX_CONSTANT = 1 << 20 };

/* clang's bits of a sampler (opencl-c-base.h). */
enum {
    SAMPLER_NORMALISES = 1,
    SAMPLER_ADDRESS = 0xe,
    SAMPLER_CLAMPS = 4,
    SAMPLER_LINEAR = 0x20,
    SAMPLER_BITS = 0x3f
};

static bool span_of(struct reader *r, LLVMValueRef v, int element, int depth, struct span *s);

static int wide(struct reader *r, int node, bool is_signed)
{
    return cw_expr_unary(&r->m->pool, is_signed ? CW_EXPR_SEXT : CW_EXPR_ZEXT, 64, node);
}

static int add(struct reader *r, int a, int64_t by)
{
    return cw_expr_binary(&r->m->pool, CW_EXPR_ADD, 64, a, cw_expr_const(&r->m->pool, 64, by));
}

static LLVMTypeRef element_type(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

static bool is_real(LLVMValueRef v)
{
    LLVMTypeKind kind = LLVMGetTypeKind(element_type(v));
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

/* Follows the element of a vector to where it was put in. */
static LLVMValueRef find_element(LLVMValueRef v, int *element)
{
    for (int i = 0; i < 4 * MAX_DEPTH; i++) {
        if (*element >= 0 && LLVMIsAInsertElementInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 2))) {
            bool here = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 2)) == (unsigned)*element;
            *element = here ? -1 : *element;
            v = LLVMGetOperand(v, here ? 1 : 0);
        } else if (*element >= 0 && LLVMIsAShuffleVectorInst(v)) {
            int from = LLVMGetMaskValue(v, (unsigned)*element),
                size = (int)LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
            if (from < 0)
                return v;
            *element = from < size ? from : from - size;
            v = LLVMGetOperand(v, from < size ? 0 : 1);
        } else if (*element < 0 && LLVMIsAExtractElementInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) &&
                   LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) <
                       LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)))) {
            *element = (int)LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1));
            v = LLVMGetOperand(v, 0);
        } else {
            break;
        }
    }
    return v;
}

static bool real_constant(LLVMValueRef v, int element, double *c)
{
    LLVMBool lost;
    if (element >= 0 && (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind ||
                         (unsigned)element >= LLVMGetVectorSize(LLVMTypeOf(v))))
        return false;
    if (element >= 0)
        v = LLVMIsAConstantVector(v)       ? LLVMGetOperand(v, (unsigned)element)
            : LLVMIsAConstantDataVector(v) ? cw_ir_element(v, (unsigned)element)
                                           : v;
    *c = 0;
    if (LLVMIsAConstantFP(v))
        *c = LLVMConstRealGetDouble(v, &lost);
    else if (!LLVMIsAConstantAggregateZero(v))
        return false;
    return *c > -MAX_CONSTANT && *c < MAX_CONSTANT;
}

/* (float)x, or convert_float(x) in any rounding: x is an integer of at most 32 bits. */
static bool from_integer(struct reader *r, LLVMValueRef x, int element, bool is_signed, struct span *s)
{
    LLVMTypeRef t = element_type(x);
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) > 32)
        return false;
    *s = (struct span){wide(r, cw_lift_value(&r->lift, x, element), is_signed), 0, true, false};
    return true;
}

static bool converted(struct reader *r, LLVMValueRef v, int element, struct span *s)
{
    char name[64];
    size_t length;
    LLVMValueRef f = LLVMGetCalledValue(v);
    const char *mangled = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &length) : "", *last;
    if (!cw_builtin_plain_name(mangled, name, sizeof name) || strncmp(name, "convert_float", 13) ||
        !LLVMIsDeclaration(f) || LLVMGetNumArgOperands(v) != 1)
        return false;
    last = mangled + strlen(mangled) - 1;
    return strchr("acsihtj", *last) &&
           from_integer(r, LLVMGetOperand(v, 0), element, strchr("acsi", *last), s);
}

/* x + y: rounding may lift the sum of fractions to the next integer. */
static bool sum(struct reader *r, struct span x, struct span y, bool exact, struct span *s)
{
    s->low = cw_expr_binary(&r->m->pool, CW_EXPR_ADD, 64, x.low, y.low);
    s->integral = x.integral && y.integral;
    s->constant = x.constant && y.constant;
    s->slack = x.slack + y.slack + (s->integral || exact ? 0 : 2);
    return s->slack <= MAX_SLACK && (x.constant || y.constant); /* else large ones may cancel each other */
}

static bool binary(struct reader *r, LLVMValueRef v, int element, bool minus, int depth, struct span *s)
{
    struct span x, y;
    double c;
    bool known;
    if (!span_of(r, LLVMGetOperand(v, 0), element, depth, &x) ||
        !span_of(r, LLVMGetOperand(v, 1), element, depth, &y))
        return false;
    if (!minus) { /* integers and halves below 2^22 are added exactly */
        known = real_constant(LLVMGetOperand(v, 1), element, &c) && c * 2 == floor(c * 2);
        return sum(r, x, y, known && x.integral, s);
    }
    known = real_constant(LLVMGetOperand(v, 1), element, &c);
    if (known)
        y = (struct span){cw_expr_const(&r->m->pool, 64, (int64_t)floor(-c)), 0, c == floor(c), true};
    else if (y.integral)
        y = (struct span){
            add(r, cw_expr_binary(&r->m->pool, CW_EXPR_MUL, 64, y.low, cw_expr_const(&r->m->pool, 64, -1)),
                -y.slack),
            y.slack, true, y.constant};
    return (known || y.integral) && sum(r, x, y, known && x.integral && c * 2 == floor(c * 2), s);
}

static bool span_of(struct reader *r, LLVMValueRef v, int element, int depth, struct span *s)
{
    double c;
    v = find_element(v, &element);
    if (!is_real(v) || depth == 0 || r->m->pool.failed)
        return false;
    if (LLVMIsAConstant(v)) {
        if (!real_constant(v, element, &c))
            return false;
        *s = (struct span){cw_expr_const(&r->m->pool, 64, (int64_t)floor(c)), 0, c == floor(c), true};
        return true;
    }
    if (!LLVMIsAInstruction(v))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMSIToFP:
    case LLVMUIToFP:
        return from_integer(r, LLVMGetOperand(v, 0), element, LLVMIsASIToFPInst(v), s);
    case LLVMCall:
        return converted(r, v, element, s);
    case LLVMFAdd:
    case LLVMFSub:
        return binary(r, v, element, LLVMGetInstructionOpcode(v) == LLVMFSub, depth - 1, s);
    default:
        return false;
    }
}

/* ---- calls */

/* One call's pixel: the coordinates are nodes of 64 bits; the last one is a layer. */
struct pixel {
    int arg, n;
    bool layer;
    int at[3];
};

/* Elements of an image's coordinates that name a pixel: of four the last says nothing. 0: they are no such.
 */
static int coordinates(LLVMValueRef at)
{
    LLVMTypeRef t = LLVMTypeOf(at);
    unsigned elements = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
    return elements == 4 ? 3 : elements <= 2 ? (int)elements : 0;
}

/* `sampler`: bits of the sampler, which does no more than clamp; -1: there is none. */
static bool read_coordinates(struct reader *r, int block, LLVMValueRef at, int sampler, struct pixel *p)
{
    struct cw_expr_pool *pool = &r->m->pool;
    LLVMTypeRef t = element_type(at);
    bool vector = LLVMGetTypeKind(LLVMTypeOf(at)) == LLVMVectorTypeKind;
    bool integers = LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 32;
    p->n = coordinates(at);
    for (int i = 0; i < p->n; i++) {
        struct span s = {0};
        if (integers)
            p->at[i] = s.low = wide(r, cw_lift_value(&r->lift, at, vector ? i : -1), true);
        else if (sampler < 0 || !span_of(r, at, vector ? i : -1, MAX_DEPTH, &s))
            return false;
        if (integers && (sampler < 0 || !(sampler & SAMPLER_LINEAR)))
            continue;
        int any = wide(r, cw_expr_opaque(pool, 32, r->cfg.loop_of[block]), false);
        any = cw_expr_binary(pool, CW_EXPR_UMIN, 64, any, cw_expr_const(pool, 64, s.slack + 2));
        p->at[i] = cw_expr_binary(pool, CW_EXPR_ADD, 64, add(r, s.low, -1), any);
    }
    return p->n > 0;
}

static int leaf(struct reader *r, const struct pixel *p, int which)
{
    return cw_expr_arg(&r->m->pool, 64, p->arg, which);
}

/* The pixel's number; of coordinates from `clamped` on where vendors clamp them to. */
static int number(struct reader *r, const struct pixel *p, int clamped)
{
    struct cw_expr_pool *pool = &r->m->pool;
    int all = -1;
    for (int i = 0; i < p->n; i++) {
        int at = p->at[i];
        bool layer = p->layer && i == p->n - 1;
        if (i >= clamped) {
            at = cw_expr_binary(pool, CW_EXPR_SMAX, 64, at, cw_expr_const(pool, 64, 0));
            at = cw_expr_binary(pool, CW_EXPR_SMIN, 64, at, add(r, leaf(r, p, CW_IMAGE_LIMIT - i), -1));
        }
        if (i)
            at = cw_expr_binary(pool, CW_EXPR_MUL, 64, at,
                                leaf(r, p, (layer ? CW_IMAGE_LAYER : CW_IMAGE_PITCH) - i));
        all = all < 0 ? at : cw_expr_binary(pool, CW_EXPR_ADD, 64, all, at);
    }
    return all;
}

static void add_access(struct reader *r, int block, const struct pixel *p, unsigned kind, int inside,
                       const char *doubt)
{
    struct cw_model *m = r->m;
    struct cw_access a = {.arg = p->arg,
                          .kind = kind,
                          .bytes_may = 1,
                          .bytes_must = 1,
                          .count = -1,
                          .stride = -1,
                          .guards = cw_guard_of_block(r, block)->guards,
                          .loop = r->cfg.loop_of[block],
                          .doubt = doubt,
                          .atomic = cw_builtin_atomic("", 0),
                          .value = -1};
    struct cw_guard_range more = {m->guards, 2 * inside};
    for (int i = 0; i < inside; i++) {
        int zero = cw_expr_const(&m->pool, 64, 0), limit = leaf(r, p, CW_IMAGE_LIMIT - i);
        if (!cw_model_add_guard(m, cw_expr_compare(&m->pool, CW_CMP_SGE, p->at[i], zero), true) ||
            !cw_model_add_guard(m, cw_expr_compare(&m->pool, CW_CMP_SLT, p->at[i], limit), true))
            r->failed = true;
    }
    if (inside)
        a.guards = cw_guard_append(r, a.guards, more);
    a.offset = number(r, p, inside);
    cw_branch_add_access(r, &a, block);
}

/* The bits of a constant sampler that does no more than clamp; -1: it is none. */
static int clamping(LLVMValueRef sampler)
{
    LLVMValueRef f = LLVMIsACallInst(sampler) ? LLVMGetCalledValue(sampler) : NULL;
    size_t length;
    unsigned long long bits;
    if (!f || !LLVMIsAFunction(f) ||
        strcmp(LLVMGetValueName2(f, &length), "__translate_sampler_initializer") ||
        !LLVMIsAConstantInt(LLVMGetOperand(sampler, 0)))
        return -1;
    bits = LLVMConstIntGetZExtValue(LLVMGetOperand(sampler, 0));
    return bits > SAMPLER_BITS || bits & SAMPLER_NORMALISES || (bits & SAMPLER_ADDRESS) > SAMPLER_CLAMPS
               ? -1
               : (int)bits;
}

static void unplace(struct reader *r, int arg, bool write)
{
    for (int i = 0; i < r->m->args; i++)
        if (arg < 0 || i == arg)
            *(write ? &r->m->arg[i].placed : &r->m->arg[i].placed_reads) = false;
}

void cw_pixel_access(struct reader *r, int block, LLVMValueRef call, const struct cw_builtin *b)
{
    bool write = b->kind == CW_BUILTIN_WRITE_IMAGE;
    unsigned operands = LLVMGetNumArgOperands(call);
    bool sampled = !write && strstr(b->params, "sampler"), known = operands == (write || sampled ? 3 : 2);
    int sampler = sampled && known ? clamping(LLVMGetOperand(call, 1)) : -1;
    struct pixel p = {.arg = cw_lift_argument(&r->lift, LLVMGetOperand(call, 0)),
                      .layer = strstr(b->params, "_array")};
    const char *doubt = cw_guard_doubt(r, block);
    if (p.arg < 0 || r->m->arg[p.arg].kind != CW_ARG_IMAGE || !known || (sampled && sampler < 0) ||
        !read_coordinates(r, block, LLVMGetOperand(call, sampled ? 2 : 1), sampler, &p) ||
        (p.layer && p.n < 2)) {
        unplace(r, p.arg, write);
        return;
    }
    add_access(r, block, &p, write ? CW_ACCESS_WRITE : CW_ACCESS_READ, write ? p.n : 0, doubt);
    if (write && p.layer) /* of a layer that is not there */
        add_access(r, block, &p, CW_ACCESS_WRITE, p.n - 1, cw_reason_image);
}

void cw_pixel_hand_on(struct reader *r, LLVMValueRef call)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        int arg = cw_lift_argument(&r->lift, LLVMGetOperand(call, i));
        if (arg >= 0 && r->m->arg[arg].kind == CW_ARG_IMAGE) {
            unplace(r, arg, false);
            unplace(r, arg, true);
        }
    }
}
