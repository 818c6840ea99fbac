/* trace_diff_print.c - see trace_diff_print.h. */
#include "trace_diff_print.h"

#include <math.h>
#include <string.h>

#include "../../io/json_out.h"
#include "../../io/quantity.h"

enum { MOST_ODDS = 40, NAME_COLUMN = 24, PHASE_COLUMN = 14, ODD_COLUMN = 40, TEXT_WIDTH = 110 };

#define RATIO                                                                                                \
    "change: the median of the ratios of all pairs of a value of B and one of A, with its 95 % interval "    \
    "(Hodges, Lehmann). p: rank-sum test (Wilcoxon, Mann, Whitney), two-sided, adjusted for the number of "  \
    "rows of the table (Holm). Faster, slower: p below 0.05 and a change of at least 1 %. "

const char *cw_trace_diff_print_test(const struct cw_trace_diff *d)
{
    return d->by_run
               ? RATIO "The values are one of each run: the median of the times of its commands, or its "
                       "phase"
               : RATIO "The values are the times of single commands, which are not independent within a "
                       "run: this speaks of these runs only. Phases are not tested. Four traces of each "
                       "side and more are compared run by run";
}

const char *cw_trace_diff_print_p(double p, char text[16])
{
    snprintf(text, 16, isnan(p) ? "-" : p < .0001 ? "<0.0001" : "%.4f", p);
    return text;
}

const char *cw_trace_diff_print_change(double change, char text[24])
{
    if (isnan(change) || isinf(change))
        return "-";
    if (change >= 1 || change <= -.5)
        snprintf(text, 24, "x %.3g", change + 1);
    else
        snprintf(text, 24, "%+.*f %%", fabs(change) < .0995, 100 * change);
    return text;
}

const char *cw_trace_diff_print_interval(const struct cw_diff_test *t, char text[64])
{
    char low[24], high[24];

    *text = '\0';
    if (!isnan(t->low))
        snprintf(text, 64, "%s to %s", cw_trace_diff_print_change(t->low, low),
                 cw_trace_diff_print_change(t->high, high));
    return text;
}

const char *cw_trace_diff_print_judgement(const struct cw_diff_row *r, char text[64])
{
    int tail = cw_trace_diff_tail(r);

    snprintf(text, 64, "%s", cw_diff_test_verdict(r->test.verdict));
    if (tail >= 0)
        snprintf(text, 64, "%s; some longer in %c", cw_diff_test_verdict(r->test.verdict), "AB"[tail]);
    return text;
}

const char *cw_trace_diff_print_ns(double ns, char text[16])
{
    return isnan(ns) ? "-" : cw_quantity_ns((uint64_t)(ns + .5), text);
}

bool cw_trace_diff_print_shows(const struct cw_diff_phase *p)
{
    return p->ns[CW_DIFF_A] > 0 || p->ns[CW_DIFF_B] > 0;
}

/* ", too few runs to tell of 2 (largest change: work, x 4.14)"; "" where the test could tell of all that it
 * was made of. */
static const char *few_of(const struct cw_trace_diff *d, char text[120])
{
    const struct cw_diff_row *most = NULL;
    char change[24];
    size_t few = 0;

    for (size_t i = 0; i < d->rows; i++) {
        const struct cw_diff_row *r = &d->row[i];
        if (r->test.verdict != CW_DIFF_FEW || isnan(r->test.least))
            continue;
        few++;
        if (!most || fabs(log1p(r->test.change)) > fabs(log1p(most->test.change)))
            most = r;
    }
    *text = '\0';
    if (few) {
        const char *name = cw_trace_command_name(most->trace, most->command);
        snprintf(text, 120, ", too few %s to tell of %zu (%s%.40s, %s)", d->by_run ? "runs" : "times", few,
                 few > 1 ? "largest change: " : "", name ? name : "?",
                 cw_trace_diff_print_change(most->test.change, change));
    }
    return text;
}

