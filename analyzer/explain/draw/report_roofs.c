/* report_roofs.c - see report_parts.h. The picture is roofline.c. */
#include "report_parts.h"

#include <string.h>
#include <time.h>

#include "../../io/quantity.h"
#include "palette.h"
#include "svg_text.h"

enum { TERMINAL_KERNELS = 6, TERMINAL_RANGES = 3, PAGE_KERNELS = 60, PAGE_RANGES = 12, MOST_REASONS = 8 };

struct cw_roof_point cw_report_roofs_point(const struct cw_kernel_row *row,
                                           const struct cw_device_roofs *roofs)
{
    struct cw_roof_point p = {.gflops = cw_kernel_times_gflops(row),
                              .gbps = row->bytes_ns ? (double)row->work_bytes / (double)row->bytes_ns : 0};
    double memory = roofs ? cw_device_roofs_memory(roofs) : 0,
           compute = roofs ? cw_device_roofs_compute(roofs, row->single, row->twice) : 0;

    p.intensity = p.gbps > 0 ? p.gflops / p.gbps : 0;
    if (!row->flops_ns || !row->bytes_ns || !(memory > 0) || !(p.gflops + p.gbps > 0))
        return p;
    if (!(p.gflops > 0)) {
        p.by_memory = true;
        p.roof = memory;
        p.share = p.gbps / memory;
    } else if (compute > 0) {
        p.by_memory = p.gbps > 0 && p.intensity * memory < compute;
        p.roof = p.by_memory ? p.intensity * memory : compute;
        p.share = p.gflops / p.roof;
    }
    return p;
}

/* ---- what both forms say */

static const struct cw_device_roofs *roofs_of(const struct cw_report_facts *r,
                                              const struct cw_device_roofs *roofs,
                                              const struct cw_kernel_row *row)
{
    uint32_t device = cw_trace_command_device(r->t, &r->t->commands.v[row->launch]);

    return roofs && device < r->t->devices.count && roofs[device].when_s ? &roofs[device] : NULL;
}

static bool is_known(const struct cw_kernel_row *row)
{
    return row->flops_ns || row->bytes_ns;
}

static bool any_known(const struct cw_report_facts *r)
{
    for (size_t i = 0; i < r->kernels.kernel_count; i++)
        if (is_known(&r->kernels.kernels[i]))
            return true;
    return false;
}

static const char *name_of(const struct cw_report_facts *r, const struct cw_kernel_row *row)
{
    const char *name = r->t->kernels.v[row->kernel].name;

    return name ? name : "?";
}

/* "12.3", "45 %", "-" */
static const char *number(double value, const char *behind, char text[16])
{
    if (!(value > 0) || value >= 1e9)
        return "-";
    if (value < .005) {
        snprintf(text, 16, "<0.01%s", behind);
        return text;
    }
    snprintf(text, 16, "%.*f%s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, behind);
    return text;
}

static const char *in_thousands(double value, char text[16])
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    size_t u = 0;

    while (value >= 999.5 && u + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        u++;
    }
    snprintf(text, 16, "%.*f%s", u && value < 9.995 ? 2 : u && value < 99.95 ? 1 : 0, value, units[u]);
    return text;
}

/* The cells of a row: bytes and operations of a launch, operations per byte, GB/s, GFLOP/s, share, bound. */
enum { CELLS = 7 };
static const char *const heads[CELLS] = {"bytes", "flop", "flop/B", "GB/s", "GFLOP/s", "of roof", "bound by"};

static void fill_cells(const struct cw_kernel_row *row, const struct cw_roof_point *p, char cell[CELLS][16])
{
    char text[16];

    for (int i = 0; i < CELLS; i++)
        strcpy(cell[i], "-");
    if (row->bytes_launches)
        cw_quantity_bytes(row->work_bytes / row->bytes_launches, cell[0]);
    if (row->flops_launches)
        in_thousands((row->single + row->twice) / (double)row->flops_launches, cell[1]);
    if (row->flops_ns && p->gbps > 0)
        strcpy(cell[2], p->intensity > 0 ? number(p->intensity, "", text) : "0");
    strcpy(cell[3], number(p->gbps, "", text));
    if (row->flops_ns)
        strcpy(cell[4], p->gflops > 0 ? number(p->gflops, "", text) : "0");
    if (p->share > 0) {
        snprintf(cell[5], 16, "%.*f %%", p->share < .0995 ? 1 : 0, 100 * p->share);
        strcpy(cell[6], p->by_memory ? "memory" : "compute");
    }
}

