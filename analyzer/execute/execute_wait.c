/* execute_wait.c - launches that may wait for a command that the order runs behind them.
 *
 * In the trace another queue's command may have written while the launch ran: a kernel that polls such memory
 * never ends where commands run one after another. So may one behind whose dropped edge the command stands
 * that it needs. */
#include "execute_state.h"

#include <stdlib.h>
#include <time.h>

#include "../graph/races.h"
#include "../io/quantity.h"

enum { LEAST_SECONDS = 10, TIMES = 10 }; /* the bound: their sum, TIMES the traced program */

static void set_rival(struct cw_exec *x, uint32_t launch, uint32_t other)
{
    const struct cw_command *c = &x->t->commands.v[launch];

    if ((c->type == CL_COMMAND_NDRANGE_KERNEL || c->type == CL_COMMAND_TASK) && x->rival[launch] == CW_NONE)
        x->rival[launch] = other;
}

enum cw_status cw_execute_wait_init(struct cw_exec *x, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    struct cw_races races;
    enum cw_status status = cw_races_find(&races, t, err);

    x->rival = malloc((t->commands.count + 1) * sizeof *x->rival);
    if (status == CW_OK && !x->rival)
        status = cw_error_set(err, CW_ERR_NOMEM, "no memory for %zu commands", t->commands.count);
    for (size_t i = 0; status == CW_OK && i < t->commands.count; i++)
        x->rival[i] = CW_NONE;
    for (size_t i = 0; status == CW_OK && i < t->edges.count; i++) {
        const struct cw_edge *e = &t->edges.v[i];

        if (e->kind != CW_EDGE_DATA || !(x->o->drop || (races.edge && races.edge[i])))
            continue;
        if (e->hazard != CW_HAZARD_RAW)
            set_rival(x, e->from, e->to);
        if (e->hazard != CW_HAZARD_WAR)
            set_rival(x, e->to, e->from);
    }
    cw_races_finish(&races);
    return status;
}

static enum cw_status never_ends(struct cw_exec *x, uint32_t id, double bound, struct cw_error *err)
{
    char launch[120], other[120];

    x->stuck = true;
    return cw_error_set(err, CW_ERR_LIMIT,
                        "%s has not ended after %.0f s. It may wait in a loop for memory that %s wrote while "
                        "it ran in the trace: such commands cannot run one after the other",
                        cw_execute_command_text(x->t, id, launch, sizeof launch), bound,
                        cw_execute_command_text(x->t, x->rival[id], other, sizeof other));
}

enum cw_status cw_execute_wait(struct cw_exec *x, uint32_t id, cl_event event, struct cw_error *err)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    double bound = LEAST_SECONDS + TIMES * 1e-9 * (double)(x->t->process.end_ns - x->t->process.start_ns);
    double end = cw_monotonic_s() + bound;
    cl_int state = CL_QUEUED, code = clFlush(x->current);

    while (code == CL_SUCCESS && state > CL_COMPLETE && cw_monotonic_s() < end) {
        code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
        if (code == CL_SUCCESS && state > CL_COMPLETE)
            nanosleep(&nap, NULL);
    }
    clReleaseEvent(event);
    if (code == CL_SUCCESS && state > CL_COMPLETE)
        return never_ends(x, id, bound, err);
    return cw_execute_vendor_status(x, id, "the launch", code != CL_SUCCESS ? code : state, err);
}
