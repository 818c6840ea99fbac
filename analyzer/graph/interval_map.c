/* interval_map.c - see interval_map.h. */
#include "interval_map.h"
#include "../trace/trace.h"

#include <stdlib.h>

struct cw_segment {
    uint64_t lo, hi;
    struct cw_segment *left, *right;
    const struct cw_reader *readers;
    uint32_t writer, priority;
};

enum { SLAB_NODES = 1024 };

struct slab {
    struct slab *next;
    size_t used;
    union node {
        struct cw_segment segment;
        struct cw_reader reader;
        union node *next_free;
    } nodes[SLAB_NODES];
};

struct cw_interval_pool {
    struct slab *slabs;
    union node *free_nodes;
    uint32_t random;
};

struct cw_interval_pool *cw_interval_pool_create(void)
{
    struct cw_interval_pool *p = calloc(1, sizeof *p);

    if (p)
        p->random = 2463534242u;
    return p;
}

void cw_interval_pool_destroy(struct cw_interval_pool *p)
{
    if (!p)
        return;
    while (p->slabs) {
        struct slab *next = p->slabs->next;
        free(p->slabs);
        p->slabs = next;
    }
    free(p);
}

static union node *take_node(struct cw_interval_pool *p)
{
    union node *n = p->free_nodes;

    if (n) {
        p->free_nodes = n->next_free;
        return n;
    }
    if (!p->slabs || p->slabs->used == SLAB_NODES) {
        struct slab *s = malloc(sizeof *s);
        if (!s)
            return NULL;
        s->used = 0;
        s->next = p->slabs;
        p->slabs = s;
    }
    return &p->slabs->nodes[p->slabs->used++];
}

static void give_node(struct cw_interval_pool *p, void *node)
{
    union node *n = node;

    n->next_free = p->free_nodes;
    p->free_nodes = n;
}

static struct cw_segment *new_segment(struct cw_interval_pool *p, uint64_t lo, uint64_t hi, uint32_t writer)
{
    union node *n = take_node(p);

    if (!n)
        return NULL;
    p->random ^= p->random << 13;
    p->random ^= p->random >> 17;
    p->random ^= p->random << 5;
    n->segment = (struct cw_segment){.lo = lo, .hi = hi, .writer = writer, .priority = p->random};
    return &n->segment;
}

/* Splits `s` into segments below and from `at`. No segment may cross `at`. */
static void split(struct cw_segment *s, uint64_t at, struct cw_segment **low, struct cw_segment **high)
{
    while (s) {
        if (s->lo < at) {
            *low = s;
            low = &s->right;
            s = s->right;
        } else {
            *high = s;
            high = &s->left;
            s = s->left;
        }
    }
    *low = *high = NULL;
}

static struct cw_segment *merge(struct cw_segment *a, struct cw_segment *b)
{
    struct cw_segment *root = NULL, **at = &root;

    while (a && b) {
        if (a->priority > b->priority) {
            *at = a;
            at = &a->right;
            a = a->right;
        } else {
            *at = b;
            at = &b->left;
            b = b->left;
        }
    }
    *at = a ? a : b;
    return root;
}

/* Cuts the segment that contains `at` in its inside, so that one begins there. */
static bool cut(struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t at)
{
    struct cw_segment *s = m->root, *part, *low, *high;

    while (s && !(s->lo < at && at < s->hi)) {
        if (s->lo == at || at == s->hi)
            return true;
        s = at < s->lo ? s->left : s->right;
    }
    if (!s)
        return true;
    part = new_segment(p, at, s->hi, s->writer);
    if (!part)
        return false;
    part->readers = s->readers;
    s->hi = at;
    split(m->root, at, &low, &high);
    m->root = merge(merge(low, part), high);
    return true;
}

/* Takes the segments of [lo, hi) out of the map: low | middle | high. */
static bool take_out(struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t lo, uint64_t hi,
                     struct cw_segment **low, struct cw_segment **middle, struct cw_segment **high)
{
    struct cw_segment *rest;

    if (!m->root)
        m->root = new_segment(p, 0, UINT64_MAX, CW_NONE);
    if (!m->root || !cut(m, p, lo) || !cut(m, p, hi))
        return false;
    split(m->root, lo, low, &rest);
    split(rest, hi, middle, high);
    return true;
}

/* Morris order would spare the stack; the expected depth of a treap is O(log n), so plain recursion is fine.
 */
static bool read_segments(struct cw_segment *s, struct cw_interval_pool *p, uint32_t command,
                          cw_segment_visit *visit, void *context)
{
    union node *n;

    for (; s; s = s->right) {
        if (!read_segments(s->left, p, command, visit, context))
            return false;
        visit(context, s->hi - s->lo, s->writer, s->readers);
        if (s->readers && s->readers->command == command)
            continue; /* two arguments of one command read the same bytes */
        n = take_node(p);
        if (!n)
            return false;
        n->reader = (struct cw_reader){command, s->readers};
        s->readers = &n->reader;
    }
    return true;
}

static void visit_and_free(struct cw_segment *s, struct cw_interval_pool *p, cw_segment_visit *visit,
                           void *context)
{
    while (s) {
        struct cw_segment *right = s->right;
        visit_and_free(s->left, p, visit, context);
        visit(context, s->hi - s->lo, s->writer, s->readers);
        give_node(p, s);
        s = right;
    }
}

bool cw_interval_map_read(struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t lo, uint64_t hi,
                          uint32_t command, cw_segment_visit *visit, void *context)
{
    struct cw_segment *low, *middle, *high;
    bool ok = take_out(m, p, lo, hi, &low, &middle, &high);

    if (!ok)
        return false;
    ok = read_segments(middle, p, command, visit, context);
    m->root = merge(merge(low, middle), high);
    return ok;
}

bool cw_interval_map_write(struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t lo, uint64_t hi,
                           uint32_t command, cw_segment_visit *visit, void *context)
{
    struct cw_segment *low, *middle, *high, *written;

    if (!take_out(m, p, lo, hi, &low, &middle, &high))
        return false;
    visit_and_free(middle, p, visit, context);
    written = new_segment(p, lo, hi, command);
    m->root = merge(merge(low, written), high);
    return written != NULL;
}
