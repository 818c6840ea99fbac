/* form_plan.c - the next launch of a kernel without the evaluator.
 *
 * While a launch is compiled its numbers leave formulas behind (formula.h). Other launches of the same number
 * of dimensions run those, and where every comparison comes out as it did then they have the code of the
 * launch that was recorded, with their own numbers. That holds for every course of the evaluator, for all of
 * its decisions rest on such comparisons. form_box.c finds the conditions that are settled everywhere in the
 * launch. */
#include "form_internal.h"

#include <stdlib.h>
#include <string.h>

static void plan_finish(struct form_plan *p)
{
    cw_formulas_finish(&p->formulas);
    cw_form_finish(&p->code);
    free(p->patch);
    *p = (struct form_plan){0};
}

void cw_form_plans_finish(struct cw_form *c)
{
    for (int i = 0; i < PLANS; i++)
        plan_finish(&c->plan[i]);
}

/* ---- recording */

struct collector {
    struct form_plan *plan;
    int capacity;
    bool ok;
    enum form_array array;
    const void *base;
};

/* The number at `field` is the value of formula `id`. */
static void add_patch(struct collector *k, const void *field, uint32_t id)
{
    struct form_plan *p = k->plan;
    if (!id || !k->ok)
        return;
    k->ok = cw_form_space(&p->patch, p->patches, 1, &k->capacity, sizeof *p->patch);
    if (k->ok)
        p->patch[p->patches++] = (struct form_patch){(uint8_t)k->array, (uint16_t)id,
                                                     (uint32_t)((const char *)field - (const char *)k->base)};
}

static void enter_array(struct collector *k, enum form_array array, const void *base)
{
    k->array = array;
    k->base = base;
}

static void collect_numbers(struct collector *k)
{
    struct cw_code *code = &k->plan->code;
    enter_array(k, FORM_ARRAY_term, code->term);
    for (int i = 0; i < code->terms; i++)
        add_patch(k, &code->term[i].coefficient, code->term[i].id);
    enter_array(k, FORM_ARRAY_curve, code->curve);
    for (int i = 0; i < code->curves; i++)
        for (int t = 0; t < code->curve[i].n; t++)
            add_patch(k, &code->curve[i].term[t].coefficient, code->curve[i].term[t].id);
    enter_array(k, FORM_ARRAY_var, code->var);
    for (int i = 0; i < code->vars; i++) {
        add_patch(k, &code->var[i].lo, code->var[i].lo_id);
        add_patch(k, &code->var[i].hi, code->var[i].hi_id);
    }
}

static void collect_lines(struct collector *k)
{
    struct cw_code *code = &k->plan->code;
    enter_array(k, FORM_ARRAY_item, code->item);
    for (int i = 0; i < code->items; i++) {
        add_patch(k, &code->item[i].line.constant, code->item[i].line.id);
        add_patch(k, &code->item[i].also.constant, code->item[i].also.id);
    }
    enter_array(k, FORM_ARRAY_guard, code->guard);
    for (int i = 0; i < code->guards; i++)
        add_patch(k, &code->guard[i].line.constant, code->guard[i].line.id);
    enter_array(k, FORM_ARRAY_bound, code->bound);
    for (int i = 0; i < code->bounds; i++) {
        add_patch(k, &code->bound[i].rest.constant, code->bound[i].rest.id);
        add_patch(k, &code->bound[i].c, code->bound[i].id);
    }
    enter_array(k, FORM_ARRAY_recipe, code->recipe);
    for (int i = 0; i < code->recipes; i++) {
        struct form_recipe *r = &code->recipe[i];
        add_patch(k, &r->a.constant, r->a.id);
        add_patch(k, &r->b.constant, r->b.id);
        add_patch(k, &r->condition.line.constant, r->condition.line.id);
        add_patch(k, &r->number, r->id);
    }
    enter_array(k, FORM_ARRAY_step, code->step);
    for (int i = 0; i < code->steps; i++)
        add_patch(k, &code->step[i].line.constant, code->step[i].line.id);
}

/* From now on the numbers stand for themselves: cw_poly_range is asked about curves. */
static void forget_formulas(struct cw_code *code)
{
    for (int i = 0; i < code->curves; i++)
        for (int t = 0; t < code->curve[i].n; t++)
            code->curve[i].term[t].id = 0;
}

static bool make_plan(struct cw_form *c, struct cw_recorder *r, const struct cw_code *code,
                      struct form_plan *p)
{
    struct collector k = {.plan = p, .ok = cw_form_copy(&p->code, code, false)};
    uint32_t *wanted;
    bool ok;
    if (k.ok) {
        collect_numbers(&k);
        collect_lines(&k);
    }
    wanted = malloc(((size_t)p->patches + 1) * sizeof *wanted);
    for (int i = 0; wanted && i < p->patches; i++)
        wanted[i] = p->patch[i].id;
    ok = k.ok && wanted && cw_formula_recorder_take(r, wanted, p->patches, &p->formulas);
    free(wanted);
    for (int i = 0; i < code->terms; i++)
        if (!code->term[i].id && llabs(code->term[i].coefficient) > p->most)
            p->most = llabs(code->term[i].coefficient);
    forget_formulas(&p->code);
    p->work_dim = c->launch.work_dim;
    memcpy(p->ragged, code->ragged, sizeof p->ragged);
    p->used = p->number = c->clock; /* one launch a tick, from 1 on */
    return p->valid = ok;
}

