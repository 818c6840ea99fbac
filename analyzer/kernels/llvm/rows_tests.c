/* rows_tests.c - tests that become constants: see rows_proof.h. */
#include "rows_proof.h"

#include <string.h>

/* ---- conditions */

/* Looking at it, or not, makes no difference; it may read memory. */
static bool is_pure(const struct cw_proof *p, const struct cw_ast_node *top)
{
    static const char *const ids[] = {"get_global_id", "get_global_size", "get_global_offset",
                                      "get_num_groups", NULL};

    for (const struct cw_ast_node *n = top; n; n = cw_ast_following(top, n)) {
        size_t i = 0;
        switch (n->kind) {
        case CW_AST_CallExpr:
            while (ids[i] && !cw_rows_calls(p, n, ids[i]))
                i++;
            if (!ids[i])
                return false;
            break;
        case CW_AST_UnaryOperator:
            if (!*n->words || !strchr("+-~!*", *n->words) || n->words[1])
                return false;
            break;
        case CW_AST_BinaryOperator:
            if (!strcmp(n->words, "="))
                return false;
            break;
        case CW_AST_ParenExpr:
        case CW_AST_ImplicitCastExpr:
        case CW_AST_CStyleCastExpr:
        case CW_AST_DeclRefExpr:
        case CW_AST_IntegerLiteral:
        case CW_AST_FloatingLiteral:
        case CW_AST_CharacterLiteral:
        case CW_AST_ConditionalOperator:
        case CW_AST_BinaryConditionalOperator:
        case CW_AST_OpaqueValueExpr:
        case CW_AST_ArraySubscriptExpr:
        case CW_AST_MemberExpr:
        case CW_AST_ExtVectorElementExpr:
            break;
        default:
            return false;
        }
        if (strstr(n->type, "volatile") || strstr(n->type, "_Atomic"))
            return false;
    }
    return true;
}

/* `n` is one of the operands that `top` joins, at any depth. */
static bool is_joined(const struct cw_ast_node *top, char join, const struct cw_ast_node *n)
{
    const char two[] = {join, join, '\0'};

    top = cw_ast_bare(top, true);
    if (join && cw_ast_is(top, CW_AST_BinaryOperator, two))
        return is_joined(top->first, join, n) || is_joined(top->first->next, join, n);
    return top == cw_ast_bare(n, true);
}

/* Every operand is one of the atoms of condition c. */
static bool all_known(const struct cw_proof *p, uint32_t c, const struct cw_ast_node *top, char join)
{
    const char two[] = {join, join, '\0'};

    top = cw_ast_bare(top, true);
    if (join && cw_ast_is(top, CW_AST_BinaryOperator, two))
        return all_known(p, c, top->first, join) && all_known(p, c, top->first->next, join);
    for (uint32_t i = 0; i < p->r->atoms; i++) {
        const struct cw_ast_node *n =
            p->r->atom[i].condition == c ? cw_rows_find(p, p->r->atom[i].all) : NULL;
        if (n && cw_ast_bare(n, true) == top)
            return true;
    }
    return false;
}

/* The `if` whose condition is just that. */
static const struct cw_ast_node *condition(const struct cw_proof *p, struct cw_rw_range at)
{
    for (const struct cw_ast_node *n = p->body; n; n = cw_ast_following(p->body, n))
        if (n->kind == CW_AST_IfStmt && n->first && *n->first->type && cw_rows_is_at(p, n->first, at))
            return n->first;
    return NULL;
}

/* ---- atoms */

static bool is_negated(const char *op, const char *other)
{
    static const char *const pair[][2] = {{"<", ">="}, {"<=", ">"}, {"==", "!="}};

    for (size_t i = 0; i < 3; i++)
        if ((!strcmp(op, pair[i][0]) && !strcmp(other, pair[i][1])) ||
            (!strcmp(op, pair[i][1]) && !strcmp(other, pair[i][0])))
            return true;
    return false;
}

/* Both sides, as the row's ends are asked for them. */
static bool sides(const struct cw_proof *p, const struct cw_rw_atom *a, struct cw_rows_term left,
                  struct cw_rows_term right)
{
    struct cw_rows_term moving = a->swapped ? right : left, still = a->swapped ? left : right;

    (void)p;
    if (left.moves == CW_RW_T_UNKNOWN || right.moves == CW_RW_T_UNKNOWN || still.moves != CW_RW_T_FIXED)
        return false;
    if (!a->moving)
        return moving.moves == CW_RW_T_FIXED && !a->swapped && !a->down;
    return moving.moves == (a->down ? CW_RW_T_DOWN : CW_RW_T_UP);
}

