/* fuzz_models.c - kernel footprints as JSON, which the library reads inside of the program: the reader, and
 * every question that is asked of a model. The input also chooses the launches. */
#include "../../analyzer/kernels/footprint/form.h"
#include "../../analyzer/kernels/footprint/cut.h"
#include "../../analyzer/kernels/footprint/eval.h"
#include "../../analyzer/kernels/footprint/model_file.h"
#include "../../analyzer/kernels/footprint/ops.h"
#include "../../sched/random.h"
#include "harness.h"

static uint64_t seed;

static void check_spans(const struct cw_spans *s, int64_t size)
{
    for (size_t i = 0; i < s->n; i++)
        FUZZ_PROMISE(s->v[i].begin >= 0 && s->v[i].begin < s->v[i].end && s->v[i].end <= size &&
                         (i == 0 || s->v[i].begin > s->v[i - 1].end),
                     "interval %lld..%lld of %lld", (long long)s->v[i].begin, (long long)s->v[i].end,
                     (long long)size);
}

static void choose_launch(const struct cw_model *m, struct cw_launch *l, struct cw_tile *t,
                          unsigned char *bytes)
{
    static const int64_t sizes[] = {1, 7, 64, 1000, 1 << 20, INT64_C(1) << 40};

    l->work_dim = 1 + (unsigned)cw_random_below(&seed, 3);
    for (unsigned d = 0; d < 3; d++) {
        bool used = d < l->work_dim;
        int64_t groups;
        l->local[d] = used ? 1 + (int64_t)cw_random_below(&seed, 64) : 1;
        l->global[d] = used ? sizes[cw_random_below(&seed, 6)] : 1;
        l->offset[d] = used && !cw_random_below(&seed, 3) ? sizes[cw_random_below(&seed, 6)] : 0;
        groups = (l->global[d] + l->local[d] - 1) / l->local[d];
        t->first[d] = (int64_t)cw_random_below(&seed, (uint64_t)(groups < 1000 ? groups : 1000));
        t->count[d] = 1 + (int64_t)cw_random_below(
                              &seed, (uint64_t)(groups - t->first[d] < 20 ? groups - t->first[d] : 20));
    }
    for (int i = 0; i < m->args; i++)
        l->arg[i] = (struct cw_launch_arg){.buffer_bytes = cw_random_below(&seed, 4)
                                                               ? 1 + (int64_t)cw_random_below(&seed, 5000)
                                                               : sizes[cw_random_below(&seed, 6)],
                                           .value = cw_random_below(&seed, 5) ? bytes : NULL,
                                           .value_bytes = cw_random_below(&seed, 40)};
    for (int i = 0; i < 64; i++)
        bytes[i] = cw_random_below(&seed, 3) ? 0 : (unsigned char)cw_random_next(&seed);
}

/* In order, apart, inside of the hull and as wide. */
static bool are_ranges(const struct cw_arg_hulls *h)
{
    bool good = h->ranges >= 0 && h->ranges <= CW_READ_RANGES;

    if (h->reads.answer == CW_ANSWER_UNKNOWN)
        return good;
    for (int i = 0; good && i < h->ranges; i++)
        good = h->range[i].begin < h->range[i].end && (!i || h->range[i - 1].end < h->range[i].begin);
    return good &&
           (h->ranges ? h->range[0].begin == h->reads.begin && h->range[h->ranges - 1].end == h->reads.end
                      : h->reads.begin == h->reads.end);
}

static void compile(const struct cw_model *m, const struct cw_launch *l, const struct cw_tile *t)
{
    struct cw_form *c = cw_form_create(m);
    struct cw_arg_hulls *hulls = calloc((size_t)m->args + 1, sizeof *hulls);

    FUZZ_PROMISE(c && hulls, "out of memory");
    if (cw_form_launch(c, l) && cw_form_tile(c, t, hulls))
        for (int a = 0; a < m->args; a++) {
            FUZZ_PROMISE(hulls[a].writes.begin >= 0 && hulls[a].writes.begin <= hulls[a].writes.end,
                         "hull of a write");
            FUZZ_PROMISE(are_ranges(&hulls[a]), "ranges of reads");
        }
    free(hulls);
    cw_form_destroy(c);
}

static void ask_about_launches(const struct cw_model *m)
{
    struct cw_launch_arg *arg = calloc((size_t)m->args + 1, sizeof *arg);
    struct cw_arg_footprint *f = calloc((size_t)m->args + 1, sizeof *f);
    struct cw_launch l = {.arg = arg};
    struct cw_eval *e = cw_eval_create(m);
    struct cw_cutter *cutter = cw_cutter_create(m);
    unsigned char bytes[64];

    FUZZ_PROMISE(arg && f && e && cutter, "out of memory");
    for (int i = 0; i < 2; i++) {
        struct cw_tile t;
        struct cw_cut_verdict verdict;
        struct cw_ops_counts counts;
        choose_launch(m, &l, &t, bytes);
        FUZZ_PROMISE(cw_eval_tile(e, &l, &t, f), "out of memory");
        for (int a = 0; a < m->args; a++) {
            check_spans(&f[a].reads.may, arg[a].buffer_bytes);
            check_spans(&f[a].writes.may, arg[a].buffer_bytes);
            check_spans(&f[a].writes.must, arg[a].buffer_bytes);
        }
        cw_cutter_verdict(cutter, &l, &verdict);
        cw_ops_count(m, e, &l, &counts);
        FUZZ_PROMISE(cw_ops_most(m, e, &l) >= 0, "fewer than no operations");
        compile(m, &l, &t);
    }
    cw_cutter_destroy(cutter);
    cw_eval_destroy(e);
    cw_eval_result_finish(f, m->args);
    free(f);
    free(arg);
}

static void ask(const struct cw_model *m)
{
    ask_about_launches(m);
    (void)cw_cut_ordered(m);
    for (int a = 0; a < m->args; a++)
        (void)cw_judge_argument(m, a, CW_ACCESS_READ);
    for (int g = 0; g < m->guards; g++)
        cw_eval_print_guard(m, m->guard[g], fuzz_nowhere());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct cw_model_set set;
    struct cw_error err = {0};

    seed = size;
    for (size_t i = 0; i < size; i++)
        seed = seed * 31 + data[i];
    if (cw_model_set_read(&set, "fuzz", text, size, &err) == CW_OK) {
        FUZZ_PROMISE(cw_model_write(set.model, set.n, fuzz_nowhere(), &err) == CW_OK, "%s", err.text);
        for (int i = 0; i < set.n; i++)
            ask(&set.model[i]);
    } else {
        FUZZ_PROMISE(err.status != CW_OK && strncmp(err.text, "fuzz:", 5) == 0, "no position: \"%s\"",
                     err.text);
    }
    cw_model_set_finish(&set);
    free(text);
    return 0;
}
