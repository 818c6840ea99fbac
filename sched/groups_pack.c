/* groups_pack.c - plans of priority groups as bytes, and back. */
#include "groups_pack.h"

#include <stdlib.h>
#include <string.h>

/* "cwplan03": another one whenever a plan or its inputs change */
#define MAGIC UINT64_C(0x6377706c616e3033)

struct head {
    uint64_t magic;
    uint32_t tile_bytes, successors;
    struct cw_groups plan; /* without its arrays */
};

/* ---- the inputs of a plan */

enum { OPTIONS = 12, OF_A_STEP = 7, OF_AN_ACCESS = 3 };

static uint64_t bits_of(double x)
{
    uint64_t word;

    memcpy(&word, &x, sizeof word);
    return word;
}

static uint64_t *put_step(uint64_t *to, const struct cw_groups_step *step)
{
    *to++ = step->tiles;
    *to++ = step->accesses;
    for (uint32_t d = 0; d < CW_GROUPS_DIMS; d++)
        *to++ = step->grid[d];
    *to++ = step->column != NULL;
    *to++ = bits_of(step->lean);
    for (uint32_t i = 0; step->column && i < step->tiles; i++)
        *to++ = step->column[i];
    for (size_t a = 0; a < (size_t)step->tiles * step->accesses; a++) {
        *to++ = step->access[a].low;
        *to++ = step->access[a].high;
        *to++ = step->access[a].write;
    }
    return to;
}

uint64_t *cw_groups_words(const struct cw_groups_step *step, uint32_t steps,
                          const struct cw_groups_options *options, size_t *n)
{
    const uint64_t first[OPTIONS] = {options->rule,     options->workers,  options->separate,
                                     options->height,   options->width,    options->cache_bytes,
                                     options->measured, options->seed,     bits_of(options->reuse),
                                     options->inner[0], options->inner[1], steps};
    uint64_t *words, *to;

    *n = OPTIONS;
    for (uint32_t s = 0; s < steps; s++)
        *n += OF_A_STEP + (step[s].column ? step[s].tiles : 0) +
              (size_t)step[s].tiles * step[s].accesses * OF_AN_ACCESS;
    to = words = malloc(*n * sizeof *words);
    if (!words)
        return NULL;
    memcpy(to, first, sizeof first);
    to += OPTIONS;
    for (uint32_t s = 0; s < steps; s++)
        to = put_step(to, &step[s]);
    return words;
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
    return sizeof(struct head) + (size_t)tiles * sizeof(struct cw_groups_tile) +
           (size_t)successors * sizeof(uint32_t);
}

void *cw_groups_pack(const struct cw_groups *g, size_t *bytes)
{
    size_t successors = successors_of(g);
    struct head head;
    char *data;

    memset(&head, 0, sizeof head); /* the padding between its fields, too */
    head.magic = MAGIC;
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
    uint32_t left = successors; /* each belongs to one tile, so that this ends soon for all bytes */

    for (uint32_t i = 0; i < g->tiles; i++) {
        const struct cw_groups_tile *t = &g->tile[i];

        if (t->successors > left || t->first > successors || t->successors > successors - t->first)
            return false;
        left -= t->successors;
        for (uint32_t k = 0; k < t->successors; k++)
            if (g->successor[t->first + k] <= i || g->successor[t->first + k] >= g->tiles)
                return false;
    }
    return true;
}

bool cw_groups_unpack(const void *data, size_t bytes, struct cw_groups *out)
{
    const char *from = (const char *)data + sizeof(struct head);
    struct head head;
    bool good;

    *out = (struct cw_groups){0};
    if (bytes < sizeof head)
        return false;
    memcpy(&head, data, sizeof head);
    if (head.magic != MAGIC || head.tile_bytes != sizeof *out->tile ||
        bytes != size_of(head.plan.tiles, head.successors))
        return false;
    *out = head.plan;
    out->tile = malloc(out->tiles * sizeof *out->tile + 1);
    out->successor = malloc(head.successors * sizeof *out->successor + 1);
    good = out->tile && out->successor;
    if (good) {
        memcpy(out->tile, from, out->tiles * sizeof *out->tile);
        memcpy(out->successor, from + out->tiles * sizeof *out->tile,
               head.successors * sizeof *out->successor);
        good = is_whole(out, head.successors);
    }
    if (!good)
        cw_groups_finish(out);
    return good;
}
