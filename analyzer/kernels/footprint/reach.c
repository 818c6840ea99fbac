/* reach.c - see reach.h. */
#include "reach.h"

#include "form.h"
#include "ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MEMORIES = 16, KEY_BYTES = 512, TRIALS = 16, BOXES = 10 * CW_OPS_BOXES };

/* Where most launches of a kernel take longer to compile none is any more. */
#define HULLS_NS 50000

/* A launch by all that its reach depends on. */
struct memory {
    size_t key_bytes; /* 0: unused */
    bool again;       /* it has been asked for a second time */
    uint8_t key[KEY_BYTES];
    struct cw_reach *reach;
    struct cw_work_ops ops;
    bool counted; /* ops is filled in */
    struct cw_ops_floats floats;
    const char *no_floats; /* why they are not known */
    bool floats_counted;
};

struct cw_reacher {
    const struct cw_model *model;
    uint32_t pieces;
    bool by_group;
    bool *counts;      /* by argument: a scalar that some expression holds, or an image */
    uint8_t *commutes; /* by argument: cw_model_commutes */
    struct cw_eval *eval;
    struct cw_arg_footprint *result;
    struct cw_form *form; /* NULL: no launch was too dear yet */
    struct cw_arg_hulls *hulls;
    struct cw_launch_arg *args;
    uint64_t evaluations, spent_ns;
    uint64_t compiled, slow; /* launches; those that took longer than HULLS_NS */
    int64_t boxes;           /* that may still be evaluated to count operations */
    uint32_t next;
    struct memory latest[MEMORIES];
};

void cw_reacher_destroy(struct cw_reacher *r)
{
    if (!r)
        return;
    for (int i = 0; i < MEMORIES; i++)
        free(r->latest[i].reach);
    if (r->result)
        cw_eval_result_finish(r->result, r->model->args);
    cw_eval_destroy(r->eval);
    cw_form_destroy(r->form);
    free(r->hulls);
    free(r->result);
    free(r->args);
    free(r->counts);
    free(r->commutes);
    free(r);
}

struct cw_reacher *cw_reacher_create(const struct cw_model *model, uint32_t pieces)
{
    struct cw_reacher *r = model->anywhere || model->prints ? NULL : calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->model = model;
    r->pieces = pieces;
    r->boxes = BOXES;
    r->by_group = cw_model_depends_on_groups(model);
    r->eval = cw_eval_create(model);
    r->result = calloc((size_t)model->args + 1, sizeof *r->result);
    r->args = calloc((size_t)model->args + 1, sizeof *r->args);
    r->counts = calloc((size_t)model->args + 1, sizeof *r->counts);
    r->commutes = calloc((size_t)model->args + 1, sizeof *r->commutes);
    for (int i = 0; r->commutes && i < model->args; i++)
        r->commutes[i] = cw_model_commutes(model, i);
    for (int i = 0; r->counts && i < model->args; i++)
        r->counts[i] = model->arg[i].kind == CW_ARG_IMAGE;
    for (int i = 0; r->counts && i < model->pool.n; i++)
        if (model->pool.node[i].op == CW_EXPR_ARG && model->pool.node[i].a >= 0 &&
            model->pool.node[i].a < model->args)
            r->counts[model->pool.node[i].a] = true;
    if (r->eval && r->result && r->args && r->counts && r->commutes)
        return r;
    cw_reacher_destroy(r);
    return NULL;
}

bool cw_reacher_is_buffer(const struct cw_reacher *r, uint32_t arg)
{
    return arg < (uint32_t)r->model->args &&
           (r->model->arg[arg].kind == CW_ARG_GLOBAL || r->model->arg[arg].kind == CW_ARG_CONSTANT);
}

uint8_t cw_reacher_commutes(const struct cw_reacher *r, uint32_t arg)
{
    return cw_reacher_is_buffer(r, arg) ? r->commutes[arg] : 0;
}

