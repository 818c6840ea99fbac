/* rows_floats.c - whether compilers may compute floating-point values otherwise in a copy of a kernel's text:
 * see rows_proof.h.
 *
 * A copy of a kernel's text has other constants than the kernel: tests, turns of unrolled loops, variables
 * that get a value only where a test holds. So compilers may compute otherwise in a copy:
 *
 *   - A product of two constants in a sum is rounded by itself; without constants it is fused with the sum.
 *   - A constant NaN has another sign than the processor's.
 *   - A value that is multiplied by a constant -1 is negated.
 *   - LLVM puts a negation into a neighbouring operation, or does not. The other uses of the value and their
 *     blocks decide. An operation that negates leaves NaNs as they are.
 *   - Where a test picks a sum or a difference, LLVM makes a sum and negates the subtrahend.
 *   - A constant that is converted to an integer type which cannot hold it may become any value.
 *   - Functions have tests and constants of their own.
 *
 * So kernels with a form for rows keep these rules:
 *
 *   - Only values of the first three kinds below take part in operations. One of them is no constant in any
 *     copy, or all are the same constants in every copy. A value in DOUBT is only copied, stored, compared.
 *   - Operations are sums, products, quotients, conversions to int and a few functions (cw_rows_plain).
 *   - Only numbers are negated. Once in a kernel an element may be subtracted from a product, or a product of
 *     elements may be subtracted.
 *   - A kernel with a difference or a negative factor does all its sums in one place, under no test or under
 *     the same tests.
 *   - Comparisons tell compilers about values: where some are compared, nothing is multiplied or converted.
 *
 * What a value may be:
 *   OPEN     known at run time only: floating-point elements of buffers and arguments, whole arguments of
 *            which a kernel only makes floating-point values, and values that are computed from these
 *   NUMBER   made of numbers alone, so that it is the same constant in every copy
 *   ZERO     OPEN or, in some copy, the constant 0: sums that begin with 0. Products with it are exact
 *   DOUBT    anything else: made of ids, turns, whole numbers that tests tell about, of different numbers */
#include "rows_floats.h"

#include <string.h>

enum { DEEPEST = CW_PROOF_DEEPEST };

static enum cw_rows_value either(enum cw_rows_value a, enum cw_rows_value b)
{
    if (a == b || b == CW_PROOF_NOTHING)
        return a == CW_PROOF_NUMBER && b == a ? CW_PROOF_DOUBT : a;
    if (a == CW_PROOF_NOTHING)
        return b;
    return (a == CW_PROOF_OPEN && b == CW_PROOF_ZERO) || (a == CW_PROOF_ZERO && b == CW_PROOF_OPEN)
               ? CW_PROOF_ZERO
               : CW_PROOF_DOUBT;
}

/* One of the values of something; 0 may be one of several. */
static enum cw_rows_value one_of(struct cw_rows_look l, const struct cw_ast_node *n)
{
    double v;

    return cw_rows_number(l, n, &v) && v == 0 && cw_rows_is_usual(v) ? CW_PROOF_ZERO : cw_rows_value_of(l, n);
}

/* ---- memory */

static const struct cw_ast_node *pointed_into(struct cw_rows_look *l, const struct cw_ast_node *n,
                                              unsigned depth);

/* The parameter that pointer d points into, itself or as it is declared; NULL: something else. */
static const struct cw_ast_node *root_of(struct cw_rows_look *l, const struct cw_ast_node *d, unsigned depth)
{
    const struct cw_ast_node *once;

    if (!strchr(d->type, '*') || depth > 4)
        return NULL;
    if (d->kind == CW_AST_ParmVarDecl)
        return d;
    once = d->kind == CW_AST_VarDecl && d->first ? cw_rows_given_once(l, d) : NULL;
    return once ? pointed_into(l, once, depth + 1) : NULL;
}

/* The parameter that the pointer points into, by sums alone; NULL: something else. */
static const struct cw_ast_node *pointed_into(struct cw_rows_look *l, const struct cw_ast_node *n,
                                              unsigned depth)
{
    const struct cw_ast_node *d;

    n = cw_ast_bare(n, false);
    d = cw_rows_variable(n);
    if (!d && n->kind == CW_AST_BinaryOperator && (!strcmp(n->words, "+") || !strcmp(n->words, "-")) &&
        strchr(n->first->type, '*'))
        return pointed_into(l, n->first, depth);
    return d ? root_of(l, d, depth) : NULL;
}

