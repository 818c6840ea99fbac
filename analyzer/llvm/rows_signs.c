/* rows_signs.c - whether the sign of a NaN may depend on where a kernel's text stands: see rows_proof.h and, for what compilers
 * do, kernel/rewrite_signs.c.
 *
 * All that may be negated has to be numbers, whole numbers, or another value in each work-item: a product that is subtracted, or
 * that something is subtracted from, and what a minus stands before, with all that it is multiplied by. */
#include "rows_proof.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 8, MOST_LOOKS = 200000 };

struct look {
    const struct cw_proof *p;
    const struct cw_ast_node *body; /* of the function that is looked at */
    const struct cw_ast_node *trail[DEEPEST]; /* variables whose values are being looked at */
    unsigned depth;
    unsigned *looks;
};

static bool moves(struct look l, const struct cw_ast_node *n);

static bool says_floating(const char *type)
{
    return strstr(type, "float") || strstr(type, "double") || strstr(type, "half");
}

/* "int __attribute__((ext_vector_type(4)))" */
static bool is_vector(const char *type)
{
    return strstr(type, "ext_vector_type") && !strchr(type, '*');
}

/* A scalar or vector, also the value of an assignment to one; no function, pointer or structure. */
static bool is_floating(const struct cw_ast_node *n)
{
    return says_floating(n->type) && !strchr(n->type, '*') && !strchr(n->type, '[') && (is_vector(n->type) || !strchr(n->type, '('));
}

/* Only what is known to be: structures have names of any kind. */
static bool is_whole(const struct cw_ast_node *n)
{
    return cw_proof_is_integer(n->type) || !strcmp(n->type, "bool") || (is_vector(n->type) && !says_floating(n->type));
}

static bool is_literal(const struct cw_ast_node *n)
{
    return n->kind == CW_AST_FloatingLiteral || n->kind == CW_AST_IntegerLiteral || n->kind == CW_AST_CharacterLiteral;
}

static bool is_operator(const struct cw_ast_node *n, const char *these)
{
    return n->kind == CW_AST_BinaryOperator && n->words[0] && !n->words[1] && strchr(these, n->words[0]);
}

/* Of numbers alone. */
static bool is_number(const struct cw_ast_node *top)
{
    for (const struct cw_ast_node *n = top; n; n = cw_ast_following(top, n))
        if (!is_literal(n) && n->kind != CW_AST_ParenExpr && n->kind != CW_AST_ImplicitCastExpr && n->kind != CW_AST_UnaryOperator &&
            n->kind != CW_AST_BinaryOperator && n->kind != CW_AST_CStyleCastExpr)
            return false;
    return true;
}

/* Steps over what stands in brackets behind an element's name. */
static const struct cw_ast_node *following(const struct cw_ast_node *top, const struct cw_ast_node *n)
{
    if (n->kind != CW_AST_ArraySubscriptExpr)
        return cw_ast_following(top, n);
    while (n != top && !n->next)
        n = n->parent;
    return n == top ? NULL : n->next;
}

/* A built-in that gives whole numbers, or whole numbers as others. */
static bool is_plain_call(const struct look *l, const struct cw_ast_node *n)
{
    const struct cw_ast_node *f = n->first ? cw_ast_bare(n->first, true) : NULL;

    if (is_whole(n))
        return true;
    return f && f->kind == CW_AST_DeclRefExpr && !strncmp(f->words, "convert_", 8) && !cw_proof_defines(l->p, f->words);
}

/* A product, or a call that may be one, at any depth. */
static bool has_product(const struct look *l, const struct cw_ast_node *top)
{
    for (const struct cw_ast_node *n = top; n; n = following(top, n))
        if ((is_operator(n, "*/") && is_floating(n)) || (n->kind == CW_AST_CallExpr && !is_plain_call(l, n)) ||
            n->kind == CW_AST_OTHER || n->kind == CW_AST_BinaryConditionalOperator)
            return true;
    return false;
}

/* ---- what moves */

