/* report_host.c - see report_parts.h. */
#include "report_parts.h"
#include "../explain.h"
#include "../host_calls.h"
#include "../../io/quantity.h"

#include <string.h>

enum { TERMINAL_ROWS = 6, COLUMNS = 79, INDENT = 10 };

/* The order in which a program usually passes them. */
static const enum cw_phase order[] = {CW_PHASE_SETUP,     CW_PHASE_BUILD,   CW_PHASE_FIRST, CW_PHASE_KERNELS,
                                      CW_PHASE_TRANSFERS, CW_PHASE_WAITING, CW_PHASE_CALLS, CW_PHASE_HOST};
enum { PHASES = sizeof order / sizeof *order };

/* ---- the terminal */

/* Prints `item` behind the `column` columns of its line, or on a new line, and moves `column` on. */
static void print_item(FILE *f, const char *item, const char *before, int *column)
{
    int n = (int)(strlen(before) + strlen(item));

    if (*column + n > COLUMNS && *column > INDENT) {
        fprintf(f, "%.1s\n%*s", before, INDENT, "");
        *column = INDENT;
        before = "";
        n = (int)strlen(item);
    }
    fprintf(f, "%s%s", before, item);
    *column += n;
}

static void print_phases(const struct cw_report_facts *r, FILE *f)
{
    const struct cw_phases *p = &r->figures.phases;
    const char *before = "";
    char item[80], a[16];
    int column = INDENT;

    if (!p->total_ns)
        return;
    column += fprintf(f, "time      %s: ", cw_quantity_ns(p->total_ns, a)) - INDENT;
    for (unsigned i = 0; i < PHASES; i++) {
        double share = 100.0 * (double)p->ns[order[i]] / (double)p->total_ns;
        if (share < .5)
            continue;
        snprintf(item, sizeof item, "%s %.0f %% (%s)", cw_phases_name(order[i]), share,
                 cw_quantity_ns(p->ns[order[i]], a));
        print_item(f, item, before, &column);
        before = ", ";
    }
    if (p->no_calls)
        print_item(f, "set-up and builds not recorded", "; ", &column);
    if (p->no_device_times)
        print_item(f, r->t->process.times_every ? "device times of few commands" : "no device times", "; ",
                   &column);
    fputc('\n', f);
    if (r->t->process.cpu_ns && !r->t->process.selection)
        fprintf(f, "processor %s of all threads, user and system\n", cw_quantity_ns(r->t->process.cpu_ns, a));
}

static void print_memory(const struct cw_report_facts *r, FILE *f)
{
    static const char *const names[] = {"buffer", "sub-buffer", "image", "pipe", "SVM allocation"};
    const char *before = "memory    ";
    char a[16];

    for (unsigned k = 0; k < CW_FIGURES_MEMORY_KINDS; k++) {
        const struct cw_memory_figures *m = &r->figures.memory[k];
        if (!m->objects || k == CW_MEM_SUBBUFFER)
            continue;
        fprintf(f, "%s%s, %s", before, CW_COUNT(m->objects, names[k]), cw_quantity_bytes(m->bytes, a));
        before = "; ";
    }
    if (before[0] == ';')
        fputc('\n', f);
}

static void print_leaks(const struct cw_report_facts *r, FILE *f)
{
    const char *before = "";
    char text[300], *rest = text, *item;
    int column = INDENT;

    cw_findings_leaks(&r->figures.leaks, text);
    if (!text[0])
        return;
    fputs("kept      ", f);
    while ((item = strsep(&rest, ","))) {
        print_item(f, item + strspn(item, " "), before, &column);
        before = ", ";
    }
    fputc('\n', f);
}

static const char *time_or_dash(uint64_t ns, uint64_t count, char text[16])
{
    return count ? cw_quantity_ns(ns, text) : "-";
}

static void print_calls(const struct cw_report_facts *r, FILE *f)
{
    const struct cw_host_calls *h = &r->figures.calls;
    char a[16], b[16], c[16];

    if (!h->row_count)
        return;
    fprintf(f, "\n%-31s %7s %6s %10s %10s %10s\n", "host calls", "calls", "failed", "total", "median", "max");
    for (size_t i = 0; i < h->row_count && i < TERMINAL_ROWS; i++) {
        const struct cw_host_call *v = &h->rows[i];
        fprintf(f, "%-31s %7llu %6llu %10s %10s %10s\n", v->name, (unsigned long long)v->calls,
                (unsigned long long)v->failed, time_or_dash(v->spread.sum, v->spread.count, a),
                time_or_dash(v->spread.median, v->spread.count, b),
                time_or_dash(v->spread.max, v->spread.count, c));
    }
    if (h->row_count > TERMINAL_ROWS)
        fprintf(f, "%s%s\n", CW_COUNT(h->row_count - TERMINAL_ROWS, "more function"),
                r->t->process.all_calls || !r->t->calls.count
                    ? ""
                    : "; those that are quick and may be many are recorded with --calls");
}

void cw_report_host_print(const struct cw_report_facts *r, FILE *f)
{
    print_phases(r, f);
    print_memory(r, f);
    print_leaks(r, f);
    print_calls(r, f);
}

/* ---- the page */

