/* rewrite.c - see rewrite.h. */
#include "rewrite_state.h"
#include "../source/vendor_macros.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Refuses kernels that cannot be rewritten for certain, once it is known which names reach
 * id built-ins. */

static bool check_builtin(struct cw_rw *s, uint32_t id, uint32_t flags)
{
    if (flags & CW_RW_MACRO)
        return cw_rewrite_refuse(s, "'%.*s' is redefined", CW_RW_TEXT(s, id));
    if (flags & CW_RW_CONDITION)
        return cw_rewrite_refuse(s, "a directive asks about '%.*s'", CW_RW_TEXT(s, id));
    if (flags & (CW_RW_FUNCTION | CW_RW_TYPEDEF | CW_RW_LOCAL))
        return cw_rewrite_refuse(s, "the program declares a '%.*s' of its own", CW_RW_TEXT(s, id));
    return true;
}

/* A function that gets the hidden parameter. */
static bool check_function(struct cw_rw *s, uint32_t id, uint32_t flags)
{
    if (flags & CW_RW_CONDITION)
        return cw_rewrite_refuse(s, "a directive asks about function '%.*s'", CW_RW_TEXT(s, id));
    if (flags & (CW_RW_ODD | CW_RW_TYPEDEF | CW_RW_LOCAL))
        return cw_rewrite_refuse(s, "function '%.*s' is declared in an unusual way", CW_RW_TEXT(s, id));
    if ((flags & CW_RW_FAMILY) && (flags & CW_RW_CALLED)) /* a call before its definition is the built-in's */
        return cw_rewrite_refuse(s, "calls '%.*s', which OpenCL C may define too", CW_RW_TEXT(s, id));
    if ((flags & CW_RW_NONE) && (flags & CW_RW_SOME))
        return cw_rewrite_refuse(s, "function '%.*s' is declared with and without parameters",
                                 CW_RW_TEXT(s, id));
    return true;
}

/* A word that forms for rows are written with, where the program's macros hold. */
static bool is_row_word(const struct cw_rw *s, uint32_t id)
{
    static const char *const words[] = {"void",
                                        "int",
                                        "int2",
                                        "ulong",
                                        "size_t",
                                        "for",
                                        "if",
                                        "else",
                                        "__kernel",
                                        "__private",
                                        "const",
                                        "static",
                                        "inline",
                                        "__typeof__",
                                        "__attribute__",
                                        "__always_inline__",
                                        "_Pragma",
                                        "x",
                                        "y",
                                        "clang",
                                        "loop",
                                        "vectorize",
                                        "enable",
                                        "unroll",
                                        NULL};

    for (const char *const *w = words; *w; w++)
        if (cw_tokens_name_is(&s->names, id, *w))
            return true;
    return false;
}

static bool check_name(struct cw_rw *s, uint32_t id)
{
    uint32_t flags = s->names.v[id].flags;
    bool ours =
        (flags & (CW_RW_FUNCTION | CW_RW_MACRO | CW_RW_KNOWN | CW_RW_FAMILY | CW_RW_TYPEDEF | CW_RW_ID)) != 0;

    s->no_rows |= flags & CW_RW_MACRO && is_row_word(s, id);
    if (flags & CW_RW_SPLIT &&
        flags & (CW_RW_ID | CW_RW_REACHES_ID)) /* a macro's name without its parenthesis is none */
        return cw_rewrite_refuse(s, "a directive stands behind '%.*s'", CW_RW_TEXT(s, id));
    if (flags & CW_RW_ID)
        return check_builtin(s, id, flags);
    if (flags & CW_RW_MACRO && cw_tokens_name_is(&s->names, id, "__cplusplus"))
        return cw_rewrite_refuse(s, "'__cplusplus' is redefined");
    if (flags & CW_RW_FUNCTION && flags & CW_RW_REACHES_ID && !check_function(s, id, flags))
        return false;
    if (flags & CW_RW_MACRO && flags & CW_RW_REACHES_ID && flags & CW_RW_BRACES && flags & CW_RW_TOPLEVEL)
        return cw_rewrite_refuse(s, "macro '%.*s' makes functions that see ids", CW_RW_TEXT(s, id));
    if (flags & CW_RW_MACRO && flags & CW_RW_SECRET && flags & CW_RW_TOPLEVEL)
        return cw_rewrite_refuse_secret(s);
    if (flags & CW_RW_CALLED && !ours && !(flags & CW_RW_SECRET))
        return cw_rewrite_refuse(s, "calls '%.*s', which neither the program nor OpenCL C defines",
                                 CW_RW_TEXT(s, id));
    return true;
}

