/* rewrite_emit.c - the rewritten text: the head before it, and the places where parameters are put in. */
#include "rewrite_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rewriter's own names begin with __cw_, which no source may use (rewrite_words.c), those of fields, too:
 * they stand where the program's macros hold. Functions are static, so that programs link; OpenCL C 1.0 and
 * 1.1 have neither static nor programs that link. The built-ins become names first and macros after that, so
 * that a use without a call ("(get_group_id)(0)") meets a name that does not exist. Dimensions that there are
 * not are the vendor's matter: PoCL 3.1 says 0 groups for them, the specification 1. */
static const char head[] =
    "#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ >= 120\n"
    "#define __cw_function static inline __attribute__((__always_inline__)) size_t\n"
    "#else\n"
    "#define __cw_function inline __attribute__((__always_inline__)) size_t\n"
    "#endif\n"
    "typedef struct { ulong __cw_base[3], __cw_first_group[3], __cw_groups[3], __cw_size[3], __cw_offset[3]; "
    "} __cw_tile;\n"
    "__cw_function __cw_pick(ulong __cw_a, ulong __cw_b, ulong __cw_c, uint __cw_d, size_t __cw_other)\n"
    "{ return __cw_d == 0 ? (size_t)__cw_a : __cw_d == 1 ? (size_t)__cw_b : __cw_d == 2 ? (size_t)__cw_c : "
    "__cw_other; }\n"
    "__cw_function __cw_global_id(ulong __cw_a, ulong __cw_b, ulong __cw_c, uint __cw_d)\n"
    "{ return get_global_id(__cw_d) + __cw_pick(__cw_a, __cw_b, __cw_c, __cw_d, 0); }\n"
    "__cw_function __cw_group_id(ulong __cw_a, ulong __cw_b, ulong __cw_c, uint __cw_d)\n"
    "{ return get_group_id(__cw_d) + __cw_pick(__cw_a, __cw_b, __cw_c, __cw_d, 0); }\n"
    "__cw_function __cw_num_groups(ulong __cw_a, ulong __cw_b, ulong __cw_c, uint __cw_d)\n"
    "{ return __cw_pick(__cw_a, __cw_b, __cw_c, __cw_d, __cw_d > 2 ? get_num_groups(__cw_d) : 1); }\n"
    "__cw_function __cw_global_size(ulong __cw_a, ulong __cw_b, ulong __cw_c, uint __cw_d)\n"
    "{ return __cw_pick(__cw_a, __cw_b, __cw_c, __cw_d, __cw_d > 2 ? get_global_size(__cw_d) : 1); }\n"
    "__cw_function __cw_global_offset(ulong __cw_a, ulong __cw_b, ulong __cw_c, uint __cw_d)\n"
    "{ return __cw_pick(__cw_a, __cw_b, __cw_c, __cw_d, 0); }\n"
    "__cw_function __cw_global_linear_id(ulong __cw_a, ulong __cw_b, ulong __cw_c, ulong __cw_x, ulong "
    "__cw_y)\n"
    "{ return ((get_global_id(2) + (size_t)__cw_c) * (size_t)__cw_y + get_global_id(1) + (size_t)__cw_b) * "
    "(size_t)__cw_x + "
    "get_global_id(0) + (size_t)__cw_a; }\n"
    "#define get_global_id __cw_get_global_id\n"
    "#define __cw_get_global_id(...) __cw_global_id(__cw_t.__cw_base[0], __cw_t.__cw_base[1], "
    "__cw_t.__cw_base[2], "
    "__VA_ARGS__)\n"
    "#define get_group_id __cw_get_group_id\n"
    "#define __cw_get_group_id(...) __cw_group_id(__cw_t.__cw_first_group[0], __cw_t.__cw_first_group[1], "
    "__cw_t.__cw_first_group[2], __VA_ARGS__)\n"
    "#define get_num_groups __cw_get_num_groups\n"
    "#define __cw_get_num_groups(...) __cw_num_groups(__cw_t.__cw_groups[0], __cw_t.__cw_groups[1], "
    "__cw_t.__cw_groups[2], "
    "__VA_ARGS__)\n"
    "#define get_global_size __cw_get_global_size\n"
    "#define __cw_get_global_size(...) __cw_global_size(__cw_t.__cw_size[0], __cw_t.__cw_size[1], "
    "__cw_t.__cw_size[2], "
    "__VA_ARGS__)\n"
    "#define get_global_offset __cw_get_global_offset\n"
    "#define __cw_get_global_offset(...) __cw_global_offset(__cw_t.__cw_offset[0], __cw_t.__cw_offset[1], "
    "__cw_t.__cw_offset[2], __VA_ARGS__)\n"
    "#define get_global_linear_id __cw_get_global_linear_id\n"
    "#define __cw_get_global_linear_id() __cw_global_linear_id(__cw_t.__cw_base[0] - __cw_t.__cw_offset[0], "
    "__cw_t.__cw_base[1] - __cw_t.__cw_offset[1], __cw_t.__cw_base[2] - __cw_t.__cw_offset[2], "
    "__cw_t.__cw_size[0], __cw_t.__cw_size[1])\n";

