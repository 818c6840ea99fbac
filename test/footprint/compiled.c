/* compiled [--time] MODELS.json LAUNCHES.json... - what a compiled launch says of tiles (form.h) against
 * the evaluator's own words: the launches of the files, with random sizes and scalars besides, and random
 * tiles.
 *
 * Wrong is: a hull that leaves out bytes, bytes called sure that are not, an answer better than the
 * evaluator's. What is only less good is counted. A launch that formulas of an earlier one have compiled must
 * say the same as one that the evaluator has compiled; where it differs is counted, too. --time prints
 * microseconds per kernel instead of random launches. Exit status 1 when something is wrong, or looser in
 * more than 5 %, weaker in more than 10 %, different in more than 0.1 % of the answers. */
#include "../../analyzer/kernels/footprint/eval_internal.h"
#include "../../analyzer/kernels/footprint/form.h"
#include "../../analyzer/kernels/footprint/evaluate.h"
#include "../../analyzer/kernels/footprint/model_file.h"
#include "../../analyzer/kernels/footprint/reach.h"
#include "../../analyzer/io/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t seed = 88172645463325252u;
static long answers, looser, weaker, wrong, slow_items, all_items, surely, exactly, launches, planned,
    in_ranges, different, whole;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32) % below;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void say(const char *what, const struct cw_model *m, int arg, const struct cw_launch *l,
                const struct cw_tile *t, const struct cw_footprint *f, const struct cw_hull *h)
{
    fprintf(stderr,
            "%s: kernel %s argument %d, global %lld %lld local %lld %lld, tile %lld+%lld %lld+%lld: %s "
            "%lld..%lld "
            "sure %lld..%lld; evaluator: %s %lld..%lld (%zu), %zu certain; %s / %s\n",
            what, m->kernel, arg, (long long)l->global[0], (long long)l->global[1], (long long)l->local[0],
            (long long)l->local[1], (long long)t->first[0], (long long)t->count[0], (long long)t->first[1],
            (long long)t->count[1], cw_eval_answer_name(h->answer), (long long)h->begin, (long long)h->end,
            (long long)h->sure, (long long)h->sure_end, cw_eval_answer_name(f->answer),
            f->may.n ? (long long)f->may.v[0].begin : 0, f->may.n ? (long long)f->may.v[f->may.n - 1].end : 0,
            f->may.n, f->must.n, h->why ? h->why : "", f->why ? f->why : "");
}

/* There are more intervals than the evaluator lists: it says the one around them. */
static bool is_closed(const struct cw_footprint *f)
{
    return f->why == cw_eval_why_gaps;
}

static bool inside(const struct cw_spans *s, int64_t begin, int64_t end)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].begin <= begin && end <= s->v[i].end)
            return true;
    return begin >= end;
}

static void compare(const struct cw_model *m, int arg, const struct cw_launch *l, const struct cw_tile *t,
                    const struct cw_footprint *f, const struct cw_hull *h)
{
    int64_t begin = f->may.n ? f->may.v[0].begin : 0, end = f->may.n ? f->may.v[f->may.n - 1].end : 0;
    int64_t size = l->arg[arg].buffer_bytes;
    bool at_edge = h->begin == 0 || h->end == size; /* something may lie outside */
    bool unknown =
        f->answer == CW_ANSWER_UNKNOWN && h->answer != CW_ANSWER_NONE; /* all of it, in other words */
    bool bad = (f->may.n && (h->begin > begin || h->end < end)) || !inside(&f->must, h->sure, h->sure_end) ||
               (h->sure < h->sure_end && (h->sure < h->begin || h->sure_end > h->end)) ||
               (h->answer < f->answer && !unknown && !is_closed(f));
    answers++;
    exactly += f->answer == CW_ANSWER_EXACT;
    surely += h->sure < h->sure_end;
    if (bad) {
        wrong++;
        say("wrong", m, arg, l, t, f, h);
    } else if ((h->begin < begin || h->end > end) &&
               (!at_edge || (h->answer == CW_ANSWER_UNKNOWN && f->answer != CW_ANSWER_UNKNOWN))) {
        if (looser++ < 5)
            say("looser", m, arg, l, t, f, h);
    } else if (h->answer > f->answer) {
        if (weaker++ < 5)
            say("weaker", m, arg, l, t, f, h);
    }
}

