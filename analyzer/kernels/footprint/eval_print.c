/* eval_print.c - the evaluator without a launch: formulas for people, and the step of a loop's φ. */
#include "eval_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 6 };

static const char *const leaf_names[] = {
    [CW_EXPR_GLOBAL_ID] = "gid",   [CW_EXPR_LOCAL_ID] = "lid",      [CW_EXPR_GROUP_ID] = "grp",
    [CW_EXPR_GLOBAL_SIZE] = "gsz", [CW_EXPR_LOCAL_SIZE] = "lsz",    [CW_EXPR_ENQUEUED_LOCAL_SIZE] = "elsz",
    [CW_EXPR_NUM_GROUPS] = "ngrp", [CW_EXPR_GLOBAL_OFFSET] = "off",
};

static const char *const op_names[] = {
    [CW_EXPR_UDIV] = "/",   [CW_EXPR_SDIV] = "/",   [CW_EXPR_UREM] = "%",      [CW_EXPR_SREM] = "%",
    [CW_EXPR_SHL] = "<<",   [CW_EXPR_LSHR] = ">>",  [CW_EXPR_ASHR] = ">>",     [CW_EXPR_AND] = "&",
    [CW_EXPR_OR] = "|",     [CW_EXPR_XOR] = "^",    [CW_EXPR_SMIN] = "min",    [CW_EXPR_UMIN] = "min",
    [CW_EXPR_SMAX] = "max", [CW_EXPR_UMAX] = "max", [CW_EXPR_MUL24] = "mul24",
};

static void print_node(struct cw_eval *e, int node, int depth, FILE *out);
static void print_condition(struct cw_eval *e, struct cw_guard g, int depth, FILE *out);

/* "image.width" */
static void print_size(const struct cw_arg *image, int64_t which, FILE *out)
{
    static const char *const names[] = {"width", "height", "depth"};
    int64_t d = which >= 0 ? which / 8 : CW_IMAGE_LIMIT - which;
    bool layers = strstr(image->type, "_array") && d == (strstr(image->type, "image1d") ? 1 : 2);
    fprintf(out, "%s.%s", image->name, d < 0 || d > 2 ? "?" : layers ? "layers" : names[d]);
}

static void print_atom(struct cw_eval *e, int node, int depth, FILE *out)
{
    const struct cw_expr *x = &e->m->pool.node[node];
    if (x->op >= CW_EXPR_GLOBAL_ID && x->op <= CW_EXPR_GLOBAL_OFFSET) {
        fprintf(out, "%s%d", leaf_names[x->op], x->dim);
    } else if (x->op == CW_EXPR_WORK_DIM) {
        fprintf(out, "dims");
    } else if (x->op == CW_EXPR_ARG && e->m->arg[x->a].kind == CW_ARG_IMAGE) {
        print_size(&e->m->arg[x->a], x->value, out);
    } else if (x->op == CW_EXPR_ARG) {
        fprintf(out, "%s", e->m->arg[x->a].name);
        if (x->value || e->m->arg[x->a].bytes * 8 != x->width)
            fprintf(out, "@%lld", (long long)x->value);
    } else if (x->op == CW_EXPR_LOOP) {
        fprintf(out, "k%d", x->a);
    } else if (x->op == CW_EXPR_OPAQUE || depth > MAX_DEPTH) {
        fprintf(out, "?");
    } else if (x->op == CW_EXPR_SELECT) {
        bool known = e->m->pool.node[cw_expr_resolve(&e->m->pool, x->a)].op != CW_EXPR_OPAQUE;
        fprintf(out, "(");
        if (known)
            print_condition(e, (struct cw_guard){x->a, true}, depth + 1, out);
        fprintf(out, known ? " ? " : "either ");
        print_node(e, x->b, depth + 1, out);
        fprintf(out, known ? " : " : " or ");
        print_node(e, x->c, depth + 1, out);
        fprintf(out, ")");
    } else if (x->width == 1) {
        bool alone = x->op != CW_EXPR_AND && x->op != CW_EXPR_OR; /* these have parentheses */
        fprintf(out, alone ? "(" : "");
        print_condition(e, (struct cw_guard){node, true}, depth + 1, out);
        fprintf(out, alone ? ")" : "");
    } else if (x->op < sizeof op_names / sizeof *op_names && op_names[x->op]) {
        bool infix = !(op_names[x->op][0] >= 'a');
        fprintf(out, infix ? "(" : "%s(", op_names[x->op]);
        print_node(e, x->a, depth + 1, out);
        fprintf(out, infix ? " %s " : ", ", op_names[x->op]);
        print_node(e, x->b, depth + 1, out);
        fprintf(out, ")");
    } else {
        fprintf(out, "?");
    }
}

