/* tested_names.c - see vendor_macros.h. Works on the text that cw_cl_source has freed of comments and line
 * splices. */
#include "vendor_macros.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cl_source.h"

enum { MAX_DEPTH = 64, MAX_TESTS = 1024 };

struct word {
    const char *text;
    size_t length;
};

/* A chain #if ... #endif. */
struct chain {
    size_t first; /* its tests in reader.test */
    bool matters; /* a branch holds something that counts */
};

struct reader {
    const struct cw_cl_source *s;
    struct cw_tested_names *names;
    struct chain chain[MAX_DEPTH];
    size_t depth;
    struct word test[MAX_TESTS]; /* names in conditions; those of chains that are over have counted */
    size_t tests;
    const char *always[MAX_TESTS]; /* names of macros where they are defined outside of all chains */
    size_t always_n;
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool same(const struct word *w, const char *text)
{
    return strlen(text) == w->length && !memcmp(w->text, text, w->length);
}

static bool one_of(const struct word *w, const char *const *list)
{
    for (; *list; list++)
        if (same(w, *list))
            return true;
    return false;
}

static bool begins(const struct word *w, const char *with)
{
    return w->length >= strlen(with) && !memcmp(w->text, with, strlen(with));
}

/* The next identifier of [*p, end); numbers, strings and character constants are passed over. */
static bool next_word(const char **p, const char *end, struct word *w)
{
    while (*p < end) {
        const char *s = *p;
        if (*s == '"' || *s == '\'') {
            for (s++; s < end && *s != **p; s++)
                s += *s == '\\' && s + 1 < end;
            *p = s < end ? s + 1 : end;
        } else if (is_letter(*s) || (*s == '.' && s + 1 < end && isdigit((unsigned char)s[1]))) {
            while (s < end && (is_letter(*s) || (*s == '.' && !isalpha((unsigned char)**p) && **p != '_')))
                s++;
            *w = (struct word){*p, (size_t)(s - *p)};
            *p = s;
            if (isalpha((unsigned char)*w->text) || *w->text == '_')
                return true;
        } else {
            ++*p;
        }
    }
    return false;
}

static const char *const elsewhere[] = {"__LINE__",      "__FILE__",      "__COUNTER__", "__INCLUDE_LEVEL__",
                                        "__BASE_FILE__", "__has_include", NULL};
static const char *const dates[] = {"__DATE__", "__TIME__", "__TIMESTAMP__", NULL};

/* Names that implementations define. */
static bool is_reserved(const struct word *w)
{
    static const char *const words[] = {
        "__kernel",      "__global",    "__local",      "__constant",   "__private",    "__generic",
        "__attribute__", "__attribute", "__read_only",  "__write_only", "__read_write", "__const",
        "__const__",     "__restrict",  "__restrict__", "__volatile",   "__volatile__", "__inline",
        "__inline__",    "__func__",    "__asm",        "__asm__",      "__signed__",   NULL};

    if (one_of(w, words) || begins(w, "__builtin_"))
        return false;
    return begins(w, "__") || begins(w, "cl_") || begins(w, "CL_") ||
           (w->length > 1 && w->text[0] == '_' && isupper((unsigned char)w->text[1]));
}

static void add(struct reader *r, const struct word *w)
{
    struct cw_tested_names *n = r->names;
    size_t at = 0;

    if (one_of(w, dates)) {
        n->dated = true;
        return;
    }
    while (at < n->n && (strncmp(n->v[at], w->text, w->length) < 0))
        at++;
    if (at < n->n && same(w, n->v[at]))
        return;
    n->unknowable |= one_of(w, elsewhere) || n->n == CW_TESTED_NAMES_MAX;
    if (n->unknowable)
        return;
    memmove(&n->v[at + 1], &n->v[at], (n->n - at) * sizeof *n->v);
    memmove(&n->given[at + 1], &n->given[at], (n->n - at) * sizeof *n->given);
    n->given[at] = false;
    n->v[at] = strndup(w->text, w->length);
    n->n++;
}

/* Outside of conditionals questions have no answer that could be handed on. */
static void add_reserved(struct reader *r, const char *p, const char *end)
{
    struct word w;

    while (next_word(&p, end, &w)) {
        if (is_reserved(&w))
            add(r, &w);
        r->names->unknowable |= begins(&w, "__has_");
    }
}

/* ---- questions */

size_t cw_tested_names_question(const char *name, const char **asked, size_t *length)
{
    static const char *const words[] = {"__has_builtin", "__has_feature", "__has_extension",
                                        "__has_attribute", "__has_declspec_attribute"};
    size_t n = 0, end;

    *asked = NULL;
    while (is_letter(name[n]))
        n++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) != n || memcmp(name, words[i], n))
            continue;
        end = n + strspn(name + n, " \t");
        if (name[end] == '(') {
            *asked = name + end + 1 + strspn(name + end + 1, " \t");
            for (*length = 0; is_letter((*asked)[*length]);)
                ++*length;
        }
        return n;
    }
    return 0;
}