static bool has_element(const struct look *l, const struct cw_ast_node *top)
{
    for (const struct cw_ast_node *n = top; n; n = following(top, n))
        if (n->kind == CW_AST_ArraySubscriptExpr && is_floating(n)) {
            enum cw_rw_term t = cw_proof_term_of(l->p, cw_ast_child(n, 1)).moves;
            if (t == CW_RW_T_UP || t == CW_RW_T_DOWN)
                return true;
        }
    return false;
}

/* All that a variable is given moves. */
static bool variable_moves(struct look l, const struct cw_ast_node *d)
{
    bool found = false;

    for (unsigned i = 0; i < l.depth; i++)
        if (l.trail[i] == d)
            return true; /* what it is given else */
    if (d->kind != CW_AST_VarDecl || l.depth == DEEPEST)
        return false;
    l.trail[l.depth++] = d;
    if (d->first) {
        if (d->first->next || !moves(l, d->first))
            return false;
        found = true;
    }
    for (const struct cw_ast_node *n = l.body; n; n = cw_ast_following(l.body, n)) {
        const struct cw_ast_node *inner = n, *around;
        if (n->kind != CW_AST_DeclRefExpr || n->decl != d)
            continue;
        for (around = n->parent; around->kind == CW_AST_ParenExpr; around = around->parent)
            inner = around;
        if (cw_ast_is(around, CW_AST_ImplicitCastExpr, "LValueToRValue"))
            continue;
        if (around->kind == CW_AST_ExtVectorElementExpr && around->parent &&
            cw_ast_is(around->parent, CW_AST_ImplicitCastExpr, "LValueToRValue"))
            continue; /* some of it is read */
        if (around->first != inner || !(cw_ast_is(around, CW_AST_BinaryOperator, "=") || around->kind == CW_AST_CompoundAssignOperator) ||
            !moves(l, inner->next))
            return false;
        found = true;
    }
    return found;
}

static bool call_moves(struct look l, const struct cw_ast_node *n)
{
    bool plain = is_plain_call(&l, n);

    if (!plain && !has_element(&l, n)) /* of whole numbers alone it may be a NaN, the same in all work-items */
        return false;
    for (const struct cw_ast_node *a = n->first->next; a; a = a->next)
        if (!moves(l, a))
            return false;
    return true;
}

/* Each work-item may have another one; or it is no NaN. */
static bool moves(struct look l, const struct cw_ast_node *n)
{
    const struct cw_ast_node *d;
    enum cw_rw_term t;

    if (!n || ++*l.looks > MOST_LOOKS)
        return false;
    if (is_whole(n) || is_literal(n))
        return true;
    switch (n->kind) {
    case CW_AST_ImplicitCastExpr:
    case CW_AST_CStyleCastExpr:
        d = cw_proof_variable(n);
        return d ? variable_moves(l, d) : moves(l, n->first);
    case CW_AST_ParenExpr:
    case CW_AST_UnaryOperator:
        return !strchr(n->words, '*') && !strchr(n->words, '&') && strlen(n->words) < 2 && moves(l, n->first);
    case CW_AST_BinaryOperator:
        if (!is_operator(n, "+-*/"))
            return false;
        if (*n->words == '/' && !is_literal(cw_ast_bare(n->first->next, true)) && !has_element(&l, n->first->next))
            return false;
        return moves(l, n->first) && moves(l, n->first->next);
    case CW_AST_ConditionalOperator:
        return moves(l, cw_ast_child(n, 1)) && moves(l, cw_ast_child(n, 2));
    case CW_AST_CallExpr:
        return call_moves(l, n);
    case CW_AST_ArraySubscriptExpr:
        d = cw_proof_variable(n->first);
        t = cw_proof_term_of(l.p, cw_ast_child(n, 1)).moves;
        return d && d->kind == CW_AST_ParmVarDecl && (t == CW_RW_T_UP || t == CW_RW_T_DOWN);
    case CW_AST_ExtVectorElementExpr:
        if (n->first->kind == CW_AST_DeclRefExpr && n->first->decl)
            return variable_moves(l, n->first->decl);
        return moves(l, n->first);
    case CW_AST_MemberExpr:
    case CW_AST_CompoundLiteralExpr:
        return moves(l, n->first);
    case CW_AST_InitListExpr:
        for (const struct cw_ast_node *a = n->first; a; a = a->next)
            if (!moves(l, a))
                return false;
        return true;
    default:
        return false;
    }
}

