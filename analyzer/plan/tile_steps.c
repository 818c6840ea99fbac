/* tile_steps.c - see tile_steps.h. */
#include "tile_steps.h"
#include "../kernels/footprint/tiler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The launches of a trace in tiles, by the models of their kernels. See tile_steps.h. */

enum { PAGE = 4096 };

struct maker {
    struct cw_tile_steps *x;
    const struct cw_trace *t;
    struct cw_trace_reach *reach;
    uint32_t tiles, dims;    /* of a launch, at most */
    uint64_t *base;          /* of each memory object: where its root begins */
    struct cw_tiler **tiler; /* of each kernel */
    struct cw_tiler_place *place;
    size_t *end;                     /* of the accesses of each tile of the step, in `access` */
    uint32_t ended;                  /* tiles that have one */
    struct cw_groups_access *access; /* of the step that is being made */
    size_t accesses, accesses_max;
    struct cw_error *err;
    bool open; /* the chain that the last step is in goes on */
};

static enum cw_status no_memory(const struct maker *m)
{
    return cw_error_set(m->err, CW_ERR_NOMEM, "out of memory");
}

/* ---- memory */

static enum cw_status lay_out(struct maker *m)
{
    uint64_t next = PAGE;

    m->base = calloc(m->t->memory.count + 1, sizeof *m->base);
    if (!m->base)
        return no_memory(m);
    for (uint32_t i = 0; i < m->t->memory.count; i++)
        if (cw_trace_memory_root(m->t, i, NULL) == i) {
            m->base[i] = next;
            next += (m->t->memory.v[i].size + 2 * PAGE - 1) / PAGE * PAGE;
        }
    return CW_OK;
}

static uint64_t address(const struct maker *m, uint32_t memory, uint64_t *bytes)
{
    uint64_t offset, size = m->t->memory.v[memory].size;
    uint32_t root = cw_trace_memory_root(m->t, memory, &offset);

    *bytes = size;
    return m->base[root] + offset;
}

static bool add(struct maker *m, uint64_t low, uint64_t high, bool write)
{
    if (m->accesses == m->accesses_max) {
        size_t more = m->accesses_max ? 2 * m->accesses_max : 256;
        struct cw_groups_access *grown = realloc(m->access, more * sizeof *grown);
        if (!grown)
            return false;
        m->access = grown, m->accesses_max = more;
    }
    m->access[m->accesses++] = (struct cw_groups_access){low, high, write};
    return true;
}

/* ---- steps */

/* The step whose tiles' accesses are m->access[ends[i - 1]] to m->access[ends[i] - 1]. */
static enum cw_status make_step(struct maker *m, uint32_t command, const size_t *ends, const uint32_t grid[3])
{
    uint32_t tiles = grid[0] * grid[1] * grid[2];
    struct cw_tile_steps *x = m->x;
    size_t most = 1;
    struct cw_groups_access *access;

    for (uint32_t i = 0; i < tiles; i++)
        most = ends[i] - (i ? ends[i - 1] : 0) > most ? ends[i] - (i ? ends[i - 1] : 0) : most;
    access = calloc(most * tiles, sizeof *access);
    if (!access)
        return no_memory(m);
    for (uint32_t i = 0; i < tiles; i++)
        memcpy(access + i * most, m->access + (i ? ends[i - 1] : 0),
               (ends[i] - (i ? ends[i - 1] : 0)) * sizeof *access);
    x->chains += !m->open;
    m->open = true;
    x->step[x->steps] = (struct cw_groups_step){
        .tiles = tiles, .grid = {grid[0], grid[1], grid[2]}, .accesses = (uint32_t)most, .access = access};
    x->command[x->steps] = command;
    x->chain[x->steps++] = x->chains - 1;
    x->cut += tiles > 1, x->whole += tiles == 1;
    return CW_OK;
}

static enum cw_status whole_step(struct maker *m, uint32_t command)
{
    const struct cw_command *c = &m->t->commands.v[command];
    size_t end;

    m->accesses = 0;
    for (uint32_t k = 0; k < c->accesses.count; k++) {
        const struct cw_t_access *a = &m->t->accesses.v[c->accesses.first + k];
        uint64_t bytes, at;
        if (a->memory >= m->t->memory.count)
            continue;
        at = address(m, a->memory, &bytes) + a->offset;
        if ((a->mode & CW_ACCESS_READ && !add(m, at, at + a->bytes, false)) ||
            (a->mode & CW_ACCESS_WRITE && !add(m, at, at + a->bytes, true)))
            return no_memory(m);
    }
    end = m->accesses;
    return end ? make_step(m, command, &end, (uint32_t[]){1, 1, 1}) : CW_OK;
}

/* ---- launches that may be cut */