/* Checks that the arguments are as the model takes them; then r->args is set. */
static bool take_args(struct cw_reacher *r, const struct cw_reach_launch *l)
{
    static const enum cw_reach_kind kinds[] = {
        [CW_ARG_SCALAR] = CW_REACH_SCALAR,   [CW_ARG_GLOBAL] = CW_REACH_BUFFER,
        [CW_ARG_CONSTANT] = CW_REACH_BUFFER, [CW_ARG_LOCAL] = CW_REACH_LOCAL,
        [CW_ARG_IMAGE] = CW_REACH_OTHER,     [CW_ARG_OTHER] = CW_REACH_OTHER};

    if (l->args != (uint32_t)r->model->args)
        return false;
    for (uint32_t i = 0; i < l->args; i++) {
        const struct cw_reach_arg *a = &l->arg[i];
        const struct cw_arg *expected = &r->model->arg[i];

        bool image = a->kind == CW_REACH_IMAGE && expected->kind == CW_ARG_IMAGE;

        r->args[i] = (struct cw_launch_arg){0};
        if ((a->kind != kinds[expected->kind] && !image) || a->bytes > INT64_MAX || a->start > INT64_MAX ||
            (a->kind == CW_REACH_SCALAR && a->bytes != (uint64_t)expected->bytes))
            return false;
        if (a->kind == CW_REACH_BUFFER) {
            r->args[i].buffer_bytes = (int64_t)a->bytes;
            r->args[i].start = (int64_t)a->start;
        } else if (image) {
            r->args[i] = (struct cw_launch_arg){.buffer_bytes = (int64_t)a->bytes,
                                                .value = a->value,
                                                .value_bytes = sizeof(struct cw_image_shape)};
        } else if (a->kind == CW_REACH_SCALAR) {
            r->args[i].value = a->value;
            r->args[i].value_bytes = a->bytes;
        }
    }
    return true;
}

/* False: the local size is needed and not there, or sizes are beyond the supported ones. */
static bool take_sizes(const struct cw_reacher *r, const struct cw_reach_launch *from, struct cw_launch *l)
{
    bool known = from->local[0];

    *l = (struct cw_launch){
        .work_dim = from->work_dim, .global = {1, 1, 1}, .local = {1, 1, 1}, .arg = r->args};
    if (!known && r->by_group)
        return false;
    for (unsigned d = 0; d < from->work_dim; d++) {
        if (!from->global[d] || from->global[d] > INT64_MAX || from->offset[d] > INT64_MAX ||
            (known && (!from->local[d] || from->local[d] > INT64_MAX || from->global[d] % from->local[d])))
            return false;
        l->global[d] = (int64_t)from->global[d];
        l->local[d] = known ? (int64_t)from->local[d] : 1;
        l->offset[d] = (int64_t)from->offset[d];
    }
    return true;
}

static bool add(uint8_t key[KEY_BYTES], size_t *n, const void *data, size_t bytes)
{
    if (bytes > KEY_BYTES - *n)
        return false;
    memcpy(key + *n, data, bytes);
    *n += bytes;
    return true;
}

/* All that the reach depends on; 0: too long to be remembered. */
static size_t key_of(const struct cw_reacher *r, const struct cw_launch *l, uint8_t key[KEY_BYTES])
{
    size_t n = 0;
    bool fits = add(key, &n, &l->work_dim, sizeof l->work_dim) && add(key, &n, l->global, sizeof l->global) &&
                add(key, &n, l->local, sizeof l->local) && add(key, &n, l->offset, sizeof l->offset);

    for (int i = 0; fits && i < r->model->args; i++) {
        const struct cw_launch_arg *a = &l->arg[i];
        if (a->value && r->counts[i])
            fits = add(key, &n, a->value, a->value_bytes);
        else if (!a->value)
            fits = add(key, &n, &a->buffer_bytes, sizeof a->buffer_bytes) &&
                   add(key, &n, &a->start, sizeof a->start);
    }
    return fits ? n : 0;
}

static uint32_t pieces_of(const struct cw_reacher *r, const struct cw_spans *s)
{
    return s->n > r->pieces ? 1 : (uint32_t)s->n;
}

/* Sets p->sure and p->sure_end to the most bytes in one piece that `must` has of `p`. */
static void find_sure(const struct cw_spans *must, struct cw_reach_piece *p)
{
    p->sure = p->sure_end = 0;
    for (size_t i = 0; i < must->n; i++) {
        uint64_t begin = (uint64_t)must->v[i].begin, end = (uint64_t)must->v[i].end;

        begin = begin > p->begin ? begin : p->begin;
        end = end < p->end ? end : p->end;
        if (begin < end && end - begin > p->sure_end - p->sure) {
            p->sure = begin;
            p->sure_end = end;
        }
    }
}

static void add_pieces(const struct cw_reacher *r, struct cw_reach *reach, uint32_t arg, bool write,
                       const struct cw_footprint *f)
{
    const struct cw_spans *s = &f->may;
    struct cw_reach_piece p = {
        .arg = arg, .write = write, .unknown = f->answer == CW_ANSWER_UNKNOWN, .commutes = r->commutes[arg]};

    for (uint32_t i = 0; i < pieces_of(r, s); i++) {
        p.begin = (uint64_t)s->v[i].begin;
        p.end = (uint64_t)s->v[s->n > r->pieces ? s->n - 1 : i].end;
        if (write)
            find_sure(&f->must, &p);
        reach->piece[reach->n++] = p;
    }
}