static bool cw_rewrite_check(struct cw_rw *s)
{
    for (uint32_t id = 0; id < s->names.count; id++)
        if (s->names.v[id].flags & CW_RW_SEEN && !check_name(s, id))
            return false;
    for (size_t u = 0; u < s->units; u++)
        for (size_t i = 0; i < s->unit[u].functions; i++) {
            const struct cw_rw_function *f = &s->unit[u].function[i];
            uint32_t id = s->unit[u].text.v[f->name_token].name;
            if (s->names.v[id].flags & CW_RW_REACHES_ID && (f->parameters == CW_RW_P_DOUBT || f->odd))
                return cw_rewrite_refuse(s, "the parameters of '%.*s' are hidden in macros",
                                         CW_RW_TEXT(s, id));
        }
    return true;
}

/* Which names may reach an id built-in, over function bodies and macros; which macros may
 * stand for braces. Breadth-first over the "mentions" graph, backwards; linear in its edges. */

struct graph {
    uint32_t *first; /* nodes + 1: where the mentioners of a node begin in `who` */
    uint32_t *who;
    uint8_t *mark; /* per node: TAINT, BRACES ... */
    uint32_t *queue;
    uint32_t names, nodes;
};
enum { TAINT = 1, BRACES = 2, NO_ROWS = 4, LOOP = 8, SECRET = 16, RANGE = 32 };

static uint32_t node_of(const struct graph *g, uint32_t id)
{
    return id >= CW_RW_FIRST_BODY ? g->names + (id - CW_RW_FIRST_BODY) : id;
}

static bool make_graph(const struct cw_rw *s, struct graph *g)
{
    g->names = (uint32_t)s->names.count;
    g->nodes = g->names + s->bodies;
    g->first = calloc((size_t)g->nodes + 2, sizeof *g->first);
    g->who = calloc(s->edges + 1, sizeof *g->who);
    g->mark = calloc((size_t)g->nodes + 1, 1);
    g->queue = calloc((size_t)g->nodes + 1, sizeof *g->queue);
    if (!g->first || !g->who || !g->mark || !g->queue)
        return false;
    for (size_t i = 0; i < s->edges; i++)
        g->first[node_of(g, s->edge[i].to) + 2]++;
    for (uint32_t n = 0; n < g->nodes; n++)
        g->first[n + 2] += g->first[n + 1];
    for (size_t i = 0; i < s->edges; i++)
        g->who[g->first[node_of(g, s->edge[i].to) + 1]++] = node_of(g, s->edge[i].from);
    return true;
}

/* Carries `bit` from the queued nodes to all that mention them; braces go through macros only. */
static void carry(const struct cw_rw *s, struct graph *g, uint32_t queued, uint8_t bit)
{
    for (uint32_t at = 0; at < queued; at++)
        for (uint32_t i = g->first[g->queue[at]]; i < g->first[g->queue[at] + 1]; i++) {
            uint32_t who = g->who[i];
            if (g->mark[who] & bit ||
                (bit == BRACES && !(who < g->names && s->names.v[who].flags & CW_RW_MACRO)))
                continue;
            g->mark[who] |= bit;
            g->queue[queued++] = who;
        }
}