const char *cw_trace_diff_print_verdict(const struct cw_trace_diff *d, char text[240])
{
    uint64_t slower = 0, faster = 0;
    char few[120];

    for (size_t i = 0; i < d->rows; i++) {
        slower += d->row[i].test.verdict == CW_DIFF_SLOWER;
        faster += d->row[i].test.verdict == CW_DIFF_FASTER;
    }
    snprintf(text, 240, "B against A: of %s %zu %s compared: %llu slower, %llu faster%s; %s",
             CW_COUNT(d->rows, "kind of command"), d->tested, d->tested == 1 ? "was" : "were",
             (unsigned long long)slower, (unsigned long long)faster, few_of(d, few),
             d->odds ? "the commands are not the same"
                     : "the same commands, as far as numbers and sizes say");
    return text;
}

static void print_side(const struct cw_trace_diff *d, int side, const char *name, FILE *f)
{
    const struct cw_trace *t = d->trace[side][0];

    fprintf(f, "%c  %s", "AB"[side], name);
    if (d->runs > 1)
        fprintf(f, " and %zu more", d->runs - 1);
    fprintf(f, ": %s, %s", t->process.program ? t->process.program : "?",
            CW_COUNT(d->commands[side], "command"));
    for (size_t i = 0; i < t->devices.count && i < 4; i++)
        fprintf(f, "%s%s", i ? ", " : ", on ", t->devices.v[i].name ? t->devices.v[i].name : "?");
    fputc('\n', f);
}

static void print_phases(const struct cw_trace_diff *d, FILE *f)
{
    char a[16], b[16], c[24], interval[64], p[16];

    fprintf(f, "\n%-*s %10s %10s  %8s", PHASE_COLUMN, "phase", "A", "B", "change");
    fprintf(f, d->by_run ? "  %-18s  %7s  %s\n" : "\n", "95 %", "p", "B is");
    for (int i = 0; i < CW_DIFF_PHASES; i++) {
        const struct cw_diff_phase *x = &d->phase[i];
        if (!cw_trace_diff_print_shows(x))
            continue;
        fprintf(f, "%-*s %10s %10s  %8s", PHASE_COLUMN, x->name, cw_trace_diff_print_ns(x->ns[CW_DIFF_A], a),
                cw_trace_diff_print_ns(x->ns[CW_DIFF_B], b), cw_trace_diff_print_change(x->test.change, c));
        if (d->by_run)
            fprintf(f, "  %-18s  %7s  %s", cw_trace_diff_print_interval(&x->test, interval),
                    cw_trace_diff_print_p(x->test.p, p), cw_diff_test_verdict(x->test.verdict));
        fputc('\n', f);
    }
}

static void print_name(const struct cw_diff_row *r, bool size, int width, FILE *f)
{
    char text[96];
    const char *name = cw_trace_command_name(r->trace, r->command);
    int n;

    cw_trace_diff_size(r->trace, r->command, text);
    n = fprintf(f, "%s%s%s", name ? name : "?", size && *text ? " " : "", size ? text : "");
    if (n < width)
        fprintf(f, "%*s", width - n, "");
}

static void print_row(const struct cw_trace_diff *d, const struct cw_diff_row *r, FILE *f)
{
    const struct cw_diff_side *a = &r->side[CW_DIFF_A], *b = &r->side[CW_DIFF_B];
    char text[5][24], interval[64], judgement[64], p[16];

    print_name(r, d->by_size, NAME_COLUMN, f);
    fprintf(f, " %6llu %6llu  %10s %10s  %10s %10s  %8s  %-18s  %7s  %s\n", (unsigned long long)a->commands,
            (unsigned long long)b->commands, cw_trace_diff_print_ns(a->timed ? a->total_ns : NAN, text[0]),
            cw_trace_diff_print_ns(b->timed ? b->total_ns : NAN, text[1]),
            cw_trace_diff_print_ns(a->median_ns, text[2]), cw_trace_diff_print_ns(b->median_ns, text[3]),
            cw_trace_diff_print_change(r->test.change, text[4]),
            cw_trace_diff_print_interval(&r->test, interval), cw_trace_diff_print_p(r->test.p, p),
            cw_trace_diff_print_judgement(r, judgement));
    if (a->failed || b->failed)
        fprintf(f, "%-*s %6llu %6llu  failed or were refused\n", NAME_COLUMN, "  of these",
                (unsigned long long)a->failed, (unsigned long long)b->failed);
}

