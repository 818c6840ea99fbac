/* cut_memory.c - a cutter and the verdicts that it remembers, by the shape of the launch.
 *
 * A shape is everything that a verdict depends on: sizes, scalar values, buffer sizes, and which arguments
 * lie where in one memory; not where that memory is. */
#include <stdlib.h>
#include <string.h>

#include "cut_internal.h"

struct cw_cutter *cw_cutter_create(const struct cw_model *m)
{
    struct cw_cutter *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->m = m;
    c->eval = cw_eval_create(m);
    c->form = calloc(2 * ((size_t)m->accesses + (size_t)m->args) + 1, sizeof *c->form);
    if (c->eval && c->form)
        return c;
    cw_cutter_destroy(c);
    return NULL;
}

void cw_cutter_destroy(struct cw_cutter *c)
{
    if (!c)
        return;
    for (int i = 0; i < CUT_REMEMBERED; i++)
        free(c->known[i].key);
    free(c->key);
    free(c->form);
    free(c->certain);
    cw_eval_destroy(c->eval);
    free(c);
}

static void add(struct cw_cutter *c, const void *bytes, size_t n)
{
    if (c->key_n + n > c->key_capacity) {
        size_t capacity = 2 * (c->key_n + n) + 256;
        unsigned char *key = realloc(c->key, capacity);
        if (!key) {
            c->key_fits = false;
            return;
        }
        c->key = key;
        c->key_capacity = capacity;
    }
    memcpy(c->key + c->key_n, bytes, n);
    c->key_n += n;
}

static void add_argument(struct cw_cutter *c, const struct cw_launch *l, int i)
{
    const struct cw_launch_arg *a = &l->arg[i];
    struct {
        int64_t bytes, base, start;
        uint64_t value_bytes, first;
    } head = {a->buffer_bytes, 0, a->start, a->value ? a->value_bytes : 0, (uint64_t)i};
    for (int k = 0; k < i && a->allocation; k++)
        if (l->arg[k].allocation == a->allocation) {
            head.first = (uint64_t)k;
            head.base = a->base - l->arg[k].base;
            break;
        }
    add(c, &head, sizeof head);
    if (a->value)
        add(c, a->value, a->value_bytes);
}

/* Eight bytes at a time, mixed as in splitmix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
 * Generators", 2014). */
static uint64_t hash(const unsigned char *key, size_t n)
{
    uint64_t h = n;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t part = 0;
        memcpy(&part, key + i, n - i < 8 ? n - i : 8);
        h = (h ^ part) * UINT64_C(0xbf58476d1ce4e5b9);
        h ^= h >> 29;
    }
    return h;
}

const struct cw_cut_verdict *cw_cut_memory_find(struct cw_cutter *c, const struct cw_launch *l)
{
    c->key_n = 0;
    c->key_fits = true;
    add(c, &l->work_dim, sizeof l->work_dim);
    add(c, l->global, sizeof l->global);
    add(c, l->local, sizeof l->local);
    add(c, l->offset, sizeof l->offset);
    for (int i = 0; i < c->m->args; i++)
        add_argument(c, l, i);
    if (!c->key_fits)
        return NULL;
    c->key_hash = hash(c->key, c->key_n);
    for (int i = 0; i < CUT_REMEMBERED; i++) {
        const struct cut_memory *k = &c->known[i];
        if (k->key && k->hash == c->key_hash && k->n == c->key_n && !memcmp(k->key, c->key, k->n))
            return &k->verdict;
    }
    return NULL;
}

void cw_cut_memory_keep(struct cw_cutter *c, const struct cw_cut_verdict *v)
{
    struct cut_memory *k = &c->known[c->next];
    unsigned char *key = c->key_fits ? realloc(k->key, c->key_n) : NULL;
    if (!key)
        return;
    memcpy(key, c->key, c->key_n);
    *k = (struct cut_memory){c->key_hash, key, c->key_n, *v};
    c->next = (c->next + 1) % CUT_REMEMBERED;
}
