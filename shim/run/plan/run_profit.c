#include "run_profit.h"

#include <math.h>

bool cw_run_must_leave(const struct cw_run_costs *c, uint32_t i)
{
    bool leave = false;

    for (uint32_t p = 0; c->home_apart && p < c->slots && !leave; p++)
        leave = p != cw_run_home(c->window, i) && !isinf(c->window->cost_ns[(size_t)i * c->slots + p]);
    return leave;
}

double cw_run_cost(const struct cw_run_costs *c, uint32_t i, uint32_t p, enum cw_run_doubt doubt)
{
    size_t at = (size_t)i * c->slots + p;
    double cost = c->window->cost_ns[at], error;

    if (doubt == CW_RUN_DOUBTED && c->window->error_ns && !isinf(cost)) {
        error = CW_RUN_PLAN_SIGMAS * c->window->error_ns[at];
        cost = p == cw_run_home(c->window, i) ? fmax(0, cost - error) : cost + error;
    }
    return cost + c->handoff_ns[p];
}

/* When what task `i` waits for has finished, for a start on slot `p`. */
static double ready_at(const struct cw_run_costs *c, uint32_t i, uint32_t p, const uint32_t *slot,
                       const double *finish)
{
    const struct cw_run_window *w = c->window;
    double ready = 0;

    for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1]; e++) {
        uint32_t j = w->pred[e], at = slot ? slot[j] : cw_run_home(w, j);
        double end = finish[j] + (at == p ? 0 : c->wake_ns);
        ready = end > ready ? end : ready;
    }
    return ready;
}

double cw_run_simulate(const struct cw_run_costs *c, const uint32_t *order, const uint32_t *slot,
                       enum cw_run_doubt doubt, double *start, double *finish, double *avail)
{
    const struct cw_run_window *w = c->window;
    double last = 0;

    for (uint32_t p = 0; p < c->slots; p++)
        avail[p] = w->busy_ns ? w->busy_ns[p] : 0;
    for (uint32_t k = 0; k < w->tasks; k++) {
        uint32_t i = order ? order[k] : k, p = slot ? slot[i] : cw_run_home(w, i);
        double ready = ready_at(c, i, p, slot, finish);
        start[i] = ready > avail[p] ? ready : avail[p];
        finish[i] = avail[p] = start[i] + cw_run_cost(c, i, p, doubt);
        last = finish[i] > last ? finish[i] : last;
    }
    return last;
}

bool cw_run_could_finish(const struct cw_run_costs *c, double deadline, double *finish)
{
    const struct cw_run_window *w = c->window;
    double work = 0, room = 0;

    for (uint32_t p = 0; p < c->slots; p++)
        room += fmax(0, deadline - (w->busy_ns ? w->busy_ns[p] : 0));
    for (uint32_t i = 0; i < w->tasks; i++) {
        double ready = 0, least = INFINITY;
        bool leave = cw_run_must_leave(c, i);
        for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1]; e++)
            ready = fmax(ready, finish[w->pred[e]]);
        finish[i] = INFINITY;
        for (uint32_t p = 0; p < c->slots; p++) {
            double cost = leave && p == cw_run_home(w, i) ? INFINITY : cw_run_cost(c, i, p, CW_RUN_DOUBTED);
            least = fmin(least, cost);
            finish[i] = fmin(finish[i], fmax(ready, w->busy_ns ? w->busy_ns[p] : 0) + cost);
        }
        work += least;
        if (finish[i] > deadline || work > room)
            return false;
    }
    return true;
}
