#include "gantt.h"
#include "palette.h"
#include "svg_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct column {
    double taken;
    uint32_t count;
};

struct cw_density {
    uint32_t pixels;
    struct column column[];
};

static struct cw_density *density_create(uint32_t pixels)
{
    struct cw_density *d = calloc(1, sizeof *d + (size_t)pixels * sizeof *d->column);

    if (d)
        d->pixels = pixels;
    return d;
}

/* NULL is fine */
static void density_destroy(struct cw_density *d)
{
    free(d);
}

/* Of `pixels` > 0 columns, all empty. NULL: memory is out. */
static void density_clear(struct cw_density *d)
{
    memset(d->column, 0, (size_t)d->pixels * sizeof *d->column);
}

/* Adds an item that reaches from `x` to `end`, in pixels from the first column's left edge; end < x + 1. */
static void density_add(struct cw_density *d, double x, double end)
{
    uint32_t last = d->pixels - 1, k = x < 0 ? 0 : x < last ? (uint32_t)x : last;

    d->column[k].count++;
    d->column[k].taken += fmin(end, k + 1.0) - x;
    if (end > k + 1.0 && k < last)
        d->column[k + 1].taken += end - (k + 1.0);
}

static uint32_t height_of(const struct column *c, uint32_t full)
{
    return c->count || c->taken > 0 ? (uint32_t)fmax(round(full * fmin(c->taken, 1)), 1) : 0;
}

/* Writes the columns as SVG rectangles of colour `fill` to `f`; neighbours of one height are one. The first
 * column's left edge is at `left`, the row is `full` pixels high and ends at `bottom`. A column with
 * anything in it is at least one pixel high. Returns false when there is nothing to draw. */
static bool density_draw(const struct cw_density *d, FILE *f, double left, double bottom, uint32_t full,
                         const char *fill)
{
    bool any = false;

    for (uint32_t k = 0, end; k < d->pixels; k = end) {
        uint32_t height = height_of(&d->column[k], full), count = 0;
        double taken = 0;
        for (end = k; end < d->pixels && height_of(&d->column[end], full) == height; end++) {
            count += d->column[end].count;
            taken += d->column[end].taken;
        }
        if (!height)
            continue;
        any = true;
        fprintf(f,
                "<rect x=\"%.2f\" y=\"%.1f\" width=\"%u\" height=\"%u\" fill=\"%s\"><title>%u short "
                "commands, %.0f %% of this "
                "time</title></rect>\n",
                left + k, bottom - height, end - k, height, fill, count, 100 * taken / (end - k));
    }
    return any;
}

enum { WIDTH = 1160, MARGIN = 20, ROW = 36, ROW_GAP = 8, ROWS_TOP = 104, LEGEND_ROW = 22, RIGHT = 64 };
enum { LABEL_SIZE = 12, SMALL_SIZE = 11 };

#define INK   "#1f2933"
#define FAINT "#7b8794"
#define MANY  "#52606d" /* commands too short to draw one by one */

struct bar {
    double start, finish;
    uint32_t task, device;
};

struct chart {
    FILE *f;
    const struct cw_plan_input *input;
    const struct cw_plan_result *result;
    double span;        /* time at the right edge */
    double left, width; /* of the rows, pixels */
    double height;
    struct bar *bar;
    size_t bars;
    char (*group)[64]; /* legend: names of the groups that share a colour */
    uint32_t groups;
    struct cw_palette palette;
    uint32_t *group_of;   /* per name of the graph; CW_SCHED_NONE = a transfer */
    bool by_task;         /* all names alike: colour by task instead, no legend */
    bool transfers, many; /* occur in the picture */
};

static double x_of(const struct chart *c, double time)
{
    return c->left + time / c->span * c->width;
}

/* ---- colours */

/* "mul12" -> "mul": tasks of generated graphs are numbered, kernels are not. */
static void stem(const struct chart *c, const char *name, char *out, size_t size)
{
    size_t n;

    snprintf(out, size, "%s", name);
    n = strlen(out);
    while (!c->input->trace && n > 1 && strchr("0123456789_-.", out[n - 1]))
        n--;
    out[n] = '\0';
}

