/* rows_proof.c - the kernel as a whole: see rows_proof.h. */
#include "rows_proof.h"

#include <stdlib.h>
#include <string.h>

/* ---- the function, and those that it calls */

static bool is_named(const struct cw_proof *p, const struct cw_ast_node *n, uint32_t name)
{
    const struct cw_rw_name *w = &p->r->s->names.v[name];

    return strlen(n->words) == w->length && !memcmp(n->words, w->text, w->length);
}

static const char *find_kernel(struct cw_proof *p)
{
    const struct cw_rw_function *f = p->r->f;
    uint32_t name = p->r->t->v[f->name_token].name, parameters = 0,
             behind = cw_rows_place(p, f->open_token) + 1;
    bool is_kernel = false;

    for (const struct cw_ast_node *n = p->root->first; n; n = n->next) {
        if (n->kind != CW_AST_FunctionDecl || !cw_ast_body(n) || !is_named(p, n, name))
            continue;
        if (p->kernel)
            return "the kernel is defined twice";
        p->kernel = n;
        p->body = cw_ast_body(n);
    }
    if (!p->kernel || p->kernel->name_at != cw_rows_place(p, f->name_token) ||
        !cw_rows_is_at(p, p->body, (struct cw_rw_range){f->body_open, f->body_close + 1}))
        return "the kernel stands elsewhere";
    for (const struct cw_ast_node *n = p->kernel->first; n; n = n->next) {
        is_kernel |= n->kind == CW_AST_OpenCLKernelAttr;
        if (n->kind == CW_AST_OTHER)
            return "it has attributes"; /* which the form has not */
        if (n->kind != CW_AST_ParmVarDecl)
            continue;
        if (parameters == p->r->parameters || !is_named(p, n, p->r->parameter[parameters].name) ||
            p->r->parameter[parameters].integer != cw_rows_is_integer(n->type))
            return "it has other parameters";
        if (n->macro || (parameters ? n->begin < behind : n->begin != cw_rows_place(p, f->open_token + 1)))
            return "it has other parameters";
        behind = n->end;
        parameters++;
    }
    if (behind > cw_rows_place(p, f->close_token) ||
        behind != p->r->t->v[f->close_token - 1].at + p->r->t->v[f->close_token - 1].length)
        return "it has other parameters";
    return !is_kernel || parameters != p->r->parameters ? "it has other parameters, or is no kernel" : NULL;
}

/* Built-ins that tell work-groups, or where things stand in them, or that may do what rows do not; the
 * rewriter has its own list (rewrite_words.c). */
static bool is_refused(const char *name, bool in_kernel)
{
    static const char *const ids[] = {"get_global_id", "get_global_size", "get_global_offset",
                                      "get_num_groups", NULL};
    static const char *const begins[] = {
        "get_",     "barrier",   "work_group", "sub_group", "intel_sub", "mem_fence", "read_",
        "write_",   "async_",    "wait_group", "prefetch",  "printf",    "atom",      "vload",
        "vstore",   "enqueue",   "commit_",    "reserve_",  "ndrange",   "to_",       "__",
        "as_float", "as_double", "as_half",    "cross",     NULL};

    for (size_t i = 0; in_kernel && ids[i]; i++)
        if (!strcmp(name, ids[i]))
            return false;
    for (size_t i = 0; begins[i]; i++)
        if (!strncmp(name, begins[i], strlen(begins[i])))
            return true;
    return false;
}

static const char *reach(struct cw_proof *p, const char *name, bool in_kernel)
{
    bool found = false;

    for (const struct cw_ast_node *n = p->root->first; n; n = n->next) {
        const struct cw_ast_node *body =
            n->kind == CW_AST_FunctionDecl && !strcmp(n->words, name) ? cw_ast_body(n) : NULL;
        unsigned i = 0;
        if (!body)
            continue;
        found = true;
        for (const struct cw_ast_node *k = n->first; k; k = k->next)
            if (k->kind == CW_AST_OverloadableAttr) /* built-ins of the name are hidden from clang here, and
                                                       not from PoCL's */
                return "it calls an overloaded function";
        while (i < p->reaches && p->reached[i] != body)
            i++;
        if (i == CW_PROOF_FUNCTIONS)
            return "it calls too many functions";
        if (i == p->reaches)
            p->reached[p->reaches++] = body;
    }
    return !found && is_refused(name, in_kernel) ? "it calls what depends on work-groups" : NULL;
}

