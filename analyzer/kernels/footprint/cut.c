/* cut.c - see cut.h. */
#include "cut_internal.h"
#include "cut.h"

#include <stdlib.h>

static const char why_memory[] = "out of memory";
static const char why_prints[] = "it prints";
static const char why_addresses[] = "it hands on where its buffers lie";
static const char why_polls[] = "it waits in a loop for memory that others write";
static const char why_changed[] = "it changes a structure that it is given by value";
static const char why_single[] = "there is only one work-group";
static const char why_many[] = "it has too many accesses to compare";
static const char why_read_write[] = "work-groups read what other work-groups write";
static const char why_write_write[] = "several work-groups write the same bytes";
static const char why_may_write[] = "several work-groups may write the same bytes";
static const char why_data_write[] = "where it writes depends on data";
static const char why_data_read[] = "what is written is also read, at places that depend on data";
static const char why_atomic[] = "work-groups learn from atomic operations what others did";
static const char why_kind[] = "atomic operations that do not commute meet";
static const char why_float[] = "atomics on floating-point numbers, exchanges or compare-exchanges meet";
static const char why_delta[] = "integer atomics of several work-groups meet";
static const char why_same[] = "several work-groups write the same value to the same bytes";
static const char why_mesh[] = "what work-groups write is interleaved too finely to be listed";
static const char why_pixels[] = "work-groups write pixels of one image";
static const char why_order[] =
    "compilers may change the order in which a work-item touches neighbouring elements";
static const char why_mixed[] =
    "what several work-groups write cannot be merged: it is written in different ways";

/* Pairs of accesses that are compared per dimension. */
enum { MAX_PAIRS = 200000 };

enum meeting { MEET_NEVER, MEET_SAME, MEET_DELTA, MEET_CONFLICT };

struct cutting {
    struct cw_cutter *c;
    const struct cw_launch *launch;
    struct cw_cut_verdict *v;
    int dim;
};

const char *cw_cut_name(enum cw_cut c)
{
    static const char *const names[] = {"whole", "one memory", "with merge", "any memory"};
    return names[c];
}

const char *cw_cut_merge_name(enum cw_merge m)
{
    static const char *const names[] = {"none",         "add",        "and",        "or",
                                        "xor",          "signed min", "signed max", "unsigned min",
                                        "unsigned max", "difference"};
    return names[m];
}

static void whole(struct cw_cut_verdict *v, const char *why, int arg)
{
    *v = (struct cw_cut_verdict){
        .cut = CW_CUT_WHOLE, .dim = -1, .why = why, .arg = arg, .other = -1, .access = {-1, -1}};
}

bool cw_cut_never(const struct cw_model *m, struct cw_cut_verdict *v)
{
    const char *why = m->anywhere    ? m->why_anywhere
                      : m->prints    ? why_prints
                      : m->polls     ? why_polls
                      : m->addresses ? why_addresses
                                     : NULL;
    bool all = why != NULL;
    int arg = -1;
    for (int i = 0; i < m->args && !why; i++) {
        why = m->arg[i].changed ? why_changed : m->arg[i].placed ? NULL : m->arg[i].unknown_write;
        arg = i;
    }
    if (why)
        whole(v, why, all ? -1 : arg);
    return why != NULL;
}

/* ---- pairs */

bool cw_cut_share_memory(const struct cw_model *m, const struct cw_launch *launch, int a, int b,
                         int64_t *shift)
{
    const struct cw_launch_arg *x = &launch->arg[a], *y = &launch->arg[b];
    *shift = y->base + y->start - x->base - x->start;
    if (a == b)
        return true;
    if (x->allocation == 0 || x->allocation != y->allocation)
        return false;
    bool image = m->arg[a].kind == CW_ARG_IMAGE || m->arg[b].kind == CW_ARG_IMAGE;
    return image || (x->base < y->base + y->buffer_bytes && y->base < x->base + x->buffer_bytes);
}

static bool share_memory(const struct cutting *k, int a, int b, int64_t *shift)
{
    return cw_cut_share_memory(k->c->m, k->launch, a, b, shift);
}

