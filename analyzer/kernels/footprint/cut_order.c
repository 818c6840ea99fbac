/* cut_order.c - does the order of a work-item's own accesses survive the vendor's compiler?
 *
 * Compilers that run neighbouring work-items as elements of a vector say that iterations of their loop over
 * work-items are independent (LLVM: "llvm.loop.parallel_accesses"), as OpenCL lets them. LLVM's loop
 * vectorizer then takes it that no two accesses of the loop depend on each other, those of one work-item
 * neither, and joins accesses that leave gaps of the same few elements ("interleaved" groups, Nuzman, Rosen,
 * Zaks, "Auto-vectorization of interleaved data for SIMD", PLDI 2006) into one at the place of the first load
 * or the last store: past all accesses between them. For
 *     out[2 * g + 1] = a; s = out[2 * g + (in[g] & 1)]; out[2 * g] = s;
 * s may be the earlier value. (PoCL 3.1 with LLVM 14 does so: test/vendor/strided_order.) Whether it does is
 * a matter of costs, so the launch as it is and its rewritten copy may come out differently.
 *
 * A launch is left whole when a work-item of it may do this: touch a byte twice, writing it at least once, by
 * offsets that are not the same expression, one of which moves by two to eight elements from a work-item to
 * its neighbour. */
#include "cut_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_GAP = 8,           /* elements of an interleaved group at most (LLVM's max-interleave-group-factor) */
    MAX_ELEMENT_SPLIT = 4, /* bytes: larger types may be accessed in parts of so many */
    TRIES = 6,             /* besides one per loop, until all bases and bounds hold (cut_form.c) */
    MAX_PAIRS = 2000,      /* evaluated one by one, and ... */
    MAX_COMPARED = 20000,  /* ... compared at all: more are not looked at, and the launch is left whole */
    NARROWEST = 8,         /* bits of an index that wraps */
};

/* Looked at twice: with the numbers of the launch, and without (extensions of 32-bit indices seen through,
 * and strides that the compiler knows no number of are none). One of both has to see that all is well. */
struct order {
    struct cw_eval *e;
    const struct cw_launch *launch; /* NULL: any, whose arguments share nothing */
    bool symbolic;
    const struct cw_poly **
        place; /* offsets by access, all of one evaluation; NULL: too many variables for that, or no memory */
    bool looked;
    const bool *idle;          /* by access: it happens in no work-item of the launch; NULL: not asked */
    uint8_t varies[VAR_COUNT]; /* by variable, enum known */
};

enum known { UNKNOWN, NO, YES };

/* The offset over group and local ids, numbers of the launch, and counters; NULL: anywhere. */
static const struct cw_poly *offset_of(struct cw_eval *e, const struct cw_access *a)
{
    if (a->offset < 0 || a->count >= 0)
        return NULL;
    e->access_loop = a->loop;
    return cw_eval_node(e, a->offset, READ_SIGNED);
}

/* Is the variable a counter, or does it come of one, or of a value that a loop computes? In one evaluation it
 * may stand for values of different iterations, and for the value after the last one: its range means nothing
 * then. */
static bool varies(struct order *o, int var)
{
    const struct cw_model *m = o->e->m;
    int node = o->e->var[var].node;
    if (o->varies[var] == UNKNOWN) {
        o->varies[var] = node < 0 && var >= VAR_DYNAMIC ? YES : NO;
        for (int l = 0; node >= 0 && l < m->loops && o->varies[var] == NO; l++)
            o->varies[var] = cw_model_varies_in(m, node, l) ? YES : NO;
    }
    return o->varies[var] == YES;
}

static bool is_steady(struct order *o, const struct cw_term *t)
{
    for (int k = 0; k < CW_POLY_DEGREE; k++)
        if (t->var[k] && varies(o, t->var[k]))
            return false;
    return true;
}

static bool all_steady(struct order *o, const struct cw_poly *p)
{
    for (int i = 0; i < p->n; i++)
        if (!is_steady(o, &p->term[i]))
            return false;
    return true;
}