static bool is_element(const struct cw_ast_node *n)
{
    return n->kind == CW_AST_ArraySubscriptExpr || cw_ast_is(n, CW_AST_UnaryOperator, "*") ||
           (n->kind == CW_AST_MemberExpr && strchr(n->first->type, '*'));
}

/* The element that this use of a pointer is for, or the pointer variable that is declared with it; NULL:
 * another use. */
static const struct cw_ast_node *element_of(const struct cw_ast_node *use)
{
    for (use = use->parent; !is_element(use) && use->kind != CW_AST_VarDecl; use = use->parent)
        if (use->kind != CW_AST_ParenExpr && !cw_ast_is(use, CW_AST_ImplicitCastExpr, "LValueToRValue") &&
            !(use->kind == CW_AST_BinaryOperator && strchr(use->type, '*') && strchr("+-", *use->words) &&
              !use->words[1]))
            return NULL;
    return use;
}

/* The expression that stores to the element, or to a part of it; NULL: none. */
static const struct cw_ast_node *store_to(const struct cw_ast_node *n)
{
    const struct cw_ast_node *up = n->parent;

    for (; up->kind == CW_AST_ParenExpr || up->kind == CW_AST_ExtVectorElementExpr ||
           up->kind == CW_AST_MemberExpr;
         up = up->parent)
        ;
    return cw_ast_is(up, CW_AST_ImplicitCastExpr, "LValueToRValue") ? NULL : up;
}

/* The kernel reads from buffer d the values that it stores there. */
static enum cw_rows_value stored(struct cw_rows_look l, const struct cw_ast_node *d)
{
    enum cw_rows_value v = CW_PROOF_OPEN;
    bool scaled = false;

    l.trail[l.depth++] = d;
    l.body = l.p->body;
    for (const struct cw_ast_node *k = l.body; k; k = cw_ast_following(l.body, k)) {
        const struct cw_ast_node *of, *store;
        enum cw_rows_value one;
        ++*l.looks;
        if (k->kind != CW_AST_DeclRefExpr || !k->decl || root_of(&l, k->decl, 0) != d)
            continue;
        of = element_of(k);
        if (of && of->kind == CW_AST_VarDecl && root_of(&l, of, 0) == d)
            continue; /* whose uses are looked at, too */
        store = of && of->kind != CW_AST_VarDecl ? store_to(of) : NULL;
        of = of && of->kind != CW_AST_VarDecl ? of : NULL;
        if (of && !store)
            continue;
        if (!of ||
            !(store->kind == CW_AST_CompoundAssignOperator || cw_ast_is(store, CW_AST_BinaryOperator, "=")))
            return CW_PROOF_DOUBT; /* another access may store to it */
        one = one_of(l, store->first->next);
        if (store->kind == CW_AST_CompoundAssignOperator && one != CW_PROOF_OPEN)
            scaled = true;
        else
            v = either(v, one);
    }
    return scaled && v != CW_PROOF_OPEN ? CW_PROOF_DOUBT : v;
}

static enum cw_rows_value element(struct cw_rows_look l, const struct cw_ast_node *n)
{
    const struct cw_ast_node *d = pointed_into(&l, n->first, 0);
    enum cw_rows_value v;

    if (!d || d->parent != l.p->kernel || d->written || l.depth == DEEPEST)
        return CW_PROOF_DOUBT;
    if (cw_rows_is_in_trail(&l, d))
        return l.strict ? CW_PROOF_DOUBT : CW_PROOF_OPEN;
    v = stored(l, d);
    if (v == CW_PROOF_ZERO) { /* then it is not made of what is open alone, as was assumed in between */
        l.strict = true;
        v = stored(l, d);
    }
    return v;
}

/* ---- variables, and the arguments and results of functions */

/* All that a variable of the function is given. */
static enum cw_rows_value variable(struct cw_rows_look l, const struct cw_ast_node *d)
{
    enum cw_rows_value v = CW_PROOF_NOTHING;
    bool scaled = false;