/* Both store one and the same number into bytes that coincide or do not meet. */
static bool same_value(const struct cutting *k, const struct cut_form *a, const struct cut_form *b,
                       int64_t shift)
{
    const struct cw_model *m = k->c->m;
    const struct cw_access *x = &m->access[a->access], *y = &m->access[b->access];
    int64_t one = 0, other = 0;
    if (x->value < 0 || y->value < 0 || x->bytes_may != y->bytes_may ||
        (x->kind | y->kind) != CW_ACCESS_WRITE)
        return false;
    cw_eval_reset(k->c->eval);
    if (!cw_poly_is_const(cw_eval_node(k->c->eval, x->value, READ_SIGNED), &one) ||
        !cw_poly_is_const(cw_eval_node(k->c->eval, y->value, READ_SIGNED), &other) || one != other)
        return false;
    int64_t n = x->bytes_may;
    return one == 0 || one == -1 || (shift % n == 0 && cw_cut_aligned(a, n) && cw_cut_aligned(b, n));
}

/* A commutes with b and the result is not used. */
static bool commute(const struct cw_access *a, const struct cw_access *b)
{
    return a->merge != CW_MERGE_NONE && a->merge == b->merge && a->bytes_may == b->bytes_may &&
           !a->result_used && !b->result_used;
}

/* An access happens as the model says, and not at most. */
static bool is_certain(struct cw_cutter *c, int access)
{
    enum certainty { UNASKED, CERTAIN, DOUBTFUL };

    if (access < 0 || (!c->certain && !(c->certain = calloc((size_t)c->m->accesses, 1))))
        return false;
    if (c->certain[access] == UNASKED)
        c->certain[access] =
            cw_judge_access(c->m, &c->m->access[access]).answer == CW_ANSWER_EXACT ? CERTAIN : DOUBTFUL;
    return c->certain[access] == CERTAIN;
}

static const char *explain(struct cw_cutter *c, const struct cut_form *a, const struct cut_form *b)
{
    const struct cw_model *m = c->m;
    const struct cw_access *x = a->access < 0 ? NULL : &m->access[a->access],
                           *y = b->access < 0 ? NULL : &m->access[b->access];
    if (x && y && x->kind & y->kind & CW_ACCESS_ATOMIC)
        return !x->merge || !y->merge ? why_float : x->result_used || y->result_used ? why_atomic : why_kind;
    if ((x && x->kind & CW_ACCESS_ATOMIC && !x->merge) || (y && y->kind & CW_ACCESS_ATOMIC && !y->merge))
        return why_float;
    bool a_anywhere = a->whole || a->vague, b_anywhere = b->whole || b->vague;
    if ((a->kind & CW_ACCESS_WRITE && a_anywhere) || (b->kind & CW_ACCESS_WRITE && b_anywhere))
        return why_data_write;
    if (a_anywhere || b_anywhere)
        return why_data_read;
    if (!(a->kind & b->kind & CW_ACCESS_WRITE))
        return why_read_write;
    return is_certain(c, a->access) && is_certain(c, b->access) ? why_write_write : why_may_write;
}

static enum meeting meet(struct cutting *k, const struct cut_form *a, const struct cut_form *b, int64_t shift)
{
    const struct cw_model *m = k->c->m;
    if (cw_cut_disjoint(a, b, shift))
        return MEET_NEVER;
    if (a->access < 0 || b->access < 0)
        return MEET_CONFLICT;
    if (commute(&m->access[a->access], &m->access[b->access]))
        return MEET_DELTA;
    return same_value(k, a, b, shift) ? MEET_SAME : MEET_CONFLICT;
}

/* ---- the merge */

static void lower(struct cw_cut_verdict *v, enum cw_cut to, const char *why, const struct cut_form *a,
                  const struct cut_form *b)
{
    if (v->cut <= to)
        return;
    v->cut = to;
    v->why = why;
    v->arg = a->arg;
    v->other = b && b->arg != a->arg ? b->arg : -1;
    v->access[0] = a->access;
    v->access[1] = b ? b->access : -1;
}

/* Notes that `arg` is merged by `how`; two ways for one argument leave one memory only. */
static void need_merge(struct cw_cut_verdict *v, struct cw_cut_merge how, const char *why,
                       const struct cut_form *a, const struct cut_form *b)
{
    lower(v, CW_CUT_MERGE, why, a, b);
    if (a->arg != b->arg)
        lower(v, CW_CUT_ONE_MEMORY, why_mixed, a, b);
    for (int i = 0; i < v->merges; i++)
        if (v->merge[i].arg == how.arg) {
            if (v->merge[i].how != how.how || v->merge[i].bytes != how.bytes)
                lower(v, CW_CUT_ONE_MEMORY, why_mixed, a, b);
            return;
        }
    if (v->merges == CW_CUT_MAX_MERGES)
        lower(v, CW_CUT_ONE_MEMORY, why_mixed, a, b);
    else
        v->merge[v->merges++] = how;
}

