/* host_calls.c - see host_calls.h. */
#include "host_calls.h"

#include <stdlib.h>
#include <string.h>

/* One call, from either array of the trace. */
struct call {
    const char *name;
    int32_t status, argument;
    uint32_t program, kernel;
    uint64_t begin_ns, end_ns; /* equal: not known */
    struct cw_slice callsite;
};

struct count {
    const struct cw_trace *t;
    struct cw_host_calls *h;
    size_t row_capacity, failure_capacity;
    size_t *first; /* per row: where its times begin */
    size_t *used;  /* ... and how many there are */
    uint64_t *ns;
};

bool cw_host_calls_is_build(const char *name)
{
    return !strcmp(name, "clBuildProgram") || !strcmp(name, "clCompileProgram") ||
           !strcmp(name, "clLinkProgram");
}

static size_t call_count(const struct cw_trace *t)
{
    return t->commands.count + t->calls.count;
}

/* Call i of all; false for a command that is no call of its own. */
static bool get_call(const struct cw_trace *t, size_t i, struct call *c)
{
    if (i >= t->commands.count) {
        const struct cw_t_call *k = &t->calls.v[i - t->commands.count];
        *c = (struct call){k->name ? k->name : "?",
                           k->status,
                           k->argument,
                           k->program,
                           k->kernel,
                           k->begin_ns,
                           k->end_ns,
                           k->callsite};
        return true;
    }
    const struct cw_command *k = &t->commands.v[i];
    const char *name = cw_trace_command_function_name(k->type);
    *c =
        (struct call){name, k->status, -1, CW_NONE, k->kernel, k->call_begin_ns, k->call_end_ns, k->callsite};
    return name && k->call_begin_ns;
}

static bool has_time(const struct call *c)
{
    return c->begin_ns && c->end_ns > c->begin_ns;
}

/* The row of `name`; NULL when memory is out. */
static struct cw_host_call *row_of(struct count *n, const char *name)
{
    struct cw_host_calls *h = n->h;

    for (size_t i = 0; i < h->row_count; i++)
        if (h->rows[i].name == name || !strcmp(h->rows[i].name, name))
            return &h->rows[i];
    if (!cw_array_reserve(&h->rows, &n->row_capacity, h->row_count, 1, sizeof *h->rows))
        return NULL;
    h->rows[h->row_count] = (struct cw_host_call){.name = name};
    return &h->rows[h->row_count++];
}

static bool note_failure(struct count *n, const struct call *c)
{
    struct cw_host_calls *h = n->h;

    h->failed++;
    for (size_t i = 0; i < h->failure_count; i++)
        if (h->failures[i].status == c->status && !strcmp(h->failures[i].name, c->name)) {
            h->failures[i].calls++;
            return true;
        }
    if (!cw_array_reserve(&h->failures, &n->failure_capacity, h->failure_count, 1, sizeof *h->failures))
        return false;
    h->failures[h->failure_count++] =
        (struct cw_host_failure){c->name,   c->status,   1,           c->program,
                                 c->kernel, c->argument, c->callsite, !strncmp(c->name, "clGet", 5)};
    return true;
}

static void note_build(struct cw_host_calls *h, const struct call *c)
{
    if (!cw_host_calls_is_build(c->name))
        return;
    h->builds++;
    if (!has_time(c))
        return;
    h->build_ns += c->end_ns - c->begin_ns;
    if (c->end_ns - c->begin_ns <= h->longest_build_ns)
        return;
    h->longest_build_ns = c->end_ns - c->begin_ns;
    h->longest_build = c->program;
}

