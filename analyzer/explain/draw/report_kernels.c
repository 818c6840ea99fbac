/* report_kernels.c - see report_parts.h. */
#include "report_parts.h"
#include "../../io/quantity.h"
#include "svg_text.h"

#include <inttypes.h>
#include <string.h>

enum { PAGE_KERNELS = 60, PAGE_LOGS = 20 };

static const struct cw_t_kernel *kernel_of(const struct cw_report_facts *r, size_t row)
{
    return &r->t->kernels.v[r->kernels.kernels[row].kernel];
}

static void compiled_put_row(const struct cw_t_kernel *k, FILE *f)
{
    char a[16], b[16];

    fputs("<tr><td>", f);
    cw_svg_text_escape(f, k->name ? k->name : "?");
    fprintf(f,
            "</td><td class=\"n\">%u</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%u</td>"
            "<td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
            k->num_args, k->max_work_group_size, k->preferred_multiple, cw_quantity_bytes(k->local_bytes, a),
            cw_quantity_bytes(k->private_bytes, b));
}

static void put_kernels(const struct cw_report_facts *r, FILE *f)
{
    fputs("<div class=\"box\"><table><thead><tr><th>kernel</th><th class=\"n\">arguments</th><th "
          "class=\"n\">largest work-group</th><th class=\"n\">preferred multiple</th><th class=\"n\">local "
          "memory</th><th class=\"n\">private memory of a work-item</th></tr></thead><tbody>\n",
          f);
    for (size_t i = 0; i < r->kernels.kernel_count && i < PAGE_KERNELS; i++)
        if (kernel_of(r, i)->max_work_group_size)
            compiled_put_row(kernel_of(r, i), f);
    fputs("</tbody></table></div>\n", f);
}

static void put_warnings(const struct cw_report_facts *r, FILE *f)
{
    size_t said = 0;

    for (size_t i = 0; i < r->t->programs.count && said < PAGE_LOGS; i++) {
        const char *text = r->t->programs.v[i].warnings;
        if (!text)
            continue;
        said++;
        fprintf(f, "<div><b>Program %zu, which was built</b></div><div class=\"log mono\">", i);
        cw_svg_text_escape(f, text);
        fputs("</div>\n", f);
    }
}

void cw_report_compiled_page(const struct cw_report_facts *r, FILE *f)
{
    bool kernels = false, said = false;

    for (size_t i = 0; i < r->kernels.kernel_count; i++)
        kernels |= kernel_of(r, i)->max_work_group_size != 0;
    for (size_t i = 0; i < r->t->programs.count; i++)
        said |= r->t->programs.v[i].warnings != NULL;
    if (!kernels && !said)
        return;
    fputs("<section id=\"compiledsection\">\n<h2>Compiled kernels</h2>\n", f);
    if (kernels)
        put_kernels(r, f);
    put_warnings(r, f);
    fputs("</section>\n", f);
}

enum {
    TERMINAL_KERNELS = 6,
    TERMINAL_RANGES = 3, /* of each, where it has several */
    PAGE_RANGES = 12
};

/* The bytes that a core could load and store in a cycle, more than any has. */
enum { BYTES_PER_CYCLE = 192 };

/* 0 where the bound is more than the cores of the row's device could load: it says nothing. */
static double bound_of(const struct cw_report_facts *r, const struct cw_kernel_row *row)
{
    uint32_t d = cw_trace_command_device(r->t, &r->t->commands.v[row->launch]);
    const struct cw_t_device *v = d < r->t->devices.count ? &r->t->devices.v[d] : NULL;
    double most = v ? 1e-3 * BYTES_PER_CYCLE * v->compute_units * v->max_clock_mhz : 0,
           bound = cw_kernel_times_gbps(row);

    return most > 0 && bound > most ? 0 : bound;
}

/* ---- the terminal */

