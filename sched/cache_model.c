/* cache_model.c - a list of pieces, the most recently used one first. */
#include "groups_order.h"

#include <stdlib.h>

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

static void touch(struct cache *c, uint32_t p, bool write)
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

enum cw_status cw_cache_model_run(const struct cw_groups_net *net, const uint32_t *order, uint64_t bytes,
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
                touch(&c, p, access[a].write);
    }
    while (c.line[net->pieces].newer != net->pieces)
        put_out(&c, c.line[net->pieces].newer);
    free(c.line);
    return CW_OK;
}
