/* eval_value.c - from a node of the expression graph to a polynomial over the box of the tile.
 *
 * The RAW reading of a w-bit node is a polynomial congruent to its bits modulo 2^w: + - * and truncation need
 * nothing else. The SIGNED and UNSIGNED readings are eval_number.c's. */
#include "eval_internal.h"
#include "reach.h"

#include <stdlib.h>
#include <string.h>

struct cw_range cw_eval_type_range(int width, bool is_signed)
{
    cw_wide one = 1;
    if (is_signed)
        return cw_range_numbers(-(one << (width - 1)), (one << (width - 1)) - 1);
    return cw_range_numbers(0, (one << width) - 1);
}

const struct cw_poly *cw_eval_keep(struct cw_eval *e, const struct cw_poly *p)
{
    static const struct cw_poly zero;
    int c = e->polys / EVAL_CHUNK;
    if (c == e->chunks) {
        struct cw_poly **chunk = realloc(e->chunk, (size_t)(c + 1) * sizeof *chunk);
        if (chunk)
            e->chunk = chunk;
        if (!chunk || !(chunk[c] = malloc(EVAL_CHUNK * sizeof **chunk))) {
            e->failed = true;
            return &zero;
        }
        e->chunks++;
    }
    struct cw_poly *stored = &e->chunk[c][e->polys++ % EVAL_CHUNK];
    stored->n = p->n;
    memcpy(stored->term, p->term, (size_t)p->n * sizeof *p->term);
    return stored;
}

int cw_eval_new_var(struct cw_eval *e, int node, struct cw_range r)
{
    if (e->vars == VAR_COUNT) {
        e->failed = true;
        return VAR_COUNT - 1;
    }
    e->range[e->vars] = e->initial[e->vars] = r;
    e->var[e->vars] = (struct eval_var){.node = node};
    return e->vars++;
}

const struct cw_poly *cw_eval_var_poly(struct cw_eval *e, int var)
{
    struct cw_poly p;
    cw_poly_var(&p, var);
    return cw_eval_keep(e, &p);
}

static const struct cw_poly *constant(struct cw_eval *e, int64_t value)
{
    struct cw_poly p;
    cw_poly_const(&p, value);
    return cw_eval_keep(e, &p);
}

const struct cw_poly *cw_eval_unknown(struct cw_eval *e, int node, bool is_signed)
{
    struct cw_range r = cw_eval_type_range(e->m->pool.node[node].width, is_signed);
    return cw_eval_var_poly(e, cw_eval_new_var(e, node, r));
}

/* A number of the launch: input `which` of its formulas. */
static const struct cw_poly *given(struct cw_eval *e, uint32_t which, int64_t v)
{
    struct cw_poly p;
    cw_poly_value(&p, cw_formula_value_input(which, v));
    return cw_eval_keep(e, &p);
}

/* Formulas for dimension d of the box: the tile is the whole launch. */
static void record_box(struct cw_eval *e, int d)
{
    const struct cw_value zero = cw_value_number(0), one = cw_value_number(1);
    const struct cw_launch *l = e->launch;
    struct cw_value offset = cw_formula_value_input((uint32_t)(INPUT_OFFSET + d), l->offset[d]),
                    global = cw_formula_value_input((uint32_t)(INPUT_GLOBAL + d), l->global[d]),
                    local = cw_formula_value_input((uint32_t)(INPUT_LOCAL + d), l->local[d]),
                    groups = cw_formula_value_input((uint32_t)(INPUT_GROUPS + d), e->tile->count[d]);
    e->range[VAR_GLOBAL + d] = cw_range_of(offset, cw_value_add(cw_value_sub(global, one), offset));
    e->range[VAR_GROUP + d] = cw_range_of(zero, cw_value_sub(groups, one));
    e->range[VAR_LOCAL + d] = cw_range_of(zero, cw_value_sub(local, one));
}

