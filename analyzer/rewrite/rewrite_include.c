/* rewrite_include.c - headers put in place of their #include, as the preprocessor would, but in all branches.
 *
 * A header with #pragma once gets a guard instead. One that includes itself again is only followed when a
 * guard makes the second time empty. */
#include "rewrite_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_INCLUSIONS = 2000 };
#define ONCE "__cwonce_"

struct open_file {
    const char *name, *text;
    bool empty_again; /* guarded: a second inclusion stands for nothing */
    const struct open_file *parent;
};

struct inliner {
    struct cw_rw *s;
    const struct cw_rewrite_in *in;
    size_t unit, inclusions, depth;
    char *out;
    size_t length, capacity;
};

static bool put(struct inliner *n, const char *text, size_t length)
{
    if (n->length + length > CW_RW_MAX_BYTES)
        return cw_rw_refuse(n->s, "more than %d MiB of source and headers", CW_RW_MAX_BYTES >> 20);
    if (!cw_array_reserve(&n->out, &n->capacity, n->length, length + 1, 1))
        return cw_rw_nomem(n->s);
    memcpy(n->out + n->length, text, length);
    n->length += length;
    n->out[n->length] = '\0';
    return true;
}

static bool word_is(const struct cw_rw_text *t, const struct cw_rw_names *names, size_t i, const char *word)
{
    return i < t->count && t->v[i].kind == CW_RW_NAME && cw_rw_name_is(names, t->v[i].name, word);
}

/* "#pragma once", wherever it stands. */
static bool is_once(const struct cw_rw_text *t, const struct cw_rw_names *names)
{
    for (size_t i = 0; i + 2 < t->count; i++)
        if (t->v[i].kind == CW_RW_DIRECTIVE && word_is(t, names, i + 1, "pragma") &&
            word_is(t, names, i + 2, "once"))
            return true;
    return false;
}

/* Whether the whole file stands between "#ifndef X", "#define X" and the #endif of that, and nothing
 * undefines X. */
static bool is_guarded(const struct cw_rw_text *t, const struct cw_rw_names *names)
{
    size_t depth = 0;
    uint32_t guard;

    if (t->count < 8 || t->v[0].kind != CW_RW_DIRECTIVE || !word_is(t, names, 1, "ifndef") ||
        t->v[2].kind != CW_RW_NAME || t->v[4].kind != CW_RW_DIRECTIVE || t->v[4].c != CW_RW_DEFINE ||
        t->v[6].kind != CW_RW_NAME || t->v[6].name != t->v[2].name)
        return false;
    guard = t->v[2].name;
    for (size_t i = 0; i < t->count; i++) {
        if (t->v[i].kind != CW_RW_DIRECTIVE)
            continue;
        depth += t->v[i].c == CW_RW_IF;
        if (depth == 1 && (t->v[i].c == CW_RW_ELIF || t->v[i].c == CW_RW_ELSE))
            return false;
        if (t->v[i].c == CW_RW_UNDEF && t->v[i + 2].kind == CW_RW_NAME && t->v[i + 2].name == guard)
            return false;
        if (t->v[i].c == CW_RW_ENDIF && --depth == 0) {
            while (t->v[i].kind != CW_RW_LINE_END)
                i++;
            return i + 1 == t->count;
        }
    }
    return false;
}

/* The name in the include directive at token i; NULL when a macro stands for it, or memory is out (s->nomem).
 */
static char *included_name(struct inliner *n, const struct cw_rw_text *t, const struct cw_rw_names *names,
                           size_t i)
{
    const struct cw_rw_token *k = &t->v[i + 2];
    const char *from = t->text + k->at, *to = NULL;
    char *name;

    if (!word_is(t, names, i + 1, "include"))
        return NULL;
    if (k->kind == CW_RW_STRING && *from == '"' && k->length > 2 && t->v[i + 3].kind == CW_RW_LINE_END)
        to = from + k->length - 1;
    else if (k->kind == CW_RW_PUNCT && *from == '<')
        to = memchr(from, '>', strcspn(from, "\n"));
    if (!to || to == from + 1)
        return NULL;
    name = strndup(from + 1, (size_t)(to - from - 1));
    if (!name)
        cw_rw_nomem(n->s);
    return name;
}