    if (cw_rows_is_in_trail(&l, d))
        return CW_PROOF_NOTHING; /* its other values */
    if (d->kind != CW_AST_VarDecl || l.depth == DEEPEST || (d->first && d->first->next) ||
        !cw_rows_is_floating(d))
        return CW_PROOF_DOUBT;
    l.trail[l.depth++] = d;
    if (d->first)
        v = one_of(l, d->first);
    for (const struct cw_ast_node *n = l.body; n; n = cw_ast_following(l.body, n)) {
        const struct cw_ast_node *up, *inner = n;
        enum cw_rows_value one;
        ++*l.looks;
        if (n->kind != CW_AST_DeclRefExpr || n->decl != d)
            continue;
        for (up = n->parent; up->kind == CW_AST_ParenExpr || up->kind == CW_AST_ExtVectorElementExpr;
             up = up->parent)
            inner = up;
        if (cw_ast_is(up, CW_AST_ImplicitCastExpr, "LValueToRValue"))
            continue;
        if (up->first != inner ||
            !(up->kind == CW_AST_CompoundAssignOperator || cw_ast_is(up, CW_AST_BinaryOperator, "=")))
            return CW_PROOF_DOUBT;
        one = one_of(l, inner->next);
        if (up->kind == CW_AST_CompoundAssignOperator && one != CW_PROOF_OPEN) {
            scaled = true; /* open stays open */
            continue;
        }
        v = either(v, one);
    }
    return v == CW_PROOF_NOTHING || (scaled && v != CW_PROOF_OPEN) ? CW_PROOF_DOUBT : v;
}

/* A whole number that tests may tell something about: more is done with it than making a floating-point
 * number of it, or a subscript. */
static bool is_tested(const struct cw_rows_look *l, const struct cw_ast_node *d)
{
    for (const struct cw_ast_node *n = l->p->body; n; n = cw_ast_following(l->p->body, n)) {
        const struct cw_ast_node *k = n;
        ++*l->looks;
        if (n->kind != CW_AST_DeclRefExpr || n->decl != d)
            continue;
        while (k != l->p->body && k->kind != CW_AST_ArraySubscriptExpr &&
               !cw_ast_is(k, CW_AST_CStyleCastExpr, "IntegralToFloating") &&
               !cw_ast_is(k, CW_AST_ImplicitCastExpr, "IntegralToFloating") &&
               (k == n || k->kind == CW_AST_ParenExpr ||
                cw_ast_is(k, CW_AST_ImplicitCastExpr, "LValueToRValue") || cw_rows_is_whole(k)))
            k = k->parent;
        if (k->kind != CW_AST_ArraySubscriptExpr &&
            !((k->kind == CW_AST_CStyleCastExpr || k->kind == CW_AST_ImplicitCastExpr) &&
              !strcmp(k->words, "IntegralToFloating") && cw_rows_variable(k->first) == d))
            return true;
    }
    return false;
}

const char *cw_rows_called(const struct cw_ast_node *call)
{
    const struct cw_ast_node *f =
        call->kind == CW_AST_CallExpr && call->first ? cw_ast_bare(call->first, true) : NULL;

    return f && f->kind == CW_AST_DeclRefExpr ? f->words : "";
}

/* The arguments that all calls pass for parameter d of a function of the program. */
static enum cw_rows_value parameter(struct cw_rows_look l, const struct cw_ast_node *d)
{
    enum cw_rows_value v = CW_PROOF_NOTHING;
    unsigned at = 1;

