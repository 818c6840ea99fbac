/* form.c - see form.h. */
#include "form_internal.h"

#include <stdlib.h>
#include <string.h>

struct cw_form *cw_form_create(const struct cw_model *m)
{
    struct cw_form *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->m = m;
    c->e = cw_eval_create(m);
    c->arg = calloc((size_t)m->args + 1, sizeof *c->arg);
    c->key_size = calloc((size_t)m->args + 1, sizeof *c->key_size);
    if (!c->e || !c->arg || !c->key_size) {
        cw_form_destroy(c);
        return NULL;
    }
    for (int i = 0; i < m->pool.n; i++) {
        const struct cw_expr *x = &m->pool.node[i];
        int64_t end = x->value + (x->width + 7) / 8;
        if (x->op == CW_EXPR_ARG && x->value >= 0 && end > c->key_size[x->a] && end <= CW_MODEL_MAX_NODES)
            c->key_size[x->a] = (int)end;
    }
    for (int i = 0; i < m->args; i++)
        c->key_bytes += c->key_size[i] ? 1 + c->key_size[i] : 0;
    for (int v = 0; v < VAR_DYNAMIC; v++)
        c->free[v] = true;
    return c;
}

void cw_form_destroy(struct cw_form *c)
{
    if (!c)
        return;
    for (int i = 0; i < CODES; i++) {
        free(c->code[i].scalars);
        cw_form_finish(&c->code[i]);
    }
    cw_form_plans_finish(c);
    cw_spans_finish(&c->visit.may);
    cw_spans_finish(&c->visit.must);
    cw_eval_destroy(c->e);
    free(c->arg);
    free(c->bytes);
    free(c->key_size);
    free(c);
}

static bool copy_launch(struct cw_form *c, const struct cw_launch *l)
{
    size_t bytes = 1;
    for (int i = 0; i < c->m->args; i++)
        bytes += l->arg[i].value ? l->arg[i].value_bytes : 0;
    if (bytes > c->bytes_space) {
        unsigned char *wider = realloc(c->bytes, bytes);
        if (!wider)
            return false;
        c->bytes = wider;
        c->bytes_space = bytes;
    }
    c->launch = *l;
    c->launch.arg = c->arg;
    memcpy(c->arg, l->arg, (size_t)c->m->args * sizeof *c->arg);
    unsigned char *to = c->bytes;
    for (int i = 0; i < c->m->args; i++) {
        if (!l->arg[i].value)
            continue;
        memcpy(to, l->arg[i].value, l->arg[i].value_bytes);
        c->arg[i].value = to;
        to += l->arg[i].value_bytes;
    }
    return true;
}

/* Compares or stores the bytes of arguments that indices depend on. A value that is known in part matches
 * nothing. */
static bool scalars_match(const struct cw_form *c, unsigned char *scalars, bool store)
{
    unsigned char *at = scalars;
    for (int i = 0; i < c->m->args; i++) {
        size_t wanted = (size_t)c->key_size[i];
        bool known = c->arg[i].value && c->arg[i].value_bytes >= wanted;
        if (!wanted)
            continue;
        unsigned char state = known ? 1 : c->arg[i].value ? 2 : 0;
        if (store) {
            at[0] = state;
            if (known)
                memcpy(at + 1, c->arg[i].value, wanted);
        } else if (state == 2 || at[0] != state || (known && memcmp(at + 1, c->arg[i].value, wanted))) {
            return false;
        }
        at += wanted + 1;
    }
    return true;
}

static bool sizes_match(const struct cw_launch *l, const struct cw_code *code)
{
    return code->work_dim == l->work_dim && !memcmp(code->global, l->global, sizeof l->global) &&
           !memcmp(code->local, l->local, sizeof l->local) &&
           !memcmp(code->offset, l->offset, sizeof l->offset);
}