/* Functions that are named in any way count as called. */
static const char *find_reached(struct cw_proof *p)
{
    p->reached[p->reaches++] = p->body;
    for (unsigned i = 0; i < p->reaches; i++)
        for (const struct cw_ast_node *n = p->reached[i]; n; n = cw_ast_following(p->reached[i], n)) {
            const char *wrong;
            if (n->kind == CW_AST_WhileStmt || n->kind == CW_AST_DoStmt || n->kind == CW_AST_GotoStmt ||
                (i && n->kind == CW_AST_ForStmt))
                return "there are other loops";
            if (n->kind == CW_AST_VarDecl && (strstr(n->type, "__local ") || strstr(n->type, "volatile")))
                return "there is local or volatile memory";
            if (n->kind != CW_AST_DeclRefExpr ||
                (n->decl ? n->decl->kind != CW_AST_FunctionDecl : !strchr(n->type, '('))) /* no function */
                continue;
            wrong = reach(p, n->words, i == 0);
            if (wrong)
                return wrong;
        }
    return NULL;
}

/* ---- loops */

static bool number(const struct cw_ast_node *n, int32_t *value)
{
    bool minus = cw_ast_is(n, CW_AST_UnaryOperator, "-");

    n = minus ? n->first : n;
    if (n->kind != CW_AST_IntegerLiteral || strcmp(n->type, "int") || strlen(n->words) > 4)
        return false;
    *value = (int32_t)strtol(n->words, NULL, 10) * (minus ? -1 : 1);
    return true;
}

/* for (int x = first; x <= last; x++): the variable, or NULL. */
static const struct cw_ast_node *loop(const struct cw_ast_node *n, const struct cw_rw_loop *claim)
{
    const struct cw_ast_node *init = cw_ast_child(n, 0), *test = cw_ast_child(n, 2),
                             *step = cw_ast_child(n, 3), *x;
    int32_t first, last;

    x = init && init->kind == CW_AST_DeclStmt ? init->first : NULL;
    if (!x || x->next || x->kind != CW_AST_VarDecl || strcmp(x->type, "__private int") || !x->first ||
        x->first->next || !number(x->first, &first) || !step ||
        !cw_ast_is(step, CW_AST_UnaryOperator, "++") || step->first->kind != CW_AST_DeclRefExpr ||
        step->first->decl != x)
        return NULL;
    if (!test || test->kind != CW_AST_BinaryOperator || cw_rows_variable(test->first) != x ||
        !number(test->first->next, &last))
        return NULL;
    if (!strcmp(test->words, "<"))
        last--;
    else if (strcmp(test->words, "<="))
        return NULL;
    return first == claim->first && last == claim->last ? x : NULL;
}

static const char *find_loops(struct cw_proof *p)
{
    uint32_t found = 0;

    for (const struct cw_ast_node *n = p->body; n; n = cw_ast_following(p->body, n)) {
        uint32_t k = 0;
        if (n->kind != CW_AST_ForStmt)
            continue;
        while (k < p->r->loops && cw_rows_place(p, p->r->loop[k].head) != n->begin)
            k++;
        if (k == p->r->loops || n->macro || p->loop[k])
            return "there are other loops";
        p->loop[k] = loop(n, &p->r->loop[k]);
        if (!p->loop[k] || !is_named(p, p->loop[k], p->r->loop[k].name))
            return "a loop has other turns";
        found++;
    }
    return found != p->r->loops ? "there are other loops" : NULL;
}

/* ---- variables */

/* n is the step of a loop, `x++` of its own variable. */
static bool is_step(const struct cw_proof *p, const struct cw_ast_node *n, const struct cw_ast_node *x)
{
    for (uint32_t k = 0; k < p->r->loops; k++)
        if (p->loop[k] == x) /* VarDecl, DeclStmt, ForStmt */
            return n == cw_ast_child(x->parent->parent, 3);
    return false;
}

/* A struct or union that is handed to the kernel by value is one for all work-items of a work-group in
 * PoCL 3.1, where it is written. Its name may be like that of any other type. */
static bool is_record(const char *type)
{
    static const char *const numbers[] = {"float", "double", "half", NULL};

    return !strchr(type, '*') && !strstr(type, " __attribute__((ext_vector_type(") &&
           !cw_rows_is_integer(type) && !cw_rows_is_type(type, numbers);
}

static bool is_written_record(const struct cw_proof *p, const struct cw_ast_node *n)
{
    const struct cw_ast_node *up = n->parent;

    if (n->decl->kind != CW_AST_ParmVarDecl || n->decl->parent != p->kernel || !is_record(n->decl->type))
        return false;
    while (up->kind == CW_AST_ParenExpr || up->kind == CW_AST_MemberExpr ||
           up->kind == CW_AST_ExtVectorElementExpr)
        up = up->parent;
    return !cw_ast_is(up, CW_AST_ImplicitCastExpr, "LValueToRValue");
}