static const char parameter[] = "__cw_tile __cw_t __attribute__((__unused__))";

struct edit {
    uint32_t at, drop; /* place in the text, bytes of it that go */
    const char *put;
    char *owned;   /* NULL, or `put` for free() */
    uint32_t line; /* of the text behind it; 0: as before */
};

void cw_rewrite_put(struct cw_rw_writer *w, const char *text, size_t length)
{
    w->ok = w->ok && cw_array_reserve(&w->text, &w->capacity, w->length, length + 1, 1);
    if (!w->ok)
        return;
    memcpy(w->text + w->length, text, length);
    w->length += length;
    w->text[w->length] = '\0';
}

static void put_string(struct cw_rw_writer *w, const char *text)
{
    cw_rewrite_put(w, text, strlen(text));
}

static int by_place(const void *a, const void *b)
{
    uint32_t x = ((const struct edit *)a)->at, y = ((const struct edit *)b)->at;

    return x < y ? -1 : x > y;
}

/* Whether calls of the function must be made macros: it is called, or something may paste its name. */
static bool is_called(const struct cw_rw *s, uint32_t name)
{
    return s->pastes || s->names.v[name].flags & CW_RW_USED;
}

/* The edits of one function; returns their number (at most 4). */
static size_t edits_of(const struct cw_rw *s, const struct cw_rw_unit *u, const struct cw_rw_function *f,
                       struct edit *e)
{
    const struct cw_rw_token *v = u->text.v, *name = &v[f->name_token];
    static const char comma[] = ", __cw_tile __cw_t __attribute__((__unused__))";
    size_t n = 0;

    if (is_called(s, name->name)) {
        e[n++] = (struct edit){name->at, 0, "(", NULL, 0};
        e[n++] = (struct edit){name->at + name->length, 0, ")", NULL, 0};
    }
    if (f->parameters == CW_RW_P_VOID)
        for (size_t i = f->open_token; i < f->close_token; i++)
            if (v[i].kind == CW_RW_NAME && cw_tokens_name_is(&s->names, v[i].name, "void"))
                e[n++] = (struct edit){v[i].at, v[i].length, "", NULL, 0};
    e[n++] =
        (struct edit){v[f->close_token].at, 0, f->parameters == CW_RW_P_SOME ? comma : parameter, NULL, 0};
    return n;
}

static void put_macros(const struct cw_rw *s, const struct cw_rw_unit *u, struct cw_rw_writer *w,
                       uint8_t *seen)
{
    for (size_t i = 0; i < u->functions; i++) {
        uint32_t id = u->text.v[u->function[i].name_token].name;
        const struct cw_rw_name *n = &s->names.v[id];
        if (seen[id] || !(n->flags & CW_RW_REACHES_ID) || !is_called(s, id))
            continue;
        seen[id] = 1;
        put_string(w, "#define ");
        cw_rewrite_put(w, n->text, n->length);
        put_string(w, n->flags & CW_RW_NONE ? "() " : "(...) ");
        cw_rewrite_put(w, n->text, n->length);
        put_string(w, n->flags & CW_RW_NONE ? "(__cw_t)\n" : "(__VA_ARGS__, __cw_t)\n");
    }
}

