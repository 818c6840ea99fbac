/* rows_operations.c - every operation on floating-point values of a kernel: see rows_floats.c. */
#include "rows_floats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_product(const struct cw_ast_node *n)
{
    return n->kind == CW_AST_BinaryOperator && !strcmp(n->words, "*") && cw_rows_is_floating(n);
}

/* A product, or a node of clang's around it that adds nothing. */
static bool may_be_product(const struct cw_ast_node *top)
{
    top = cw_ast_bare(top, true);
    if (top->kind == CW_AST_BinaryOperator && strchr("+-/", *top->words) && !top->words[1])
        return false;
    if (top->kind == CW_AST_CallExpr || cw_rows_is_literal(top) || top->kind == CW_AST_ArraySubscriptExpr)
        return false;
    for (const struct cw_ast_node *n = top; n; n = cw_ast_following(top, n))
        if (is_product(n))
            return true;
    return false;
}

/* The operand that clang negates to make one operation of `left - right`, where that is no number: an
 * operand, or a product of which LLVM may negate any factor. */
static const struct cw_ast_node *negated(const struct cw_ast_node *top)
{
    bool compound = top->kind == CW_AST_CompoundAssignOperator;
    const struct cw_ast_node *left = top->first, *right = left->next, *n = cw_ast_bare(right, true), *factor;

    if (!compound && may_be_product(left))
        return cw_rows_is_literal(n) ? NULL : n;
    if (!may_be_product(right))
        return NULL;
    factor = is_product(n) ? cw_ast_bare(n->first, true) : NULL;
    return factor && cw_rows_is_literal(factor) && fabs(strtod(factor->words, NULL) - 1) >= 1e-3
               ? NULL
               : n; /* 1: -1 of it negates */
}

static bool is_difference(const struct cw_ast_node *n)
{
    return cw_rows_is_floating(n) &&
           (cw_ast_is(n, CW_AST_BinaryOperator, "-") || cw_ast_is(n, CW_AST_CompoundAssignOperator, "-="));
}

static unsigned negations(const struct cw_proof *p)
{
    unsigned found = 0;

    for (unsigned i = 0; i < p->reaches; i++)
        for (const struct cw_ast_node *n = p->reached[i]; n; n = cw_ast_following(p->reached[i], n))
            found += is_difference(n) && negated(n);
    return found;
}

/* An element that is another one in each work-item, or a product of two. */
static bool moves(const struct cw_proof *p, const struct cw_ast_node *n)
{
    enum cw_rw_term t =
        n->kind == CW_AST_ArraySubscriptExpr ? cw_rows_term_of(p, cw_ast_child(n, 1)).moves : CW_RW_T_UNKNOWN;

    if (is_product(n))
        return !is_product(cw_ast_bare(n->first, true)) && moves(p, cw_ast_bare(n->first, true)) &&
               !is_product(cw_ast_bare(n->first->next, true)) && moves(p, cw_ast_bare(n->first->next, true));
    return t == CW_RW_T_UP || t == CW_RW_T_DOWN;
}

/* How often the kernel stores to memory. */
static unsigned stores(const struct cw_proof *p)
{
    unsigned found = 0;

    for (unsigned i = 0; i < p->reaches; i++)
        for (const struct cw_ast_node *n = p->reached[i]; n; n = cw_ast_following(p->reached[i], n)) {
            const struct cw_ast_node *to = n->first ? cw_ast_bare(n->first, false) : NULL;
            while (to && (to->kind == CW_AST_ExtVectorElementExpr || to->kind == CW_AST_MemberExpr))
                to = cw_ast_bare(to->first, false);
            found += to && to->kind != CW_AST_DeclRefExpr &&
                     (cw_ast_is(n, CW_AST_BinaryOperator, "=") || n->kind == CW_AST_CompoundAssignOperator ||
                      cw_ast_is(n, CW_AST_UnaryOperator, "++") || cw_ast_is(n, CW_AST_UnaryOperator, "--"));
        }
    return found;
}

/* The kernel only reads elements of that buffer, by subscripts. */
static bool is_only_read(const struct cw_proof *p, const struct cw_ast_node *element)
{
    const struct cw_ast_node *d = cw_rows_variable(element->first);

    for (const struct cw_ast_node *n = p->body; n; n = cw_ast_following(p->body, n)) {
        const struct cw_ast_node *up = n->parent;
        if (n->kind != CW_AST_DeclRefExpr || n->decl != d)
            continue;
        while (up->kind == CW_AST_ImplicitCastExpr || up->kind == CW_AST_ParenExpr)
            up = up->parent;
        if (up->kind != CW_AST_ArraySubscriptExpr ||
            !cw_ast_is(up->parent, CW_AST_ImplicitCastExpr, "LValueToRValue"))
            return false;
    }
    return true;
}

