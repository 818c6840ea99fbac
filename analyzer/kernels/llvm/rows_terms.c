/* rows_terms.c - how integers change from work-item to work-item: see rows_proof.h. */
#include "rows_proof.h"

#include <string.h>

/* cw_ast_node.term of a variable */
enum { NOT_LOOKED_AT, KNOWN };

static const struct cw_rows_term unknown = {CW_RW_T_UNKNOWN, false, 0}, fixed = {CW_RW_T_FIXED, false, 0};

bool cw_rows_is_type(const char *type, const char *const *names)
{
    static const char *const around[] = {"const ", "__private ", NULL};
    size_t i = 0;

    while (around[i])
        if (!strncmp(type, around[i], strlen(around[i]))) {
            type += strlen(around[i]);
            i = 0;
        } else {
            i++;
        }
    while (*names && strcmp(type, *names))
        names++;
    return *names != NULL;
}

bool cw_rows_is_integer(const char *type)
{
    static const char *const types[] = {"int",           "unsigned int",  "long",
                                        "unsigned long", "short",         "unsigned short",
                                        "char",          "unsigned char", NULL};

    return cw_rows_is_type(type, types);
}

bool cw_rows_is_int(const char *type)
{
    size_t n = strlen(type);

    return cw_rows_is_integer(type) && n >= 3 && !strcmp(type + n - 3, "int") && !strstr(type, "unsigned");
}

uint32_t cw_rows_place(const struct cw_proof *p, uint32_t token)
{
    return p->r->t->v[token].at;
}

bool cw_rows_is_at(const struct cw_proof *p, const struct cw_ast_node *n, struct cw_rw_range at)
{
    const struct cw_rw_token *v = p->r->t->v;

    return !n->macro && at.first < at.end && n->begin == v[at.first].at &&
           n->end == v[at.end - 1].at + v[at.end - 1].length;
}

const struct cw_ast_node *cw_rows_find(const struct cw_proof *p, struct cw_rw_range at)
{
    for (const struct cw_ast_node *n = p->body; n; n = cw_ast_following(p->body, n))
        if (*n->type && n->kind != CW_AST_VarDecl && cw_rows_is_at(p, n, at))
            return n;
    return NULL;
}

bool cw_rows_defines(const struct cw_proof *p, const char *function)
{
    for (const struct cw_ast_node *n = p->root->first; n; n = n->next)
        if (n->kind == CW_AST_FunctionDecl && !strcmp(n->words, function) && cw_ast_body(n))
            return true;
    return false;
}

bool cw_rows_calls(const struct cw_proof *p, const struct cw_ast_node *call, const char *builtin)
{
    const struct cw_ast_node *f =
        call->kind == CW_AST_CallExpr && call->first ? cw_ast_bare(call->first, true) : NULL;

    return f && cw_ast_is(f, CW_AST_DeclRefExpr, builtin) &&
           !(f->decl && f->decl->kind != CW_AST_FunctionDecl) && !cw_rows_defines(p, builtin);
}

const struct cw_ast_node *cw_rows_variable(const struct cw_ast_node *n)
{
    n = cw_ast_bare(n, false);
    if (!n || !cw_ast_is(n, CW_AST_ImplicitCastExpr, "LValueToRValue") || !n->first)
        return NULL;
    n = cw_ast_bare(n->first, false);
    if (n->kind != CW_AST_DeclRefExpr || !n->decl ||
        (n->decl->kind != CW_AST_VarDecl && n->decl->kind != CW_AST_ParmVarDecl))
        return NULL;
    return n->decl;
}

static bool is_within(const struct cw_ast_node *n, const struct cw_ast_node *top)
{
    while (n && n != top)
        n = n->parent;
    return n != NULL;
}

/* It keeps the value that it has first. */
static struct cw_rows_term variable(const struct cw_proof *p, const struct cw_ast_node *d)
{
    struct cw_ast_node *remembered = (struct cw_ast_node *)(uintptr_t)d;
    struct cw_rows_term t = unknown;

    if (!cw_rows_is_integer(d->type))
        return unknown;
    for (uint32_t i = 0; i < p->r->loops; i++)
        if (p->loop[i] == d) /* in one turn */
            return (struct cw_rows_term){CW_RW_T_FIXED, true, 0};
    if (d->written)
        return unknown;
    if (d->kind == CW_AST_ParmVarDecl)
        return d->parent == p->kernel ? fixed : unknown;
    if (d->term == NOT_LOOKED_AT) {
        remembered->term = KNOWN + CW_RW_T_UNKNOWN; /* for `int x = x;` */
        if (d->first && !d->first->next && is_within(d, p->body))
            t = cw_rows_term_of(p, d->first);
        remembered->term = (uint8_t)(KNOWN + t.moves);
        remembered->turns = t.turns;
        remembered->cuts = t.cuts;
    }
    return (struct cw_rows_term){(enum cw_rw_term)(d->term - KNOWN), d->turns, d->cuts};
}