    if (d->parent == l.p->kernel)
        return d->written || (cw_rows_is_whole(d) &&
                              (!cw_rows_is_integer(d->type) || l.p->converts || is_tested(&l, d)))
                   ? CW_PROOF_DOUBT
                   : CW_PROOF_OPEN;
    if (!cw_rows_is_floating(d))
        return CW_PROOF_DOUBT;
    if (cw_rows_is_in_trail(&l, d))
        return CW_PROOF_NOTHING;
    if (l.depth == DEEPEST)
        return CW_PROOF_DOUBT;
    for (const struct cw_ast_node *k = d->parent->first; k && k != d; k = k->next)
        at += k->kind == CW_AST_ParmVarDecl;
    for (const struct cw_ast_node *n = cw_ast_body(d->parent); n;
         n = cw_ast_following(cw_ast_body(d->parent), n))
        if (n->kind == CW_AST_DeclRefExpr && n->decl == d &&
            !cw_ast_is(n->parent, CW_AST_ImplicitCastExpr, "LValueToRValue"))
            return CW_PROOF_DOUBT;
    l.trail[l.depth++] = d;
    for (unsigned i = 0; i < l.p->reaches; i++) {
        struct cw_rows_look caller = l;
        caller.body = l.p->reached[i];
        for (const struct cw_ast_node *n = caller.body; n; n = cw_ast_following(caller.body, n)) {
            const struct cw_ast_node *a;
            ++*l.looks;
            if (n->kind != CW_AST_CallExpr || strcmp(cw_rows_called(n), d->parent->words))
                continue;
            a = cw_ast_child(n, at);
            v = either(v, a ? one_of(caller, a) : CW_PROOF_DOUBT);
        }
    }
    return v == CW_PROOF_NOTHING ? CW_PROOF_DOUBT : v;
}

static enum cw_rows_value returned(struct cw_rows_look l, const char *function)
{
    enum cw_rows_value v = CW_PROOF_NOTHING;

    if (l.depth == DEEPEST)
        return CW_PROOF_DOUBT;
    for (unsigned i = 0; i < l.p->reaches; i++) {
        struct cw_rows_look callee = l;
        callee.body = l.p->reached[i];
        if (strcmp(callee.body->parent->words, function))
            continue;
        for (const struct cw_ast_node *n = callee.body; n; n = cw_ast_following(callee.body, n))
            if (n->kind == CW_AST_ReturnStmt)
                v = either(v, n->first ? one_of(callee, n->first) : CW_PROOF_DOUBT);
    }
    return v == CW_PROOF_NOTHING ? CW_PROOF_DOUBT : v;
}

/* Functions of OpenCL C that vendors compile to one operation (cw_rows_plain). A vendor may make others of
 * any operations. */
static enum cw_rows_value call(struct cw_rows_look l, const struct cw_ast_node *n)
{
    const char *name = cw_rows_called(n);
    enum cw_rows_value v = CW_PROOF_NOTHING;
    enum cw_rows_plain plain = cw_rows_plain_of(name);
    bool open = false, numbers = true;

    if (!*name)
        return CW_PROOF_DOUBT;
    if (cw_rows_defines(l.p, name))
        return returned(l, name);
    for (const struct cw_ast_node *a = n->first->next; a; a = a->next) {
        enum cw_rows_value one = cw_rows_is_floating(a) ? cw_rows_value_of(l, a) : CW_PROOF_NOTHING;
        if (one == CW_PROOF_DOUBT)
            return CW_PROOF_DOUBT;
        open |= one == CW_PROOF_OPEN;
        numbers &= one == CW_PROOF_NUMBER;
        if (one != CW_PROOF_NOTHING)
            v = plain == CW_PROOF_PICKS ? either(v, one_of(l, a)) : one;
    }
    switch (plain) {
    case CW_PROOF_PICKS: /* one of its arguments: tests may tell which */
    case CW_PROOF_KEEPS:
        return v == CW_PROOF_NOTHING ? CW_PROOF_DOUBT : v;
    case CW_PROOF_SUMS:
        return open ? CW_PROOF_OPEN : numbers ? CW_PROOF_NUMBER : CW_PROOF_DOUBT;
    default:
        return CW_PROOF_DOUBT;
    }
}

/* ---- expressions */

static enum cw_rows_value operation(struct cw_rows_look l, const struct cw_ast_node *n)
{
    enum cw_rows_value a = cw_rows_value_of(l, n->first), b = cw_rows_value_of(l, n->first->next);
    double value;

