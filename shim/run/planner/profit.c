#include "profit.h"

#include <math.h>

bool cw_run_profit_must_leave(const struct cw_run_costs *c, uint32_t i)
{
    bool leave = false;

    for (uint32_t p = 0; c->home_apart && p < c->slots && !leave; p++)
        leave = p != cw_run_home(c->window, i) && !isinf(c->window->cost_ns[(size_t)i * c->slots + p]);
    return leave;
}

double cw_run_profit_cost(const struct cw_run_costs *c, uint32_t i, uint32_t p, enum cw_run_doubt doubt)
{
    size_t at = (size_t)i * c->slots + p;
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
    double whole = cw_run_profit_cost(c, i, part->slot, doubt),
           set_up = c->handoff_ns[part->slot] + c->set_up_ns[part->slot];

    set_up = set_up < whole ? set_up : whole;
    return set_up + (whole - set_up) * (double)part->groups / (double)c->window->groups[i];
}

/* The time of `bytes` from slot to slot. */
static double travel(const struct cw_run_costs *c, uint32_t from, uint32_t to, double bytes)
{
    const struct cw_run_link *l = &c->links[(size_t)from * c->slots + to];

    return l->bytes_per_ns > 0 ? l->latency_ns + bytes / l->bytes_per_ns : 0;
}

/* The time of the bytes of edge `e` to slot `p`. Those of a shared task come from all its parts at once. */
static double travel_of(const struct cw_run_costs *c, uint32_t e, uint32_t p, const struct cw_run_plan *plan)
{
    const struct cw_run_window *w = c->window;
    uint32_t j = w->pred[e];
    double bytes = w->pred_bytes ? w->pred_bytes[e] : 0, longest = 0;

    if (!plan || plan->parts[j] == 1)
        return travel(c, plan ? plan->slot[j] : cw_run_home(w, j), p, bytes);
    for (uint32_t k = 0; k < plan->parts[j]; k++) {
        const struct cw_run_plan_part *part = &plan->part[plan->first_part[j] + k];
        double share = (double)part->groups / (double)w->groups[j];

        longest = fmax(longest, travel(c, part->slot, p, bytes * share));
    }
    return longest;
}

/* When task `i` may start on `p`: behind its predecessors. Waiting for a task in parts, or on another device,
 * costs wake_ns. */
static double ready_at(const struct cw_run_costs *c, uint32_t i, uint32_t p, const struct cw_run_plan *plan,
                       const double *finish)
{
    const struct cw_run_window *w = c->window;
    double ready = 0;

    for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1]; e++) {
        uint32_t j = w->pred[e], at = plan ? plan->slot[j] : cw_run_home(w, j);
        bool here = at == p && !(plan && plan->parts[j] > 1);
        double end = finish[j] + (here ? 0 : c->wake_ns) + (c->links ? travel_of(c, e, p, plan) : 0);
        ready = end > ready ? end : ready;
    }
    return ready;
}

/* Runs a shared task. */
static void simulate_parts(const struct cw_run_costs *c, uint32_t i, const struct cw_run_plan *plan,
                           enum cw_run_doubt doubt, double *start, double *finish, double *avail)
{
    start[i] = INFINITY;
    finish[i] = 0;
    for (uint32_t k = 0; k < plan->parts[i]; k++) {
        struct cw_run_plan_part *part = &plan->part[plan->first_part[i] + k];
        double begin = fmax(ready_at(c, i, part->slot, plan, finish), avail[part->slot]);
        avail[part->slot] = begin + part_cost(c, i, part, doubt);
        if (doubt == CW_RUN_MEANS) {
            part->start_ns = begin;
            part->finish_ns = avail[part->slot];
        }
        start[i] = fmin(start[i], begin);
        finish[i] = fmax(finish[i], avail[part->slot]);
    }
}

double cw_run_profit_simulate(const struct cw_run_costs *c, const struct cw_run_plan *plan,
                              enum cw_run_doubt doubt, double *start, double *finish, double *avail)
{
    const struct cw_run_window *w = c->window;
    double last = 0;

    for (uint32_t p = 0; p < c->slots; p++)
        avail[p] = w->busy_ns ? w->busy_ns[p] : 0;
    for (uint32_t k = 0; k < w->tasks; k++) {
        uint32_t i = plan ? plan->order[k] : k, p = plan ? plan->slot[i] : cw_run_home(w, i);
        if (plan && plan->parts[i] > 1) {
            simulate_parts(c, i, plan, doubt, start, finish, avail);
        } else {
            double ready = ready_at(c, i, p, plan, finish);
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
    double work = 0, room = 0;

    for (uint32_t p = 0; p < c->slots; p++)
        room += fmax(0, deadline - (w->busy_ns ? w->busy_ns[p] : 0));
    for (uint32_t i = 0; i < w->tasks; i++) {
        double ready = 0, least = INFINITY, speed = 0;
        bool leave = cw_run_profit_must_leave(c, i);
        for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1]; e++)
            ready = fmax(ready, finish[w->pred[e]]);
        finish[i] = INFINITY;
        for (uint32_t p = 0; p < c->slots; p++) {
            double cost =
                leave && p == cw_run_home(w, i) ? INFINITY : cw_run_profit_cost(c, i, p, CW_RUN_DOUBTED);
            least = fmin(least, cost);
            speed += 1 / cost;
            finish[i] = fmin(finish[i], fmax(ready, w->busy_ns ? w->busy_ns[p] : 0) + cost);
        }
        work += least;
        if (cw_run_divisible(c, i)) /* all slots at once, as if setting up took no time */
            finish[i] = speed < INFINITY ? ready + 1 / speed : ready;
        if (finish[i] > deadline || work > room)
            return false;
    }
    return true;
}