bool cw_form_launch(struct cw_form *c, const struct cw_launch *launch)
{
    struct cw_code *oldest = &c->code[0];
    c->now = NULL;
    if (!copy_launch(c, launch))
        return false;
    c->clock++;
    for (int i = 0; i < CODES; i++) {
        struct cw_code *code = &c->code[i];
        if (code->valid && sizes_match(&c->launch, code) && scalars_match(c, code->scalars, false)) {
            code->used = c->clock;
            c->now = code;
            return true;
        }
        if (!code->valid || (oldest->valid && code->used < oldest->used))
            oldest = code;
    }
    oldest->valid = false;
    if (!oldest->scalars && !(oldest->scalars = malloc((size_t)c->key_bytes + 1)))
        return false;
    if (!cw_form_make(c, oldest))
        return false;
    oldest->work_dim = launch->work_dim;
    memcpy(oldest->global, launch->global, sizeof launch->global);
    memcpy(oldest->local, launch->local, sizeof launch->local);
    memcpy(oldest->offset, launch->offset, sizeof launch->offset);
    (void)scalars_match(c, oldest->scalars, true);
    oldest->used = c->clock;
    oldest->valid = true;
    c->now = oldest;
    return true;
}

int cw_form_slow(const struct cw_form *c, int *all)
{
    int slow = 0;
    *all = c->now ? c->now->items : 0;
    for (int i = 0; i < *all; i++)
        slow += c->now->item[i].slow;
    return slow;
}

bool cw_form_planned(const struct cw_form *c)
{
    return c->now && c->now->planned;
}

/* ---- a tile */

static void widen(struct cw_hull *h, enum cw_answer answer, const char *why, int64_t begin, int64_t end)
{
    if (answer > h->answer) {
        h->answer = answer;
        h->why = why;
    }
    if (begin >= end)
        return;
    if (h->begin == h->end) {
        h->begin = begin;
        h->end = end;
        return;
    }
    h->begin = begin < h->begin ? begin : h->begin;
    h->end = end > h->end ? end : h->end;
}

/* Makes one range of `range[i]` and the next one. */
static void join(struct cw_read_range *range, int *n, int i)
{
    range[i].end = range[i + 1].end > range[i].end ? range[i + 1].end : range[i].end;
    (*n)--;
    memmove(&range[i + 1], &range[i + 2], (size_t)(*n - i - 1) * sizeof *range);
}

static void add_range(struct cw_arg_hulls *h, int64_t begin, int64_t end)
{
    struct cw_read_range range[CW_READ_RANGES + 1];
    int n = h->ranges, at = n, close = 0;

    if (begin >= end)
        return;
    memcpy(range, h->range, sizeof h->range);
    while (at > 0 && range[at - 1].begin > begin) {
        range[at] = range[at - 1];
        at--;
    }
    range[at] = (struct cw_read_range){begin, end};
    n++;
    for (int i = at > 0 ? at - 1 : 0; i + 1 < n;)
        if (range[i].end >= range[i + 1].begin)
            join(range, &n, i);
        else
            i++;
    for (int i = 1; i + 1 < n; i++)
        if (range[i + 1].begin - range[i].end < range[close + 1].begin - range[close].end)
            close = i;
    if (n > CW_READ_RANGES)
        join(range, &n, close);
    memcpy(h->range, range, sizeof h->range);
    h->ranges = n;
}

static void read_range(struct cw_arg_hulls *h, enum cw_answer answer, const char *why, int64_t begin,
                       int64_t end)
{
    widen(&h->reads, answer == CW_ANSWER_EXACT ? CW_ANSWER_AT_MOST : answer, why, begin, end);
    add_range(h, begin, end);
}

/* Of the certain bytes the hull keeps one interval: the longest. */
static void widen_sure(struct cw_hull *h, int64_t begin, int64_t end)
{
    if (begin >= end)
        return;
    if (begin <= h->sure_end && end >= h->sure && h->sure < h->sure_end) {
        h->sure = begin < h->sure ? begin : h->sure;
        h->sure_end = end > h->sure_end ? end : h->sure_end;
    } else if (end - begin > h->sure_end - h->sure) {
        h->sure = begin;
        h->sure_end = end;
    }
}

static int64_t clip(int64_t v, int64_t size)
{
    return v < 0 ? 0 : v > size ? size : v;
}

