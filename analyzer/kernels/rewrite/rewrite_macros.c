/* rewrite_macros.c - the #define and #undef lines of a unit, whichever branch they stand in. */
#include "rewrite_state.h"

#include <stdlib.h>
#include <string.h>

/* The macros that build options may define, careful rather than exact: quoting differs
 * between vendors, so every name anywhere in the options counts as part of every macro that they define. */

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
static bool options_may_write(const char *p)
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
        CW_RW_MACRO | CW_RW_SEEN | CW_RW_HOLLOW | (options_may_write(p + length) ? CW_RW_NO_ROWS : 0);
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

typedef const struct cw_rw_token token;

/* Brackets of a replacement list match: then those of the text match too, in any expansion. */
static bool is_balanced(const struct cw_rw_text *t, size_t first, size_t end)
{
    long round = 0, square = 0, curly = 0;

    for (size_t i = first; i < end && round >= 0 && square >= 0 && curly >= 0; i++) {
        round += (t->v[i].c == '(') - (t->v[i].c == ')');
        square += (t->v[i].c == '[') - (t->v[i].c == ']');
        curly += (t->v[i].c == '{') - (t->v[i].c == '}');
    }
    return !round && !square && !curly;
}

/* "# parameter" makes a string of its argument's text, which the rewriter's own macros change. In _Pragma no
 * harm is done.
 */
static bool makes_strings(const struct cw_rw *s, const struct cw_rw_text *t, size_t first, size_t i)
{
    return t->v[i].c == '#' && !(i >= first + 2 && t->v[i - 1].c == '(' && t->v[i - 2].kind == CW_RW_NAME &&
                                 cw_tokens_name_is(&s->names, t->v[i - 2].name, "_Pragma"));
}

/* The text before the & at token i, in a macro's body, is an operand, not a cast; brackets might be either,
 * but where a number follows. */
static bool behind_operand(const struct cw_rw_text *t, size_t first, size_t end, size_t i)
{
    if (i == first)
        return false;
    if (t->v[i - 1].c == ')')
        return i + 1 < end && t->v[i + 1].kind == CW_RW_NUMBER;
    return t->v[i - 1].kind == CW_RW_NAME || t->v[i - 1].kind == CW_RW_NUMBER || t->v[i - 1].c == ']';
}

/* Whether it may change a variable that it is given or names. */
static bool may_write(const struct cw_rw_text *t, size_t first, size_t end, size_t i)
{
    token *k = &t->v[i];
    char before = i > first ? k[-1].c : 0, after = i + 1 < end ? k[1].c : 0;

    switch (k->c) {
    case '=':
        return after != '=' && !(before && strchr("=<>!", before) && !(i > first + 1 && k[-2].c == before));
    case '+':
    case '-':
        return after == k->c;
    case '&':
        return after != '&' && before != '&' && !behind_operand(t, first, end, i);
    default:
        return false;
    }
}

/* Statements, or their beginnings, which would end elsewhere than seems. */
static bool is_statement(const struct cw_rw *s, const struct cw_rw_text *t, size_t i)
{
    static const char *const words[] = {"if",     "else",  "switch",   "case", "default",
                                        "return", "break", "continue", NULL};

    if (t->v[i].c == ';')
        return true;
    for (const char *const *w = words; t->v[i].kind == CW_RW_NAME && *w; w++)
        if (cw_tokens_name_is(&s->names, t->v[i].name, *w))
            return true;
    return false;
}

