#include "lp_bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../sched/bounds.h"
#include "../../sched/policy.h"

/* Steps of the simplex method: some ten times as many as these programs take. */
enum { ITERATIONS = 50000 };

/* Times are over HEFT's makespan. More than 1, so that no rounding makes the program infeasible. */
#define TIME_MAX  2
#define NO_COLUMN UINT32_MAX

struct relaxation {
    const struct cw_graph *g;
    const struct cw_platform *p;
    enum cw_sharing sharing;
    struct cw_lp *lp;
    double unit;                /* HEFT's makespan */
    double *before;             /* tasks x devices, H: least time from 0 to the start of i on p */
    double *rest;               /* tasks x devices, W + OCT: least time from the start of i on p to the end */
    uint32_t *share;            /* tasks x devices: column of x, NO_COLUMN: is 0 */
    uint32_t *start, *duration; /* per task: columns of s and D; NO_COLUMN: the task is not shared */
    uint32_t makespan;          /* column of T */
    uint32_t memories;
};

static double *at(double *table, const struct relaxation *r, uint32_t i)
{
    return &table[(size_t)i * r->g->devices];
}

static uint32_t share_of(const struct relaxation *r, uint32_t i, uint32_t p)
{
    return r->share[(size_t)i * r->g->devices + p];
}

static bool may_share(const struct relaxation *r, uint32_t i)
{
    return r->sharing != CW_SHARE_NEVER && r->g->splittable[i] && r->g->groups[i] != 1;
}

/* Least time of task i on device p, for shared tasks of the best share anywhere. */
static double time_on(const struct relaxation *r, uint32_t i, uint32_t p)
{
    return may_share(r, i) ? cw_bounds_task(r->g, r->p, r->sharing, i) : cw_graph_cost(r->g, i, p);
}

/* The transfer of `data` from i on m to j on n that cannot be avoided. */
static double transfer(const struct relaxation *r, uint32_t i, uint32_t j, double data, uint32_t m,
                       uint32_t n)
{
    return may_share(r, i) || may_share(r, j) ? 0 : cw_platform_comm(r->p, data, m, n);
}

/* ---- H and W + OCT */

static void look_ahead(struct relaxation *r)
{
    const struct cw_adjacency *succ = &r->g->succ;
    uint32_t q = r->g->devices;

    for (uint32_t k = r->g->tasks; k-- > 0;) {
        uint32_t i = r->g->topo[k];
        for (uint32_t p = 0; p < q; p++) {
            double behind = 0;
            for (uint32_t e = succ->start[i]; e < succ->start[i + 1]; e++) {
                uint32_t j = succ->task[e];
                double least = INFINITY;
                for (uint32_t n = 0; n < q; n++)
                    least = fmin(least, at(r->rest, r, j)[n] + transfer(r, i, j, succ->data[e], p, n));
                behind = fmax(behind, least);
            }
            at(r->rest, r, i)[p] = time_on(r, i, p) + behind;
        }
    }
}

static void look_back(struct relaxation *r)
{
    const struct cw_adjacency *pred = &r->g->pred;
    uint32_t q = r->g->devices;

    for (uint32_t k = 0; k < r->g->tasks; k++) {
        uint32_t i = r->g->topo[k];
        for (uint32_t p = 0; p < q; p++) {
            double most = 0;
            for (uint32_t e = pred->start[i]; e < pred->start[i + 1]; e++) {
                uint32_t j = pred->task[e];
                double least = INFINITY;
                for (uint32_t n = 0; n < q; n++)
                    least = fmin(least, at(r->before, r, j)[n] + time_on(r, j, n) +
                                            transfer(r, j, i, pred->data[e], n, p));
                most = fmax(most, least);
            }
            at(r->before, r, i)[p] = most;
        }
    }
}

/* ---- columns */

static double least_of(const double *row, uint32_t q)
{
    double least = INFINITY;

    for (uint32_t p = 0; p < q; p++)
        least = fmin(least, row[p]);
    return least;
}