/* Is the value made from ids of the work-item, and nothing that it has loaded alone? */
static bool of_ids(const struct cw_model *m, int node, int depth)
{
    enum { DEPTH = 8 };
    const struct cw_expr *x = &m->pool.node[cw_expr_resolve(&m->pool, node)];
    if (x->op == CW_EXPR_GLOBAL_ID || x->op == CW_EXPR_LOCAL_ID || depth > DEPTH)
        return true;
    return x->op > CW_EXPR_FORWARD &&
           ((x->a >= 0 && of_ids(m, x->a, depth + 1)) || (x->b >= 0 && of_ids(m, x->b, depth + 1)) ||
            (x->c >= 0 && of_ids(m, x->c, depth + 1)));
}

static bool is_id(const struct cw_expr *x)
{
    return x->op == CW_EXPR_GLOBAL_ID || x->op == CW_EXPR_LOCAL_ID;
}

/* Ids are hidden in operations that are no polynomials, but may be for the compiler; or times a local size,
 * of which it knows the number. */
static bool moves_oddly(const struct cw_eval *e, const struct cw_poly *p)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < CW_POLY_DEGREE; k++) {
            int v = p->term[i].var[k], node = v ? e->var[v].node : -1;
            const struct cw_expr *x = node < 0 ? NULL : &e->m->pool.node[node];
            if (x && (x->op == CW_EXPR_LOCAL_SIZE || x->op == CW_EXPR_ENQUEUED_LOCAL_SIZE ||
                      (!is_id(x) && of_ids(e->m, node, 0))))
                return true;
        }
    return false;
}

/* How far it is from a work-item to its neighbour in dimension d, as far as that is a number. */
static cw_wide stride(const struct order *o, const struct cw_poly *p, int d)
{
    cw_wide sum = 0;
    for (int i = 0; i < p->n; i++) {
        int v = p->term[i].var[CW_POLY_DEGREE - 1], node = v ? o->e->var[v].node : -1;
        const struct cw_expr *x = node < 0 ? NULL : &o->e->m->pool.node[node];
        bool alone = v && !p->term[i].var[CW_POLY_DEGREE - 2];
        if (alone && (o->symbolic ? x && is_id(x) && x->dim == d : v == VAR_LOCAL + d))
            sum += p->term[i].coefficient;
    }
    return sum;
}

/* Neighbours in some dimension are two to eight elements apart; larger types may be accessed in parts. */
static bool is_strided(const struct order *o, const struct cw_access *a, const struct cw_poly *p)
{
    int64_t bytes = a->bytes_may, element = bytes < MAX_ELEMENT_SPLIT ? bytes : MAX_ELEMENT_SPLIT;
    if (!p)
        return false;
    if (o->e->m->arg[a->arg].kind == CW_ARG_IMAGE) /* how far pixels lie apart in memory is not known */
        return true;
    for (int d = 0; d < 3; d++) {
        cw_wide c = stride(o, p, d);
        c = c < 0 ? -c : c;
        if ((!o->launch || o->launch->global[d] > 1) && c >= 2 * element && c <= MAX_GAP * bytes)
            return true;
    }
    return moves_oddly(o->e, p);
}

/* p - q as range and as rest + a multiple of gap; a varying variable is another number in each of both. */
struct distance {
    struct cw_range range;
    cw_wide rest, gap;
};

static void add_gaps(const struct cw_poly *part, struct distance *d)
{
    for (int i = 0; i < part->n; i++) {
        if (part->term[i].var[CW_POLY_DEGREE - 1])
            d->gap = cw_cut_gcd(d->gap, part->term[i].coefficient);
        else
            d->rest += part->term[i].coefficient;
    }
}

static void split(struct order *o, const struct cw_poly *p, struct cw_poly *still, struct cw_poly *turning)
{
    still->n = turning->n = 0;
    for (int i = 0; i < p->n; i++) {
        struct cw_poly *to = is_steady(o, &p->term[i]) ? still : turning;
        to->term[to->n++] = p->term[i];
    }
}

