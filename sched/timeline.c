#include "timeline.h"

#include <math.h>
#include <stdlib.h>

#define NIL 0 /* node 0 is the empty tree; its `longest` is -1 */

void cw_timeline_init(struct cw_timeline *t)
{
    *t = (struct cw_timeline){.seed = 0x9e3779b9};
}

void cw_timeline_finish(struct cw_timeline *t)
{
    free(t->gap);
    cw_timeline_init(t);
}

/* ---- treap */

/* `start + length <= end` may hold, by rounding, for a length that is half a unit in the last place of `end`
 * above fl(end - start). So the bound that prunes the search is rounded up by more than that; the test itself
 * stays exact. */
static double length_bound(const struct cw_gap *g)
{
    return (g->end - g->start) + 0x1p-51 * g->end;
}

static void update(struct cw_timeline *t, uint32_t n)
{
    struct cw_gap *g = &t->gap[n];

    g->longest = fmax(length_bound(g), fmax(t->gap[g->left].longest, t->gap[g->right].longest));
}

static uint32_t new_node(struct cw_timeline *t, double start, double end)
{
    uint32_t n = t->unused;

    if (n != NIL) {
        t->unused = t->gap[n].left;
    } else {
        if (t->gaps + 2 > t->capacity) {
            uint32_t capacity = t->capacity ? 2 * t->capacity : 16;
            struct cw_gap *gap = realloc(t->gap, capacity * sizeof *gap);
            if (!gap)
                return NIL;
            t->gap = gap;
            t->capacity = capacity;
            t->gap[NIL] = (struct cw_gap){.longest = -1};
        }
        n = ++t->gaps;
    }
    t->seed = t->seed * 1664525 + 1013904223;
    t->gap[n] = (struct cw_gap){.start = start, .end = end, .priority = t->seed ^ t->seed >> 16};
    update(t, n);
    return n;
}

/* Splits tree `n` into the gaps that start before `at` and the others. */
static void split(struct cw_timeline *t, uint32_t n, double at, uint32_t *before, uint32_t *after)
{
    if (n == NIL) {
        *before = *after = NIL;
    } else if (t->gap[n].start < at) {
        uint32_t right;
        split(t, t->gap[n].right, at, &right, after);
        t->gap[n].right = right;
        update(t, n);
        *before = n;
    } else {
        uint32_t left;
        split(t, t->gap[n].left, at, before, &left);
        t->gap[n].left = left;
        update(t, n);
        *after = n;
    }
}

static uint32_t merge(struct cw_timeline *t, uint32_t a, uint32_t b)
{
    uint32_t top;

    if (a == NIL || b == NIL)
        return a == NIL ? b : a;
    if (t->gap[a].priority > t->gap[b].priority) {
        uint32_t right = merge(t, t->gap[a].right, b);
        t->gap[top = a].right = right;
    } else {
        uint32_t left = merge(t, a, t->gap[b].left);
        t->gap[top = b].left = left;
    }
    update(t, top);
    return top;
}

/* Inserts node `fresh` below `n`; returns the new root of that subtree. */
static uint32_t insert(struct cw_timeline *t, uint32_t n, uint32_t fresh)
{
    struct cw_gap *g = &t->gap[n], *f = &t->gap[fresh];

    if (n == NIL)
        return fresh;
    if (f->priority > g->priority) {
        split(t, n, f->start, &f->left, &f->right);
        n = fresh;
    } else if (f->start < g->start) {
        g->left = insert(t, g->left, fresh);
    } else {
        g->right = insert(t, g->right, fresh);
    }
    update(t, n);
    return n;
}

/* Removes the gap that starts at `start` and puts its node on the free list. */
static uint32_t erase(struct cw_timeline *t, uint32_t n, double start)
{
    struct cw_gap *g = &t->gap[n];

    if (g->start == start) {
        uint32_t rest = merge(t, g->left, g->right);
        g->left = t->unused;
        t->unused = n;
        return rest;
    }
    if (start < g->start)
        g->left = erase(t, g->left, start);
    else
        g->right = erase(t, g->right, start);
    update(t, n);
    return n;
}

