/* rows_numbers.c - values that are the same number in every copy of a kernel's text: see rows_floats.c. */
#include "rows_floats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool says_floating(const char *type)
{
    return strstr(type, "float") || strstr(type, "double") || strstr(type, "half");
}

/* "int __attribute__((ext_vector_type(4)))" */
static bool is_vector(const char *type)
{
    return strstr(type, "ext_vector_type") && !strchr(type, '*');
}

bool cw_rows_is_floating(const struct cw_ast_node *n)
{
    return says_floating(n->type) && !strchr(n->type, '*') && !strchr(n->type, '[') &&
           (is_vector(n->type) || !strchr(n->type, '('));
}

/* Only what is known to be: structures have names of any kind. */
bool cw_rows_is_whole(const struct cw_ast_node *n)
{
    return cw_rows_is_integer(n->type) || !strcmp(n->type, "bool") ||
           (is_vector(n->type) && !says_floating(n->type));
}

bool cw_rows_is_literal(const struct cw_ast_node *n)
{
    return n->kind == CW_AST_FloatingLiteral || n->kind == CW_AST_IntegerLiteral;
}

bool cw_rows_is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(word, *list))
            return true;
    return false;
}

enum cw_rows_plain cw_rows_plain_of(const char *function)
{
    static const char *const picks[] = {"fmin", "fmax", "clamp", NULL};
    static const char *const keeps[] = {"fabs", "floor", "ceil", "trunc", "sqrt", NULL};
    static const char *const sums[] = {"mad", "fma", NULL};

    return cw_rows_is_one_of(function, picks)   ? CW_PROOF_PICKS
           : cw_rows_is_one_of(function, keeps) ? CW_PROOF_KEEPS
           : cw_rows_is_one_of(function, sums)  ? CW_PROOF_SUMS
                                                : CW_PROOF_OTHER;
}

/* ---- numbers */

bool cw_rows_is_usual(double v)
{
    return fabs(v) < 1e30 && !(v == 0 && signbit(v));
}

bool cw_rows_is_in_trail(const struct cw_rows_look *l, const struct cw_ast_node *d)
{
    for (unsigned i = 0; i < l->depth; i++)
        if (l->trail[i] == d)
            return true;
    return false;
}

const struct cw_ast_node *cw_rows_given_once(const struct cw_rows_look *l, const struct cw_ast_node *d)
{
    const struct cw_ast_node *value = d->first;

    if (d->kind != CW_AST_VarDecl || (value && value->next))
        return NULL;
    for (const struct cw_ast_node *n = l->body; n; n = cw_ast_following(l->body, n)) {
        ++*l->looks;
        if (n->kind != CW_AST_DeclRefExpr || n->decl != d ||
            cw_ast_is(n->parent, CW_AST_ImplicitCastExpr, "LValueToRValue"))
            continue;
        if (value || n->parent->first != n || !cw_ast_is(n->parent, CW_AST_BinaryOperator, "="))
            return NULL;
        value = n->next;
    }
    return value;
}

static bool fits(const char *type, double v)
{
    return !strcmp(type, "int") || !strcmp(type, "long") ? fabs(v) < 2147483648.0
                                                         : cw_rows_is_integer(type) && v >= 0 && v < 128;
}

static bool number_of_cast(struct cw_rows_look l, const struct cw_ast_node *n, double *value)
{
    const struct cw_ast_node *d = cw_rows_variable(n), *once;

    if (d) {
        once = l.depth < CW_PROOF_DEEPEST && !cw_rows_is_in_trail(&l, d) ? cw_rows_given_once(&l, d) : NULL;
        if (!once)
            return false;
        l.trail[l.depth++] = d;
        return cw_rows_number(l, once, value);
    }
    if (strcmp(n->words, "IntegralCast") && strcmp(n->words, "IntegralToFloating") &&
        strcmp(n->words, "FloatingCast") && strcmp(n->words, "NoOp") && strcmp(n->words, "VectorSplat"))
        return false;
    return cw_rows_number(l, n->first, value) && (strcmp(n->words, "IntegralCast") || fits(n->type, *value));
}

bool cw_rows_number(struct cw_rows_look l, const struct cw_ast_node *n, double *value)
{
    double a, b;

    if (!n || ++*l.looks > CW_PROOF_MOST_LOOKS)
        return false;
    switch (n->kind) {
    case CW_AST_FloatingLiteral:
    case CW_AST_IntegerLiteral:
        *value = strtod(n->words, NULL);
        return true;
    case CW_AST_ParenExpr:
        return cw_rows_number(l, n->first, value);
    case CW_AST_ImplicitCastExpr:
    case CW_AST_CStyleCastExpr:
        return number_of_cast(l, n, value);
    case CW_AST_UnaryOperator:
        if ((strcmp(n->words, "-") && strcmp(n->words, "+")) || !cw_rows_number(l, n->first, &a) ||
            (cw_rows_is_whole(n) && strcmp(n->type, "int")))
            return false;
        *value = *n->words == '-' ? -a : a;
        return true;
    case CW_AST_CallExpr:
        if (!cw_rows_calls(l.p, n, "sqrt") || !cw_rows_number(l, n->first->next, &a))
            return false;
        *value = sqrt(a);
        return true;
    case CW_AST_BinaryOperator:
        if (!cw_rows_is_floating(n) || !strchr("+-*/", *n->words) || n->words[1] ||
            !cw_rows_number(l, n->first, &a) || !cw_rows_number(l, n->first->next, &b))
            return false;
        *value = *n->words == '+' ? a + b : *n->words == '-' ? a - b : *n->words == '*' ? a * b : a / b;
        return true;
    default:
        return false;
    }
}