/* The box of the tile. With basis "global id", the local id is global id - offset - local size * group id. */
static void tile_box(struct cw_eval *e)
{
    for (int d = 0; d < 3; d++) {
        int64_t size = e->launch->local[d], first = e->tile->first[d], last = first + e->tile->count[d] - 1;
        cw_wide end = (cw_wide)(last + 1) * size;
        if (end > e->launch->global[d])
            end = e->launch->global[d];
        e->ragged[d] = e->launch->global[d] % size != 0;
        e->range[VAR_GLOBAL + d] =
            cw_range_numbers((cw_wide)first * size + e->launch->offset[d], end - 1 + e->launch->offset[d]);
        e->range[VAR_GROUP + d] = cw_range_numbers(first, last);
        e->range[VAR_LOCAL + d] = cw_range_numbers(0, size - 1);
        if (cw_formula_is_recording())
            record_box(e, d);
    }
    for (int v = 1; v < VAR_DYNAMIC; v++)
        e->var[v] = (struct eval_var){.node = -1, .free = true, .tiled = v < VAR_LOCAL};
}

void cw_eval_reset(struct cw_eval *e)
{
    if (++e->generation == 0) {
        memset(e->remembered, 0, 3 * (size_t)e->m->pool.n * sizeof *e->remembered);
        e->generation = 1;
    }
    e->polys = 0;
    e->decisions = e->recipes = e->stage = e->divisions = 0;
    e->vars = VAR_DYNAMIC;
    e->duties = 0;
    e->pending_used = e->restart = e->inexact = e->empty = e->failed = false;
    for (int i = 0; i < e->m->loops; i++)
        if (e->loop[i] != LOOP_FAILED)
            e->loop[i] = LOOP_NEW;
    if (e->mode == EVAL_LAUNCH)
        tile_box(e);
}

bool cw_eval_is_tiled(const struct cw_eval *e, const struct cw_poly *p)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++)
            if (p->term[i].var[k] && e->var[p->term[i].var[k]].tiled)
                return true;
    return false;
}

void cw_eval_depends(struct cw_eval *e, const struct cw_poly *p)
{
    if (!e->tile_bound && cw_eval_is_tiled(e, p))
        e->tile_bound = true;
}

void cw_eval_remember(struct cw_eval *e, struct eval_recipe r)
{
    if (e->recipes == EVAL_MAX_RECIPES) {
        e->tile_bound = true;
        return;
    }
    r.stage = e->stage;
    e->recipe[e->recipes++] = r;
}

bool cw_eval_pending(const struct cw_eval *e, const struct cw_poly *p)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++)
            if (p->term[i].var[k] && e->var[p->term[i].var[k]].pending)
                return true;
    return false;
}

/* The first global id of the group: group id * local size + offset. */
static bool group_begin(struct cw_eval *e, int d, struct cw_poly *p)
{
    struct cw_poly group, local, offset;
    cw_poly_var(&group, VAR_GROUP + d);
    cw_poly_value(&local, cw_formula_value_input((uint32_t)(INPUT_LOCAL + d), e->launch->local[d]));
    cw_poly_value(&offset, cw_formula_value_input((uint32_t)(INPUT_OFFSET + d), e->launch->offset[d]));
    return cw_poly_mul(p, &group, &local) && cw_poly_add(p, p, &offset, 1);
}

/* p with every global id written as group id * local size + local id + offset; false when it does not fit. */
static bool to_group_basis(struct cw_eval *e, const struct cw_poly *p, struct cw_poly *out)
{
    out->n = 0;
    for (int i = 0; i < p->n; i++) {
        struct cw_poly product, factor, next;
        cw_poly_value(&product, (struct cw_value){p->term[i].coefficient, p->term[i].id});
        for (int k = 0; k < CW_POLY_DEGREE; k++) {
            int v = p->term[i].var[k], d = v - VAR_GLOBAL;
            if (!v)
                continue;
            cw_poly_var(&factor, v);
            if (d >= 0 && d < 3) {
                struct cw_poly local;
                cw_poly_var(&local, VAR_LOCAL + d);
                if (!group_begin(e, d, &factor) || !cw_poly_add(&factor, &factor, &local, 1))
                    return false;
            }
            if (!cw_poly_mul(&next, &product, &factor))
                return false;
            product = next;
        }
        if (!cw_poly_add(out, out, &product, 1))
            return false;
    }
    return true;
}