/* Counts; with n->ns, collects the times instead, of which there are as many as were counted. */
static bool visit(struct count *n, bool collect)
{
    struct call c;

    for (size_t i = 0; i < call_count(n->t); i++) {
        struct cw_host_call *row = get_call(n->t, i, &c) ? row_of(n, c.name) : NULL;
        if (!row) {
            if (c.name && c.begin_ns)
                return false;
            continue;
        }
        if (collect) {
            size_t r = (size_t)(row - n->h->rows);
            if (has_time(&c))
                n->ns[n->first[r] + n->used[r]++] = c.end_ns - c.begin_ns;
            continue;
        }
        n->h->calls++;
        row->calls++;
        row->failed += c.status != 0;
        row->spread.count += has_time(&c);
        note_build(n->h, &c);
        if (c.status && !note_failure(n, &c))
            return false;
    }
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct cw_host_call *x = a, *y = b;

    if (x->spread.sum != y->spread.sum)
        return x->spread.sum > y->spread.sum ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool measure(struct count *n)
{
    struct cw_host_calls *h = n->h;
    size_t total = 0;

    n->first = calloc(h->row_count + 1, sizeof *n->first);
    n->used = calloc(h->row_count + 1, sizeof *n->used);
    for (size_t r = 0; n->first && r < h->row_count; r++) {
        n->first[r] = total;
        total += h->rows[r].spread.count;
    }
    n->ns = calloc(total + 1, sizeof *n->ns);
    if (!n->first || !n->used || !n->ns || !visit(n, true))
        return false;
    for (size_t r = 0; r < h->row_count; r++)
        h->rows[r].spread = cw_spread_of(n->ns + n->first[r], n->used[r]);
    return true;
}

/* ---- builds of the same */

struct build {
    uint64_t hash;
    const char *options;
    size_t call;
};

static int by_text(const struct build *x, const struct build *y)
{
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return strcmp(x->options, y->options);
}

static int by_text_and_call(const void *a, const void *b)
{
    const struct build *x = a, *y = b;
    int order = by_text(x, y);

    return order ? order : (x->call > y->call) - (x->call < y->call);
}

/* Of clBuildProgram alone: programs that are compiled and linked have headers and inputs. */
static bool find_same_builds(struct count *n)
{
    const struct cw_trace *t = n->t;
    struct build *v = malloc((n->h->builds + 1) * sizeof *v);
    size_t count = 0;

    for (size_t i = 0; v && i < t->calls.count && count < n->h->builds; i++) {
        const struct cw_t_call *c = &t->calls.v[i];
        const struct cw_t_program *p = c->program < t->programs.count ? &t->programs.v[c->program] : NULL;
        if (p && p->source_hash && !p->rebuilt && !c->status && c->name && !strcmp(c->name, "clBuildProgram"))
            v[count++] = (struct build){p->source_hash, p->options ? p->options : "", i};
    }
    if (v)
        qsort(v, count, sizeof *v, by_text_and_call);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !by_text(&v[i], &v[end]);)
            end++;
        if (end - i > n->h->same.builds)
            n->h->same = (struct cw_host_same_builds){end - i, t->calls.v[v[i].call].callsite};
    }
    free(v);
    return v;
}

/* Stable: the order of the first failures stays. */
static void questions_last(struct cw_host_calls *h)
{
    for (size_t i = 1; i < h->failure_count; i++)
        for (size_t k = i; k > 0 && h->failures[k - 1].question && !h->failures[k].question; k--) {
            struct cw_host_failure f = h->failures[k];
            h->failures[k] = h->failures[k - 1];
            h->failures[k - 1] = f;
        }
}

enum cw_status cw_host_calls_init(struct cw_host_calls *h, const struct cw_trace *t, struct cw_error *err)
{
    struct count n = {.t = t, .h = h};
    bool ok;

    *h = (struct cw_host_calls){.longest_build = CW_NONE};
    ok = visit(&n, false) && measure(&n) && find_same_builds(&n);
    free(n.first);
    free(n.used);
    free(n.ns);
    if (!ok)
        return cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
    if (h->row_count)
        qsort(h->rows, h->row_count, sizeof *h->rows, by_time);
    questions_last(h);
    return CW_OK;
}

void cw_host_calls_finish(struct cw_host_calls *h)
{
    free(h->rows);
    free(h->failures);
    *h = (struct cw_host_calls){0};
}
