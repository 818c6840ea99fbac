/* groups_net.c - pieces of memory. */
#include "groups_order.h"

#include <stdlib.h>
#include <string.h>

/* Which tiles depend on which.
 *
 * Who wrote and read a piece last is kept for *stretches* of pieces that have been treated alike, not for
 * each of them: bands that lean cut memory into rows, of which a tile has dozens, but a step leaves about
 * three stretches a tile. A stretch is split where a range ends in it; those that a tile writes become one
 * again. */

enum { NONE = UINT32_MAX, BITS = 64 };

struct link {
    uint32_t tile, next;
};

struct stretch {
    uint32_t writers,
        readers;         /* heads of lists of links: writers of the last step that wrote, readers after it */
    uint32_t written_in; /* that step */
    bool read_later;     /* by a tile of a later step, which therefore depends on every writer */
    bool constant;       /* no tile writes it */
};

struct finder {
    struct cw_groups_net *net;
    struct stretch *stretch; /* by its first piece */
    uint64_t *begins;        /* a bit for each piece: a stretch begins there; and one behind the last */
    uint32_t *mark;          /* of each tile: the last one that was found to depend on it */
    struct link *link;
    uint32_t links, links_max;
    size_t preds, preds_max, work, work_max;
    struct cw_error *err;
    enum cw_status status;
};

static enum cw_status no_memory(struct cw_error *err)
{
    return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
}

/* ---- stretches */

/* Where the stretch begins that piece `p` is in. */
static uint32_t begin_of(const struct finder *f, uint32_t p)
{
    uint32_t word = p / BITS;
    uint64_t bits = f->begins[word] & (~UINT64_C(0) >> (BITS - 1 - p % BITS));

    while (!bits) /* one begins with piece 0 */
        bits = f->begins[--word];
    return word * BITS + (BITS - 1 - (uint32_t)__builtin_clzll(bits));
}

/* Where the first one begins behind piece `p`. */
static uint32_t end_of(const struct finder *f, uint32_t p)
{
    uint32_t word = (p + 1) / BITS;
    uint64_t bits = f->begins[word] & (~UINT64_C(0) << (p + 1) % BITS);

    while (!bits) /* one is behind the last piece */
        bits = f->begins[++word];
    return word * BITS + (uint32_t)__builtin_ctzll(bits);
}

static void split(struct finder *f, uint32_t p)
{
    uint32_t begin = begin_of(f, p);

    if (begin != p)
        f->stretch[p] = f->stretch[begin]; /* their lists go on as one, which is not changed any more */
    f->begins[p / BITS] |= UINT64_C(1) << p % BITS;
}

static void join(struct finder *f, uint32_t p)
{
    f->begins[p / BITS] &= ~(UINT64_C(1) << p % BITS);
}

/* At first: the pieces that are written at all, and those that are not. False: memory is out. */
static bool lay_out(struct finder *f)
{
    const struct cw_groups_net *net = f->net;
    int64_t *opened = calloc((size_t)net->pieces + 1, sizeof *opened), open = 0;

    f->stretch = malloc(((size_t)net->pieces + 1) * sizeof *f->stretch);
    f->begins = calloc((size_t)net->pieces / BITS + 1, sizeof *f->begins);
    for (uint32_t i = 0; opened && i < net->tiles; i++) {
        const struct cw_groups_access *access;
        uint32_t count;
        const struct cw_groups_run *run = cw_groups_runs(net, i, &count, &access);
        for (uint32_t k = 0; k < count; k++)
            if (access[k].write)
                opened[run[k].low]++, opened[run[k].high]--;
    }
    for (uint32_t p = 0; opened && f->stretch && f->begins && p <= net->pieces; p++) {
        bool was = open > 0;
        open += opened[p];
        if (p == 0 || p == net->pieces || was != (open > 0))
            f->begins[p / BITS] |= UINT64_C(1) << p % BITS;
        f->stretch[p] =
            (struct stretch){.writers = NONE, .readers = NONE, .written_in = NONE, .constant = !open};
    }
    free(opened);
    return opened && f->stretch && f->begins;
}

/* ---- dependences */

static void work(struct finder *f)
{
    if (++f->work > f->work_max && f->status == CW_OK)
        f->status =
            cw_error_set(f->err, CW_ERR_LIMIT, "priority groups: the dependences of tiles are not local");
}

static void push(struct finder *f, uint32_t *head, uint32_t tile)
{
    if (*head != NONE && f->link[*head].tile == tile)
        return; /* two arguments of one tile on one piece */
    if (f->links == f->links_max) {
        uint32_t more = f->links_max ? f->links_max * 2 : 1024;
        struct link *grown = realloc(f->link, more * sizeof *grown);
        if (!grown) {
            f->status = no_memory(f->err);
            return;
        }
        f->link = grown, f->links_max = more;
    }
    f->link[f->links] = (struct link){tile, *head};
    *head = f->links++;
}

