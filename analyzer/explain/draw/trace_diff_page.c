/* trace_diff_page.c - the HTML page of a difference; see trace_diff_print.h. Everything that comes from the
 * traces is text in it, never markup. */
#include "trace_diff_print.h"

#include <math.h>

#include "palette.h"
#include "svg_text.h"
#include "../../io/quantity.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n"
    "<title>clweave diff</title>\n<style>\n"
    ":root { --ink: #1c2430; --soft: #5d6878; --line: #d9dee6; --paper: #fff; --ground: #f4f6f9; --a: "
    "#8a94a3; "
    "--b: #1f5fa8;\n  --slower: #b3261e; --faster: #1b7a3d; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #9aa7b8; --line: #364152; "
    "--paper: "
    "#1b222c;\n  --ground: #12171e; --a: #7d8898; --b: #7fb4ee; --slower: #f28b82; --faster: #7fd19b; } }\n"
    "body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, \"DejaVu "
    "Sans\", "
    "sans-serif; }\n"
    "main { max-width: 1240px; margin: 0 auto; padding: 24px 20px 60px; }\nh1 { font-size: 24px; margin: 0; "
    "}\n"
    "h2 { font-size: 17px; margin: 34px 0 10px; }\n.soft { color: var(--soft); }\n"
    ".box { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 10px; "
    "overflow: auto; }\n"
    "table { border-collapse: collapse; width: 100%; }\n"
    "td, th { padding: 3px 10px; white-space: nowrap; text-align: left; font: 13px/1.5 \"DejaVu Sans Mono\", "
    "Menlo, Consolas, monospace; }\n"
    "th { color: var(--soft); border-bottom: 1px solid var(--line); }\n.n { text-align: right; }\n"
    ".slower { color: var(--slower); font-weight: 600; }\n.faster { color: var(--faster); font-weight: 600; "
    "}\n"
    ".bars { min-width: 110px; }\n.bar { height: 6px; margin: 2px 0; border-radius: 2px; min-width: 1px; }\n"
    ".a { background: var(--a); }\n.b { background: var(--b); }\n"
    ".key { display: inline-block; width: 12px; height: 12px; border-radius: 2px; vertical-align: -1px; "
    "margin-right: 6px; "
    "flex: none; }\n"
    ".name, .verdict { white-space: normal; overflow-wrap: anywhere; min-width: 16ch; }\n"
    "td.soft { min-width: 34ch; }\np { overflow-wrap: anywhere; }\n"
    "</style>\n</head>\n<body>\n<main>\n<h1>Two traces compared</h1>\n";

static void put_text(FILE *f, const char *text)
{
    cw_svg_text_escape(f, text ? text : "");
}

static void put_sides(const struct cw_trace_diff *d, const char *const names[], FILE *f)
{
    for (int side = 0; side < CW_DIFF_SIDES; side++) {
        const struct cw_trace *t = d->trace[side][0];
        fprintf(f, "<p><span class=\"key %c\"></span><b>%c</b> ", "ab"[side], "AB"[side]);
        put_text(f, names[side]);
        if (d->runs > 1)
            fprintf(f, " and %zu more", d->runs - 1);
        fputs("<br><span class=\"soft\">", f);
        put_text(f, t->process.command ? t->process.command : t->process.program);
        fprintf(f, "<br>%s", CW_COUNT(d->commands[side], "command"));
        for (size_t i = 0; i < t->devices.count && i < 4; i++) {
            fputs(i ? ", " : ", on ", f);
            put_text(f, t->devices.v[i].name ? t->devices.v[i].name : "?");
        }
        fputs("</span></p>\n", f);
    }
}

/* Two bars on one scale, of which `largest` is the whole. */
static void put_bars(double a, double b, double largest, FILE *f)
{
    fputs("<td class=\"bars\">", f);
    for (int side = 0; side < CW_DIFF_SIDES; side++) {
        double value = side ? b : a;
        if (value > 0 && largest > 0)
            fprintf(f, "<div class=\"bar %c\" style=\"width:%.1f%%\"></div>", "ab"[side],
                    100 * value / largest);
    }
    fputs("</td>", f);
}