/* Where the buffers of the launch lie; false: unknown memory. */
static bool find_places(struct maker *m, const struct cw_command *c)
{
    for (uint32_t i = 0; i < c->args.count; i++) {
        const struct cw_t_arg *a = &m->t->args.v[c->args.first + i];
        uint64_t bytes;
        m->place[i] = (struct cw_tiler_place){0};
        if ((a->kind != CW_ARG_MEMORY && a->kind != CW_ARG_SVM) || a->memory >= m->t->memory.count)
            continue;
        m->place[i].allocation = m->base[cw_trace_memory_root(m->t, a->memory, NULL)];
        m->place[i].base = (int64_t)(address(m, a->memory, &bytes) - m->place[i].allocation);
    }
    return !c->unknown_access && !c->elsewhere;
}

static bool visit(void *data, uint32_t tile, uint32_t arg, bool write, uint64_t begin, uint64_t end)
{
    struct maker *m = data;
    uint64_t at = m->place[arg].allocation + (uint64_t)m->place[arg].base;

    if (!add(m, at + begin, at + end, write))
        return false;
    for (; m->ended <= tile; m->ended++)
        m->end[m->ended] = m->accesses - 1; /* tiles before this one end here */
    m->end[tile] = m->accesses;
    return true;
}

static enum cw_status launch_step(struct maker *m, uint32_t command)
{
    const struct cw_command *c = &m->t->commands.v[command];
    const struct cw_model *model = cw_trace_reach_model(m->reach, m->t, c->kernel);
    struct cw_reach_launch l;
    uint32_t made[3], tiles;

    if (!model || !cw_trace_reach_describe(m->reach, m->t, c, &l) || !find_places(m, c))
        return whole_step(m, command);
    if (!m->tiler[c->kernel] && !(m->tiler[c->kernel] = cw_tiler_create(model)))
        return no_memory(m);
    m->accesses = 0, m->ended = 0;
    if (!cw_tiler_cut(m->tiler[c->kernel], &l, m->place, m->tiles, m->dims, visit, m, made))
        return no_memory(m);
    tiles = made[0] * made[1] * made[2];
    for (; m->ended < tiles; m->ended++)
        m->end[m->ended] = m->accesses;
    return tiles ? make_step(m, command, m->end, made) : whole_step(m, command);
}

/* ---- all together */

static bool host_waits(const struct cw_command *c)
{
    return c->type == CW_HOST_FINISH || c->type == CW_HOST_WAIT || c->type == CW_HOST_POLL || c->blocking;
}

static enum cw_status make_steps(struct maker *m, bool keep_waits)
{
    uint32_t args = 0;
    enum cw_status status = lay_out(m);

    for (size_t i = 0; i < m->t->commands.count; i++)
        args = m->t->commands.v[i].args.count > args ? m->t->commands.v[i].args.count : args;
    m->tiler = calloc(m->t->kernels.count + 1, sizeof *m->tiler);
    m->place = calloc((size_t)args + 1, sizeof *m->place);
    m->end = calloc((size_t)m->tiles + 1, sizeof *m->end);
    m->x->step = calloc(m->t->commands.count + 1, sizeof *m->x->step);
    m->x->command = calloc(m->t->commands.count + 1, sizeof *m->x->command);
    m->x->chain = calloc(m->t->commands.count + 1, sizeof *m->x->chain);
    if (!m->tiler || !m->place || !m->end || !m->x->step || !m->x->command || !m->x->chain)
        status = no_memory(m);
    for (uint32_t i = 0; i < m->t->commands.count && status == CW_OK; i++) {
        const struct cw_command *c = &m->t->commands.v[i];
        if (c->status != 0)
            continue;
        if (cw_trace_command_is_enqueue(c))
            status = c->kernel < m->t->kernels.count ? launch_step(m, i) : whole_step(m, i);
        if (c->unknown_access || c->elsewhere || (keep_waits && host_waits(c)))
            m->open = false;
    }
    if (status == CW_OK && m->x->steps == 0)
        status =
            cw_error_set(m->err, CW_ERR_INVALID, "priority groups: no command of the trace touches memory");
    return status;
}

enum cw_status cw_tile_steps_of_trace(struct cw_tile_steps *x, const struct cw_trace *t,
                                      struct cw_trace_reach *reach, uint32_t tiles, uint32_t dims,
                                      bool keep_waits, struct cw_error *err)
{
    struct maker m = {.x = x, .t = t, .reach = reach, .tiles = tiles, .dims = dims, .err = err};
    enum cw_status status;

    *x = (struct cw_tile_steps){0};
    status = make_steps(&m, keep_waits);
    for (size_t k = 0; m.tiler && k < t->kernels.count; k++)
        cw_tiler_destroy(m.tiler[k]);
    free(m.tiler);
    free(m.place);
    free(m.end);
    free(m.base);
    free(m.access);
    return status;
}

