#include "transfers.h"

#include <math.h>
#include <stdlib.h>

enum cw_status cw_run_transfers_check(const struct cw_run_planner *planner, const struct cw_run_window *w,
                                      struct cw_error *err)
{
    uint64_t all = UINT64_MAX >> (CW_RUN_PLAN_SPACES - planner->rules.spaces);

    for (uint32_t e = 0; w->pred_bytes && e < w->pred_start[w->tasks]; e++)
        if (!cw_run_is_time(w->pred_bytes[e]))
            return cw_error_set(err, CW_ERR_INVALID, "edge %u carries %g bytes", e, w->pred_bytes[e]);
    for (uint32_t k = 0; w->piece_start && k < w->piece_start[w->tasks]; k++)
        if (w->piece[k].spaces & ~all)
            return cw_error_set(err, CW_ERR_INVALID, "piece %u lies in a memory that there is not", k);
    return CW_OK;
}

/* ---- time */

static double way_ns(const struct cw_plan_link *l, double bytes, double sigmas)
{
    return fmax(0, (l->latency_ns + bytes / l->bytes_per_ns) * (1 + sigmas * l->error_share));
}

double cw_run_transfers_ns(const struct cw_plan_space *space, uint32_t from, uint32_t to, double bytes,
                           double sigmas)
{
    if (from == to)
        return 0;
    return (from ? way_ns(&space[from].out, bytes, sigmas) : 0) +
           (to ? way_ns(&space[to].in, bytes, sigmas) : 0);
}

/* The bytes that count for one launch. */
static double counted(const struct cw_plan_piece *piece)
{
    return (double)piece->bytes / (piece->launches >= CW_RUN_PLAN_FETCH_OFTEN ? piece->launches : 1);
}

double cw_run_transfers_bytes(const struct cw_plan_space *space, const struct cw_plan_piece *piece,
                              uint32_t to, uint32_t *from)
{
    double bytes = counted(piece), least = INFINITY;

    if (bytes == 0 || piece->spaces == 0 || (piece->spaces >> to & 1))
        return 0;
    for (uint64_t left = piece->spaces; left; left &= left - 1) {
        uint32_t s = (uint32_t)__builtin_ctzll(left);
        double ns = cw_run_transfers_ns(space, s, to, bytes, 0);
        if (ns < least) {
            least = ns;
            *from = s;
        }
    }
    return bytes;
}

/* When bytes that are ready at `ready` have arrived, behind all that has used these ways before. */
static double carry(const struct cw_plan_space *space, struct cw_run_traffic *t, uint32_t from, uint32_t to,
                    double bytes, double sigmas, double ready)
{
    double end = ready + cw_run_transfers_ns(space, from, to, bytes, sigmas);

    if (from)
        end = fmax(end, t->out[from] += way_ns(&space[from].out, bytes, sigmas));
    if (to)
        end = fmax(end, t->in[to] += way_ns(&space[to].in, bytes, sigmas));
    return end;
}

/* True when task `i` is all at home under `plan`. */
static bool is_home(const struct cw_run_costs *c, uint32_t i, const struct cw_run_plan *plan)
{
    return !plan || (plan->parts[i] == 1 && plan->device[i] == cw_run_home(c->window, i));
}

/* How many errors away from the mean a transfer is taken. stays: it is one of doing nothing, too. */
static double doubts(enum cw_run_doubt doubt, bool stays)
{
    return doubt == CW_RUN_MEANS ? 0 : stays ? -CW_RUN_PLAN_SIGMAS : CW_RUN_PLAN_SIGMAS;
}

/* When the bytes of edge `e` are in memory `to`. Those of a shared task come from all its parts. */
static double edge_ready(const struct cw_run_costs *c, uint32_t e, uint32_t to,
                         const struct cw_run_plan *plan, double sigmas, const double *finish,
                         struct cw_run_traffic *traffic)
{
    const struct cw_run_window *w = c->window;
    uint32_t j = w->pred[e], parts = plan ? plan->parts[j] : 1;
    double ready = 0;

    for (uint32_t k = 0; k < parts; k++) {
        const struct cw_run_plan_part *part = parts > 1 ? &plan->part[plan->first_part[j] + k] : NULL;
        uint32_t from = c->space_of[part ? part->device : plan ? plan->device[j] : cw_run_home(w, j)];
        double share = part ? (double)part->groups / (double)w->groups[j] : 1;

        if (from != to)
            ready = fmax(ready, carry(c->space, traffic, from, to, share * w->pred_bytes[e], sigmas,
                                      finish[j] + c->wake_ns));
    }
    return ready;
}

double cw_run_transfers_ready(const struct cw_run_costs *c, uint32_t i, uint32_t p,
                              const struct cw_run_plan *plan, enum cw_run_doubt doubt, const double *finish,
                              struct cw_run_traffic *traffic)
{
    const struct cw_run_window *w = c->window;
    uint32_t to = c->space_of[p], from = 0;
    bool home = is_home(c, i, plan);
    double ready = 0;

