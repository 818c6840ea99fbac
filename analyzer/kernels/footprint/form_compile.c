/* form_compile.c - a launch to boxes, conditions and lines. See form.h.
 *
 * The evaluator goes over the whole launch, access by access, and says whether anything that it decided could
 * come out otherwise in a tile (cw_eval.tile_bound). If not, the polynomials that it found are those of every
 * tile. */
#include "form_internal.h"

#include <stdlib.h>
#include <string.h>

/* The variables that the evaluator has made since this box began. */
static enum outcome add_vars(struct cw_form *c, struct cw_code *code, struct form_box *b)
{
    const struct cw_eval *e = c->e;
    int n = e->vars - VAR_DYNAMIC;
    if (n <= b->vars)
        return FORM_OK;
    if (!cw_form_space(&code->var, code->vars, n - b->vars, &code->var_space, sizeof *code->var))
        return FORM_NO_MEMORY;
    for (int v = VAR_DYNAMIC + b->vars; v < e->vars; v++) {
        struct cw_range r = e->initial[v];
        struct form_var *to = &code->var[code->vars++];
        *to = (struct form_var){.free = e->var[v].free};
        if (r.lo >= -FORM_LIMIT && r.hi <= FORM_LIMIT) /* else no line uses it */
            *to = (struct form_var){(int64_t)r.lo, (int64_t)r.hi, r.lo_id, r.hi_id, e->var[v].free};
        else if (r.lo_id | r.hi_id)
            cw_formula_give_up();
    }
    b->vars = n;
    return FORM_OK;
}

static bool mixes_bases(const struct cw_eval *e, const struct cw_poly *p)
{
    for (int d = 0; d < 3; d++)
        if (!e->by_group[d] && cw_poly_uses(p, VAR_GROUP + d, NULL))
            return true;
    return false;
}

/* Is v the counter of a loop whose length depends on the tile? */
static bool depends_on_tile(const struct cw_eval *e, int v)
{
    for (int i = 0; i < e->recipes; i++)
        if (e->recipe[i].rule == RULE_LOOP && e->recipe[i].var == v)
            return true;
    return false;
}

/* The recipes that the evaluator has remembered since this box began. */
static enum outcome add_recipes(struct cw_form *c, struct cw_code *code, struct form_box *b)
{
    static const struct cw_poly nothing;
    for (; b->recipes_seen < c->e->recipes; b->recipes_seen++) {
        const struct eval_recipe *r = &c->e->recipe[b->recipes_seen];
        if (r->rule == RULE_TEST && !depends_on_tile(c->e, r->var))
            continue;
        struct form_recipe to = {.rule = r->rule,
                                 .var = (uint8_t)r->var,
                                 .stage = r->stage,
                                 .number = (int64_t)r->number.v,
                                 .id = r->number.id,
                                 .relation = r->relation,
                                 .sole = r->sole,
                                 .inside = r->inside};
        const struct cw_poly *in[] = {r->a ? r->a : &nothing, r->b ? r->b : &nothing,
                                      r->condition ? r->condition : &nothing};
        struct form_line *const out[] = {&to.a, &to.b, &to.condition.line};
        enum outcome o = FORM_OK;
        to.condition.relation = r->relation;
        if (r->rule == RULE_SELECT && !r->condition)
            o = cw_form_make_tree(c, code, (struct cw_guard){r->node, true}, &to.condition);
        for (int k = 0; k < 3 && o == FORM_OK; k++) /* lines know nothing of the other basis */
            o = mixes_bases(c->e, in[k]) ? FORM_SLOW : cw_form_make_line(c, code, in[k], false, out[k]);
        if (o != FORM_OK)
            return o;
        if (!cw_form_space(&code->recipe, code->recipes, 1, &code->recipe_space, sizeof to))
            return FORM_NO_MEMORY;
        code->recipe[code->recipes++] = to;
        b->recipes++;
    }
    return FORM_OK;
}

/* The conditions of `a` that some work-items of the launch do not fulfil. */
static enum outcome add_guards(struct cw_form *c, struct cw_code *code, struct form_box *b,
                               const struct cw_access *a)
{
    for (int i = a->guards.first; i < a->guards.first + a->guards.n; i++) {
        struct cw_guard g = c->m->guard[i];
        struct form_guard to = {.at = i - a->guards.first};
        struct cw_poly p;
        enum outcome o;
        bool compared = cw_eval_relation(c->e, g.node, g.want, &p, &to.relation);
        if (compared &&
            mixes_bases(c->e, &p)) { /* decided, or the box would be one of groups; and only so decided */
            if (cw_eval_decide_relation(c->e, &p, to.relation) != TRI_YES)
                return FORM_SLOW;
            continue;
        }
        o = compared ? cw_form_make_line(c, code, &p, false, &to.line) : cw_form_make_tree(c, code, g, &to);
        if (o != FORM_OK)
            return o;
        if (!cw_form_space(&code->guard, code->guards, 1, &code->guard_space, sizeof to))
            return FORM_NO_MEMORY;
        code->guard[code->guards++] = to;
        b->guards++;
    }
    return FORM_OK;
}