    if (!*n->words || !strchr("+-*/", *n->words) || n->words[1])
        return CW_PROOF_DOUBT;
    if (a == CW_PROOF_OPEN || b == CW_PROOF_OPEN)
        return CW_PROOF_OPEN;
    if (a == CW_PROOF_NUMBER && b == CW_PROOF_NUMBER)
        return CW_PROOF_NUMBER;
    if (*n->words == '+' && a == CW_PROOF_ZERO && b == a)
        return CW_PROOF_ZERO;
    if (*n->words != '*' && *n->words != '/')
        return CW_PROOF_DOUBT;
    if (a == CW_PROOF_ZERO && (b == CW_PROOF_NUMBER ? cw_rows_number(l, n->first->next, &value) && value > 0
                                                    : *n->words == '*' && b == a))
        return CW_PROOF_ZERO;
    return *n->words == '*' && b == CW_PROOF_ZERO && cw_rows_number(l, n->first, &value) && value > 0
               ? CW_PROOF_ZERO
               : CW_PROOF_DOUBT;
}

/* The members of a vector, all of one kind. */
static enum cw_rows_value list(struct cw_rows_look l, const struct cw_ast_node *n)
{
    enum cw_rows_value v = CW_PROOF_NOTHING;

    for (const struct cw_ast_node *a = n->first; a; a = a->next) {
        enum cw_rows_value one = cw_rows_value_of(l, a);
        if (v != CW_PROOF_NOTHING && one != v)
            return CW_PROOF_DOUBT;
        v = one;
    }
    return v == CW_PROOF_NOTHING ? CW_PROOF_DOUBT : v;
}

static enum cw_rows_value named(struct cw_rows_look l, const struct cw_ast_node *d)
{
    return d->kind == CW_AST_ParmVarDecl ? parameter(l, d) : variable(l, d);
}

/* Some of a vector or structure. */
static enum cw_rows_value part(struct cw_rows_look l, const struct cw_ast_node *n)
{
    if (is_element(n))
        return element(l, n);
    n = cw_ast_bare(n->first, false);
    if (n->kind == CW_AST_DeclRefExpr && n->decl && cw_rows_is_floating(n->decl))
        return named(l, n->decl);
    return is_element(n) ? element(l, n) : cw_rows_value_of(l, n);
}

enum cw_rows_value cw_rows_value_of(struct cw_rows_look l, const struct cw_ast_node *n)
{
    const struct cw_ast_node *d;
    double value;

    if (!n || ++*l.looks > CW_PROOF_MOST_LOOKS)
        return CW_PROOF_DOUBT;
    if (cw_rows_number(l, n, &value))
        return cw_rows_is_usual(value) ? CW_PROOF_NUMBER : CW_PROOF_DOUBT;
    d = cw_rows_variable(n);
    if (!cw_rows_is_floating(n) && !(d && d->kind == CW_AST_ParmVarDecl && cw_rows_is_integer(d->type)))
        return CW_PROOF_DOUBT; /* turns, ids, elements, enumerators: tests may leave just one */
    switch (n->kind) {
    case CW_AST_ImplicitCastExpr:
    case CW_AST_CStyleCastExpr:
        return d ? named(l, d) : cw_rows_value_of(l, n->first);
    case CW_AST_ParenExpr:
    case CW_AST_CompoundLiteralExpr:
        return cw_rows_value_of(l, n->first);
    case CW_AST_MemberExpr:
    case CW_AST_ExtVectorElementExpr:
        return part(l, n);
    case CW_AST_ArraySubscriptExpr:
        return element(l, n);
    case CW_AST_UnaryOperator:
        if (!strcmp(n->words, "*"))
            return element(l, n);
        return !strcmp(n->words, "+") ? cw_rows_value_of(l, n->first)
                                      : CW_PROOF_DOUBT; /* negations may move */
    case CW_AST_DeclRefExpr:
        return n->decl && cw_rows_is_floating(n->decl) ? named(l, n->decl) : CW_PROOF_DOUBT;
    case CW_AST_BinaryOperator:
        return operation(l, n);
    case CW_AST_ConditionalOperator:
        return either(one_of(l, cw_ast_child(n, 1)), one_of(l, cw_ast_child(n, 2)));
    case CW_AST_CallExpr:
        return call(l, n);
    case CW_AST_InitListExpr:
        return list(l, n);
    default:
        return CW_PROOF_DOUBT;
    }
}
