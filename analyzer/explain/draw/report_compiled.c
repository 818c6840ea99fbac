/* report_compiled.c - see report_parts.h. */
#include "report_parts.h"

#include <inttypes.h>

#include "../../io/quantity.h"
#include "svg_text.h"

enum { PAGE_KERNELS = 60, PAGE_LOGS = 20 };

static const struct cw_t_kernel *kernel_of(const struct cw_report_facts *r, size_t row)
{
    return &r->t->kernels.v[r->kernels.kernels[row].kernel];
}

static void put_row(const struct cw_t_kernel *k, FILE *f)
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
            put_row(kernel_of(r, i), f);
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