/* rest = p - ratio * d, without `var`; false when that is impossible. */
static bool without(const struct cw_poly *p, const struct cw_poly *d, int var, struct cw_poly *rest,
                    struct cw_value *ratio)
{
    struct cw_value ours, theirs, zero = cw_value_number(0), floor;
    struct cw_poly factor, product;
    if (!cw_poly_uses_value(p, var, &ours) || !cw_poly_uses_value(d, var, &theirs) || !ours.v || !theirs.v)
        return false;
    bool negative = cw_value_less(theirs, zero);
    if (negative) {
        ours = cw_value_sub(zero, ours);
        theirs = cw_value_sub(zero, theirs);
    }
    floor = cw_poly_value_floor(ours, theirs);
    if (!cw_value_equal(cw_poly_value_mul(floor, theirs), ours))
        return false;
    *ratio = floor;
    cw_poly_value(&factor, floor);
    return cw_poly_mul(&product, d, &factor) && cw_poly_add(rest, p, &product, -1);
}

/* Lines that bound the offset p through conditions on several variables. */
static enum outcome add_bounds(struct cw_form *c, struct cw_code *code, struct form_item *item,
                               const struct cw_access *a, const struct cw_poly *p)
{
    item->bound = code->bounds;
    for (int i = a->guards.first; i < a->guards.first + a->guards.n; i++) {
        struct cw_guard g = c->m->guard[i];
        struct cw_poly d;
        enum relation relation;
        if (!cw_eval_relation(c->e, g.node, g.want, &d, &relation) || relation != REL_NEGATIVE)
            continue;
        int vars = d.n - (d.n && !d.term[0].var[CW_POLY_DEGREE - 1]);
        for (int t = 0; t < d.n && vars > 1; t++) {
            int var = d.term[t].var[CW_POLY_DEGREE - 1];
            struct cw_value ratio;
            struct cw_poly rest;
            if (!var || !without(p, &d, var, &rest, &ratio))
                continue;
            struct form_bound to = {.c = (int64_t)ratio.v, .id = ratio.id, .var = (uint8_t)var};
            enum outcome o = cw_form_make_line(c, code, &rest, false, &to.rest);
            if (o != FORM_OK)
                return o;
            if (!cw_form_space(&code->bound, code->bounds, 1, &code->bound_space, sizeof to))
                return FORM_NO_MEMORY;
            code->bound[code->bounds++] = to;
            item->bounds++;
        }
    }
    return FORM_OK;
}

/* The box of the evaluator, which may be that of the access before. `generation` is that box's. */
static enum outcome enter(struct cw_form *c, struct cw_code *code, const struct cw_access *a,
                          uint32_t *generation)
{
    struct form_box *b;
    enum outcome o = FORM_OK;
    if (!code->boxs || *generation != c->e->generation) {
        if (!cw_form_space(&code->box, code->boxs, 1, &code->box_space, sizeof *code->box))
            return FORM_NO_MEMORY;
        b = &code->box[code->boxs++];
        *b = (struct form_box){.guard = code->guards, .first_var = code->vars, .recipe = code->recipes};
        memcpy(b->by_group, c->e->by_group, sizeof b->by_group);
        o = add_guards(c, code, b, a);
    }
    b = &code->box[code->boxs - 1];
    if (o == FORM_OK)
        o = add_vars(c, code, b);
    if (o == FORM_OK)
        o = add_recipes(c, code, b);
    *generation = o == FORM_OK ? c->e->generation : 0;
    return o;
}

static enum outcome add_repetition(struct cw_form *c, struct form_item *item, const struct cw_access *a)
{
    item->repeats = -1;
    if (a->count < 0)
        return FORM_OK;
    const struct cw_poly *count = cw_eval_node(c->e, a->count, READ_UNSIGNED);
    struct cw_range n = cw_eval_range(c->e, count);
    (void)cw_formula_value_pin(cw_range_lo(n)); /* not worth a formula */
    (void)cw_formula_value_pin(cw_range_hi(n));
    if (cw_eval_is_tiled(c->e, count) || n.hi > FORM_LIMIT || n.hi <= 0 ||
        !cw_poly_is_const(cw_eval_node(c->e, a->stride, READ_SIGNED), &item->stride) || item->stride <= 0 ||
        item->stride > FORM_LIMIT / (int64_t)n.hi)
        return FORM_SLOW;
    item->repeats = (int64_t)n.hi;
    item->repeats_vary = n.lo != n.hi;
    return FORM_OK;
}

