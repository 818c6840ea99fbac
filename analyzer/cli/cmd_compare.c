/* cmd_compare.c - clweave compare: many graphs under many policies, as a table, CSV or JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "../io/json_out.h"
#include "../io/output.h"
#include "plan_source.h"
#include "policy_args.h"

struct compare_options {
    struct cw_cli_list policies;
    const char *platform, *host_waits, *csv, *json, *lp;
    int64_t dsp, seed;
    bool check, times;
};

#define OPTION(name_, letter_, kind_, member, argument_, choices_, help_)                                    \
    {                                                                                                        \
        .name = name_, .letter = letter_, .kind = kind_, .offset = offsetof(struct compare_options, member), \
        .argument = argument_, .choices = choices_, .help = help_                                            \
    }

static const struct cw_cli_option options[] = {
    OPTION("policy", 'p', CW_CLI_LIST, policies, "NAME[:OPTION,...]", NULL,
           "compare this policy (default all); may be given more than once"),
    OPTION("platform", 'P', CW_CLI_STRING, platform, "NAME|FILE", NULL,
           "plan for this platform (default: the devices of each input)"),
    OPTION("dsp", 0, CW_CLI_INT, dsp, "N", NULL, "number of DSPs of the platform (alone: --platform hxdsp)"),
    OPTION("csv", 0, CW_CLI_STRING, csv, "FILE", NULL,
           "also write one line per graph and policy ('-': instead of the table)"),
    OPTION("json", 'j', CW_CLI_STRING, json, "FILE", NULL, "the same as JSON"),
    OPTION("seed", 's', CW_CLI_INT, seed, "N", NULL, "seed of policies (default 0)"),
    OPTION("check", 0, CW_CLI_BOOL, check, NULL, NULL, "check every rule that a schedule must keep"),
    OPTION("times", 0, CW_CLI_BOOL, times, NULL, NULL, "report how long planning took, too"),
    OPTION("lp", 0, CW_CLI_CHOICE, lp, "auto|on|off", "auto|on|off",
           "lower bounds by linear programming: auto (default) leaves them out for large graphs"),
    OPTION("host-waits", 0, CW_CLI_CHOICE, host_waits, "keep|drop", "keep|drop",
           "of traces: keep (default) or drop the order that the host's waiting imposed"),
    CW_CLI_END};

/* One cell: a graph under a policy. */
struct cell {
    double makespan, bound, slr, speedup, efficiency, seconds;
    enum cw_bound_kind kind; /* of the bound */
    bool noted;              /* the schedule came with a note */
};

struct compare {
    const struct compare_options *o;
    struct cw_policy_args policies;
    char **file;
    uint32_t *tasks; /* per file */
    size_t files;
    struct cell *cell; /* files x policies */
};

static const struct cell *cell_of(const struct compare *c, size_t file, size_t policy)
{
    return &c->cell[file * c->policies.count + policy];
}

/* ---- planning */

static enum cw_status plan_file(struct compare *c, size_t file, struct cw_error *err)
{
    const struct compare_options *o = c->o;
    struct cw_plan_source source;
    enum cw_status status =
        cw_plan_source_init(&source, c->file[file], o->platform, o->dsp,
                            o->host_waits && strcmp(o->host_waits, "drop") == 0, true, err);

    source.bounds.entries_max = cw_plan_bounds_entries(o->lp);
    for (size_t k = 0; k < c->policies.count && status == CW_OK; k++) {
        struct cw_error why = {0};
        struct cw_plan_result r;
        status = cw_plan_result_init(&r, &source.input, c->policies.label[k], &c->policies.config[k],
                                     o->check, &why);
        if (status != CW_OK) {
            cw_error_set(err, status, "%s: %s: %s", c->file[file], c->policies.label[k], why.text);
            break;
        }
        c->cell[file * c->policies.count + k] =
            (struct cell){r.metrics.makespan,   r.bound.best, r.metrics.slr, r.metrics.speedup,
                          r.metrics.efficiency, r.seconds,    r.bound.kind,  *r.schedule->note != '\0'};
        cw_plan_result_finish(&r);
    }
    c->tasks[file] = status == CW_OK ? source.input.graph->tasks : 0;
    cw_plan_source_finish(&source);
    return status;
}

static double best_of(const struct compare *c, size_t file)
{
    double best = INFINITY;

    for (size_t k = 0; k < c->policies.count; k++)
        best = fmin(best, cell_of(c, file, k)->makespan);
    return best;
}

/* ---- the table: a row per policy */

struct row {
    double slr, speedup, ratio, worst, over,
        seconds; /* means over the graphs where they are defined; ratio to the best, over the lower bound */
    size_t slrs, speedups, overs, best, noted;
};

static struct row sum_up(const struct compare *c, size_t policy)
{
    struct row r = {.worst = 1};