static bool may_be_negated(struct look l, const struct cw_ast_node *n)
{
    return is_number(n) || moves(l, n);
}

/* ---- constants */

enum constant { NO_CONSTANT, SOME_CONSTANT, THIS_CONSTANT };

static enum constant constant_of(struct look l, const struct cw_ast_node *n, double *value);

static enum constant constant_variable(struct look l, const struct cw_ast_node *d, double *value)
{
    if (d->kind != CW_AST_VarDecl || !d->first || l.depth == DEEPEST || ++*l.looks > MOST_LOOKS)
        return NO_CONSTANT;
    for (unsigned i = 0; i < l.depth; i++)
        if (l.trail[i] == d)
            return SOME_CONSTANT;
    l.trail[l.depth++] = d;
    for (const struct cw_ast_node *n = l.body; n; n = cw_ast_following(l.body, n))
        if (n->kind == CW_AST_DeclRefExpr && n->decl == d && !cw_ast_is(n->parent, CW_AST_ImplicitCastExpr, "LValueToRValue"))
            return SOME_CONSTANT; /* another one now and then */
    return constant_of(l, d->first, value);
}

/* What compilers may know the value of. */
static enum constant constant_of(struct look l, const struct cw_ast_node *n, double *value)
{
    const struct cw_ast_node *d;
    double a = 0, b = 0;
    enum constant x, y;

    if (is_literal(n)) {
        *value = strtod(n->words, NULL);
        return n->kind == CW_AST_CharacterLiteral ? SOME_CONSTANT : THIS_CONSTANT;
    }
    switch (n->kind) {
    case CW_AST_ImplicitCastExpr:
    case CW_AST_CStyleCastExpr:
        d = cw_proof_variable(n);
        if (d)
            return constant_variable(l, d, value);
        return constant_of(l, n->first, value);
    case CW_AST_ParenExpr:
        return constant_of(l, n->first, value);
    case CW_AST_UnaryOperator:
        x = constant_of(l, n->first, &a);
        *value = -a;
        return x && strcmp(n->words, "-") ? SOME_CONSTANT : x;
    case CW_AST_BinaryOperator:
        x = constant_of(l, n->first, &a);
        y = constant_of(l, n->first->next, &b);
        if (!x || !y)
            return NO_CONSTANT;
        *value = *n->words == '+' ? a + b : *n->words == '-' ? a - b : *n->words == '*' ? a * b : 0;
        return x == THIS_CONSTANT && y == THIS_CONSTANT && is_operator(n, "+-*") ? THIS_CONSTANT : SOME_CONSTANT;
    case CW_AST_ConditionalOperator:
        x = constant_of(l, cw_ast_child(n, 1), &a);
        y = constant_of(l, cw_ast_child(n, 2), &b);
        return x && y ? SOME_CONSTANT : NO_CONSTANT;
    default:
        return NO_CONSTANT;
    }
}

/* What is multiplied by it may be negated. */
static bool is_minus_one(struct look l, const struct cw_ast_node *n)
{
    double value = 0;
    enum constant c = constant_of(l, n, &value);

    return c == SOME_CONSTANT || (c == THIS_CONSTANT && value == -1);
}

/* ---- negations */

/* The whole product that `n` is a factor of. */
static const struct cw_ast_node *product_around(const struct cw_ast_node *n)
{
    for (const struct cw_ast_node *up = n->parent; up; up = up->parent) {
        if (is_operator(up, "*/"))
            n = up;
        else if (up->kind != CW_AST_ParenExpr && up->kind != CW_AST_ImplicitCastExpr && up->kind != CW_AST_CStyleCastExpr &&
                 !cw_ast_is(up, CW_AST_UnaryOperator, "-"))
            break;
        else if (cw_ast_is(up, CW_AST_UnaryOperator, "-"))
            n = up;
    }
    return n;
}

static bool may_be_zero(struct look l, const struct cw_ast_node *n)
{
    double value = 0;
    enum constant c = constant_of(l, n, &value);

    return c == SOME_CONSTANT || (c == THIS_CONSTANT && value == 0);
}

