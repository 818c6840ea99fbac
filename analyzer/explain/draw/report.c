/* report.c - see report.h. The page is that of report.c with the data and the graph put in. */
#include "../explain.h"
#include "../../record/command_facts.h"
#include "exporter.h"
#include "palette.h"
#include "report_parts.h"
#include "report.h"
#include "../../graph/graph_build.h"
#include "../../io/json_out.h"

#include <stdlib.h>
#include <string.h>

#define PART(file) ".incbin \"analyzer/explain/draw/page/" file "\"\n"

__asm__(".section .rodata\n"
        ".globl cw_report_page\n.hidden cw_report_page\n"
        "cw_report_page:\n"
        /* clang-format off */
        PART("head.html") PART("page.css") PART("body.html")
        PART("data.js") PART("colours.js") PART("lanes.js") PART("view.js")
        PART("columns.js") PART("counters.js") PART("paint.js") PART("overview.js")
        PART("input.js") PART("search.js") PART("sums.js") PART("detail.js")
        PART("summary.js") PART("plots.js") PART("tables.js") PART("commands.js")
        PART("tail.html")
        /* clang-format on */
        ".byte 0\n.previous\n");

static const char *const kind_names[] = {"note", "hint", "trouble"};

/* ---- the page's data */

static void put_figures(struct cw_json_out *o, const struct cw_report_facts *r)
{
    const struct cw_figures *f = &r->figures;

    cw_json_put_member_u64(o, "enqueues", r->summary.enqueues);
    cw_json_put_member_u64(o, "host_waits", r->summary.host_waits);
    cw_json_put_member_u64(o, "device_ns", r->summary.device_ns);
    cw_json_put_member_u64(o, "span_ns", f->span_ns);
    cw_json_put_member_u64(o, "waited_ns", f->waited_ns);
    cw_json_put_member_u64(o, "busy_ns", r->summary.busy_ns);
    cw_json_put_member_u64(o, "host_bytes", f->host_bytes);
    cw_json_put_member_u64(o, "host_bytes_at_most", f->host_bytes_at_most);
    cw_json_put_member_u64(o, "streams", f->streams);
    cw_json_put_member_u64(o, "streamed", f->streamed);
    cw_json_put_member_u64(o, "staged_bytes", f->staged_bytes);
    cw_json_put_member_u64(o, "moves_run_ns", f->moves.run_ns);
    cw_json_put_member_u64(o, "moves_waited_ns", f->moves.waited_ns);
    cw_json_put_member_u64(o, "without_times", r->summary.without_times);
    cw_json_put_member_u64(o, "works", r->summary.works);
    cw_json_put_member_u64(o, "timed", r->timed);
    cw_json_put_member_u64(o, "path_length", r->path.length);
    cw_json_put_member_u64(o, "work", r->path.work);
    cw_json_put_member_u64(o, "width", r->path.width);
    cw_json_put_member_u64(o, "binding", r->summary.binding);
    cw_json_put_member_list(o, "edge_kinds");
    for (unsigned k = 0; k < CW_EDGE_KINDS; k++) {
        cw_json_put_text(o, k ? "," : "");
        cw_json_put_u64(o, r->summary.edges[k]);
    }
    cw_json_put_char(o, ']');
}