static const char *rate(double value, const char *before, char text[16])
{
    if (!(value > 0) || value >= 1e6)
        return "-";
    snprintf(text, 16, "%s%.*f", before, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
    return text;
}

static void print_row(const struct cw_report_facts *r, const struct cw_kernel_row *v, const char *name,
                      bool with_flops, FILE *f)
{
    const struct cw_spread *s = &v->spread;
    char a[16], b[16], c[16], d[16], g[16];

    fprintf(f, "%-16s", name);
    if (strlen(name) > 16)
        fprintf(f, "\n%16s", "");
    fprintf(f, " %8llu %4.0f%% %9s %9s %9s %9s %8s", (unsigned long long)v->launches,
            r->kernels.ns ? 100.0 * (double)s->sum / (double)r->kernels.ns : 0, cw_quantity_ns(s->min, a),
            cw_quantity_ns(s->median, b), cw_quantity_ns(s->p95, c), cw_quantity_ns(s->max, d),
            rate(bound_of(r, v), "<=", g));
    if (with_flops)
        fprintf(f, " %8s", rate(cw_kernel_times_gflops(v), "", a));
    fputc('\n', f);
}

void cw_report_kernels_print(const struct cw_report_facts *r, FILE *f)
{
    const struct cw_kernel_times *k = &r->kernels;
    char range[160], name[170];
    bool with_flops = false;
    size_t shown = 0;

    for (size_t i = 0; i < k->kernel_count; i++)
        with_flops |= k->kernels[i].single + k->kernels[i].twice > 0;
    if (!k->ns)
        return;
    fprintf(f, "\n%-16s %8s %5s %9s %9s %9s %9s %8s%s\n", "kernels", "launches", "share", "min", "median",
            "95 %", "max", "GB/s", with_flops ? "  GFLOP/s" : "");
    for (; shown < k->kernel_count && shown < TERMINAL_KERNELS && k->kernels[shown].spread.sum; shown++) {
        const struct cw_kernel_row *v = &k->kernels[shown];
        print_row(r, v, r->t->kernels.v[v->kernel].name ? r->t->kernels.v[v->kernel].name : "?", with_flops,
                  f);
        for (size_t i = 0; v->range_count > 1 && i < v->range_count && i < TERMINAL_RANGES; i++) {
            const struct cw_kernel_row *w = &k->ranges[v->first_range + i];
            cw_kernel_times_range(&r->t->commands.v[w->launch], "x", range);
            snprintf(name, sizeof name, "  %s", range);
            print_row(r, w, name, with_flops, f);
        }
        if (v->range_count > TERMINAL_RANGES)
            fprintf(f, "  and %s\n", CW_COUNT(v->range_count - TERMINAL_RANGES, "more NDRange"));
    }
    if (shown < k->kernel_count)
        fprintf(f, "and %s\n", CW_COUNT(k->kernel_count - shown, "more kernel"));
}

/* ---- the page */

/* A rate in 10^6 per second; 0: not known. */
static void put_rate(struct cw_json_out *o, const char *key, double giga)
{
    cw_json_put_key(o, key);
    cw_json_put_double(o, giga > 0 && giga < 1e9 ? giga * 1000 : 0);
}

/* The members of a row into the object that is open. */
static void put_row(const struct cw_report_facts *r, struct cw_json_out *o, const struct cw_kernel_row *v,
                    bool range)
{
    const char *name = r->t->kernels.v[v->kernel].name;
    char text[160];

    cw_json_put_key(o, "name");
    if (range)
        cw_kernel_times_range(&r->t->commands.v[v->launch], "×", text);
    cw_json_put_string(o, range ? text : name ? name : "?");
    cw_json_put_member_u64(o, "launches", v->launches);
    cw_json_put_member_u64(o, "failed", v->failed);
    cw_report_host_put_spread(&v->spread, o);
    put_rate(o, "mbps", bound_of(r, v));
    put_rate(o, "mflops", cw_kernel_times_gflops(v));
    cw_json_put_key(o, "bins");
    cw_json_put_char(o, '[');
    for (unsigned b = 0; b < CW_KERNEL_BINS && v->spread.count; b++) {
        cw_json_put_text(o, b ? "," : "");
        cw_json_put_u64(o, v->bins[b]);
    }
    cw_json_put_char(o, ']');
}

static void put_ranges(const struct cw_report_facts *r, struct cw_json_out *o, const struct cw_kernel_row *v)
{
    cw_json_put_member_u64(o, "range_count", v->range_count);
    cw_json_put_key(o, "ranges");
    cw_json_put_char(o, '[');
    for (size_t i = 0; i < v->range_count && i < PAGE_RANGES; i++) {
        cw_json_put_text(o, i ? ",\n" : "\n");
        cw_json_put_open(o);
        put_row(r, o, &r->kernels.ranges[v->first_range + i], true);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
}

void cw_report_kernels_put(const struct cw_report_facts *r, struct cw_json_out *o)
{
    cw_json_put_member_u64(o, "kernels_ns", r->kernels.ns);
    cw_json_put_key(o, "kernels");
    cw_json_put_char(o, '[');
    for (size_t i = 0; i < r->kernels.kernel_count; i++) {
        cw_json_put_text(o, i ? ",\n" : "\n");
        cw_json_put_open(o);
        put_row(r, o, &r->kernels.kernels[i], false);
        put_ranges(r, o, &r->kernels.kernels[i]);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
}
