/* linked_source.c - see linked_source.h. */
#include "linked_source.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl_source.h"

enum { MOST_UNITS = 64 };

struct linked {
    struct cw_cl_source unit[MOST_UNITS]; /* .text: without comments and line splices */
    size_t n, read;
    size_t common;             /* bytes that all begin with */
    struct cw_cl_source given; /* the definitions of all options */
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The word occurs in the text. */
static bool occurs(const char *text, const char *end, const struct cw_cl_token *word)
{
    for (const char *p = text; (p = memmem(p, (size_t)(end - p), word->text, word->length)); p++)
        if ((p == text || !is_letter(p[-1])) && !is_letter(p[word->length]))
            return true;
    return false;
}

static bool has_word(const char *text, const char *word)
{
    struct cw_cl_token t = {.text = word, .length = (uint32_t)strlen(word)};

    return occurs(text, text + strlen(text), &t);
}

/* ---- the common beginning */

/* Where a text stands between two declarations of its outermost level. */
struct place {
    int conditions, brackets;
    bool between; /* the last token was the end of a declaration */
    bool tagged;  /* this declaration is not plainly a function */
    bool broken;
};

static const char *const tags[] = {"struct", "union", "enum", "typedef", "="};

static void read_word(struct place *at, const char *word, size_t n)
{
    at->between = false;
    for (size_t i = 0; i < sizeof tags / sizeof *tags && at->brackets == 0; i++)
        at->tagged |= n == strlen(tags[i]) && !memcmp(word, tags[i], n);
}

static void read_mark(struct place *at, char c)
{
    at->brackets += (strchr("({[", c) != NULL) - (strchr(")}]", c) != NULL);
    at->broken |= at->brackets < 0;
    at->between = at->brackets == 0 && (c == ';' || (c == '}' && !at->tagged));
    if (c == '=')
        read_word(at, "=", 1);
    if (at->between)
        at->tagged = false;
}

static void read_directive(struct place *at, const char *p)
{
    p += strspn(p, " \t\r\f\v");
    at->conditions += !strncmp(p, "if", 2);
    at->conditions -= !strncmp(p, "endif", 5);
    at->broken |= at->conditions < 0;
}

static const char *read_line(struct place *at, const char *p, const char *end)
{
    p += strspn(p, " \t\r\f\v");
    if (*p == '#') {
        read_directive(at, p + 1);
        return end;
    }
    while (p < end) {
        if (*p == '"' || *p == '\'') {
            char quote = *p++;
            while (p < end && *p != quote)
                p += *p == '\\' && p + 1 < end ? 2 : 1;
            p += p < end;
            at->between = false;
        } else if (is_letter(*p)) {
            size_t n = 1;
            while (p + n < end && is_letter(p[n]))
                n++;
            read_word(at, p, n);
            p += n;
        } else {
            if (!isspace((unsigned char)*p))
                read_mark(at, *p);
            p++;
        }
    }
    return end;
}

/* Sets l->common: whole lines, up to the end of a declaration. */
static void find_common(struct linked *l)
{
    const char *first = l->unit[0].text, *p = first;
    struct place at = {.between = true};
    size_t same = strlen(first);

    for (size_t i = 1; i < l->n; i++) {
        size_t k = 0;
        while (k < same && l->unit[i].text[k] == first[k])
            k++;
        same = k;
    }
    while (*p && !at.broken) {
        const char *end = p + strcspn(p, "\n");
        if (!*end || (size_t)(end + 1 - first) > same)
            return;
        p = read_line(&at, p, end) + 1;
        if (at.between && at.conditions == 0 && !at.broken)
            l->common = (size_t)(p - first);
    }
}

/* ---- names that one source may not see of another */

/* Pragmas that say nothing about the text of another source behind. */
static bool pragmas_are_harmless(const char *text)
{
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p != '\0') {
        const char *at = p + strspn(p, " \t\r\f\v");
        if (*at != '#')
            continue;
        at++;
        at += strspn(at, " \t\r\f\v");
        if (strncmp(at, "pragma", 6))
            continue;
        at += 6;
        at += strspn(at, " \t\r\f\v");
        if (strncmp(at, "unroll", 6) != 0 && (strncmp(at, "OPENCL", 6) != 0 || !strstr(at, "EXTENSION") ||
                                              strstr(at, "EXTENSION") > at + strcspn(at, "\n")))
            return false;
    }
    return true;
}