static bool group_names(struct chart *c)
{
    const struct cw_graph *g = c->input->graph;

    c->group = calloc(g->name_count + 1, sizeof *c->group);
    c->group_of = calloc(g->name_count + 1, sizeof *c->group_of);
    if (!c->group || !c->group_of)
        return false;
    for (uint32_t k = 0; k < g->name_count; k++) {
        char text[64];
        uint32_t at = 0;
        c->group_of[k] = CW_SCHED_NONE;
        snprintf(text, sizeof text, "CL_COMMAND_%.50s", g->names[k]);
        if (c->input->trace && cw_trace_command_type_from_name(text))
            continue;
        stem(c, g->names[k], text, sizeof text);
        while (at < c->groups && strcmp(c->group[at], text) != 0)
            at++;
        if (at == c->groups)
            strcpy(c->group[c->groups++], text);
        c->group_of[k] = at;
    }
    c->by_task = !c->input->trace && c->groups <= 1;
    if (c->input->trace)
        cw_palette_add_kernels(&c->palette, c->input->trace);
    for (uint32_t k = 0; k < c->groups; k++)
        cw_palette_add(&c->palette, c->group[k]);
    return true;
}

static const struct cw_palette_colour *colour_of(struct chart *c, uint32_t task)
{
    uint32_t name = c->input->graph->name[task];
    uint32_t group = c->by_task ? task : name == CW_SCHED_NONE ? 0 : c->group_of[name];

    if (group == CW_SCHED_NONE) {
        c->transfers = true;
        return &cw_palette_kinds[CW_PALETTE_OTHER];
    }
    return &cw_palette_colours[c->by_task || !c->groups ? group % CW_PALETTE_COLOURS
                                                        : cw_palette_find(&c->palette, c->group[group])];
}

/* ---- rows */

