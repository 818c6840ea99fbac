/* cmd_simulate.c - clweave simulate: plans in a world where costs vary, links are shared and devices die. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../sched/simulate.h"
#include "../io/json_out.h"
#include "frame/cli.h"
#include "plan_source.h"

struct simulate_options {
    struct cw_cli_list policies;
    const char *platform, *host_waits;
    int64_t dsp, processors, seed, runs;
    double noise, mtbf;
    bool contention, json;
};

#define OPTION(name_, letter_, kind_, member, argument_, choices_, help_)                                    \
    {                                                                                                        \
        .name = name_, .letter = letter_, .kind = kind_,                                                     \
        .offset = offsetof(struct simulate_options, member), .argument = argument_, .choices = choices_,     \
        .help = help_                                                                                        \
    }

static const struct cw_cli_option options[] = {
    OPTION("policy", 'p', CW_CLI_LIST, policies, "NAME[:OPTION,...]", NULL,
           "simulate this policy (default weave); may be given more than once; 'all' means every policy"),
    OPTION("platform", 'P', CW_CLI_STRING, platform, "NAME|FILE", NULL,
           "plan for this platform (default: the devices of the input)"),
    OPTION("dsp", 0, CW_CLI_INT, dsp, "N", NULL, "number of DSPs of the platform (alone: --platform hxdsp)"),
    OPTION("processors", 'n', CW_CLI_INT, processors, "N", NULL,
           "alike processors for task graphs that name no devices: stg, wfformat, dot (default 4)"),
    OPTION("noise", 0, CW_CLI_DOUBLE, noise, "X", NULL,
           "how far costs are from the planned ones: each by a factor of 1 - X to 1 + X (default 0.2)"),
    OPTION("contention", 0, CW_CLI_BOOL, contention, NULL, NULL,
           "one transfer at a time from one memory to another (default: as many as there are)"),
    OPTION("mtbf", 0, CW_CLI_DOUBLE, mtbf, "TIME", NULL,
           "mean time until a device dies, in the graph's unit, ns for traces (default 0: never)"),
    OPTION("runs", 'r', CW_CLI_INT, runs, "N", NULL,
           "simulate N times, with seeds one after the other (default 20)"),
    OPTION("seed", 's', CW_CLI_INT, seed, "N", NULL, "seed of policies and of the first run (default 0)"),
    OPTION("json", 'j', CW_CLI_BOOL, json, NULL, NULL, "print the results as JSON"),
    OPTION("host-waits", 0, CW_CLI_CHOICE, host_waits, "keep|drop", "keep|drop",
           "of traces: keep (default) or drop the order that the host's waiting imposed"),
    CW_CLI_END};

/* All runs of one policy: means over those that came to an end. */
struct row {
    double planned, bound, mean, deviation, least, worst, waited, failures, moved, lost;
    uint32_t ended;
};

struct simulation {
    const struct simulate_options *o;
    struct cw_plan_source source;
    struct cw_policy_args policies;
    struct row *row; /* per policy */
};

/* Adds `r` to the sums; mean and deviation hold sums until finish_row. */
static void add(struct row *row, const struct cw_simulate_result *r)
{
    row->mean += r->makespan;
    row->deviation += r->makespan * r->makespan;
    row->least = row->ended ? fmin(row->least, r->makespan) : r->makespan;
    row->worst = fmax(row->worst, r->makespan);
    row->waited += r->waited;
    row->failures += r->failures;
    row->moved += r->moved;
    row->lost += r->lost;
    row->ended++;
}

static void finish_row(struct row *row)
{
    double *mean[] = {&row->mean, &row->deviation, &row->waited, &row->failures, &row->moved, &row->lost};

    for (size_t k = 0; k < sizeof mean / sizeof *mean; k++)
        *mean[k] /= row->ended; /* NAN when no run came to an end */
    row->deviation = sqrt(fmax(0, row->deviation - row->mean * row->mean));
    if (row->ended == 0)
        row->least = row->worst = NAN;
}

/* A run without an end (every device that could go on has died) is counted, not an error. */
static enum cw_status simulate(struct simulation *s, size_t policy, struct cw_error *err)
{
    const struct cw_plan_input *in = &s->source.input;
    struct cw_policy_config config = s->policies.config[policy];
    struct cw_simulate_options world = {s->o->noise, s->o->contention, s->o->mtbf, 0};
    struct cw_plan_result plan = {0};
    struct row *row = &s->row[policy];
    enum cw_status status = cw_plan_result_init(&plan, in, s->policies.label[policy], &config, false, err);

