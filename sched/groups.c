/* groups.c - puts the tiles of a chain of launches in the order of their priority groups. */
#include "groups.h"
#include "groups_order.h"
#include "random.h"
#include "task_heap.h"

#include <stdlib.h>
#include <string.h>

/* A list of pieces, the most recently used one first. */

struct line {
    uint32_t newer, older; /* pieces + 1 entries; the last one is both ends of the list */
    bool here, dirty;
};

struct cache {
    const struct cw_groups_net *net;
    struct line *line;
    uint64_t used, bytes;
    struct cw_cache_traffic *traffic;
};

static void unlink_piece(struct cache *c, uint32_t p)
{
    c->line[c->line[p].newer].older = c->line[p].older;
    c->line[c->line[p].older].newer = c->line[p].newer;
}

static void put_first(struct cache *c, uint32_t p)
{
    uint32_t end = c->net->pieces, first = c->line[end].older;

    c->line[p].newer = end, c->line[p].older = first;
    c->line[end].older = p, c->line[first].newer = p;
}

static void put_out(struct cache *c, uint32_t p)
{
    uint64_t bytes = cw_groups_piece_bytes(c->net, p);

    unlink_piece(c, p);
    c->used -= bytes;
    if (c->line[p].dirty)
        c->traffic->written_bytes += bytes;
    c->line[p].here = c->line[p].dirty = false;
}

static void visit(struct cache *c, uint32_t p, bool write)
{
    uint32_t end = c->net->pieces;

    if (c->line[p].here) {
        unlink_piece(c, p);
    } else {
        c->traffic->fetched_bytes += cw_groups_piece_bytes(c->net, p);
        c->used += cw_groups_piece_bytes(c->net, p);
        c->line[p].here = true;
    }
    put_first(c, p);
    c->line[p].dirty |= write;
    while (c->bytes && c->used > c->bytes)
        put_out(c, c->line[end].newer);
}

/* Runs the tiles of `net`, numbered in program order, in `order` (NULL: program order) through a cache of
 * `bytes` (0: without limit). A piece larger than the cache passes through it. Errors: CW_ERR_NOMEM. O(pieces
 * touched). */
static enum cw_status cache_model_run(const struct cw_groups_net *net, const uint32_t *order, uint64_t bytes,
                                      struct cw_cache_traffic *traffic, struct cw_error *err)
{
    struct cache c = {.net = net,
                      .bytes = bytes,
                      .traffic = traffic,
                      .line = calloc((size_t)net->pieces + 1, sizeof *c.line)};

    *traffic = (struct cw_cache_traffic){0};
    if (!c.line)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    c.line[net->pieces].newer = c.line[net->pieces].older = net->pieces;
    for (uint32_t k = 0; k < net->tiles; k++) {
        const struct cw_groups_access *access;
        uint32_t count, tile = order ? order[k] : k;
        const struct cw_groups_run *run = cw_groups_runs(net, tile, &count, &access);
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t p = run[a].low; p < run[a].high; p++)
                visit(&c, p, access[a].write);
    }
    while (c.line[net->pieces].newer != net->pieces)
        put_out(&c, c.line[net->pieces].newer);
    free(c.line);
    return CW_OK;
}

/* How often the groups of a block touch their bytes: the patent's bound on reuse. */

/* Fills use[] of each group, without steps of one tile. sequence[]: numbers of the tiles, those of a group
 * together; by_number[]: their groups. False: memory is out. */
static bool groups_uses(const struct cw_groups_order *o, const uint32_t *sequence,
                        const struct cw_groups_tile *by_number, struct cw_groups_use *use)
{
    const struct cw_groups_net *net = o->net;
    uint32_t *stamp = calloc((size_t)net->pieces + 1, sizeof *stamp); /* group + 1 */

    for (uint32_t k = 0; stamp && k < net->tiles; k++) {
        const struct cw_groups_access *access;
        uint32_t count, group = by_number[sequence[k]].group;
        const struct cw_groups_run *run = cw_groups_runs(net, sequence[k], &count, &access);

        use[group].block = o->block[net->step_of[sequence[k]]];
        for (uint32_t a = 0; a < count && net->step[net->step_of[sequence[k]]].tiles > 1; a++) {
            if (run[a].low < run[a].high)
                use[group].accessed += access[a].high - access[a].low;
            for (uint32_t p = run[a].low; p < run[a].high; p++)
                if (stamp[p] != group + 1)
                    stamp[p] = group + 1, use[group].touched += cw_groups_piece_bytes(net, p);
        }
    }
    free(stamp);
    return stamp != NULL;
}

