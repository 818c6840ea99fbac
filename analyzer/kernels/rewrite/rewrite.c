/* rewrite.c - see rewrite.h. */
#include "rewrite_state.h"
#include "../source/vendor_macros.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    return cw_rewrite_spread(s) && cw_rewrite_check(s);
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
            *verdict =
                (struct cw_rewrite_kernel){flags & CW_RW_TAINTED ? CW_REWRITE_DONE : CW_REWRITE_AS_IS, NULL,
                                           flags & CW_RW_TAINTED && has_rows(s, id), !(flags & CW_RW_RANGE)};
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
