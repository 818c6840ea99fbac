/* contract.c - see selection.h.
 *
 * One pass in topological order: every left-out command holds the kept ones that
 * reach it, until its last successor has seen them. */
#include "selection.h"
#include "trace_read.h"

#include <stdlib.h>
#include <string.h>

/* What a path rests on. HOST | UNPROVEN is one, too; ORDER is a chain of edges of kind `queue`. */
enum path_class { FIRM = 0, UNPROVEN = 1, HOST = 2, ORDER = 4, CLASSES };

enum { STEPS_MAX = INT32_MAX }; /* looks at members of sets: some ten seconds */

struct member {
    uint32_t from;
    uint8_t classes; /* a bit for each class of a path from there that nothing implies */
    uint8_t said;    /* the same with those that are implied */
};

struct set {
    struct member *v;
    size_t count;
    uint32_t readers; /* edges out of the command that were not looked at */
};

struct contraction {
    struct cw_trace *t;
    uint8_t *keep;
    struct set *sets;                /* of left-out commands */
    uint8_t *leads;                  /* to a command that may stay: only then a set is of use */
    uint32_t *first, *into;          /* the edges into c: into[first[c] .. first[c+1]) */
    uint32_t *stay_first, *stay_end; /* of commands that stay: their edges in `out` */
    uint32_t *place;                 /* of commands in `gathered`; valid where that member is the command's */
    CW_ARRAY(struct member) gathered;
    CW_ARRAY(struct cw_edge) out;
    size_t added, steps;
    struct cw_error *err;
};

static unsigned class_of(const struct cw_edge *e)
{
    if (e->kind == CW_EDGE_QUEUE)
        return ORDER;
    return (e->kind == CW_EDGE_HOST ? HOST : FIRM) | (e->unproven ? UNPROVEN : FIRM);
}

/* The classes of paths of `classes` that go on along an edge of class `next`. The order of a queue is that of
 * its chain alone: a path that leaves the chain, or comes into it, binds nothing and says nothing. */
static uint8_t extended(uint8_t classes, unsigned next)
{
    uint8_t result = 0;

    for (unsigned c = 0; c < CLASSES; c++)
        if (classes & 1u << c && (c == ORDER) == (next == ORDER))
            result |= (uint8_t)(1u << (c | next));
    return result;
}

/* Without those that a stronger one implies. */
static uint8_t strongest(uint8_t classes)
{
    const uint8_t order = classes & 1u << ORDER, one = 1u << UNPROVEN | 1u << HOST,
                  both = 1u << (HOST | UNPROVEN);

    return (uint8_t)(order | (classes & 1u << FIRM ? 1u << FIRM
                              : classes & one      ? classes & one
                                                   : classes & both));
}

static bool prepare(struct contraction *c)
{
    const struct cw_trace *t = c->t;
    size_t n = t->commands.count + 2;

    c->sets = calloc(n, sizeof *c->sets);
    c->first = calloc(n, sizeof *c->first);
    c->into = malloc((t->edges.count + 1) * sizeof *c->into);
    c->leads = calloc(n, 1);
    c->stay_first = calloc(n, sizeof *c->stay_first);
    c->stay_end = calloc(n, sizeof *c->stay_end);
    c->place = calloc(n, sizeof *c->place);
    if (!c->leads || !c->stay_first || !c->stay_end || !c->place || !c->sets || !c->first || !c->into)
        return false;
    for (size_t e = 0; e < t->edges.count; e++) {
        c->first[t->edges.v[e].to + 1]++;
        c->sets[t->edges.v[e].from].readers++;
    }
    for (size_t i = 0; i < t->commands.count; i++)
        c->first[i + 1] += c->first[i];
    for (uint32_t e = 0; e < t->edges.count; e++)
        c->into[c->first[t->edges.v[e].to]++] = e;
    memmove(c->first + 1, c->first, t->commands.count * sizeof *c->first);
    c->first[0] = 0;
    return true;
}

static void find_leading(struct contraction *c, const uint32_t *order)
{
    for (size_t i = c->t->commands.count; i-- > 0;)
        for (uint32_t k = c->first[order[i]]; k < c->first[order[i] + 1]; k++)
            if (c->keep[order[i]] || c->leads[order[i]])
                c->leads[c->t->edges.v[c->into[k]].from] = 1;
}

