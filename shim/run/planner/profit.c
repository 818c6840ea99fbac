#include "profit.h"
#include "transfers.h"

#include <math.h>
#include <string.h>

bool cw_run_profit_must_leave(const struct cw_run_costs *c, uint32_t i)
{
    bool leave = false;

    for (uint32_t p = 0; c->home_separate && p < c->devices && !leave; p++)
        leave = p != cw_run_home(c->window, i) && !isinf(c->window->cost_ns[(size_t)i * c->devices + p]);
    return leave;
}

double cw_run_profit_cost(const struct cw_run_costs *c, uint32_t i, uint32_t p, enum cw_run_doubt doubt)
{
    size_t at = (size_t)i * c->devices + p;
    double cost = c->window->cost_ns[at], error;

    if (doubt == CW_RUN_DOUBTED && c->window->error_ns && !isinf(cost)) {
        error = CW_RUN_PLAN_SIGMAS * c->window->error_ns[at];
        cost = p == cw_run_home(c->window, i) ? fmax(0, cost - error) : cost + error;
    }
    return cost + c->handoff_ns[p];
}

/* The cost of a part of `groups` work-groups. */
static double part_cost(const struct cw_run_costs *c, uint32_t i, const struct cw_run_plan_part *part,
                        enum cw_run_doubt doubt)
{
    double whole = cw_run_profit_cost(c, i, part->device, doubt),
           set_up = c->handoff_ns[part->device] + c->set_up_ns[part->device];

    set_up = set_up < whole ? set_up : whole;
    return set_up + (whole - set_up) * (double)part->groups / (double)c->window->groups[i];
}

/* One run of a window. */
struct run {
    const struct cw_run_costs *costs;
    const struct cw_run_plan *plan; /* NULL: doing nothing */
    enum cw_run_doubt doubt;
    double *start, *finish, *avail;
    struct cw_run_traffic traffic; /* of several memories */
};

/* When task `i` may start on `p`: behind its predecessors. Waiting for a task in parts, or on another device,
 * costs wake_ns. */
static double ready_at(struct run *r, uint32_t i, uint32_t p)
{
    const struct cw_run_costs *c = r->costs;
    const struct cw_run_plan *plan = r->plan;
    const struct cw_run_window *w = c->window;
    double ready = 0;

    for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1]; e++) {
        uint32_t j = w->pred[e], at = plan ? plan->device[j] : cw_run_home(w, j);
        bool here = at == p && !(plan && plan->parts[j] > 1);
        double end = r->finish[j] + (here ? 0 : c->wake_ns);
        ready = end > ready ? end : ready;
    }
    if (c->space)
        ready = fmax(ready, cw_run_transfers_ready(c, i, p, plan, r->doubt, r->finish, &r->traffic));
    return ready;
}

/* Runs a shared task. */
static void run_parts(struct run *r, uint32_t i)
{
    const struct cw_run_plan *plan = r->plan;

    r->start[i] = INFINITY;
    r->finish[i] = 0;
    for (uint32_t k = 0; k < plan->parts[i]; k++) {
        struct cw_run_plan_part *part = &plan->part[plan->first_part[i] + k];
        double begin = fmax(ready_at(r, i, part->device), r->avail[part->device]);
        r->avail[part->device] = begin + part_cost(r->costs, i, part, r->doubt);
        if (r->doubt == CW_RUN_MEANS) {
            part->start_ns = begin;
            part->finish_ns = r->avail[part->device];
        }
        r->start[i] = fmin(r->start[i], begin);
        r->finish[i] = fmax(r->finish[i], r->avail[part->device]);
    }
}

double cw_run_profit_simulate(const struct cw_run_costs *c, const struct cw_run_plan *plan,
                              enum cw_run_doubt doubt, double *start, double *finish, double *avail)
{
    const struct cw_run_window *w = c->window;
    struct run r;
    double last = 0;

    r.costs = c, r.plan = plan, r.doubt = doubt;
    r.start = start, r.finish = finish, r.avail = avail;
    if (c->space)
        memset(&r.traffic, 0, sizeof r.traffic);
    for (uint32_t p = 0; p < c->devices; p++)
        avail[p] = w->busy_ns ? w->busy_ns[p] : 0;
    for (uint32_t k = 0; k < w->tasks; k++) {
        uint32_t i = plan ? plan->order[k] : k, p = plan ? plan->device[i] : cw_run_home(w, i);
        if (plan && plan->parts[i] > 1) {
            run_parts(&r, i);
        } else {
            double ready = ready_at(&r, i, p);
            start[i] = ready > avail[p] ? ready : avail[p];
            finish[i] = avail[p] = start[i] + cw_run_profit_cost(c, i, p, doubt);
        }
        last = finish[i] > last ? finish[i] : last;
    }
    return last;
}

bool cw_run_profit_could_finish(const struct cw_run_costs *c, double deadline, double *finish)
{
    const struct cw_run_window *w = c->window;
    double work = 0, capacity = 0;

    for (uint32_t p = 0; p < c->devices; p++)
        capacity += fmax(0, deadline - (w->busy_ns ? w->busy_ns[p] : 0));
    for (uint32_t i = 0; i < w->tasks; i++) {
        double ready = 0, least = INFINITY, speed = 0;
        bool leave = cw_run_profit_must_leave(c, i);
        for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1]; e++)
            ready = fmax(ready, finish[w->pred[e]]);
        finish[i] = INFINITY;
        for (uint32_t p = 0; p < c->devices; p++) {
            double cost =
                leave && p == cw_run_home(w, i) ? INFINITY : cw_run_profit_cost(c, i, p, CW_RUN_DOUBTED);
            least = fmin(least, cost);
            speed += 1 / cost;
            finish[i] = fmin(finish[i], fmax(ready, w->busy_ns ? w->busy_ns[p] : 0) + cost);
        }
        work += least;
        if (cw_run_divisible(c, i)) /* all devices at once, as if setting up took no time */
            finish[i] = speed < INFINITY ? ready + 1 / speed : ready;
        if (finish[i] > deadline || work > capacity)
            return false;
    }
    return true;
}
