/* learn_verdict.c - see learn.h. */
#include "learn.h"
#include "../history/history.h"
#include "frame/cli.h"
#include "../history/run_records.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What run has learnt of the program so far; see learn.h. */

struct search {
    char **argv;
    int64_t begin_s;
    enum cw_learn_state own, any;
    char file[64]; /* of the record that `own` is in: the last used one */
};

/* The record's words end with those of argv: before them may stand the folder of the first, and, of a
 * script, its interpreter. */
static bool ends_with(const struct cw_run_record *r, char **argv)
{
    size_t bytes = 0;
    const char *at;

    for (char **word = argv; *word; word++)
        bytes += strlen(*word) + 1;
    if (bytes > r->arguments_bytes)
        return false;
    at = r->arguments + r->arguments_bytes - bytes;
    if (at > r->arguments && at[-1] != '\0' && at[-1] != '/')
        return false;
    for (; *argv; at += strlen(at) + 1)
        if (strcmp(at, *argv++) != 0)
            return false;
    return true;
}

static void look(const struct cw_run_record *r, void *context)
{
    static const enum cw_learn_state states[] = {[CW_RUN_WATCHING] = CW_LEARN_WATCHING,
                                                 [CW_RUN_TRYING] = CW_LEARN_TRYING,
                                                 [CW_RUN_GAINS] = CW_LEARN_GAINS,
                                                 [CW_RUN_NO_GAIN] = CW_LEARN_NO_GAIN};
    struct search *s = context;
    enum cw_learn_state state = states[r->state];

    if (r->used_s > s->begin_s && r->ago == 0 && state > s->any)
        s->any = state;
    if ((!*s->file || strcmp(s->file, r->file) == 0) && ends_with(r, s->argv)) {
        snprintf(s->file, sizeof s->file, "%s", r->file);
        s->own = state > s->own ? state : s->own;
    }
}

enum cw_learn_state cw_learn_state_read(const struct cw_cache_files *c, char **argv, int64_t begin_s)
{
    struct search s = {.argv = argv, .begin_s = begin_s};
    char path[PATH_MAX];

    if (cw_cache_files_path(c, CW_CACHE_PROGRAMS, path))
        cw_run_records_each(path, look, &s);
    return s.own != CW_LEARN_UNKNOWN ? s.own : s.any;
}

const char *cw_learn_state_word(enum cw_learn_state state)
{
    static const char *const words[] = {"nothing known", "watching", "no gain", "gains", "trying"};

    return words[state];
}

#define NARROW 0.05                     /* of an interval, over its median */
#define LEVEL  0.1                      /* of a gain that does not change any more */
#define SMALL  0.01                     /* a difference that is none */
enum { FEW = 6, LEAST = 9, MANY = 25 }; /* pairs: below FEW there is no interval of 95 % */

struct figures {
    struct cw_pair_interval ratio;
    double bare_ns, run_ns, bare_cpu_ns, run_cpu_ns;
    size_t n;
};

/* The pairs that count: those that are measured; before them, all but the first, in which vendors compile. */
static size_t first_pair(const struct cw_learn *l)
{
    return l->measures && l->first < l->n ? l->first : l->n > 1;
}