/* An argument that is merged by adding (or the like) may be written in no other way. */
static void check_merges(struct cutting *k)
{
    struct cw_cut_verdict *v = k->v;
    int64_t shift;
    for (int i = 0; i < v->merges; i++)
        for (int f = 0; f < k->c->forms && v->merge[i].how != CW_MERGE_DIFF; f++) {
            const struct cut_form *a = &k->c->form[f];
            if (!(a->kind & CW_ACCESS_WRITE) || a->never || !share_memory(k, v->merge[i].arg, a->arg, &shift))
                continue;
            const struct cw_access *x = a->access < 0 ? NULL : &k->c->m->access[a->access];
            if (!x || a->arg != v->merge[i].arg || x->merge != v->merge[i].how ||
                x->bytes_may != v->merge[i].bytes)
                lower(v, CW_CUT_ONE_MEMORY, why_mixed, a, a);
        }
    if (v->cut != CW_CUT_MERGE)
        v->merges = 0;
}

/* ---- one dimension */

/* Coordinates of an image say nothing about the bytes of another argument. */
static bool comparable(const struct cw_model *m, int a, int b)
{
    return a == b || (m->arg[a].kind != CW_ARG_IMAGE && m->arg[b].kind != CW_ARG_IMAGE);
}

static bool pair(struct cutting *k, const struct cut_form *a, const struct cut_form *b)
{
    int64_t shift;
    if (!share_memory(k, a->arg, b->arg, &shift))
        return true;
    switch (comparable(k->c->m, a->arg, b->arg) ? meet(k, a, b, shift) : MEET_CONFLICT) {
    case MEET_NEVER:
        return true;
    case MEET_DELTA:
        need_merge(k->v, (struct cw_cut_merge){a->arg, (int)a->bytes, k->c->m->access[a->access].merge},
                   why_delta, a, b);
        return true;
    case MEET_SAME:
        need_merge(k->v, (struct cw_cut_merge){a->arg, 1, CW_MERGE_DIFF}, why_same, a, b);
        return true;
    default:
        lower(k->v, CW_CUT_WHOLE, explain(k->c, a, b), a, b);
        return false;
    }
}

static bool is_merged(const struct cw_cut_verdict *v, int arg)
{
    for (int i = 0; i < v->merges; i++)
        if (v->merge[i].arg == arg)
            return true;
    return false;
}

static void look_for_pieces(struct cutting *k)
{
    for (int i = 0; i < k->c->forms; i++) {
        const struct cut_form *a = &k->c->form[i];
        if (!(a->kind & CW_ACCESS_WRITE))
            continue;
        int64_t pieces = cw_cut_pieces(a);
        if (k->c->m->arg[a->arg].kind == CW_ARG_IMAGE)
            lower(k->v, CW_CUT_ONE_MEMORY, why_pixels, a, a);
        else if (pieces > CW_EVAL_MAX_SPANS && !(a->kind & CW_ACCESS_ATOMIC))
            need_merge(k->v, (struct cw_cut_merge){a->arg, 1, CW_MERGE_DIFF}, why_mesh, a, a);
        if (pieces > 1 && !is_merged(k->v, a->arg))
            k->v->contiguous = false;
    }
}

/* Adds the forms of slabs first .. first + count - 1. */
static void read_forms(struct cutting *k, int64_t first, int64_t count)
{
    struct cw_cutter *c = k->c;
    const struct cw_model *m = c->m;
    c->tile.first[k->dim] = first;
    c->tile.count[k->dim] = count;
    for (int i = 0; i < m->accesses; i++) {
        struct cut_form *f = &c->form[c->forms];
        if (m->arg[m->access[i].arg].kind == CW_ARG_IMAGE && m->access[i].kind == CW_ACCESS_READ)
            continue; /* its argument says that all of it is read */
        cw_cut_form_read(c->eval, i, k->dim, f);
        c->forms += !f->never;
    }
    for (int i = 0; i < m->args; i++) {
        bool writes = m->arg[i].unknown_write && !m->arg[i].placed;
        unsigned kind = (m->arg[i].unknown_read ? CW_ACCESS_READ : 0u) | (writes ? CW_ACCESS_WRITE : 0u);
        if (kind)
            c->form[c->forms++] = (struct cut_form){.access = -1,
                                                    .arg = i,
                                                    .kind = kind,
                                                    .whole = true,
                                                    .slabs = cw_range_numbers(first, first + count - 1)};
    }
}