struct monomial {
    int64_t coefficient;
    char *text; /* "" for the constant */
};

static int by_text(const void *a, const void *b)
{
    const struct monomial *x = a, *y = b;
    if (!*x->text != !*y->text)
        return *x->text ? -1 : 1;
    return strcmp(x->text, y->text);
}

static int by_string(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *monomial_text(struct cw_eval *e, const struct cw_term *t, int depth)
{
    char *factor[CW_POLY_DEGREE] = {0}, *text = NULL;
    size_t length = 0;
    int n = 0;
    for (int k = 0; k < CW_POLY_DEGREE; k++) {
        if (!t->var[k])
            continue;
        FILE *f = open_memstream(&factor[n], &length);
        if (!f)
            continue;
        print_atom(e, e->var[t->var[k]].node, depth, f);
        fclose(f);
        n++;
    }
    qsort(factor, (size_t)n, sizeof *factor, by_string);
    FILE *f = open_memstream(&text, &length);
    for (int i = 0; i < n; i++) {
        if (f)
            fprintf(f, "%s%s", i ? "*" : "", factor[i]);
        free(factor[i]);
    }
    if (f)
        fclose(f);
    return text ? text : strdup("?");
}

/* Prints the terms of p with the wanted sign (coefficients times `sign`); "0" when there are none. */
static void print_poly(struct cw_eval *e, const struct cw_poly *p, int sign, bool one_sign_only, int depth,
                       FILE *out)
{
    struct monomial m[CW_POLY_TERMS];
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        if (one_sign_only && (p->term[i].coefficient > 0) != (sign > 0))
            continue;
        m[n].coefficient = sign < 0 ? (int64_t) - (uint64_t)p->term[i].coefficient : p->term[i].coefficient;
        m[n++].text = monomial_text(e, &p->term[i], depth);
    }
    qsort(m, (size_t)n, sizeof *m, by_text);
    for (int i = 0; i < n; i++) {
        int64_t c = m[i].coefficient;
        uint64_t size = c < 0 ? -(uint64_t)c : (uint64_t)c;
        fprintf(out, "%s", i == 0 ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
        if (size != 1 || !*m[i].text)
            fprintf(out, "%llu%s", (unsigned long long)size, *m[i].text ? "*" : "");
        fprintf(out, "%s", m[i].text);
        free(m[i].text);
    }
    if (n == 0)
        fprintf(out, "0");
}

static void print_node(struct cw_eval *e, int node, int depth, FILE *out)
{
    const struct cw_poly *p = cw_eval_node(e, node, READ_RAW);
    bool sum = p->n > 1 && depth > 0;
    if (e->failed) {
        fprintf(out, "?");
        return;
    }
    fprintf(out, sum ? "(" : "");
    print_poly(e, p, 1, false, depth, out);
    fprintf(out, sum ? ")" : "");
}

static void print_condition(struct cw_eval *e, struct cw_guard g, int depth, FILE *out)
{
    struct cw_poly p, nothing = {0};
    enum relation relation;
    int64_t bit = 0;
    int node = cw_expr_resolve(&e->m->pool, g.node);
    const struct cw_expr *x = &e->m->pool.node[node];
    if (cw_eval_relation(e, node, g.want, &p, &relation) && !e->failed) {
        if (relation != REL_NEGATIVE && p.n && p.term[p.n - 1].coefficient < 0)
            (void)cw_poly_add(&p, &nothing, &p, -1);
        print_poly(e, &p, 1, true, depth, out);
        fprintf(out, relation == REL_NEGATIVE ? " < " : relation == REL_ZERO ? " == " : " != ");
        print_poly(e, &p, -1, true, depth, out);
    } else if ((x->op == CW_EXPR_AND || x->op == CW_EXPR_OR) && depth <= MAX_DEPTH) {
        fprintf(out, g.want ? "(" : "!(");
        print_condition(e, (struct cw_guard){x->a, true}, depth + 1, out);
        fprintf(out, x->op == CW_EXPR_AND ? " and " : " or ");
        print_condition(e, (struct cw_guard){x->b, true}, depth + 1, out);
        fprintf(out, ")");
    } else if (x->op == CW_EXPR_XOR && cw_expr_is_const(&e->m->pool, x->b, &bit)) {
        print_condition(e, (struct cw_guard){x->a, g.want != (bit & 1)}, depth, out);
    } else if (x->op == CW_EXPR_SELECT && depth <= MAX_DEPTH) {
        fprintf(out, g.want ? "" : "!");
        print_atom(e, node, depth + 1, out);
    } else {
        fprintf(out, g.want ? "?" : "!?");
    }
}

struct cw_eval *cw_eval_symbolic(const struct cw_model *m, enum eval_mode mode)
{
    struct cw_eval *e = m->pool.failed ? NULL : cw_eval_create(m);
    if (e) {
        e->mode = mode;
        e->max_depth = EVAL_MAX_DEPTH;
        cw_eval_reset(e);
    }
    return e;
}

void cw_eval_print(const struct cw_model *m, int node, FILE *out)
{
    struct cw_eval *e = cw_eval_symbolic(m, EVAL_SYMBOLIC);
    if (e)
        print_node(e, node, 0, out);
    cw_eval_destroy(e);
}

/* Coordinate 1 or 2 that `node` is a term of, which follows in *at (-1: it is 1); 0: none. */
static int axis_of(const struct cw_expr_pool *p, int node, int *at)
{
    const struct cw_expr *x = &p->node[node], *pitch = x->op == CW_EXPR_MUL ? &p->node[x->b] : x;
    *at = x->op == CW_EXPR_MUL ? x->a : -1;
    if (pitch->op != CW_EXPR_ARG || pitch->value >= CW_IMAGE_PITCH || pitch->value == CW_IMAGE_LAYER ||
        pitch->value < CW_IMAGE_LAYER - 2)
        return 0;
    return (int)((pitch->value > CW_IMAGE_LAYER ? CW_IMAGE_PITCH : CW_IMAGE_LAYER) - pitch->value);
}

/* Reads outside of an image touch its edge: that goes without saying. */
static int without_clamp(const struct cw_expr_pool *p, int node)
{
    const struct cw_expr *x = &p->node[node], *max = x->op == CW_EXPR_SMIN ? &p->node[x->a] : NULL;
    return max && max->op == CW_EXPR_SMAX ? max->a : node;
}

void cw_eval_print_pixel(const struct cw_model *m, int node, FILE *out)
{
    const struct cw_expr_pool *p = &m->pool;
    int at[3] = {node, -1, -1}, n = 1, d, last;
    while ((d = axis_of(p, at[0], &last)) > 0 ||
           (p->node[at[0]].op == CW_EXPR_ADD && (d = axis_of(p, p->node[at[0]].b, &last)) > 0)) {
        at[d] = last;
        n = d >= n ? d + 1 : n;
        if (p->node[at[0]].op != CW_EXPR_ADD) { /* the first coordinate is 0 */
            at[0] = -1;
            break;
        }
        at[0] = p->node[at[0]].a;
    }
    for (d = 0; d < n; d++) {
        fprintf(out, d ? ", " : "");
        if (at[d] < 0)
            fprintf(out, d ? "1" : "0");
        else
            cw_eval_print(m, without_clamp(p, at[d]), out);
    }
}

void cw_eval_print_guard(const struct cw_model *m, struct cw_guard g, FILE *out)
{
    struct cw_eval *e = cw_eval_symbolic(m, EVAL_SYMBOLIC);
    if (e)
        print_condition(e, g, 0, out);
    cw_eval_destroy(e);
}

/* p as an expression of `width` bits. */
static int rebuild(struct cw_model *m, struct cw_eval *e, const struct cw_poly *p, int width)
{
    int sum = cw_expr_const(&m->pool, width, 0);
    for (int i = 0; i < p->n; i++) {
        int product = cw_expr_const(&m->pool, width, p->term[i].coefficient);
        for (int k = 0; k < CW_POLY_DEGREE; k++)
            if (p->term[i].var[k]) {
                int factor = cw_expr_unary(&m->pool, CW_EXPR_TRUNC, width, e->var[p->term[i].var[k]].node);
                product = cw_expr_binary(&m->pool, CW_EXPR_MUL, width, product, factor);
            }
        sum = cw_expr_binary(&m->pool, CW_EXPR_ADD, width, sum, product);
    }
    return sum;
}

int cw_eval_step(struct cw_model *m, int next, int var, int loop)
{
    struct cw_eval *e = cw_eval_symbolic(m, EVAL_STRICT);
    if (!e)
        return -1;
    int step = -1;
    int64_t c = 0;
    const struct cw_poly *p = cw_eval_node(e, next, READ_RAW), *v = cw_eval_node(e, var, READ_RAW);
    struct cw_poly difference;
    bool fits = !e->failed && v->n == 1 && cw_poly_uses(p, v->term[0].var[CW_POLY_DEGREE - 1], &c) == 1 &&
                c == 1 && cw_poly_add(&difference, p, v, -1);
    for (int i = 0; fits && i < difference.n; i++)
        for (int k = 0; k < CW_POLY_DEGREE && fits; k++)
            if (difference.term[i].var[k])
                fits = !cw_model_varies_in(m, e->var[difference.term[i].var[k]].node, loop);
    if (fits)
        step = rebuild(m, e, &difference, m->pool.node[next].width);
    cw_eval_destroy(e);
    return m->pool.failed ? -1 : step;
}