/* No compiler takes the negation out of the row's loop. As the kernel has only this one, no compiler merges
 * two. Its operand is no value that the kernel has stored and compilers know. */
static bool stays_where_it_is(const struct cw_proof *p, const struct cw_ast_node *n)
{
    return !p->r->loops && moves(p, n) && negations(p) == 1 &&
           (stores(p) == 1 || (n->kind == CW_AST_ArraySubscriptExpr && is_only_read(p, n)));
}

/* Floating-point values decide: compared by operators, or as they are. Two of such make LLVM take a value for
 * a number, and which of them are left differs from copy to copy. */
static bool is_comparison(const struct cw_ast_node *n)
{
    static const char *const decides[] = {"<", "<=", ">", ">=", "==", "!=", "&&", "||", NULL};

    switch (n->kind) {
    case CW_AST_BinaryOperator:
        return cw_rows_is_one_of(n->words, decides) &&
               (cw_rows_is_floating(n->first) || cw_rows_is_floating(n->first->next));
    case CW_AST_UnaryOperator:
        return !strcmp(n->words, "!") && cw_rows_is_floating(n->first);
    case CW_AST_IfStmt:
    case CW_AST_ConditionalOperator:
        return cw_rows_is_floating(n->first);
    case CW_AST_ForStmt:
        return cw_ast_child(n, 2) && cw_rows_is_floating(cw_ast_child(n, 2));
    default:
        return cw_ast_is(n, CW_AST_ImplicitCastExpr, "FloatingToBoolean") ||
               cw_ast_is(n, CW_AST_CStyleCastExpr, "FloatingToBoolean");
    }
}

static bool is_conversion(const struct cw_ast_node *n)
{
    return cw_ast_is(n, CW_AST_ImplicitCastExpr, "FloatingToIntegral") ||
           cw_ast_is(n, CW_AST_CStyleCastExpr, "FloatingToIntegral");
}

/* No constant is made a whole number that does not fit, of which compilers make nothing at all, and nothing
 * else than an int: there alone vectors convert what does not fit as single values are converted. */
static bool conversion_stays(struct cw_rows_look l, const struct cw_ast_node *n)
{
    enum cw_rows_value v = cw_rows_value_of(l, n->first);

    return !strcmp(n->type, "int") && !l.p->compares && (v == CW_PROOF_OPEN || v == CW_PROOF_ZERO);
}

/* A compiler might negate a value that is multiplied with it or divided by it. */
static bool may_be_minus_one(struct cw_rows_look l, const struct cw_ast_node *n)
{
    double v;

    return !cw_rows_number(l, n, &v) || fabs(v + 1) < 1e-3;
}

static bool may_be_zero(struct cw_rows_look l, const struct cw_ast_node *n)
{
    double v;

    return !cw_rows_number(l, n, &v) || fabs(v) < 1e-30;
}

/* Both are numbers, or one of them is open, and the other no constant that changes the operation. */
static bool is_good(struct cw_rows_look l, char op, const struct cw_ast_node *left,
                    const struct cw_ast_node *right)
{
    enum cw_rows_value a = cw_rows_value_of(l, left), b = cw_rows_value_of(l, right);
    bool open = a == CW_PROOF_OPEN || b == CW_PROOF_OPEN,
         numbers = a == CW_PROOF_NUMBER && b == CW_PROOF_NUMBER;

    switch (op) {
    case '+':
        return a != CW_PROOF_DOUBT && b != CW_PROOF_DOUBT;
    case '-': /* from 0, of 0: done without an operation */
        if (b != CW_PROOF_OPEN && b != CW_PROOF_NUMBER)
            return false;
        return numbers || (a == CW_PROOF_NUMBER ? !may_be_zero(l, left) : a != CW_PROOF_DOUBT);
    case '*':
        if (a == CW_PROOF_DOUBT || b == CW_PROOF_DOUBT)
            return false;
        return numbers || ((a != CW_PROOF_NUMBER || !may_be_minus_one(l, left)) &&
                           (b != CW_PROOF_NUMBER || !may_be_minus_one(l, right)));
    case '/':
        if (a == CW_PROOF_DOUBT || b == CW_PROOF_DOUBT || (!open && b != CW_PROOF_NUMBER))
            return false;
        return b == CW_PROOF_NUMBER ? !may_be_minus_one(l, right) && !may_be_zero(l, right) : true;
    default:
        return false;
    }
}