void cw_tile_steps_finish(struct cw_tile_steps *x)
{
    for (uint32_t s = 0; s < x->steps; s++)
        free((void *)(uintptr_t)x->step[s].access);
    free(x->step);
    free(x->command);
    free(x->chain);
    *x = (struct cw_tile_steps){0};
}

uint32_t cw_tile_steps_chain_end(const struct cw_tile_steps *x, uint32_t first)
{
    uint32_t end = first;

    while (end < x->steps && x->chain[end] == x->chain[first])
        end++;
    return end;
}

/* Each step is one of a graph's levels. */
struct levels {
    const struct cw_graph *g;
    uint32_t *level;
    uint64_t *base; /* where each task's memory begins */
};

static uint64_t bytes_of(double data)
{
    return data < 1 ? 1 : data > 0x1p50 ? (uint64_t)1 << 50 : (uint64_t)llround(data);
}

static uint64_t output_of(const struct cw_graph *g, uint32_t task)
{
    uint64_t most = 1;

    for (uint32_t e = g->succ.start[task]; e < g->succ.start[task + 1]; e++)
        if (bytes_of(g->succ.data[e]) > most)
            most = bytes_of(g->succ.data[e]);
    return most;
}

static void fill_task(const struct levels *l, uint32_t task, struct cw_groups_access *access)
{
    const struct cw_adjacency *pred = &l->g->pred;
    uint32_t n = 0;

    for (uint32_t e = pred->start[task]; e < pred->start[task + 1]; e++) {
        uint64_t from = l->base[pred->task[e]];
        access[n++] = (struct cw_groups_access){from, from + bytes_of(pred->data[e]), false};
    }
    access[n] = (struct cw_groups_access){l->base[task], l->base[task] + output_of(l->g, task), true};
}

/* Steps are made one after the other, and their number is small against that of tasks only where graphs are
 * regular. */
static enum cw_status fill_levels(struct cw_tile_steps *x, const struct levels *l, struct cw_error *err)
{
    const struct cw_graph *g = l->g;
    uint32_t *at = calloc(x->steps, sizeof *at);

    if (!at)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (uint32_t i = g->tasks; i-- > 0;) {
        struct cw_groups_step *step = &x->step[l->level[i]];
        uint32_t needed = g->pred.start[i + 1] - g->pred.start[i] + 1;
        step->tiles++;
        step->accesses = needed > step->accesses ? needed : step->accesses;
        x->command[l->level[i]] = i;
    }
    for (uint32_t s = 0; s < x->steps; s++) {
        x->step[s].access = calloc((size_t)x->step[s].tiles * x->step[s].accesses, sizeof *x->step[s].access);
        x->cut += x->step[s].tiles > 1, x->whole += x->step[s].tiles == 1;
        if (!x->step[s].access) {
            free(at);
            return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
        }
    }
    for (uint32_t i = 0; i < g->tasks; i++) {
        const struct cw_groups_step *step = &x->step[l->level[i]];
        struct cw_groups_access *all = (struct cw_groups_access *)(uintptr_t)step->access;
        fill_task(l, i, all + (size_t)at[l->level[i]]++ * step->accesses);
    }
    free(at);
    return CW_OK;
}

enum cw_status cw_tile_steps_of_graph(struct cw_tile_steps *x, const struct cw_graph *g, struct cw_error *err)
{
    struct levels l = {
        .g = g, .level = calloc(g->tasks, sizeof *l.level), .base = malloc(g->tasks * sizeof *l.base)};
    uint32_t depth = 0;
    uint64_t bytes = 0;
    enum cw_status status = l.level && l.base ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");

    *x = (struct cw_tile_steps){0};
    for (uint32_t k = 0; k < g->tasks && status == CW_OK; k++) {
        uint32_t i = g->topo[k];
        for (uint32_t e = g->pred.start[i]; e < g->pred.start[i + 1]; e++)
            if (l.level[g->pred.task[e]] + 1 > l.level[i])
                l.level[i] = l.level[g->pred.task[e]] + 1;
        depth = l.level[i] > depth ? l.level[i] : depth;
    }
    for (uint32_t i = 0; i < g->tasks && status == CW_OK; i++)
        l.base[i] = bytes, bytes += output_of(g, i);
    if (status == CW_OK) {
        x->step = calloc((size_t)depth + 1, sizeof *x->step);
        x->command = calloc((size_t)depth + 1, sizeof *x->command);
        x->chain = calloc((size_t)depth + 1, sizeof *x->chain);
        x->chains = 1;
        x->steps = x->step ? depth + 1 : 0;
        status = x->step && x->command && x->chain ? fill_levels(x, &l, err)
                                                   : cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    }
    free(l.level);
    free(l.base);
    return status;
}