static const char *doubt(const struct cw_cl_source *s)
{
    static const char *const words[] = {"_Pragma",  "overloadable", "__COUNTER__", "__LINE__",
                                        "__FILE__", "asm",          "__asm__",     "__asm"};

    if (s->has_include || s->has_hidden_directives)
        return "a source with headers, digraphs or trigraphs";
    if (s->has_paste)
        return "a source that pastes names";
    if (!pragmas_are_harmless(s->text))
        return "a pragma that lasts";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(s->text, words[i]))
            return words[i];
    return NULL;
}

/* A name that `u` defines or undefines behind the common beginning, and another source mentions. */
static const struct cw_cl_token *leaks(const struct linked *l, size_t u)
{
    const struct cw_cl_source *s = &l->unit[u];

    for (size_t i = 0; i < s->macro_count; i++) {
        const struct cw_cl_token *name = &s->macros[i].name;
        if (name->text < s->text + l->common)
            continue;
        for (size_t k = 0; k < l->n; k++)
            if (k != u && occurs(l->unit[k].text, l->unit[k].text + strlen(l->unit[k].text), name))
                return name;
    }
    return NULL;
}

/* ---- functions: one may declare a name that another one calls and that is not its function, but a built-in
 * one */

struct names {
    const struct cw_cl_token **v;
    size_t n, capacity;
    bool failed; /* out of memory */
};

static bool holds(const struct names *set, const struct cw_cl_token *name)
{
    for (size_t i = 0; i < set->n; i++)
        if (cw_cl_token_same(set->v[i], name))
            return true;
    return false;
}

static void add(struct names *set, const struct cw_cl_token *name)
{
    if (holds(set, name))
        return;
    if (set->n == set->capacity) {
        size_t more = set->capacity ? 2 * set->capacity : 16;
        const struct cw_cl_token **v = realloc(set->v, more * sizeof *v);
        set->failed |= !v;
        if (!v)
            return;
        set->v = v;
        set->capacity = more;
    }
    set->v[set->n++] = name;
}

/* Words that no function has for a name: a macro for a type declares nothing. */
static bool is_keyword(const struct cw_cl_token *t)
{
    static const char *const words[] = {
        "kernel",   "__kernel", "global",   "__global", "constant",      "__constant",  "local",
        "__local",  "private",  "static",   "inline",   "__inline",      "const",       "restrict",
        "volatile", "void",     "unsigned", "signed",   "__attribute__", "__attribute", "return",
        "if",       "else",     "for",      "while",    "struct",        "typedef",     "sizeof",
        "size_t",   "bool",     "extern"};
    static const char *const types[] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                        "long", "ulong", "half",  "float",  "double"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cw_cl_token_is(t, words[i]))
            return true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) { /* int, int4, int16 */
        size_t n = strlen(types[i]);
        if (t->length >= n && t->length <= n + 2 && !memcmp(t->text, types[i], n) &&
            strspn(t->text + n, "0123456789") >= t->length - n)
            return true;
    }
    return false;
}

/* Adds the names that a macro between declarations may declare: all words of it, and of the macros in it. */
static void add_macro(const struct linked *l, const struct cw_cl_source *s, const struct cw_cl_token *name,
                      struct names *set)
{
    const struct cw_cl_source *from[] = {s, &l->given};
    size_t first = set->n;

    add(set, name);
    for (size_t next = first; next < set->n; next++)
        for (size_t f = 0; f < 2; f++)
            for (size_t i = 0; i < from[f]->macro_count; i++) {
                const struct cw_cl_macro *m = &from[f]->macros[i];
                for (uint32_t k = 0; k < m->count && cw_cl_token_same(&m->name, set->v[next]); k++) {
                    const struct cw_cl_token *t = &from[f]->macro_tokens[m->first + k];
                    if (t->kind == CW_CL_IDENTIFIER && !is_keyword(t))
                        add(set, t);
                }
            }
}

static bool is_mark(const struct cw_cl_source *s, size_t i, const char *marks)
{
    return i < s->count && s->tokens[i].kind == CW_CL_PUNCTUATION && s->tokens[i].length == 1 &&
           strchr(marks, *s->tokens[i].text);
}

/* ENOUGH: names that a source certainly declares as functions at its outermost level. TOO_MANY: all that it
 * may declare, also by macros or in brackets. ANY: every name before a bracket. */
enum reading { ENOUGH, TOO_MANY, ANY };

/* Of the text from `from` on. False: brackets do not match, as branches of conditions are read one after the
 * other. */
static bool declared(const struct linked *l, const struct cw_cl_source *s, const char *from, enum reading how,
                     struct names *set)
{
    int depth = 0;
    bool expanding = false; /* in the arguments of a macro at the outermost level */