static void put_findings(struct cw_json_out *o, const struct cw_report_facts *r)
{
    cw_json_put_member_list(o, "findings");
    for (size_t i = 0; i < r->finding_count; i++) {
        cw_json_put_text(o, i ? ",\n" : "\n");
        cw_json_put_open(o);
        cw_json_put_member_text(o, "kind", kind_names[r->findings[i].kind]);
        cw_json_put_member_text(o, "title", r->findings[i].title);
        cw_json_put_member_text(o, "text", r->findings[i].text);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
}

static void put_places(struct cw_json_out *o, const struct cw_report_facts *r)
{
    cw_json_put_member_list(o, "devices");
    for (size_t d = 0; d < r->t->devices.count; d++) {
        const struct cw_device_figures *v = &r->figures.devices[d];
        cw_json_put_text(o, d ? ",\n" : "\n");
        cw_json_put_open(o);
        cw_json_put_member_text(o, "name", r->t->devices.v[d].name);
        cw_json_put_member_u64(o, "commands", v->commands);
        cw_json_put_member_u64(o, "parts", v->parts);
        cw_json_put_member_u64(o, "busy_ns", v->busy_ns);
        cw_json_put_member_u64(o, "sum_ns", v->sum_ns);
        cw_json_put_member_u64(o, "span_ns", v->span_ns);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
    cw_json_put_member_list(o, "queues");
    for (size_t q = 0; q < r->t->queues.count; q++) {
        cw_json_put_text(o, q ? "," : "");
        cw_json_put_open(o);
        cw_json_put_member_u64(o, "device", r->t->queues.v[q].device);
        cw_json_put_member_u64(o, "out_of_order", r->t->queues.v[q].out_of_order);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
}

static void put_colours(struct cw_json_out *o, const char *key, const struct cw_palette_colour *colour,
                        unsigned count)
{
    cw_json_put_member_list(o, key);
    for (unsigned k = 0; k < count; k++) {
        cw_json_put_text(o, k ? ",[" : "[");
        cw_json_put_string(o, colour[k].fill);
        cw_json_put_char(o, ',');
        cw_json_put_string(o, colour[k].text);
        cw_json_put_char(o, ']');
    }
    cw_json_put_char(o, ']');
}

/* colour_of: [name of a kernel, number in the palette] */
static void put_palette(struct cw_json_out *o, const struct cw_report_facts *r)
{
    struct cw_palette palette = {0};

    cw_palette_add_kernels(&palette, r->t);
    put_colours(o, "palette", cw_palette_colours, CW_PALETTE_COLOURS);
    put_colours(o, "palette_kinds", cw_palette_kinds, CW_PALETTE_KINDS);
    cw_json_put_member_list(o, "colour_of");
    for (uint32_t k = 0; k < palette.names.count; k++) {
        cw_json_put_text(o, k ? ",[" : "[");
        cw_json_put_string(o, palette.names.name[k]);
        cw_json_put_char(o, ',');
        cw_json_put_u64(o, cw_palette_find(&palette, palette.names.name[k]));
        cw_json_put_char(o, ']');
    }
    cw_json_put_char(o, ']');
    cw_palette_finish(&palette);
}

static void put_rows(struct cw_json_out *o, const struct cw_report_facts *r)
{
    cw_json_put_member_list(o, "rows");
    for (size_t i = 0; i < r->summary.row_count; i++) {
        const struct cw_summary_row *row = &r->summary.rows[i];
        cw_json_put_text(o, i ? ",\n" : "\n");
        cw_json_put_open(o);
        cw_json_put_member_text(o, "name",
                                row->kernel < r->t->kernels.count ? r->t->kernels.v[row->kernel].name
                                                                  : cw_trace_command_short_name(row->type));
        cw_json_put_member_u64(o, "kernel", row->kernel != CW_NONE);
        cw_json_put_member_u64(o, "commands", row->commands);
        cw_json_put_member_u64(o, "failed", row->failed);
        cw_json_put_member_u64(o, "reads", row->read_bytes);
        cw_json_put_member_u64(o, "writes", row->written_bytes);
        cw_json_put_member_u64(o, "at_most", row->at_most);
        cw_json_put_member_u64(o, "device_ns", row->device_ns);
        cw_json_put_member_u64(o, "timed", row->timed);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
}

static int64_t host_time(const struct cw_report_facts *r, uint64_t ns)
{
    return ns ? cw_device_clock_ns(ns) - cw_device_clock_ns(r->t->process.start_ns) : 0;
}

static int64_t device_time(const struct cw_report_facts *r, const int64_t *shift, const struct cw_command *k,
                           uint64_t ns)
{
    uint32_t device = cw_trace_command_device(r->t, k);

    return cw_command_device_ns(k) && device != CW_NONE
               ? cw_device_clock_on_host(ns, shift[device]) - cw_device_clock_ns(r->t->process.start_ns)
               : 0;
}

/* "16×16 / 4×4" */
static void put_range(struct cw_json_out *o, const struct cw_command *k)
{
    char text[160];

    cw_kernel_times_range(k, "×", text);
    cw_json_put_string(o, text);
}

static uint64_t staged_bytes(const struct cw_trace *t, const struct cw_command *k)
{
    return k->transfer < t->transfers.count ? t->transfers.v[k->transfer].staged_bytes : 0;
}

/* [name, type, queue, thread, call begin, call end, start, end, slack, range, status, device, stream, staged
 * bytes, bytes of a transfer]; times in ns from the trace's start */
static void put_commands(struct cw_json_out *o, const struct cw_report_facts *r, const int64_t *shift,
                         size_t shown)
{
    cw_json_put_member_list(o, "commands");
    for (size_t i = 0; i < shown; i++) {
        const struct cw_command *k = &r->t->commands.v[i];
        const uint32_t device = cw_trace_command_device(r->t, k);
        const int64_t numbers[] = {k->queue == CW_NONE ? -1 : (int64_t)k->queue,
                                   k->thread,
                                   host_time(r, k->call_begin_ns),
                                   host_time(r, k->call_end_ns),
                                   device_time(r, shift, k, k->start_ns),
                                   device_time(r, shift, k, k->end_ns),
                                   cw_device_clock_ns(r->path.slack[i])};
        cw_json_put_text(o, i ? ",\n[" : "\n[");
        cw_json_put_string(o, k->kernel < r->t->kernels.count ? r->t->kernels.v[k->kernel].name
                                                              : cw_trace_command_short_name(k->type));
        cw_json_put_char(o, ',');
        cw_json_put_u64(o, !cw_trace_command_is_enqueue(k) ? 0 : k->kernel != CW_NONE ? 2 : 1);
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            cw_json_put_char(o, ',');
            cw_json_put_i64(o, numbers[n]);
        }
        cw_json_put_char(o, ',');
        put_range(o, k);
        cw_json_put_char(o, ',');
        cw_json_put_i64(o, k->status ? k->status : k->exec_status < 0 ? k->exec_status : 0);
        cw_json_put_char(o, ',');
        cw_json_put_i64(o, device == CW_NONE ? -1 : (int64_t)device);
        cw_json_put_char(o, ',');
        cw_json_put_u64(o, k->stream);
        cw_json_put_char(o, ',');
        cw_json_put_u64(o, staged_bytes(r->t, k));
        cw_json_put_char(o, ',');
        cw_json_put_u64(o, k->transfer < r->t->transfers.count ? r->t->transfers.v[k->transfer].bytes : 0);
        cw_json_put_char(o, ']');
    }
    cw_json_put_char(o, ']');
}

/* Of a part of a trace: the numbers of its commands in the whole one. */
static void put_numbers(struct cw_json_out *o, const struct cw_trace *t, size_t shown)
{
    if (!t->process.selection)
        return;
    cw_json_put_member_text(o, "selection", t->process.selection);
    cw_json_put_member_u64(o, "whole_commands", t->process.whole_commands);
    cw_json_put_member_list(o, "numbers");
    for (size_t i = 0; i < shown; i++) {
        cw_json_put_text(o, i ? "," : "");
        cw_json_put_u64(o, cw_trace_command_number(t, (uint32_t)i));
    }
    cw_json_put_char(o, ']');
}

/* [from, to, kind, hazard, bytes, unproven], flat; binding edges between commands that are shown */
static void put_edges(struct cw_json_out *o, const struct cw_report_facts *r, size_t shown)
{
    bool any = false;

    cw_json_put_member_list(o, "edges");
    for (size_t i = 0; i < r->t->edges.count; i++) {
        const struct cw_edge *e = &r->t->edges.v[i];
        if (!cw_graph_edge_binds(e) || e->from >= shown || e->to >= shown)
            continue;
        const uint64_t numbers[] = {e->from, e->to, e->kind, e->hazard, e->bytes, e->unproven};
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            cw_json_put_text(o, any ? n ? "," : ",\n" : "");
            cw_json_put_u64(o, numbers[n]);
            any = true;
        }
    }
    cw_json_put_char(o, ']');
    cw_json_put_member_list(o, "chain");
    for (size_t i = 0; i < r->path.chain_count; i++) {
        cw_json_put_text(o, i ? "," : "");
        cw_json_put_u64(o, r->path.chain[i]);
    }
    cw_json_put_char(o, ']');
}

/* [command, device, first work-group, work-groups, start, end, priority group], flat; only parts of commands
 * that are shown. A part's clock is that of its command. */
static void put_parts(struct cw_json_out *o, const char *key, const struct cw_report_facts *r,
                      const int64_t *shift, const struct cw_t_part *part, size_t count, size_t shown)
{
    bool any = false;

    cw_json_put_member_list(o, key);
    for (size_t i = 0; i < count; i++) {
        const struct cw_t_part *p = &part[i];
        const struct cw_command *k = &r->t->commands.v[p->command];
        const uint32_t device = cw_trace_command_device(r->t, k);
        const int64_t to_host = device == CW_NONE ? 0 : shift[device],
                      start = cw_device_clock_ns(r->t->process.start_ns);
        const int64_t numbers[] = {p->command,
                                   p->device == CW_NONE ? -1 : (int64_t)p->device,
                                   cw_device_clock_ns(p->first_group),
                                   cw_device_clock_ns(p->groups),
                                   cw_device_clock_on_host(p->start_ns, to_host) - start,
                                   cw_device_clock_on_host(p->end_ns, to_host) - start,
                                   p->priority_group};
        if (p->command >= shown)
            continue;
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            cw_json_put_text(o, any ? n ? "," : ",\n" : "");
            cw_json_put_i64(o, numbers[n]);
            any = true;
        }
    }
    cw_json_put_char(o, ']');
}

/* [command or -2, device, to the host's memory?, buffer or -1, bytes, enum cw_move_why, start, end], flat;
 * the clock is that of the device */
static void put_moves(struct cw_json_out *o, const struct cw_report_facts *r, const int64_t *shift,
                      size_t shown)
{
    bool any = false;

    cw_json_put_member_list(o, "moves");
    for (size_t i = 0; i < r->t->moves.count && i < CW_REPORT_COMMANDS; i++) {
        const struct cw_t_move *m = &r->t->moves.v[i];
        bool home;
        uint32_t device = cw_memory_moves_device(m, &home);
        if (device == CW_NONE || !m->start_ns || m->end_ns < m->start_ns)
            continue;
        const int64_t start = cw_device_clock_ns(r->t->process.start_ns);
        const int64_t numbers[] = {m->command < shown ? (int64_t)m->command : -2,
                                   device,
                                   home,
                                   m->memory == CW_NONE ? -1 : (int64_t)m->memory,
                                   cw_device_clock_ns(m->bytes),
                                   m->why,
                                   cw_device_clock_on_host(m->start_ns, shift[device]) - start,
                                   cw_device_clock_on_host(m->end_ns, shift[device]) - start};
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            cw_json_put_text(o, any ? n ? "," : ",\n" : "");
            cw_json_put_i64(o, numbers[n]);
            any = true;
        }
    }
    cw_json_put_char(o, ']');
}