static bool comparison(const struct cw_proof *p, const struct cw_rw_atom *a)
{
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
    const struct cw_ast_node *n = cw_rows_find(p, a->all), *left, *right;
    struct cw_rows_term l, r;
    bool known = false;

    n = n ? cw_ast_bare(n, true) : NULL;
    if (!n || n->kind != CW_AST_BinaryOperator || n->macro || a->turn)
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        known |= !strcmp(n->words, ops[i]);
    left = n->first;
    right = left->next;
    if (!known || !cw_rows_is_at(p, left, a->left) || !cw_rows_is_at(p, right, a->right) ||
        strcmp(left->type, right->type))
        return false;
    if (a->moving && !a->value ? !is_negated(n->words, a->op) : strcmp(n->words, a->op) != 0)
        return false;
    l = cw_rows_term_of(p, left);
    r = cw_rows_term_of(p, right);
    return sides(p, a, l, r) && !l.turns && !r.turns && l.cuts <= CW_PROOF_CUTS && r.cuts <= CW_PROOF_CUTS &&
           !(a->moving && !strcmp(a->op, "=="));
}

/* ---- names at the ends of a row */

/* What stands for `d` there: a parameter, a variable that is declared there, too, or the turn. */
static bool is_there(const struct cw_proof *p, const bool need[CW_RW_VARIABLES], const struct cw_ast_node *d,
                     const struct cw_rw_atom *a)
{
    if (d->kind == CW_AST_ParmVarDecl)
        return d->parent == p->kernel;
    if (a && a->turn && d == p->loop[a->loop])
        return true;
    for (uint32_t k = 0; k < p->r->variables; k++)
        if (need[k] && d->name_at == cw_rows_place(p, p->r->variable[k].token))
            return true;
    return false;
}

static bool mentions_others(const struct cw_proof *p, const bool need[CW_RW_VARIABLES], struct cw_rw_range at,
                            const struct cw_rw_atom *a)
{
    const struct cw_ast_node *top = cw_rows_find(p, at);

    for (const struct cw_ast_node *n = top; n; n = cw_ast_following(top, n))
        if (n->kind == CW_AST_DeclRefExpr && n->decl && n->decl->kind != CW_AST_FunctionDecl &&
            !is_there(p, need, n->decl, a))
            return true;
    return !top;
}

/* All names there are those of different things, and mean what they mean in the kernel. */
static const char *names(const struct cw_proof *p)
{
    const struct cw_rw_rows *r = p->r;
    bool need[CW_RW_VARIABLES];

    cw_rewrite_rows_need(r, need);
    for (uint32_t k = 0; k < r->variables; k++) {
        for (uint32_t i = 0; need[k] && i < r->parameters; i++)
            if (r->parameter[i].name == r->variable[k].name)
                return "a name means something else elsewhere";
        for (uint32_t i = 0; need[k] && i < k; i++)
            if (need[i] && r->variable[i].name == r->variable[k].name)
                return "a name means something else elsewhere";
        for (uint32_t i = 0; need[k] && i < r->loops; i++)
            if (r->loop[i].name == r->variable[k].name)
                return "a name means something else elsewhere";
        if (need[k] && (r->variable[k].turns || mentions_others(p, need, r->variable[k].value, NULL)))
            return "a variable is not known at the ends of a row";
    }
    for (uint32_t i = 0; i < r->atoms; i++)
        if (mentions_others(p, need, r->atom[i].left, &r->atom[i]) ||
            mentions_others(p, need, r->atom[i].right, &r->atom[i]))
            return "a name means something else elsewhere";
    for (uint32_t i = 0; i < r->loops; i++)
        for (uint32_t k = 0; k < r->parameters; k++)
            if (r->parameter[k].name == r->loop[i].name)
                return "a name means something else elsewhere";
    return NULL;
}

/* ---- clamps */

/* Nothing but ints; *turn: the one loop whose turns it differs by, as r numbers them, or r->loops. */
static bool is_int(const struct cw_proof *p, const struct cw_ast_node *top, uint32_t *turn)
{
    *turn = p->r->loops;
    for (const struct cw_ast_node *n = top; n; n = cw_ast_following(top, n)) {
        uint32_t k = 0;
        if (!cw_rows_is_int(n->type))
            return false;
        if (n->kind != CW_AST_DeclRefExpr)
            continue;
        while (k < p->r->loops && p->loop[k] != n->decl)
            k++;
        if (k < p->r->loops && *turn < p->r->loops && *turn != k)
            return false;
        if (k < p->r->loops)
            *turn = k;
        else if (n->decl && n->decl->kind == CW_AST_VarDecl && n->decl->first &&
                 cw_rows_term_of(p, n->decl->first).turns)
            return false; /* it might be another loop's */
    }
    return true;
}