/* The roofs of device `d` in words; false: none are kept. */
static bool describe(const struct cw_device_roofs *roofs, size_t d, char text[256])
{
    char a[16], b[16], c[16], when[16] = "";
    const struct cw_device_roofs *v = roofs ? &roofs[d] : NULL;
    time_t at;

    if (!v || !v->when_s)
        return false;
    at = (time_t)v->when_s;
    strftime(when, sizeof when, "%Y-%m-%d", localtime(&at));
    snprintf(text, 256, "memory %s GB/s, multiply-adds %s GFLOP/s single, %s double (measured %s)",
             number(cw_device_roofs_memory(v), "", a), number(v->v[CW_ROOF_SINGLE].median, "", b),
             number(v->v[CW_ROOF_DOUBLE].median, "", c), when);
    return true;
}

/* Some row with known work ran on device `d`. */
static bool is_used(const struct cw_report_facts *r, size_t d)
{
    for (size_t i = 0; i < r->kernels.kernel_count; i++)
        if (is_known(&r->kernels.kernels[i]) &&
            cw_trace_command_device(r->t, &r->t->commands.v[r->kernels.kernels[i].launch]) == d)
            return true;
    return false;
}

/* Calls each() for the reasons why bytes or operations of the first `rows` kernels are not known. */
static void visit_reasons(const struct cw_report_facts *r, size_t rows, FILE *f,
                          void (*each)(const struct cw_report_facts *r, const struct cw_kernel_row *row,
                                       const char *what, const char *why, FILE *f))
{
    size_t said = 0;

    for (size_t i = 0; i < r->kernels.kernel_count && i < rows && said < MOST_REASONS; i++) {
        const struct cw_kernel_row *v = &r->kernels.kernels[i];
        if (v->no_bytes && v->no_bytes == v->no_flops) {
            each(r, v, "bytes and operations", v->no_bytes, f);
            said++;
            continue;
        }
        if (v->no_bytes)
            each(r, v, "bytes", v->no_bytes, f);
        if (v->no_flops)
            each(r, v, "operations", v->no_flops, f);
        said += (v->no_bytes != NULL) + (v->no_flops != NULL);
    }
}

/* ---- the terminal */

static void print_row(const struct cw_report_facts *r, const struct cw_device_roofs *roofs,
                      const struct cw_kernel_row *v, const char *name, FILE *f)
{
    struct cw_roof_point p = cw_report_roofs_point(v, roofs_of(r, roofs, v));
    char cell[CELLS][16];

    fill_cells(v, &p, cell);
    fprintf(f, "%-16s", name);
    if (strlen(name) > 16)
        fprintf(f, "\n%16s", "");
    for (int i = 0; i < CELLS - 1; i++)
        fprintf(f, " %9s", cell[i]);
    fprintf(f, "  %s\n", cell[CELLS - 1]);
}

static void print_reason(const struct cw_report_facts *r, const struct cw_kernel_row *row, const char *what,
                         const char *why, FILE *f)
{
    fprintf(f, "%s: %s not known: %s\n", name_of(r, row), what, why);
}

static void print_roofs(const struct cw_report_facts *r, const struct cw_device_roofs *roofs, FILE *f)
{
    char text[256];
    bool missing = false;

    for (size_t d = 0; d < r->t->devices.count; d++) {
        if (!is_used(r, d))
            continue;
        if (describe(roofs, d, text))
            fprintf(f, "roofs of device %zu: %s\n", d, text);
        else
            missing = true;
    }
    if (missing)
        fputs("roofs: none are kept; `clweave devices --measure` measures those of this machine\n", f);
}

void cw_report_roofs_print(const struct cw_report_facts *r, const struct cw_device_roofs *roofs, FILE *f)
{
    char range[160], name[170];

    if (!any_known(r))
        return;
    fprintf(f, "\n%-16s", "work of a launch");
    for (int i = 0; i < CELLS - 1; i++)
        fprintf(f, " %9s", heads[i]);
    fprintf(f, "  %s\n", heads[CELLS - 1]);
    for (size_t i = 0; i < r->kernels.kernel_count && i < TERMINAL_KERNELS; i++) {
        const struct cw_kernel_row *v = &r->kernels.kernels[i];
        if (!v->spread.sum)
            break;
        print_row(r, roofs, v, name_of(r, v), f);
        for (size_t k = 0; v->range_count > 1 && k < v->range_count && k < TERMINAL_RANGES; k++) {
            const struct cw_kernel_row *w = &r->kernels.ranges[v->first_range + k];
            cw_kernel_times_range(&r->t->commands.v[w->launch], "x", range);
            snprintf(name, sizeof name, "  %s", range);
            print_row(r, roofs, w, name, f);
        }
    }
    visit_reasons(r, TERMINAL_KERNELS, f, print_reason);
    print_roofs(r, roofs, f);
}

/* ---- the page */