static void put_data(struct cw_json_out *o, const struct cw_report_facts *r, const int64_t *shift,
                     size_t shown)
{
    const struct cw_t_process *p = &r->t->process;

    cw_json_put_open(o);
    cw_json_put_member_text(o, "program", p->program);
    cw_json_put_member_text(o, "command", p->command);
    cw_json_put_member_text(o, "host", p->host);
    cw_json_put_member_u64(o, "pid", p->pid);
    cw_json_put_member_u64(o, "when_ms", p->start_realtime_ns / 1000000);
    cw_json_put_member_u64(o, "total", r->t->commands.count);
    cw_json_put_member_u64(o, "dropped", p->dropped_commands);
    put_figures(o, r);
    put_findings(o, r);
    put_places(o, r);
    put_palette(o, r);
    put_rows(o, r);
    cw_report_kernels_put(r, o);
    cw_report_commands_put(r, o);
    cw_report_host_put(r, o, shown > CW_REPORT_COMMANDS ? shown : CW_REPORT_COMMANDS);
    put_numbers(o, r->t, shown);
    put_commands(o, r, shift, shown);
    put_edges(o, r, shown);
    put_parts(o, "parts", r, shift, r->t->parts.v, r->t->parts.count, shown);
    put_parts(o, "plans", r, shift, r->t->plans.v, r->t->plans.count, shown);
    put_moves(o, r, shift, shown);
    cw_json_put_close(o);
}

