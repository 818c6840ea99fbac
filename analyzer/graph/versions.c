/* versions.c - see graph_build.h. */
#include "graph_build.h"
#include "graph_parts.h"
#include "trace_read.h"

#include <stdlib.h>
#include <string.h>

/* The longest chain of `t` with `copies` of each buffer. */
static enum cw_status measure(const struct cw_trace *t, const uint32_t *order, uint32_t copies,
                              enum cw_weight weight, uint64_t *length, struct cw_error *err)
{
    struct cw_trace other = *t;
    struct cw_critical_path p = {0};
    enum cw_status status;

    memset(&other.edges, 0, sizeof other.edges);
    status = cw_graph_sweep(&other, order, false, copies, err);
    if (!status)
        status = cw_critical_path_init(&p, &other, weight, err);
    *length = p.length;
    cw_critical_path_finish(&p);
    cw_spill_free(other.edges.v);
    return status;
}

/* A step of the chain, with the object of its WAR or WAW; `other`: another edge makes it, too. */
struct step {
    bool made, other;
    uint32_t memory;
};

static void find_steps(const struct cw_trace *t, const struct cw_critical_path *p, struct step *step,
                       uint32_t *at)
{
    for (uint32_t i = 0; i < p->chain_count; i++)
        at[p->chain[i]] = i + 1;
    for (size_t i = 0; i < t->edges.count; i++) {
        const struct cw_edge *e = &t->edges.v[i];
        struct step *s = &step[at[e->to]];

        if (!at[e->from] || at[e->to] != at[e->from] + 1 || !cw_graph_edge_binds(e))
            continue;
        s->made = true;
        s->other |= e->kind != CW_EDGE_DATA || e->hazard == CW_HAZARD_RAW || e->memory == CW_NONE;
        s->memory = e->memory;
    }
}

static enum cw_status count_steps(struct cw_versions *v, const struct cw_trace *t,
                                  const struct cw_critical_path *p)
{
    struct step *step = calloc(p->chain_count + 2, sizeof *step);
    uint32_t *at = calloc(t->commands.count + 1, sizeof *at);
    uint64_t *reuse = calloc(t->memory.count + 1, sizeof *reuse);
    bool ok = step && at && reuse;

    if (ok)
        find_steps(t, p, step, at);
    for (size_t i = 2; ok && i <= p->chain_count; i++) {
        v->steps += step[i].made;
        if (!step[i].made || step[i].other || step[i].memory >= t->memory.count)
            continue;
        v->reuse++;
        if (++reuse[step[i].memory] > v->memory_reuse) {
            v->memory_reuse = reuse[step[i].memory];
            v->memory = step[i].memory;
        }
    }
    free(step);
    free(at);
    free(reuse);
    return ok ? CW_OK : CW_ERR_NOMEM;
}

/* Parts of a trace: their edges stand for commands that are not there. */
static bool has_paths(const struct cw_trace *t)
{
    size_t i = 0;

    while (i < t->edges.count && t->edges.v[i].kind != CW_EDGE_PATH)
        i++;
    return i < t->edges.count;
}

enum cw_status cw_versions_apply(struct cw_trace *t, uint32_t copies, struct cw_error *err)
{
    uint32_t *order = NULL;
    enum cw_status status = cw_sweep_order(t, &order, err);

    t->edges.count = 0;
    if (!status)
        status = cw_graph_sweep(t, order, false, copies, err);
    free(order);
    return status;
}

enum cw_status cw_versions_measure(struct cw_versions *v, const struct cw_trace *t,
                                   const struct cw_critical_path *p, enum cw_weight weight,
                                   struct cw_error *err)
{
    uint32_t *order = NULL;
    enum cw_status status;

    *v = (struct cw_versions){.results = p->results, .memory = CW_NONE};
    for (int i = 0; i < CW_VERSION_STEPS; i++)
        v->length[i] = p->length;
    if (count_steps(v, t, p))
        return cw_error_set(err, CW_ERR_NOMEM, "versions: out of memory");
    if (!v->reuse || has_paths(t))
        return CW_OK;
    status = cw_sweep_order(t, &order, err);
    for (int i = 1; !status && i < CW_VERSION_STEPS; i++)
        status = measure(t, order, 1u << i, weight, &v->length[i], err);
    free(order);
    return status;
}