static void page_row(const struct cw_report_facts *r, const struct cw_device_roofs *roofs,
                     const struct cw_kernel_row *v, const char *name, bool range, FILE *f)
{
    struct cw_roof_point p = cw_report_roofs_point(v, roofs_of(r, roofs, v));
    char cell[CELLS][16];

    fill_cells(v, &p, cell);
    fputs(range ? "<tr><td class=\"soft\">&#8195;" : "<tr><td><b>", f);
    cw_svg_text_escape(f, name);
    fputs(range ? "</td>" : "</b></td>", f);
    for (int i = 0; i < CELLS; i++) {
        fputs(i < CELLS - 1 ? "<td class=\"n\">" : "<td>", f);
        cw_svg_text_escape(f, cell[i]);
        fputs("</td>", f);
    }
    fputs("</tr>\n", f);
}

static void page_table(const struct cw_report_facts *r, const struct cw_device_roofs *roofs, FILE *f)
{
    char range[160];

    fputs("<div class=\"box\"><table><thead><tr><th>kernel, NDRange</th>", f);
    for (int i = 0; i < CELLS; i++)
        fprintf(f, "<th%s>%s</th>", i < CELLS - 1 ? " class=\"n\"" : "", heads[i]);
    fputs("</tr></thead><tbody>\n", f);
    for (size_t i = 0; i < r->kernels.kernel_count && i < PAGE_KERNELS; i++) {
        const struct cw_kernel_row *v = &r->kernels.kernels[i];
        page_row(r, roofs, v, name_of(r, v), false, f);
        for (size_t k = 0; v->range_count > 1 && k < v->range_count && k < PAGE_RANGES; k++) {
            const struct cw_kernel_row *w = &r->kernels.ranges[v->first_range + k];
            cw_kernel_times_range(&r->t->commands.v[w->launch], "\xC3\x97", range);
            page_row(r, roofs, w, range, true, f);
        }
    }
    fputs("</tbody></table></div>\n", f);
}

static void page_reason(const struct cw_report_facts *r, const struct cw_kernel_row *row, const char *what,
                        const char *why, FILE *f)
{
    fputs("<p class=\"soft\">", f);
    cw_svg_text_escape(f, name_of(r, row));
    fprintf(f, ": %s not known: ", what);
    cw_svg_text_escape(f, why);
    fputs("</p>\n", f);
}

static void page_device(const struct cw_report_facts *r, const struct cw_device_roofs *roofs, size_t d,
                        const struct cw_palette *palette, FILE *f)
{
    struct cw_roofline_mark mark[PAGE_KERNELS];
    char text[256];
    size_t n = 0;

    if (!describe(roofs, d, text)) {
        fprintf(f,
                "<p>No roofs of device %zu are kept: <code>clweave devices --measure</code> measures those "
                "of this machine.</p>\n",
                d);
        return;
    }
    for (size_t i = 0; i < r->kernels.kernel_count && n < PAGE_KERNELS; i++) {
        const struct cw_kernel_row *v = &r->kernels.kernels[i];
        struct cw_roof_point p = cw_report_roofs_point(v, &roofs[d]);
        if (!(p.intensity > 0) || cw_trace_command_device(r->t, &r->t->commands.v[v->launch]) != d)
            continue;
        mark[n++] = (struct cw_roofline_mark){
            .name = name_of(r, v),
            .fill = cw_palette_colours[cw_palette_find(palette, name_of(r, v))].fill,
            .intensity = p.intensity,
            .gflops = p.gflops,
            .share = p.share,
            .weight = r->kernels.ns ? (double)v->spread.sum / (double)r->kernels.ns : 0};
    }
    fprintf(f, "<p>Roofs of device %zu: %s.</p>\n", d, text);
    if (n)
        cw_roofline_draw(&roofs[d], mark, n, f);
}

void cw_report_roofs_page(const struct cw_report_facts *r, const struct cw_device_roofs *roofs, FILE *f)
{
    struct cw_palette palette = {0};

    if (!any_known(r))
        return;
    cw_palette_add_kernels(&palette, r->t);
    fputs("<section id=\"roofsection\">\n<h2>Work of kernels and the device's roofs</h2>\n", f);
    for (size_t d = 0; d < r->t->devices.count; d++)
        if (is_used(r, d))
            page_device(r, roofs, d, &palette, f);
    cw_palette_finish(&palette);
    page_table(r, roofs, f);
    visit_reasons(r, PAGE_KERNELS, f, page_reason);
    fputs(
        "<p class=\"soft\">Bytes that a launch reads and writes, each once, at most, and its floating-point "
        "operations, counted in models of the sources; a fused multiply-add counts as two. Above 100 % of "
        "a roof: the bytes lie in a cache, or not all of them are touched.</p>\n</section>\n",
        f);
}
