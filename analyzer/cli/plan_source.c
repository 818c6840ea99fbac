#include "plan_source.h"
#include "frame/cli.h"
#include "traces.h"
#include "../plan/graph_format.h"
#include "../graph/graph_build.h"
#include "../graph/trace_read.h"
#include "../../sched/whole.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cw_generator *generator_of(const char *text)
{
    size_t n = strcspn(text, ":");

    for (size_t k = 0; cw_generators[k]; k++)
        if (strlen(cw_generators[k]->name) == n && !strncmp(cw_generators[k]->name, text, n))
            return cw_generators[k];
    return NULL;
}

/* Whether `text` begins as such a name does, and no file has it. */
static bool graph_made_is(const char *text)
{
    return strchr(text, ':') && generator_of(text) && access(text, F_OK) < 0;
}

/* The number of `n` bytes, which must be one that `whole` allows. */
static bool parse(const char *text, size_t n, bool whole, double *number)
{
    char copy[40], *end;

    if (n == 0 || n >= sizeof copy || !strchr("0123456789.", *text))
        return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    *number = strtod(copy, &end);
    return !*end && (!whole || cw_whole_is(*number, 0x1p53));
}

/* One OPTION=VALUE of n bytes. */
static bool set_option(struct cw_generate_options *o, const char *text, size_t n)
{
    const char *equals = memchr(text, '=', n);
    size_t name = equals ? (size_t)(equals - text) : n;
    double x;

    if (!equals)
        return false;
    if (name == 4 && !strncmp(text, "seed", 4)) {
        bool good = parse(equals + 1, n - name - 1, true, &x);
        o->seed = good ? (uint64_t)x : 0;
        return good;
    }
#define COUNT  true
#define NUMBER false
#define CW_GENERATE_OPTION(field, kind, initial, least, most, word, argument, help)                          \
    if (strlen(word) == name && !strncmp(word, text, name)) {                                                \
        if (!parse(equals + 1, n - name - 1, kind, &x) || !(x >= (least) && x <= (most)))                    \
            return false;                                                                                    \
        o->field = x;                                                                                        \
        return true;                                                                                         \
    }
#include "../../sched/generate_options.inc"
#undef CW_GENERATE_OPTION
#undef COUNT
#undef NUMBER
    return false;
}

/* Makes the graph; both results are the caller's, NULL on failure. CW_ERR_INVALID: an option that there is
 * not, or its value; those of cw_generate(). */
static enum cw_status graph_made(const char *text, struct cw_graph **graph, struct cw_platform **platform,
                                 struct cw_error *err)
{
    const struct cw_generator *generator = generator_of(text);
    struct cw_generate_options o = cw_generate_defaults;
    const char *p = text + strlen(generator->name);
    struct cw_error why = {0};
    enum cw_status status;

    *graph = NULL;
    *platform = NULL;
    for (p += *p == ':'; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ','))
        if (!set_option(&o, p, strcspn(p, ",")))
            return cw_error_set(err, CW_ERR_INVALID,
                                "%s: \"%.*s\" is no option with a value that it may have (clweave generate "
                                "--help)",
                                text, (int)strcspn(p, ","), p);
    status = cw_generate(generator, &o, graph, platform, &why);
    return status == CW_OK ? CW_OK : cw_error_set(err, status, "%s: %s", text, why.text);
}

/* `format` NULL: a graph to be made. */
static enum cw_status load_graph(struct cw_plan_source *s, const struct cw_graph_format *format,
                                 const char *path, uint32_t processors, struct cw_error *err)
{
    enum cw_status status = format ? format->read(path, processors, &s->graph, &s->platform, err)
                                   : graph_made(path, &s->graph, &s->platform, err);

    s->input.graph = s->graph;
    s->input.platform = s->platform;
    if (status == CW_OK && s->model) {
        struct cw_graph *moved;
        struct cw_error why = {0};
        status = cw_plan_graph_retarget(s->graph, s->platform, s->model, &moved, &why);
        cw_graph_destroy(s->graph);
        s->input.graph = s->graph = moved;
        s->input.platform = cw_platform_model_platform(s->model);
        if (status != CW_OK)
            cw_error_set(err, status, "%s: %s", path, why.text);
    }
    return status;
}

static bool by_operations(const struct cw_platform_model *m)
{
    bool any = false;

    for (uint32_t d = 0; m && d < cw_platform_model_platform(m)->devices; d++)
        any |= cw_platform_model_by_operations(m, d);
    return any;
}

/* Another trace of the program: the times of its launches. */
static enum cw_status add_past_trace(struct cw_plan_past *past, const char *path, struct cw_error *err)
{
    struct cw_launch_parts *parts = NULL;
    struct cw_trace_reach reach = {0};
    struct cw_trace t;
    enum cw_status status;

    cw_trace_init(&t);
    status = cw_trace_load(&t, path, err);
    if (status == CW_OK)
        status = cw_footprints_reach(&reach, &t, err);
    if (status == CW_OK && !(parts = cw_launch_parts_create(&t, &reach)))
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    if (status == CW_OK && cw_plan_past_add_trace(past, &t, parts) == 0)
        status =
            cw_error_set(err, CW_ERR_INVALID,
                         "%s: no launch has a device time (record with clweave trace --device-times)", path);
    cw_launch_parts_destroy(parts);
    cw_trace_reach_finish(&reach);
    cw_trace_finish(&t);
    return status;
}

static enum cw_status load_past(const struct cw_cli_list *files, struct cw_plan_past **past,
                                struct cw_error *err)
{
    enum cw_status status = CW_OK;