static void depend(struct finder *f, uint32_t tile, uint32_t head)
{
    for (; head != NONE && f->status == CW_OK; head = f->link[head].next) {
        uint32_t on = f->link[head].tile;
        work(f);
        if (f->mark[on] == tile)
            continue;
        f->mark[on] = tile;
        if (f->preds == f->preds_max) {
            size_t more = f->preds_max ? f->preds_max * 2 : 1024;
            uint32_t *grown = realloc(f->net->pred, more * sizeof *grown);
            if (!grown) {
                f->status = no_memory(f->err);
                return;
            }
            f->net->pred = grown, f->preds_max = more;
        }
        f->net->pred[f->preds++] = on;
    }
}

/* Finds the accesses that earlier steps left for `tile`. */
static void find(struct finder *f, uint32_t tile)
{
    const struct cw_groups_access *access;
    uint32_t count;
    const struct cw_groups_run *run = cw_groups_runs(f->net, tile, &count, &access);

    for (uint32_t k = 0; k < count; k++)
        for (uint32_t p = run[k].low; p < run[k].high && f->status == CW_OK; p = end_of(f, p)) {
            const struct stretch *x = &f->stretch[begin_of(f, p)];
            work(f);
            if (!access[k].write || !x->read_later)
                depend(f, tile, x->writers);
            if (access[k].write)
                depend(f, tile, x->readers);
        }
    f->net->pred_start[tile + 1] = f->preds;
}

static void leave_write(struct finder *f, uint32_t tile, struct cw_groups_run run)
{
    uint32_t s = f->net->step_of[tile], fresh = NONE, next;

    split(f, run.low);
    split(f, run.high);
    for (uint32_t p = run.low; p < run.high && f->status == CW_OK; p = next) {
        struct stretch *x = &f->stretch[p];
        next = end_of(f, p);
        if (x->written_in == s) {
            push(f, &x->writers, tile);
            fresh = NONE;
        } else if (fresh != NONE) {
            join(f, p);
        } else {
            *x = (struct stretch){.writers = NONE, .readers = NONE, .written_in = s};
            push(f, &x->writers, tile);
            fresh = p;
        }
    }
}

static void leave_read(struct finder *f, uint32_t tile, struct cw_groups_run run)
{
    uint32_t s = f->net->step_of[tile], next;

    for (uint32_t p = run.low; p < run.high && f->status == CW_OK; p = next) {
        struct stretch *x;
        next = end_of(f, p);
        if (f->stretch[begin_of(f, p)].constant)
            continue;
        next = next < run.high ? next : run.high;
        split(f, p);
        split(f, next);
        x = &f->stretch[p];
        x->read_later |= x->writers != NONE && x->written_in != s;
        push(f, &x->readers, tile);
    }
}

/* Leaves a tile's accesses for later steps. Writes of all tiles of a step come before their reads: tiles of
 * one step do not meet in truth, whatever their ranges promise at most, and neither may be forgotten. */
static void leave(struct finder *f, uint32_t tile, bool write)
{
    const struct cw_groups_access *access;
    uint32_t count;
    const struct cw_groups_run *run = cw_groups_runs(f->net, tile, &count, &access);

    for (uint32_t k = 0; k < count; k++) {
        if (access[k].write != write || run[k].low >= run[k].high)
            continue;
        if (write)
            leave_write(f, tile, run[k]);
        else
            leave_read(f, tile, run[k]);
    }
}

/* The part of cw_groups_net_init that finds `pred_start` and `pred`. */
static enum cw_status groups_net_depend(struct cw_groups_net *net, struct cw_error *err)
{
    struct finder f = {.net = net, .err = err, .work_max = 64 * net->access_base[net->steps] + (1 << 20)};

    f.mark = malloc(net->tiles * sizeof *f.mark);
    net->pred_start = calloc((size_t)net->tiles + 1, sizeof *net->pred_start);
    if (!lay_out(&f) || !f.mark || !net->pred_start)
        f.status = no_memory(err);
    for (uint32_t i = 0; i < net->tiles && f.status == CW_OK; i++)
        f.mark[i] = NONE;
    for (uint32_t s = 0; s < net->steps && f.status == CW_OK; s++) {
        for (uint32_t i = net->base[s]; i < net->base[s + 1]; i++)
            find(&f, i);
        for (uint32_t i = net->base[s]; i < net->base[s + 1]; i++)
            leave(&f, i, true);
        for (uint32_t i = net->base[s]; i < net->base[s + 1]; i++)
            leave(&f, i, false);
    }
    free(f.stretch);
    free(f.begins);
    free(f.mark);
    free(f.link);
    return f.status;
}