/* Steps of blocks whose groups reuse too little (options->reuse) become a block each. *changed: any were. The
 * keys are new then. Errors: CW_ERR_NOMEM. */
static enum cw_status groups_bound_reuse(struct cw_groups_order *o, const struct cw_groups_use *use,
                                         uint32_t groups, bool *changed, struct cw_error *err)
{
    uint64_t *accessed = calloc(o->blocks, 2 * sizeof *accessed), *touched = accessed + o->blocks;
    uint32_t blocks = 0, last = UINT32_MAX;

    *changed = false;
    if (!accessed)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (uint32_t g = 0; g < groups; g++)
        accessed[use[g].block] += use[g].accessed, touched[use[g].block] += use[g].touched;
    for (uint32_t s = 0; s < o->net->steps; s++) {
        uint32_t was = o->block[s];
        bool few = (double)accessed[was] <= o->options->reuse * (double)touched[was];

        *changed |= few && was == last;
        if (was == 0 && few)
            o->height = 1;
        blocks += was != last || few;
        o->block[s] = blocks - 1;
        last = was;
    }
    o->blocks = blocks;
    free(accessed);
    if (!*changed)
        return CW_OK;
    enum cw_status status = cw_groups_shift_blocks(o, err);
    if (status == CW_OK)
        cw_groups_order_keys(o);
    return status;
}

struct maker {
    const struct cw_groups_options *options;
    struct cw_groups_net net;
    struct cw_groups_order order;
    uint32_t *place;    /* of each tile in the order */
    uint32_t *sequence; /* the order, by tile number */
    struct cw_groups *out;
    struct cw_error *err;
};

static enum cw_status no_memory(const struct maker *m)
{
    return cw_error_set(m->err, CW_ERR_NOMEM, "out of memory");
}

static bool legal(const struct maker *m)
{
    for (uint32_t i = 0; i < m->net.tiles; i++)
        for (size_t e = m->net.pred_start[i]; e < m->net.pred_start[i + 1]; e++)
            if (m->place[m->net.pred[e]] > m->place[i])
                return false;
    return true;
}

/* Takes ready tiles by the least `place`, so that the order respects dependences even where the numbers do
 * not. */
static enum cw_status mend(struct maker *m, const uint32_t *start, const uint32_t *succ)
{
    const struct cw_groups_net *net = &m->net;
    int64_t *rank = malloc(net->tiles * sizeof *rank);
    uint32_t *waits = malloc(net->tiles * sizeof *waits);
    struct cw_task_heap ready = {
        .key = rank, .task = malloc(net->tiles * sizeof *ready.task), .capacity = net->tiles};
    enum cw_status status = rank && waits && ready.task ? CW_OK : no_memory(m);

    for (uint32_t i = 0; i < net->tiles && status == CW_OK; i++) {
        rank[i] = -(int64_t)m->place[i];
        waits[i] = (uint32_t)(net->pred_start[i + 1] - net->pred_start[i]);
    }
    for (uint32_t i = 0; i < net->tiles && status == CW_OK; i++)
        if (waits[i] == 0)
            cw_task_heap_push(&ready, i);
    for (uint32_t k = 0; status == CW_OK && ready.count; k++) {
        uint32_t i = cw_task_heap_take(&ready, 0);
        m->sequence[k] = i;
        for (uint32_t e = start[i]; e < start[i + 1]; e++)
            if (--waits[succ[e]] == 0)
                cw_task_heap_push(&ready, succ[e]);
    }
    for (uint32_t k = 0; k < net->tiles && status == CW_OK; k++)
        m->place[m->sequence[k]] = k;
    free(rank);
    free(waits);
    cw_task_heap_finish(&ready);
    return status;
}

/* The tiles that wait for each tile: the other direction of the net's predecessors. */
static bool turn(const struct cw_groups_net *net, uint32_t **start, uint32_t **succ)
{
    size_t edges = net->pred_start[net->tiles];

    *start = calloc((size_t)net->tiles + 2, sizeof **start);
    *succ = malloc((edges + 1) * sizeof **succ);
    if (!*start || !*succ)
        return false;
    for (size_t e = 0; e < edges; e++)
        (*start)[net->pred[e] + 2]++;
    for (uint32_t i = 0; i < net->tiles; i++)
        (*start)[i + 2] += (*start)[i + 1];
    for (uint32_t i = 0; i < net->tiles; i++)
        for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++)
            (*succ)[(*start)[net->pred[e] + 1]++] = i;
    return true;
}