static void find_outside(struct cw_reach *reach, uint32_t arg, bool write, const struct cw_footprint *f)
{
    if (f->outside_end > f->outside &&
        (reach->outside.end == reach->outside.first || (write && !reach->outside.write)))
        reach->outside = (struct cw_reach_outside){arg, write, f->outside, f->outside_end};
}

static struct cw_tile all_of(const struct cw_launch *l)
{
    struct cw_tile all = {.count = {1, 1, 1}};

    for (unsigned d = 0; d < l->work_dim; d++)
        all.count[d] = l->global[d] / l->local[d];
    return all;
}

/* NULL: no memory. */
static struct cw_reach *evaluate(struct cw_reacher *r, const struct cw_launch *l)
{
    struct cw_tile all = all_of(l);
    struct cw_reach *reach = NULL;
    uint32_t n = 0;

    if (!cw_eval_tile(r->eval, l, &all, r->result))
        return NULL;
    for (int i = 0; i < r->model->args; i++)
        n += pieces_of(r, &r->result[i].reads.may) + pieces_of(r, &r->result[i].writes.may);
    reach = calloc(1, sizeof *reach + n * sizeof *reach->piece);
    for (int write = 0; reach && write <= 1; write++)
        for (int i = 0; i < r->model->args; i++) {
            const struct cw_footprint *f = write ? &r->result[i].writes : &r->result[i].reads;
            add_pieces(r, reach, (uint32_t)i, write, f);
            find_outside(reach, (uint32_t)i, write, f);
        }
    return reach;
}

static void add_hull(const struct cw_reacher *r, struct cw_reach *reach, uint32_t arg, bool write,
                     const struct cw_hull *h)
{
    struct cw_reach_piece p = {.arg = arg,
                               .write = write,
                               .commutes = r->commutes[arg],
                               .unknown = h->answer == CW_ANSWER_UNKNOWN,
                               .begin = (uint64_t)h->begin,
                               .end = (uint64_t)h->end};

    if (write) {
        p.sure = (uint64_t)h->sure;
        p.sure_end = (uint64_t)h->sure_end;
    }
    if (h->answer != CW_ANSWER_NONE && p.begin < p.end)
        reach->piece[reach->n++] = p;
}

/* The same by the compiled launch: a few ranges for each argument, in about a microsecond where the kernel's
 * formulas say all. */
static struct cw_reach *by_hulls(struct cw_reacher *r, const struct cw_launch *l)
{
    struct cw_tile all = all_of(l);
    size_t args = (size_t)r->model->args;
    struct cw_reach *reach;

    r->form = r->form ? r->form : cw_form_create(r->model);
    r->hulls = r->hulls ? r->hulls : calloc(args + 1, sizeof *r->hulls);
    if (!r->form || !r->hulls || !cw_form_launch(r->form, l) || !cw_form_tile(r->form, &all, r->hulls))
        return NULL;
    reach = calloc(1, sizeof *reach + args * (CW_READ_RANGES + 1) * sizeof *reach->piece);
    for (uint32_t i = 0; reach && i < args; i++) {
        struct cw_hull h = r->hulls[i].reads;
        bool unknown = h.answer == CW_ANSWER_UNKNOWN;

        for (int k = 0; k < (unknown ? 1 : r->hulls[i].ranges); k++) {
            h.begin = unknown ? h.begin : r->hulls[i].range[k].begin;
            h.end = unknown ? h.end : r->hulls[i].range[k].end;
            add_hull(r, reach, i, false, &h);
        }
    }
    for (uint32_t i = 0; reach && i < args; i++)
        add_hull(r, reach, i, true, &r->hulls[i].writes);
    return reach;
}