    if (status == CW_OK)
        row->planned = plan.metrics.makespan, row->bound = plan.bound.best;
    for (int64_t k = 0; k < s->o->runs && status == CW_OK; k++) {
        struct cw_simulate_result r;
        config.seed = world.seed = (uint64_t)(s->o->seed + k);
        status = cw_simulate_policy(&config, plan.schedule, in->graph, in->platform, &world, &r, err);
        if (status == CW_OK)
            add(row, &r);
        else if (status == CW_ERR_INFEASIBLE)
            status = CW_OK;
    }
    finish_row(row);
    cw_plan_result_finish(&plan);
    return status;
}

/* ---- output */

static void print_json(const struct simulation *s)
{
    struct cw_json_out o;

    cw_json_out_init(&o, stdout);
    cw_json_put_open(&o);
    cw_json_put_key(&o, "file");
    cw_json_put_string(&o, s->source.input.file);
    cw_json_put_figures(&o,
                        (struct cw_json_figure[]){{"runs", (double)s->o->runs},
                                                  {"noise", s->o->noise},
                                                  {"contention", s->o->contention},
                                                  {"mtbf", s->o->mtbf},
                                                  {"seed", (double)s->o->seed}},
                        5);
    cw_json_put_key(&o, "policies");
    cw_json_put_char(&o, '[');
    for (size_t k = 0; k < s->policies.count; k++) {
        const struct row *r = &s->row[k];
        cw_json_put_text(&o, k ? "," : "");
        cw_json_put_open(&o);
        cw_json_put_key(&o, "policy");
        cw_json_put_string(&o, s->policies.label[k]);
        cw_json_put_figures(&o,
                            (struct cw_json_figure[]){{"lower_bound", r->bound},
                                                      {"planned", r->planned},
                                                      {"mean", r->mean},
                                                      {"deviation", r->deviation},
                                                      {"least", r->least},
                                                      {"worst", r->worst},
                                                      {"waited", r->waited},
                                                      {"failures", r->failures},
                                                      {"moved", r->moved},
                                                      {"lost", r->lost},
                                                      {"ended", r->ended}},
                            11);
        cw_json_put_close(&o);
    }
    cw_json_put_text(&o, "]");
    cw_json_put_close(&o);
    cw_json_put_char(&o, '\n');
    cw_json_out_flush(&o);
}

static const char *ratio(double x, char *text, size_t size)
{
    if (isnan(x))
        return "-";
    snprintf(text, size, "%.3f", x);
    return text;
}

static void print_head(const struct simulation *s, char *text, size_t size)
{
    const struct cw_plan_input *in = &s->source.input;

    printf("%s: %u %s, %u device%s; %lld run%s: costs +-%g %%, links %s", in->file, cw_plan_work_tasks(in),
           in->trace ? "commands" : "tasks", in->platform->devices, in->platform->devices == 1 ? "" : "s",
           (long long)s->o->runs, s->o->runs == 1 ? "" : "s", 100 * s->o->noise,
           s->o->contention ? "shared" : "free");
    if (s->o->mtbf > 0)
        printf(", a device dies after %s", cw_plan_time(in, s->o->mtbf, s->o->mtbf, text, size));
    puts("\n");
}

static void print_table(const struct simulation *s)
{
    const struct cw_plan_input *in = &s->source.input;
    char a[32], b[32], c[32], d[32], e[32], f[32], g[32];
    int width = 8;
    uint32_t lost = 0;

    for (size_t k = 0; k < s->policies.count; k++)
        width = (int)strlen(s->policies.label[k]) > width ? (int)strlen(s->policies.label[k]) : width;
    print_head(s, a, sizeof a);
    printf("%-*s  %11s  %11s  %11s  %11s  %9s  %11s  %6s  %6s  %11s\n", width, "policy", "lower bound",
           "planned", "mean", "worst", "/ planned", "waited", "deaths", "moved", "lost");
    for (size_t k = 0; k < s->policies.count; k++) {
        const struct row *r = &s->row[k];
        double like = s->row[0].planned;
        printf("%-*s  %11s  %11s  %11s  %11s  %9s  %11s  %6s  %6s  %11s%s\n", width, s->policies.label[k],
               cw_plan_time(in, r->bound, like, g, sizeof g), cw_plan_time(in, r->planned, like, a, sizeof a),
               r->ended ? cw_plan_time(in, r->mean, like, b, sizeof b) : "-",
               r->ended ? cw_plan_time(in, r->worst, like, c, sizeof c) : "-",
               ratio(r->mean / r->planned, d, sizeof d),
               r->ended ? cw_plan_time(in, r->waited, like, e, sizeof e) : "-",
               ratio(r->failures, (char[32]){0}, 32), ratio(r->moved, (char[32]){0}, 32),
               r->ended ? cw_plan_time(in, r->lost, like, f, sizeof f) : "-",
               r->ended < s->o->runs ? " *" : "");
        lost += (uint32_t)s->o->runs - r->ended;
    }
    if (lost)
        printf("\n* %u runs had no end: every device that could go on had died; the others are counted\n",
               lost);
}