static void spread(const struct cw_rw *s, struct graph *g, uint32_t flags, uint8_t bit)
{
    uint32_t queued = 0;

    for (uint32_t n = 0; n < g->names; n++)
        if (s->names.v[n].flags & CW_RW_SEEN && s->names.v[n].flags & flags) {
            g->mark[n] |= bit;
            g->queue[queued++] = n;
        }
    carry(s, g, queued, bit);
}

/* Which names reach id built-ins. */
static bool rewrite_spread(struct cw_rw *s)
{
    struct graph g = {0};
    bool ok = make_graph(s, &g);

    if (ok) {
        spread(s, &g, CW_RW_ID | CW_RW_REACHES_ID, TAINT);
        spread(s, &g, CW_RW_BRACES, BRACES);
        spread(s, &g, CW_RW_SECRET, SECRET);
        spread(s, &g, CW_RW_RANGE, RANGE);
        for (uint32_t n = 0; n < g.names; n++)
            s->names.v[n].flags |=
                (g.mark[n] & TAINT ? CW_RW_REACHES_ID : 0) | (g.mark[n] & BRACES ? CW_RW_BRACES : 0) |
                (g.mark[n] & SECRET ? CW_RW_SECRET : 0) | (g.mark[n] & RANGE ? CW_RW_RANGE : 0) |
                (g.mark[n] & TAINT && s->names.v[n].flags & CW_RW_FUNCTION ? CW_RW_NO_ROWS : 0);
        spread(s, &g, CW_RW_NO_ROWS, NO_ROWS);
        spread(s, &g, CW_RW_LOOP, LOOP);
        for (uint32_t n = 0; n < g.names; n++)
            s->names.v[n].flags |= g.mark[n] & LOOP ? CW_RW_LOOP : 0;
        for (uint32_t b = 0; b < s->bodies; b++)
            s->odd_body[b] |= g.mark[g.names + b] & NO_ROWS ? CW_RW_BODY_NO_ROWS : 0;
        for (uint32_t b = 0; b < s->bodies && ok; b++)
            if (s->odd_body[b] & CW_RW_BODY_ODD && g.mark[g.names + b] & SECRET)
                ok = cw_rewrite_refuse_secret(s);
            else if (s->odd_body[b] & CW_RW_BODY_ODD && g.mark[g.names + b] & TAINT)
                ok = cw_rewrite_refuse(s, "a function whose declaration is made by macros, or unusual, or "
                                          "something outside of functions sees ids");
    } else {
        cw_rewrite_nomem(s);
    }
    free(g.first);
    free(g.who);
    free(g.mark);
    free(g.queue);
    return ok;
}

enum { MOST_LOOKS = 30000000 }; /* some ten milliseconds */

bool cw_rewrite_refuse(struct cw_rw *s, const char *format, ...)
{
    va_list list;

    if (!s->reason[0]) {
        va_start(list, format);
        vsnprintf(s->reason, CW_RW_REASON, format, list);
        va_end(list);
    }
    return false;
}

bool cw_rewrite_nomem(struct cw_rw *s)
{
    s->nomem = true;
    return false;
}

bool cw_rewrite_add_edge(struct cw_rw *s, uint32_t from, uint32_t to)
{
    if (s->edges >= UINT32_MAX - 1 ||
        !cw_array_reserve(&s->edge, &s->edge_capacity, s->edges, 1, sizeof *s->edge))
        return false;
    s->edge[s->edges++] = (struct cw_rw_edge){from, to};
    return true;
}