/* ---- the page */

/* Data inside a script element: '<' stands only in strings there, and must not end the element. */
static void put_escaped(FILE *f, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] == '<')
            fputs("\\u003c", f);
        else
            fputc(text[i], f);
}

static enum cw_status write_data(const struct cw_report_facts *r, const struct cw_report_options *o, FILE *f,
                                 struct cw_error *err)
{
    size_t limit = o->limit > 0 ? (size_t)o->limit : CW_REPORT_COMMANDS, length = 0;
    size_t shown = r->t->commands.count < limit ? r->t->commands.count : limit;
    struct cw_json_out *out = malloc(sizeof *out);
    int64_t *shift = calloc(r->t->devices.count + 1, sizeof *shift);
    char *text = NULL;
    FILE *memory = out && shift ? open_memstream(&text, &length) : NULL;
    bool ok = memory;

    if (memory) {
        cw_device_clock_shifts(r->t, shift);
        cw_json_out_init(out, memory);
        put_data(out, r, shift, shown);
        cw_json_out_flush(out);
        ok = !ferror(memory);
        ok = fclose(memory) == 0 && ok;
    }
    if (ok)
        put_escaped(f, text, length);
    free(text);
    free(shift);
    free(out);
    return ok ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
}

/* A picture of the graph, or a paragraph that says why there is none. */
static enum cw_status write_graph(const struct cw_report_facts *r, const struct cw_report_options *o, FILE *f,
                                  struct cw_error *err)
{
    bool collapse = r->summary.enqueues + r->summary.host_waits > CW_REPORT_GRAPH_NODES;
    struct cw_export_options e = {.collapse = collapse};
    char line[4096];
    bool begun = false;
    enum cw_status status;
    FILE *svg;