/* False: memory is out, or there is no pair. */
static bool compute(const struct cw_learn *l, struct figures *f)
{
    size_t first = first_pair(l), n = l->n - first;
    double *values = n ? malloc(n * sizeof *values) : NULL;

    *f = (struct figures){.n = n};
    if (!values)
        return false;
    for (size_t i = 0; i < n; i++)
        values[i] = l->pair[first + i].bare.wall_ns;
    f->bare_ns = cw_pair_ratios_median(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = l->pair[first + i].run.wall_ns;
    f->run_ns = cw_pair_ratios_median(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = l->pair[first + i].bare.cpu_ns;
    f->bare_cpu_ns = cw_pair_ratios_median(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = l->pair[first + i].run.cpu_ns;
    f->run_cpu_ns = cw_pair_ratios_median(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = l->pair[first + i].bare.wall_ns / l->pair[first + i].run.wall_ns;
    f->ratio = cw_pair_ratios_interval(values, n);
    free(values);
    return true;
}

bool cw_learn_verdict_is_clear(const struct cw_learn *l)
{
    struct figures f;

    return l->measures && l->n - l->first >= LEAST && compute(l, &f) &&
           (f.n >= MANY || f.ratio.high - f.ratio.low <= NARROW * f.ratio.median);
}

static double gain_of(const struct cw_learn *l, size_t first, size_t n)
{
    double values[16];

    for (size_t i = 0; i < n && i < 16; i++)
        values[i] = l->pair[first + i].bare.wall_ns / l->pair[first + i].run.wall_ns;
    return cw_pair_ratios_median(values, n < 16 ? n : 16);
}

bool cw_learn_verdict_is_level(const struct cw_learn *l, size_t rounds)
{
    double before, after;

    if (l->n < 2 * rounds)
        return false;
    before = gain_of(l, l->n - 2 * rounds, rounds);
    after = gain_of(l, l->n - rounds, rounds);
    return after <= (1 + LEVEL) * before && before <= (1 + LEVEL) * after;
}

/* ---- do exit statuses and outputs agree? */

struct differences {
    size_t statuses;      /* runs under run that fail */
    size_t bare;          /* bare runs whose output is not that of the first */
    size_t run;           /* runs under run, likewise */
    int status;           /* wait status of the last of them */
    size_t bare_statuses; /* bare runs that fail */
};

static struct differences compare(const struct cw_learn *l)
{
    struct differences d = {0};

    for (size_t i = 0; i < l->n; i++) {
        const struct cw_learn_pair *p = &l->pair[i], *first = l->pair;

        d.bare_statuses += p->bare.status != 0;
        d.bare += !cw_key_same(p->bare.output, first->bare.output);
        d.run += !cw_key_same(p->run.output, first->bare.output);
        if (p->run.status != 0) {
            d.statuses++;
            d.status = p->run.status;
        }
    }
    return d;
}

static const char *status_text(int status, char text[32])
{
    if (WIFSIGNALED(status))
        snprintf(text, 32, "signal %d", WTERMSIG(status));
    else
        snprintf(text, 32, "status %d", WEXITSTATUS(status));
    return text;
}

/* Says what differs. Returns whether that is a fault of run's. */
static bool tell_differences(const struct cw_learn *l, const struct differences *d)
{
    char text[32];

    if (l->hung)
        cw_cli_complain("learn: under run the program did not end, and was ended; please report it");
    if (d->statuses && !d->bare_statuses)
        cw_cli_complain(
            "learn: bare the program ends with status 0, under run with %s in %zu of %zu runs; please "
            "report it",
            status_text(d->status, text), d->statuses, l->n);
    else if (d->bare_statuses)
        cw_cli_complain("learn: the program fails at times, in %zu of %zu bare runs, too", d->bare_statuses,
                        l->n);
    if (d->bare)
        cw_cli_complain(
            "learn: the program's output differs from run to run, in %zu of %zu bare runs, too (it may "
            "print times): the results are not compared",
            d->bare, l->n);
    else if (d->run)
        cw_cli_complain(
            "learn: bare the program prints the same in %zu runs, under run something else in %zu of %zu; "
            "compare the outputs, and report it if they should be alike",
            l->n, d->run, l->n);
    if (l->waiting)
        cw_cli_complain("learn: %u request%s for builds stay%s", l->waiting, l->waiting == 1 ? "" : "s",
                        *l->builder ? "" : ", as clweave-compile is missing: clweave doctor says more");
    return l->hung || (d->statuses && !d->bare_statuses) || (d->run && !d->bare);
}

/* ---- the verdict */

/* "310 ms", "16.8 ms", "2.41 s". */
static const char *time_text(double ns, char text[24])
{
    bool seconds = ns >= 1e9;
    double v = ns / (seconds ? 1e9 : 1e6);

    snprintf(text, 24, "%.*f %s", v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, seconds ? "s" : "ms");
    return text;
}

static const char *word_of(const struct cw_learn *l, const struct figures *f)
{
    const struct cw_pair_interval *r = &f->ratio;

    return !l->opencl                                            ? "no OpenCL call: run changes nothing"
           : f->n < FEW                                          ? "too few pairs to tell"
           : r->low <= 1 + SMALL / 2 && r->high >= 1 - SMALL / 2 ? "no difference"
           : r->median < 1                                       ? "slower"
                                                                 : "faster";
}

static void print_text(const struct cw_learn *l, const struct figures *f)
{
    const char *word = word_of(l, f);
    bool faster = strcmp(word, "faster") == 0;
    char bare[24], run[24], bare_cpu[24], run_cpu[24];

    printf("clweave learn: %s", faster ? "" : word);
    if (l->opencl)
        printf("%s%.2fx", faster ? "" : ": ", f->ratio.median);
    if (l->opencl && f->n >= FEW)
        printf(" [%.2f, %.2f]", f->ratio.low, f->ratio.high);
    printf(" (bare %s, run %s, processor %s and %s, %zu pair%s)%s\n", time_text(f->bare_ns, bare),
           time_text(f->run_ns, run), time_text(f->bare_cpu_ns, bare_cpu), time_text(f->run_cpu_ns, run_cpu),
           f->n, f->n == 1 ? "" : "s",
           l->is_settled || !l->opencl ? "" : "; not settled yet: learn again goes on");
}

static void print_json(const struct cw_learn *l, const struct figures *f, const struct differences *d)
{
    json_t *rounds = json_array(), *root;
    bool known = f->n >= FEW; /* an interval */

    for (size_t i = 0; i < l->n; i++)
        json_array_append_new(rounds, json_pack("{s:f, s:f, s:f, s:f, s:b}", "bare_ns",
                                                l->pair[i].bare.wall_ns, "run_ns", l->pair[i].run.wall_ns,
                                                "bare_cpu_ns", l->pair[i].bare.cpu_ns, "run_cpu_ns",
                                                l->pair[i].run.cpu_ns, "measured", i >= first_pair(l)));
    root = json_pack("{s:s, s:i, s:s, s:f, s:o, s:o, s:f, s:f, s:f, s:f, s:I, s:b, s:s, s:I, s:I, s:I, s:o}",
                     "format", "clweave-learn", "version", 1, "verdict", word_of(l, f), "ratio",
                     f->ratio.median, "low", known ? json_real(f->ratio.low) : json_null(), "high",
                     known ? json_real(f->ratio.high) : json_null(), "bare_ns", f->bare_ns, "run_ns",
                     f->run_ns, "bare_cpu_ns", f->bare_cpu_ns, "run_cpu_ns", f->run_cpu_ns, "pairs",
                     (json_int_t)f->n, "settled", (int)l->is_settled, "state", cw_learn_state_word(l->state),
                     "other_statuses", (json_int_t)d->statuses, "other_outputs_bare", (json_int_t)d->bare,
                     "other_outputs_run", (json_int_t)d->run, "rounds", rounds);
    json_dumpf(root, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(root);
}

int cw_learn_verdict_print(const struct cw_learn *l, bool json)
{
    struct differences d = l->n ? compare(l) : (struct differences){0};
    bool fault = tell_differences(l, &d);
    struct figures f;

    if (!compute(l, &f)) {
        if (!l->hung)
            cw_cli_complain("learn: no pair of runs is complete");
        return CW_EXIT_FAILURE;
    }
    if (json)
        print_json(l, &f, &d);
    else
        print_text(l, &f);
    return fault ? CW_EXIT_FAILURE : CW_EXIT_OK;
}
