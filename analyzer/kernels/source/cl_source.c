/* cl_source.c - see cl_source.h. */
#include "cl_source.h"
#include "../../io/array.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool cw_cl_token_is(const struct cw_cl_token *t, const char *word)
{
    return strlen(word) == t->length && memcmp(t->text, word, t->length) == 0;
}

bool cw_cl_token_same(const struct cw_cl_token *a, const struct cw_cl_token *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

bool cw_cl_is_macro(const struct cw_cl_source *s, const struct cw_cl_token *t)
{
    for (size_t i = 0; t->kind == CW_CL_IDENTIFIER && i < s->macro_count; i++)
        if (cw_cl_token_same(&s->macros[i].name, t))
            return true;
    return false;
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/* The length of a line splice at `p`: a backslash, blanks (compilers warn of them), the end of the line.
 * 0: there is none. */
static size_t splice(const char *p)
{
    const char *end = p + 1;

    if (*p != '\\')
        return 0;
    end += strspn(end, " \t\v\f");
    if (!ends_line(*end))
        return 0;
    return (size_t)(end - p) + (ends_line(end[1]) && end[1] != *end ? 2 : 1);
}

/* Copies `source` without its byte order mark and line splices, lines with '\n' at their ends, comments as
 * one blank (newlines in them are left out: a directive goes on). */
static char *strip(const char *source)
{
    char *text = malloc(strlen(source) + 2), *out = text;
    char quote = 0;

    for (const char *p = source + (strncmp(source, "\xef\xbb\xbf", 3) ? 0 : 3); text && *p;) {
        if (splice(p)) {
            p += splice(p);
        } else if (quote) {
            quote = *p == quote || ends_line(*p) ? 0 : quote;
            if (*p == '\\' && p[1])
                *out++ = *p++;
            *out++ = *p == '\r' ? '\n' : *p;
            p++;
        } else if (p[0] == '/' && p[1] == '/') {
            while (*p && !ends_line(*p))
                p += splice(p) ? splice(p) : 1;
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
            *out++ = ' ';
        } else {
            quote = *p == '"' || *p == '\'' ? *p : 0;
            *out++ = *p == '\r' ? '\n' : *p;
            p++;
        }
    }
    if (text)
        *out = '\0';
    return text;
}

/* The token at *p (not a blank); moves *p behind it. */
static struct cw_cl_token next_token(const char **p)
{
    const char *s = *p, *e = s + 1;
    struct cw_cl_token t = {.text = s, .kind = CW_CL_PUNCTUATION};

    if (isalpha((unsigned char)*s) || *s == '_') {
        while (isalnum((unsigned char)*e) || *e == '_')
            e++;
        t.kind = CW_CL_IDENTIFIER;
    } else if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)*e))) {
        while (isalnum((unsigned char)*e) || *e == '_' || *e == '.' ||
               ((*e == '+' || *e == '-') && strchr("eEpP", e[-1])))
            e++;
        t.kind = CW_CL_NUMBER;
    } else if (*s == '"' || *s == '\'') {
        while (*e && *e != *s && *e != '\n')
            e += *e == '\\' && e[1] ? 2 : 1;
        e += *e == *s;
        t.kind = CW_CL_STRING;
    } else if ((*s == '&' || *s == '|' || *s == '-' || *s == '#') && (*e == *s || (*s == '-' && *e == '>'))) {
        e++; /* && || -- ## ->: those that a single character would be mistaken for */
    }
    t.length = (uint32_t)(e - s);
    *p = e;
    return t;
}

static bool push_token(struct cw_cl_token **v, size_t *count, size_t *capacity, struct cw_cl_token t)
{
    if (!cw_array_reserve(v, capacity, *count, 1, sizeof **v))
        return false;
    (*v)[(*count)++] = t;
    return true;
}

static bool push_macro_token(struct cw_cl_source *s, struct cw_cl_token t)
{
    return push_token(&s->macro_tokens, &s->macro_count_tokens, &s->macro_capacity_tokens, t);
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\f' || *p == '\v')
        p++;
    return p;
}