static void put_phases(const struct cw_report_facts *r, struct cw_json_out *o)
{
    cw_json_put_member_u64(o, "phases_ns", r->figures.phases.total_ns);
    cw_json_put_member_u64(o, "cpu_ns", r->t->process.selection ? 0 : r->t->process.cpu_ns);
    cw_json_put_member_u64(o, "no_device_times", r->figures.phases.no_device_times);
    cw_json_put_member_u64(o, "no_calls", r->figures.phases.no_calls);
    cw_json_put_member_list(o, "phases");
    for (unsigned i = 0; i < PHASES; i++) {
        cw_json_put_text(o, i ? "," : "");
        cw_json_put_open(o);
        cw_json_put_member_text(o, "name", cw_phases_name(order[i]));
        cw_json_put_member_u64(o, "ns", r->figures.phases.ns[order[i]]);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
}

void cw_report_host_put_spread(const struct cw_spread *s, struct cw_json_out *o)
{
    cw_json_put_member_u64(o, "timed", s->count);
    cw_json_put_member_u64(o, "sum", s->sum);
    cw_json_put_member_u64(o, "min", s->min);
    cw_json_put_member_u64(o, "median", s->median);
    cw_json_put_member_u64(o, "p95", s->p95);
    cw_json_put_member_u64(o, "max", s->max);
}

static void put_functions(const struct cw_report_facts *r, struct cw_json_out *o)
{
    const struct cw_host_calls *h = &r->figures.calls;

    cw_json_put_member_u64(o, "all_calls", r->t->process.all_calls);
    cw_json_put_member_list(o, "functions");
    for (size_t i = 0; i < h->row_count; i++) {
        cw_json_put_text(o, i ? ",\n" : "\n");
        cw_json_put_open(o);
        cw_json_put_member_text(o, "name", h->rows[i].name);
        cw_json_put_member_u64(o, "calls", h->rows[i].calls);
        cw_json_put_member_u64(o, "failed", h->rows[i].failed);
        cw_report_host_put_spread(&h->rows[i].spread, o);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
}

/* [name, thread, begin, end, status]; ns from the trace's start */
static void put_calls(const struct cw_report_facts *r, struct cw_json_out *o, size_t limit)
{
    const struct cw_trace *t = r->t;
    const int64_t start = cw_device_clock_ns(t->process.start_ns);

    cw_json_put_member_list(o, "calls");
    for (size_t i = 0; i < t->calls.count && i < limit; i++) {
        const struct cw_t_call *k = &t->calls.v[i];
        const int64_t numbers[] = {k->thread, cw_device_clock_ns(k->begin_ns) - start,
                                   cw_device_clock_ns(k->end_ns) - start, k->status};
        cw_json_put_text(o, i ? ",\n[" : "\n[");
        cw_json_put_string(o, k->name);
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            cw_json_put_char(o, ',');
            cw_json_put_i64(o, numbers[n]);
        }
        cw_json_put_char(o, ']');
    }
    cw_json_put_char(o, ']');
}

static void put_build_logs(const struct cw_report_facts *r, struct cw_json_out *o)
{
    bool any = false;

    cw_json_put_member_list(o, "build_logs");
    for (size_t i = 0; i < r->t->programs.count; i++) {
        if (!r->t->programs.v[i].build_log)
            continue;
        cw_json_put_text(o, any ? ",\n" : "\n");
        any = true;
        cw_json_put_open(o);
        cw_json_put_member_u64(o, "program", i);
        cw_json_put_member_text(o, "text", r->t->programs.v[i].build_log);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
}

static void put_failures(const struct cw_report_facts *r, struct cw_json_out *o)
{
    const struct cw_host_calls *h = &r->figures.calls;
    struct cw_code_places *places = cw_code_places_create(r->t);
    char text[32], code[CW_CODE_PLACES_TEXT];

    cw_json_put_member_list(o, "failures");
    for (size_t i = 0; i < h->failure_count; i++) {
        const struct cw_host_failure *v = &h->failures[i];
        cw_json_put_text(o, i ? ",\n" : "\n");
        cw_json_put_open(o);
        cw_json_put_member_text(o, "name", v->name);
        cw_json_put_member_text(o, "error", cw_error_names_of(v->status, text));
        cw_json_put_member_u64(o, "calls", v->calls);
        if (v->program != CW_NONE)
            cw_json_put_member_u64(o, "program", v->program);
        if (v->kernel < r->t->kernels.count)
            cw_json_put_member_text(o, "kernel", r->t->kernels.v[v->kernel].name);
        if (v->argument >= 0)
            cw_json_put_member_u64(o, "argument", (uint64_t)v->argument);
        if (cw_code_places_name(places, v->callsite, code)[0])
            cw_json_put_member_text(o, "at", code);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
    cw_code_places_destroy(places);
}

static void put_leaks(const struct cw_report_facts *r, struct cw_json_out *o)
{
    const struct cw_leaks *l = &r->figures.leaks;
    char at[200];

    cw_json_put_member_u64(o, "unused_events", r->t->process.unused_events);
    cw_json_put_member_list(o, "leaks");
    for (unsigned k = 0; k < CW_LEAK_KINDS && l->unreleased; k++) {
        cw_json_put_text(o, k ? ",\n" : "\n");
        cw_json_put_open(o);
        cw_json_put_member_text(o, "kind", cw_leaks_name(k));
        cw_json_put_member_u64(o, "made", l->kind[k].made);
        cw_json_put_member_u64(o, "kept", l->kind[k].unreleased);
        cw_json_put_member_u64(o, "bytes", l->kind[k].bytes);
        cw_findings_leak_place(&l->kind[k], at);
        if (at[0])
            cw_json_put_member_text(o, "at", at);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
}

void cw_report_host_put(const struct cw_report_facts *r, struct cw_json_out *o, size_t limit)
{
    put_failures(r, o);
    put_leaks(r, o);
    put_phases(r, o);
    put_functions(r, o);
    put_calls(r, o, limit);
    put_build_logs(r, o);
}