/* The ranges of the reads are those that are read at most, in order, apart, and as wide as the hull. */
static void compare_ranges(const struct cw_model *m, int arg, const struct cw_footprint *f,
                           const struct cw_arg_hulls *h)
{
    bool good = h->ranges >= 0 && h->ranges <= CW_READ_RANGES;

    if (h->reads.answer == CW_ANSWER_UNKNOWN)
        return;
    good &= !h->ranges == (h->reads.answer == CW_ANSWER_NONE);
    good &=
        !h->ranges || (h->range[0].begin == h->reads.begin && h->range[h->ranges - 1].end == h->reads.end);
    for (int i = 0; good && i < h->ranges; i++)
        good = h->range[i].begin < h->range[i].end && (!i || h->range[i - 1].end < h->range[i].begin);
    for (size_t k = 0; good && !is_closed(f) && k < f->may.n; k++) {
        int i = 0;

        while (i < h->ranges && h->range[i].end < f->may.v[k].end)
            i++;
        good = i < h->ranges && h->range[i].begin <= f->may.v[k].begin;
    }
    if (h->ranges > 1)
        in_ranges++;
    if (!good && wrong++ < 5)
        fprintf(stderr, "wrong: kernel %s argument %d: ranges of the reads\n", m->kernel, arg);
}

static void random_tile(const struct cw_launch *l, struct cw_tile *t)
{
    for (int d = 0; d < 3; d++) {
        int64_t groups = l->global[d] / l->local[d] + (l->global[d] % l->local[d] != 0);
        uint32_t most = groups > 1000000 ? 1000000 : (uint32_t)groups;
        t->first[d] = draw(3) ? draw(most) : 0;
        t->count[d] =
            draw(3) ? 1 + draw((uint32_t)(groups - t->first[d] < 1000000 ? groups - t->first[d] : 1000000))
                    : groups - t->first[d];
    }
}

struct session {
    const struct cw_model *m;
    struct cw_reacher *dear; /* its launches are too dear to be evaluated; NULL: it may touch anything */
    struct cw_form *c;
    struct cw_eval *e;
    struct cw_arg_hulls *h, *fresh;
    struct cw_arg_footprint *f;
};

static bool same_hull(const struct cw_hull *a, const struct cw_hull *b)
{
    return a->answer == b->answer && a->begin == b->begin && a->end == b->end && a->sure == b->sure &&
           a->sure_end == b->sure_end && a->why == b->why;
}

/* What the tile is said to touch by somebody who compiles the launch for the first time. */
static void compare_fresh(struct session *s, struct cw_form *fresh, const struct cw_launch *l,
                          const struct cw_tile *t)
{
    if (!cw_form_tile(fresh, t, s->fresh))
        exit(2);
    for (int a = 0; a < s->m->args; a++) {
        const struct cw_hull *x[2] = {&s->h[a].reads, &s->h[a].writes},
                             *y[2] = {&s->fresh[a].reads, &s->fresh[a].writes};
        for (int k = 0; k < 2; k++) {
            if (same_hull(x[k], y[k]))
                continue;
            if (different++ < 5)
                fprintf(stderr,
                        "different: kernel %s argument %d, global %lld: %s %lld..%lld sure %lld..%lld; fresh "
                        "%s %lld..%lld sure %lld..%lld\n",
                        s->m->kernel, a, (long long)l->global[0], cw_eval_answer_name(x[k]->answer),
                        (long long)x[k]->begin, (long long)x[k]->end, (long long)x[k]->sure,
                        (long long)x[k]->sure_end, cw_eval_answer_name(y[k]->answer), (long long)y[k]->begin,
                        (long long)y[k]->end, (long long)y[k]->sure, (long long)y[k]->sure_end);
        }
    }
}