static bool is_macro(const struct reader *r, const char *name, size_t length)
{
    const struct cw_cl_token word = {name, length, CW_CL_IDENTIFIER};

    return cw_cl_is_macro(r->s, &word);
}

/* Makes `w`, a word of a condition which ends at `end`, the question that it begins, and *p the place behind.
 * False: it is none that is understood, or asks for the text of a macro (clang expands some). */
static bool take_question(const struct reader *r, struct word *w, const char **p, const char *end)
{
    const char *asked, *close;
    size_t length;

    if (cw_tested_names_question(w->text, &asked, &length) != w->length)
        return false;
    if (!asked || asked > end)
        return true;
    close = asked + length + strspn(asked + length, " \t");
    if (!length || isdigit((unsigned char)*asked) || *close != ')' || is_macro(r, asked, length))
        return false;
    w->length = (size_t)(close + 1 - w->text);
    *p = close + 1;
    return true;
}

/* ---- directives */

static void test_word(struct reader *r, struct word w)
{
    if (r->tests == MAX_TESTS)
        r->names->unknowable = true;
    else
        r->test[r->tests++] = w;
}

static void test(struct reader *r, const char *p, const char *end)
{
    static const char *const operators[] = {"defined", NULL};
    struct word w;

    while (next_word(&p, end, &w)) {
        struct word operator= w;
        if (one_of(&w, operators))
            continue;
        if (begins(&w, "__has_")) {
            r->names->unknowable |= !take_question(r, &w, &p, end);
            test_word(r, operator);
        }
        test_word(r, w);
    }
}

static void open_chain(struct reader *r)
{
    if (r->depth == MAX_DEPTH) {
        r->names->unknowable = true;
        return;
    }
    r->chain[r->depth++] = (struct chain){.first = r->tests};
}

/* Names tested for nothing are forgotten. */
static void close_chain(struct reader *r)
{
    struct chain *c = r->depth ? &r->chain[--r->depth] : NULL;

    if (!c)
        r->names->unknowable = true;
    else if (!c->matters)
        r->tests = c->first;
    else if (r->depth)
        r->chain[r->depth - 1].matters = true;
}

static void matters(struct reader *r)
{
    if (r->depth)
        r->chain[r->depth - 1].matters = true;
}

static bool is_harmless(const struct word *directive, const char *p, const char *end)
{
    static const char *const words[] = {"error", "warning", "line", NULL}, *const pragmas[] = {
                                                                               "OPENCL", "unroll", NULL};
    struct word w;

    return one_of(directive, words) ||
           (same(directive, "pragma") && next_word(&p, end, &w) && one_of(&w, pragmas));
}

/* A macro is defined or undefined, its name is at p. */
static void macro(struct reader *r, const char *p, const char *end)
{
    const char *asked;
    struct word w;
    size_t length;

    if (!next_word(&p, end, &w))
        return;
    if (is_reserved(&w))
        add(r, &w);
    r->names->unknowable |= begins(&w, "__has_") && !cw_tested_names_question(w.text, &asked, &length);
    add_reserved(r, p, end);
    if (!r->depth && r->always_n < MAX_TESTS)
        r->always[r->always_n++] = w.text;
}

/* The line behind a '#'. */
static void directive(struct reader *r, const char *p, const char *end)
{
    static const char *const opening[] = {"if", "ifdef", "ifndef", NULL}, *const others[] = {
                                                                              "elif", "elifdef", "elifndef",
                                                                              NULL};
    struct word w;

    if (!next_word(&p, end, &w))
        return;
    if (one_of(&w, opening)) {
        open_chain(r);
        test(r, p, end);
    } else if (one_of(&w, others)) {
        test(r, p, end);
    } else if (same(&w, "endif")) {
        close_chain(r);
    } else if (!same(&w, "else") && !is_harmless(&w, p, end)) {
        matters(r);
        if (same(&w, "define") || same(&w, "undef"))
            macro(r, p, end);
        else
            add_reserved(r, p, end);
    }
}

static void read_lines(struct reader *r)
{
    const char *p = r->s->text;

    while (*p) {
        const char *end = p + strcspn(p, "\n"), *at = p + strspn(p, " \t\r\f\v");
        if (*at == '#') {
            directive(r, at + 1, end);
        } else if (at < end) {
            matters(r);
            add_reserved(r, at, end);
        }
        p = end + (*end != '\0');
    }
    r->names->unknowable |= r->depth != 0;
}

/* ---- which tests ask the vendor */