static bool few_pairs(const struct cw_cutter *c)
{
    int64_t writes = 0;
    for (int i = 0; i < c->forms; i++)
        writes += (c->form[i].kind & CW_ACCESS_WRITE) != 0;
    return writes * c->forms <= MAX_PAIRS;
}

static void compare_all(struct cutting *k)
{
    struct cw_cutter *c = k->c;
    for (int i = 0; i < c->forms; i++) {
        if (!(c->form[i].kind & CW_ACCESS_WRITE))
            continue;
        for (int j = 0; j < c->forms; j++) {
            bool twice = c->form[j].kind & CW_ACCESS_WRITE && j < i; /* seen from the other side */
            if (!twice && !pair(k, &c->form[i], &c->form[j])) {
                k->v->dim = -1;
                k->v->merges = 0;
                return;
            }
        }
    }
    look_for_pieces(k);
    check_merges(k);
}

/* `apart`: the last slab is looked at by itself, because kernels often treat it in another way ("if this is
 * the last work-group then up to n, else up to the next one's begin"). */
static void cut_along(struct cutting *k, bool separate)
{
    struct cw_cutter *c = k->c;
    const struct cw_tile all = c->tile;
    int64_t n = c->tile.count[k->dim];
    *k->v = (struct cw_cut_verdict){
        .cut = CW_CUT_ANY, .dim = k->dim, .contiguous = true, .arg = -1, .other = -1, .access = {-1, -1}};
    c->forms = 0;
    read_forms(k, 0, separate ? n - 1 : n);
    if (separate)
        read_forms(k, n - 1, 1);
    c->tile = all;
    if (few_pairs(c))
        compare_all(k);
    else
        whole(k->v, why_many, -1);
}

static bool better(const struct cw_cut_verdict *a, const struct cw_cut_verdict *b)
{
    return a->cut != b->cut ? a->cut > b->cut : a->contiguous && !b->contiguous;
}

static void look_along(struct cutting *k)
{
    cut_along(k, false);
    if (k->v->cut == CW_CUT_WHOLE && k->c->tile.count[k->dim] > 2)
        cut_along(k, true);
}

static void take_launch(struct cw_cutter *c, const struct cw_launch *launch)
{
    for (int d = 0; d < 3; d++) {
        c->tile.first[d] = 0;
        c->tile.count[d] = launch->global[d] / launch->local[d] + (launch->global[d] % launch->local[d] != 0);
    }
    c->eval->launch = launch;
    c->eval->tile = &c->tile;
}

static void decide(struct cw_cutter *c, const struct cw_launch *launch, struct cw_cut_verdict *v)
{
    struct cw_cut_verdict one;
    struct cutting k = {c, launch, &one, 0};
    bool found = false;
    if (cw_cut_never(c->m, v))
        return;
    whole(v, why_single, -1);
    take_launch(c, launch);
    for (k.dim = 2; k.dim >= 0; k.dim--) {
        if (c->tile.count[k.dim] < 2)
            continue;
        look_along(&k);
        if (!found || better(&one, v))
            *v = one;
        found = true;
        if (v->cut == CW_CUT_ANY && v->contiguous)
            return;
    }
}

bool cw_cutter_along(struct cw_cutter *c, const struct cw_launch *launch, int dim)
{
    struct cw_cut_verdict v;
    struct cutting k = {c, launch, &v, dim};

    take_launch(c, launch);
    if (c->tile.count[dim] < 2)
        return false;
    look_along(&k);
    return v.cut != CW_CUT_WHOLE;
}

/* cut.c: the verdict, worked out. */
static void cut_decide(struct cw_cutter *c, const struct cw_launch *launch, struct cw_cut_verdict *v)
{
    int first, second;
    decide(c, launch, v);
    if (v->cut == CW_CUT_WHOLE || cw_cut_keeps_order(c, launch, &first, &second))
        return;
    int arg = c->m->access[first].arg, other = c->m->access[second].arg;
    whole(v, why_order, arg);
    v->other = other != arg ? other : -1;
    v->access[0] = first;
    v->access[1] = second;
}

void cw_cutter_verdict(struct cw_cutter *c, const struct cw_launch *launch, struct cw_cut_verdict *v)
{
    const struct cw_cut_verdict *known = cw_cut_memory_find(c, launch);
    if (known) {
        *v = *known;
        return;
    }
    if (c->key_fits)
        cut_decide(c, launch, v);
    else
        whole(v, why_memory, -1);
    cw_cut_memory_keep(c, v);
}
