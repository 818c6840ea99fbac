/* density.c - see gantt.h. */
#include "gantt.h"

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

struct cw_density *cw_density_create(uint32_t pixels)
{
    struct cw_density *d = calloc(1, sizeof *d + (size_t)pixels * sizeof *d->column);

    if (d)
        d->pixels = pixels;
    return d;
}

void cw_density_destroy(struct cw_density *d)
{
    free(d);
}

void cw_density_clear(struct cw_density *d)
{
    memset(d->column, 0, (size_t)d->pixels * sizeof *d->column);
}

void cw_density_add(struct cw_density *d, double x, double end)
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

bool cw_density_draw(const struct cw_density *d, FILE *f, double left, double bottom, uint32_t full,
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
