/* cmd_compare.c - clweave compare: many graphs under many policies, as a table, CSV, JSON or a picture. */
#include "../io/array.h"
#include "../io/text.h"
#include "../io/output.h"
#include "frame/cli.h"
#include "compare.h"
#include "../farm/farm_command.h"
#include "plan_source.h"
#include "../io/quantity.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Planning many files under many policies with all processors; see compare.h.
 *
 * Threads take pairs of file and policy in the order of the command line. The first that comes to a file
 * reads it and solves its linear programs while others that want it wait; then its plans share it, each
 * thread only reading. When something fails no more pairs are taken: everything before the first failure has
 * been taken already, so the error that is told does not depend on the number of threads. */

struct file {
    pthread_mutex_t lock; /* while it is read */
    struct cw_plan_source source;
    enum cw_status status; /* of reading */
    struct cw_error err;
    bool read;
    size_t left; /* policies that still need it; under the run's lock */
};

struct compare_run {
    struct cw_compare *c;
    pthread_mutex_t lock;
    struct file *file;
    size_t next, done, all; /* pairs */
    size_t failed;          /* the first pair that failed; `all`: none */
    struct cw_error err;
    bool terminal;
    double began, shown;
};

/* Solves the bounds that all plans of the file will ask for, so that afterwards they only read. */
static enum cw_status solve_bounds(const struct cw_compare *c, struct cw_plan_source *s, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    s->bounds.entries_max = cw_plan_bounds_entries(c->o->lp);
    for (size_t k = 0; k < c->policies.count && status == CW_OK; k++) {
        struct cw_plan_bound ignored;
        status = cw_plan_bound_find(&ignored, &s->bounds, &(struct cw_bounds){0}, s->input.graph,
                                    s->input.platform, cw_policy_sharing(&c->policies.config[k]), err);
    }
    return status;
}

/* The file's source; the first thread that needs it reads it. */
static enum cw_status want_file(struct compare_run *r, size_t k, struct cw_error *err)
{
    const struct cw_compare_options *o = r->c->o;
    struct file *f = &r->file[k];

    pthread_mutex_lock(&f->lock);
    if (!f->read) {
        bool drop = o->host_waits && strcmp(o->host_waits, "drop") == 0;
        f->status = cw_plan_source_init(&f->source, r->c->input[k].graph, r->c->input[k].platform, o->dsp,
                                        r->c->processors, NULL, drop, true, &f->err);
        if (f->status == CW_OK)
            f->status = solve_bounds(r->c, &f->source, &f->err);
        if (f->status == CW_OK)
            r->c->tasks[k] = f->source.input.graph->tasks;
        f->read = true;
    }
    if (f->status != CW_OK)
        cw_error_set(err, f->status, "%s", f->err.text);
    pthread_mutex_unlock(&f->lock);
    return f->status;
}

static enum cw_status plan_pair(struct compare_run *r, size_t pair, struct cw_error *err)
{
    struct cw_compare *c = r->c;
    size_t file = pair / c->policies.count, policy = pair % c->policies.count;
    struct cw_error why = {0};
    struct cw_plan_result result;
    struct cw_policy_config config = c->policies.config[policy];
    enum cw_status status = want_file(r, file, err);

    if (status != CW_OK)
        return status;
    config.seed = c->input[file].seed;
    status = cw_plan_result_init(&result, &r->file[file].source.input, c->policies.label[policy], &config,
                                 c->o->check, &why);
    if (status != CW_OK)
        return cw_error_set(err, status, "%s: %s: %s", c->input[file].graph, c->policies.label[policy],
                            why.text);
    c->cell[pair] = (struct cw_compare_cell){
        result.metrics.makespan, result.bound.best,         result.metrics.slr,
        result.metrics.speedup,  result.metrics.efficiency, result.metrics.nsl,
        result.seconds,          result.bound.kind,         *result.schedule->note != '\0'};
    cw_plan_result_finish(&result);
    return CW_OK;
}