static void put_number(const char *text, FILE *f)
{
    fprintf(f, "<td class=\"n\">%s</td>", text);
}

static void put_p(double p, FILE *f)
{
    char text[16];

    fputs("<td class=\"n\">", f);
    put_text(f, cw_trace_diff_print_p(p, text));
    fputs("</td>", f);
}

static void put_phase(const struct cw_trace_diff *d, const struct cw_diff_phase *p, double largest, FILE *f)
{
    const char *verdict = cw_diff_test_verdict(p->test.verdict);
    char text[24], interval[64];

    fprintf(f, "<tr><td>%s</td>", p->name);
    put_number(cw_trace_diff_print_ns(p->ns[CW_DIFF_A], text), f);
    put_number(cw_trace_diff_print_ns(p->ns[CW_DIFF_B], text), f);
    put_number(cw_trace_diff_print_change(p->test.change, text), f);
    if (d->by_run) {
        fprintf(f, "<td>%s</td>", cw_trace_diff_print_interval(&p->test, interval));
        put_p(p->test.p, f);
        fprintf(f, "<td class=\"%s\">%s</td>", verdict, verdict);
    }
    put_bars(p->ns[CW_DIFF_A], p->ns[CW_DIFF_B], largest, f);
    fprintf(f, "<td class=\"name soft\">%s</td></tr>\n", p->meaning);
}

static void put_phases(const struct cw_trace_diff *d, FILE *f)
{
    double largest = 0;

    for (int i = 0; i < CW_DIFF_PHASES; i++)
        largest = fmax(largest, fmax(d->phase[i].ns[CW_DIFF_A], d->phase[i].ns[CW_DIFF_B]));
    fprintf(f,
            "<h2>Phases</h2>\n<div class=\"box\"><table>\n<tr><th>phase</th><th class=\"n\">A</th>"
            "<th class=\"n\">B</th><th class=\"n\">change</th>%s<th></th><th>meaning</th></tr>\n",
            d->by_run ? "<th>95 %</th><th class=\"n\">p</th><th>B is</th>" : "");
    for (int i = 0; i < CW_DIFF_PHASES; i++)
        if (cw_trace_diff_print_shows(&d->phase[i]))
            put_phase(d, &d->phase[i], largest, f);
    fputs("</table></div>\n", f);
}

static void put_name(const struct cw_palette *p, const struct cw_diff_row *r, bool size, FILE *f)
{
    char text[96];

    fprintf(f, "<td class=\"name\"><span class=\"key\" style=\"background:%s\"></span>",
            cw_palette_of(p, r->trace, r->command)->fill);
    put_text(f, cw_trace_command_name(r->trace, r->command));
    if (size)
        fprintf(f, " %s", cw_trace_diff_size(r->trace, r->command, text));
    fputs("</td>", f);
}

static void put_count(uint64_t n, FILE *f)
{
    fprintf(f, "<td class=\"n\">%llu</td>", (unsigned long long)n);
}