static bool difference(struct look l, const struct cw_ast_node *left, const struct cw_ast_node *right)
{
    left = left ? cw_ast_bare(left, true) : NULL;
    right = cw_ast_bare(right, true);
    if (left && may_be_zero(l, left))
        return !is_number(right) && moves(l, right); /* 0 - a is -a */
    if (left && !is_operator(left, "+-") && has_product(&l, left) && !may_be_negated(l, right))
        return false;
    if (!has_product(&l, right) || may_be_negated(l, right))
        return true;
    if (is_operator(right, "/"))
        return true; /* which nobody negates */
    return is_operator(right, "*") && is_literal(cw_ast_bare(right->first, true)) && !has_product(&l, right->first->next);
}

/* A product or quotient: nothing in it is -1, or all of it may be negated. */
static bool product(struct look l, const struct cw_ast_node *n)
{
    bool divides = n->words[0] == '/', compound = n->kind == CW_AST_CompoundAssignOperator;

    if (!is_minus_one(l, n->first->next) && (divides || compound || !is_minus_one(l, n->first)))
        return true;
    if (compound)
        return n->first->kind == CW_AST_DeclRefExpr && n->first->decl && variable_moves(l, n->first->decl);
    return moves(l, product_around(n));
}

/* Functions may multiply with what they are given, and those of the program subtract from it. */
static bool call_stays(struct look l, const struct cw_ast_node *n)
{
    const struct cw_ast_node *f = cw_ast_bare(n->first, true);
    bool own = cw_proof_defines(l.p, f->words);

    for (const struct cw_ast_node *a = n->first->next; a && !is_plain_call(&l, n); a = a->next)
        if (is_minus_one(l, a) || (own && may_be_zero(l, a)))
            return moves(l, n);
    return true;
}

static bool node_stays(struct look l, const struct cw_ast_node *n)
{
    bool loops = l.body == l.p->body && l.p->r->loops;

    if (!is_floating(n))
        return true;
    if (is_operator(n, "-") || (n->kind == CW_AST_CompoundAssignOperator && *n->words == '-'))
        return !loops && difference(l, n->kind == CW_AST_BinaryOperator ? n->first : NULL, n->first->next);
    if (cw_ast_is(n, CW_AST_UnaryOperator, "-")) {
        if (is_literal(cw_ast_bare(n->first, true)))
            return true; /* a number, which matters where it is multiplied with, or something subtracted from it */
        return !loops && moves(l, product_around(n));
    }
    if (n->kind == CW_AST_CallExpr)
        return call_stays(l, n);
    if (is_operator(n, "*/") || (n->kind == CW_AST_CompoundAssignOperator && strchr("*/", *n->words)))
        return product(l, n);
    return true;
}

/* Nobody sees the sign of what is only compared, or made a whole number. */
static bool is_unseen(const struct cw_ast_node *top)
{
    const struct cw_ast_node *around = top->parent;

    if (!(around && around->kind == CW_AST_IfStmt && around->first == top) && !cw_ast_is(top, CW_AST_ImplicitCastExpr, "FloatingToIntegral") &&
        !cw_ast_is(top, CW_AST_CStyleCastExpr, "FloatingToIntegral"))
        return false;
    for (const struct cw_ast_node *n = top; n; n = cw_ast_following(top, n))
        if (n->kind == CW_AST_CallExpr || n->kind == CW_AST_CompoundAssignOperator || cw_ast_is(n, CW_AST_BinaryOperator, "=") ||
            n->kind == CW_AST_OTHER || cw_ast_is(n, CW_AST_UnaryOperator, "&"))
            return false;
    return true;
}

const char *cw_proof_signs(const struct cw_proof *p)
{
    unsigned looks = 0;

    for (unsigned i = 0; i < p->reaches; i++) {
        struct look l = {.p = p, .body = p->reached[i], .looks = &looks};
        for (const struct cw_ast_node *n = l.body; n;) {
            const struct cw_ast_node *last = n;
            if (!is_unseen(n)) {
                if (!node_stays(l, n))
                    return "the sign of a NaN may differ";
                n = cw_ast_following(l.body, n);
                continue;
            }
            while (last != l.body && !last->next)
                last = last->parent;
            n = last == l.body ? NULL : last->next;
        }
    }
    return NULL;
}
