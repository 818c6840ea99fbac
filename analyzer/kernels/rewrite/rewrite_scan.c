/* rewrite_scan.c - finds the functions of a unit: their names, parameter lists and bodies, in all branches of
 * all conditionals. Knows just enough of C for that; it marks uncertain cases as odd. */
#include "rewrite_state.h"

#include <string.h>

enum top { IN_FUNCTION = 1, IN_RECORD, IN_VALUE, IN_ODD };

/* Where the scanner stands. A conditional copies it; all branches must agree at its end. */
struct level {
    uint32_t brace, paren, outer_paren; /* outer: of the declaration, around the braces */
    enum top top;                       /* the kind of the outermost brace */
    uint32_t body;                      /* its node, IN_FUNCTION and IN_ODD */
    bool open, closed;                  /* a function's parameter list in this declaration is open, is over */
    uint32_t first_function;            /* functions of this declaration begin here */
    uint8_t parameters;                 /* enum cw_rw_parameters */
    bool equal, is_typedef, record, odd;
    char last; /* at depth 0: 'n' name, 'm' macro, 'a' attribute word, ')' closed group, 0 other */
    uint32_t last_token;
};

struct conditional {
    struct level before, after;
    bool has_after, has_else;
};
enum { MAX_NESTING = 256 };

struct scan {
    struct cw_rw *s;
    struct cw_rw_unit *u;
    const struct cw_rw_text *t;
    struct level l;
    struct conditional *stack;
    size_t depth;
    uint32_t outer; /* a node for all that stands outside of functions; 0: not met yet */
};

static uint32_t *flags_of(struct scan *c, size_t i)
{
    return &c->s->names.v[c->t->v[i].name].flags;
}

static bool refuse_braces(struct scan *c)
{
    return cw_rewrite_refuse(c->s, "braces or parentheses that do not match");
}

/* ---- conditionals */

static bool merge(struct scan *c, struct conditional *k, const struct level *l)
{
    struct level *a = &k->after;

    if (!k->has_after) {
        k->has_after = true;
        *a = *l;
        return true;
    }
    if (a->brace != l->brace || a->paren != l->paren || (a->brace && a->top != l->top) ||
        a->open != l->open || a->closed != l->closed ||
        ((l->open || l->closed) && a->parameters != l->parameters))
        return cw_rewrite_refuse(c->s, "branches of a conditional leave different brackets open");
    if (a->brace && (a->top == IN_FUNCTION || a->top == IN_ODD) && a->body != l->body)
        if (!cw_rewrite_add_edge(c->s, a->body, l->body) || !cw_rewrite_add_edge(c->s, l->body, a->body))
            return cw_rewrite_nomem(c->s);
    a->equal |= l->equal;
    a->is_typedef |= l->is_typedef;
    a->record |= l->record;
    a->odd |= l->odd;
    if (!l->open && !l->closed)
        a->first_function = (uint32_t)c->u->functions;
    else if (l->first_function < a->first_function)
        a->first_function = l->first_function;
    a->last = l->last;
    a->last_token = l->last_token;
    return true;
}

static bool conditional(struct scan *c, char which)
{
    struct conditional *k = c->depth ? &c->stack[c->depth - 1] : NULL;

    if (which == CW_RW_IF) {
        if (c->depth == MAX_NESTING)
            return cw_rewrite_refuse(c->s, "conditionals nested too deeply");
        c->stack[c->depth++] = (struct conditional){.before = c->l};
        return true;
    }
    if (!k)
        return cw_rewrite_refuse(c->s, "a conditional that nothing opened");
    if (!merge(c, k, &c->l))
        return false;
    if (which == CW_RW_ENDIF) {
        if (!k->has_else && !merge(c, k, &k->before))
            return false;
        c->l = k->after;
        c->depth--;
        return true;
    }
    k->has_else |= which == CW_RW_ELSE;
    c->l = k->before;
    if (!c->l.open && !c->l.closed)
        c->l.first_function = (uint32_t)c->u->functions;
    return true;
}

