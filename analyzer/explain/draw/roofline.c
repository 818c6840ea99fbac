/* roofline.c - see report_parts.h. Lines have the text's colour of the page around it. */
#include "report_parts.h"

#include <math.h>
#include <stdbool.h>

#include "svg_text.h"

enum { WIDTH = 760, HEIGHT = 360, LEFT = 64, RIGHT = 24, TOP = 16, BOTTOM = 44, SIZE = 11, NAMED = 12 };

/* Decades: the lower left corner and the upper right one. */
struct frame {
    double x0, x1, y0, y1;
};

static double x_of(const struct frame *v, double intensity)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (log10(intensity) - v->x0) / (v->x1 - v->x0);
}

static double y_of(const struct frame *v, double gflops)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (v->y1 - log10(gflops)) / (v->y1 - v->y0);
}

static void widen(double value, double *low, double *high)
{
    if (!(value > 0) || !isfinite(value))
        return;
    *low = fmin(*low, floor(log10(value) - .15));
    *high = fmax(*high, ceil(log10(value) + .15));
}

static struct frame make_frame(const struct cw_device_roofs *roofs, const struct cw_roofline_mark *mark,
                               size_t n)
{
    double memory = cw_device_roofs_memory(roofs), single = roofs->v[CW_ROOF_SINGLE].median,
           twice = roofs->v[CW_ROOF_DOUBLE].median;
    struct frame v = {INFINITY, -INFINITY, INFINITY, -INFINITY};

    for (size_t i = 0; i < n; i++) {
        widen(mark[i].intensity, &v.x0, &v.x1);
        widen(mark[i].gflops, &v.y0, &v.y1);
    }
    widen(single, &v.y0, &v.y1);
    widen(twice, &v.y0, &v.y1);
    if (memory > 0) { /* so that the corners are in the picture */
        widen(single / memory, &v.x0, &v.x1);
        widen(twice / memory, &v.x0, &v.x1);
    }
    v.x0 = fmax(v.x0, -6);
    v.y0 = fmax(v.y0, -6);
    return v;
}

static void draw_axes(const struct frame *v, FILE *f)
{
    char text[32];

    for (int d = (int)v->x0; d <= (int)v->x1; d++) {
        double x = x_of(v, pow(10, d));
        fprintf(f, "<path d=\"M%.1f %d V%d\" stroke=\"currentColor\" stroke-opacity=\".15\"/>\n", x, TOP,
                HEIGHT - BOTTOM);
        snprintf(text, sizeof text, "%g", pow(10, d));
        cw_svg_text(f, x, HEIGHT - BOTTOM + 15, SIZE, "middle", "currentColor", "", text);
    }
    for (int d = (int)v->y0; d <= (int)v->y1; d++) {
        double y = y_of(v, pow(10, d));
        fprintf(f, "<path d=\"M%d %.1f H%d\" stroke=\"currentColor\" stroke-opacity=\".15\"/>\n", LEFT, y,
                WIDTH - RIGHT);
        snprintf(text, sizeof text, "%g", pow(10, d));
        cw_svg_text(f, LEFT - 6, y + 4, SIZE, "end", "currentColor", "", text);
    }
    cw_svg_text(f, WIDTH - RIGHT, HEIGHT - 8, SIZE, "end", "currentColor", "",
                "floating-point operations per byte");
    cw_svg_text(f, LEFT + 6, TOP + 12, SIZE, "start", "currentColor", "", "GFLOP/s");
}

/* `top` from its corner with the roof of memory on; the name stands above it or below. */
static void draw_roof(const struct frame *v, double memory, double top, bool above, const char *dash,
                      const char *name, FILE *f)
{
    double right = pow(10, v->x1), corner = memory > 0 ? top / memory : pow(10, v->x0);
    char text[64];

    if (!(top > 0))
        return;
    corner = fmin(fmax(corner, pow(10, v->x0)), right);
    fprintf(f,
            "<path d=\"M%.1f %.1f H%.1f\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"%s/>\n",
            x_of(v, corner), y_of(v, top), x_of(v, right), dash);
    snprintf(text, sizeof text, "%s %.3g GFLOP/s", name, top);
    cw_svg_text(f, x_of(v, right) - 4, y_of(v, top) + (above ? -6 : 14), SIZE, "end", "currentColor", "",
                text);
}

static void draw_memory(const struct frame *v, double memory, double top, FILE *f)
{
    double low = fmax(pow(10, v->x0), pow(10, v->y0) / memory), high = fmin(top / memory, pow(10, v->x1)), at;
    char text[48];

    if (!(memory > 0) || low >= high)
        return;
    fprintf(
        f, "<path d=\"M%.1f %.1f L%.1f %.1f\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/>\n",
        x_of(v, low), y_of(v, low * memory), x_of(v, high), y_of(v, high * memory));
    at = sqrt(low * high); /* the middle of the line */
    snprintf(text, sizeof text, "memory %.3g GB/s", memory);
    cw_svg_text(f, x_of(v, at) - 8, y_of(v, at * memory) - 6, SIZE, "end", "currentColor", "", text);
}

static void draw_mark(const struct frame *v, const struct cw_roofline_mark *m, bool named, FILE *f)
{
    double x = x_of(v, m->intensity), y = y_of(v, m->gflops), r = 3.5 + 8 * sqrt(m->weight);
    bool left = x > LEFT + .7 * (WIDTH - LEFT - RIGHT);
    char text[64];

    fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" fill-opacity=\".8\"><title>", x, y, r,
            m->fill);
    cw_svg_text_escape(f, m->name);
    fprintf(f, ": %.3g GFLOP/s at %.3g per byte, ", m->gflops, m->intensity);
    if (m->share > 0)
        fprintf(f, "%.0f %% of the roof, ", 100 * m->share);
    fprintf(f, "%.0f %% of the kernels' time</title></circle>\n", 100 * m->weight);
    if (named)
        cw_svg_text(f, left ? x - r - 3 : x + r + 3, y + 4, SIZE, left ? "end" : "start", "currentColor", "",
                    cw_svg_text_fit(m->name, SIZE, 200, text, sizeof text));
}

void cw_roofline_draw(const struct cw_device_roofs *roofs, const struct cw_roofline_mark *mark, size_t n,
                      FILE *f)
{
    const struct frame v = make_frame(roofs, mark, n);
    double memory = cw_device_roofs_memory(roofs), single = roofs->v[CW_ROOF_SINGLE].median,
           twice = roofs->v[CW_ROOF_DOUBLE].median;

    if (!(v.x1 > v.x0) || !(v.y1 > v.y0))
        return;
    fprintf(f,
            "<figure class=\"box\"><svg viewBox=\"0 0 %d %d\" width=\"%d\" style=\"max-width:100%%\" "
            "role=\"img\" aria-label=\"roofline\">\n",
            WIDTH, HEIGHT, WIDTH);
    draw_axes(&v, f);
    draw_memory(&v, memory, fmax(single, twice), f);
    draw_roof(&v, memory, single, single >= twice, "", "single", f);
    draw_roof(&v, memory, twice, twice > single, " stroke-dasharray=\"5 4\"", "double", f);
    for (size_t i = 0; i < n; i++)
        draw_mark(&v, &mark[i], i < NAMED, f);
    fputs("</svg></figure>\n", f);
}