    *past = cw_plan_past_create();
    if (!*past)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a history");
    for (size_t k = 0; k < files->count && status == CW_OK; k++)
        status = cw_plan_past_is_history(files->word[k])
                     ? cw_plan_past_add_history(*past, files->word[k], err)
                     : add_past_trace(*past, files->word[k], err);
    return status;
}

/* With models and history, as far as they are wanted and there. */
static enum cw_status make_graph(struct cw_plan_source *s, const struct cw_plan_source_known *given,
                                 bool drop_waits, struct cw_error *err)
{
    bool past = given && given->history && given->history->count, as_run = given && given->as_run;
    struct cw_trace_reach reach = {0};
    struct cw_plan_known known = {.as_run = as_run};
    enum cw_status status = CW_OK;

    if (as_run || past || by_operations(s->model)) {
        status = cw_footprints_reach(&reach, &s->trace, err);
        if (status == CW_OK && !reach.analysed)
            cw_cli_complain("%s: no models of its kernels: %s", s->input.file,
                            reach.missing.status ? reach.missing.text : "no sources are recorded");
        known.reach = &reach;
    }
    if (status == CW_OK && past)
        status = load_past(given->history, &known.past, err);
    if (status == CW_OK)
        status = cw_plan_graph_init(&s->plan_graph, &s->trace, s->model, &known, drop_waits, err);
    cw_plan_past_destroy(known.past);
    cw_trace_reach_finish(&reach);
    return status;
}

static enum cw_status load_trace(struct cw_plan_source *s, const char *path,
                                 const struct cw_plan_source_known *known, bool drop_waits, bool plan,
                                 struct cw_error *err)
{
    struct cw_error why = {0};
    enum cw_status status = cw_footprints_load(&s->trace, path, err);

    s->is_trace = true;
    if (status == CW_OK && known && known->versions > 1)
        status = cw_versions_apply(&s->trace, known->versions, err);
    if (status == CW_OK && known && known->part)
        status = cw_selection_apply(&s->trace, known->part, err);
    if (status != CW_OK || !plan)
        return status;
    if (s->model)
        cw_platform_model_divide_kernels(s->model);
    status = make_graph(s, known, drop_waits, &why);
    if (status != CW_OK)
        return cw_error_set(err, status, "%s: %s", path, why.text);
    s->input.trace = &s->trace;
    s->input.graph = s->plan_graph.graph;
    s->input.work = s->plan_graph.work;
    s->input.platform = s->model ? cw_platform_model_platform(s->model) : s->plan_graph.platform;
    s->estimated = s->plan_graph.estimated;
    s->commands = s->plan_graph.commands;
    return CW_OK;
}

void cw_plan_source_complain(const struct cw_plan_source *s)
{
    if (s->estimated)
        cw_cli_complain(
            "%s: %u of %u commands have no recorded device time; their costs are estimates (record with "
            "clweave trace --device-times)",
            s->input.file, s->estimated, s->commands);
}

enum cw_status cw_plan_source_init(struct cw_plan_source *s, const char *path, const char *platform,
                                   int64_t dsp, uint32_t processors, const struct cw_plan_source_known *known,
                                   bool drop_waits, bool plan, struct cw_error *err)
{
    const struct cw_graph_format *format = cw_graph_format_probe(path);
    bool graph = format || graph_made_is(path);
    enum cw_status status = CW_OK;

    *s = (struct cw_plan_source){0};
    cw_trace_init(&s->trace);
    platform = platform ? platform : dsp >= 0 ? "hxdsp" : NULL;
    s->input.file = path;
    s->input.platform_name = platform;
    s->input.bounds = &s->bounds;
    if (platform)
        status = cw_platform_model_load(platform, dsp, &s->model, err);
    if (status == CW_OK && graph && known && known->versions > 1)
        status = cw_error_set(err, CW_ERR_UNSUPPORTED, "%s is a task graph; --versions is for traces", path);
    if (status == CW_OK && graph && known && known->part && cw_selection_given(known->part))
        status = cw_error_set(
            err, CW_ERR_UNSUPPORTED,
            "%s is a task graph; --from, --to, --commands, --windows and --kernel are for traces", path);
    if (status != CW_OK)
        return status;
    return graph ? load_graph(s, format, path, processors, err)
                 : load_trace(s, path, known, drop_waits, plan, err);
}

enum cw_status cw_plan_processors(int64_t option, uint32_t *processors, struct cw_error *err)
{
    if (option == 0 || option < -1 || option > CW_GRAPH_PROCESSORS_MAX)
        return cw_error_set(err, CW_ERR_INVALID, "--processors takes a number from 1 to %d",
                            CW_GRAPH_PROCESSORS_MAX);
    *processors = option < 0 ? 0 : (uint32_t)option;
    return CW_OK;
}

void cw_plan_source_release(struct cw_plan_source *s)
{
    struct cw_plan_source stored = {
        .input = {.file = s->input.file}, .estimated = s->estimated, .commands = s->commands};

    cw_plan_source_finish(s);
    cw_trace_init(&stored.trace);
    *s = stored;
}

void cw_plan_source_finish(struct cw_plan_source *s)
{
    cw_plan_graph_finish(&s->plan_graph);
    cw_platform_model_destroy(s->model);
    cw_graph_destroy(s->graph);
    cw_platform_destroy(s->platform);
    cw_trace_finish(&s->trace);
    *s = (struct cw_plan_source){0};
}