/* ---- declarations */

/* The declaration is over; the functions in it that are no definitions are prototypes. */
static void end_declaration(struct scan *c)
{
    bool odd = c->l.odd || c->l.is_typedef;

    for (size_t i = c->l.first_function; i < c->u->functions; i++) {
        struct cw_rw_function *f = &c->u->function[i];
        if (f->done)
            continue;
        f->done = true;
        f->odd |= odd || f->close_token == UINT32_MAX;
        if (f->odd)
            *flags_of(c, f->name_token) |= CW_RW_ODD;
    }
    c->l = (struct level){.first_function = (uint32_t)c->u->functions};
}

static uint32_t new_body(struct scan *c, bool odd)
{
    struct cw_rw *s = c->s;

    if (s->bodies >= 0x7fffffffu || !cw_array_reserve(&s->odd_body, &s->odd_capacity, s->bodies, 1, 1)) {
        cw_rewrite_nomem(s);
        return 0;
    }
    s->odd_body[s->bodies] = odd ? CW_RW_BODY_ODD : 0;
    return CW_RW_FIRST_BODY + s->bodies++;
}

/* Name i outside of functions, where an id built-in has no hidden argument to ask: the size of an array, say.
 * A name that merely is one of a macro with parameters, or pastes names, is let pass: should it reach an id
 * the result does not build, and nothing runs. */
static bool outer_use(struct scan *c, size_t i)
{
    bool called = i + 1 < c->t->count && c->t->v[i + 1].c == '(';
    uint32_t flags = *flags_of(c, i);

    if (flags & CW_RW_SECRET)
        return cw_rewrite_refuse_secret(c->s);
    if (flags & CW_RW_REACHES_ID ||
        (!called && (c->l.open || !(flags & CW_RW_MACRO)) && !(flags & CW_RW_ID && c->l.paren)))
        return true;
    if (!c->outer && !(c->outer = new_body(c, true)))
        return false;
    return cw_rewrite_add_edge(c->s, c->outer, c->t->v[i].name) || cw_rewrite_nomem(c->s);
}

/* An opening brace outside of all others. */
static bool open_top(struct scan *c, size_t at)
{
    struct level *l = &c->l;
    struct cw_rw_function *only = NULL;
    size_t functions = 0;

    l->outer_paren = l->paren;
    l->paren = 0;
    l->brace = 1;
    if (l->equal || l->outer_paren) {
        l->top = IN_VALUE;
    } else if (l->closed && !l->odd && !l->is_typedef) {
        l->top = IN_FUNCTION;
        if (!(l->body = new_body(c, false)))
            return false;
        for (size_t i = l->first_function; i < c->u->functions; i++) {
            if (c->u->function[i].done)
                continue;
            if (!cw_rewrite_add_edge(c->s, c->t->v[c->u->function[i].name_token].name, l->body))
                return cw_rewrite_nomem(c->s);
            only = &c->u->function[i];
            functions++;
        }
        if (functions == 1) {
            only->body_open = (uint32_t)at;
            only->body = l->body;
        }
    } else if (l->record && !l->closed) {
        l->top = IN_RECORD;
    } else {
        l->top = IN_ODD;
        return (l->body = new_body(c, true)) != 0;
    }
    return true;
}

static bool close_top(struct scan *c, size_t at)
{
    if (c->l.paren)
        return refuse_braces(c);
    for (size_t i = c->l.first_function; i < c->u->functions; i++)
        if (!c->u->function[i].done && c->u->function[i].body_open && c->u->function[i].body == c->l.body)
            c->u->function[i].body_close = (uint32_t)at;
    if (c->l.top == IN_FUNCTION || c->l.top == IN_ODD) {
        end_declaration(c);
    } else {
        c->l.paren = c->l.outer_paren;
        c->l.record = false;
        c->l.last = 0;
    }
    return true;
}