/* No byte of a is one of b's, whose argument begins `shift` bytes behind a's, in one work-item. */
static bool distant(struct order *o, const struct cw_access *a, const struct cw_poly *p,
                    const struct cw_access *b, const struct cw_poly *q, int64_t shift)
{
    struct cw_poly still_p, still_q, turning_p, turning_q;
    struct distance d = {.rest = -(cw_wide)shift};
    split(o, p, &still_p, &turning_p);
    split(o, q, &still_q, &turning_q);
    if (!cw_poly_add(&still_p, &still_p, &still_q, -1))
        return false;
    d.range = cw_poly_range(&still_p, o->e->range);
    if (!o->symbolic && !turning_p.n && !turning_q.n &&
        (d.range.lo - shift >= b->bytes_may || d.range.hi - shift <= -(cw_wide)a->bytes_may))
        return true;
    add_gaps(&still_p, &d);
    add_gaps(&turning_p, &d);
    add_gaps(&turning_q, &d);
    if (o->symbolic) /* extensions were seen through: all is modulo 2 to the power of the narrowest width */
        d.gap = cw_cut_gcd(d.gap, 1 << NARROWEST);
    if (d.gap == 0)
        return false;
    cw_wide rest = d.rest % d.gap;
    rest += rest < 0 ? d.gap : 0;
    return rest >= b->bytes_may && d.gap - rest >= a->bytes_may;
}

/* Evaluates offsets of all accesses, or of two of them; false: they have too many variables. */
static bool look(struct order *o, const struct cw_poly **place, int first, int second)
{
    struct cw_eval *e = o->e;
    const struct cw_model *m = e->m;
    memset(o->varies, UNKNOWN, sizeof o->varies);
    for (int tries = 0; tries < m->loops + TRIES; tries++) {
        cw_eval_reset(e);
        for (int i = 0; i < m->accesses; i++)
            if (first < 0 || i == first || i == second)
                place[i] = offset_of(e, &m->access[i]);
        if (!e->restart)
            return !e->failed;
    }
    return false;
}

static void look_at_all(struct order *o)
{
    o->looked = true;
    o->place = calloc((size_t)o->e->m->accesses + 1, sizeof *o->place);
    if (o->place && !look(o, o->place, -1, -1)) {
        free(o->place);
        o->place = NULL;
    }
}

/* The same polynomial is the same place: in each iteration, and in no other one, should the compiler unroll
 * the loop. */
static bool is_one_place(struct order *o, const struct cw_access *a, const struct cw_poly *p)
{
    int turning = 0;
    for (int i = 0; i < p->n; i++) {
        const struct cw_term *t = &p->term[i];
        int v = t->var[CW_POLY_DEGREE - 1], node = v ? o->e->var[v].node : -1;
        if (is_steady(o, t))
            continue;
        bool counter = node < 0 || o->e->m->pool.node[node].op == CW_EXPR_LOOP;
        if (++turning > 1 || !counter || t->var[CW_POLY_DEGREE - 2] ||
            (t->coefficient < a->bytes_may && t->coefficient > -a->bytes_may))
            return false;
    }
    return true;
}

/* The same bytes whenever both touch some. Where extensions are seen through, equal polynomials may be of
 * different widths. */
static bool are_one_place(struct order *o, const struct cw_access *a, const struct cw_poly *p,
                          const struct cw_access *b, const struct cw_poly *q)
{
    const struct cw_expr_pool *pool = &o->e->m->pool;
    bool equal = o->symbolic ? cw_expr_resolve(pool, a->offset) == cw_expr_resolve(pool, b->offset)
                             : cw_poly_equal(p, q);
    return equal && a->bytes_may == b->bytes_may &&
           (a->loop == b->loop ? is_one_place(o, a, p) : all_steady(o, p));
}

/* Numbers of one loop only: behind a loop its counter is another one. */
static bool is_of_one_loop(const struct cw_model *m)
{
    for (int i = 1; i < m->accesses; i++)
        if (m->access[i].loop != m->access[0].loop)
            return false;
    return true;
}

/* Accesses i and j of a work-item stay in their order, as far as `o` can see. *pairs: that were evaluated by
 * themselves. */
static bool keeps_order(struct order *o, int i, int j, int64_t shift, int *pairs)
{
    struct cw_eval *e = o->e;
    const struct cw_access *a = &e->m->access[i], *b = &e->m->access[j];
    if (!o->symbolic && a->loop != b->loop)
        return false;
    o->looked |= !o->symbolic && !is_of_one_loop(e->m);
    if (!o->looked)
        look_at_all(o);
    const struct cw_poly **place = o->place ? o->place : calloc((size_t)e->m->accesses + 1, sizeof *place);
    bool seen = o->place || (place && ++*pairs <= MAX_PAIRS && look(o, place, i, j));
    const struct cw_poly *p = seen ? place[i] : NULL, *q = seen ? place[j] : NULL;
    bool keeps = seen && !is_strided(o, a, p) && !is_strided(o, b, q);
    if (!keeps && p && q)
        keeps = (shift == 0 && are_one_place(o, a, p, b, q)) || distant(o, a, p, b, q, shift);
    if (!o->place)
        free(place);
    return keeps;
}

