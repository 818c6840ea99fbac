/* rewrite_options.c - the macros that build options may define, careful rather than exact: quoting differs
 * between vendors, so every name anywhere in the options counts as part of every macro that they define. */
#include "rewrite_state.h"

#include <stdlib.h>
#include <string.h>

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/* Words of the rewriter's own text in front of the source. */
static bool is_ours(const struct cw_rw_names *n, uint32_t id)
{
    static const char *const words[] = {"typedef",
                                        "struct",
                                        "ulong",
                                        "uint",
                                        "size_t",
                                        "inline",
                                        "static",
                                        "return",
                                        "const",
                                        "unused",
                                        "__unused__",
                                        "__attribute__",
                                        "__always_inline__",
                                        NULL};

    for (const char *const *w = words; *w; w++)
        if (cw_tokens_name_is(n, id, *w))
            return true;
    return false;
}

/* Whether the text of a -D may change a variable: p behind the name. */
static bool may_write(const char *p)
{
    size_t length = strcspn(p, " \t\n");

    for (size_t i = *p == '='; i < length; i++)
        if (strchr("=&", p[i]) || (strchr("+-", p[i]) && p[i + 1] == p[i]) || strchr("\"'", p[i]))
            return true;
    return false;
}

/* -Dname or -Uname, p behind the letter. */
static bool read_macro_name(struct cw_rw *s, const char *p, uint32_t *last)
{
    size_t length = 0;
    uint32_t id;

    p += strspn(p, " \t\"'");
    while (is_name(p[length]))
        length++;
    if (length == 0)
        return cw_rewrite_refuse(s, "a build option defines something without a name");
    id = cw_tokens_name_intern(&s->names, p, length);
    if (id == UINT32_MAX)
        return cw_rewrite_nomem(s);
    if (is_ours(&s->names, id))
        return cw_rewrite_refuse(s, "a build option redefines '%.*s'", CW_RW_TEXT(s, id));
    s->names.v[id].flags |=
        CW_RW_MACRO | CW_RW_SEEN | CW_RW_HOLLOW | (may_write(p + length) ? CW_RW_NO_ROWS : 0);
    *last = id;
    return true;
}

/* An edge from macro `id` to every name of the options. */
static bool add_all_names(struct cw_rw *s, uint32_t id, const char *options)
{
    for (const char *p = options; *p;) {
        size_t length = 0;
        uint32_t name;
        while (is_name(p[length]))
            length++;
        if (length == 0) {
            p++;
            continue;
        }
        name = cw_tokens_name_intern(&s->names, p, length);
        if (name == UINT32_MAX || !cw_rewrite_add_edge(s, id, name))
            return cw_rewrite_nomem(s);
        p += length;
        s->names.v[name].flags |=
            CW_RW_SEEN | CW_RW_USED | CW_RW_IN_MACRO | (p[strspn(p, " \t")] == '(' ? CW_RW_CALLED : 0);
    }
    return true;
}

static bool begins(const char *p, const char *with)
{
    return strncmp(p, with, strlen(with)) == 0;
}

static bool balanced(const char *p)
{
    long round = 0, square = 0, curly = 0;

    for (; *p; p++) {
        round += (*p == '(') - (*p == ')');
        square += (*p == '[') - (*p == ']');
        curly += (*p == '{') - (*p == '}');
    }
    return !round && !square && !curly;
}

static bool read_option(struct cw_rw *s, const char *p, uint32_t hub)
{
    uint32_t id = UINT32_MAX;
    size_t length = strcspn(p, " \t\n");
    char word[41] = "";

    if (begins(p, "-D") || begins(p, "-U")) {
        if (!read_macro_name(s, p + 2, &id))
            return false;
        return cw_rewrite_add_edge(s, id, hub) || cw_rewrite_nomem(s);
    }
    if (begins(p, "-include") || begins(p, "-imacros") || begins(p, "-x") || begins(p, "-cl-std=CLC++") ||
        begins(p, "-cl-std=clc++") || begins(p, "-std=") || begins(p, "-X") || *p == '@' ||
        (begins(p, "-f") && !begins(p, "-fno-bin-") && !begins(p, "-fbin-"))) {
        memcpy(word, p, length < sizeof word ? length : sizeof word - 1);
        return cw_rewrite_refuse(s, "build option '%s'", word);
    }
    return true;
}

/* Blanks out options that define nothing: search paths, warnings, -cl- options. */
static void drop_plain_options(char *p)
{
    while (*p) {
        bool path;
        p += strspn(p, " \t\n");
        path = begins(p, "-I");
        if (path || begins(p, "-cl-") || begins(p, "-W") || !strcmp(p, "-w") || begins(p, "-w ")) {
            size_t length = strcspn(p, " \t\n");
            memset(p, ' ', length);
            p += length;
            if (path && length == 2) {
                p += strspn(p, " \t\n");
                length = strcspn(p, " \t\n");
                memset(p, ' ', length);
            }
        }
        p += strcspn(p, " \t\n");
    }
}

bool cw_rewrite_read_options(struct cw_rw *s, size_t unit, const char *options)
{
    uint32_t hub = CW_RW_FIRST_BODY + s->bodies;
    const char *p;

    if (!cw_array_reserve(&s->odd_body, &s->odd_capacity, s->bodies, 1, 1) ||
        !(s->options[unit] = strdup(options)))
        return cw_rewrite_nomem(s);
    s->bodies++;
    options = s->options[unit];
    if (strlen(options) > CW_RW_MAX_BYTES || strchr(options, '\\') || strstr(options, "??") ||
        !balanced(options))
        return cw_rewrite_refuse(s, "build options with backslashes, trigraphs or open brackets");
    if (strstr(options, "##"))
        return cw_rewrite_refuse(s, "build options that paste names");
    s->no_rows |= strstr(options, "-cl-unsafe-math-optimizations") ||
                  strstr(options, "-cl-fast-relaxed-math") || strstr(options, "-cl-finite-math-only") ||
                  strstr(options, "-cl-no-signed-zeros") || strstr(options, "-cl-denorms-are-zero") ||
                  strstr(options, "-mllvm");
    for (p = options; *p; p += strcspn(p, " \t\n")) {
        p += strspn(p, " \t\n\"'");
        if (!read_option(s, p, hub))
            return false;
    }
    drop_plain_options(s->options[unit]);
    return add_all_names(s, hub, options);
}