static void add_columns(struct relaxation *r)
{
    uint32_t q = r->g->devices;

    r->makespan = cw_lp_add_column(r->lp, 1, 0, TIME_MAX);
    for (uint32_t i = 0; i < r->g->tasks; i++) {
        double *before = at(r->before, r, i), *rest = at(r->rest, r, i);
        r->start[i] = cw_lp_add_column(r->lp, 0, least_of(before, q) / r->unit, TIME_MAX);
        r->duration[i] = NO_COLUMN;
        if (may_share(r, i))
            r->duration[i] =
                cw_lp_add_column(r->lp, 0, cw_bounds_task(r->g, r->p, r->sharing, i) / r->unit, TIME_MAX);
        for (uint32_t p = 0; p < q; p++) {
            bool possible = !isinf(cw_graph_cost(r->g, i, p)) &&
                            (may_share(r, i) || before[p] + rest[p] <= r->unit * (1 + 1e-9));
            r->share[(size_t)i * q + p] = possible ? cw_lp_add_column(r->lp, 0, 0, 1) : NO_COLUMN;
        }
    }
}

/* ---- rows */

/* sign x (the time of task i) */
static void add_time(struct relaxation *r, uint32_t i, double sign)
{
    if (r->duration[i] != NO_COLUMN) {
        cw_lp_add_entry(r->lp, r->duration[i], sign);
        return;
    }
    for (uint32_t p = 0; p < r->g->devices; p++)
        if (share_of(r, i, p) != NO_COLUMN)
            cw_lp_add_entry(r->lp, share_of(r, i, p), sign * cw_graph_cost(r->g, i, p) / r->unit);
}

/* sign x sum_p row[p] x[i][p] */
static void add_shares(struct relaxation *r, uint32_t i, const double *row, double sign)
{
    for (uint32_t p = 0; p < r->g->devices; p++)
        if (share_of(r, i, p) != NO_COLUMN)
            cw_lp_add_entry(r->lp, share_of(r, i, p), sign * (row ? row[p] / r->unit : 1));
}

/* The least time of shared task i in the class of device p. */
static double class_time(const struct relaxation *r, uint32_t i, uint32_t p)
{
    double speed = 0;

    for (uint32_t d = 0; d < r->g->devices; d++)
        if (r->p->device[d].class_id == r->p->device[p].class_id)
            speed += 1 / cw_graph_cost(r->g, i, d);
    return 1 / speed;
}

static void add_task_rows(struct relaxation *r, uint32_t i)
{
    double *before = at(r->before, r, i), *rest = at(r->rest, r, i);
    uint32_t q = r->g->devices;

    cw_lp_add_row(r->lp, 1, 1);
    add_shares(r, i, NULL, 1);
    if (r->duration[i] == NO_COLUMN) {
        cw_lp_add_row(r->lp, 0, INFINITY); /* T - s - sum (W + OCT) x */
        cw_lp_add_entry(r->lp, r->makespan, 1);
        cw_lp_add_entry(r->lp, r->start[i], -1);
        add_shares(r, i, rest, -1);
        cw_lp_add_row(r->lp, 0, INFINITY); /* s - sum H x */
        cw_lp_add_entry(r->lp, r->start[i], 1);
        add_shares(r, i, before, -1);
        return;
    }
    cw_lp_add_row(r->lp, (least_of(rest, q) - time_on(r, i, 0)) / r->unit, INFINITY); /* T - s - D */
    cw_lp_add_entry(r->lp, r->makespan, 1);
    cw_lp_add_entry(r->lp, r->start[i], -1);
    cw_lp_add_entry(r->lp, r->duration[i], -1);
    if (r->sharing == CW_SHARE_CLASS) {
        cw_lp_add_row(r->lp, 0, INFINITY); /* D - sum (best of the class) x: one class has it all */
        cw_lp_add_entry(r->lp, r->duration[i], 1);
        for (uint32_t p = 0; p < q; p++)
            if (share_of(r, i, p) != NO_COLUMN)
                cw_lp_add_entry(r->lp, share_of(r, i, p), -class_time(r, i, p) / r->unit);
    }
    for (uint32_t p = 0; p < q; p++)
        if (share_of(r, i, p) != NO_COLUMN) {
            cw_lp_add_row(r->lp, 0, INFINITY); /* D - W x */
            cw_lp_add_entry(r->lp, r->duration[i], 1);
            cw_lp_add_entry(r->lp, share_of(r, i, p), -cw_graph_cost(r->g, i, p) / r->unit);
        }
}