static bool is_option(const struct reader *r, const struct cw_cl_macro *m)
{
    return r->s->options && m->name.text >= r->s->options &&
           m->name.text <= r->s->options + strlen(r->s->options);
}

/* The source or the options certainly define or undefine the name by then. */
static bool is_settled(const struct reader *r, const struct word *w)
{
    const char *low = r->s->text, *high = low + strlen(low);

    for (size_t i = 0; i < r->s->macro_count; i++) {
        const struct cw_cl_macro *m = &r->s->macros[i];
        if (m->name.length == w->length && !memcmp(m->name.text, w->text, w->length) && is_option(r, m))
            return true;
    }
    for (size_t i = 0; i < r->always_n; i++)
        if (!strncmp(r->always[i], w->text, w->length) && !is_letter(r->always[i][w->length]) &&
            (r->always[i] < w->text || w->text < low || w->text > high))
            return true;
    return false;
}

/* The words in macros of a tested name are tested, too. */
static void test_bodies(struct reader *r, const struct word *w)
{
    for (size_t i = 0; i < r->s->macro_count; i++) {
        const struct cw_cl_macro *m = &r->s->macros[i];
        if (m->name.length != w->length || memcmp(m->name.text, w->text, w->length))
            continue;
        for (uint32_t k = 0; k < m->count; k++) {
            const struct cw_cl_token *t = &r->s->macro_tokens[m->first + k];
            struct word inner = {t->text, t->length};
            bool known = t->kind != CW_CL_IDENTIFIER;
            r->names->unknowable |= cw_cl_token_is(t, "##"); /* it may test any name */
            for (size_t i2 = 0; !known && i2 < r->tests; i2++)
                known =
                    r->test[i2].length == inner.length && !memcmp(r->test[i2].text, inner.text, inner.length);
            if (!known && r->tests == MAX_TESTS)
                r->names->unknowable = true;
            else if (!known)
                r->test[r->tests++] = inner;
        }
    }
}

/* Names that headers of compilers, which come behind the options, may test or define. */
static bool is_in_headers(const struct word *w)
{
    static const char *const beginnings[] = {"cl_",      "CL_VERSION", "__OPENCL",  "_OPENCL", "__SPIR",
                                             "__ATOMIC", "__INTPTR",   "__PTRDIFF", "__SIZE",  "__UINTPTR"};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (begins(w, beginnings[i]))
            return true;
    return begins(w, "__") &&
           !isupper((unsigned char)w->text[2]); /* __opencl_c_..., keywords, built-in names */
}

/* Reserved names that options define. */
static void add_given(struct reader *r)
{
    struct cw_tested_names *n = r->names;

    for (size_t i = 0; i < r->s->macro_count; i++) {
        const struct cw_cl_macro *m = &r->s->macros[i];
        struct word w = {m->name.text, m->name.length};
        if (!is_option(r, m) || !is_reserved(&w))
            continue;
        n->unknowable |= is_in_headers(&w);
        add(r, &w);
        for (size_t k = 0; k < n->n; k++)
            n->given[k] |= same(&w, n->v[k]);
    }
}

/* By # a macro that stands for another text is seen. */
static bool makes_texts(const struct cw_cl_source *s)
{
    for (size_t i = 0; i < s->macro_count_tokens; i++)
        if (*s->macro_tokens[i].text == '#')
            return true;
    return false;
}

bool cw_tested_names_init(struct cw_tested_names *names, const char *source, const char *options)
{
    struct cw_cl_source s;
    struct reader *r = calloc(1, sizeof *r);
    bool ok = cw_cl_source_init(&s, source, options) && r;

    *names = (struct cw_tested_names){0};
    if (ok) {
        r->s = &s;
        r->names = names;
        names->unknowable = s.has_include || s.has_hidden_directives || cw_cl_may_name(&s, elsewhere);
        names->dated = cw_cl_may_name(&s, dates);
        read_lines(r);
        for (size_t i = 0; i < s.macro_count_tokens; i++) /* those of the options; the others again */
            if (s.macro_tokens[i].kind == CW_CL_IDENTIFIER)
                add_reserved(r, s.macro_tokens[i].text, s.macro_tokens[i].text + s.macro_tokens[i].length);
        for (size_t i = 0; i < r->tests; i++) {
            test_bodies(r, &r->test[i]);
            if (!is_settled(r, &r->test[i]))
                add(r, &r->test[i]);
        }
        add_given(r);
        names->unknowable |= names->dated && makes_texts(&s);
    }
    for (size_t i = 0; i < names->n; i++)
        ok &= names->v[i] != NULL;
    cw_cl_source_finish(&s);
    free(r);
    return ok;
}

void cw_tested_names_finish(struct cw_tested_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->v[i]);
    *names = (struct cw_tested_names){0};
}