static void print_rows(const struct cw_trace_diff *d, FILE *f)
{
    fprintf(f, "\n%-*s %6s %6s  %10s %10s  %10s %10s  %8s  %-18s  %7s  %s\n", NAME_COLUMN, "command", "in A",
            "in B", "total A", "total B", "median A", "median B", "change", "95 %", "p", "B is");
    for (size_t i = 0; i < d->rows; i++)
        print_row(d, &d->row[i], f);
}

const char *cw_trace_diff_print_next(const struct cw_trace_diff *d, char text[400])
{
    size_t used;
    char size[96];

    if (!d->alike)
        used = (size_t)snprintf(text, 400, "The first commands are not alike");
    else
        used = (size_t)snprintf(text, 400, "The first %s %s alike, by name and size",
                                CW_COUNT(d->alike, "command"), d->alike == 1 ? "is" : "are");
    if (d->next[CW_DIFF_A] == CW_NONE && d->next[CW_DIFF_B] == CW_NONE) {
        snprintf(text, 400, "All commands are alike, in their order, by name and size");
        return text;
    }
    for (int side = 0; side < CW_DIFF_SIDES; side++) {
        const struct cw_trace *t = d->trace[side][0];
        const struct cw_command *k = d->next[side] < t->commands.count ? &t->commands.v[d->next[side]] : NULL;
        const char *name = k ? cw_trace_command_name(t, k) : NULL;
        used += (size_t)snprintf(text + used, 400 - used, "%s %c ",
                                 side       ? ","
                                 : d->alike ? "; then"
                                            : ":",
                                 "AB"[side]);
        if (k)
            used += (size_t)snprintf(text + used, 400 - used, "has #%u %.60s%s%s",
                                     cw_trace_command_number(t, d->next[side]), name ? name : "?",
                                     *cw_trace_diff_size(t, k, size) ? " " : "", size);
        else
            used += (size_t)snprintf(text + used, 400 - used, d->alike ? "ends" : "has none");
    }
    return text;
}

static void print_odds(const struct cw_trace_diff *d, FILE *f)
{
    char text[400];

    if (d->odds)
        fprintf(f, "\n%-*s %6s %6s  %s\n", ODD_COLUMN, "not the same number", "in A", "in B", "B has");
    for (size_t i = 0; i < d->odds && i < MOST_ODDS; i++) {
        unsigned long long a = d->odd[i].side[CW_DIFF_A].commands, b = d->odd[i].side[CW_DIFF_B].commands;
        print_name(&d->odd[i], true, ODD_COLUMN, f);
        fprintf(f, " %6llu %6llu  %llu %s\n", a, b, a > b ? a - b : b - a, a > b ? "missing" : "extra");
    }
    if (d->odds > MOST_ODDS)
        fprintf(f, "and %zu more; --json has all\n", d->odds - MOST_ODDS);
    if (d->commands[CW_DIFF_A] || d->commands[CW_DIFF_B])
        fprintf(f, "\n%s\n", cw_trace_diff_print_next(d, text));
}

static void print_wrapped(const char *text, FILE *f)
{
    size_t column = 0, word;

    for (; *text; text += word + (text[word] == ' ')) {
        word = strcspn(text, " ");
        if (column && column + 1 + word > TEXT_WIDTH)
            column = 0, fputc('\n', f);
        fprintf(f, "%s%.*s", column ? " " : "", (int)word, text);
        column += word + (column > 0);
    }
    fputc('\n', f);
}

void cw_trace_diff_print(const struct cw_trace_diff *d, const char *const names[CW_DIFF_SIDES], FILE *f)
{
    char text[240];

    for (int side = 0; side < CW_DIFF_SIDES; side++)
        print_side(d, side, names[side], f);
    fprintf(f, "\n%s\n", cw_trace_diff_print_verdict(d, text));
    print_phases(d, f);
    print_rows(d, f);
    print_odds(d, f);
    fputc('\n', f);
    print_wrapped(cw_trace_diff_print_test(d), f);
}

/* ---- JSON */

static void put_test(struct cw_json_out *o, const struct cw_diff_test *t)
{
    cw_json_put_figures(
        o,
        (const struct cw_json_figure[]){
            {"change", t->change}, {"change_low", t->low}, {"change_high", t->high}, {"p", t->p}},
        4);
    cw_json_put_key(o, "verdict");
    cw_json_put_string(o, cw_diff_test_verdict(t->verdict));
}

