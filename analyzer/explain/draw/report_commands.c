/* report_commands.c - see report_parts.h. */
#include "report_parts.h"

#include "../../io/quantity.h"
#include "svg_text.h"

#include <math.h>
#include <string.h>

enum { TERMINAL_ROWS = 6, PAGE_ROWS = 60 };

static const struct stage {
    const char *key, *words, *title;
} stages[CW_STAGES] = {
    {"call", "call", "the program's thread in the call that enqueued it, of a blocking one until it had run"},
    {"queued", "in queue", "from CL_PROFILING_COMMAND_QUEUED to SUBMIT"},
    {"submitted", "to start", "from SUBMIT to START"},
    {"run", "run", "from START to END"},
};

static const char *time_of(uint64_t ns, const struct cw_spread *s, char text[16])
{
    return s->count ? cw_quantity_ns(ns, text) : "-";
}

static bool has_stages(const struct cw_report_facts *r)
{
    for (size_t i = 0; i < r->commands.count; i++)
        if (r->commands.rows[i].stage[CW_STAGE_QUEUED].count)
            return true;
    return false;
}

/* "READ_BUFFER, blocking" */
static const char *words_of(const struct cw_command_times_row *v, char text[128])
{
    snprintf(text, 128, "%.100s%s", v->name ? v->name : "?", v->blocking ? ", blocking" : "");
    return text;
}

void cw_report_commands_print(const struct cw_report_facts *r, FILE *f)
{
    char name[128], a[16], b[16];

    if (!has_stages(r))
        return;
    fprintf(f, "\n%-16s %8s", "median, max", "commands");
    for (enum cw_stage s = 0; s < CW_STAGE_RUN; s++)
        fprintf(f, " %19s", stages[s].words);
    fputc('\n', f);
    for (size_t i = 0; i < r->commands.count && i < TERMINAL_ROWS; i++) {
        const struct cw_command_times_row *v = &r->commands.rows[i];
        fprintf(f, "%-16s", words_of(v, name));
        if (strlen(name) > 16)
            fprintf(f, "\n%16s", "");
        fprintf(f, " %8llu", (unsigned long long)v->commands);
        for (enum cw_stage s = 0; s < CW_STAGE_RUN; s++)
            fprintf(f, " %9s %9s", time_of(v->stage[s].median, &v->stage[s], a),
                    time_of(v->stage[s].max, &v->stage[s], b));
        fputc('\n', f);
    }
    if (r->commands.count > TERMINAL_ROWS)
        fprintf(f, "and %s\n", CW_COUNT(r->commands.count - TERMINAL_ROWS, "more kind of command"));
}

/* "1.20 s +- 30.0 ms" */
static const char *estimate_of(const struct cw_estimate *e, char text[48])
{
    char a[16], b[16];

    if (isnan(e->ns))
        return "-";
    if (isnan(e->half_ns))
        snprintf(text, 48, "%s, one has a time", cw_quantity_ns((uint64_t)e->ns, a));
    else
        snprintf(text, 48, "%s +- %s", cw_quantity_ns((uint64_t)e->ns, a),
                 cw_quantity_ns((uint64_t)e->half_ns, b));
    return text;
}

void cw_report_commands_estimates_print(const struct cw_report_facts *r, FILE *f)
{
    const struct cw_estimate *all = &r->commands.all;
    char name[128], text[48];

    if (!r->t->process.times_every)
        return;
    fprintf(f, "\n%-26s %9s %9s  %s\n", "estimated device times", "commands", "timed", "all, 95 % interval");
    for (size_t i = 0; i < r->commands.count; i++) {
        const struct cw_command_times_row *v = &r->commands.rows[i];
        if (!v->all.timed && !v->all.untimed)
            continue;
        fprintf(f, "%-26s %9llu %9llu  %s\n", words_of(v, name), (unsigned long long)v->commands,
                (unsigned long long)v->all.timed, estimate_of(&v->all, text));
    }
    fprintf(f, "%-26s %9llu %9llu  %s", "all of these", (unsigned long long)(all->timed + all->untimed),
            (unsigned long long)all->timed, estimate_of(all, text));
    if (all->unknown)
        fprintf(f, ", without %s of which fewer than two of their kind have times",
                CW_COUNT(all->unknown, "command"));
    fputc('\n', f);
}