    for (uint32_t e = w->pred_start[i]; w->pred_bytes && e < w->pred_start[i + 1]; e++)
        if (w->pred_bytes[e] > 0)
            ready =
                fmax(ready, edge_ready(c, e, to, plan, doubts(doubt, home && is_home(c, w->pred[e], plan)),
                                       finish, traffic));
    for (uint32_t k = w->piece_start ? w->piece_start[i] : 0; w->piece_start && k < w->piece_start[i + 1];
         k++) {
        double bytes = cw_run_transfers_bytes(c->space, &w->piece[k], to, &from);
        if (bytes > 0)
            ready = fmax(ready, carry(c->space, traffic, from, to, bytes, doubts(doubt, home), c->wake_ns));
    }
    return ready;
}

void cw_run_transfers_links(const struct cw_run_planner *planner, uint32_t devices, double *latency,
                            double *bandwidth)
{
    for (uint32_t p = 0; p < devices; p++)
        for (uint32_t q = 0; q < devices; q++) {
            uint32_t from = planner->space_of[p], to = planner->space_of[q];
            double none = cw_run_transfers_ns(planner->space, from, to, 0, 0);
            /* latencies are whole and may hide the rates: a difference would not do */
            double byte = (from != to && from ? 1 / planner->space[from].out.bytes_per_ns : 0) +
                          (from != to && to ? 1 / planner->space[to].in.bytes_per_ns : 0);

            latency[(size_t)p * devices + q] = nearbyint(planner->rules.wake_ns + none);
            bandwidth[(size_t)p * devices + q] = 1 / byte; /* INFINITY: nothing travels */
        }
}

/* ---- sources */

/* The memories that devices work on, as bits. */
static uint64_t spaces_used(const struct cw_run_costs *c)
{
    uint64_t used = 0;

    for (uint32_t p = 0; p < c->devices; p++)
        used |= UINT64_C(1) << c->space_of[p];
    return used;
}

/* The number of `spaces` among the sets of memories so far, as a new one if it is. */
static uint32_t number_of(uint64_t *sets, uint32_t *count, uint64_t spaces)
{
    uint32_t k = 0;

    while (k < *count && sets[k] != spaces)
        k++;
    if (k == *count)
        sets[(*count)++] = spaces;
    return k;
}

static enum cw_status add_source(const struct cw_run_costs *c, struct cw_graph_builder *b, uint64_t spaces,
                                 double *cost, struct cw_error *err)
{
    uint64_t devices = 0;

    for (uint32_t p = 0; p < c->devices; p++) {
        bool valid = spaces >> c->space_of[p] & 1;
        cost[p] = valid ? 0 : INFINITY;
        devices += valid;
    }
    return cw_graph_builder_add_task(
        b, &(struct cw_task_spec){.cost = cost, .groups = devices, .splittable = devices > 1}, err);
}

enum cw_status cw_run_transfers_add_sources(const struct cw_run_costs *c, struct cw_graph_builder *b,
                                            double *cost, struct cw_error *err)
{
    const struct cw_run_window *w = c->window;
    uint32_t pieces = w->piece_start[w->tasks], count = 0;
    uint64_t used = spaces_used(c), *sets = malloc((pieces + 1) * sizeof *sets);
    enum cw_status status = sets ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory for a graph");

    for (uint32_t i = 0; i < w->tasks && status == CW_OK; i++)
        for (uint32_t k = w->piece_start[i]; k < w->piece_start[i + 1] && status == CW_OK; k++) {
            uint64_t spaces = w->piece[k].spaces & used;
            if (spaces == used || spaces == 0 || w->piece[k].bytes == 0)
                continue; /* nothing travels; 0: but from where no device is, which the profit test charges */
            status = cw_graph_builder_add_edge(b, w->tasks + number_of(sets, &count, spaces), i,
                                               counted(&w->piece[k]), err);
        }
    for (uint32_t k = 0; k < count && status == CW_OK; k++)
        status = add_source(c, b, sets[k], cost, err);
    free(sets);
    return status;
}

enum cw_status cw_run_transfers_place_sources(const struct cw_run_costs *c, struct cw_plan *plan,
                                              struct cw_error *err)
{
    const struct cw_graph *g = plan->graph;
    struct cw_part *part = calloc(c->devices, sizeof *part);
    enum cw_status status = part ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory for a plan");

    for (uint32_t i = c->window->tasks; i < g->tasks && status == CW_OK; i++) {
        uint32_t n = 0;
        for (uint32_t p = 0; p < c->devices; p++)
            if (!isinf(cw_graph_cost(g, i, p))) {
                part[n] = (struct cw_part){
                    .device = p, .first_group = n, .groups = 1, .share = 1.0 / (double)g->groups[i]};
                n++;
            }
        status = n > 1 ? cw_plan_place_parts(plan, i, part, n, err)
                       : cw_plan_place(plan, i, &(struct cw_choice){.device = part[0].device}, err);
    }
    free(part);
    return status;
}
