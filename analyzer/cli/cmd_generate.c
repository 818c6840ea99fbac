/* cmd_generate.c - clweave generate: abstract task graphs of papers, as files for replay and compare. */
#include <stdlib.h>
#include <string.h>

#include "../../sched/generate.h"
#include "frame/cli.h"
#include "../plan/graph_format.h"

struct generate_options {
    struct cw_generate_options graph;
    const char *out, *format;
    int64_t seed, count;
    bool list;
};

#define OPTION(name_, letter_, kind_, member, argument_, help_)                                              \
    {                                                                                                        \
        .name = name_, .letter = letter_, .kind = kind_,                                                     \
        .offset = offsetof(struct generate_options, member), .argument = argument_, .help = help_            \
    }

static const struct cw_cli_option options[] = {
    OPTION("out", 'o', CW_CLI_STRING, out, "FILE", "write to FILE (default standard output)"),
    {"format", 'f', CW_CLI_CHOICE, offsetof(struct generate_options, format), "FORMAT",
     "json|stg|wfformat|dot", "write this format (default: as the extension says, else json)"},
    OPTION("seed", 's', CW_CLI_INT, seed, "N", "seed of the random numbers (default 0)"),
    OPTION("count", 'n', CW_CLI_INT, count, "N",
           "write N graphs with seeds SEED, SEED + 1, ..., each to FILE with its seed before the extension "
           "(default 1)"),
    OPTION("list", 'l', CW_CLI_BOOL, list, NULL, "list the kinds of graph and the options of each, and stop"),
#define COUNT  CW_CLI_INT
#define NUMBER CW_CLI_DOUBLE
#define CW_GENERATE_OPTION(field, kind, initial, least, most, name, argument, help)                          \
    OPTION(name, 0, kind, graph.field, argument, help),
#include "../../sched/generate_options.inc"
#undef CW_GENERATE_OPTION
#undef COUNT
#undef NUMBER
    CW_CLI_END};

static void print_list(void)
{
    static const char *const names[] = {
#define CW_GENERATE_OPTION(field, kind, initial, least, most, name, argument, help) name,
#include "../../sched/generate_options.inc"
#undef CW_GENERATE_OPTION
    };

    for (size_t k = 0; cw_generators[k]; k++) {
        const struct cw_generator *g = cw_generators[k];
        printf("%-14s %s\n%-14s %s\n%-14s options:", g->name, g->title, "", g->source, "");
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (g->takes >> n & 1)
                printf(" --%s", names[n]);
        puts("");
    }
}

static const struct cw_graph_format *format_of(const struct generate_options *o)
{
    const struct cw_graph_format *format = cw_graph_format_find(o->format, o->out);

    return format ? format : &cw_graph_format_clweave;
}

/* One graph, made and written. */
static enum cw_status generate(const struct cw_generator *generator, const struct generate_options *o,
                               int64_t seed, struct cw_error *err)
{
    struct cw_generate_options g = o->graph;
    struct cw_graph *graph = NULL;
    struct cw_platform *platform = NULL;
    char number[24], *path;
    enum cw_status status;

    snprintf(number, sizeof number, "%lld", (long long)seed);
    path = o->count == 1 ? strdup(o->out) : cw_cli_name_after(o->out, number);
    status = path ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");

    g.seed = (uint64_t)seed;
    if (status == CW_OK)
        status = cw_generate(generator, &g, &graph, &platform, err);
    if (status == CW_OK)
        status = cw_graph_format_write(format_of(o), path,
                                       &(struct cw_graph_output){graph, platform, 1, generator->name}, err);
    cw_graph_destroy(graph);
    cw_platform_destroy(platform);
    free(path);
    return status;
}

static int usage(const struct cw_error *err)
{
    cw_cli_complain("generate: %s", err->text);
    return CW_EXIT_USAGE;
}

static int run(const void *values, int argc, char **argv)
{
    const struct generate_options *o = values;
    const struct cw_generator *generator = NULL;
    struct cw_error err = {0};

    if (o->list) {
        print_list();
        return CW_EXIT_OK;
    }
    if (argc == 0)
        cw_error_set(&err, CW_ERR_INVALID, "which kind of graph? (clweave generate --list)");
    else if (o->seed < 0 || o->count < 1 || o->seed > INT64_MAX - o->count)
        cw_error_set(&err, CW_ERR_INVALID, "--seed takes a number from 0 on, --count from 1 on");
    else if (o->count > 1 && strcmp(o->out, "-") == 0)
        cw_error_set(&err, CW_ERR_INVALID, "--count %lld writes several files: name them with --out",
                     (long long)o->count);
    else
        cw_generator_find(argv[0], &generator, &err);
    if (!generator)
        return usage(&err);
    for (int64_t k = 0; k < o->count; k++)
        if (generate(generator, o, o->seed + k, &err) != CW_OK)
            return err.status == CW_ERR_INVALID ? usage(&err) : cw_cli_fail(&err);
    return CW_EXIT_OK;
}

static const struct generate_options defaults = {
    .graph =
        {
#define CW_GENERATE_OPTION(field, kind, initial, least, most, name, argument, help) .field = initial,
#include "../../sched/generate_options.inc"
#undef CW_GENERATE_OPTION
        },
    .out = "-",
    .count = 1,
};

static const char *const examples[] = {
    "clweave generate cholesky --size 8 --devices 3 -o cholesky.json",
    "a tiled Cholesky factorisation on three unlike devices",
    "clweave generate hxdsp --out-degree 10 --ccr 0.1 --seed 1000 --count 30 -o g.json",
    "thirty random graphs, g-1000.json to g-1029.json", NULL};

const struct cw_command_def cw_cmd_generate = {
    .name = "generate",
    .summary = "make a task graph of a paper, for replay and compare",
    .usage = "[options] KIND",
    .details = "Writes an abstract task graph (format clweave-graph, or as the extension says: .stg, .dot, "
               ".wfformat.json) with "
               "costs for a machine of its own. The same options and seed give the same file everywhere. "
               "--list says which "
               "kinds there are and what each takes.",
    .options = options,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .max_operands = 1,
    .run = run,
};
