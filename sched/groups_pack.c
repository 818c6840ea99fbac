/* groups_pack.c - plans of priority groups as bytes, and back. */
#include "groups_pack.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC UINT64_C(0x6377706c616e3031) /* "cwplan01": another one whenever a plan or what it is made of changes */

struct head {
    uint64_t magic, key[2];
    uint32_t tile_bytes, successors;
    struct cw_groups plan; /* without its arrays */
};

/* ---- the key */

static void add(uint64_t key[2], uint64_t word)
{
    key[0] = (key[0] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    key[0] ^= key[0] >> 32;
    key[1] = (key[1] + word) * UINT64_C(0xd6e8feb86659fd93);
    key[1] ^= key[1] >> 29;
}

static void add_number(uint64_t key[2], double x)
{
    uint64_t word;

    memcpy(&word, &x, sizeof word);
    add(key, word);
}

static void add_step(uint64_t key[2], const struct cw_groups_step *step)
{
    add(key, step->tiles);
    add(key, step->accesses);
    add(key, step->column != NULL);
    add_number(key, step->lean);
    for (uint32_t i = 0; step->column && i < step->tiles; i++)
        add(key, step->column[i]);
    for (size_t a = 0; a < (size_t)step->tiles * step->accesses; a++) {
        add(key, step->access[a].low);
        add(key, step->access[a].high);
        add(key, step->access[a].write);
    }
}

void cw_groups_key(const struct cw_groups_step *step, uint32_t steps, const struct cw_groups_options *options, uint64_t key[2])
{
    key[0] = MAGIC, key[1] = ~MAGIC;
    add(key, options->rule);
    add(key, options->lanes);
    add(key, options->apart);
    add(key, options->height);
    add(key, options->width);
    add(key, options->cache_bytes);
    add(key, options->measured);
    add(key, options->seed);
    add(key, steps);
    for (uint32_t s = 0; s < steps; s++)
        add_step(key, &step[s]);
}

/* ---- the bytes */

static size_t successors_of(const struct cw_groups *g)
{
    size_t n = 0;

    for (uint32_t i = 0; i < g->tiles; i++)
        n += g->tile[i].successors;
    return n;
}

static size_t size_of(uint32_t tiles, uint32_t successors)
{
    return sizeof(struct head) + (size_t)tiles * sizeof(struct cw_groups_tile) + (size_t)successors * sizeof(uint32_t);
}

void *cw_groups_pack(const struct cw_groups *g, const uint64_t key[2], size_t *bytes)
{
    size_t successors = successors_of(g);
    struct head head;
    char *data;

    memset(&head, 0, sizeof head); /* what lies between its fields, too */
    head.magic = MAGIC, head.key[0] = key[0], head.key[1] = key[1];
    head.tile_bytes = sizeof(struct cw_groups_tile), head.successors = (uint32_t)successors;
    head.plan = *g;
    head.plan.tile = NULL, head.plan.successor = NULL;
    if (successors > UINT32_MAX)
        return NULL;
    *bytes = size_of(g->tiles, head.successors);
    data = malloc(*bytes);
    if (!data)
        return NULL;
    memcpy(data, &head, sizeof head);
    memcpy(data + sizeof head, g->tile, g->tiles * sizeof *g->tile);
    memcpy(data + sizeof head + g->tiles * sizeof *g->tile, g->successor, successors * sizeof *g->successor);
    return data;
}

static bool is_whole(const struct cw_groups *g, uint32_t successors)
{
    for (uint32_t i = 0; i < g->tiles; i++) {
        const struct cw_groups_tile *t = &g->tile[i];

        if (t->first > successors || t->successors > successors - t->first)
            return false;
        for (uint32_t k = 0; k < t->successors; k++)
            if (g->successor[t->first + k] <= i || g->successor[t->first + k] >= g->tiles)
                return false;
    }
    return true;
}

bool cw_groups_unpack(const void *data, size_t bytes, const uint64_t key[2], struct cw_groups *out)
{
    const char *from = (const char *)data + sizeof(struct head);
    struct head head;
    bool good;

    *out = (struct cw_groups){0};
    if (bytes < sizeof head)
        return false;
    memcpy(&head, data, sizeof head);
    if (head.magic != MAGIC || head.key[0] != key[0] || head.key[1] != key[1] || head.tile_bytes != sizeof *out->tile ||
        bytes != size_of(head.plan.tiles, head.successors))
        return false;
    *out = head.plan;
    out->tile = malloc(out->tiles * sizeof *out->tile + 1);
    out->successor = malloc(head.successors * sizeof *out->successor + 1);
    good = out->tile && out->successor;
    if (good) {
        memcpy(out->tile, from, out->tiles * sizeof *out->tile);
        memcpy(out->successor, from + out->tiles * sizeof *out->tile, head.successors * sizeof *out->successor);
        good = is_whole(out, head.successors);
    }
    if (!good)
        cw_groups_finish(out);
    return good;
}