/* "name body", "name(parameters) body"; with `option` set "name=body", which ends at a blank. */
static bool read_macro(struct cw_cl_source *s, const char *p, bool option, bool undefined)
{
    struct cw_cl_macro m = {.undefined = undefined};

    p = skip_blanks(p);
    if (!isalpha((unsigned char)*p) && *p != '_')
        return true;
    m.name = next_token(&p);
    m.parameters = (uint32_t)s->macro_count_tokens;
    if (*p == '(') {
        m.function_like = true;
        for (p++; *p && *p != ')' && *p != '\n';) {
            struct cw_cl_token t = next_token(&p);
            if (t.kind == CW_CL_IDENTIFIER && !push_macro_token(s, t))
                return false;
            p = skip_blanks(p);
        }
        p += *p == ')';
    }
    m.parameter_count = (uint32_t)s->macro_count_tokens - m.parameters;
    m.first = (uint32_t)s->macro_count_tokens;
    if (option && *p == '=')
        p++;
    for (p = option ? p : skip_blanks(p); *p && *p != '\n' && !(option && isspace((unsigned char)*p));
         p = option ? p : skip_blanks(p)) {
        struct cw_cl_token t = next_token(&p);
        s->has_paste |= cw_cl_token_is(&t, "##");
        if (!push_macro_token(s, t))
            return false;
    }
    m.count = (uint32_t)s->macro_count_tokens - m.first;
    if (!cw_array_reserve(&s->macros, &s->macro_capacity, s->macro_count, 1, sizeof *s->macros))
        return false;
    s->macros[s->macro_count++] = m;
    return true;
}

static bool reads_file(const struct cw_cl_token *directive)
{
    static const char *const names[] = {"include", "include_next", "import", "embed"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cw_cl_token_is(directive, names[i]))
            return true;
    return false;
}

/* A directive; p stands behind its '#'. Returns the end of its line, NULL when memory is out. */
static const char *read_directive(struct cw_cl_source *s, const char *p)
{
    const char *end = p + strcspn(p, "\n"), *word = skip_blanks(p);
    struct cw_cl_token name;
    bool ok = true;

    if (!isalpha((unsigned char)*word))
        return end;
    name = next_token(&word);
    if (cw_cl_token_is(&name, "define"))
        ok = read_macro(s, word, false, false);
    else if (cw_cl_token_is(&name, "undef"))
        ok = read_macro(s, word, false, true);
    else if (reads_file(&name))
        s->has_include = true;
    else if (!cw_cl_token_is(&name, "pragma") && !cw_cl_token_is(&name, "line") &&
             !cw_cl_token_is(&name, "error"))
        ok = push_token(&s->tokens, &s->count, &s->capacity, (struct cw_cl_token){end, 0, CW_CL_CONDITIONAL});
    return ok ? end : NULL;
}

/* Blanks in place of options that define no macro, and of quotes. */
static void leave_macros(char *options)
{
    bool path = false; /* it belongs to the -I before */
    size_t n;

    for (char *p = options; *p; p += n) {
        p += strspn(p, " \t\n\"'");
        n = strcspn(p, " \t\n");
        if (path || (*p == '-' && p[1] != 'D' && p[1] != 'U')) {
            path = !path && n == 2 && p[1] == 'I';
            memset(p, ' ', n);
        }
    }
    for (char *p = options; (p = strpbrk(p, "\"'"));)
        *p = ' ';
}

static bool read_options(struct cw_cl_source *s, const char *options)
{
    s->options = strdup(options);
    s->option_macros = strdup(options);
    if (!s->options || !s->option_macros)
        return false;
    leave_macros(s->option_macros);
    for (const char *p = s->options; *p;) {
        p += strspn(p, " \t\n\"'");
        if (strncmp(p, "-D", 2) == 0 || strncmp(p, "-U", 2) == 0) {
            bool undefined = p[1] == 'U';
            p += 2 + strspn(p + 2, " \t\"'");
            if (!read_macro(s, p, true, undefined))
                return false;
        } else if (strncmp(p, "-include", 8) == 0) {
            s->has_include = true;
        } else if (strncmp(p, "-cl-std=CLC++", 13) == 0) {
            s->has_paste = true; /* references: a pointer that no operator shows */
        }
        p += strcspn(p, " \t\n");
    }
    return true;
}

/* A trigraph for a backslash, which may join lines: words may lie across them. */
static bool has_odd_splice(const char *source)
{
    return strstr(source, "?"
                          "?/") != NULL;
}

/* Without the blank that stands for the end of an identifier. */
static size_t length_of(const char *word)
{
    return strcspn(word, " ");
}

