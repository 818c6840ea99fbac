/* interval_map.c - see graph_parts.h. */
#include "graph_parts.h"
#include "../record/trace.h"

#include <stdlib.h>
#include <string.h>

struct cw_segment {
    uint64_t lo, hi;
    struct cw_segment *left, *right;
    struct cw_reader *readers;
    uint32_t writer, priority;
};

enum { SLAB_BYTES = 32768 };

struct slab {
    struct slab *next;
    _Alignas(uint64_t) char bytes[SLAB_BYTES];
};

/* Nodes of one size. A free one holds a pointer to the next free one. */
struct nodes {
    struct slab *slabs;
    size_t used; /* bytes of the newest slab */
    void *free;
};

struct cw_interval_pool {
    struct nodes segments, readers;
    uint32_t random;
};

struct cw_interval_pool *cw_interval_pool_create(void)
{
    struct cw_interval_pool *p = calloc(1, sizeof *p);

    if (p)
        p->random = 2463534242u;
    return p;
}

static void free_slabs(struct slab *s)
{
    while (s) {
        struct slab *next = s->next;
        free(s);
        s = next;
    }
}

void cw_interval_pool_destroy(struct cw_interval_pool *p)
{
    if (!p)
        return;
    free_slabs(p->segments.slabs);
    free_slabs(p->readers.slabs);
    free(p);
}

static void *take_node(struct nodes *n, size_t size)
{
    void *node = n->free;

    if (node) {
        memcpy(&n->free, node, sizeof n->free);
        return node;
    }
    if (!n->slabs || n->used + size > SLAB_BYTES) {
        struct slab *s = malloc(sizeof *s);
        if (!s)
            return NULL;
        s->next = n->slabs;
        n->slabs = s;
        n->used = 0;
    }
    n->used += size;
    return n->slabs->bytes + n->used - size;
}

static void give_node(struct nodes *n, void *node)
{
    memcpy(node, &n->free, sizeof n->free);
    n->free = node;
}

/* A segment goes: so do the readers that no other list has. */
static void give_segment(struct cw_interval_pool *p, struct cw_segment *s)
{
    struct cw_reader *r = s->readers, *next;

    for (; r && --r->lists == 0; r = next) {
        next = r->next;
        give_node(&p->readers, r);
    }
    give_node(&p->segments, s);
}

static struct cw_segment *new_segment(struct cw_interval_pool *p, uint64_t lo, uint64_t hi, uint32_t writer)
{
    struct cw_segment *s = take_node(&p->segments, sizeof *s);

    if (!s)
        return NULL;
    p->random ^= p->random << 13;
    p->random ^= p->random >> 17;
    p->random ^= p->random << 5;
    *s = (struct cw_segment){.lo = lo, .hi = hi, .writer = writer, .priority = p->random};
    return s;
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
    if (part->readers)
        part->readers->lists++;
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

/* False when memory is out. */
static bool add_reader(struct cw_segment *s, struct cw_interval_pool *p, uint32_t command)
{
    struct cw_reader *r = s->readers;

    if (r && r->command[r->count - 1] == command)
        return true; /* two arguments of one command read the same bytes */
    if (!r || r->lists > 1 || r->count == CW_READERS) {
        r = take_node(&p->readers, sizeof *r);
        if (!r)
            return false;
        *r = (struct cw_reader){.next = s->readers, .lists = 1};
        s->readers = r;
    }
    r->command[r->count++] = command;
    return true;
}

/* Morris order would spare the stack; the expected depth of a treap is O(log n), so plain recursion is fine.
 */
static bool read_segments(struct cw_segment *s, struct cw_interval_pool *p, uint32_t command,
                          cw_segment_visit *visit, void *context)
{
    for (; s; s = s->right) {
        if (!read_segments(s->left, p, command, visit, context))
            return false;
        visit(context, s->hi - s->lo, s->writer, s->readers);
        if (!add_reader(s, p, command))
            return false;
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
        give_segment(p, s);
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
