/* address_map.c - see address_map.h. */
#include "address_map.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, LINE = 64 / sizeof(uint64_t) };

struct cw_address_block {
    uint64_t start[BLOCK]; /* behind the last one UINT64_MAX */
    struct {
        uint64_t end;
        void *value;
    } range[BLOCK];
    size_t n;
};

/* How many of the ascending numbers are at most `x`. */
static size_t up_to(const uint64_t *number, size_t n, uint64_t x)
{
    const uint64_t *from = number;

    while (n > 1) {
        size_t half = n / 2;
        from += half * (size_t)(from[half - 1] <= x);
        n -= half;
    }
    return (size_t)(from - number) + (n && *from <= x);
}

struct spot {
    size_t block, at;
};

/* Behind the last range that begins at `x` or before. */
static struct spot behind(const struct cw_address_map *m, uint64_t x)
{
    size_t n = up_to(m->first, m->blocks, x);
    const uint64_t *start = n ? m->block[n - 1]->start : NULL;

    if (!n)
        return (struct spot){0, 0};
    for (size_t i = 0; i < BLOCK; i += LINE) /* at once instead of one after the other */
        __builtin_prefetch(start + i);
    return (struct spot){n - 1, up_to(start, BLOCK, x < UINT64_MAX ? x : x - 1)};
}

/* The range that begins there, or the first one of the next block; false: there is none. */
static bool is_range(const struct cw_address_map *m, struct spot *s)
{
    if (s->block < m->blocks && s->at == m->block[s->block]->n)
        *s = (struct spot){s->block + 1, 0};
    return s->block < m->blocks;
}

void *cw_address_map_find(const struct cw_address_map *m, uint64_t start, uint64_t bytes, uint64_t *from)
{
    struct spot s = behind(m, start);
    bool inside = s.at && m->block[s.block]->range[s.at - 1].end > start;

    s.at -= inside;
    if (!bytes || (!inside && (!is_range(m, &s) || m->block[s.block]->start[s.at] - start >= bytes)))
        return NULL;
    if (from)
        *from = m->block[s.block]->start[s.at];
    return m->block[s.block]->range[s.at].value;
}

/* The block has `n` ranges from here on. */
static void set_size(struct cw_address_block *b, size_t n)
{
    b->n = n;
    memset(b->start + n, 0xff, (BLOCK - n) * sizeof *b->start);
}

static void move(struct cw_address_block *to, size_t at, const struct cw_address_block *from, size_t first,
                 size_t n)
{
    memmove(to->start + at, from->start + first, n * sizeof *to->start);
    memmove(to->range + at, from->range + first, n * sizeof *to->range);
}

/* An empty block as number `at`. False: memory is out. */
static bool add_block(struct cw_address_map *m, size_t at)
{
    size_t capacity = m->blocks < m->capacity ? m->capacity : 2 * m->capacity + 8;
    struct cw_address_block *b = malloc(sizeof *b), **block;
    uint64_t *first;

    if (capacity > m->capacity) {
        first = realloc(m->first, capacity * sizeof *first);
        m->first = first ? first : m->first;
        block = realloc(m->block, capacity * sizeof(struct cw_address_block *));
        m->block = block ? block : m->block;
        m->capacity = first && block ? capacity : m->capacity;
    }
    if (!b || m->blocks == m->capacity) {
        free(b);
        return false;
    }
    set_size(b, 0);
    memmove(m->first + at + 1, m->first + at, (m->blocks - at) * sizeof *m->first);
    memmove(m->block + at + 1, m->block + at, (m->blocks - at) * sizeof(struct cw_address_block *));
    m->block[at] = b;
    m->blocks++;
    return true;
}

/* Room for one more in block `s`. Ascending addresses leave full blocks behind, others halves. */
static bool reserve(struct cw_address_map *m, struct spot *s)
{
    struct cw_address_block *b, *more;
    size_t stay;

    if (!m->blocks)
        return add_block(m, 0);
    b = m->block[s->block];
    if (b->n < BLOCK)
        return true;
    if (!add_block(m, s->block + 1))
        return false;
    more = m->block[s->block + 1];
    stay = s->at == b->n ? b->n : b->n / 2;
    move(more, 0, b, stay, b->n - stay);
    set_size(more, b->n - stay);
    set_size(b, stay);
    m->first[s->block + 1] = more->start[0];
    if (s->at >= stay)
        *s = (struct spot){s->block + 1, s->at - stay};
    return true;
}

bool cw_address_map_add(struct cw_address_map *m, uint64_t start, uint64_t bytes, void *value)
{
    struct spot s = behind(m, start);
    struct cw_address_block *b;

    if (!bytes || bytes > UINT64_MAX - start || cw_address_map_find(m, start, bytes, NULL) || !reserve(m, &s))
        return false;
    b = m->block[s.block];
    move(b, s.at + 1, b, s.at, b->n - s.at);
    b->start[s.at] = start;
    b->range[s.at].end = start + bytes;
    b->range[s.at].value = value;
    b->n++;
    m->first[s.block] = b->start[0];
    return true;
}

void *cw_address_map_remove(struct cw_address_map *m, uint64_t start)
{
    struct spot s = behind(m, start);
    struct cw_address_block *b = s.at ? m->block[s.block] : NULL;
    void *value = b && b->start[s.at - 1] == start ? b->range[s.at - 1].value : NULL;

    if (!b || b->start[s.at - 1] != start)
        return NULL;
    move(b, s.at - 1, b, s.at, b->n - s.at);
    set_size(b, b->n - 1);
    if (b->n) {
        m->first[s.block] = b->start[0];
        return value;
    }
    free(b);
    m->blocks--;
    memmove(m->first + s.block, m->first + s.block + 1, (m->blocks - s.block) * sizeof *m->first);
    memmove(m->block + s.block, m->block + s.block + 1,
            (m->blocks - s.block) * sizeof(struct cw_address_block *));
    return value;
}

void cw_address_map_finish(struct cw_address_map *m)
{
    for (size_t i = 0; i < m->blocks; i++)
        free(m->block[i]);
    free(m->block);
    free(m->first);
    *m = (struct cw_address_map){0};
}