/* The least transfer from i to j between two memories; 0 when it need not leave one, INFINITY when no two are
 * possible. */
static double least_transfer(const struct relaxation *r, uint32_t i, uint32_t j, double data)
{
    double least = INFINITY;

    for (uint32_t m = 0; m < r->g->devices; m++)
        for (uint32_t n = 0; n < r->g->devices; n++)
            if (!cw_platform_shared(r->p, m, n) && share_of(r, i, m) != NO_COLUMN &&
                share_of(r, j, n) != NO_COLUMN)
                least = fmin(least, transfer(r, i, j, data, m, n));
    return least;
}

/* y >= sum over memory `m` of (x[i] - x[j]) */
static void add_leaving(struct relaxation *r, uint32_t i, uint32_t j, uint32_t y, uint32_t m)
{
    bool any = false;

    for (uint32_t p = 0; p < r->g->devices; p++)
        any |= r->p->device[p].memory_id == m && share_of(r, i, p) != NO_COLUMN;
    if (!any)
        return;
    cw_lp_add_row(r->lp, 0, INFINITY);
    cw_lp_add_entry(r->lp, y, 1);
    for (uint32_t p = 0; p < r->g->devices; p++) {
        if (r->p->device[p].memory_id != m)
            continue;
        if (share_of(r, i, p) != NO_COLUMN)
            cw_lp_add_entry(r->lp, share_of(r, i, p), -1);
        if (share_of(r, j, p) != NO_COLUMN)
            cw_lp_add_entry(r->lp, share_of(r, j, p), 1);
    }
}

static void add_edge_rows(struct relaxation *r, uint32_t i, uint32_t j, double data)
{
    double c = least_transfer(r, i, j, data);
    uint32_t y = NO_COLUMN;

    if (c > 0 && !isinf(c)) {
        y = cw_lp_add_column(r->lp, 0, 0, 1);
        for (uint32_t m = 0; m < r->memories; m++)
            add_leaving(r, i, j, y, m);
    }
    cw_lp_add_row(r->lp, 0, INFINITY); /* s[j] - s[i] - time - c y */
    cw_lp_add_entry(r->lp, r->start[j], 1);
    cw_lp_add_entry(r->lp, r->start[i], -1);
    add_time(r, i, -1);
    if (y != NO_COLUMN)
        cw_lp_add_entry(r->lp, y, -c / r->unit);
}

static enum cw_status add_rows(struct relaxation *r, uint32_t entries_max, struct cw_error *err)
{
    const struct cw_graph *g = r->g;

    for (uint32_t p = 0; p < g->devices; p++) {
        cw_lp_add_row(r->lp, 0, INFINITY); /* T - sum W x */
        cw_lp_add_entry(r->lp, r->makespan, 1);
        for (uint32_t i = 0; i < g->tasks; i++)
            if (share_of(r, i, p) != NO_COLUMN)
                cw_lp_add_entry(r->lp, share_of(r, i, p), -cw_graph_cost(g, i, p) / r->unit);
    }
    for (uint32_t i = 0; i < g->tasks && !r->lp->failed; i++) {
        add_task_rows(r, i);
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++)
            add_edge_rows(r, i, g->succ.task[e], g->succ.data[e]);
        if (r->lp->entries > entries_max)
            return cw_error_set(err, CW_ERR_UNSUPPORTED, "the graph is too large (--lp on tries)");
    }
    return r->lp->failed ? cw_error_set(err, CW_ERR_NOMEM, "out of memory for a linear program") : CW_OK;
}

/* ---- all of it */

static enum cw_status heft_makespan(const struct cw_graph *g, const struct cw_platform *p, double *makespan,
                                    struct cw_error *err)
{
    struct cw_policy_config config;
    struct cw_schedule *s;
    enum cw_status status;