static void page_row(const struct cw_command_times_row *v, bool estimated, FILE *f)
{
    char name[128], text[16], all[48];

    fputs("<tr><td>", f);
    cw_svg_text_escape(f, words_of(v, name));
    fprintf(f, "</td><td class=\"n\">%llu</td>", (unsigned long long)v->commands);
    for (enum cw_stage s = 0; s < CW_STAGES; s++) {
        const uint64_t ns[] = {v->stage[s].min, v->stage[s].median, v->stage[s].p95, v->stage[s].max};
        fprintf(f, "<td class=\"n\">%s</td>",
                v->stage[s].count ? cw_quantity_ns(v->stage[s].sum / v->stage[s].count, text) : "-");
        for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
            fprintf(f, "<td class=\"n\">%s</td>", time_of(ns[i], &v->stage[s], text));
    }
    if (estimated)
        fprintf(f, "<td class=\"n\">%s</td>", estimate_of(&v->all, all));
    fputs("</tr>\n", f);
}

void cw_report_commands_page(const struct cw_report_facts *r, FILE *f)
{
    if (!r->commands.count)
        return;
    fputs("<section id=\"waysection\">\n<h2>From the call to the end</h2>\n<div class=\"box\"><table><thead>"
          "<tr><th rowspan=\"2\">what</th><th class=\"n\" rowspan=\"2\">commands</th>",
          f);
    for (enum cw_stage s = 0; s < CW_STAGES; s++)
        fprintf(f, "<th colspan=\"5\" title=\"%s\">%s</th>", stages[s].title, stages[s].words);
    if (r->t->process.times_every)
        fputs("<th class=\"n\" rowspan=\"2\">all, 95 % interval</th>", f);
    fputs("</tr><tr>", f);
    for (enum cw_stage s = 0; s < CW_STAGES; s++)
        fputs("<th class=\"n\">mean</th><th class=\"n\">min</th><th class=\"n\">median</th><th "
              "class=\"n\">95 %</th><th class=\"n\">max</th>",
              f);
    fputs("</tr></thead><tbody>\n", f);
    for (size_t i = 0; i < r->commands.count && i < PAGE_ROWS; i++)
        page_row(&r->commands.rows[i], r->t->process.times_every, f);
    fputs("</tbody></table></div>\n<p class=\"soft\">Call: ", f);
    fprintf(f, "%s. In queue, to start, run: by the device's clock.</p>\n</section>\n", stages[0].title);
}

void cw_report_commands_put(const struct cw_report_facts *r, struct cw_json_out *o)
{
    cw_json_put_key(o, "ways");
    cw_json_put_char(o, '[');
    for (size_t i = 0; i < r->commands.count; i++) {
        const struct cw_command_times_row *v = &r->commands.rows[i];
        cw_json_put_text(o, i ? ",\n" : "\n");
        cw_json_put_open(o);
        cw_json_put_key(o, "name");
        cw_json_put_string(o, v->name ? v->name : "?");
        cw_json_put_key(o, "kernel");
        cw_json_put_u64(o, v->kernel);
        cw_json_put_key(o, "blocking");
        cw_json_put_u64(o, v->blocking);
        cw_json_put_key(o, "commands");
        cw_json_put_u64(o, v->commands);
        if (r->t->process.times_every && !isnan(v->all.half_ns)) {
            cw_json_put_member_u64(o, "all", (uint64_t)v->all.ns);
            cw_json_put_member_u64(o, "all_half", (uint64_t)v->all.half_ns);
        }
        for (enum cw_stage s = 0; s < CW_STAGES; s++) {
            cw_json_put_key(o, stages[s].key);
            cw_json_put_open(o);
            cw_report_host_put_spread(&v->stage[s], o);
            cw_json_put_close(o);
        }
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
}
