/* report_shares.c - see report_parts.h. */
#include "report_parts.h"

#include <stdlib.h>
#include <string.h>

#include "svg_text.h"

enum { KERNELS = 6, ROWS = 6, DEVICES = 8, CUTS = 6, REASONS = 200 };

/* A cut launch: its parts, by their first work-group. */
struct cut {
    const char *kernel;
    const struct cw_t_part *part;
    size_t parts;
    uint64_t start_ns;
};

struct shares {
    struct cw_t_part *part; /* of launches that are no tiles of priority groups */
    struct cut *cut;        /* by kernel, then by time */
    size_t cuts;
    uint32_t devices; /* that have parts */
    uint32_t device[DEVICES];
};

struct kernel {
    const struct cut *cut;
    size_t cuts;
};

static int by_command(const void *a, const void *b)
{
    const struct cw_t_part *x = a, *y = b;

    if (x->command != y->command)
        return x->command < y->command ? -1 : 1;
    return (x->first_group > y->first_group) - (x->first_group < y->first_group);
}

static int by_kernel(const void *a, const void *b)
{
    const struct cut *x = a, *y = b;
    int order = strcmp(x->kernel, y->kernel);

    if (order || x->start_ns != y->start_ns)
        return order ? order : x->start_ns < y->start_ns ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

static int by_launches(const void *a, const void *b)
{
    const struct kernel *x = a, *y = b;

    if (x->cuts != y->cuts)
        return x->cuts > y->cuts ? -1 : 1;
    return (x->cut > y->cut) - (x->cut < y->cut);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static const char *kernel_of(const struct cw_trace *t, uint32_t command)
{
    uint32_t k = command < t->commands.count ? t->commands.v[command].kernel : CW_NONE;
    const char *name = k < t->kernels.count ? t->kernels.v[k].name : NULL;

    return name ? name : "?";
}

static void note_device(struct shares *s, uint32_t device)
{
    uint32_t i = 0;

    while (i < s->devices && s->device[i] != device)
        i++;
    if (i == s->devices && s->devices < DEVICES)
        s->device[s->devices++] = device;
}

static bool find_shares(const struct cw_trace *t, struct shares *s)
{
    size_t n = 0;

    s->part = malloc((t->parts.count + 1) * sizeof *s->part);
    s->cut = malloc((t->parts.count + 1) * sizeof *s->cut);
    if (!s->part || !s->cut)
        return false;
    for (size_t i = 0; i < t->parts.count; i++)
        if (!t->parts.v[i].priority_group && t->parts.v[i].device < t->devices.count) {
            s->part[n++] = t->parts.v[i];
            note_device(s, t->parts.v[i].device);
        }
    qsort(s->part, n, sizeof *s->part, by_command);
    qsort(s->device, s->devices, sizeof *s->device, by_number);
    for (size_t i = 0; i < n; i++) {
        struct cut *c = &s->cut[s->cuts - (s->cuts > 0)];

        if (!s->cuts || c->part->command != s->part[i].command) {
            c = &s->cut[s->cuts++];
            *c = (struct cut){kernel_of(t, s->part[i].command), &s->part[i], 0, s->part[i].start_ns};
        }
        c->parts++;
        c->start_ns = s->part[i].start_ns < c->start_ns ? s->part[i].start_ns : c->start_ns;
    }
    qsort(s->cut, s->cuts, sizeof *s->cut, by_kernel);
    return true;
}

static uint64_t groups_on(const struct cut *c, size_t cuts, uint32_t device)
{
    uint64_t n = 0;

    for (size_t i = 0; i < cuts; i++)
        for (size_t k = 0; k < c[i].parts; k++)
            n += device == CW_NONE || c[i].part[k].device == device ? c[i].part[k].groups : 0;
    return n;
}

/* "16, 48 of 64": where the next work-group runs on another device. */
static const char *cuts_of(const struct cut *c, char text[200])
{
    uint32_t cuts = 0;
    int n = 0;

    for (size_t k = 1; k < c->parts; k++) {
        if (c->part[k].device == c->part[k - 1].device)
            continue;
        if (cuts < CUTS)
            n += snprintf(text + n, 200 - (size_t)n, "%s%llu", cuts ? ", " : "",
                          (unsigned long long)c->part[k].first_group);
        cuts++;
    }
    snprintf(text + n, 200 - (size_t)n, "%s of %llu",
             cuts > CUTS ? " ..."
             : cuts      ? ""
                         : "-",
             (unsigned long long)groups_on(c, 1, CW_NONE));
    return text;
}

/* Launches [from, to) of `k`. */
static void print_row(const struct shares *s, const struct kernel *k, size_t from, size_t to, bool page,
                      FILE *f)
{
    uint64_t all = groups_on(k->cut + from, to - from, CW_NONE), parts = 0;
    char launches[48], cuts[200];

    for (size_t i = from; i < to; i++)
        parts += k->cut[i].parts;
    snprintf(launches, sizeof launches, to > from + 1 ? "%zu to %zu" : "%zu", from + 1, to);
    fprintf(f, page ? "<td class=\"n\">%s</td>" : " %14s", launches);
    for (uint32_t d = 0; d < s->devices; d++)
        fprintf(f, page ? "<td class=\"n\">%.0f %%</td>" : " %7.0f %%",
                all ? 100.0 * (double)groups_on(k->cut + from, to - from, s->device[d]) / (double)all : 0);
    fprintf(f, page ? "<td class=\"n\">%.3g</td><td>%s</td></tr>\n" : " %7.3g  %s\n",
            (double)parts / (double)(to - from), cuts_of(&k->cut[to - 1], cuts));
}

static void print_kernel(const struct shares *s, const struct kernel *k, bool page, FILE *f)
{
    size_t rows = k->cuts < ROWS ? k->cuts : ROWS;

    for (size_t i = 0; i < rows; i++) {
        if (page) {
            fputs("<tr><td>", f);
            cw_svg_text_escape(f, i ? "" : k->cut->kernel);
            fputs("</td>", f);
        } else {
            fprintf(f, "%-16s", i ? "" : k->cut->kernel);
            if (!i && strlen(k->cut->kernel) > 16)
                fprintf(f, "\n%16s", "");
        }
        print_row(s, k, i * k->cuts / rows, (i + 1) * k->cuts / rows, page, f);
    }
}

static void print_head(const struct shares *s, bool page, FILE *f)
{
    char name[24];

    if (page)
        fputs("<div class=\"box\"><table><thead><tr><th>kernel</th><th class=\"n\">cut launches</th>", f);
    else
        fprintf(f, "\n%-16s %14s", "cut launches", "");
    for (uint32_t d = 0; d < s->devices; d++) {
        snprintf(name, sizeof name, "device %u", s->device[d]);
        fprintf(f, page ? "<th class=\"n\">%s</th>" : " %9s", name);
    }
    fputs(page
              ? "<th class=\"n\">blocks</th><th>the last one is cut at work-groups</th></tr></thead><tbody>\n"
              : "  blocks  cut at work-groups\n",
          f);
}

static bool print_shares(const struct shares *s, bool page, FILE *f)
{
    struct kernel *k = calloc(s->cuts + 1, sizeof *k);
    size_t kernels = 0;

    if (!k)
        return false;
    for (size_t i = 0; i < s->cuts; i++) {
        if (!i || strcmp(s->cut[i].kernel, s->cut[i - 1].kernel) != 0)
            k[kernels++].cut = &s->cut[i];
        k[kernels - 1].cuts++;
    }
    qsort(k, kernels, sizeof *k, by_launches);
    print_head(s, page, f);
    for (size_t i = 0; i < kernels && i < KERNELS; i++)
        print_kernel(s, &k[i], page, f);
    if (kernels > KERNELS)
        fprintf(f, page ? "<tr><td>and %zu kernels more</td></tr>\n" : "and %zu kernels more\n",
                kernels - KERNELS);
    if (page)
        fputs("</tbody></table></div>\n", f);
    free(k);
    return true;
}

/* ---- launches that were not cut */

struct whole {
    const char *kernel, *why;
    uint64_t launches;
};

static int by_count(const void *a, const void *b)
{
    const struct whole *x = a, *y = b;
    int order = strcmp(x->kernel, y->kernel);

    if (x->launches != y->launches)
        return x->launches > y->launches ? -1 : 1;
    return order ? order : strcmp(x->why, y->why);
}

/* Fills w[REASONS]; returns how many kernels and reasons there are. */
static size_t find_whole(const struct cw_trace *t, struct whole *w)
{
    size_t n = 0;

    for (uint32_t i = 0; i < t->commands.count; i++) {
        const char *kernel = kernel_of(t, i), *why = t->commands.v[i].whole;
        size_t k = 0;

        while (why && k < n && (strcmp(w[k].why, why) != 0 || strcmp(w[k].kernel, kernel) != 0))
            k++;
        if (!why || k == REASONS)
            continue;
        if (k == n)
            w[n++] = (struct whole){kernel, why, 0};
        w[k].launches++;
    }
    qsort(w, n, sizeof *w, by_count);
    return n;
}

static void print_whole(const struct whole *w, size_t n, bool page, FILE *f)
{
    if (page)
        fputs("<div class=\"box\"><table><thead><tr><th>kernel</th><th class=\"n\">launches</th>"
              "<th>not cut, because</th></tr></thead><tbody>\n",
              f);
    else
        fprintf(f, "\n%-16s %8s  why\n", "not cut", "launches");
    for (size_t i = 0; i < n && i < ROWS; i++) {
        if (!page) {
            fprintf(f, "%-16s %8llu  %s\n", w[i].kernel, (unsigned long long)w[i].launches, w[i].why);
            continue;
        }
        fputs("<tr><td>", f);
        cw_svg_text_escape(f, w[i].kernel);
        fprintf(f, "</td><td class=\"n\">%llu</td><td>", (unsigned long long)w[i].launches);
        cw_svg_text_escape(f, w[i].why);
        fputs("</td></tr>\n", f);
    }
    if (n > ROWS)
        fprintf(f, page ? "<tr><td>and %zu reasons more</td></tr>\n" : "and %zu reasons more\n", n - ROWS);
    if (page)
        fputs("</tbody></table></div>\n", f);
}

static enum cw_status print(const struct cw_trace *t, bool page, FILE *f, struct cw_error *err)
{
    struct whole whole[REASONS];
    struct shares s = {0};
    bool ok = find_shares(t, &s), any = ok && s.devices > 1;
    size_t n = find_whole(t, whole);

    if (page && (any || n))
        fputs("<section id=\"sharesection\">\n<h2>Launches cut over devices, or not</h2>\n", f);
    if (any)
        ok = print_shares(&s, page, f);
    if (n)
        print_whole(whole, n, page, f);
    if (page && (any || n))
        fputs("</section>\n", f);
    free(s.part);
    free(s.cut);
    return ok ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");
}

enum cw_status cw_report_shares_print(const struct cw_trace *t, FILE *f, struct cw_error *err)
{
    return print(t, false, f, err);
}

enum cw_status cw_report_shares_page(const struct cw_trace *t, FILE *f, struct cw_error *err)
{
    return print(t, true, f, err);
}