static void release(struct contraction *c)
{
    for (size_t i = 0; c->sets && i < c->t->commands.count; i++)
        free(c->sets[i].v);
    free(c->sets);
    free(c->leads);
    free(c->stay_first);
    free(c->stay_end);
    free(c->place);
    free(c->first);
    free(c->into);
    free(c->gathered.v);
    free(c->out.v);
}

static bool gather(struct contraction *c, uint32_t from, uint8_t classes)
{
    struct member *m = cw_trace_push(&c->gathered, 1);

    if (m)
        *m = (struct member){from, classes, classes};
    return m;
}

static int by_from(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    return (x->from > y->from) - (x->from < y->from);
}

/* One member for each command of c->gathered. */
static void merge(struct contraction *c)
{
    struct member *v = c->gathered.v;
    size_t unique = 0;

    if (c->gathered.count > 1)
        qsort(v, c->gathered.count, sizeof *v, by_from);
    for (size_t i = 1; i < c->gathered.count; i++)
        if (v[i].from == v[unique].from)
            v[unique].classes |= v[i].classes;
        else
            v[++unique] = v[i];
    c->gathered.count = c->gathered.count ? unique + 1 : 0;
    for (size_t i = 0; i < c->gathered.count; i++)
        v[i].classes = v[i].said = strongest(v[i].classes);
}

/* The member of c->gathered that is command `from`; NULL: none is. */
static struct member *find_member(struct contraction *c, uint32_t from)
{
    uint32_t at = c->place[from];

    return at < c->gathered.count && c->gathered.v[at].from == from ? &c->gathered.v[at] : NULL;
}

/* Takes out what the edges into other members imply. Edges lead forwards, so one that implies stays. */
static void reduce(struct contraction *c)
{
    struct member *v = c->gathered.v;
    size_t n = 0;

    for (uint32_t i = 0; i < c->gathered.count; i++)
        c->place[v[i].from] = i;
    for (size_t i = 0; i < c->gathered.count && c->gathered.count > 1; i++) {
        c->steps += c->stay_end[v[i].from] - c->stay_first[v[i].from];
        for (uint32_t e = c->stay_first[v[i].from]; e < c->stay_end[v[i].from]; e++) {
            struct member *m = find_member(c, c->out.v[e].from);
            const uint8_t implied = m ? extended(v[i].said, class_of(&c->out.v[e])) : 0;
            if (m)
                m->classes = (uint8_t)(strongest(m->classes | implied) & ~implied);
        }
    }
    for (size_t i = 0; i < c->gathered.count; i++)
        if (v[i].classes)
            v[n++] = v[i];
    c->gathered.count = n;
}

/* Fills c->gathered with the kept commands that lead to `id`, by an edge or through left-out ones, without
 * what others of them imply. */
static bool gather_sources(struct contraction *c, uint32_t id)
{
    c->gathered.count = 0;
    for (uint32_t i = c->first[id]; i < c->first[id + 1]; i++) {
        const struct cw_edge *e = &c->t->edges.v[c->into[i]];
        const struct set *s = &c->sets[e->from];
        if (c->keep[e->from] && !gather(c, e->from, (uint8_t)(1u << class_of(e))))
            return false;
        for (size_t k = 0; !c->keep[e->from] && k < s->count; k++)
            if (!gather(c, s->v[k].from, extended(s->v[k].classes, class_of(e))))
                return false;
    }
    c->steps += c->gathered.count;
    merge(c);
    reduce(c);
    return true;
}

/* The edges into `id` have been looked at: sets that have no other reader go. */
static void let_go(struct contraction *c, uint32_t id)
{
    for (uint32_t i = c->first[id]; i < c->first[id + 1]; i++) {
        struct set *s = &c->sets[c->t->edges.v[c->into[i]].from];
        if (--s->readers == 0) {
            free(s->v);
            *s = (struct set){0};
        }
    }
}

static bool put(struct contraction *c, struct cw_edge e)
{
    struct cw_edge *to = cw_trace_push(&c->out, 1);

    if (to)
        *to = e;
    return to;
}