static enum outcome fill(struct cw_form *c, struct cw_code *code, struct form_item *item,
                         const struct cw_access *a, const struct cw_poly *p, uint32_t *generation)
{
    enum outcome o = enter(c, code, a, generation);
    item->box = code->boxs - 1;
    for (int i = 0; i < p->n && o == FORM_OK; i++) {
        int v = p->term[i].var[CW_POLY_DEGREE - 1];
        item->tied |= v && !c->e->var[v].free;
        if (v && c->e->var[v].wrapped) {
            item->whole = true;
            item->why = cw_eval_why_wrap;
            return FORM_OK;
        }
    }
    if (o == FORM_OK)
        o = cw_form_make_line(c, code, p, true, &item->line);
    item->two_forms = c->e->also != NULL;
    if (o == FORM_OK && item->two_forms)
        o = cw_form_make_line(c, code, c->e->also, false, &item->also);
    if (o == FORM_OK)
        o = add_repetition(c, item, a);
    return o == FORM_OK ? add_bounds(c, code, item, a, p) : o;
}

static bool same_line(const struct cw_code *code, const struct form_line *a, const struct form_line *b)
{
    if (a->constant != b->constant || a->id != b->id || a->n != b->n || a->curve || b->curve)
        return false;
    for (int i = 0; i < a->n; i++) {
        const struct form_term *x = &code->term[a->first + i], *y = &code->term[b->first + i];
        if (x->var != y->var || x->coefficient != y->coefficient || x->id != y->id)
            return false;
    }
    return true;
}

/* The item says nothing that the one before it, in the same box, does not say. */
static bool repeated(const struct cw_code *code, const struct form_item *x)
{
    for (int i = code->items - 1; i >= 0 && i >= code->items - 16; i--) {
        const struct form_item *y = &code->item[i];
        if (!x->slow && !y->slow && !x->whole && !y->whole && y->arg == x->arg && y->kind == x->kind &&
            y->box == x->box && y->doubted == x->doubted && y->bytes_may == x->bytes_may &&
            y->bytes_must == x->bytes_must && !x->two_forms && !y->two_forms && y->repeats < 0 &&
            x->repeats < 0 && x->bounds == 0 && y->bounds == 0 && same_line(code, &x->line, &y->line))
            return true;
    }
    return false;
}

/* The answer about the argument is "unknown" in any case. */
static bool says_nothing(const struct cw_form *c, const struct cw_access *a)
{
    const struct cw_arg *arg = &c->m->arg[a->arg];
    return (!(a->kind & CW_ACCESS_READ) || arg->unknown_read) &&
           (!(a->kind & CW_ACCESS_WRITE) || arg->unknown_write);
}

static bool compile_access(struct cw_form *c, struct cw_code *code, int index, uint32_t *generation)
{
    const struct cw_access *a = &c->m->access[index];
    struct form_item item = {.arg = a->arg,
                             .kind = a->kind,
                             .access = index,
                             .bytes_may = a->bytes_may,
                             .bytes_must = a->bytes_must,
                             .repeats = -1,
                             .box = -1};
    const struct cw_poly *p;
    enum outcome o = FORM_OK;
    if (a->offset < 0) {
        item.whole = true;
        item.why = cw_eval_why_any;
    } else {
        enum tri reached = cw_eval_reach(c->e, a, &p);
        if (reached == TRI_NO && !c->e->tile_bound)
            return true; /* in no tile */
        o = reached != TRI_YES || c->e->tile_bound || a->bytes_may > FORM_LIMIT
                ? FORM_SLOW
                : fill(c, code, &item, a, p, generation);
    }
    if (a->doubt && !item.whole) {
        item.doubted = true;
        item.why = a->doubt;
    }
    item.slow = o == FORM_SLOW;
    if (o == FORM_NO_MEMORY || !cw_form_space(&code->item, code->items, 1, &code->item_space, sizeof item))
        return false;
    if (!repeated(code, &item))
        code->item[code->items++] = item;
    return true;
}

static struct cw_tile whole_launch(const struct cw_form *c)
{
    struct cw_tile whole;
    for (int d = 0; d < 3; d++) {
        whole.first[d] = 0;
        whole.count[d] =
            c->launch.global[d] / c->launch.local[d] + (c->launch.global[d] % c->launch.local[d] != 0);
    }
    return whole;
}