    cw_policy_config_init(&config, cw_policy_find("heft"));
    status = cw_policy_run(&config, g, p, &s, err);
    if (status == CW_OK)
        *makespan = cw_schedule_makespan(s);
    cw_schedule_destroy(s);
    return status;
}

static enum cw_status fill(struct relaxation *r, uint32_t entries_max, struct cw_error *err)
{
    size_t n = r->g->tasks, q = r->g->devices;
    enum cw_status status;

    r->before = malloc(n * q * sizeof *r->before);
    r->rest = malloc(n * q * sizeof *r->rest);
    r->share = malloc(n * q * sizeof *r->share);
    r->start = malloc(n * sizeof *r->start);
    r->duration = malloc(n * sizeof *r->duration);
    if (r->before && r->rest && r->share && r->start && r->duration) {
        for (uint32_t d = 0; d < q; d++)
            r->memories =
                r->p->device[d].memory_id >= r->memories ? r->p->device[d].memory_id + 1 : r->memories;
        look_ahead(r);
        look_back(r);
        add_columns(r);
        status = add_rows(r, entries_max, err);
    } else {
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for the bounds of %zu tasks", n);
    }
    free(r->before);
    free(r->rest);
    free(r->share);
    free(r->start);
    free(r->duration);
    return status;
}

enum cw_status cw_lp_bound_model(const struct cw_graph *g, const struct cw_platform *p,
                                 enum cw_sharing sharing, uint32_t entries_max, struct cw_lp *lp,
                                 double *unit, struct cw_error *err)
{
    struct relaxation r = {.g = g, .p = p, .sharing = sharing, .lp = lp};
    uint64_t least = 3 * (uint64_t)g->edges + 4 * (uint64_t)g->tasks; /* entries, at the very least */
    enum cw_status status;

    if (least > entries_max)
        return cw_error_set(err, CW_ERR_UNSUPPORTED, "the graph is too large (--lp on tries)");
    status = heft_makespan(g, p, &r.unit, err);
    if (status == CW_OK && !(r.unit > 0))
        status = cw_error_set(err, CW_ERR_UNSUPPORTED, "nothing in the graph takes time");
    *unit = r.unit;
    return status == CW_OK ? fill(&r, entries_max, err) : status;
}

/* The bound as it is reported. The tables above are rounded too, each number by less than `tasks` units in
 * its last place. Rounded down to 33 bits, the same on machines whose arithmetic led the solver to other last
 * bits. */
static double settle(double bound, double heft, uint32_t tasks)
{
    int exponent;
    double fraction;

    bound = fmin(heft, bound * (1 - 0x1p-50 * tasks));
    if (!(bound > 0))
        return 0;
    fraction = frexp(bound, &exponent);
    return ldexp(floor(ldexp(fraction, 33)), exponent - 33);
}

enum cw_status cw_lp_bound_compute(const struct cw_graph *g, const struct cw_platform *p,
                                   enum cw_sharing sharing, uint32_t entries_max, struct cw_lp_bound *bound,
                                   struct cw_error *err)
{
    struct cw_lp lp = {0};
    struct cw_error why = {0};
    double unit, *dual = NULL;
    bool finished;
    enum cw_status status = cw_lp_bound_model(g, p, sharing, entries_max, &lp, &unit, &why);

    *bound = (struct cw_lp_bound){0};
    if (status == CW_OK && !(dual = calloc((size_t)lp.rows + 1, sizeof *dual)))
        status = cw_error_set(&why, CW_ERR_NOMEM, "out of memory for a linear program");
    if (status == CW_OK)
        status = cw_lp_solve(&lp, ITERATIONS, dual, &finished, &why);
    if (status == CW_OK) {
        bound->bound = settle(cw_lp_safe_bound(&lp, dual) * unit, unit, g->tasks);
        bound->solved = true;
    } else if (status == CW_ERR_UNSUPPORTED) {
        snprintf(bound->reason, sizeof bound->reason, "%.150s", why.text);
        status = CW_OK;
    } else {
        cw_error_set(err, status, "%s", why.text);
    }
    free(dual);
    cw_lp_finish(&lp);
    return status;
}