/* Token i inside of braces. */
static bool in_braces(struct scan *c, size_t i)
{
    const struct cw_rw_token *k = &c->t->v[i];
    struct level *l = &c->l;

    if (k->kind == CW_RW_NAME) {
        *flags_of(c, i) |= CW_RW_USED | (l->is_typedef ? CW_RW_TYPEDEF : 0);
        if (l->top != IN_FUNCTION && l->top != IN_ODD) {
            if (!outer_use(c, i))
                return false;
        } else if (!cw_rewrite_add_edge(c->s, l->body, k->name)) {
            return cw_rewrite_nomem(c->s);
        }
    }
    if (l->top != IN_RECORD && !cw_rewrite_look_at_use(c->s, c->t, i, 0, c->t->count))
        return false;
    l->paren += k->c == '(' || k->c == '[';
    l->brace += k->c == '{';
    if (k->c == ')' || k->c == ']') {
        if (l->paren-- == 0)
            return refuse_braces(c);
    } else if (k->c == '}' && --l->brace == 0) {
        return close_top(c, i);
    }
    return true;
}

/* Reads token i of a parameter list, to count the list's parameters. */
static void parameter(struct scan *c, size_t i)
{
    const struct cw_rw_token *k = &c->t->v[i];
    struct level *l = &c->l;
    uint32_t flags = k->kind == CW_RW_NAME ? *flags_of(c, i) : 0;

    if (k->c == '.')
        l->parameters = CW_RW_P_DOUBT;
    else if (l->parameters == CW_RW_P_SOME ||
             ((k->c == '(' || k->c == ')' || l->paren > 1) && l->parameters != CW_RW_P_VOID))
        return; /* the arguments of a macro say nothing about its text */
    else if (k->kind == CW_RW_NAME && (flags & CW_RW_MACRO) &&
             !((flags & CW_RW_SOLID) && !(flags & CW_RW_HOLLOW)))
        l->parameters = CW_RW_P_DOUBT;
    else if (k->kind == CW_RW_NAME && l->parameters == CW_RW_P_NONE &&
             cw_tokens_name_is(&c->s->names, k->name, "void"))
        l->parameters = CW_RW_P_VOID;
    else
        l->parameters = CW_RW_P_SOME;
}

/* A parenthesis at depth 0 opens at token i. */
static bool open_group(struct scan *c, size_t i)
{
    struct level *l = &c->l;
    struct cw_rw_function *f;
    uint32_t flags;

    l->paren = 1;
    if (l->equal || l->last == 'a' || l->last == 'm')
        return true;
    flags = l->last == 'n' ? *flags_of(c, l->last_token) : CW_RW_KNOWN;
    if (l->closed || (flags & CW_RW_KNOWN)) {
        l->odd = true; /* a declarator in parentheses, or one that a macro makes */
        return true;
    }
    if (!cw_array_reserve(&c->u->function, &c->u->function_capacity, c->u->functions, 1, sizeof *f))
        return cw_rewrite_nomem(c->s);
    f = &c->u->function[c->u->functions++];
    *f = (struct cw_rw_function){
        .name_token = l->last_token, .open_token = (uint32_t)i, .close_token = UINT32_MAX};
    l->open = true;
    l->parameters = CW_RW_P_NONE;
    if (!l->is_typedef)
        *flags_of(c, l->last_token) |= CW_RW_FUNCTION;
    return true;
}

/* The parenthesis at token i leads back to depth 0. */
static void close_group(struct scan *c, size_t i)
{
    struct level *l = &c->l;

    for (size_t k = l->first_function; l->open && k < c->u->functions; k++) {
        struct cw_rw_function *f = &c->u->function[k];
        if (f->done || f->close_token != UINT32_MAX)
            continue;
        f->close_token = (uint32_t)i;
        f->parameters = l->parameters;
        *flags_of(c, f->name_token) |= l->parameters == CW_RW_P_SOME ? CW_RW_SOME : CW_RW_NONE;
    }
    if (l->open)
        l->closed = true;
    l->open = false;
    l->last = l->last == 'a' && !l->closed ? 0 : l->last == 'm' ? 'M' : ')';
}

