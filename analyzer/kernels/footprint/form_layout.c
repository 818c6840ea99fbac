/* form_layout.c - where the offsets of an access lie in the box of a tile. */
#include "form_internal.h"

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
