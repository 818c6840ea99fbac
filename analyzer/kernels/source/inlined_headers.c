/* inlined_headers.c - see header_files.h. */
#include "header_files.h"
#include "../../io/array.h"
#include "tokens.h"

#include <stdarg.h>
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
    struct cw_inlined *in;
    size_t inclusions, depth;
    char *out;
    size_t length, capacity;
};

/* Keeps the first reason. Returns false. */
__attribute__((format(printf, 2, 3))) static bool refuse(struct inliner *n, const char *format, ...)
{
    va_list list;

    if (!n->in->reason[0]) {
        va_start(list, format);
        vsnprintf(n->in->reason, CW_INLINED_REASON, format, list);
        va_end(list);
    }
    return false;
}

static bool nomem(struct inliner *n)
{
    n->in->nomem = true;
    return false;
}

static bool put(struct inliner *n, const char *text, size_t length)
{
    if (n->length + length > CW_INLINED_MAX_BYTES)
        return refuse(n, "more than %d MiB of source and headers", CW_INLINED_MAX_BYTES >> 20);
    if (!cw_array_reserve(&n->out, &n->capacity, n->length, length + 1, 1))
        return nomem(n);
    memcpy(n->out + n->length, text, length);
    n->length += length;
    n->out[n->length] = '\0';
    return true;
}

static bool word_is(const struct cw_rw_text *t, const struct cw_rw_names *names, size_t i, const char *word)
{
    return i < t->count && t->v[i].kind == CW_RW_NAME && cw_tokens_name_is(names, t->v[i].name, word);
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

/* The name in the include directive at token i; NULL when a macro stands for it, or memory is out
 * (in->nomem).
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
        nomem(n);
    return name;
}

static bool inline_file(struct inliner *n, const char *source, const struct open_file *parent,
                        const char *name);

static bool include(struct inliner *n, char *name, const struct open_file *file)
{
    const char *text;

    if (!name)
        return refuse(n, "an #include whose file is not named");
    if (n->depth == MAX_DEPTH || ++n->inclusions > MAX_INCLUSIONS)
        return refuse(n, "more than %d headers, or %d in one another", MAX_INCLUSIONS, MAX_DEPTH);
    text = n->in->read_header ? n->in->read_header(n->in->context, n->in->unit, name, file->name) : NULL;
    if (!text)
        return refuse(n, "an #include that is not resolved: %.100s", name);
    for (const struct open_file *f = file; f; f = f->parent)
        if (f->text == text || strcmp(f->text, text) == 0)
            return f->empty_again || refuse(n, "header %.100s includes itself", name);
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
        ok = !n->in->nomem && put(n, t->text + at, t->v[i].at - at) && include(n, name, file) &&
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
    if (length > CW_INLINED_MAX_BYTES || strstr(source, ONCE)) {
        refuse(n, "a header of more than %d MiB, or with our names", CW_INLINED_MAX_BYTES >> 20);
    } else if (!cw_tokens_read(&t, &names, source, length)) {
        nomem(n);
    } else if (t.trouble) {
        refuse(n, "%s", t.trouble);
    } else {
        once = name && is_once(&t, &names);
        file.empty_again = name && (once || is_guarded(&t, &names));
        snprintf(guard, sizeof guard, "\n#ifndef " ONCE "%08x\n#define " ONCE "%08x\n",
                 cw_tokens_hash_text(source), cw_tokens_hash_text(source));
        ok = (!once || put(n, guard, strlen(guard))) && copy_text(n, &t, &names, &file) &&
             (!once || put(n, "\n#endif\n", 8));
    }
    cw_tokens_finish(&t);
    cw_tokens_names_finish(&names);
    n->depth--;
    return ok;
}

static char *copy_of(struct cw_inlined *in, const char *source)
{
    char *copy = strdup(source);

    in->nomem |= !copy;
    return copy;
}

char *cw_inlined_headers(struct cw_inlined *in, const char *source)
{
    struct inliner n = {.in = in};

    if (!strstr(source, "include")) /* the scanner refuses one in pieces, and other directives for it */
        return copy_of(in, source);
    if (!inline_file(&n, source, NULL, NULL) || n.inclusions == 0) {
        free(n.out);
        return in->nomem || in->reason[0] ? NULL : copy_of(in, source);
    }
    in->inlined = true;
    return n.out;
}