static bool is_slow(const struct cw_reacher *r)
{
    return r->compiled >= TRIALS && 2 * r->slow > r->compiled;
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static _Atomic uint64_t ids;

static const struct cw_reach *evaluate_and_keep(struct cw_reacher *r, const struct cw_launch *l,
                                                const uint8_t *key, size_t key_bytes, uint64_t dear_ns)
{
    struct memory *m = &r->latest[r->next];
    bool dear = dear_ns && r->evaluations >= TRIALS && r->spent_ns / r->evaluations > dear_ns;
    uint64_t took = now_ns();

    if (dear && is_slow(r))
        return NULL;
    r->next = (r->next + 1) % MEMORIES;
    free(m->reach);
    m->reach = dear ? by_hulls(r, l) : evaluate(r, l);
    m->again = m->counted = m->floats_counted = false;
    if (m->reach) {
        m->reach->id = ++ids;
        m->reach->most = INFINITY;
    }
    m->key_bytes = m->reach ? key_bytes : 0;
    memcpy(m->key, key, key_bytes);
    took = now_ns() - took;
    r->evaluations += !dear;
    r->spent_ns += dear ? 0 : took;
    r->compiled += dear;
    r->slow += dear && took > HULLS_NS;
    return m->reach;
}

static const struct cw_reach *again(struct cw_reacher *r, struct memory *m, const struct cw_launch *l)
{
    if (!m->again)
        m->reach->most = cw_ops_most(r->model, r->eval, l);
    m->again = true;
    return m->reach;
}

/* Looks up the remembered reach of the launch; false: it cannot be described. *l: the launch; *bytes: of its
 * key. */
static bool look_up(struct cw_reacher *r, const struct cw_reach_launch *launch, struct cw_launch *l,
                    uint8_t key[KEY_BYTES], size_t *bytes, struct memory **found)
{
    *found = NULL;
    if (launch->work_dim < 1 || launch->work_dim > 3 || !take_args(r, launch) || !take_sizes(r, launch, l))
        return false;
    *bytes = key_of(r, l, key);
    for (int i = 0; *bytes && i < MEMORIES && !*found; i++)
        if (r->latest[i].key_bytes == *bytes && !memcmp(r->latest[i].key, key, *bytes))
            *found = &r->latest[i];
    return true;
}

const struct cw_reach *cw_reacher_launch(struct cw_reacher *r, const struct cw_reach_launch *launch,
                                         uint64_t dear_ns)
{
    struct cw_launch l;
    uint8_t key[KEY_BYTES];
    struct memory *m;
    size_t bytes;

    if (!look_up(r, launch, &l, key, &bytes, &m))
        return NULL;
    return m ? again(r, m, &l) : evaluate_and_keep(r, &l, key, bytes, dear_ns);
}

/* ---- operations */

static double touched(struct cw_reacher *r, const struct cw_launch *l)
{
    struct cw_tile middle = {.count = {1, 1, 1}};
    double bytes = 0;

    for (unsigned d = 0; d < 3; d++)
        middle.first[d] = l->global[d] / l->local[d] / 2;
    if (!cw_eval_tile(r->eval, l, &middle, r->result))
        return 0;
    for (int i = 0; i < r->model->args; i++) {
        const struct cw_footprint *f[2] = {&r->result[i].reads, &r->result[i].writes};
        for (int k = 0; k < 2; k++) {
            if (f[k]->answer == CW_ANSWER_UNKNOWN ||
                (f[k]->answer != CW_ANSWER_NONE && r->model->arg[i].kind == CW_ARG_IMAGE))
                return 0;
            for (size_t s = 0; s < (size_t)f[k]->may.n; s++)
                bytes += (double)(f[k]->may.v[s].end - f[k]->may.v[s].begin);
        }
    }
    return bytes;
}

/* The memory of a launch, which is evaluated where it is not remembered; NULL: nothing can be said of it. */
static struct memory *remember(struct cw_reacher *r, const struct cw_reach_launch *launch,
                               struct cw_launch *l)
{
    uint8_t key[KEY_BYTES];
    struct memory *m;
    size_t bytes;

    if (!look_up(r, launch, l, key, &bytes, &m) || !bytes)
        return NULL;
    if (!m && (!evaluate_and_keep(r, l, key, bytes, 0) || !look_up(r, launch, l, key, &bytes, &m)))
        return NULL;
    return m;
}

const struct cw_work_ops *cw_reacher_ops(struct cw_reacher *r, const struct cw_reach_launch *launch)
{
    struct cw_ops_counts counts;
    struct cw_launch l;
    struct memory *m = remember(r, launch, &l);

    if (!m)
        return NULL;
    if (m->counted)
        return &m->ops;
    cw_ops_count(r->model, r->eval, &l, &counts);
    m->ops = (struct cw_work_ops){0};
    memcpy(m->ops.per_item, counts.per_item, sizeof m->ops.per_item);
    if (launch->local[0]) {
        m->ops.groups = m->ops.group_items = 1;
        for (unsigned d = 0; d < 3; d++) {
            m->ops.groups *= (double)(l.global[d] / l.local[d]);
            m->ops.group_items *= (double)l.local[d];
        }
        m->ops.group_bytes = touched(r, &l);
    }
    m->counted = true;
    return &m->ops;
}

const char *cw_reacher_floats(struct cw_reacher *r, const struct cw_reach_launch *launch,
                              struct cw_ops_floats *floats)
{
    struct cw_launch l;
    struct memory *m = remember(r, launch, &l);
    int64_t left = r->boxes < CW_OPS_BOXES ? r->boxes : CW_OPS_BOXES, before = left;

    *floats = (struct cw_ops_floats){0};
    if (!m)
        return "its arguments or sizes are not those of the model";
    if (!m->floats_counted) {
        m->no_floats = cw_ops_floats(r->model, r->eval, &l, &left, &m->floats);
        m->floats_counted = true;
        r->boxes -= before - (left > 0 ? left : 0);
    }
    *floats = m->floats;
    return m->no_floats;
}
