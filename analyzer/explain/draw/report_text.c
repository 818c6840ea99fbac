/* report_text.c - the findings about a run, for a terminal; see report.h. */
#include "report.h"
#include "../../io/quantity.h"
#include "report_parts.h"
#include "../../record/command_facts.h"

#include <string.h>

/* Tiles of priority groups on one device are parts, too, whose shares say nothing. */
static bool are_shared(const struct cw_report_facts *r)
{
    size_t n = 0;

    for (size_t d = 0; d < r->t->devices.count; d++)
        n += r->figures.devices[d].parts > 0;
    return n > 1;
}

static void print_devices(const struct cw_report_facts *r, FILE *f)
{
    bool shared = are_shared(r);
    char a[16], b[16];

    for (size_t d = 0; d < r->t->devices.count; d++) {
        const struct cw_device_figures *v = &r->figures.devices[d];
        if (!v->commands && !v->parts)
            continue;
        fprintf(f, "device %zu  %s: ", d, r->t->devices.v[d].name ? r->t->devices.v[d].name : "?");
        if (!r->t->process.times_every)
            fprintf(f, "busy %s%s of %s (%.0f %%), ", v->without_times ? "at least " : "",
                    cw_quantity_ns(v->busy_ns, a), cw_quantity_ns(v->span_ns, b),
                    v->span_ns ? 100.0 * (double)v->busy_ns / (double)v->span_ns : 100);
        fputs(CW_COUNT(v->commands, "command"), f);
        if (v->without_times)
            fprintf(f, ", and %llu without times", (unsigned long long)v->without_times);
        if (v->parts && shared)
            fprintf(f, ", %s of cut launches, %.0f %% of one (%.0f to %.0f %%)", CW_COUNT(v->parts, "part"),
                    100 * v->mean_share, 100 * v->least_share, 100 * v->most_share);
        fputc('\n', f);
    }
}

static void print_streams(const struct cw_figures *v, FILE *f)
{
    char a[16];

    if (v->streamed)
        fprintf(f, "streams   %s on %s, %llu of them beside the first of their queue\n",
                CW_COUNT(v->streamed, "command"), CW_COUNT(v->streams, "stream"),
                (unsigned long long)v->beside);
    if (v->staged)
        fprintf(f, "staged    %s in %s, through pinned memory\n", cw_quantity_bytes(v->staged_bytes, a),
                CW_COUNT(v->staged, "transfer"));
}

static void print_moves(const struct cw_report_facts *r, FILE *f)
{
    const struct cw_memory_moves *m = &r->figures.moves;
    const char *before = "copies    ";
    char a[16], b[16];

    for (size_t d = 0; d < r->t->devices.count; d++) {
        const struct cw_device_moves *v = &m->devices[d];
        if (!v->copies[0] && !v->copies[1])
            continue;
        fprintf(f, "%sto device %zu %s in %llu, back %s in %llu", before, d,
                cw_quantity_bytes(v->bytes[0], a), (unsigned long long)v->copies[0],
                cw_quantity_bytes(v->bytes[1], b), (unsigned long long)v->copies[1]);
        before = "; ";
    }
    if (before[0] == ';')
        fprintf(f, "; commands waited for them for %s of %s (%.0f %%)\n", cw_quantity_ns(m->waited_ns, a),
                cw_quantity_ns(m->run_ns, b),
                m->run_ns ? 100.0 * (double)m->waited_ns / (double)m->run_ns : 0);
}

/* `text` in lines of at most 78 columns, indented by two. */
static void print_wrapped(FILE *f, const char *text)
{
    size_t column = 0;

    while (*text) {
        size_t word = strcspn(text, " ");
        if (column && column + 1 + word > 78) {
            fputc('\n', f);
            column = 0;
        }
        fprintf(f, "%s%.*s", column ? " " : "  ", (int)word, text);
        column += column ? 1 + word : 2 + word;
        text += word + (text[word] == ' ');
    }
    fputc('\n', f);
}

enum cw_status cw_report_print(const struct cw_trace *t, const struct cw_report_options *o, FILE *f,
                               struct cw_error *err)
{
    static const char *const marks[] = {" ", "*", "!"};
    struct cw_report_facts r;
    enum cw_status status = cw_report_facts_init(&r, t, o->work, o->outside, err);
    const char *least = r.summary.without_times ? "at least " : "";
    char a[16], b[16];

    if (!status) {
        fprintf(f, "%s: %s", t->process.program ? t->process.program : "?",
                CW_COUNT(r.summary.enqueues, "command"));
        if (r.figures.span_ns)
            fprintf(f, " in %s", cw_quantity_ns(r.figures.span_ns, a));
        if (r.timed && t->process.times_every)
            fprintf(f, ", device time about %s", cw_quantity_ns((uint64_t)r.commands.all.ns, a));
        else if (r.timed)
            fprintf(f, ", device time %s%s, critical path %s%s", least,
                    cw_quantity_ns(r.summary.device_ns, a), least, cw_quantity_ns(r.path.length, b));
        fputc('\n', f);
        if (t->process.dropped_commands)
            fprintf(f, "dropped   %llu older commands and waits (--limit)\n",
                    (unsigned long long)t->process.dropped_commands);
        if (t->process.impossible_times)
            fprintf(f, "times     of %s cannot be: the vendor's profiling has no clock\n",
                    CW_COUNT(t->process.impossible_times, "command"));
        if (t->process.selection)
            fprintf(f, "selected  %zu of %s, waits among them: %s\n", t->commands.count,
                    CW_COUNT(t->process.whole_commands, "command"), t->process.selection);
        print_devices(&r, f);
        print_streams(&r.figures, f);
        print_moves(&r, f);
        cw_report_host_print(&r, f);
        cw_report_kernels_print(&r, f);
        cw_report_commands_estimates_print(&r, f);
        for (size_t i = 0; i < r.finding_count; i++) {
            fprintf(f, "\n%s %s\n", marks[r.findings[i].kind], r.findings[i].title);
            print_wrapped(f, r.findings[i].text);
        }
        /* behind the findings, which shall be on the first screen */
        status = cw_report_shares_print(t, f, err);
        cw_report_roofs_print(&r, o->roofs, f);
        cw_report_commands_print(&r, f);
    }
    cw_report_facts_finish(&r);
    return status;
}

/* ---- facts */

enum cw_status cw_report_facts_init(struct cw_report_facts *r, const struct cw_trace *t,
                                    const struct cw_launch_work *work, const struct cw_outside *outside,
                                    struct cw_error *err)
{
    enum cw_status status;

    memset(r, 0, sizeof *r);
    r->t = t;
    r->timed = cw_command_times_exist(t);
    status = cw_graph_summary_init(&r->summary, t, err);
    if (!status)
        status = cw_figures_init(&r->figures, t, err);
    if (!status && outside)
        r->figures.outside = *outside;
    if (!status)
        status = cw_critical_path_init(&r->path, t, r->timed ? CW_WEIGHT_TIME : CW_WEIGHT_COUNT, err);
    if (!status)
        status = cw_kernel_times_init(&r->kernels, t, work, err);
    if (!status)
        status = cw_command_times_init(&r->commands, t, err);
    if (!status)
        r->finding_count = cw_findings(r->findings, t, &r->summary, &r->figures, &r->path);
    return status;
}

void cw_report_facts_finish(struct cw_report_facts *r)
{
    cw_graph_summary_finish(&r->summary);
    cw_figures_finish(&r->figures);
    cw_critical_path_finish(&r->path);
    cw_kernel_times_finish(&r->kernels);
    cw_command_times_finish(&r->commands);
}