struct cw_range cw_eval_range(struct cw_eval *e, const struct cw_poly *p)
{
    struct cw_range r = cw_poly_range(p, e->range);
    if (cw_eval_pending(e, p))
        e->pending_used = true;
    bool mixed = false;
    for (int d = 0; d < 3; d++)
        mixed |= !e->by_group[d] && cw_poly_uses(p, VAR_GROUP + d, NULL);
    struct cw_poly q;
    if (mixed && to_group_basis(e, p, &q)) {
        struct cw_range s = cw_poly_range(&q, e->range);
        r = cw_range_of(cw_value_max(cw_range_lo(s), cw_range_lo(r)),
                        cw_value_min(cw_range_hi(s), cw_range_hi(r)));
    }
    return r;
}

/* ---- leaves */

static const struct cw_poly *work_item_function(struct cw_eval *e, const struct cw_expr *x, int node)
{
    const struct cw_launch *l = e->launch;
    int d = x->dim;
    struct cw_poly p, q;
    switch (x->op) {
    case CW_EXPR_GLOBAL_ID:
        cw_poly_var(&p, VAR_GLOBAL + d);
        if (!e->by_group[d])
            return cw_eval_keep(e, &p);
        return to_group_basis(e, &p, &q) ? cw_eval_keep(e, &q) : cw_eval_unknown(e, node, false);
    case CW_EXPR_GROUP_ID:
        return cw_eval_var_poly(e, VAR_GROUP + d);
    case CW_EXPR_LOCAL_ID:
        if (e->by_group[d])
            return cw_eval_var_poly(e, VAR_LOCAL + d);
        cw_poly_var(&p, VAR_GLOBAL + d);
        return group_begin(e, d, &q) && cw_poly_add(&p, &p, &q, -1) ? cw_eval_keep(e, &p)
                                                                    : cw_eval_unknown(e, node, false);
    case CW_EXPR_LOCAL_SIZE: /* of the group that asks: the last one may be smaller */
        if (e->ragged[d])
            return cw_eval_var_poly(
                e, cw_eval_new_var(
                       e, node,
                       cw_range_of(cw_value_number(1),
                                   cw_formula_value_input((uint32_t)(INPUT_LOCAL + d), l->local[d]))));
        return given(e, (uint32_t)(INPUT_LOCAL + d), l->local[d]);
    case CW_EXPR_ENQUEUED_LOCAL_SIZE:
        return given(e, (uint32_t)(INPUT_LOCAL + d), l->local[d]);
    case CW_EXPR_NUM_GROUPS:
        return given(e, (uint32_t)(INPUT_GROUPS + d), l->global[d] / l->local[d] + e->ragged[d]);
    case CW_EXPR_GLOBAL_SIZE:
        return given(e, (uint32_t)(INPUT_GLOBAL + d), l->global[d]);
    case CW_EXPR_GLOBAL_OFFSET:
        return given(e, (uint32_t)(INPUT_OFFSET + d), l->offset[d]);
    default: /* one program of formulas is for one number of dimensions */
        return constant(e, l->work_dim);
    }
}

/* A number of an image's shape; of one that is not known such that no two pixels are one. */
static bool image_leaf(const struct cw_launch_arg *a, int64_t which, int64_t *value)
{
    static const struct cw_image_shape unknown = {
        .size = {INT64_C(1) << 31, INT64_C(1) << 31, INT64_C(1) << 31},
        .pitch = {1, INT64_C(1) << 20, INT64_C(1) << 40}};
    struct cw_image_shape shape = unknown;
    if (which > CW_IMAGE_LIMIT || which < CW_IMAGE_LAYER - 2)
        return false;
    if (a->value && a->value_bytes == sizeof shape)
        memcpy(&shape, a->value, sizeof shape);
    *value = which > CW_IMAGE_PITCH   ? shape.size[CW_IMAGE_LIMIT - which]
             : which > CW_IMAGE_LAYER ? shape.pitch[CW_IMAGE_PITCH - which]
             : a->value               ? shape.pitch[CW_IMAGE_LAYER - which]
                                      : 0;
    return true;
}