static int by_row(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static bool collect_bars(struct chart *c)
{
    const struct cw_schedule *s = c->result->schedule;
    size_t capacity = s->parts + (size_t)s->tasks + 1;

    c->bar = malloc(capacity * sizeof *c->bar);
    if (!c->bar)
        return false;
    for (uint32_t i = 0; i < s->tasks; i++)
        for (uint32_t k = 0; k < s->task[i].parts; k++) {
            struct cw_part part = cw_schedule_part(s, c->input->graph, i, k);
            if (part.finish > part.start)
                c->bar[c->bars++] = (struct bar){part.start, part.finish, i, part.device};
        }
    qsort(c->bar, c->bars, sizeof *c->bar, by_row);
    return true;
}

static double row_y(uint32_t device)
{
    return ROWS_TOP + (double)device * (ROW + ROW_GAP);
}

static void draw_label(const struct chart *c, const struct bar *b, double x, double y, double width,
                       const char *fill)
{
    const char *name = cw_graph_name(c->input->graph, b->task);
    char number[16], both[100];

    snprintf(number, sizeof number, "%u", b->task);
    snprintf(both, sizeof both, "%u %.80s", b->task, name ? name : "");
    if (name && cw_svg_text_width(both, SMALL_SIZE) + 6 <= width)
        cw_svg_text(c->f, x + width / 2, y + ROW / 2 + 4, SMALL_SIZE, "middle", fill, "", both);
    else if (cw_svg_text_width(number, SMALL_SIZE) + 3 <= width)
        cw_svg_text(c->f, x + width / 2, y + ROW / 2 + 4, SMALL_SIZE, "middle", fill, "", number);
}

static void draw_bar(struct chart *c, const struct bar *b)
{
    const struct cw_placement *t = &c->result->schedule->task[b->task];
    const char *name = cw_graph_name(c->input->graph, b->task);
    const struct cw_palette_colour *colour = colour_of(c, b->task);
    double x = x_of(c, b->start), width = x_of(c, b->finish) - x, y = row_y(b->device);
    char start[32], finish[32];

    fprintf(c->f, "<g><title>%u ", b->task);
    cw_svg_text_escape(c->f, name ? name : "");
    fprintf(c->f, "\n%s to ", cw_plan_time(c->input, b->start, c->span, start, sizeof start));
    fprintf(c->f, "%s%s", cw_plan_time(c->input, b->finish, c->span, finish, sizeof finish),
            t->parts > 1 ? "\nshared by several devices" : "");
    fprintf(c->f,
            "</title><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" rx=\"2\" fill=\"%s\" "
            "stroke=\"#ffffff\" "
            "stroke-width=\"%s\"/>",
            x, y, width, ROW, colour->fill, width > 3 ? "1" : "0");
    if (t->parts > 1)
        fprintf(c->f,
                "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" rx=\"2\" fill=\"url(#shared)\"/>",
                x, y, width, ROW);
    draw_label(c, b, x, y, width, colour->text);
    fputs("</g>\n", c->f);
}

static bool is_thin(const struct chart *c, const struct bar *b)
{
    return x_of(c, b->finish) - x_of(c, b->start) < 1;
}

/* Draws bars; those narrower than a pixel by density. False: memory is out. */
static bool draw_bars(struct chart *c)
{
    struct cw_density *v = density_create((uint32_t)c->width + 1);

    for (size_t k = 0, end; v && k < c->bars; k = end) {
        density_clear(v);
        for (end = k; end < c->bars && c->bar[end].device == c->bar[k].device; end++)
            if (is_thin(c, &c->bar[end]))
                density_add(v, x_of(c, c->bar[end].start) - c->left, x_of(c, c->bar[end].finish) - c->left);
        c->many |= density_draw(v, c->f, c->left, row_y(c->bar[k].device) + ROW, ROW, MANY);
        for (size_t i = k; i < end; i++)
            if (!is_thin(c, &c->bar[i]))
                draw_bar(c, &c->bar[i]);
    }
    density_destroy(v);
    return v;
}

static void draw_rows(const struct chart *c)
{
    char text[80], use[16];

    for (uint32_t d = 0; d < c->input->platform->devices; d++) {
        double y = row_y(d);
        fprintf(c->f, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"#eef1f4\"/>\n",
                c->left, y, c->width, ROW);
        cw_svg_text_fit(c->input->platform->device[d].name, LABEL_SIZE, c->left - MARGIN - 8, text,
                        sizeof text);
        cw_svg_text(c->f, c->left - 8, y + ROW / 2 + 4, LABEL_SIZE, "end", INK, "", text);
        snprintf(use, sizeof use, "%.0f %%", 100 * c->result->metrics.utilisation[d]);
        cw_svg_text(c->f, c->left + c->width + 8, y + ROW / 2 + 4, SMALL_SIZE, "start", FAINT, "", use);
    }
}

/* ---- axis, markers, legend, head */

/* The least of 1, 2, 5 x 10^n that is at least `x`. */
static double nice_step(double x)
{
    double ten = pow(10, floor(log10(x)));

    return x <= ten ? ten : x <= 2 * ten ? 2 * ten : x <= 5 * ten ? 5 * ten : 10 * ten;
}

static void draw_axis(const struct chart *c, double bottom)
{
    double step = nice_step(c->span / 9);
    char text[32];

    for (double k = 0; k * step <= c->span * (1 + 1e-9); k++) {
        double x = x_of(c, k * step);
        fprintf(c->f, "<path d=\"M%.2f %d V%.1f\" stroke=\"#d5dbe1\"/>\n", x, ROWS_TOP - 4, bottom + 4);
        cw_svg_text(c->f, x, bottom + 18, SMALL_SIZE, "middle", FAINT, "",
                    cw_plan_time(c->input, k * step, c->span, text, sizeof text));
    }
}

/* A vertical line with its label in row 0 or 1 above the rows, on the side where there is room. */
static void draw_marker(const struct chart *c, double time, const char *what, const char *ink,
                        const char *dash, int row, double bottom)
{
    double x = x_of(c, time), y = ROWS_TOP - 26 + 14 * row;
    char text[100], at[32];
    bool before = x > c->left + c->width / 2;

    snprintf(text, sizeof text, "%s %s", what, cw_plan_time(c->input, time, c->span, at, sizeof at));
    fprintf(c->f,
            "<path d=\"M%.2f %.1f V%.1f\" stroke=\"%s\" stroke-width=\"1.5\" stroke-dasharray=\"%s\"/>\n", x,
            y - 9, bottom + 4, ink, dash);
    cw_svg_text(c->f, before ? x - 5 : x + 5, y, SMALL_SIZE, before ? "end" : "start", ink, "", text);
}

static double legend_entry(const struct chart *c, double *x, double y, const char *fill, const char *overlay,
                           const char *text)
{
    double width = 26 + cw_svg_text_width(text, SMALL_SIZE) + 16;

    if (*x + width > WIDTH - MARGIN && *x > c->left) {
        *x = c->left;
        y += LEGEND_ROW;
    }
    fprintf(c->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"13\" rx=\"2\" fill=\"%s\"/>", *x, y,
            fill);
    if (overlay)
        fprintf(c->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"13\" rx=\"2\" fill=\"%s\"/>", *x, y,
                overlay);
    cw_svg_text(c->f, *x + 24, y + 11, SMALL_SIZE, "start", INK, "", text);
    *x += width;
    return y;
}

/* Returns the y below it. */
static double draw_legend(const struct chart *c, double y)
{
    double x = c->left;
    bool shared = false;
    char text[64];

    for (uint32_t i = 0; i < c->result->schedule->tasks; i++)
        shared |= c->result->schedule->task[i].parts > 1;
    for (uint32_t k = 0; !c->by_task && k < c->groups && k < CW_PALETTE_COLOURS; k++)
        y = legend_entry(c, &x, y, cw_palette_colours[cw_palette_find(&c->palette, c->group[k])].fill, NULL,
                         cw_svg_text_fit(c->group[k], SMALL_SIZE, 260, text, sizeof text));
    if (!c->by_task && c->groups > CW_PALETTE_COLOURS) {
        snprintf(text, sizeof text, "and %u more, colours repeat", c->groups - CW_PALETTE_COLOURS);
        y = legend_entry(c, &x, y, "#ffffff", NULL, text);
    }
    if (c->transfers)
        y = legend_entry(c, &x, y, cw_palette_kinds[CW_PALETTE_OTHER].fill, NULL, "transfer");
    if (c->many)
        y = legend_entry(c, &x, y, MANY, NULL, "short commands: as high as the share of time that they take");
    if (shared)
        y = legend_entry(c, &x, y, FAINT, "url(#shared)", "shared: same number, several devices");
    y = legend_entry(c, &x, y, "#eef1f4", NULL, "idle");
    return y + LEGEND_ROW;
}

static void draw_head(const struct chart *c)
{
    const struct cw_metrics *m = &c->result->metrics;
    const char *slash = strrchr(c->input->file, '/');
    char line[400], fitted[400];

    snprintf(line, sizeof line, "%s: %s%s%s", c->result->label, slash ? slash + 1 : c->input->file,
             c->input->platform_name ? " on " : "", c->input->platform_name ? c->input->platform_name : "");
    cw_svg_text(c->f, MARGIN, 32, 17, "start", INK, "font-weight=\"bold\"",
                cw_svg_text_fit(line, 17, WIDTH - 2 * MARGIN, fitted, sizeof fitted));
    snprintf(line, sizeof line, "SLR %.2f", m->slr);
    if (!isnan(m->speedup))
        snprintf(line + strlen(line), sizeof line - strlen(line), "   speedup %.2f   efficiency %.2f",
                 m->speedup, m->efficiency);
    cw_svg_text(c->f, MARGIN, 54, LABEL_SIZE, "start", FAINT, "xml:space=\"preserve\"", line);
}

/* The legend decides the height, and its entries are known only when all is drawn; so the body comes first.
 */
static bool draw(struct chart *c, FILE *out, char **body, size_t *size)
{
    double bottom = row_y(c->input->platform->devices) - ROW_GAP;

    draw_rows(c);
    draw_axis(c, bottom);
    draw_marker(c, c->result->metrics.makespan, "makespan", "#b3261e", "none", 0, bottom);
    draw_marker(c, c->result->metrics.bounds.best, "lower bound", "#1d5fa8", "5 3", 1, bottom);
    if (!draw_bars(c)) /* last, so that no line runs through a label */
        return false;
    c->height = draw_legend(c, bottom + 36) + MARGIN;
    draw_head(c);
    fflush(c->f);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
            "font-family=\"" CW_SVG_FONT "\">\n"
            "<defs><pattern id=\"shared\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(45)\"><rect width=\"2.5\" height=\"7\" fill=\"#ffffff\" "
            "fill-opacity=\"0.28\"/>"
            "</pattern></defs>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            WIDTH, c->height, WIDTH, c->height);
    fwrite(*body, 1, *size, out);
    fputs("</svg>\n", out);
    return true;
}

static enum cw_status write_svg(FILE *out, const struct cw_plan_input *input, const struct cw_plan_result *r,
                                struct cw_error *err)
{
    struct chart c = {.input = input, .result = r, .span = r->metrics.makespan > 0 ? r->metrics.makespan : 1};
    enum cw_status status = CW_ERR_NOMEM;
    char *body = NULL;
    size_t size = 0;

    for (uint32_t d = 0; d < input->platform->devices; d++)
        c.left = fmax(c.left, cw_svg_text_width(input->platform->device[d].name, LABEL_SIZE));
    c.left = fmin(c.left, 240) + MARGIN + 12;
    c.width = WIDTH - c.left - RIGHT;
    c.f = open_memstream(&body, &size);
    if (c.f && group_names(&c) && collect_bars(&c) && draw(&c, out, &body, &size))
        status = ferror(c.f) ? CW_ERR_NOMEM : CW_OK;
    if (c.f)
        fclose(c.f);
    free(body);
    free(c.bar);
    free(c.group);
    free(c.group_of);
    cw_palette_finish(&c.palette);
    return status == CW_OK ? CW_OK : cw_error_set(err, status, "out of memory while drawing");
}

struct what { /* the chart that cw_svg_file_write asks for */
    const struct cw_plan_input *input;
    const struct cw_plan_result *result;
};

static enum cw_status draw_what(FILE *f, const void *context, struct cw_error *err)
{
    const struct what *what = context;

    return write_svg(f, what->input, what->result, err);
}

enum cw_status cw_gantt_write(const char *path, const struct cw_plan_input *input,
                              const struct cw_plan_result *r, struct cw_error *err)
{
    return cw_svg_file_write(path, draw_what, &(struct what){input, r}, err);
}