/* Gives the gap that starts at `start` new ends; its place among the others must not change. */
static void resize(struct cw_timeline *t, uint32_t n, double start, double new_start, double new_end)
{
    struct cw_gap *g = &t->gap[n];

    if (g->start == start) {
        g->start = new_start;
        g->end = new_end;
    } else {
        resize(t, start < g->start ? g->left : g->right, start, new_start, new_end);
    }
    update(t, n);
}

static bool add(struct cw_timeline *t, double start, double end)
{
    uint32_t n = new_node(t, start, end);

    if (n == NIL)
        return false;
    t->root = insert(t, t->root, n);
    return true;
}

/* The last gap that starts at or before `at`, NIL if none. */
static uint32_t gap_at(const struct cw_timeline *t, double at)
{
    uint32_t best = NIL;

    for (uint32_t n = t->root; n != NIL;) {
        if (t->gap[n].start <= at) {
            best = n;
            n = t->gap[n].right;
        } else {
            n = t->gap[n].left;
        }
    }
    return best;
}

/* ---- operations */

/* First gap in time that can hold [max(start, ready), + length). Gaps are disjoint, so those that end too
 * early come first: left of a node that ends too early there is nothing. */
static uint32_t search(const struct cw_timeline *t, uint32_t n, double ready, double length)
{
    while (t->gap[n].longest >= length) {
        const struct cw_gap *g = &t->gap[n];
        if (g->end >= ready + length) {
            uint32_t found = search(t, g->left, ready, length);
            if (found != NIL)
                return found;
            if (fmax(g->start, ready) + length <= g->end)
                return n;
        }
        n = g->right;
    }
    return NIL;
}

double cw_timeline_first_fit(const struct cw_timeline *t, double ready, double length)
{
    if (length <= 0 || ready >= t->avail)
        return ready;
    if (t->root != NIL) {
        uint32_t n = search(t, t->root, ready, length);
        if (n != NIL)
            return fmax(t->gap[n].start, ready);
    }
    return t->avail;
}

bool cw_timeline_is_idle(const struct cw_timeline *t, double start, double end)
{
    uint32_t n;

    if (start >= end || start >= t->avail)
        return true;
    n = gap_at(t, start);
    return n != NIL && t->gap[n].end >= end;
}

double cw_timeline_idle_since(const struct cw_timeline *t, double end)
{
    uint32_t n;

    if (end > t->avail)
        return t->avail;
    n = gap_at(t, nextafter(end, -1));
    return n != NIL && t->gap[n].end >= end ? t->gap[n].start : end;
}

bool cw_timeline_place(struct cw_timeline *t, double start, double end)
{
    struct cw_gap g;
    uint32_t n;

    if (start >= end)
        return true;
    if (start >= t->avail) {
        if (start > t->avail && !add(t, t->avail, start))
            return false;
        t->avail = end;
        return true;
    }
    n = gap_at(t, start);
    if (n == NIL || t->gap[n].end < end)
        return false;
    g = t->gap[n];
    if (g.start == start && g.end == end)
        t->root = erase(t, t->root, start);
    else if (g.start == start)
        resize(t, t->root, g.start, end, g.end);
    else if (g.end == end || add(t, end, g.end))
        resize(t, t->root, g.start, g.start, start);
    else
        return false;
    return true;
}

bool cw_timeline_remove(struct cw_timeline *t, double start, double end)
{
    uint32_t before, after;
    double from = start;

    if (start >= end)
        return true;
    before = gap_at(t, start);
    if (before != NIL && t->gap[before].end == start)
        from = t->gap[before].start;
    if (end == t->avail) {
        if (from < start)
            t->root = erase(t, t->root, from);
        t->avail = from;
        return true;
    }
    after = gap_at(t, end);
    if (after != NIL && t->gap[after].start == end) {
        double to = t->gap[after].end;
        if (from < start)
            t->root = erase(t, t->root, from);
        resize(t, t->root, end, from, to);
    } else if (from < start) {
        resize(t, t->root, from, from, end);
    } else {
        return add(t, start, end);
    }
    return true;
}