/* The classes of the edges that lead straight from `from` to `id`. */
static uint8_t direct_classes(const struct contraction *c, uint32_t from, uint32_t id)
{
    uint8_t classes = 0;

    for (uint32_t i = c->first[id]; i < c->first[id + 1]; i++)
        if (c->t->edges.v[c->into[i]].from == from)
            classes |= (uint8_t)(1u << class_of(&c->t->edges.v[c->into[i]]));
    return classes;
}

static bool put_paths(struct contraction *c, uint32_t id)
{
    for (size_t k = 0; k < c->gathered.count; k++) {
        const struct member m = c->gathered.v[k];
        const uint8_t said = direct_classes(c, m.from, id),
                      left = (uint8_t)(strongest(m.classes | said) & ~said);
        for (unsigned class = 0; class < CLASSES; class ++) {
            if (!(left & 1u << class))
                continue;
            c->added++;
            if (!put(c, (struct cw_edge){.from = m.from,
                                         .to = id,
                                         .kind = class == ORDER ? CW_EDGE_QUEUE
                                                 : class & HOST ? CW_EDGE_HOST
                                                                : CW_EDGE_PATH,
                                         .unproven = class != ORDER && class & UNPROVEN,
                                         .memory = CW_NONE}))
                return false;
        }
    }
    return true;
}

static bool keep_edges(struct contraction *c, uint32_t id)
{
    bool good;

    c->stay_first[id] = (uint32_t)c->out.count;
    for (uint32_t i = c->first[id]; i < c->first[id + 1]; i++)
        if (c->keep[c->t->edges.v[c->into[i]].from] && !put(c, c->t->edges.v[c->into[i]]))
            return false;
    good = gather_sources(c, id) && put_paths(c, id);
    c->stay_end[id] = (uint32_t)c->out.count;
    return good;
}

static bool hold_sources(struct contraction *c, uint32_t id)
{
    struct set *s = &c->sets[id];

    if (!s->readers || !c->gathered.count)
        return true;
    s->v = malloc(c->gathered.count * sizeof *s->v);
    if (!s->v)
        return false;
    memcpy(s->v, c->gathered.v, c->gathered.count * sizeof *s->v);
    s->count = c->gathered.count;
    return true;
}

static enum cw_status visit(struct contraction *c, uint32_t id)
{
    bool good = true;

    if (c->keep[id] != CW_CONTRACT_KEEP && (c->keep[id] || c->leads[id])) {
        good = gather_sources(c, id);
        c->keep[id] = c->keep[id] == CW_CONTRACT_JOIN && c->gathered.count > 1;
        good = good && (c->keep[id] || hold_sources(c, id));
    }
    good = good && (!c->keep[id] || keep_edges(c, id));
    let_go(c, id);
    if (!good)
        return cw_error_set(c->err, CW_ERR_NOMEM, "selection: out of memory");
    if (c->added > CW_CONTRACT_EDGES || c->steps > STEPS_MAX)
        return cw_error_set(
            c->err, CW_ERR_LIMIT,
            "selection: too many dependences lead through commands that are left out (more than "
            "%d edges would stand for them); select by --commands, --windows or --from and --to "
            "as well",
            CW_CONTRACT_EDGES);
    return CW_OK;
}

enum cw_status cw_contract(struct cw_trace *t, uint8_t *keep, struct cw_error *err)
{
    struct contraction c = {.t = t, .keep = keep, .err = err};
    uint32_t *order = malloc((t->commands.count + 1) * sizeof *order);
    enum cw_status status = order && prepare(&c)
                                ? cw_sweep_topological_order(t, order, err)
                                : cw_error_set(err, CW_ERR_NOMEM, "selection: out of memory");

    if (!status)
        find_leading(&c, order);
    for (size_t i = 0; !status && i < t->commands.count; i++)
        status = visit(&c, order[i]);
    if (!status) {
        cw_spill_free(t->edges.v);
        memcpy(&t->edges, &c.out, sizeof t->edges);
        memset(&c.out, 0, sizeof c.out);
    }
    free(order);
    release(&c);
    return status;
}