/* Under the lock: ten times a second at most. */
static void show_progress(struct compare_run *r)
{
    double t = cw_monotonic_s(), spent = t - r->began;
    char left[60] = "";

    if (!r->terminal || t - r->shown < 0.1)
        return;
    r->shown = t;
    if (spent > 2 && r->done)
        snprintf(left, sizeof left, ", about %.0f s left",
                 spent * (double)(r->all - r->done) / (double)r->done);
    dprintf(STDERR_FILENO, "\r\033[Kcompare: %zu of %zu plans%s", r->done, r->all,
            left); /* stderr takes no controls */
}

static void *work(void *argument)
{
    struct compare_run *r = argument;

    pthread_mutex_lock(&r->lock);
    while (r->next < r->all && r->failed == r->all) {
        size_t pair = r->next++, file = pair / r->c->policies.count;
        struct cw_error err = {0};
        enum cw_status status;
        pthread_mutex_unlock(&r->lock);
        status = plan_pair(r, pair, &err);
        pthread_mutex_lock(&r->lock);
        r->done++;
        if (status != CW_OK && pair < r->failed) {
            r->failed = pair;
            r->err = err;
        }
        if (--r->file[file].left == 0)
            cw_plan_source_release(&r->file[file].source);
        show_progress(r);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static size_t thread_count(const struct compare_run *r)
{
    cpu_set_t set;
    size_t n = r->c->o->jobs > 0                             ? (size_t)r->c->o->jobs
               : r->c->o->times                              ? 1
               : sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set)
                                                             : 1;

    return n < r->all ? n : r->all;
}

static void run_threads(struct compare_run *r)
{
    size_t n = thread_count(r), started = 0;
    pthread_t *thread = n > 1 ? calloc(n - 1, sizeof *thread) : NULL;

    while (thread && started < n - 1 && pthread_create(&thread[started], NULL, work, r) == 0)
        started++;
    work(r);
    for (size_t k = 0; k < started; k++)
        pthread_join(thread[k], NULL);
    free(thread);
}

/* Plans every file under every policy into c->cell and c->tasks, with as many threads as --jobs says
 * (default: as many as processors that the tool may use; one with --times). The result does not depend on how
 * many. Shows progress on stderr when that is a terminal, complains about estimated costs file by file.
 * Errors: of the first file and policy that has one, in the order of the command line. */
static enum cw_status compare_run(struct cw_compare *c, struct cw_error *err)
{
    struct compare_run r = {.c = c,
                            .all = c->inputs * c->policies.count,
                            .terminal = isatty(STDERR_FILENO),
                            .began = cw_monotonic_s()};

    r.failed = r.all;
    r.file = calloc(c->inputs, sizeof *r.file);
    if (!r.file)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %zu files", c->inputs);
    pthread_mutex_init(&r.lock, NULL);
    for (size_t k = 0; k < c->inputs; k++) {
        pthread_mutex_init(&r.file[k].lock, NULL);
        r.file[k].left = c->policies.count;
    }
    run_threads(&r);
    if (r.terminal && r.shown > 0)
        dprintf(STDERR_FILENO, "\r\033[K");
    for (size_t k = 0; k < c->inputs; k++) {
        if (r.failed == r.all)
            cw_plan_source_complain(&r.file[k].source);
        cw_plan_source_finish(&r.file[k].source);
        pthread_mutex_destroy(&r.file[k].lock);
    }
    pthread_mutex_destroy(&r.lock);
    free(r.file);
    return r.failed == r.all ? CW_OK : cw_error_set(err, r.err.status, "%s", r.err.text);
}

#define OPTION(name_, letter_, kind_, member, argument_, choices_, help_)                                    \
    {                                                                                                        \
        .name = name_, .letter = letter_, .kind = kind_,                                                     \
        .offset = offsetof(struct cw_compare_options, member), .argument = argument_, .choices = choices_,   \
        .help = help_                                                                                        \
    }

static const struct cw_cli_option options[] = {
    OPTION("policy", 'p', CW_CLI_LIST, policies, "NAME[:OPTION,...]", NULL,
           "compare this policy (default all); may be given more than once"),
    OPTION("platform", 'P', CW_CLI_LIST, platforms, "NAME|FILE", NULL,
           "plan for this platform (default: the devices of each input); may be given more than once"),
    OPTION("dsp", 0, CW_CLI_INT, dsp, "N", NULL, "number of DSPs of the platform (alone: --platform hxdsp)"),
    OPTION("processors", 'n', CW_CLI_INT, processors, "N", NULL,
           "alike processors for task graphs that name no devices: stg, wfformat, dot (default 4)"),
    OPTION("each", 0, CW_CLI_STRING, each, "FILE", NULL,
           "also compare the graphs that FILE names, one a line; - is standard input"),
    OPTION("out", 'o', CW_CLI_STRING, out, "FILE", NULL,
           "also write a row per graph and policy to FILE: .csv, .json, .jsonl or .sqlite"),
    OPTION("format", 'f', CW_CLI_CHOICE, format, "FORMAT", CW_TABLE_FORMS,
           "write them so (default: as its name ends)"),
    OPTION("csv", 0, CW_CLI_STRING, csv, "FILE", NULL, "the same as CSV ('-': instead of the table)"),
    OPTION("json", 'j', CW_CLI_STRING, json, "FILE", NULL, "the same as one JSON object ('-': likewise)"),
    OPTION("plot", 0, CW_CLI_STRING, plot, "FILE.svg", NULL,
           "draw how far policies are from the best of each graph (or .png; by gnuplot)"),
    OPTION("jobs", 0, CW_CLI_INT, jobs, "N", NULL,
           "plan with N threads (default: one per processor; one with --times)"),
    OPTION("farm", 0, CW_CLI_BOOL, farm, NULL, NULL,
           "plan by a farm: a process per processor, results kept as they come; the same output"),
    OPTION("workers", 'w', CW_CLI_INT, workers, "N", NULL,
           "farm: processes (default: the processors it may use)"),
    OPTION(
        "checkpoint", 0, CW_CLI_STRING, checkpoint, "FILE", NULL,
        "farm: keep results in FILE (default: the name of -o, --csv or --json and .farm, until all is done)"),
    OPTION("resume", 0, CW_CLI_BOOL, resume, NULL, NULL, "farm: go on with the checkpoint when it is there"),
    OPTION("seed", 's', CW_CLI_LIST, seeds, "N", NULL,
           "seed of policies (default 0); may be given more than once"),
    OPTION("check", 0, CW_CLI_BOOL, check, NULL, NULL, "check every rule that a schedule must keep"),
    OPTION("times", 0, CW_CLI_BOOL, times, NULL, NULL, "report the processor time that planning took, too"),
    OPTION("lp", 0, CW_CLI_CHOICE, lp, "auto|on|off", "auto|on|off",
           "lower bounds by linear programming: auto (default) leaves them out for large graphs"),
    OPTION("host-waits", 0, CW_CLI_CHOICE, host_waits, "keep|drop", "keep|drop",
           "of traces: keep (default) or drop the order that the host's waiting imposed"),
    CW_CLI_END};

static enum cw_status write_json(const struct cw_compare *c, const char *path, struct cw_error *err)
{
    struct cw_output out;
    enum cw_status status = cw_output_open(&out, path, 0666, err);

    if (status != CW_OK)
        return status;
    cw_compare_json(c, out.f);
    return cw_output_commit(&out, err);
}

/* ---- the command */

/* Prints the failure, and goes on: the other results have taken long to make. */
static bool is_written(enum cw_status status, const struct cw_error *err)
{
    if (status != CW_OK)
        cw_cli_fail(err);
    return status == CW_OK;
}

static bool is_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* The results in every form that is asked for. False when one of them cannot be had. */
static bool put_results(const struct cw_compare *c)
{
    const char *csv = c->o->csv, *json = c->o->json, *out = c->o->out;
    struct cw_error err = {0};
    bool good = true;

    if (!is_output(csv) && !is_output(json) && !is_output(out))
        cw_compare_print(c);
    if (out)
        good &= is_written(cw_compare_table(c, out, cw_table_form_called(c->o->format), &err), &err);
    if (csv)
        good &= is_written(cw_compare_table(c, csv, CW_TABLE_CSV, &err), &err);
    if (json)
        good &= is_written(write_json(c, json, &err), &err);
    if (c->o->plot)
        good &= is_written(cw_compare_plot(c, c->o->plot, &err), &err);
    return good;
}

static int compare(struct cw_compare *c)
{
    struct cw_error err = {0};
    enum cw_status status = CW_OK;
    int result = CW_EXIT_FAILURE;

    c->cell = calloc(c->inputs * c->policies.count, sizeof *c->cell);
    c->tasks = calloc(c->inputs, sizeof *c->tasks);
    if (!c->cell || !c->tasks)
        status = cw_error_set(&err, CW_ERR_NOMEM, "out of memory");
    if (status == CW_OK && !c->o->farm)
        status = compare_run(c, &err);
    if (status != CW_OK)
        cw_cli_fail(&err);
    else if (c->o->farm)
        result = cw_compare_farm(c, put_results);
    else if (put_results(c))
        result = CW_EXIT_OK;
    free(c->cell);
    free(c->tasks);
    return result;
}

/* Adds a graph for each platform, with each seed; no list: one of the default. */
static bool add_graph(struct cw_compare *c, size_t *capacity, char *graph, const uint64_t *seed)
{
    size_t platforms = c->o->platforms.count, seeds = c->o->seeds.count;

    if (!cw_array_reserve(&c->input, capacity, c->inputs, (platforms + 1) * (seeds + 1), sizeof *c->input))
        return false;
    for (size_t p = 0; p < (platforms ? platforms : 1); p++)
        for (size_t k = 0; k < (seeds ? seeds : 1); k++)
            c->input[c->inputs++] = (struct cw_compare_input){
                graph, platforms ? c->o->platforms.word[p] : NULL, seeds ? seed[k] : 0};
    c->graphs++;
    return true;
}

static enum cw_status read_seeds(const struct cw_compare_options *o, uint64_t *seed, struct cw_error *err)
{
    for (size_t k = 0; k < o->seeds.count; k++) {
        const char *word = o->seeds.word[k];
        char *end;
        errno = 0;
        long long n = strtoll(word, &end, 0);
        if (errno || end == word || *end || n < 0)
            return cw_error_set(err, CW_ERR_INVALID, "compare: --seed takes a whole number from 0 on");
        seed[k] = (uint64_t)n;
    }
    return CW_OK;
}

/* The graphs of the command line, then those of --each, whose text *lines holds. */
static enum cw_status name_graphs(struct cw_compare *c, int argc, char **argv, char **lines,
                                  struct cw_error *err)
{
    uint64_t *seed = calloc(c->o->seeds.count + 1, sizeof *seed);
    struct cw_file_text in = {0};
    size_t capacity = 0;
    bool good = seed != NULL;
    enum cw_status status = good ? read_seeds(c->o, seed, err) : CW_OK;

    if (status == CW_OK && c->o->each) {
        status = cw_file_text_open(&in, is_output(c->o->each) ? "/dev/stdin" : c->o->each, err);
        if (status == CW_OK) {
            good &= (*lines = strndup(in.text, in.length)) != NULL;
            cw_file_text_close(&in);
        }
    }
    for (int k = 0; good && status == CW_OK && k < argc; k++)
        good = add_graph(c, &capacity, argv[k], seed);
    char *line = good && *lines ? strtok(*lines, "\r\n") : NULL;
    for (; line && good; line = strtok(NULL, "\r\n"))
        good = add_graph(c, &capacity, line, seed);
    free(seed);
    if (status != CW_OK)
        return status;
    if (!good)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    return c->inputs ? CW_OK
                     : cw_error_set(err, CW_ERR_INVALID,
                                    "compare: which graphs? name them, or a list of them with --each");
}

static void check_options(const struct cw_compare_options *o, struct cw_error *err)
{
    if (o->dsp < -1)
        cw_error_set(err, CW_ERR_INVALID, "compare: --dsp takes a whole number from 0 on");
    if (o->jobs < 0 || o->jobs > 1024)
        cw_error_set(err, CW_ERR_INVALID, "compare: --jobs takes a number from 1 to 1024");
    if (!cw_cmd_farm_workers(o->workers))
        cw_error_set(err, CW_ERR_INVALID, "compare: --workers is out of its range");
    if (o->farm && o->jobs)
        cw_error_set(err, CW_ERR_INVALID, "compare: --jobs is about threads; --workers is a farm's number");
    if (o->format && !o->out)
        cw_error_set(err, CW_ERR_INVALID, "compare: --format is about the file of -o, which is missing");
    if (!o->farm && (o->workers || o->checkpoint || o->resume))
        cw_error_set(err, CW_ERR_INVALID, "compare: --%s is about a farm: it needs --farm",
                     o->workers  ? "workers"
                     : o->resume ? "resume"
                                 : "checkpoint");
}

static int run(const void *values, int argc, char **argv)
{
    struct cw_compare c = {.o = values};
    struct cw_error err = {0};
    char *lines = NULL;
    int result;

    check_options(c.o, &err);
    if (err.status != CW_OK || cw_plan_processors(c.o->processors, &c.processors, &err) != CW_OK ||
        (c.o->plot && cw_compare_plot_check(c.o->plot, &err) != CW_OK) ||
        cw_policy_args_add(&c.policies, &c.o->policies, "all", 0, &err) != CW_OK) {
        cw_cli_complain("%s", err.text);
        result = CW_EXIT_USAGE;
    } else if (name_graphs(&c, argc, argv, &lines, &err) != CW_OK ||
               (c.o->out && cw_table_check(c.o->out, cw_table_form_called(c.o->format), &err) != CW_OK)) {
        cw_cli_complain("%s", err.text);
        result = err.status == CW_ERR_INVALID ? CW_EXIT_USAGE : CW_EXIT_FAILURE;
    } else {
        result = compare(&c);
    }
    free(c.input);
    free(lines);
    cw_policy_args_finish(&c.policies);
    return result;
}

static const struct cw_compare_options defaults = {.dsp = -1, .processors = -1};

static const char *const examples[] = {
    "clweave compare g-*.json",
    "all policies over many graphs",
    "clweave compare -p heft -p hdgeft:best-k,cross-class --csv results.csv g-*.json",
    "two policies, and every single result in a file",
    "clweave compare --farm --each graphs -p heft -p cpop -o results.sqlite",
    "very many graphs: the names are in a file, and --resume goes on after a stop",
    "clweave compare -p heft -p cpop topcuoglu:tasks=40,ccr=5,seed=1 topcuoglu:tasks=40,ccr=5,seed=2",
    "graphs that are generated when they are needed",
    "clweave compare --processors 8 --plot out.svg rand*.stg",
    "Standard Task Graphs on eight processors, and a picture",
    NULL};

static const char *const output[] = {
    "policy",  "as asked for; every figure is a mean over the graphs",
    "SLR",     "schedule length ratio: makespan over the least times along the critical path",
    "speedup", "time of all on the best single device over makespan",
    "/ best",  "makespan over that of the best of these policies for the graph; worst: the largest of these",
    "best in", "graphs for which the policy is the best, or as good",
    "/ bound", "makespan over the lower bound for its way of sharing tasks",
    "seconds", "--times: processor time of planning a graph",
    NULL,
};

const struct cw_command_def cw_cmd_compare = {
    .name = "compare",
    .summary = "compare policies over many task graphs and traces",
    .usage = "[options] GRAPH...",
    .details =
        "Plans every graph under every policy, for every platform and seed that is named: files (traces or "
        "task graphs: clweave-graph, STG, WfFormat, "
        "DOT), and KIND:OPTION=VALUE,... for graphs that `clweave generate KIND` makes. The table has a row "
        "per policy. Graphs are planned on all processors at once; what is printed "
        "does not depend on how many there are. With --farm processes do it, a crash or a stop loses no "
        "results, and --resume goes on.\n\n"
        "The columns of -o and --csv: graph, tasks (their number), policy, makespan, lower_bound, "
        "lower_bound_by (the way in which it was found), slr (makespan over the least times along the "
        "critical path), speedup (over the best single device), efficiency (speedup over devices), nsl "
        "(makespan over the critical path's time on its best device), noted (1: the plan came with a note), "
        "platform (as named), seed, "
        "and with --times seconds. A SQLite database has them in the table `compare`.",
    .options = options,
    .output = output,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .max_operands = -1,
    .run = run,
};