static const char *mark_written(const struct cw_proof *p)
{
    for (struct cw_ast_node *n = (struct cw_ast_node *)(uintptr_t)p->body; n;
         n = cw_ast_following(p->body, n)) {
        const struct cw_ast_node *around = n->parent;
        if (n->kind != CW_AST_DeclRefExpr || !n->decl)
            continue;
        if (is_written_record(p, n))
            return "a struct that is handed over is written";
        while (around->kind == CW_AST_ParenExpr)
            around = around->parent;
        if (!cw_ast_is(around, CW_AST_ImplicitCastExpr, "LValueToRValue") && !is_step(p, around, n->decl))
            n->decl->written = true;
    }
    for (uint32_t k = 0; k < p->r->loops; k++)
        if (p->loop[k]->written)
            return "a loop's variable is written";
    return NULL;
}

/* The variables that, for the rewriter, keep their value. */
static const char *variables(const struct cw_proof *p)
{
    for (uint32_t k = 0; k < p->r->variables; k++) {
        const struct cw_rw_variable *v = &p->r->variable[k];
        const struct cw_ast_node *n = p->body;
        struct cw_rows_term t;
        while (n && !(n->kind == CW_AST_VarDecl && n->name_at == cw_rows_place(p, v->token)))
            n = cw_ast_following(p->body, n);
        if (!n || n->macro || n->parent->kind != CW_AST_DeclStmt ||
            n->begin != cw_rows_place(p, v->type.first) ||
            n->parent->first->name_at != cw_rows_place(p, v->type.end) || !n->first || n->first->next ||
            !cw_rows_is_at(p, n->first, v->value) || !is_named(p, n, v->name))
            return "a variable is declared in another way";
        t = cw_rows_term_of(p, n->first);
        if (n->written || !cw_rows_is_integer(n->type) || t.moves != v->term || t.turns != v->turns ||
            cw_rewrite_int_type(p->r, v->type.first, v->type.end) != cw_rows_is_int(n->type))
            return "a variable has other values";
    }
    return NULL;
}

/* ---- memory */

/* Where it is written, with loops: a variable, or an element that is another one in each work-item. */
static bool is_good_target(const struct cw_proof *p, const struct cw_ast_node *n)
{
    enum cw_rw_term t;

    n = cw_ast_bare(n, false);
    while (n->kind == CW_AST_ExtVectorElementExpr || n->kind == CW_AST_MemberExpr)
        n = cw_ast_bare(n->first, false);
    if (n->kind == CW_AST_DeclRefExpr)
        return n->decl && (n->decl->kind == CW_AST_VarDecl || n->decl->kind == CW_AST_ParmVarDecl);
    if (n->kind != CW_AST_ArraySubscriptExpr)
        return false;
    t = cw_rows_term_of(p, cw_ast_child(n, 1)).moves;
    return t == CW_RW_T_UP || t == CW_RW_T_DOWN;
}

static const char *memory(const struct cw_proof *p)
{
    for (const struct cw_ast_node *n = p->body; n; n = cw_ast_following(p->body, n)) {
        const struct cw_ast_node *base;
        if (n->kind == CW_AST_ArraySubscriptExpr) {
            base = cw_rows_variable(n->first);
            if (!base || base->kind != CW_AST_ParmVarDecl || base->written || !strchr(base->type, '*') ||
                cw_rows_term_of(p, cw_ast_child(n, 1)).moves == CW_RW_T_UNKNOWN)
                return "a subscript is of something else, or moves by more";
        }
        if (!p->r->loops)
            continue;
        if (cw_ast_is(n, CW_AST_UnaryOperator, "*") || cw_ast_is(n, CW_AST_UnaryOperator, "&"))
            return "pointers are used otherwise than by subscripts";
        for (const struct cw_ast_node *a = n->kind == CW_AST_CallExpr && n->first ? n->first->next : NULL; a;
             a = a->next)
            if (strchr(a->type, '*'))
                return "pointers are used otherwise than by subscripts";
        if (((n->kind == CW_AST_BinaryOperator && !strcmp(n->words, "=")) ||
             n->kind == CW_AST_CompoundAssignOperator || cw_ast_is(n, CW_AST_UnaryOperator, "++") ||
             cw_ast_is(n, CW_AST_UnaryOperator, "--")) &&
            !is_good_target(p, n->first))
            return "all work-items may write to one place";
    }
    return NULL;
}

const char *cw_rows_proof(const struct cw_ast *tree, const struct cw_rw_rows *r)
{
    struct cw_proof p = {.r = r, .root = cw_ast_root(tree)};
    const char *wrong = find_kernel(&p);

    for (struct cw_ast_node *n = cw_ast_root(tree); n; n = cw_ast_following(cw_ast_root(tree), n)) {
        n->written = false; /* of another form's proof */
        n->term = 0;
    }
    if (!wrong)
        wrong = find_reached(&p);
    if (!wrong)
        wrong = find_loops(&p);
    if (!wrong)
        wrong = mark_written(&p);
    if (!wrong)
        wrong = variables(&p);
    if (!wrong)
        wrong = memory(&p);
    if (!wrong)
        wrong = cw_rows_tests(&p);
    return wrong ? wrong : cw_rows_floats(&p);
}