/* Compiles, and keeps a plan in the place of the one that was used least lately. */
static bool compile_and_record(struct cw_form *c, struct cw_code *code)
{
    struct form_plan *p = &c->plan[0];
    struct cw_recorder *r = c->recordings < RECORDINGS ? cw_formula_recorder_create() : NULL;
    for (int i = 1; i < PLANS && p->valid; i++)
        if (!c->plan[i].valid || c->plan[i].used < p->used)
            p = &c->plan[i];
    c->recordings++;
    cw_formula_record_into(r);
    bool ok = cw_form_compile(c, code);
    cw_formula_record_into(NULL);
    if (ok && r) {
        plan_finish(p);
        if (!make_plan(c, r, code, p))
            plan_finish(p);
    }
    forget_formulas(code);
    cw_formula_recorder_destroy(r);
    return ok;
}

/* ---- use */

static bool set_inputs(const struct cw_form *c, struct form_plan *p)
{
    const struct cw_launch *l = &c->launch;
    for (int i = 0; i < p->formulas.inputs; i++) {
        uint32_t which = p->formulas.input[i].which, d = which % 3;
        int64_t *to = &p->formulas.value[p->formulas.input[i].to];
        if (which >= INPUT_NODE) {
            const struct cw_expr *x = &c->m->pool.node[which - INPUT_NODE];
            if (!cw_eval_argument(l, x, to))
                return false;
        } else {
            *to = which < INPUT_LOCAL    ? l->global[d]
                  : which < INPUT_OFFSET ? l->local[d]
                  : which < INPUT_GROUPS ? l->offset[d]
                                         : l->global[d] / l->local[d] + p->ragged[d];
        }
    }
    return true;
}

/* The values of lines stay within FORM_LIMIT, by a rough estimate; lines have CW_POLY_TERMS terms at most. */
static bool within_limit(const struct cw_form *c, const struct form_plan *p, const struct cw_code *code)
{
    const struct cw_launch *l = &c->launch;
    const cw_wide limit = FORM_LIMIT / (2 * CW_POLY_TERMS);
    uint64_t most = (uint64_t)p->most, reach = 0;
    for (int i = 0; i < p->patches; i++)
        if (p->patch[i].array == FORM_ARRAY_term) {
            int64_t v = p->formulas.value[p->patch[i].id];
            most |= (uint64_t)(v < 0 ? -v : v);
        }
    for (int d = 0; d < 3; d++)
        reach |= (uint64_t)l->global[d] | (uint64_t)(l->offset[d] < 0 ? -l->offset[d] : l->offset[d]);
    for (int i = 0; i < code->vars; i++) {
        int64_t lo = code->var[i].lo, hi = code->var[i].hi;
        reach |= (uint64_t)(lo < 0 ? -lo : lo) | (uint64_t)(hi < 0 ? -hi : hi);
    }
    /* sums of offset and size: twice as far */
    return reach <= FORM_LIMIT / 4 && most <= FORM_LIMIT && (cw_wide)most * (4 * (cw_wide)reach + 4) <= limit;
}

/* Fills `code` by the plan; false when this launch is another case. *ok is cleared without memory. */
static bool use_plan(struct cw_form *c, struct form_plan *p, struct cw_code *code, bool *ok)
{
    bool same = p->valid && p->work_dim == c->launch.work_dim;
    for (int d = 0; d < 3; d++)
        same = same && p->ragged[d] == (c->launch.global[d] % c->launch.local[d] != 0);
    if (!same || !set_inputs(c, p) || !cw_formulas_run(&p->formulas))
        return false;
    bool there = code->plan == p->number;
    code->plan = 0;
    if (!cw_form_copy(code, &p->code, there)) {
        *ok = false;
        return false;
    }
    char *base[] = {
#define X(name) (char *)code->name,
        FORM_ARRAYS(X)
#undef X
    };
    for (int i = 0; i < p->patches; i++) {
        int64_t v = p->formulas.value[p->patch[i].id];
        if (v > FORM_LIMIT / 2 || v < -FORM_LIMIT / 2)
            return false;
        memcpy(base[p->patch[i].array] + p->patch[i].at, &v, sizeof v);
    }
    if (!within_limit(c, p, code))
        return false;
    for (int i = 0; i < code->items; i++)
        cw_form_sort_line(code, &code->item[i].line);
    code->plan = p->number;
    p->used = c->clock;
    return true;
}

bool cw_form_make(struct cw_form *c, struct cw_code *code)
{
    bool ok = true, done = false;
    for (int i = 0; i < PLANS && ok && !done; i++)
        done = use_plan(c, &c->plan[i], code, &ok);
    code->planned = done;
    if (!done)
        code->plan = 0;
    if (ok && !done)
        ok = compile_and_record(c, code);
    if (ok)
        cw_form_drop_settled(c, code);
    return ok;
}
