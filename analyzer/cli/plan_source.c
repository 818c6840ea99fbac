#include "plan_source.h"

#include <string.h>

#include "cli.h"
#include "../plan/graph_format.h"
#include "../trace/trace_read.h"

static enum cw_status load_graph(struct cw_plan_source *s, const struct cw_graph_format *format,
                                 const char *path, uint32_t processors, struct cw_error *err)
{
    enum cw_status status = format->read(path, processors, &s->graph, &s->platform, err);

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

static enum cw_status load_trace(struct cw_plan_source *s, const char *path, bool drop_waits, bool plan,
                                 struct cw_error *err)
{
    struct cw_error why = {0};
    enum cw_status status = cw_trace_load(&s->trace, path, err);

    s->is_trace = true;
    if (status != CW_OK || !plan)
        return status;
    status = cw_plan_graph_init(&s->plan_graph, &s->trace, s->model, drop_waits, &why);
    if (status != CW_OK)
        return cw_error_set(err, status, "%s: %s", path, why.text);
    s->input.trace = &s->trace;
    s->input.graph = s->plan_graph.graph;
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
                                   int64_t dsp, uint32_t processors, bool drop_waits, bool plan, struct cw_error *err)
{
    const struct cw_graph_format *format = cw_graph_format_probe(path);
    enum cw_status status = CW_OK;

    *s = (struct cw_plan_source){0};
    cw_trace_init(&s->trace);
    platform = platform ? platform : dsp >= 0 ? "hxdsp" : NULL;
    s->input.file = path;
    s->input.platform_name = platform;
    s->input.bounds = &s->bounds;
    if (platform)
        status = cw_platform_model_load(platform, dsp, &s->model, err);
    if (status != CW_OK)
        return status;
    return format ? load_graph(s, format, path, processors, err)
                  : load_trace(s, path, drop_waits, plan, err);
}

enum cw_status cw_plan_processors(int64_t option, uint32_t *processors, struct cw_error *err)
{
    if (option == 0 || option < -1 || option > CW_GRAPH_PROCESSORS_MAX)
        return cw_error_set(err, CW_ERR_INVALID, "--processors takes a number from 1 to %d", CW_GRAPH_PROCESSORS_MAX);
    *processors = option < 0 ? 0 : (uint32_t)option;
    return CW_OK;
}

void cw_plan_source_release(struct cw_plan_source *s)
{
    struct cw_plan_source kept = {.input = {.file = s->input.file}, .estimated = s->estimated, .commands = s->commands};

    cw_plan_source_finish(s);
    cw_trace_init(&kept.trace);
    *s = kept;
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