static bool read_body(struct cw_rw *s, const struct cw_rw_text *t, uint32_t macro, size_t first, size_t end)
{
    uint32_t *flags = &s->names.v[macro].flags;

    if (!is_balanced(t, first, end))
        return cw_rewrite_refuse(s, "the brackets in macro '%.*s' do not match", CW_RW_TEXT(s, macro));
    *flags |= end - first >= 2 ? CW_RW_SOLID : CW_RW_HOLLOW;
    for (size_t i = first; i < end; i++) {
        *flags |= may_write(t, first, end, i) || is_statement(s, t, i) ? CW_RW_NO_ROWS : 0;
        if (t->v[i].c == 'P') {
            s->pastes = true;
            *flags |= CW_RW_REACHES_ID | CW_RW_RANGE | CW_RW_NO_ROWS; /* may make any name */
        } else if (t->v[i].c == '{') {
            *flags |= CW_RW_BRACES;
        } else if (makes_strings(s, t, first, i)) {
            return cw_rewrite_refuse(s, "macro '%.*s' makes strings of its arguments", CW_RW_TEXT(s, macro));
        } else if (t->v[i].kind == CW_RW_NAME) {
            if (!cw_rewrite_add_edge(s, macro, t->v[i].name))
                return cw_rewrite_nomem(s);
            s->names.v[t->v[i].name].flags |=
                CW_RW_USED | (s->names.v[t->v[i].name].flags & CW_RW_PARAMETER ? 0 : CW_RW_IN_MACRO);
        }
        if (!cw_rewrite_look_at_use(s, t, i, first, end))
            return false;
    }
    return true;
}

/* The definition whose # is token i. */
static bool read_define(struct cw_rw *s, const struct cw_rw_text *t, size_t i)
{
    size_t first = i + 3, end, parameters = i + 4;
    bool ok, function_like;

    if (t->v[i + 2].kind != CW_RW_NAME)
        return cw_rewrite_refuse(s, "a #define without a name");
    s->names.v[t->v[i + 2].name].flags |= CW_RW_MACRO;
    function_like = t->v[first].c == '(' && !t->v[first].spaced;
    if (function_like) {
        for (first++; t->v[first].c != ')' && t->v[first].kind != CW_RW_LINE_END; first++)
            if (t->v[first].kind == CW_RW_NAME)
                s->names.v[t->v[first].name].flags |= CW_RW_PARAMETER;
        if (t->v[first].c != ')')
            return cw_rewrite_refuse(s, "a #define whose parameters do not end");
        first++;
    }
    for (end = first; t->v[end].kind != CW_RW_LINE_END; end++)
        ;
    ok = read_body(s, t, t->v[i + 2].name, first, end);
    for (; function_like && parameters < first; parameters++)
        if (t->v[parameters].kind == CW_RW_NAME)
            s->names.v[t->v[parameters].name].flags &= ~(uint32_t)CW_RW_PARAMETER;
    return ok;
}

bool cw_rewrite_read_macros(struct cw_rw *s, struct cw_rw_unit *u)
{
    const struct cw_rw_text *t = &u->text;

    for (size_t i = 0; i < t->count; i++) {
        if (t->v[i].kind == CW_RW_NAME && (cw_tokens_name_is(&s->names, t->v[i].name, "__LINE__") ||
                                           cw_tokens_name_is(&s->names, t->v[i].name, "__FILE__")))
            s->has_line = true;
        if (t->v[i].kind != CW_RW_DIRECTIVE)
            continue;
        if (t->v[i].c == CW_RW_DEFINE && !read_define(s, t, i))
            return false;
        if (t->v[i].c == CW_RW_UNDEF && t->v[i + 2].kind == CW_RW_NAME)
            s->names.v[t->v[i + 2].name].flags |= CW_RW_MACRO | CW_RW_HOLLOW;
        for (size_t k = i + 1; t->v[i].c == CW_RW_HARMLESS && t->v[k].kind != CW_RW_LINE_END; k++)
            if (t->v[k].kind == CW_RW_NAME && (cw_tokens_name_is(&s->names, t->v[k].name, "clang") ||
                                               cw_tokens_name_is(&s->names, t->v[k].name, "float_control")))
                s->no_rows = true; /* fp contract(fast), say */
        if (t->v[i].c == CW_RW_UNKNOWN)
            return cw_rewrite_refuse(s, "a directive that is not known");
        for (size_t k = i + 1; t->v[i].c != CW_RW_DEFINE && t->v[k].kind != CW_RW_LINE_END; k++)
            if (t->v[k].kind == CW_RW_NAME)
                s->names.v[t->v[k].name].flags |= CW_RW_CONDITION;
    }
    if (s->has_line)
        return cw_rewrite_refuse(
            s, "uses __LINE__ or __FILE__"); /* calls become macros, which stand on one line */
    return true;
}