/* Which positions of the word the identifier leads to, from those that are reached (a bit each): a part of
 * the word takes `paste`. */
static uint64_t lead_on(const struct cw_cl_token *t, const char *word, bool paste, uint64_t reached)
{
    size_t length = length_of(word);

    for (size_t at = 0; at < length; at++) {
        size_t rest = length - at, same = t->length < rest ? t->length : rest;
        if (t->length > rest && word[length]) /* it goes on */
            continue;
        if (reached >> at & 1 && (paste || same == length) && !memcmp(t->text, word + at, same))
            reached |= UINT64_C(1) << (at + same);
    }
    return reached;
}

/* True: one of the words is reached at another position than before. */
static bool lead_all_on(const char *text, const char *const *words, bool paste, uint64_t *reached)
{
    bool changed = false;

    for (const char *p = text; p && *p;) {
        struct cw_cl_token t;
        if (isspace((unsigned char)*p)) {
            p++;
            continue;
        }
        t = next_token(&p);
        for (size_t i = 0; t.kind == CW_CL_IDENTIFIER && words[i]; i++) {
            uint64_t before = reached[i];
            reached[i] = lead_on(&t, words[i], paste, before);
            changed |= reached[i] != before;
        }
    }
    return changed;
}

const char *cw_cl_may_name(const struct cw_cl_source *s, const char *const *words)
{
    uint64_t reached[CW_CL_MAX_WORDS];
    bool changed = true;

    for (size_t i = 0; i < CW_CL_MAX_WORDS; i++)
        reached[i] = 1;
    while (changed) {
        changed = lead_all_on(s->text, words, s->has_paste, reached);
        changed |= lead_all_on(s->option_macros, words, s->has_paste, reached);
        changed &= s->has_paste;
    }
    for (size_t i = 0; words[i]; i++)
        if (reached[i] >> length_of(words[i]) & 1)
            return words[i];
    return NULL;
}

/* "#pragma GCC dependency" fails without its file. */
static bool may_depend(const struct cw_cl_source *s)
{
    static const char *const pragma[] = {"_Pragma", "pragma", NULL};

    return (strstr(s->text, "dependency") || (s->options && strstr(s->options, "dependency"))) &&
           cw_cl_may_name(s, pragma);
}

/* A question for a file, in a condition or in a macro of one; an #include that is not written so. */
static bool may_ask_for_files(const struct cw_cl_source *s)
{
    static const char *const questions[] = {"__has_include", "__has_embed", NULL};

    return cw_cl_may_name(s, questions) || may_depend(s) ||
           (s->has_hidden_directives &&
            (strstr(s->text, "include") || strstr(s->text, "import") || strstr(s->text, "embed")));
}

static bool is_assembly(const struct cw_cl_token *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (cw_cl_token_is(&t[i], "asm") || cw_cl_token_is(&t[i], "__asm") ||
            cw_cl_token_is(&t[i], "__asm__"))
            return true;
    return false;
}

bool cw_cl_source_init(struct cw_cl_source *s, const char *source, const char *options)
{
    bool line_start = true;

    memset(s, 0, sizeof *s);
    s->has_include = has_odd_splice(source);
    s->has_hidden_directives = s->has_include || strstr(source, "??") || strstr(source, "%:");
    s->has_paste = s->has_hidden_directives || strstr(source, "<:");
    s->text = strip(source);
    if (!s->text || (options && !read_options(s, options)))
        return false;
    for (const char *p = s->text; p && *p;) {
        if (isspace((unsigned char)*p)) {
            line_start |= *p == '\n';
            p++;
        } else if (*p == '#' && line_start) {
            p = read_directive(s, p + 1);
            if (!p)
                return false;
        } else {
            line_start = false;
            if (!push_token(&s->tokens, &s->count, &s->capacity, next_token(&p)))
                return false;
        }
    }
    s->has_paste |= is_assembly(s->tokens, s->count) || is_assembly(s->macro_tokens, s->macro_count_tokens);
    s->has_include |= may_ask_for_files(s);
    return true;
}

void cw_cl_source_finish(struct cw_cl_source *s)
{
    free(s->text);
    free(s->options);
    free(s->option_macros);
    free(s->tokens);
    free(s->macro_tokens);
    free(s->macros);
    memset(s, 0, sizeof *s);
}