/* The first that does not begin below; `near`: where it may be, as the tile before ends or begins there. */
static uint32_t piece_at(const struct cw_groups_net *net, uint64_t bound, uint32_t near)
{
    uint32_t low = 0, high = net->pieces;

    for (uint32_t away = 1; near < net->pieces && net->bound[near] < bound; away *= 2) {
        low = near + 1;
        near += away;
        high = near < net->pieces && net->bound[near] >= bound ? near : high;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (net->bound[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_grid(const struct cw_groups_step *step)
{
    uint64_t tiles = 1;

    for (uint32_t d = 0; d < CW_GROUPS_DIMS && tiles <= step->tiles; d++)
        tiles *= cw_groups_grid(step, d);
    return tiles == step->tiles && (!step->column || cw_groups_grid(step, 0) == step->tiles);
}

/* Checks the steps, numbers tiles and accesses. */
static enum cw_status number(struct cw_groups_net *net, struct cw_error *err)
{
    net->base = malloc((net->steps + 1) * sizeof *net->base);
    net->access_base = malloc((net->steps + 1) * sizeof *net->access_base);
    if (!net->base || !net->access_base)
        return no_memory(err);
    net->base[0] = 0;
    net->access_base[0] = 0;
    for (uint32_t s = 0; s < net->steps; s++) {
        const struct cw_groups_step *step = &net->step[s];
        if (step->tiles == 0)
            return cw_error_set(err, CW_ERR_INVALID, "priority groups: step %u has no tiles", s);
        if (!is_grid(step))
            return cw_error_set(err, CW_ERR_INVALID, "priority groups: the grid of step %u", s);
        if (step->tiles > CW_GROUPS_TILES_MAX - net->base[s] ||
            step->accesses > UINT32_MAX / 8 / step->tiles || net->access_base[s] > UINT32_MAX / 8)
            return cw_error_set(err, CW_ERR_LIMIT, "priority groups: too many tiles");
        net->base[s + 1] = net->base[s] + step->tiles;
        net->access_base[s + 1] = net->access_base[s] + (size_t)step->tiles * step->accesses;
    }
    net->tiles = net->base[net->steps];
    net->step_of = malloc(net->tiles * sizeof *net->step_of);
    if (!net->step_of)
        return no_memory(err);
    for (uint32_t s = 0; s < net->steps; s++)
        for (uint32_t i = net->base[s]; i < net->base[s + 1]; i++)
            net->step_of[i] = s;
    return CW_OK;
}

/* All ends of all ranges, ascending, each once; then every access as a run of pieces. */
static enum cw_status cut(struct cw_groups_net *net, struct cw_error *err)
{
    size_t accesses = net->access_base[net->steps], ends = 0, stay = 0;
    uint64_t *scratch;

    net->bound = malloc((2 * accesses + 1) * sizeof *net->bound);
    net->run = malloc((accesses + 1) * sizeof *net->run);
    if (!net->bound || !net->run)
        return no_memory(err);
    for (uint32_t s = 0; s < net->steps; s++)
        for (size_t k = 0; k < net->access_base[s + 1] - net->access_base[s]; k++)
            if (net->step[s].access[k].low < net->step[s].access[k].high) {
                net->bound[ends++] = net->step[s].access[k].low;
                net->bound[ends++] = net->step[s].access[k].high;
            }
    scratch = malloc((ends + 1) * sizeof *scratch);
    if (!scratch)
        return no_memory(err);
    cw_radix_sort(net->bound, scratch, ends);
    free(scratch);
    for (size_t k = 0; k < ends; k++)
        if (stay == 0 || net->bound[k] != net->bound[stay - 1])
            net->bound[stay++] = net->bound[k];
    net->pieces = stay ? (uint32_t)stay - 1 : 0;
    for (uint32_t s = 0; s < net->steps; s++)
        for (size_t k = 0; k < net->access_base[s + 1] - net->access_base[s]; k++) {
            const struct cw_groups_access *a = &net->step[s].access[k];
            struct cw_groups_run *run = &net->run[net->access_base[s] + k], before = {0, 0};
            if (k >= net->step[s].accesses)
                before = run[-(ptrdiff_t)net->step[s].accesses];
            *run = (struct cw_groups_run){0, 0};
            if (a->low < a->high) {
                run->low = piece_at(net, a->low, before.low);
                run->high = piece_at(net, a->high, before.high);
            }
        }
    return CW_OK;
}

static enum cw_status weigh(struct cw_groups_net *net, struct cw_error *err)
{
    int64_t *opened = calloc((size_t)net->pieces + 1, sizeof *opened), open = 0;

    if (!opened)
        return no_memory(err);
    for (size_t a = 0; a < net->access_base[net->steps]; a++)
        opened[net->run[a].low]++, opened[net->run[a].high]--;
    for (uint32_t p = 0; p < net->pieces; p++) {
        open += opened[p];
        net->bytes += open > 0 ? cw_groups_piece_bytes(net, p) : 0;
    }
    free(opened);
    return CW_OK;
}

enum cw_status cw_groups_net_init(struct cw_groups_net *net, const struct cw_groups_step *step,
                                  uint32_t steps, struct cw_error *err)
{
    enum cw_status status;

    *net = (struct cw_groups_net){.step = step, .steps = steps};
    if (steps == 0)
        return cw_error_set(err, CW_ERR_INVALID, "priority groups: no steps");
    status = number(net, err);
    if (status == CW_OK)
        status = cut(net, err);
    if (status == CW_OK)
        status = weigh(net, err);
    return status == CW_OK ? groups_net_depend(net, err) : status;
}

void cw_groups_net_finish(struct cw_groups_net *net)
{
    free(net->base);
    free(net->step_of);
    free(net->access_base);
    free(net->run);
    free(net->bound);
    free(net->pred_start);
    free(net->pred);
    *net = (struct cw_groups_net){0};
}