    for (size_t i = 0; i < s->count; i++) {
        const struct cw_cl_token *t = &s->tokens[i];
        bool called = is_mark(s, i + 1, "("), wrapped = is_mark(s, i + 1, ")") && is_mark(s, i + 2, "(");
        bool macro;
        depth += is_mark(s, i, "({[") - is_mark(s, i, ")}]");
        if (depth < 0)
            return false;
        expanding = expanding && !(depth == 0 && is_mark(s, i, ")"));
        if (t->kind != CW_CL_IDENTIFIER || t->text < from || is_keyword(t))
            continue;
        macro = depth == 0 && (cw_cl_is_macro(s, t) || cw_cl_is_macro(&l->given, t));
        if (how == ENOUGH) {
            if (depth == 0 && called && !macro)
                add(set, t);
        } else if (macro) {
            add_macro(l, s, t, set);
            expanding |= called;
        } else if (expanding || ((how == ANY || depth == 0) && called) || wrapped) {
            add(set, t);
        }
    }
    return depth == 0;
}

/* Sets *found to a function that `u` declares behind the common beginning, whose name a later one mentions
 * and does not declare itself: that one means a built-in function, which clang lets stand beside it. False:
 * out of memory. */
static bool captures(const struct linked *l, size_t u, const struct cw_cl_token **found)
{
    const struct cw_cl_source *s = &l->unit[u];
    struct names own = {0};

    if (!declared(l, s, s->text + l->common, TOO_MANY, &own))
        declared(l, s, s->text + l->common, ANY, &own);
    for (size_t k = u + 1; k < l->n && !*found; k++) {
        const char *text = l->unit[k].text, *end = text + strlen(text);
        struct names its = {0};
        if (!declared(l, &l->unit[k], text, ENOUGH, &its))
            its.n = 0;
        for (size_t i = 0; i < own.n && !*found; i++) {
            bool macro = cw_cl_is_macro(s, own.v[i]) ||
                         cw_cl_is_macro(&l->given, own.v[i]); /* stands for others, which are in there */
            bool mentioned = !macro && occurs(text, end, own.v[i]);
            for (size_t m = 0; m < l->given.macro_count_tokens; m++)
                mentioned |= !macro && cw_cl_token_same(&l->given.macro_tokens[m], own.v[i]);
            if (mentioned && !holds(&its, own.v[i]))
                *found = own.v[i];
        }
        free(its.v);
    }
    free(own.v);
    return !own.failed;
}

static enum cw_status judge(const struct linked *l, struct cw_error *err)
{
    for (size_t i = 0; i < l->n; i++) {
        const char *why = l->given.has_paste ? "an option that pastes names" : doubt(&l->unit[i]);
        const struct cw_cl_token *name = why ? NULL : leaks(l, i);
        if (!why && !name && !captures(l, i, &name))
            return cw_error_set(err, CW_ERR_NOMEM, "out of memory for linked programs");
        if (why)
            return cw_error_set(err, CW_ERR_UNSUPPORTED, "linked programs: %s", why);
        if (name)
            return cw_error_set(err, CW_ERR_UNSUPPORTED,
                                "linked programs: one defines %.*s, which another one mentions",
                                (int)name->length, name->text);
    }
    return CW_OK;
}

static char *write_text(const struct linked *l)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);

    if (!f)
        return NULL;
    fwrite(l->unit[0].text, 1, l->common, f);
    for (size_t i = 0; i < l->n; i++)
        fprintf(f, "%s\n", l->unit[i].text + l->common);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

char *cw_linked_source(const char *const *unit, size_t n, const char *options, struct cw_error *err)
{
    struct linked *l = NULL;
    char *text = NULL;
    bool memory = true;

    if (n == 1)
        text = strdup(unit[0]);
    else if (n == 0 || n > MOST_UNITS)
        cw_error_set(err, CW_ERR_UNSUPPORTED, "linked programs: none, or more than %d", MOST_UNITS);
    else
        memory = (l = calloc(1, sizeof *l)) != NULL;
    if (l) {
        memory = cw_cl_source_init(&l->given, "", options);
        for (l->n = n; l->read < n && memory; l->read++)
            memory = cw_cl_source_init(&l->unit[l->read], unit[l->read], NULL);
        if (memory)
            find_common(l);
        if (memory && judge(l, err) == CW_OK)
            memory = (text = write_text(l)) != NULL;
        for (size_t i = 0; i < l->read; i++)
            cw_cl_source_finish(&l->unit[i]);
        cw_cl_source_finish(&l->given);
    }
    if (!memory || (n == 1 && !text))
        cw_error_set(err, CW_ERR_NOMEM, "out of memory for linked programs");
    free(l);
    return text;
}
