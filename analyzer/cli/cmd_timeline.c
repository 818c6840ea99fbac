/* cmd_timeline.c - clweave timeline: the commands on a time axis, for https://ui.perfetto.dev and
 * chrome://tracing. */
#include <string.h>

#include "frame/cli.h"
#include "traces.h"
#include "../explain/draw/exporter.h"
#include "../io/output.h"

struct timeline_options {
    const char *out, *format;
    bool queue_edges;
    struct cw_selection selection;
};

static const struct cw_cli_option options[] = {
    {"out", 'o', CW_CLI_STRING, offsetof(struct timeline_options, out), "FILE", NULL,
     "write to FILE instead of standard output"},
    {"format", 'f', CW_CLI_CHOICE, offsetof(struct timeline_options, format), "json|perfetto",
     "json|perfetto",
     "the format (default: perfetto for a FILE that ends with .pftrace or .perfetto-trace, else json)"},
    {"queue-edges", 0, CW_CLI_BOOL, offsetof(struct timeline_options, queue_edges), NULL, NULL,
     "draw arrows for the implied edges of in-order queues as well"},
    CW_SELECTION_ROWS(struct timeline_options),
    CW_CLI_END,
};

static const char *const examples[] = {
    "clweave timeline app.json -o app.pftrace", "then open the file at https://ui.perfetto.dev",
    "clweave timeline app.json -o app.timeline.json", "the same for chrome://tracing", NULL};

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static bool wants_perfetto(const struct timeline_options *o)
{
    if (o->format)
        return strcmp(o->format, "perfetto") == 0;
    return o->out && (ends_with(o->out, ".pftrace") || ends_with(o->out, ".perfetto-trace"));
}

static int run(const void *values, int argc, char **argv)
{
    const struct timeline_options *o = values;
    struct cw_export_options e = {.queue_edges = o->queue_edges, .perfetto = wants_perfetto(o)};
    struct cw_output out;
    struct cw_trace t;
    struct cw_error err = {0};
    enum cw_status status;
    bool times = false;

    (void)argc;
    if (!cw_selection_options_check(&o->selection))
        return CW_EXIT_USAGE;
    cw_trace_init(&t);
    status = cw_footprints_load(&t, argv[0], &err);
    if (!status)
        status = cw_selection_apply(&t, &o->selection, &err);
    if (!status)
        status = cw_output_open(&out, o->out ? o->out : "-", 0666, &err);
    if (!status)
        status = cw_output_close(&out, cw_export_timeline(&t, &e, out.f, &err), &err);
    for (size_t i = 0; i < t.commands.count; i++)
        times |= t.commands.v[i].start_ns != 0;
    if (!status && !times)
        cw_cli_complain("%s has no device times, so only host threads are drawn: trace with --device-times",
                        argv[0]);
    if (!status && t.process.times_every)
        cw_cli_complain(
            "%s has device times of one command in %llu: devices are drawn with these alone, without "
            "counters of commands",
            argv[0], (unsigned long long)t.process.times_every);
    cw_trace_finish(&t);
    return status ? cw_cli_fail(&err) : CW_EXIT_OK;
}

const struct cw_command_def cw_cmd_timeline = {
    .name = "timeline",
    .summary = "write the commands on a time axis, for Perfetto or Chrome",
    .usage = "[-o FILE] TRACE",
    .details = "One track per host thread (API calls), per queue and per device (commands while they ran), "
               "with arrows along the edges that bind; counters of the commands in each queue and of the "
               "bytes on their way to and from each device. Perfetto's own format (protobuf) is smaller and "
               "opens faster than JSON, which Chrome reads, too.",
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct timeline_options),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
