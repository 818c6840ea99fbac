/* compare_print.c - the tables and files of clweave compare; see compare.h. */
#include <math.h>
#include <string.h>

#include "../io/json_out.h"
#include "compare.h"

double cw_compare_best(const struct cw_compare *c, size_t file)
{
    double best = INFINITY;

    for (size_t k = 0; k < c->policies.count; k++)
        best = fmin(best, cw_compare_cell(c, file, k)->makespan);
    return best;
}

/* ---- the table: a row per policy */

struct row {
    double slr, speedup, ratio, worst, over,
        seconds; /* means over the graphs where they are defined; ratio to the best, over the lower bound */
    size_t slrs, speedups, overs, best, noted;
};

static struct row sum_up(const struct cw_compare *c, size_t policy)
{
    struct row r = {.worst = 1};

    for (size_t file = 0; file < c->inputs; file++) {
        const struct cw_compare_cell *x = cw_compare_cell(c, file, policy);
        double best = cw_compare_best(c, file), ratio = best > 0 ? x->makespan / best : 1;
        if (!isnan(x->slr)) {
            r.slr += x->slr;
            r.slrs++;
        }
        if (!isnan(x->speedup)) {
            r.speedup += x->speedup;
            r.speedups++;
        }
        if (x->bound > 0) {
            r.over += x->makespan / x->bound;
            r.overs++;
        }
        r.ratio += ratio / (double)c->inputs;
        r.worst = fmax(r.worst, ratio);
        r.seconds += x->seconds / (double)c->inputs;
        r.best += ratio <= 1 + 1e-9;
        r.noted += x->noted;
    }
    r.slr /= (double)r.slrs;
    r.speedup /= (double)r.speedups;
    r.over /= (double)r.overs;
    return r;
}

static const char *figure(double x, char *text, size_t size)
{
    if (isnan(x))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.3f", x);
    return text;
}

void cw_compare_print(const struct cw_compare *c)
{
    int width = 8;
    size_t noted = 0;
    char a[32], b[32], d[32];

    for (size_t k = 0; k < c->policies.count; k++)
        width = (int)strlen(c->policies.label[k]) > width ? (int)strlen(c->policies.label[k]) : width;
    printf("%zu graph%s, ", c->graphs, c->graphs == 1 ? "" : "s");
    if (c->o->platforms.count > 1)
        printf("%zu platforms, ", c->o->platforms.count);
    if (c->o->seeds.count > 1)
        printf("%zu seeds, ", c->o->seeds.count);
    printf("%zu polic%s; means over graphs\n\n", c->policies.count, c->policies.count == 1 ? "y" : "ies");
    printf("%-*s  %8s  %8s  %9s  %9s  %8s  %8s%s\n", width, "policy", "SLR", "speedup", "/ best", "worst",
           "best in", "/ bound", c->o->times ? "    seconds" : "");
    for (size_t k = 0; k < c->policies.count; k++) {
        struct row r = sum_up(c, k);
        printf("%-*s  %8s  %8s  %9.3f  %9.3f  %8zu  %8s", width, c->policies.label[k],
               figure(r.slr, a, sizeof a), figure(r.speedup, b, sizeof b), r.ratio, r.worst, r.best,
               figure(r.over, d, sizeof d));
        if (c->o->times)
            printf("  %9.4f", r.seconds);
        puts(r.noted ? " *" : "");
        noted += r.noted;
    }
    if (noted)
        printf("\n* some of its plans came with a note (clweave replay shows it)\n");
}

/* ---- a row per graph and policy */