static void put_row(struct cw_json_out *o, const struct cw_diff_row *r, bool times)
{
    char size[96];

    cw_json_put_open(o);
    cw_json_put_key(o, "name");
    cw_json_put_string(o, cw_trace_command_name(r->trace, r->command));
    cw_json_put_key(o, "size");
    cw_json_put_string(o, cw_trace_diff_size(r->trace, r->command, size));
    for (int side = 0; side < CW_DIFF_SIDES; side++) {
        const struct cw_diff_side *s = &r->side[side];
        cw_json_put_key(o, side ? "b" : "a");
        cw_json_put_open(o);
        cw_json_put_figures(o,
                            (const struct cw_json_figure[]){{"commands", (double)s->commands},
                                                            {"failed", (double)s->failed},
                                                            {"timed", (double)s->timed},
                                                            {"total_ns", s->timed ? s->total_ns : NAN},
                                                            {"median_ns", s->median_ns}},
                            times ? 5 : 2);
        cw_json_put_close(o);
    }
    if (times)
        put_test(o, &r->test);
    cw_json_put_close(o);
}

static void put_rows(struct cw_json_out *o, const char *key, const struct cw_diff_row *row, size_t n,
                     bool times)
{
    cw_json_put_key(o, key);
    cw_json_put_char(o, '[');
    for (size_t i = 0; i < n; i++) {
        cw_json_put_text(o, i ? ",\n" : "\n");
        put_row(o, &row[i], times);
    }
    cw_json_put_char(o, ']');
}

static void put_sides(struct cw_json_out *o, const struct cw_trace_diff *d, const char *const names[])
{
    for (int side = 0; side < CW_DIFF_SIDES; side++) {
        cw_json_put_key(o, side ? "b" : "a");
        cw_json_put_open(o);
        cw_json_put_key(o, "file");
        cw_json_put_string(o, names[side]);
        cw_json_put_key(o, "program");
        cw_json_put_string(o, d->trace[side][0]->process.program);
        cw_json_put_figures(
            o,
            (const struct cw_json_figure[]){{"commands", (double)d->commands[side]},
                                            {"next", d->next[side] == CW_NONE ? NAN : (double)d->next[side]}},
            2);
        cw_json_put_key(o, "phases");
        cw_json_put_open(o);
        for (int i = 0; i < CW_DIFF_PHASES; i++) {
            cw_json_put_key(o, d->phase[i].name);
            cw_json_put_double(o, d->phase[i].ns[side]);
        }
        cw_json_put_close(o);
        cw_json_put_close(o);
    }
}

static void put_phase_tests(struct cw_json_out *o, const struct cw_trace_diff *d)
{
    cw_json_put_key(o, "phases");
    cw_json_put_open(o);
    for (int i = 0; i < CW_DIFF_PHASES; i++) {
        cw_json_put_key(o, d->phase[i].name);
        cw_json_put_open(o);
        put_test(o, &d->phase[i].test);
        cw_json_put_close(o);
    }
    cw_json_put_close(o);
}

void cw_trace_diff_print_json(const struct cw_trace_diff *d, const char *const names[CW_DIFF_SIDES], FILE *f)
{
    static struct cw_json_out o;

    cw_json_out_init(&o, f);
    cw_json_put_open(&o);
    cw_json_put_key(&o, "format");
    cw_json_put_string(&o, "clweave-diff");
    cw_json_put_key(&o, "version");
    cw_json_put_u64(&o, 1);
    cw_json_put_key(&o, "runs");
    cw_json_put_u64(&o, d->runs);
    put_sides(&o, d, names);
    cw_json_put_key(&o, "alike");
    cw_json_put_u64(&o, d->alike);
    cw_json_put_key(&o, "test");
    cw_json_put_string(&o, cw_trace_diff_print_test(d));
    put_phase_tests(&o, d);
    put_rows(&o, "commands", d->row, d->rows, true);
    put_rows(&o, "not_the_same_number", d->odd, d->odds, false);
    cw_json_put_close(&o);
    cw_json_put_char(&o, '\n');
    cw_json_out_flush(&o);
}