/* ---- the command */

static enum cw_status check(const struct simulate_options *o, struct cw_error *err)
{
    if (o->runs < 1 || o->runs > 1000000)
        return cw_error_set(err, CW_ERR_INVALID, "simulate: --runs takes a whole number from 1 to 1000000");
    if (o->seed < 0 || o->dsp < -1)
        return cw_error_set(err, CW_ERR_INVALID, "simulate: --%s takes a whole number from 0 on",
                            o->seed < 0 ? "seed" : "dsp");
    if (!(o->noise >= 0 && o->noise < 1))
        return cw_error_set(err, CW_ERR_INVALID, "simulate: --noise takes a number from 0 to below 1");
    if (o->mtbf < 0)
        return cw_error_set(err, CW_ERR_INVALID, "simulate: --mtbf takes a time, or 0 for no failures");
    return CW_OK;
}

static enum cw_status simulate_file(struct simulation *s, const char *path, uint32_t processors,
                                    struct cw_error *err)
{
    const struct simulate_options *o = s->o;
    bool drop = o->host_waits && strcmp(o->host_waits, "drop") == 0;
    enum cw_status status =
        cw_plan_source_init(&s->source, path, o->platform, o->dsp, processors, NULL, drop, true, err);

    if (status == CW_OK) {
        cw_plan_source_complain(&s->source);
        s->source.bounds.entries_max = cw_plan_bounds_entries(NULL);
        s->row = calloc(s->policies.count, sizeof *s->row);
        status = s->row ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    }
    for (size_t k = 0; k < s->policies.count && status == CW_OK; k++)
        status = simulate(s, k, err);
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    struct simulation s = {.o = values};
    struct cw_error err = {0};
    uint32_t processors;
    enum cw_status status;

    (void)argc;
    if (check(s.o, &err) != CW_OK || cw_plan_processors(s.o->processors, &processors, &err) != CW_OK ||
        cw_policy_args_add(&s.policies, &s.o->policies, "weave", s.o->seed, &err) != CW_OK) {
        cw_cli_complain("%s", err.text);
        cw_policy_args_finish(&s.policies);
        return CW_EXIT_USAGE;
    }
    status = simulate_file(&s, argv[0], processors, &err);
    if (status == CW_OK && s.o->json)
        print_json(&s);
    else if (status == CW_OK)
        print_table(&s);
    free(s.row);
    cw_policy_args_finish(&s.policies);
    cw_plan_source_finish(&s.source);
    return status == CW_OK ? CW_EXIT_OK : cw_cli_fail(&err);
}

static const struct simulate_options defaults = {.dsp = -1, .processors = -1, .noise = 0.2, .runs = 20};

static const char *const examples[] = {
    "clweave simulate -p heft -p weave -p dmda --noise 0.5 graph.json",
    "plans made before against decisions at run time, where costs are not known well",
    "clweave simulate -p heft --noise 0 --contention graph.json",
    "the cost of shared links",
    "clweave simulate -p hdgeft -p ws --mtbf 500 --runs 100 graph.json",
    "devices that die for good after 500 units in the mean",
    NULL};

static const char *const output[] = {
    "policy",      "as asked for, with its options",
    "lower bound", "of any plan, by planned costs",
    "planned",     "makespan of the plan",
    "mean, worst", "makespan of the runs; / planned: mean over planned",
    "waited",      "time that transfers waited for links, all together, per run",
    "deaths",      "devices that died, per run",
    "moved",       "commands or tasks that ran on another device than planned, per run",
    "lost",        "time of devices for work that a death made vain, per run",
    NULL,
};

const struct cw_command_def cw_cmd_simulate = {
    .name = "simulate",
    .summary = "simulate plans where costs vary, links are shared and devices die",
    .usage = "[options] FILE",
    .details =
        "Plans FILE (trace or task graph) and lets it happen in a less orderly world, --runs times. Plans "
        "keep their "
        "decisions: each task on its devices, in the order of planned starts; dynamic policies decide anew "
        "while it "
        "happens, by planned costs and what they have seen. A device that dies loses what it runs; that and "
        "what it had "
        "still to do runs on the device that can finish it first, or is ready again for a dynamic policy. "
        "The same seed "
        "gives the same.",
    .options = options,
    .output = output,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