/* A name at depth 0. */
static void outer_name(struct scan *c, size_t i)
{
    struct level *l = &c->l;
    const struct cw_rw_names *n = &c->s->names;
    uint32_t name = c->t->v[i].name, *flags = flags_of(c, i);

    l->is_typedef |= cw_tokens_name_is(n, name, "typedef");
    l->record |= cw_tokens_name_is(n, name, "struct") || cw_tokens_name_is(n, name, "union") ||
                 cw_tokens_name_is(n, name, "enum");
    *flags |= l->is_typedef ? CW_RW_TYPEDEF : 0;
    if (*flags & CW_RW_ATTRIBUTE) {
        l->last = 'a';
    } else if (*flags & CW_RW_MACRO) {
        *flags |= CW_RW_TOPLEVEL;
        l->last = 'm';
    } else {
        l->odd |= l->closed; /* "f(a) int a;": not a declarator of today */
        l->last = 'n';
    }
    l->last_token = (uint32_t)i;
    if (l->last != 'n' || i + 1 >= c->t->count || c->t->v[i + 1].c != '(' || l->equal)
        *flags |= CW_RW_USED;
}

/* Token i outside of braces. */
static bool outside(struct scan *c, size_t i)
{
    const struct cw_rw_token *k = &c->t->v[i];
    struct level *l = &c->l;

    if (k->c == '{')
        return open_top(c, i);
    if (k->c == '}')
        return refuse_braces(c);
    if (l->paren) {
        if (k->kind == CW_RW_NAME) {
            *flags_of(c, i) |= CW_RW_USED | (*flags_of(c, i) & CW_RW_MACRO ? CW_RW_TOPLEVEL : 0);
            if (!outer_use(c, i))
                return false;
        }
        if (l->equal && !cw_rewrite_look_at_use(c->s, c->t, i, 0, c->t->count))
            return false;
        if ((k->c == ')' || k->c == ']') && --l->paren == 0)
            close_group(c, i);
        else if (l->open)
            parameter(c, i);
        l->paren += k->c == '(' || k->c == '[';
        return true;
    }
    if (k->kind == CW_RW_NAME) {
        outer_name(c, i);
        return !(l->equal || *flags_of(c, i) & CW_RW_SECRET) || outer_use(c, i);
    } else if (k->c == '(') {
        return open_group(c, i);
    } else if (k->c == ')' || k->c == ']') {
        return refuse_braces(c);
    } else if (k->c == ';') {
        end_declaration(c);
    } else {
        l->paren += k->c == '[';
        l->equal |= k->c == '=';
        l->closed &= k->c != ',';
        l->last = 0;
    }
    return true;
}

bool cw_rewrite_scan(struct cw_rw *s, struct cw_rw_unit *u)
{
    struct conditional stack[MAX_NESTING];
    struct scan c = {.s = s, .u = u, .t = &u->text, .stack = stack};
    bool ok = true;

    for (size_t i = 0; ok && i < c.t->count; i++) {
        char which = c.t->v[i].c;
        if (c.t->v[i].kind != CW_RW_DIRECTIVE) {
            ok = c.l.brace ? in_braces(&c, i) : outside(&c, i);
            continue;
        }
        if (which == CW_RW_INCLUDE)
            ok = cw_rewrite_refuse(s, "an #include that is not resolved");
        else if (which == CW_RW_IF || which == CW_RW_ELIF || which == CW_RW_ELSE || which == CW_RW_ENDIF)
            ok = conditional(&c, which);
        while (i < c.t->count && c.t->v[i].kind != CW_RW_LINE_END)
            i++;
    }
    if (ok && (c.l.brace || c.l.paren || c.depth))
        return refuse_braces(&c);
    if (ok)
        end_declaration(&c);
    return ok;
}