static bool inline_file(struct inliner *n, const char *source, const struct open_file *parent,
                        const char *name);

static bool include(struct inliner *n, char *name, const struct open_file *file)
{
    const char *text;

    if (!name)
        return cw_rw_refuse(n->s, "an #include whose file is not named");
    if (n->depth == MAX_DEPTH || ++n->inclusions > MAX_INCLUSIONS)
        return cw_rw_refuse(n->s, "more than %d headers, or %d in one another", MAX_INCLUSIONS, MAX_DEPTH);
    text = n->in->read_header ? n->in->read_header(n->in->context, n->unit, name, file->name) : NULL;
    if (!text)
        return cw_rw_refuse(n->s, "an #include that is not resolved: %.100s", name);
    for (const struct open_file *f = file; f; f = f->parent)
        if (f->text == text || strcmp(f->text, text) == 0)
            return f->empty_again || cw_rw_refuse(n->s, "header %.100s includes itself", name);
    return inline_file(n, text, file, name);
}

/* Copies the text of a file, headers in place of their #include. */
static bool copy_text(struct inliner *n, const struct cw_rw_text *t, const struct cw_rw_names *names,
                      const struct open_file *file)
{
    size_t at = 0;
    bool ok = true;

    for (size_t i = 0; ok && i < t->count; i++) {
        char *name;
        if (t->v[i].kind != CW_RW_DIRECTIVE || t->v[i].c != CW_RW_INCLUDE)
            continue;
        name = included_name(n, t, names, i);
        ok = !n->s->nomem && put(n, t->text + at, t->v[i].at - at) && include(n, name, file) &&
             put(n, "\n", 1);
        free(name);
        while (t->v[i].kind != CW_RW_LINE_END)
            i++;
        at = t->v[i].at;
    }
    return ok && put(n, t->text + at, t->length - at);
}

static bool inline_file(struct inliner *n, const char *source, const struct open_file *parent,
                        const char *name)
{
    struct open_file file = {.name = name, .text = source, .parent = parent};
    struct cw_rw_names names = {0};
    struct cw_rw_text t = {0};
    char guard[64];
    size_t length = strlen(source);
    bool ok = false, once;

    n->depth++;
    if (length > CW_RW_MAX_BYTES || strstr(source, ONCE)) {
        cw_rw_refuse(n->s, "a header of more than %d MiB, or with our names", CW_RW_MAX_BYTES >> 20);
    } else if (!cw_rw_lex(&t, &names, source, length)) {
        cw_rw_nomem(n->s);
    } else if (t.trouble) {
        cw_rw_refuse(n->s, "%s", t.trouble);
    } else {
        once = name && is_once(&t, &names);
        file.empty_again = name && (once || is_guarded(&t, &names));
        snprintf(guard, sizeof guard, "\n#ifndef " ONCE "%08x\n#define " ONCE "%08x\n",
                 cw_rw_hash_text(source), cw_rw_hash_text(source));
        ok = (!once || put(n, guard, strlen(guard))) && copy_text(n, &t, &names, &file) &&
             (!once || put(n, "\n#endif\n", 8));
    }
    cw_rw_text_finish(&t);
    cw_rw_names_finish(&names);
    n->depth--;
    return ok;
}

static char *copy_of(struct cw_rw *s, const char *source)
{
    char *copy = strdup(source);

    if (!copy)
        cw_rw_nomem(s);
    return copy;
}

char *cw_rw_inline_headers(struct cw_rw *s, const struct cw_rewrite_in *in, size_t unit)
{
    struct inliner n = {.s = s, .in = in, .unit = unit};
    const char *source = in->unit[unit].source;

    if (!strstr(source, "include")) /* one in pieces, and other directives for it, the scanner refuses */
        return copy_of(s, source);
    if (!inline_file(&n, source, NULL, NULL) || n.inclusions == 0) {
        free(n.out);
        return s->nomem || s->reason[0] ? NULL : copy_of(s, source);
    }
    s->unit[unit].inlined = true;
    return n.out;
}