static bool operator_stays(struct cw_rows_look l, const struct cw_ast_node *n)
{
    bool compound = n->kind == CW_AST_CompoundAssignOperator;

    if (!*n->words || !strchr("+-*/", *n->words) || (n->words[1] && !compound))
        return true; /* assignments, commas */
    if (l.p->compares && (*n->words == '*' || *n->words == '/'))
        return false;
    if (is_difference(n) && negated(n) && !stays_where_it_is(l.p, negated(n)))
        return false;
    return is_good(l, *n->words, n->first, n->first->next);
}

static bool has_floating(const struct cw_ast_node *call)
{
    bool any = cw_rows_is_floating(call);

    for (const struct cw_ast_node *a = call->first ? call->first->next : NULL; a; a = a->next)
        any |= cw_rows_is_floating(a);
    return any;
}

/* Functions of OpenCL C: those that are not plain may be done otherwise with constants, compare or convert.
 */
static bool call_stays(struct cw_rows_look l, const struct cw_ast_node *n)
{
    const char *name = cw_rows_called(n);
    const struct cw_ast_node *a = n->first ? n->first->next : NULL;
    enum cw_rows_plain plain = cw_rows_plain_of(name);

    if (!has_floating(n) || cw_rows_defines(l.p, name))
        return true; /* the program's own are looked at by themselves */
    if (plain == CW_PROOF_OTHER || !cw_rows_is_floating(n))
        return false;
    if (plain == CW_PROOF_SUMS)
        return !l.p->compares && a && a->next && a->next->next && is_good(l, '*', a, a->next) &&
               cw_rows_value_of(l, a->next->next) != CW_PROOF_DOUBT;
    for (; a; a = a->next)
        if (cw_rows_is_floating(a) && cw_rows_value_of(l, a) == CW_PROOF_DOUBT)
            return false;
    return true;
}

static bool is_floating_operation(const struct cw_ast_node *n)
{
    return cw_rows_is_floating(n) ||
           (n->kind == CW_AST_CompoundAssignOperator && n->first && cw_rows_is_floating(n->first->next));
}

/* None that the tree has no name for here: as_float, vectors' conversions, statements in brackets. */
static bool is_unknown(const struct cw_ast_node *n)
{
    bool floating = cw_rows_is_floating(n);

    for (const struct cw_ast_node *k = n->first; k; k = k->next)
        floating |= k->kind != CW_AST_VarDecl && cw_rows_is_floating(k);
    return floating;
}

static bool node_stays(struct cw_rows_look l, const struct cw_ast_node *n)
{
    if (strstr(n->type, "half") || strstr(n->type, "fp16") || strstr(n->type, "Float16"))
        return false; /* computed in float, and rounded in between or not */
    switch (n->kind) {
    case CW_AST_BinaryOperator:
    case CW_AST_CompoundAssignOperator:
        if (!is_floating_operation(n))
            return true;
        return (n->kind == CW_AST_BinaryOperator || cw_rows_is_floating(n)) &&
               operator_stays(l, n); /* no `int += float` */
    case CW_AST_UnaryOperator:
        if (!strcmp(n->words, "&"))
            return false; /* bits may be changed by hand */
        if (!cw_rows_is_floating(n) || !strcmp(n->words, "+") || !strcmp(n->words, "*"))
            return true;
        return !strcmp(n->words, "-") && cw_rows_is_literal(cw_ast_bare(n->first, true)) &&
               !may_be_zero(l, n->first);
    case CW_AST_ImplicitCastExpr:
    case CW_AST_CStyleCastExpr:
        if (is_conversion(n))
            return conversion_stays(l, n);
        return strcmp(n->words, "BitCast") != 0 && strcmp(n->words, "AddressSpaceConversion") != 0;
    case CW_AST_CallExpr:
        return call_stays(l, n);
    case CW_AST_OTHER:
    case CW_AST_OpaqueValueExpr:
    case CW_AST_BinaryConditionalOperator:
        return !is_unknown(n);
    default:
        return true;
    }
}

/* ---- sums and differences */

/* Where in a kernel something stands: code that is run together, or not at all. */
struct arm {
    const struct cw_ast_node *body, *in; /* of a test; in a function's body itself: NULL */
    unsigned ends;                       /* statements before it that leave: return, break, continue */
};

struct signs {
    bool any, several,
        negative; /* operations; in several arms; that are differences or have a negative factor */
    struct arm arm;
    unsigned ends; /* so far */
};