void cw_rewrite_tile_fill(struct cw_rewrite_tile *tile, unsigned dims, const size_t *global,
                          const size_t *local, const size_t *offset, const size_t *first_group)
{
    for (unsigned d = 0; d < 3; d++) {
        uint64_t first = d < dims && first_group ? first_group[d] : 0;
        tile->offset[d] = d < dims && offset ? offset[d] : 0;
        tile->size[d] = d < dims ? global[d] : 1;
        tile->groups[d] = d < dims ? tile->size[d] / local[d] + (tile->size[d] % local[d] != 0) : 1;
        tile->first_group[d] = first;
        tile->base[d] = tile->offset[d] + (d < dims ? first * local[d] : 0);
    }
}

const char *cw_rewrite_verdict_name(enum cw_rewrite_verdict v)
{
    return v == CW_REWRITE_DONE ? "rewritten" : v == CW_REWRITE_AS_IS ? "as it is" : "refused";
}

/* Where forms for rows are made they read conditions and subscripts, so macros make way for their text.
 * `source` is taken. */
static char *without_macros(struct cw_rw *s, char *source, const char *options)
{
    char *expanded = s->in->forms && source ? cw_expanded_macros(source, options) : source;

    if (expanded == source)
        return source;
    free(source);
    s->nomem |= !expanded;
    return expanded;
}

/* Reads all units: afterwards every name is known. */
static bool read_units(struct cw_rw *s, const struct cw_rewrite_in *in)
{
    size_t bytes = 0;

    for (size_t u = 0; u < in->units; u++) {
        struct cw_rw_text *t = &s->unit[u].text;
        struct cw_inlined headers = {in->read_header, in->context, u, s->reason, false, false};
        char *source =
            without_macros(s, cw_inlined_headers(&headers, in->unit[u].source), in->unit[u].options);
        size_t length = source ? strlen(source) : 0;
        bool ok;
        s->nomem |= headers.nomem;
        s->unit[u].inlined = headers.inlined;
        if (!source)
            return false;
        bytes += length;
        ok = bytes > CW_RW_MAX_BYTES || cw_tokens_read(t, &s->names, source, length);
        free(source);
        if (!ok)
            return cw_rewrite_nomem(s);
        if (bytes > CW_RW_MAX_BYTES)
            return cw_rewrite_refuse(s, "more than %d MiB of source", CW_RW_MAX_BYTES >> 20);
        if (t->trouble)
            return cw_rewrite_refuse(s, "%s", t->trouble);
        for (size_t i = 0; i < t->count; i++)
            if (t->v[i].kind == CW_RW_NAME)
                s->names.v[t->v[i].name].flags |= CW_RW_SEEN;
    }
    return true;
}

static bool analyse(struct cw_rw *s, const struct cw_rewrite_in *in)
{
    if (!cw_rewrite_enter_words(s) || !read_units(s, in))
        return false;
    for (size_t u = 0; u < in->units; u++)
        if (in->unit[u].options && !cw_rewrite_read_options(s, u, in->unit[u].options))
            return false;
    if (!cw_rewrite_check_words(s))
        return false;
    for (size_t u = 0; u < in->units; u++)
        if (!cw_rewrite_read_macros(s, &s->unit[u]))
            return false;
    for (size_t u = 0; u < in->units; u++)
        if (!cw_rewrite_scan(s, &s->unit[u]))
            return false;
    s->own_clamp = cw_rewrite_own_clamp(s);
    return rewrite_spread(s) && cw_rewrite_check(s);
}

/* One definition of `name`, and it has a form for rows. */
static bool has_rows(const struct cw_rw *s, uint32_t name)
{
    size_t definitions = 0, rows = 0;

    for (size_t u = 0; u < s->units; u++)
        for (size_t i = 0; i < s->unit[u].functions; i++) {
            const struct cw_rw_function *f = &s->unit[u].function[i];
            if (s->unit[u].text.v[f->name_token].name != name)
                continue;
            definitions += f->body_open != 0;
            rows += f->rows;
        }
    return definitions == 1 && rows == 1;
}