static void try_tiles(struct session *s, const struct cw_launch *l, int n)
{
    struct cw_form *fresh = cw_form_create(s->m);
    int all;
    if (!fresh || !cw_form_launch(s->c, l) || !cw_form_launch(fresh, l))
        exit(2);
    launches++;
    planned += cw_form_planned(s->c);
    slow_items += cw_form_slow(s->c, &all);
    all_items += all;
    for (int i = 0; i < n; i++) {
        struct cw_tile t;
        random_tile(l, &t);
        if (!cw_form_tile(s->c, &t, s->h) || !cw_eval_tile(s->e, l, &t, s->f))
            exit(2);
        for (int a = 0; a < s->m->args; a++) {
            compare(s->m, a, l, &t, &s->f[a].reads, &s->h[a].reads);
            compare_ranges(s->m, a, &s->f[a].reads, &s->h[a]);
            compare(s->m, a, l, &t, &s->f[a].writes, &s->h[a].writes);
        }
        compare_fresh(s, fresh, l, &t);
    }
    cw_form_destroy(fresh);
}

/* All that a launch is said to reach by a reacher that it is too dear for. */
static const struct cw_reach *reach(struct session *s, const struct cw_launch *l)
{
    static const enum cw_reach_kind kinds[] = {[CW_ARG_GLOBAL] = CW_REACH_BUFFER,
                                               [CW_ARG_CONSTANT] = CW_REACH_BUFFER,
                                               [CW_ARG_LOCAL] = CW_REACH_LOCAL,
                                               [CW_ARG_IMAGE] = CW_REACH_OTHER,
                                               [CW_ARG_OTHER] = CW_REACH_OTHER};
    struct cw_reach_arg *arg = calloc((size_t)s->m->args + 1, sizeof *arg);
    struct cw_reach_launch r = {.work_dim = l->work_dim, .arg = arg, .args = (uint32_t)s->m->args};
    const struct cw_reach *found;

    for (int i = 0; i < s->m->args; i++)
        arg[i] = s->m->arg[i].kind == CW_ARG_SCALAR
                     ? (struct cw_reach_arg){.kind = CW_REACH_SCALAR,
                                             .bytes = l->arg[i].value_bytes,
                                             .value = l->arg[i].value}
                     : (struct cw_reach_arg){.kind = kinds[s->m->arg[i].kind],
                                             .bytes = (uint64_t)l->arg[i].buffer_bytes,
                                             .start = (uint64_t)l->arg[i].start};
    for (int d = 0; d < 3; d++) {
        r.global[d] = (uint64_t)l->global[d];
        r.local[d] = (uint64_t)l->local[d];
        r.offset[d] = (uint64_t)l->offset[d];
    }
    found = cw_reacher_launch(s->dear, &r, 1);
    free(arg);
    return found;
}

static bool is_reached(const struct cw_reach *r, uint32_t arg, bool write, const struct cw_span *span)
{
    bool found = false;

    for (uint32_t i = 0; i < r->n && !found; i++)
        found = r->piece[i].arg == arg && r->piece[i].write == write &&
                (int64_t)r->piece[i].begin <= span->begin && span->end <= (int64_t)r->piece[i].end;
    return found;
}

/* What run mode knows of a whole launch that is too dear to be evaluated. */
static void compare_whole(struct session *s, const struct cw_launch *l)
{
    struct cw_tile all = {.count = {1, 1, 1}};
    const struct cw_reach *r;
    bool good = true;

    for (unsigned d = 0; d < l->work_dim; d++) {
        all.count[d] = l->global[d] / l->local[d];
        if (l->global[d] % l->local[d])
            return;
    }
    r = s->dear ? reach(s, l) : NULL;
    if (!r)
        return;
    if (!cw_eval_tile(s->e, l, &all, s->f))
        exit(2);
    whole++;
    for (int a = 0; a < s->m->args; a++) {
        const struct cw_footprint *f[2] = {&s->f[a].reads, &s->f[a].writes};
        for (int write = 0; write <= 1; write++)
            for (size_t k = 0; !is_closed(f[write]) && k < f[write]->may.n; k++)
                good &= is_reached(r, (uint32_t)a, write, &f[write]->may.v[k]);
    }
    for (uint32_t i = 0; i < r->n; i++) {
        const struct cw_reach_piece *p = &r->piece[i];
        good &= p->end <= (uint64_t)l->arg[p->arg].buffer_bytes &&
                inside(&s->f[p->arg].writes.must, (int64_t)p->sure, (int64_t)p->sure_end);
    }
    if (!good && wrong++ < 5)
        fprintf(stderr, "wrong: kernel %s, global %lld: reach of the whole launch\n", s->m->kernel,
                (long long)l->global[0]);
}