/* The bytes are `start` further on, or beyond all buffers. */
static void move(int64_t *lo, int64_t *hi, int64_t start)
{
    const int64_t beyond = INT64_MAX / 2;

    if (!start)
        return;
    *lo = *lo < beyond - start ? *lo + start : beyond;
    *hi = *hi < beyond - start ? *hi + start : beyond;
}

static const char *why_inexact(const struct form_item *x, const struct form_layout *y, bool certain)
{
    return !y->independent              ? cw_eval_why_data
           : x->repeats_vary            ? cw_eval_why_count
           : x->line.curve              ? cw_eval_why_shape
           : !y->few                    ? cw_eval_why_gaps
           : x->kind & CW_ACCESS_ATOMIC ? cw_eval_why_atomic
           : x->doubted                 ? x->why
           : x->kind & CW_ACCESS_WRITE  ? (certain ? cw_eval_why_padding : cw_eval_why_guard)
                                        : NULL;
}

/* The bytes that all repetitions may start at: the bounds of the guards. */
static struct form_range start_range(struct cw_form *c, const struct cw_code *code, const struct form_item *x,
                                     const struct form_layout *y)
{
    struct form_range r = {y->base, y->last - (x->repeats > 1 ? x->stride * (x->repeats - 1) : 0)};

    for (int i = x->bound; i < x->bound + x->bounds; i++) {
        const struct form_bound *b = &code->bound[i];
        if (c->lo[b->var] >= c->hi[b->var])
            continue;
        struct form_range rest = cw_form_line_range(c, code, &b->rest);
        if (b->c > 0 && rest.hi - b->c < r.hi)
            r.hi = rest.hi - b->c;
        if (b->c < 0 && rest.lo - b->c > r.lo)
            r.lo = rest.lo - b->c;
    }
    if (x->two_forms) {
        struct form_range also = cw_form_line_range(c, code, &x->also);
        r.lo = also.lo > r.lo ? also.lo : r.lo;
        r.hi = also.hi < r.hi ? also.hi : r.hi;
    }
    return r;
}

static void visit(struct cw_form *c, const struct cw_code *code, const struct form_item *x, bool certain,
                  struct cw_arg_hulls *hulls)
{
    int64_t size = c->arg[x->arg].buffer_bytes;
    struct form_layout y = cw_form_lay_out(c, code, x);
    struct form_range r = start_range(c, code, x, &y);
    move(&y.base, &y.last, c->arg[x->arg].start);
    move(&r.lo, &r.hi, c->arg[x->arg].start);
    bool write = x->kind & CW_ACCESS_WRITE, atomic = x->kind & CW_ACCESS_ATOMIC;
    int64_t begin = clip(y.base, size), end = clip(y.last + x->bytes_may, size);
    if (x->repeats < 0) {
        begin = clip(r.lo > y.base ? r.lo : y.base, size);
        end = clip(r.hi + x->bytes_may < y.last + x->bytes_may ? r.hi + x->bytes_may : y.last + x->bytes_may,
                   size);
    }
    if (begin >= end)
        return;
    certain = certain && !x->doubted && !x->repeats_vary && !atomic && write && y.independent && y.few;
    int64_t sure = clip(y.base, size), sure_end = clip(y.last + x->bytes_must, size);
    bool exact = certain && x->bytes_must == x->bytes_may && sure == begin && sure_end == end;
    bool all = y.one_piece && begin == 0 && end == size && size > 0,
         beyond = r.lo < 0 || r.hi + x->bytes_may > size;
    enum cw_answer answer = exact                             ? CW_ANSWER_EXACT
                            : !y.independent && all && beyond ? CW_ANSWER_UNKNOWN
                                                              : CW_ANSWER_AT_MOST;
    const char *why = why_inexact(x, &y, certain);
    if (x->kind & CW_ACCESS_READ)
        read_range(&hulls[x->arg], answer, why, begin, end);
    if (write)
        widen(&hulls[x->arg].writes, answer, why, begin, end);
    if (certain && y.one_piece && x->bytes_must == x->bytes_may)
        widen_sure(&hulls[x->arg].writes, sure, sure_end);
}

