#include "metrics.h"
#include "rank.h"

#include <math.h>
#include <stdlib.h>

/* min_p of the summed cost of path[0 .. length - 1], or of all tasks when path is NULL; infinite when no
 * device runs all. */
static double one_device(const struct cw_graph *g, const uint32_t *path, uint32_t length)
{
    double best = INFINITY;

    for (uint32_t p = 0; p < g->devices; p++) {
        double sum = 0;
        for (uint32_t k = 0; k < length; k++)
            sum += cw_graph_cost(g, path ? path[k] : k, p);
        best = fmin(best, sum);
    }
    return best;
}

static double ratio(double a, double b)
{
    return isfinite(a) && isfinite(b) && b > 0 ? a / b : NAN;
}

static enum cw_status critical_path_cost(const struct cw_graph *g, const struct cw_platform *p, double *cost,
                                         struct cw_error *err)
{
    struct cw_ranks ranks;
    uint32_t *path = malloc(g->tasks * sizeof *path);
    enum cw_status status;

    if (!path)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a path of %u tasks", g->tasks);
    status = cw_ranks_init(&ranks, g, p, true, err);
    if (status == CW_OK) {
        *cost = one_device(g, path, cw_ranks_critical_path(&ranks, path));
        cw_ranks_finish(&ranks);
    }
    free(path);
    return status;
}

static void sum_busy(struct cw_metrics *m, const struct cw_graph *g, const struct cw_schedule *s)
{
    for (uint32_t i = 0; i < s->tasks; i++)
        for (uint32_t k = 0; k < s->task[i].parts; k++) {
            struct cw_part part = cw_schedule_part(s, g, i, k);
            m->busy[part.device] += part.share * cw_graph_cost(g, i, part.device);
        }
    for (uint32_t d = 0; d < s->devices; d++)
        m->utilisation[d] = m->makespan > 0 ? m->busy[d] / m->makespan : 0;
}

enum cw_status cw_metrics_init(struct cw_metrics *m, const struct cw_graph *g, const struct cw_platform *p,
                               const struct cw_schedule *s, enum cw_sharing sharing, struct cw_error *err)
{
    struct cw_bounds whole = {0};
    double path_cost = 0;
    enum cw_status status;

    *m = (struct cw_metrics){.makespan = cw_schedule_makespan(s)};
    m->busy = calloc(p->devices, sizeof *m->busy);
    m->utilisation = calloc(p->devices, sizeof *m->utilisation);
    if (!m->busy || !m->utilisation)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", p->devices);
    else
        status = cw_bounds_compute(g, p, CW_SHARE_NEVER, &whole, err);
    m->bounds = whole;
    if (status == CW_OK && sharing != CW_SHARE_NEVER)
        status = cw_bounds_compute(g, p, sharing, &m->bounds, err);
    if (status == CW_OK)
        status = critical_path_cost(g, p, &path_cost, err);
    if (status != CW_OK) {
        cw_metrics_finish(m);
        return status;
    }
    sum_busy(m, g, s);
    m->slr = ratio(m->makespan, whole.critical_path);
    m->nsl = ratio(m->makespan, path_cost);
    m->speedup = ratio(one_device(g, NULL, g->tasks), m->makespan);
    m->efficiency = m->speedup / p->devices;
    return CW_OK;
}

void cw_metrics_finish(struct cw_metrics *m)
{
    free(m->busy);
    free(m->utilisation);
    *m = (struct cw_metrics){0};
}