/* The first argument is a number from 0 to 2. */
static bool dimension(const struct cw_ast_node *call, unsigned *d)
{
    const struct cw_ast_node *a = cw_ast_child(call, 1);

    a = a && !a->next ? cw_ast_bare(a, true) : NULL;
    if (!a || a->kind != CW_AST_IntegerLiteral || strlen(a->words) != 1 || *a->words > '2')
        return false;
    *d = (unsigned)(*a->words - '0');
    return true;
}

static struct cw_rows_term call(const struct cw_proof *p, const struct cw_ast_node *n)
{
    unsigned d;

    if (cw_rows_calls(p, n, "clamp")) {
        const struct cw_ast_node *a = cw_ast_child(n, 1), *least = cw_ast_child(n, 2),
                                 *most = cw_ast_child(n, 3);
        struct cw_rows_term t, low, high;
        if (!a || !least || !most || most->next)
            return unknown;
        t = cw_rows_term_of(p, a);
        low = cw_rows_term_of(p, least);
        high = cw_rows_term_of(p, most);
        if (low.moves != CW_RW_T_FIXED || high.moves != CW_RW_T_FIXED)
            return unknown;
        t.turns |= low.turns || high.turns;
        t.cuts = t.moves == CW_RW_T_FIXED ? 0 : CW_PROOF_CUTS + 1;
        return t;
    }
    if (!dimension(n, &d))
        return unknown;
    if (cw_rows_calls(p, n, "get_global_id"))
        return d ? fixed : (struct cw_rows_term){CW_RW_T_UP, false, 0};
    if (cw_rows_calls(p, n, "get_global_size") || cw_rows_calls(p, n, "get_global_offset") ||
        cw_rows_calls(p, n, "get_num_groups"))
        return fixed;
    return unknown;
}

static struct cw_rows_term opposite(struct cw_rows_term t)
{
    t.moves = t.moves == CW_RW_T_UP ? CW_RW_T_DOWN : t.moves == CW_RW_T_DOWN ? CW_RW_T_UP : t.moves;
    return t;
}

static struct cw_rows_term both(const struct cw_proof *p, const struct cw_ast_node *n)
{
    struct cw_rows_term a, b;
    bool minus = !strcmp(n->words, "-"), times = !strcmp(n->words, "*");

    if (!minus && !times && strcmp(n->words, "+"))
        return unknown;
    a = cw_rows_term_of(p, cw_ast_child(n, 0));
    b = cw_rows_term_of(p, cw_ast_child(n, 1));
    if (a.moves == CW_RW_T_UNKNOWN || b.moves == CW_RW_T_UNKNOWN)
        return unknown;
    if (times) /* squares of a turn have their ends elsewhere than in the first and the last one */
        return a.moves != CW_RW_T_FIXED || b.moves != CW_RW_T_FIXED || (a.turns && b.turns)
                   ? unknown
                   : (struct cw_rows_term){CW_RW_T_FIXED, a.turns || b.turns, 0};
    if (minus)
        b = opposite(b);
    if (a.moves != CW_RW_T_FIXED && b.moves != CW_RW_T_FIXED)
        return unknown;
    return (struct cw_rows_term){a.moves == CW_RW_T_FIXED ? b.moves : a.moves, a.turns || b.turns,
                                 a.cuts > b.cuts ? a.cuts : b.cuts};
}

/* A conversion of `t` to `type`. */
static struct cw_rows_term cut(struct cw_rows_term t, const char *type)
{
    if ((t.moves == CW_RW_T_UP || t.moves == CW_RW_T_DOWN) &&
        (strstr(type, "char") || strstr(type, "short")) && t.cuts <= CW_PROOF_CUTS)
        t.cuts++;
    return t;
}

/* Only what has no side effects, reads no memory and cannot trap is known. */
struct cw_rows_term cw_rows_term_of(const struct cw_proof *p, const struct cw_ast_node *n)
{
    const struct cw_ast_node *d;

    if (!n || !cw_rows_is_integer(n->type))
        return unknown;
    switch (n->kind) {
    case CW_AST_ParenExpr:
        return cw_rows_term_of(p, n->first);
    case CW_AST_IntegerLiteral:
    case CW_AST_CharacterLiteral:
        return fixed;
    case CW_AST_ImplicitCastExpr:
    case CW_AST_CStyleCastExpr:
        d = cw_rows_variable(n);
        if (d)
            return variable(p, d);
        if (!strcmp(n->words, "IntegralCast"))
            return cut(cw_rows_term_of(p, n->first), n->type);
        return !strcmp(n->words, "NoOp") ? cw_rows_term_of(p, n->first) : unknown;
    case CW_AST_BinaryOperator:
        return both(p, n);
    case CW_AST_UnaryOperator:
        if (!strcmp(n->words, "-"))
            return opposite(cw_rows_term_of(p, n->first));
        return !strcmp(n->words, "+") ? cw_rows_term_of(p, n->first) : unknown;
    case CW_AST_CallExpr:
        return call(p, n);
    default:
        return unknown;
    }
}