/* Evaluates launches until others are too dear. */
static void tire(struct session *s, const struct cw_launch *l)
{
    struct cw_launch small = *l;

    s->dear = cw_reacher_create(s->m, 4);
    for (int d = 0; d < 3; d++)
        small.global[d] = small.local[d] = 1;
    for (int i = 0; s->dear && i < 32; i++) {
        small.global[0] = i + 1;
        (void)reach(s, &small);
    }
}

static void vary(const struct cw_model *m, struct cw_launch_file *l, unsigned char *scratch)
{
    static const int64_t sizes[] = {1, 2, 7, 16, 64, 100, 1000, 65536, 1 << 20};
    for (unsigned d = 0; d < l->launch.work_dim; d++) {
        l->launch.local[d] = 1 + draw(draw(2) ? 64 : 8);
        l->launch.global[d] = draw(2) ? sizes[draw(9)] * l->launch.local[d] : sizes[draw(9)];
        if (l->launch.local[d] > l->launch.global[d])
            l->launch.local[d] = l->launch.global[d];
        l->launch.offset[d] = draw(4) ? 0 : sizes[draw(9)];
    }
    for (int i = 0; i < m->args; i++) {
        struct cw_launch_arg *a = &l->launch.arg[i];
        if (a->buffer_bytes) {
            a->buffer_bytes = draw(2) ? 4 * sizes[draw(9)] : 1 + draw(100000);
            a->start = draw(3) ? 0 : draw((uint32_t)a->buffer_bytes);
        }
        if (a->value && a->value_bytes <= 8 && m->arg[i].kind == CW_ARG_SCALAR) {
            int64_t v = draw(3) ? sizes[draw(9)] : draw(2) ? -sizes[draw(9)] : draw(100000);
            for (size_t k = 0; k < 8; k++)
                scratch[8 * i + (int)k] = (unsigned char)((uint64_t)v >> (8 * k));
            a->value = scratch + 8 * i;
        }
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median of what launches take that were never seen; *formulas: how many of them were compiled by formulas.
 */
static double time_new(struct session *s, const struct cw_launch *l, bool sizes, int *formulas)
{
    enum { ROUNDS = 50 };
    double us[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        struct timespec begin, end;
        struct cw_launch other = *l;
        other.offset[0] += sizes ? 0 : i + 1;
        other.global[0] += sizes ? (i + 1) * l->local[0] : 0;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        (void)cw_form_launch(s->c, &other);
        clock_gettime(CLOCK_MONOTONIC, &end);
        us[i] = (double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) / 1e3;
        *formulas += cw_form_planned(s->c);
    }
    qsort(us, ROUNDS, sizeof *us, by_size);
    return us[ROUNDS / 2];
}

static void time_launch(struct session *s, const struct cw_launch *l)
{
    enum { TILES = 64, ROUNDS = 50 };
    struct cw_tile t[TILES];
    int all, slow;
    double start = now_us(), fresh = 0;
    int formulas = 0;
    (void)cw_form_launch(s->c, l);
    double first = now_us() - start;
    for (int k = 0; k < 2; k++) /* other offsets; other sizes, too, so that nothing is kept from last time */
        fresh = fmax(fresh, time_new(s, l, k, &formulas));
    (void)cw_form_launch(s->c, l);
    slow = cw_form_slow(s->c, &all);
    for (int i = 0; i < TILES; i++)
        random_tile(l, &t[i]);
    start = now_us();
    for (int i = 0; i < ROUNDS * TILES; i++)
        (void)cw_form_tile(s->c, &t[i % TILES], s->h);
    double tile = (now_us() - start) / (ROUNDS * TILES);
    start = now_us();
    for (int i = 0; i < 10 * TILES; i++)
        (void)cw_eval_tile(s->e, l, &t[i % TILES], s->f);
    double evaluator = (now_us() - start) / (10 * TILES);
    start = now_us();
    for (int i = 0; i < ROUNDS * TILES; i++)
        (void)cw_form_launch(s->c, l);
    double known = (now_us() - start) / (ROUNDS * TILES);
    printf("%-40s %4d accesses %4d items %4d slow  launch %8.2f us, new %6.2f us (%3d %% by formulas), known "
           "%6.2f "
           "us, tile %7.2f us, evaluator %8.2f us\n",
           s->m->kernel, s->m->accesses, all, slow, first, fresh, formulas, known, tile, evaluator);
}

static void try_launch(const struct cw_model *m, const json_t *j, bool timed)
{
    struct session s = {m,
                        NULL,
                        cw_form_create(m),
                        cw_eval_create(m),
                        calloc((size_t)m->args + 1, sizeof *s.h),
                        calloc((size_t)m->args + 1, sizeof *s.h),
                        calloc((size_t)m->args + 1, sizeof *s.f)};
    struct cw_launch_file l;
    struct cw_error err = {0};
    unsigned char *scratch = malloc(8 * (size_t)m->args + 8);
    if (cw_evaluate_read_launch(&l, j, m, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    if (timed) {
        time_launch(&s, &l.launch);
    } else {
        tire(&s, &l.launch);
        compare_whole(&s, &l.launch);
        try_tiles(&s, &l.launch, 30);
        for (int i = 0; i < 20; i++) {
            vary(m, &l, scratch);
            compare_whole(&s, &l.launch);
            try_tiles(&s, &l.launch, 15);
        }
    }
    free(scratch);
    cw_evaluate_finish_launch(&l);
    cw_reacher_destroy(s.dear);
    cw_form_destroy(s.c);
    cw_eval_destroy(s.e);
    cw_eval_result_finish(s.f, m->args);
    free(s.f);
    free(s.h);
    free(s.fresh);
}

int main(int argc, char **argv)
{
    bool timed = argc > 1 && !strcmp(argv[1], "--time");
    struct cw_model_set set;
    struct cw_error err = {0};
    struct cw_file_text text;

    if (argc <= 2 + timed) {
        fprintf(stderr, "usage: compiled [--time] MODELS.json LAUNCHES.json...\n");
        return 2;
    }
    if (cw_file_text_open(&text, argv[1 + timed], &err) != CW_OK ||
        cw_model_set_read(&set, argv[1 + timed], text.text, text.length, &err) != CW_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    for (int i = 2 + timed; i < argc; i++) {
        json_t *file = json_load_file(argv[i], 0, NULL), *j;
        size_t k;
        json_array_foreach(json_object_get(file, "launches"), k, j)
        {
            const struct cw_model *m =
                cw_model_set_find(&set, json_string_value(json_object_get(j, "kernel")));
            if (m)
                try_launch(m, j, timed);
        }
        json_decref(file);
    }
    if (!timed)
        printf("%ld answers, %ld exact, %ld with sure bytes, %ld in several ranges: %ld wrong, %ld looser, "
               "%ld weaker; %ld of %ld "
               "items slow; %ld of %ld launches by formulas, %ld answers different; %ld reaches\n",
               answers, exactly, surely, in_ranges, wrong, looser, weaker, slow_items, all_items, planned,
               launches, different, whole);
    cw_model_set_finish(&set);
    cw_file_text_close(&text);
    return wrong > 0 || 20 * looser > answers || 10 * weaker > answers || 1000 * different > answers;
}