static bool share_memory(const struct cw_model *m, const struct order *o, int a, int b, int64_t *shift)
{
    *shift = 0;
    return o->launch ? cw_cut_share_memory(m, o->launch, a, b, shift) : a == b;
}

/* Without a look at polynomials. */
static bool same_place(const struct cw_access *a, const struct cw_access *b, int64_t shift)
{
    return shift == 0 && a->offset == b->offset && a->loop < 0 && b->loop < 0 && a->offset >= 0 &&
           a->count < 0 && b->count < 0 && a->bytes_may == b->bytes_may;
}

/* Sums that wrap at less than a byte. */
static bool has_narrow(const struct cw_model *m)
{
    for (int i = 0; i < m->pool.n; i++) {
        const struct cw_expr *x = &m->pool.node[i];
        if (x->width < NARROWEST && (x->op == CW_EXPR_ADD || x->op == CW_EXPR_MUL || x->op == CW_EXPR_TRUNC))
            return true;
    }
    return false;
}

static bool keeps_order_anyhow(const struct cw_model *m, struct order *number, struct order *symbol, int i,
                               int j, int64_t shift, int *pairs)
{
    if (number->e && keeps_order(number, i, j, shift, pairs))
        return true;
    if (!symbol->e && !has_narrow(m))
        symbol->e = cw_eval_symbolic(m, EVAL_SYMBOLIC);
    return symbol->e && keeps_order(symbol, i, j, shift, pairs);
}

static bool all_keep(const struct cw_model *m, struct order *number, struct order *symbol, int *first,
                     int *second)
{
    int pairs = 0, compared = 0;
    for (int i = 0; i < m->accesses; i++) {
        const struct cw_access *a = &m->access[i], *b = m->access;
        for (int j = 0; a->kind & CW_ACCESS_WRITE && j < m->accesses; j++, b++) {
            int64_t shift;
            bool twice = j == i || (b->kind & CW_ACCESS_WRITE && j < i);
            bool idle = number->idle && (number->idle[i] || number->idle[j]);
            if (twice || idle || !share_memory(m, number, a->arg, b->arg, &shift) ||
                same_place(a, b, shift) ||
                (++compared <= MAX_COMPARED && keeps_order_anyhow(m, number, symbol, i, j, shift, &pairs)))
                continue;
            *first = i;
            *second = j;
            return false;
        }
    }
    return true;
}

static bool keeps_order_in(struct cw_cutter *c, const struct cw_launch *launch, const bool *idle, int *first,
                           int *second)
{
    struct order number = {.e = c->eval, .launch = launch, .idle = idle},
                 symbol = {.launch = launch, .symbolic = true};
    for (int d = 0; d < 3; d++)
        c->eval->by_group[d] = true;
    c->eval->box_valid = false;
    bool keeps = all_keep(c->m, &number, &symbol, first, second);
    cw_eval_destroy(symbol.e);
    free(symbol.place);
    free(number.place);
    return keeps;
}

/* An access whose guards cannot hold in the launch comes before and after nothing. */
bool cw_cut_keeps_order(struct cw_cutter *c, const struct cw_launch *launch, int *first, int *second)
{
    bool keeps = keeps_order_in(c, launch, NULL, first, second), some = false;
    bool *idle = keeps ? NULL : calloc((size_t)c->m->accesses + 1, sizeof *idle);
    for (int i = 0; idle && i < c->m->accesses; i++) {
        struct cut_form f;
        cw_cut_form_read(c->eval, i, 0, &f);
        idle[i] = f.never;
        some |= f.never;
    }
    if (some)
        keeps = keeps_order_in(c, launch, idle, first, second);
    free(idle);
    return keeps;
}

bool cw_cut_ordered(const struct cw_model *m)
{
    struct order number = {0}, symbol = {.symbolic = true};
    int first, second;
    bool ordered = !m->anywhere;
    for (int i = 0; i < m->args && ordered; i++)
        ordered = !m->arg[i].unknown_write && !m->arg[i].changed;
    ordered = ordered && all_keep(m, &number, &symbol, &first, &second);
    cw_eval_destroy(symbol.e);
    free(symbol.place);
    return ordered;
}