static struct arm arm_of(const struct cw_ast_node *body, const struct cw_ast_node *n, unsigned ends)
{
    struct arm arm = {.body = body, .ends = ends};

    for (const struct cw_ast_node *up = n->parent; n != body && !arm.in; n = up, up = up->parent)
        if (up->kind == CW_AST_IfStmt || up->kind == CW_AST_ConditionalOperator ||
            cw_ast_is(up, CW_AST_BinaryOperator, "&&") || cw_ast_is(up, CW_AST_BinaryOperator, "||"))
            arm.in = n;
    return arm;
}

static bool is_sum(const struct cw_ast_node *n)
{
    bool binary = n->kind == CW_AST_BinaryOperator || n->kind == CW_AST_CompoundAssignOperator;

    return binary && cw_rows_is_floating(n) && (*n->words == '+' || *n->words == '-') &&
           (!n->words[1] || n->kind == CW_AST_CompoundAssignOperator);
}

/* Its sign may go to a sum that it is part of, which is a difference then. */
static bool may_be_negative(struct cw_rows_look l, const struct cw_ast_node *n)
{
    double v;

    return cw_rows_value_of(l, n) == CW_PROOF_NUMBER && !(cw_rows_number(l, n, &v) && v > 0);
}

/* For each node, in the order of the text. */
static void look_at_signs(struct cw_rows_look l, const struct cw_ast_node *n, struct signs *s)
{
    bool sum = is_sum(n),
         call = n->kind == CW_AST_CallExpr && cw_rows_plain_of(cw_rows_called(n)) == CW_PROOF_SUMS;
    bool product = (n->kind == CW_AST_BinaryOperator || n->kind == CW_AST_CompoundAssignOperator) &&
                   cw_rows_is_floating(n) && (*n->words == '*' || *n->words == '/');
    const struct cw_ast_node *left = call ? cw_ast_child(n, 1) : n->first;
    struct arm arm;
    double v;

    s->ends += n->kind == CW_AST_ReturnStmt || n->kind == CW_AST_BreakStmt || n->kind == CW_AST_ContinueStmt;
    if ((!sum && !call && !product) || cw_rows_number(l, n, &v))
        return;
    if (!sum && (may_be_negative(l, left) || may_be_negative(l, left->next)))
        s->negative = true;
    else if (product)
        return;
    s->negative |= sum && *n->words == '-';
    arm = arm_of(l.body, n, s->ends);
    s->several |= s->any && (arm.body != s->arm.body || arm.in != s->arm.in || arm.ends != s->arm.ends);
    s->any = true;
    s->arm = arm;
}

static bool has_large_number(const struct cw_ast_node *top)
{
    for (const struct cw_ast_node *n = top; n; n = cw_ast_following(top, n))
        if (n->kind == CW_AST_FloatingLiteral && !(fabs(strtod(n->words, NULL)) < 1e30))
            return true;
    return false;
}

const char *cw_rows_floats(struct cw_proof *p)
{
    unsigned looks = 0;
    bool infinite = false;
    struct signs signs = {.any = false};

    for (unsigned i = 0; i < p->reaches; i++)
        for (const struct cw_ast_node *n = p->reached[i]; n; n = cw_ast_following(p->reached[i], n)) {
            p->compares |= is_comparison(n);
            p->converts |= is_comparison(n) || is_conversion(n);
        }
    for (const struct cw_ast_node *n = p->root; n; n = cw_ast_following(p->root, n)) {
        if (cw_ast_is(n, CW_AST_RecordDecl, "union"))
            return "there is a union"; /* bits may be changed by hand */
        if (n->kind == CW_AST_VarDecl && n->parent == p->root)
            infinite |= has_large_number(n);
    }
    for (unsigned i = 0; i < p->reaches; i++)
        infinite |= has_large_number(p->reached[i]);
    if (infinite)
        return "a value may be an infinity, or nearly one"; /* of which compilers make constant NaNs */
    for (unsigned i = 0; i < p->reaches; i++) {
        struct cw_rows_look l = {.p = p, .body = p->reached[i], .looks = &looks};
        for (const struct cw_ast_node *n = l.body; n; n = cw_ast_following(l.body, n))
            if (!node_stays(l, n))
                return "a value may be computed otherwise";
            else
                look_at_signs(l, n, &signs);
    }
    /* where a test picks a sum or a difference LLVM makes a sum, and negates the subtrahend: not where
     * the test is constant */
    return signs.negative && signs.several ? "a test may pick sums or differences" : NULL;
}