static void put_row(const struct cw_trace_diff *d, const struct cw_diff_row *r, const struct cw_palette *p,
                    double largest, FILE *f)
{
    const struct cw_diff_side *a = &r->side[CW_DIFF_A], *b = &r->side[CW_DIFF_B];
    const char *verdict = cw_diff_test_verdict(r->test.verdict);
    char text[24], interval[64];

    fputs("<tr>", f);
    put_name(p, r, d->by_size, f);
    fprintf(f, "<td class=\"verdict %s\">%s", verdict, cw_trace_diff_print_judgement(r, interval));
    if (a->failed || b->failed)
        fprintf(f, "; failed: %llu in A, %llu in B", (unsigned long long)a->failed,
                (unsigned long long)b->failed);
    fputs("</td>", f);
    put_number(cw_trace_diff_print_change(r->test.change, text), f);
    fprintf(f, "<td>%s</td>", cw_trace_diff_print_interval(&r->test, interval));
    put_p(r->test.p, f);
    put_number(cw_trace_diff_print_ns(a->timed ? a->total_ns : NAN, text), f);
    put_number(cw_trace_diff_print_ns(b->timed ? b->total_ns : NAN, text), f);
    put_bars(a->total_ns, b->total_ns, largest, f);
    put_number(cw_trace_diff_print_ns(a->median_ns, text), f);
    put_number(cw_trace_diff_print_ns(b->median_ns, text), f);
    put_count(a->commands, f);
    put_count(b->commands, f);
    fputs("</tr>\n", f);
}

static void put_rows(const struct cw_trace_diff *d, const struct cw_palette *p, FILE *f)
{
    double largest = 0;

    for (size_t i = 0; i < d->rows; i++)
        largest = fmax(largest, fmax(d->row[i].side[CW_DIFF_A].total_ns, d->row[i].side[CW_DIFF_B].total_ns));
    if (!d->rows) {
        fputs("<h2>Kernels and other commands</h2>\n<p>There are none.</p>\n", f);
        return;
    }
    fputs("<h2>Kernels and other commands</h2>\n<div class=\"box\"><table>\n<tr><th>command</th><th>B is</th>"
          "<th class=\"n\">change</th><th>95 %</th><th class=\"n\">p</th><th class=\"n\">total A</th>"
          "<th class=\"n\">total B</th><th></th><th class=\"n\">median A</th><th class=\"n\">median B</th>"
          "<th class=\"n\">in A</th><th class=\"n\">in B</th></tr>\n",
          f);
    for (size_t i = 0; i < d->rows; i++)
        put_row(d, &d->row[i], p, largest, f);
    fprintf(f, "</table></div>\n<p class=\"soft\">%s.</p>\n", cw_trace_diff_print_test(d));
}

static void put_odds(const struct cw_trace_diff *d, const struct cw_palette *p, FILE *f)
{
    char text[400];

    fputs("<h2>Missing and extra commands</h2>\n", f);
    if (!d->odds)
        fputs("<p>None: of each kind and size both have the same number.</p>\n", f);
    else
        fputs("<div class=\"box\"><table>\n<tr><th>command</th><th class=\"n\">in A</th><th class=\"n\">in "
              "B</th>"
              "<th>B has</th></tr>\n",
              f);
    for (size_t i = 0; i < d->odds; i++) {
        uint64_t a = d->odd[i].side[CW_DIFF_A].commands, b = d->odd[i].side[CW_DIFF_B].commands;
        fputs("<tr>", f);
        put_name(p, &d->odd[i], true, f);
        put_count(a, f);
        put_count(b, f);
        fprintf(f, "<td>%llu %s</td></tr>\n", (unsigned long long)(a > b ? a - b : b - a),
                a > b ? "missing" : "extra");
    }
    fprintf(f, "%s<p>", d->odds ? "</table></div>\n" : "");
    put_text(f, cw_trace_diff_print_next(d, text));
    fputs(".</p>\n", f);
}

void cw_trace_diff_page(const struct cw_trace_diff *d, const char *const names[CW_DIFF_SIDES], FILE *f)
{
    struct cw_palette palette = {0};
    char text[240];

    for (int side = 0; side < CW_DIFF_SIDES; side++)
        cw_palette_add_kernels(&palette, d->trace[side][0]);
    fputs(head, f);
    put_sides(d, names, f);
    fprintf(f, "<p><b>%s.</b></p>\n", cw_trace_diff_print_verdict(d, text));
    put_phases(d, f);
    put_rows(d, &palette, f);
    put_odds(d, &palette, f);
    fputs("</main>\n</body>\n</html>\n", f);
    cw_palette_finish(&palette);
}