static void judge_kernels(struct cw_rw *s, const struct cw_rewrite_in *in, struct cw_rewrite_out *out,
                          bool done)
{
    for (size_t k = 0; k < in->kernels; k++) {
        struct cw_rewrite_kernel *verdict = &out->kernel[k];
        uint32_t id =
            done ? cw_tokens_name_intern(&s->names, in->kernel[k], strlen(in->kernel[k])) : UINT32_MAX;
        uint32_t flags = id != UINT32_MAX ? s->names.v[id].flags : 0;
        *verdict = (struct cw_rewrite_kernel){CW_REWRITE_REFUSED, out->reason, false, false};
        if (done && (!(flags & CW_RW_FUNCTION) || flags & CW_RW_ODD))
            verdict->reason = "its definition was not found: macros make it";
        else if (done && flags & CW_RW_SECRET)
            cw_rewrite_refuse_secret(s);
        else if (done)
            *verdict = (struct cw_rewrite_kernel){
                flags & CW_RW_REACHES_ID ? CW_REWRITE_DONE : CW_REWRITE_AS_IS, NULL,
                flags & CW_RW_REACHES_ID && has_rows(s, id), !(flags & CW_RW_RANGE)};
    }
}

static bool emit_all(struct cw_rw *s, struct cw_rewrite_out *out)
{
    for (size_t u = 0; u < out->units; u++) {
        out->source[u] = cw_rewrite_emit(s, &s->unit[u]);
        if (!out->source[u])
            return false;
    }
    return true;
}

static void finish_state(struct cw_rw *s)
{
    for (size_t u = 0; u < s->units; u++) {
        if (s->unit) {
            cw_tokens_finish(&s->unit[u].text);
            free(s->unit[u].function);
        }
        if (s->options)
            free(s->options[u]);
    }
    free(s->unit);
    free(s->options);
    free(s->edge);
    free(s->odd_body);
    cw_tokens_names_finish(&s->names);
}

static bool is_valid(const struct cw_rewrite_in *in)
{
    bool ok = in && in->unit && in->units > 0 && (in->kernels == 0 || in->kernel);

    for (size_t u = 0; ok && u < in->units; u++)
        ok = in->unit[u].source != NULL;
    for (size_t k = 0; ok && k < in->kernels; k++)
        ok = in->kernel[k] != NULL;
    return ok;
}

static void free_sources(struct cw_rewrite_out *out)
{
    for (size_t u = 0; out->source && u < out->units; u++)
        free(out->source[u]);
    free(out->source);
    out->source = NULL;
    out->units = 0;
}

enum cw_status cw_rewrite(const struct cw_rewrite_in *in, struct cw_rewrite_out *out, struct cw_error *err)
{
    uint64_t looks = MOST_LOOKS;
    struct cw_rw s = {.reason = out->reason, .looks = &looks, .in = in};
    bool done = false;

    memset(out, 0, sizeof *out);
    if (!is_valid(in))
        return cw_error_set(err, CW_ERR_INVALID, "the rewriter was given no source");
    s.units = out->units = in->units;
    out->kernels = in->kernels;
    s.unit = calloc(in->units, sizeof *s.unit);
    s.options = calloc(in->units, sizeof *s.options);
    out->source = calloc(in->units, sizeof *out->source);
    out->kernel = calloc(in->kernels + 1, sizeof *out->kernel);
    s.nomem = !s.unit || !s.options || !out->source || !out->kernel;
    if (!s.nomem)
        done = analyse(&s, in) && emit_all(&s, out);
    if (!s.nomem) {
        judge_kernels(&s, in, out, done);
        if (!done)
            free_sources(out);
    }
    finish_state(&s);
    if (s.nomem) {
        cw_rewrite_finish(out);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory while a kernel's source was rewritten");
    }
    return CW_OK;
}

void cw_rewrite_finish(struct cw_rewrite_out *out)
{
    if (!out)
        return;
    free_sources(out);
    free(out->kernel);
    memset(out, 0, sizeof *out);
}