/* Its atoms ask for both bounds, in the first turn and in the last one where there are turns. */
static bool has_atoms(const struct cw_proof *p, uint32_t c, const struct cw_ast_node *sum, uint32_t turn)
{
    uint32_t need = turn < p->r->loops ? 4 : 2, seen = 0;
    enum cw_rw_term moves = cw_rows_term_of(p, sum).moves;

    for (uint32_t i = 0; i < p->r->atoms; i++) {
        const struct cw_rw_atom *a = &p->r->atom[i];
        bool least;
        if (a->condition != c)
            continue;
        least = !strcmp(a->op, ">=");
        if ((!least && strcmp(a->op, "<=")) || !a->value || a->swapped ||
            a->moving != (moves != CW_RW_T_FIXED) || a->down != (moves == CW_RW_T_DOWN) ||
            (need == 4 ? a->loop != turn || a->turn < 1 || a->turn > 2 : a->turn != 0) ||
            !cw_rows_is_at(p, sum, a->left) ||
            !cw_rows_is_at(p, least ? sum->next : sum->next->next, a->right))
            return false;
        seen |= 1u << (need == 4 ? 2 * (a->turn - 1) + least : least);
    }
    return seen == (1u << need) - 1 && moves != CW_RW_T_UNKNOWN &&
           cw_rows_term_of(p, sum).cuts <= CW_PROOF_CUTS;
}

/* It is reached in every turn of the loops around it: nothing leaves them, and no test, or operator that
 * tests, is in between. */
static bool is_in_all_turns(const struct cw_proof *p, const struct cw_ast_node *n)
{
    const struct cw_ast_node *outermost = NULL;

    for (const struct cw_ast_node *up = n; up != p->body; up = up->parent)
        if (up->kind == CW_AST_ForStmt)
            outermost = up;
    for (const struct cw_ast_node *up = n->parent; outermost && up != outermost; up = up->parent)
        if (up->kind != CW_AST_ForStmt && up->kind != CW_AST_CompoundStmt && up->kind != CW_AST_DeclStmt &&
            up->kind != CW_AST_VarDecl && up->kind != CW_AST_ParenExpr &&
            up->kind != CW_AST_ImplicitCastExpr && up->kind != CW_AST_CStyleCastExpr &&
            up->kind != CW_AST_CompoundAssignOperator && up->kind != CW_AST_ArraySubscriptExpr &&
            up->kind != CW_AST_CallExpr && up->kind != CW_AST_ExtVectorElementExpr &&
            up->kind != CW_AST_MemberExpr &&
            !(up->kind == CW_AST_BinaryOperator && !strchr("&|,", *up->words)))
            return false;
    for (const struct cw_ast_node *k = outermost; k; k = cw_ast_following(outermost, k))
        if (k->kind == CW_AST_BreakStmt || k->kind == CW_AST_ContinueStmt || k->kind == CW_AST_ReturnStmt)
            return false;
    return true;
}

static const char *clamp(const struct cw_proof *p, uint32_t c)
{
    const struct cw_rw_condition *k = &p->r->condition[c];
    const struct cw_ast_node *n = cw_rows_find(p, k->all), *sum;
    uint32_t turn, none;

    n = n ? cw_ast_bare(n, true) : NULL;
    sum = n && cw_rows_calls(p, n, "clamp") && !strcmp(n->type, "int") ? cw_ast_child(n, 1) : NULL;
    if (!sum || !sum->next || !sum->next->next || sum->next->next->next || !cw_rows_is_at(p, sum, k->sum) ||
        k->join != '&' || !k->known)
        return "a clamp is none";
    for (const struct cw_ast_node *a = sum->next; a; a = a->next) {
        struct cw_rows_term t = cw_rows_term_of(p, a);
        if (!is_int(p, a, &none) || t.moves != CW_RW_T_FIXED || t.turns)
            return "a clamp's bounds move";
    }
    return is_int(p, sum, &turn) && is_in_all_turns(p, n) && has_atoms(p, c, sum, turn)
               ? NULL
               : "a clamp moves otherwise";
}

static const char *test(const struct cw_proof *p, uint32_t c)
{
    const struct cw_rw_condition *k = &p->r->condition[c];
    const struct cw_ast_node *top;
    uint32_t atoms = 0, moving = 0;

    for (uint32_t i = 0; i < p->r->atoms; i++) {
        if (p->r->atom[i].condition >= p->r->conditions)
            return "a test is made of other comparisons";
        atoms += p->r->atom[i].condition == c;
        moving += p->r->atom[i].condition == c && p->r->atom[i].moving;
    }
    if (!atoms || k->moving != moving || k->fixed != atoms - moving)
        return "a test is made of other comparisons";
    if (k->clamp)
        return clamp(p, c);
    top = condition(p, k->all);
    if (!top || !is_pure(p, top))
        return "a test is none, or does more than test";
    for (uint32_t i = 0; i < p->r->atoms; i++) {
        const struct cw_rw_atom *a = &p->r->atom[i];
        const struct cw_ast_node *n;
        if (a->condition != c)
            continue;
        n = cw_rows_find(p, a->all);
        if (!n || !is_joined(top, k->join, n) || !comparison(p, a) ||
            (k->join && a->value != (k->join == '&')))
            return "a test is made of other comparisons";
    }
    if ((!k->join && atoms != 1) || ((k->known || !k->join) && !all_known(p, c, top, k->join)))
        return "a test is made of other comparisons";
    return NULL;
}

const char *cw_rows_tests(const struct cw_proof *p)
{
    const char *wrong = names(p);

    for (uint32_t c = 0; !wrong && c < p->r->conditions; c++)
        wrong = test(p, c);
    return wrong;
}