    for (size_t file = 0; file < c->files; file++) {
        const struct cell *x = cell_of(c, file, policy);
        double best = best_of(c, file), ratio = best > 0 ? x->makespan / best : 1;
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
        r.ratio += ratio / (double)c->files;
        r.worst = fmax(r.worst, ratio);
        r.seconds += x->seconds;
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

static void print_table(const struct compare *c)
{
    int width = 8;
    size_t noted = 0;
    char a[32], b[32], d[32];

    for (size_t k = 0; k < c->policies.count; k++)
        width = (int)strlen(c->policies.label[k]) > width ? (int)strlen(c->policies.label[k]) : width;
    printf("%zu graph%s, %zu polic%s; means over graphs\n\n", c->files, c->files == 1 ? "" : "s",
           c->policies.count, c->policies.count == 1 ? "y" : "ies");
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

/* ---- one line per graph and policy */

static void csv_text(FILE *f, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (; *text; text++)
        fprintf(f, *text == '"' ? "\"%c" : "%c", *text);
    fputc('"', f);
}

static void csv_number(FILE *f, double x)
{
    if (!isnan(x))
        fprintf(f, ",%.17g", x);
    else
        fputc(',', f);
}

static void put_csv(const struct compare *c, FILE *f)
{
    fprintf(f, "graph,tasks,policy,makespan,lower_bound,lower_bound_by,slr,speedup,efficiency%s\n",
            c->o->times ? ",seconds" : "");
    for (size_t file = 0; file < c->files; file++)
        for (size_t k = 0; k < c->policies.count; k++) {
            const struct cell *x = cell_of(c, file, k);
            csv_text(f, c->file[file]);
            fprintf(f, ",%u,", c->tasks[file]);
            csv_text(f, c->policies.label[k]);
            csv_number(f, x->makespan);
            csv_number(f, x->bound);
            fprintf(f, ",%s", cw_bound_kind_name(x->kind));
            csv_number(f, x->slr);
            csv_number(f, x->speedup);
            csv_number(f, x->efficiency);
            if (c->o->times)
                csv_number(f, x->seconds);
            fputc('\n', f);
        }
}

static void put_cell(struct cw_json_out *j, const struct compare *c, size_t file, size_t policy)
{
    const struct cell *x = cell_of(c, file, policy);
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"makespan", x->makespan}, {"lower_bound", x->bound},     {"slr", x->slr},
                   {"speedup", x->speedup},   {"efficiency", x->efficiency}, {"seconds", x->seconds}};

    cw_json_put_open(j);
    cw_json_put_key(j, "graph");
    cw_json_put_string(j, c->file[file]);
    cw_json_put_key(j, "tasks");
    cw_json_put_u64(j, c->tasks[file]);
    cw_json_put_key(j, "policy");
    cw_json_put_string(j, c->policies.label[policy]);
    cw_json_put_key(j, "lower_bound_by");
    cw_json_put_string(j, cw_bound_kind_name(x->kind));
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers - !c->o->times; k++) {
        cw_json_put_key(j, numbers[k].key);
        cw_json_put_double(j, numbers[k].value);
    }
    cw_json_put_close(j);
}

static void put_json(const struct compare *c, FILE *f)
{
    struct cw_json_out j;

    cw_json_out_init(&j, f);
    cw_json_put_text(&j, "{\"format\": \"clweave-compare\", \"version\": 1, \"results\": [");
    for (size_t file = 0; file < c->files; file++)
        for (size_t k = 0; k < c->policies.count; k++) {
            cw_json_put_text(&j, file + k ? ",\n " : "\n ");
            put_cell(&j, c, file, k);
        }
    cw_json_put_text(&j, "]}\n");
    cw_json_out_flush(&j);
}

static enum cw_status write_file(const struct compare *c, const char *path,
                                 void (*put)(const struct compare *c, FILE *f), struct cw_error *err)
{
    struct cw_output out;
    enum cw_status status = cw_output_open(&out, path, 0666, err);

    if (status != CW_OK)
        return status;
    put(c, out.f);
    return cw_output_commit(&out, err);
}

/* ---- the command */

static enum cw_status compare(struct compare *c, struct cw_error *err)
{
    bool shown = false;
    enum cw_status status = CW_OK;

    c->cell = calloc(c->files * c->policies.count, sizeof *c->cell);
    c->tasks = calloc(c->files, sizeof *c->tasks);
    if (!c->cell || !c->tasks)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (size_t file = 0; file < c->files && status == CW_OK; file++)
        status = plan_file(c, file, err);
    if (status == CW_OK && c->o->csv) {
        status = write_file(c, c->o->csv, put_csv, err);
        shown |= strcmp(c->o->csv, "-") == 0;
    }
    if (status == CW_OK && c->o->json) {
        status = write_file(c, c->o->json, put_json, err);
        shown |= strcmp(c->o->json, "-") == 0;
    }
    if (status == CW_OK && !shown)
        print_table(c);
    free(c->cell);
    free(c->tasks);
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    struct compare c = {.o = values, .file = argv, .files = (size_t)argc};
    struct cw_error err = {0};

    if (c.o->dsp < -1 || c.o->seed < 0)
        cw_error_set(&err, CW_ERR_INVALID, "compare: --%s takes a whole number from 0 on",
                     c.o->dsp < -1 ? "dsp" : "seed");
    if (err.status != CW_OK ||
        cw_policy_args_add(&c.policies, &c.o->policies, "all", c.o->seed, &err) != CW_OK) {
        cw_cli_complain("%s", err.text);
        return CW_EXIT_USAGE;
    }
    return compare(&c, &err) == CW_OK ? CW_EXIT_OK : cw_cli_fail(&err);
}

static const struct compare_options defaults = {.dsp = -1};

static const char *const examples[] = {
    "clweave compare g-*.json", "all policies over many graphs",
    "clweave compare -p heft -p hdgeft:best-k,cross-class --csv results.csv g-*.json",
    "two policies, and every single result in a file", NULL};

const struct cw_command_def cw_cmd_compare = {
    .name = "compare",
    .summary = "compare policies over many task graphs and traces",
    .usage = "[options] FILE...",
    .details =
        "Plans every file (trace or abstract graph) under every policy. The table has a row per policy: mean "
        "schedule length ratio and speedup, mean and worst of makespan over that of the best policy for the "
        "graph, the number of graphs for which it is the best or as good, and mean makespan over the lower "
        "bound for its way of sharing tasks.",
    .options = options,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 1,
    .max_operands = -1,
    .run = run,
};