static void shuffle_keys(struct maker *m)
{
    uint64_t seed = m->options->seed;

    for (uint32_t i = m->net.tiles; i > 1; i--) {
        uint32_t k = (uint32_t)cw_random_below(&seed, i), other = m->place[i - 1];
        m->place[i - 1] = m->place[k], m->place[k] = other;
    }
    for (uint32_t i = 0; i < m->net.tiles; i++)
        m->sequence[m->place[i]] = i; /* it may be legal by chance, and stay */
}

/* The tiles in the order of their keys, into m->sequence: blocks are in order as steps are, and each is
 * sorted by lateness, by group, and by number. */
static bool sort_keys(struct maker *m)
{
    enum { TILE_BITS = 22, GROUP_BITS = 32 };
    _Static_assert(CW_GROUPS_TILES_MAX <= 1 << TILE_BITS,
                   "a tile's number, its group and whether it is late are one number");
    uint64_t *word = malloc(2 * (size_t)m->net.tiles * sizeof *word);
    const struct cw_groups_key *key = m->order.key;

    for (uint32_t b = 0, end; word && b < m->net.tiles; b = end) {
        for (end = b; end < m->net.tiles && key[end].block == key[b].block; end++)
            word[end] = ((uint64_t)(key[end].late != 0) << GROUP_BITS | key[end].group) << TILE_BITS | end;
        cw_radix_sort(word + b, word + m->net.tiles, end - b);
    }
    for (uint32_t k = 0; word && k < m->net.tiles; k++)
        m->sequence[k] = (uint32_t)word[k] & ((1u << TILE_BITS) - 1);
    free(word);
    return word != NULL;
}

/* The tiles in the order of their keys, into m->sequence, and the groups of all tiles. */
static enum cw_status sort_groups(struct maker *m)
{
    const struct cw_groups_key *last = NULL;

    if (!sort_keys(m))
        return no_memory(m);
    m->out->groups = 0;
    for (uint32_t k = 0; k < m->net.tiles; k++) {
        uint32_t i = m->sequence[k];
        const struct cw_groups_key *key = &m->order.key[i];
        struct cw_groups_tile *t = &m->out->tile[i]; /* by number until hand_out() */

        m->place[i] = k;
        m->out->groups +=
            !last || key->block != last->block || key->late != last->late || key->group != last->group;
        t->step = m->net.step_of[i], t->tile = i - m->net.base[t->step];
        t->group = m->out->groups - 1;
        t->worker = key->worker;
        last = key;
    }
    m->out->blocks = m->order.blocks, m->out->height = m->order.height;
    return CW_OK;
}

/* Fills *use, the caller's to free; the largest group, the reuse of all. */
static enum cw_status count_groups(struct maker *m, struct cw_groups_use **use)
{
    struct cw_groups *out = m->out;

    out->footprint_bytes = out->accessed_bytes = out->grouped_bytes = 0;
    *use = calloc(out->groups, sizeof **use);
    if (!*use || !groups_uses(&m->order, m->sequence, out->tile, *use))
        return no_memory(m);
    for (uint32_t g = 0; g < out->groups; g++) {
        out->accessed_bytes += (*use)[g].accessed, out->grouped_bytes += (*use)[g].touched;
        out->footprint_bytes =
            (*use)[g].touched > out->footprint_bytes ? (*use)[g].touched : out->footprint_bytes;
    }
    return CW_OK;
}

/* Counts what groups touch, where it is asked for; blocks that reuse too little are dissolved. */
static enum cw_status bound_groups(struct maker *m)
{
    bool bound = m->options->reuse > 0 && !m->options->seed, changed = false;
    struct cw_groups_use *use = NULL;
    enum cw_status status = CW_OK;

    if (bound || !m->options->measured)
        status = count_groups(m, &use);
    if (status == CW_OK && bound)
        status = groups_bound_reuse(&m->order, use, m->out->groups, &changed, m->err);
    free(use);
    if (status != CW_OK || !changed)
        return status;
    status = sort_groups(m);
    use = NULL;
    if (status == CW_OK)
        status = count_groups(m, &use);
    free(use);
    return status;
}

/* The sorted keys become the order. */
static enum cw_status put_in_order(struct maker *m, const uint32_t *start, const uint32_t *succ)
{
    enum cw_status status = sort_groups(m);

    if (status == CW_OK)
        status = bound_groups(m);
    if (status != CW_OK)
        return status;
    if (m->options->seed)
        shuffle_keys(m);
    return legal(m) ? CW_OK : mend(m, start, succ);
}

/* From tiles by number to tiles in order, with their successors. */
static void hand_out(struct maker *m, const uint32_t *start, const uint32_t *succ,
                     struct cw_groups_tile *sorted)
{
    uint32_t used = 0;