/* The text with the edits, which are sorted; several at one place that put in the same are one (branches of a
 * conditional that share a parenthesis). */
static void put_text(const struct cw_rw_unit *u, struct cw_rw_writer *w, const struct edit *e, size_t edits)
{
    uint32_t at = 0;

    for (size_t i = 0; i < edits; i++) {
        if (i > 0 && e[i].at == e[i - 1].at && e[i].put == e[i - 1].put)
            continue;
        cw_rewrite_put(w, u->text.text + at, e[i].at - at);
        put_string(w, e[i].put);
        if (e[i].line) {
            char line[32];
            snprintf(line, sizeof line, "#line %u\n", e[i].line);
            put_string(w, line);
        }
        at = e[i].at + e[i].drop;
    }
    cw_rewrite_put(w, u->text.text + at, u->text.length - at);
}

/* Whether the caller wants it (rewrite.h). */
static bool is_wanted(const struct cw_rw *s, const struct cw_rw_name *n, const struct cw_rw_rows *r,
                      const char *form)
{
    char *kernel = s->in->rows ? strndup(n->text, n->length) : NULL;
    uint64_t key = 14695981039346656037u; /* FNV-1a */
    bool wanted;

    for (const char *p = form; *p; p++)
        key = (key ^ (unsigned char)*p) * 1099511628211u;
    wanted = !s->in->rows || (kernel && s->in->rows(s->in->rows_context, kernel, r, key >> 1 | 1));
    free(kernel);
    return wanted;
}

/* Forms for rows of kernels (rows/rewrite_rows.h), behind them. Returns the number of edits, at most one for
 * each function. */
static size_t row_edits(struct cw_rw *s, struct cw_rw_unit *u, struct edit *e, bool *ok)
{
    const struct cw_rewrite_forms *forms = s->in->forms;
    struct cw_rw_rows *r = forms ? malloc(forms->bytes) : NULL;
    uint32_t line = 1, at = 0;
    size_t n = 0;
    char *form;

    *ok = r || !forms;
    for (size_t i = 0; *ok && forms && i < u->functions; i++) {
        struct cw_rw_function *f = &u->function[i];
        const struct cw_rw_name *name = &s->names.v[u->text.v[f->name_token].name];
        if (!(name->flags & CW_RW_REACHES_ID) || !forms->look(s, u, f, r))
            continue;
        for (; at < u->text.v[f->body_close].at; at++)
            line += u->text.text[at] == '\n';
        form = forms->text(r);
        *ok = form != NULL;
        f->rows = *ok && is_wanted(s, name, r, form);
        if (f->rows)
            e[n++] = (struct edit){.at = at + 1, .put = form, .owned = form, .line = line};
        else
            free(form);
    }
    free(r);
    return n;
}

char *cw_rewrite_emit(struct cw_rw *s, struct cw_rw_unit *u)
{
    struct cw_rw_writer w = {.ok = true};
    struct edit *e = calloc(5 * u->functions + 1, sizeof *e);
    uint8_t *seen = calloc(s->names.count + 1, 1);
    size_t edits = 0, rows = 0;

    w.ok = e && seen;
    for (size_t i = 0; w.ok && i < u->functions; i++)
        if (s->names.v[u->text.v[u->function[i].name_token].name].flags & CW_RW_REACHES_ID)
            edits += edits_of(s, u, &u->function[i], e + edits);
    if (w.ok)
        edits += rows = row_edits(s, u, e + edits, &w.ok);
    if (w.ok) {
        if (edits) /* nothing to do: the text as it was, ids or not */
            put_string(&w, head);
        if (rows)
            put_string(&w, s->in->forms->head);
        put_macros(s, u, &w, seen);
        put_string(&w, "#line 1\n");
        qsort(e, edits, sizeof *e, by_place);
        put_text(u, &w, e, edits);
    }
    for (size_t i = 0; e && i < edits; i++)
        free(e[i].owned);
    free(e);
    free(seen);
    if (!w.ok) {
        free(w.text);
        cw_rewrite_nomem(s);
        return NULL;
    }
    return w.text;
}