bool cw_eval_argument(const struct cw_launch *l, const struct cw_expr *x, int64_t *value)
{
    const struct cw_launch_arg *a = &l->arg[x->a];
    size_t bytes = (x->width + 7u) / 8;
    uint64_t v = 0;
    if (x->value < 0)
        return image_leaf(a, x->value, value);
    if (!a->value || x->value < 0 || (uint64_t)x->value + bytes > a->value_bytes)
        return false;
    for (size_t i = 0; i < bytes; i++)
        v |= (uint64_t)a->value[(size_t)x->value + i] << (8 * i);
    *value = cw_expr_wrap((int64_t)v, x->width);
    return true;
}

static const struct cw_poly *argument(struct cw_eval *e, const struct cw_expr *x, int node)
{
    int64_t v;
    if (!cw_eval_argument(e->launch, x, &v)) {
        cw_formula_give_up();
        return cw_eval_unknown(e, node, true);
    }
    return given(e, (uint32_t)(INPUT_NODE + node), v);
}

/* ---- raw values */

static const struct cw_poly *ring(struct cw_eval *e, const struct cw_expr *x, int node)
{
    const struct cw_poly *a = cw_eval_node(e, x->a, READ_RAW), *b = cw_eval_node(e, x->b, READ_RAW);
    struct cw_poly r;
    if (x->op == CW_EXPR_ADD ? cw_poly_add(&r, a, b, 1) : cw_poly_mul(&r, a, b))
        return cw_eval_keep(e, &r);
    return cw_eval_unknown(e, node, true);
}

static const struct cw_poly *raw_launch(struct cw_eval *e, int node)
{
    const struct cw_expr *x = &e->m->pool.node[node];
    switch (x->op) {
    case CW_EXPR_ARG:
        return argument(e, x, node);
    case CW_EXPR_LOOP:
        return cw_eval_loop_counter(e, x->a);
    case CW_EXPR_OPAQUE:
        return cw_eval_unknown(e, node, true);
    case CW_EXPR_ZEXT:
        return cw_eval_node(e, x->a, READ_UNSIGNED);
    case CW_EXPR_SEXT:
        return cw_eval_node(e, x->a, READ_SIGNED);
    default:
        return x->op < CW_EXPR_ARG ? work_item_function(e, x, node) : cw_eval_operation(e, node);
    }
}

static const struct cw_poly *raw(struct cw_eval *e, int node)
{
    const struct cw_expr *x = &e->m->pool.node[node];
    switch (x->op) {
    case CW_EXPR_CONST:
        return constant(e, x->value);
    case CW_EXPR_TRUNC:
        return cw_eval_node(e, x->a, READ_RAW);
    case CW_EXPR_ADD:
    case CW_EXPR_MUL:
        return ring(e, x, node);
    default:
        break;
    }
    if (e->mode == EVAL_LAUNCH)
        return raw_launch(e, node);
    if (e->mode == EVAL_SYMBOLIC && (x->op == CW_EXPR_ZEXT || x->op == CW_EXPR_SEXT))
        return cw_eval_node(e, x->a, READ_RAW);
    return cw_eval_var_poly(e, cw_eval_new_var(e, node, cw_range_numbers(-CW_WIDE_LIMIT, CW_WIDE_LIMIT)));
}

const struct cw_poly *cw_eval_node(struct cw_eval *e, int node, enum reading how)
{
    node = cw_expr_resolve(&e->m->pool, node);
    struct remembered *remembered = &e->remembered[3 * (size_t)node + how];
    if (remembered->generation == e->generation)
        return remembered->p;
    e->depth++;
    const struct cw_poly *p = e->depth > e->max_depth ? cw_eval_unknown(e, node, how != READ_UNSIGNED)
                              : how == READ_RAW       ? raw(e, node)
                                                      : cw_eval_number(e, node, how == READ_SIGNED);
    e->depth--;
    *remembered = (struct remembered){e->generation, p};
    return p;
}