static void put_row(struct cw_table *t, const struct cw_compare *c, size_t file, size_t policy)
{
    const struct cw_compare_cell *x = cw_compare_cell(c, file, policy);
    const char *label = c->policies.label[policy], *kind = cw_plan_bound_kind_name(x->kind);

    cw_table_put_text(t, c->input[file].graph, strlen(c->input[file].graph));
    cw_table_put_u64(t, c->tasks[file]);
    cw_table_put_text(t, label, strlen(label));
    cw_table_put_double(t, x->makespan);
    cw_table_put_double(t, x->bound);
    cw_table_put_text(t, kind, strlen(kind));
    cw_table_put_double(t, x->slr);
    cw_table_put_double(t, x->speedup);
    cw_table_put_double(t, x->efficiency);
    cw_table_put_double(t, x->nsl);
    cw_table_put_u64(t, x->noted);
    if (c->input[file].platform)
        cw_table_put_text(t, c->input[file].platform, strlen(c->input[file].platform));
    else
        cw_table_put_null(t);
    cw_table_put_u64(t, c->input[file].seed);
    if (c->o->times)
        cw_table_put_double(t, x->seconds);
}

enum cw_status cw_compare_table(const struct cw_compare *c, const char *path, enum cw_table_form form,
                                struct cw_error *err)
{
    static const struct cw_table_column column[] = {
        {"graph", CW_TABLE_TEXT},    {"tasks", CW_TABLE_INTEGER},    {"policy", CW_TABLE_TEXT},
        {"makespan", CW_TABLE_REAL}, {"lower_bound", CW_TABLE_REAL}, {"lower_bound_by", CW_TABLE_TEXT},
        {"slr", CW_TABLE_REAL},      {"speedup", CW_TABLE_REAL},     {"efficiency", CW_TABLE_REAL},
        {"nsl", CW_TABLE_REAL},      {"noted", CW_TABLE_INTEGER},    {"platform", CW_TABLE_TEXT},
        {"seed", CW_TABLE_INTEGER},  {"seconds", CW_TABLE_REAL}};
    uint32_t columns = sizeof column / sizeof *column - !c->o->times;
    struct cw_table *t;
    enum cw_status status = cw_table_open(&t, path, form, "compare", column, columns, err);

    for (size_t file = 0; status == CW_OK && file < c->inputs; file++)
        for (size_t k = 0; k < c->policies.count; k++)
            put_row(t, c, file, k);
    return cw_table_close(t, status, err);
}

static void put_cell(struct cw_json_out *j, const struct cw_compare *c, size_t file, size_t policy)
{
    const struct cw_compare_cell *x = cw_compare_cell(c, file, policy);
    const struct cw_json_figure numbers[] = {
        {"makespan", x->makespan}, {"lower_bound", x->bound},     {"slr", x->slr},
        {"speedup", x->speedup},   {"efficiency", x->efficiency}, {"nsl", x->nsl},
        {"noted", x->noted},       {"seconds", x->seconds}};

    cw_json_put_open(j);
    cw_json_put_key(j, "graph");
    cw_json_put_string(j, c->input[file].graph);
    cw_json_put_key(j, "tasks");
    cw_json_put_u64(j, c->tasks[file]);
    cw_json_put_key(j, "policy");
    cw_json_put_string(j, c->policies.label[policy]);
    cw_json_put_key(j, "platform");
    cw_json_put_string(j, c->input[file].platform);
    cw_json_put_key(j, "seed");
    cw_json_put_u64(j, c->input[file].seed);
    cw_json_put_key(j, "lower_bound_by");
    cw_json_put_string(j, cw_plan_bound_kind_name(x->kind));
    cw_json_put_figures(j, numbers, sizeof numbers / sizeof *numbers - !c->o->times);
    cw_json_put_close(j);
}

void cw_compare_json(const struct cw_compare *c, FILE *f)
{
    struct cw_json_out j;

    cw_json_out_init(&j, f);
    cw_json_put_text(&j, "{\"format\": \"clweave-compare\", \"version\": 1, \"results\": [");
    for (size_t file = 0; file < c->inputs; file++)
        for (size_t k = 0; k < c->policies.count; k++) {
            cw_json_put_text(&j, file + k ? ",\n " : "\n ");
            put_cell(&j, c, file, k);
        }
    cw_json_put_text(&j, "]}\n");
    cw_json_out_flush(&j);
}