    for (uint32_t k = 0; k < m->net.tiles; k++) {
        uint32_t i = m->sequence[k];
        sorted[k] = m->out->tile[i];
        sorted[k].waits = (uint32_t)(m->net.pred_start[i + 1] - m->net.pred_start[i]);
        sorted[k].first = used, sorted[k].successors = start[i + 1] - start[i];
        for (uint32_t e = start[i]; e < start[i + 1]; e++)
            m->out->successor[used++] = m->place[succ[e]];
    }
    free(m->out->tile);
    m->out->tile = sorted;
}

static enum cw_status order(struct maker *m)
{
    uint32_t *start = NULL, *succ = NULL;
    size_t edges = m->net.pred_start[m->net.tiles];
    struct cw_groups_tile *sorted = malloc(m->net.tiles * sizeof *sorted);
    enum cw_status status = CW_OK;

    m->place = malloc(m->net.tiles * sizeof *m->place);
    m->sequence = malloc(m->net.tiles * sizeof *m->sequence);
    m->out->tile = malloc(m->net.tiles * sizeof *m->out->tile);
    m->out->successor = malloc((edges + 1) * sizeof *m->out->successor);
    if (!turn(&m->net, &start, &succ) || !sorted || !m->place || !m->sequence || !m->out->tile ||
        !m->out->successor)
        status = no_memory(m);
    if (status == CW_OK)
        status = put_in_order(m, start, succ);
    if (status == CW_OK)
        hand_out(m, start, succ, sorted);
    else
        free(sorted);
    free(start);
    free(succ);
    return status;
}

static enum cw_status judge(struct maker *m)
{
    struct cw_cache_traffic ours, plain;
    enum cw_status status = cache_model_run(&m->net, m->sequence, m->options->cache_bytes, &ours, m->err);
    if (status == CW_OK)
        status = cache_model_run(&m->net, NULL, m->options->cache_bytes, &plain, m->err);
    if (status == CW_OK)
        m->out->touched_bytes = ours.fetched_bytes, m->out->plain_bytes = plain.fetched_bytes;
    if (status == CW_OK)
        m->out->written_bytes = ours.written_bytes, m->out->plain_written_bytes = plain.written_bytes;
    return status;
}

static enum cw_status make(struct maker *m, const struct cw_groups_step *step, uint32_t steps)
{
    enum cw_status status = cw_groups_net_init(&m->net, step, steps, m->err);

    if (status == CW_OK)
        status = cw_groups_order_init(&m->order, &m->net, m->options, m->err);
    if (status != CW_OK)
        return status;
    *m->out = (struct cw_groups){.tiles = m->net.tiles,
                                 .width = m->order.width[0],
                                 .reach = (double)m->order.reach[0] / CW_GROUPS_UNIT};
    for (uint32_t d = 1; d < m->order.dims; d++) {
        m->out->inner[d - 1] = m->order.width[d];
        m->out->inner_reach[d - 1] = (double)m->order.reach[d] / CW_GROUPS_UNIT;
    }
    status = order(m);
    return status == CW_OK && !m->options->measured ? judge(m) : status;
}

enum cw_status cw_groups_make(const struct cw_groups_step *step, uint32_t steps,
                              const struct cw_groups_options *options, struct cw_groups *out,
                              struct cw_error *err)
{
    struct maker m = {.options = options, .out = out, .err = err};
    enum cw_status status;

    *out = (struct cw_groups){0};
    if (options->workers == 0)
        return cw_error_set(err, CW_ERR_INVALID, "priority groups: no lanes");
    status = make(&m, step, steps);
    cw_groups_order_finish(&m.order);
    cw_groups_net_finish(&m.net);
    free(m.place);
    free(m.sequence);
    if (status != CW_OK)
        cw_groups_finish(out);
    return status;
}

enum cw_status cw_groups_leans(const struct cw_groups_step *step, uint32_t steps, double *lean,
                               struct cw_error *err)
{
    struct cw_groups_net net;
    struct cw_groups_order o = {0};
    enum cw_status status = cw_groups_net_init(&net, step, steps, err);

    if (status == CW_OK)
        status = cw_groups_shifts(&o, &net, err);
    for (uint32_t s = 0; s < steps && status == CW_OK; s++)
        lean[s] = (double)o.shift[s] / CW_GROUPS_UNIT;
    cw_groups_order_finish(&o);
    cw_groups_net_finish(&net);
    return status;
}

void cw_groups_finish(struct cw_groups *g)
{
    free(g->tile);
    free(g->successor);
    *g = (struct cw_groups){0};
}
