/* interval_map.c - see graph_parts.h. */
#include "graph_parts.h"
#include "../kernels/footprint/reach.h"
#include "../record/trace.h"

#include <stdlib.h>
#include <string.h>

struct cw_segment {
    uint64_t lo, hi;
    struct cw_segment *left, *right;
    struct cw_reader *readers; /* behind the updates where `closed`, else before them */
    struct cw_reader *updates; /* behind the writer; all of class `commutes` */
    uint32_t writer, priority;
    uint8_t commutes;
    bool closed; /* no further command joins the updates */
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

/* A list goes: so do the readers that no other list has. */
static void give_readers(struct cw_interval_pool *p, struct cw_reader *r)
{
    struct cw_reader *next;

    for (; r && --r->lists == 0; r = next) {
        next = r->next;
        give_node(&p->readers, r);
    }
}

static void give_segment(struct cw_interval_pool *p, struct cw_segment *s)
{
    give_readers(p, s->readers);
    give_readers(p, s->updates);
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
    part->updates = s->updates;
    part->commutes = s->commutes;
    part->closed = s->closed;
    if (part->readers)
        part->readers->lists++;
    if (part->updates)
        part->updates->lists++;
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
static bool add_reader(struct cw_reader **list, struct cw_interval_pool *p, uint32_t command)
{
    struct cw_reader *r = *list;

    if (r && r->command[r->count - 1] == command)
        return true; /* two arguments of one command read the same bytes */
    if (!r || r->lists > 1 || r->count == CW_READERS) {
        r = take_node(&p->readers, sizeof *r);
        if (!r)
            return false;
        *r = (struct cw_reader){.next = *list, .lists = 1};
        *list = r;
    }
    r->command[r->count++] = command;
    return true;
}

/* The users of a segment for an access that comes behind all of them. */
static struct cw_segment_users users_of(const struct cw_segment *s)
{
    if (!s->updates)
        return (struct cw_segment_users){s->writer, NULL, s->readers};
    return (struct cw_segment_users){CW_NONE, s->updates, s->closed ? s->readers : NULL};
}

static bool read_segment(struct cw_segment *s, struct cw_interval_pool *p, uint32_t command)
{
    if (s->updates && !s->closed) { /* they lie between the readers of before and this one */
        give_readers(p, s->readers);
        s->readers = NULL;
        s->closed = true;
    }
    return add_reader(&s->readers, p, command);
}

/* Behind readers of closed updates nothing needs the updates any more. One of another class is a writer. */
static bool update_segment(struct cw_segment *s, struct cw_interval_pool *p, uint32_t command,
                           uint8_t commutes)
{
    bool other = s->updates && !s->closed && !cw_reach_commute(s->commutes, commutes);

    if (other || s->closed) {
        give_readers(p, s->updates);
        s->updates = NULL;
        s->writer = CW_NONE;
        s->closed = false;
    }
    if (other) {
        give_readers(p, s->readers);
        s->readers = NULL;
        s->writer = command;
        return true;
    }
    s->commutes = commutes;
    return add_reader(&s->updates, p, command);
}

/* Morris order would spare the stack; the expected depth of a treap is O(log n), so plain recursion is fine.
 */
static bool use_segments(struct cw_segment *s, struct cw_interval_pool *p, uint32_t command, uint8_t commutes,
                         cw_segment_visit *visit, void *context)
{
    for (; s; s = s->right) {
        struct cw_segment_users before = users_of(s);

        if (!use_segments(s->left, p, command, commutes, visit, context))
            return false;
        if (s->updates && cw_reach_commute(s->commutes, commutes))
            before = (struct cw_segment_users){s->closed ? CW_NONE : s->writer, NULL, s->readers};
        visit(context, s->hi - s->lo, &before);
        if (commutes ? !update_segment(s, p, command, commutes) : !read_segment(s, p, command))
            return false;
    }
    return true;
}

static void visit_and_free(struct cw_segment *s, struct cw_interval_pool *p, cw_segment_visit *visit,
                           void *context)
{
    while (s) {
        struct cw_segment *right = s->right;
        struct cw_segment_users before = users_of(s);
        visit_and_free(s->left, p, visit, context);
        visit(context, s->hi - s->lo, &before);
        give_segment(p, s);
        s = right;
    }
}

bool cw_interval_map_update(struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t lo, uint64_t hi,
                            uint32_t command, uint8_t commutes, cw_segment_visit *visit, void *context)
{
    struct cw_segment *low, *middle, *high;
    bool ok = take_out(m, p, lo, hi, &low, &middle, &high);

    if (!ok)
        return false;
    ok = use_segments(middle, p, command, commutes, visit, context);
    m->root = merge(merge(low, middle), high);
    return ok;
}

bool cw_interval_map_read(struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t lo, uint64_t hi,
                          uint32_t command, cw_segment_visit *visit, void *context)
{
    return cw_interval_map_update(m, p, lo, hi, command, 0, visit, context);
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
