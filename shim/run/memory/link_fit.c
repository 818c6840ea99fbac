#include "link_fit.h"

#include <math.h>

#define LARGE   0x1p20 /* bytes of a large copy */
#define DIFFERS 1.25   /* times */
#define VARIED  0.1    /* of sizes: variance over mean square; below, all are of about one size */

static double ns_of(const struct cw_plan_link *l, double bytes)
{
    return l->latency_ns + bytes / l->bytes_per_ns;
}

void cw_link_fit_begin(struct cw_link_fit *f, const struct cw_plan_link *guess)
{
    *f = (struct cw_link_fit){.guess = *guess};
}

void cw_link_fit_add(struct cw_link_fit *f, uint64_t bytes, double ns)
{
    double *const sums[] = {&f->w, &f->wx, &f->wy, &f->wxx, &f->wxy, &f->n, &f->quick};
    double x = (double)bytes, w = 1 / (ns * ns);

    if (!(ns > 0) || isinf(ns))
        return;
    for (uint32_t k = 0; k < sizeof sums / sizeof *sums; k++)
        *sums[k] *= 1 - 1.0 / CW_LINK_FIT_MEMORY;
    f->w += w;
    f->wx += w * x;
    f->wy += w * ns;
    f->wxx += w * x * x;
    f->wxy += w * x * ns;
    f->n += 1;
    f->quick += ns_of(&f->guess, x) / ns;
    f->copies++;
}

/* The scatter of the copies' times about a line, as a share of them. */
static double scatter(const struct cw_link_fit *f, double latency, double each)
{
    double squares = f->n + latency * latency * f->w + each * each * f->wxx +
                     2 * (latency * each * f->wx - latency * f->wy - each * f->wxy);

    return sqrt(fmax(0, squares) / f->n);
}

struct cw_plan_link cw_link_fit_link(const struct cw_link_fit *f)
{
    double det = f->w * f->wxx - f->wx * f->wx, latency, each;

    if (f->copies < CW_LINK_FIT_LEAST)
        return f->guess;
    each = f->n / f->quick / f->guess.bytes_per_ns;
    latency = f->n / f->quick * f->guess.latency_ns;
    if (det > VARIED * f->w * f->wxx) {
        each = (f->w * f->wxy - f->wx * f->wy) / det;
        latency = (f->wy - each * f->wx) / f->w;
        if (!(each > 0)) {
            each = 0;
            latency = f->wy / f->w;
        } else if (!(latency >= 0)) {
            latency = 0;
            each = f->wxy / f->wxx;
        }
    }
    return (struct cw_plan_link){.latency_ns = latency,
                                 .bytes_per_ns = 1 / each,
                                 .error_share = fmax(f->guess.error_share / 2, scatter(f, latency, each))};
}

bool cw_link_fit_differs(const struct cw_plan_link *a, const struct cw_plan_link *b)
{
    double x = ns_of(a, LARGE), y = ns_of(b, LARGE);

    return a->latency_ns > DIFFERS * b->latency_ns || b->latency_ns > DIFFERS * a->latency_ns ||
           x > DIFFERS * y || y > DIFFERS * x;
}