static void visit_all(struct cw_form *c, const struct form_item *x, struct cw_arg_hulls *hulls)
{
    int64_t size = c->arg[x->arg].buffer_bytes;
    if (x->kind & CW_ACCESS_READ)
        widen(&hulls[x->arg].reads, CW_ANSWER_UNKNOWN, x->why, 0, size);
    if (x->kind & CW_ACCESS_WRITE)
        widen(&hulls[x->arg].writes, CW_ANSWER_UNKNOWN, x->why, 0, size);
}

static bool visit_slowly(struct cw_form *c, const struct form_item *x, struct cw_arg_hulls *hulls)
{
    struct eval_visit *t = &c->visit;
    bool ok = true;
    cw_eval_access(c->e, &c->m->access[x->access], &c->arg[x->arg], t, &ok);
    if (!ok || t->answer == CW_ANSWER_NONE)
        return ok;
    int64_t begin = t->may.n ? t->may.v[0].begin : 0, end = t->may.n ? t->may.v[t->may.n - 1].end : 0;
    if (x->kind & CW_ACCESS_READ)
        read_range(&hulls[x->arg], t->answer, t->why, begin, end);
    if (x->kind & CW_ACCESS_WRITE)
        widen(&hulls[x->arg].writes, t->answer, t->why, begin, end);
    for (size_t i = 0; i < t->must.n; i++)
        widen_sure(&hulls[x->arg].writes, t->must.v[i].begin, t->must.v[i].end);
    return true;
}

static void settle(struct cw_hull *h, const char *unknown, int64_t size)
{
    if (unknown) {
        h->answer = CW_ANSWER_UNKNOWN;
        h->why = unknown;
    }
    if (h->answer == CW_ANSWER_UNKNOWN) {
        h->begin = 0;
        h->end = size;
    } else if (h->begin == h->end) {
        *h = (struct cw_hull){.answer = CW_ANSWER_NONE};
    } else if (h->sure == h->begin && h->sure_end == h->end) {
        h->answer = CW_ANSWER_EXACT; /* other accesses lie inside of the certain bytes */
    }
}

bool cw_form_tile(struct cw_form *c, const struct cw_tile *tile, struct cw_arg_hulls *hulls)
{
    const struct cw_code *code = c->now;
    int box = -1;
    bool inside = false, certain = false;
    if (!code)
        return false;
    memset(hulls, 0, (size_t)c->m->args * sizeof *hulls);
    c->e->launch = &c->launch;
    c->e->tile = tile;
    c->e->box_valid = false;
    for (int i = 0; i < code->items; i++) {
        const struct form_item *x = &code->item[i];
        if (x->whole && x->box < 0)
            visit_all(c, x, hulls);
        if (x->slow) {
            if (!visit_slowly(c, x, hulls))
                return false;
        }
        if (x->slow || x->box < 0)
            continue;
        if (x->box != box) {
            box = x->box;
            cw_form_set_tile(c, tile);
            inside = cw_form_enter_box(c, code, &code->box[box], &certain);
        }
        if (inside && x->whole)
            visit_all(c, x, hulls);
        else if (inside)
            visit(c, code, x, certain, hulls);
    }
    for (int i = 0; i < c->m->args; i++) {
        /* of images all, whether or not the launch says their shape */
        settle(&hulls[i].reads, c->m->arg[i].unknown_read, c->arg[i].buffer_bytes);
        settle(&hulls[i].writes, c->m->arg[i].unknown_write, c->arg[i].buffer_bytes);
    }
    return true;
}

bool cw_form_tiles(struct cw_form *c, unsigned d, const int64_t *from, int n, struct cw_arg_hulls *hulls)
{
    struct cw_tile t;
    for (int k = 0; k < 3; k++) {
        t.first[k] = 0;
        t.count[k] =
            c->launch.global[k] / c->launch.local[k] + (c->launch.global[k] % c->launch.local[k] != 0);
    }
    for (int i = 0; i < n; i++) {
        t.first[d] = from[i];
        t.count[d] = from[i + 1] - from[i];
        if (!cw_form_tile(c, &t, hulls + (size_t)i * (size_t)c->m->args))
            return false;
    }
    return true;
}