    if (!o->graph || r->summary.enqueues == 0)
        return CW_OK;
    svg = tmpfile();
    if (!svg)
        return cw_error_set(err, CW_ERR_IO, "report: cannot make a temporary file");
    status = cw_exporter_find("svg", NULL)->write(r->t, &e, svg, err);
    if (status == CW_ERR_UNSUPPORTED || status == CW_ERR_LIMIT || status == CW_ERR_IO) {
        fputs("<p class=\"none\">There is no picture of the graph here: graphviz's dot is missing or gave up "
              "on it. "
              "<code>clweave graph -o graph.dot</code> writes it for other programs.</p>\n",
              f);
        status = CW_OK;
    } else if (!status) {
        if (collapse)
            fputs("<p>One node for each kernel and kind of command: there are too many commands to draw "
                  "each.</p>\n",
                  f);
        rewind(svg);
        while (fgets(line, sizeof line, svg)) {
            begun = begun || strncmp(line, "<svg", 4) == 0; /* behind the XML prolog */
            if (begun)
                fputs(line, f);
        }
    }
    fclose(svg);
    return status;
}

enum cw_status cw_report_write(const struct cw_trace *t, const struct cw_report_options *o, FILE *f,
                               struct cw_error *err)
{
    static const char data_mark[] = "@DATA@", graph_mark[] = "@GRAPH@", roofs_mark[] = "@ROOFS@";
    const char *graph = strstr(cw_report_page, graph_mark), *data = strstr(cw_report_page, data_mark),
               *roofs = strstr(cw_report_page, roofs_mark);
    struct cw_report_facts r;
    enum cw_status status = cw_report_facts_init(&r, t, o->work, o->outside, err);

    if (!status) {
        fwrite(cw_report_page, 1, (size_t)(roofs - cw_report_page), f);
        cw_report_roofs_page(&r, o->roofs, f);
        cw_report_commands_page(&r, f);
        cw_report_compiled_page(&r, f);
        status = cw_report_shares_page(t, f, err);
        roofs += sizeof roofs_mark - 1;
        fwrite(roofs, 1, (size_t)(graph - roofs), f);
        status = status ? status : write_graph(&r, o, f, err);
    }
    if (!status) {
        graph += sizeof graph_mark - 1;
        fwrite(graph, 1, (size_t)(data - graph), f);
        status = write_data(&r, o, f, err);
    }
    if (!status)
        fputs(data + sizeof data_mark - 1, f);
    cw_report_facts_finish(&r);
    return status;
}