/* Conditions that hold everywhere in the launch, independently of others, need not be looked at again. */
void cw_form_drop_settled(struct cw_form *c, struct cw_code *code)
{
    struct cw_tile whole = whole_launch(c);
    cw_form_set_tile(c, &whole);
    for (int i = 0; i < code->boxs; i++) {
        struct form_box *b = &code->box[i], bare = *b;
        int stay = 0;
        bool certain;
        if (!b->guards)
            continue;
        bare.guards = 0;
        (void)cw_form_enter_box(c, code, &bare, &certain);
        for (int g = 0; g < b->guards; g++) {
            struct form_guard guard = code->guard[b->guard + g];
            if (cw_form_decide(c, code, &guard) != TRI_YES)
                code->guard[b->guard + stay++] = guard;
        }
        b->guards = stay;
    }
}

bool cw_form_compile(struct cw_form *c, struct cw_code *code)
{
    struct cw_tile whole = whole_launch(c);
    uint32_t generation = 0;
    code->items = code->boxs = code->guards = code->bounds = code->terms = code->vars = code->recipes =
        code->steps = code->curves = 0;
    for (int d = 0; d < 3; d++)
        code->ragged[d] = c->launch.global[d] % c->launch.local[d] != 0;
    c->e->launch = &c->launch;
    c->e->tile = &whole;
    c->e->box_valid = false;
    for (int i = 0; i < c->m->accesses; i++)
        if (!says_nothing(c, &c->m->access[i]) && !compile_access(c, code, i, &generation))
            return false;
    return true;
}

/* The arrays of a compiled launch. See form_internal.h. */

bool cw_form_copy(struct cw_code *to, const struct cw_code *from, bool moved_only)
{
    static const bool moves[FORM_ARRAY_COUNT] = {
        [FORM_ARRAY_box] = true, [FORM_ARRAY_guard] = true, [FORM_ARRAY_term] = true};
    bool ok = true;
#define X(name)                                                                                              \
    ok = ok && cw_form_space(&to->name, 0, from->name##s, &to->name##_space, sizeof *to->name);              \
    if (ok && from->name##s && (!moved_only || moves[FORM_ARRAY_##name]))                                    \
        memcpy(to->name, from->name, (size_t)from->name##s * sizeof *to->name);                              \
    to->name##s = from->name##s;
    FORM_ARRAYS(X)
#undef X
    memcpy(to->ragged, from->ragged, sizeof to->ragged);
    return ok;
}

void cw_form_finish(struct cw_code *code)
{
#define X(name) free(code->name);
    FORM_ARRAYS(X)
#undef X
}

/* Where the offsets of an access lie in the box of a tile. */

static void add_steps(struct form_layout *y, int64_t stride, int64_t count, int64_t *pieces)
{
    y->last += stride * (count - 1);
    if (*pieces == 1 && stride <= y->extent) {
        y->extent += stride * (count - 1);
    } else {
        y->few = y->few && count <= CW_EVAL_MAX_SPANS && (*pieces *= count) <= CW_EVAL_MAX_SPANS;
        *pieces = *pieces > 1 ? *pieces : 2;
    }
}

/* Of a polynomial only bounds are known. */
static struct form_layout lay_out_curve(const struct cw_form *c, const struct cw_code *code,
                                        const struct form_item *x)
{
    const struct cw_poly *p = &code->curve[x->line.curve - 1];
    struct form_range r = cw_form_line_range(c, code, &x->line);
    struct form_layout y = {.base = r.lo,
                            .last = r.hi + (x->repeats > 1 ? x->stride * (x->repeats - 1) : 0),
                            .one_piece = true,
                            .independent = true};
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++) {
            int v = p->term[i].var[k];
            y.independent &= !v || c->free[v] || c->lo[v] == c->hi[v];
        }
    return y;
}

struct form_layout cw_form_lay_out(const struct cw_form *c, const struct cw_code *code,
                                   const struct form_item *x)
{
    if (x->line.curve)
        return lay_out_curve(c, code, x);
    struct form_layout y = {x->line.constant, 0, x->bytes_may, true, true, true};
    const struct form_term *t = x->line.n ? &code->term[x->line.first] : NULL;
    int64_t pieces = 1;
    bool repeats = x->repeats > 1;
    for (int i = 0; i < x->line.n; i++)
        y.base += t[i].coefficient * (t[i].coefficient < 0 ? c->hi[t[i].var] : c->lo[t[i].var]);
    y.last = y.base;
    for (int i = 0; i < x->line.n; i++) {
        int64_t stride = t[i].coefficient < 0 ? -t[i].coefficient : t[i].coefficient;
        if (c->lo[t[i].var] >= c->hi[t[i].var])
            continue;
        y.independent &= c->free[t[i].var];
        if (repeats && x->stride < stride) {
            add_steps(&y, x->stride, x->repeats, &pieces);
            repeats = false;
        }
        add_steps(&y, stride, c->hi[t[i].var] - c->lo[t[i].var] + 1, &pieces);
    }
    if (repeats)
        add_steps(&y, x->stride, x->repeats, &pieces);
    y.one_piece = pieces == 1;
    return y;
}
