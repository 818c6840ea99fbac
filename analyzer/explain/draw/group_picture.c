/* group_picture.c - see gantt.h. Hue goes from the first group to the last, brightness alternates, so
 * that both the order and the borders of groups are seen. Neighbours of one group are one rectangle. */
#include "gantt.h"

#include <stdlib.h>

#include "svg_text.h"

enum { WIDTH = 1160, MARGIN = 20, NAMES = 150, SIZE = 12, SMALL = 11, BAR = 16, PANEL_HEAD = 48 };

#define INK   "#1f2933"
#define FAINT "#7b8794"

static const double left = MARGIN + NAMES, width = WIDTH - 2 * MARGIN - NAMES;

static double row_height(const struct cw_group_picture *p)
{
    double height = 340.0 / p->steps;

    return height > 20 ? 20 : height < 3 ? 3 : height;
}

static uint32_t rows(const struct cw_group_picture *p)
{
    return p->steps < CW_GROUP_PICTURE_STEPS ? p->steps : CW_GROUP_PICTURE_STEPS;
}

static void colour(char text[40], uint32_t group, uint32_t groups)
{
    double hue = groups > 1 ? 230 - 230.0 * group / (groups - 1) : 230;

    snprintf(text, 40, "hsl(%.0f,62%%,%d%%)", hue, group % 2 ? 76 : 60);
}

static void draw_run(FILE *f, const struct cw_group_picture *p, const struct cw_groups *g, uint32_t step,
                     uint32_t first, uint32_t end, uint32_t group, double y)
{
    double x = left + width * first / p->tiles[step], right = left + width * end / p->tiles[step],
           height = row_height(p);
    char fill[40], text[120];

    colour(fill, group, g->groups);
    snprintf(text, sizeof text, "step %u, tiles %u to %u of %u: group %u", step, first, end - 1,
             p->tiles[step], group);
    fprintf(
        f,
        "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"%s><title>%s</title></rect>\n",
        x, y, right - x, height, fill, height >= 6 ? " stroke=\"#ffffff\" stroke-width=\".6\"" : "", text);
    snprintf(text, sizeof text, "%u", group);
    if (height >= 13 && right - x > cw_svg_text_width(text, SMALL) + 2)
        cw_svg_text(f, (x + right) / 2, y + height / 2 + 4, SMALL, "middle", INK, "", text);
}

static enum cw_status draw_tiles(FILE *f, const struct cw_group_picture *p, const struct cw_groups *g,
                                 double top, struct cw_error *err)
{
    uint32_t *first = calloc((size_t)p->steps + 1, sizeof *first), *group;

    for (uint32_t s = 0; first && s < p->steps; s++)
        first[s + 1] = first[s] + p->tiles[s];
    group = first ? malloc((first[p->steps] + 1) * sizeof *group) : NULL;
    for (uint32_t k = 0; group && k < g->tiles; k++)
        group[first[g->tile[k].step] + g->tile[k].tile] = g->tile[k].group;
    for (uint32_t s = 0; group && s < rows(p); s++)
        for (uint32_t i = 0, end; i < p->tiles[s]; i = end) {
            for (end = i + 1; end < p->tiles[s] && group[first[s] + end] == group[first[s] + i];)
                end++;
            draw_run(f, p, g, s, i, end, group[first[s] + i], top + s * row_height(p));
        }
    free(first);
    free(group);
    return group ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory while drawing");
}

/* Names of steps where there is room; of those that repeat in turn every one is shown. */
static void draw_names(FILE *f, const struct cw_group_picture *p, double top)
{
    uint32_t every = 1;
    char text[100], fitted[100];

    while (row_height(p) * every < 13)
        every++;
    for (uint32_t s = 0; s < rows(p); s += every) {
        snprintf(text, sizeof text, "%u %.60s", s, p->names && p->names[s] ? p->names[s] : "");
        cw_svg_text(f, left - 8, top + (s + .5) * row_height(p) + 4, SMALL, "end", FAINT, "",
                    cw_svg_text_fit(text, SMALL, NAMES - 8, fitted, sizeof fitted));
    }
}

static double panel_height(const struct cw_group_picture *p)
{
    return PANEL_HEAD + rows(p) * row_height(p) + (rows(p) < p->steps ? 18 : 0) + 22;
}

static enum cw_status draw_panel(FILE *f, const struct cw_group_picture *p,
                                 const struct cw_group_panel *panel, double y, struct cw_error *err)
{
    char text[200];

    cw_svg_text(f, MARGIN, y + 14, 14, "start", INK, "font-weight=\"bold\"", panel->title);
    cw_svg_text(f, MARGIN, y + 34, SIZE, "start", FAINT, "",
                cw_svg_text_fit(panel->text, SIZE, WIDTH - 2 * MARGIN, text, sizeof text));
    draw_names(f, p, y + PANEL_HEAD);
    if (rows(p) < p->steps) {
        snprintf(text, sizeof text, "and %u steps more", p->steps - rows(p));
        cw_svg_text(f, left, y + PANEL_HEAD + rows(p) * row_height(p) + 14, SMALL, "start", FAINT, "", text);
    }
    return draw_tiles(f, p, panel->groups, y + PANEL_HEAD, err);
}

static void draw_bars(FILE *f, const struct cw_group_picture *p, double y)
{
    double most = 0, capacity = width - 130;

    for (uint32_t k = 0; k < p->bars; k++)
        most = p->bar[k].value > most ? p->bar[k].value : most;
    for (uint32_t k = 0; k < p->bars; k++, y += BAR + 8) {
        double w = most > 0 ? capacity * p->bar[k].value / most : 0;
        cw_svg_text(f, left - 8, y + 12, SMALL, "end", INK, "", p->bar[k].label);
        fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", left, y, w,
                BAR, k ? "#4477aa" : "#b8c1cc");
        cw_svg_text(f, left + w + 8, y + 12, SMALL, "start", INK, "", p->bar[k].text);
    }
}

/* Writes an SVG document. Errors: CW_ERR_NOMEM; those of `f` itself are found by the caller. */
static enum cw_status group_picture_draw(FILE *f, const struct cw_group_picture *p, struct cw_error *err)
{
    double y = 74, bars = p->bars ? p->bars * (BAR + 8) + 34 : 0;
    double height = y + bars + p->panels * panel_height(p) + MARGIN;
    char text[200];
    enum cw_status status = CW_OK;

    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
            "font-family=\"" CW_SVG_FONT "\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            WIDTH, height, WIDTH, height);
    cw_svg_text(f, MARGIN, 32, 17, "start", INK, "font-weight=\"bold\"",
                cw_svg_text_fit(p->heading, 17, WIDTH - 2 * MARGIN, text, sizeof text));
    cw_svg_text(f, MARGIN, 54, SIZE, "start", FAINT, "",
                cw_svg_text_fit(p->text, SIZE, WIDTH - 2 * MARGIN, text, sizeof text));
    if (p->bars) {
        cw_svg_text(f, MARGIN, y + 12, SIZE, "start", INK, "font-weight=\"bold\"", "bytes from memory");
        draw_bars(f, p, y + 22);
    }
    for (uint32_t k = 0; k < p->panels && status == CW_OK; k++)
        status = draw_panel(f, p, &p->panel[k], y + bars + k * panel_height(p), err);
    fputs("</svg>\n", f);
    return status;
}

static enum cw_status draw(FILE *f, const void *context, struct cw_error *err)
{
    return group_picture_draw(f, context, err);
}

enum cw_status cw_group_picture_write(const char *path, const struct cw_group_picture *p,
                                      struct cw_error *err)
{
    return cw_svg_file_write(path, draw, p, err);
}
